"""Emits the loop: its body with closed forms for placeholders, its exits, under the condition that it runs."""

from __future__ import annotations

from collections.abc import Sequence

from ....ir.nodes import Exit, Guard, Loop, Mapping, Node, Statement
from ....ir.scalars import carried_scalars
from ....ir.traverse import accesses_in, all_nodes, names_in
from ....ir.values import IndexValue, Register
from ..logic import ALWAYS
from ..rewrite import Rewriter
from ..state import State
from .context import LoopContext, Recognized
from .leaving import Lowered
from .written.mapping import offload, threads
from .written.parts import is_control
from .written.pragmas import Parallelism


def _carried(context: LoopContext, found: Recognized, nodes: Sequence[Node]) -> frozenset[str]:
    """Return the labels of variables that are anything at the top of an iteration and that something in it takes up."""
    taken = names_in(nodes)
    values = (found.values[item.name] for item in context.moving if item.name in taken)
    atoms = (atom for value in values for atom in value.unknowns())
    return frozenset(atom.label for atom in atoms if context.iterator in atom.depends)


def _registers_at_entry(state: State, context: LoopContext, found: Recognized, nodes: Sequence[Node]) -> None:
    """Give registers that a loop inside of another hands on the integers with which it starts.

    Without these they would be taken from the iteration of the loop around before.
    """
    handed = carried_scalars(nodes) if state.flow.loops else ()
    if not handed:
        return
    statements = (node for node in all_nodes(nodes) if isinstance(node, Statement))
    registers = {node.target.name: node.target for node in statements if isinstance(node.target, Register)}
    for item in context.moving:
        name = state.symbols.registers.get(item.name, "")
        if name not in handed or item.entry is None or item.entry.unknowns() or not found.values[item.name].unknowns():
            continue
        start = IndexValue(item.entry, registers[name].type)
        state.emitter.append(Statement(registers[name], start, state.emitter.position(context.span)))


def emit_loop(state: State, lowered: Lowered, context: LoopContext, found: Recognized, parallel: Parallelism) -> None:
    """Append the loop, its exits that depend on data where it tests them, under the condition that it runs at all."""
    rewriter = Rewriter(state.emitter, state.symbols, found.values)
    iterator, span = context.iterator, context.span
    tests: list[Node] = [Guard(condition, (Exit(iterator, span),), (), span) for condition in found.exits]
    body = list(lowered.body)
    if found.takes_place != ALWAYS:
        body = [Guard(found.takes_place, tuple(body), (), span)]
    body = [*body, *tests] if context.test_last else [*tests, *body]
    last = body.pop() if lowered.leaves and body and isinstance(body[-1], Exit) else None
    header = tuple(
        node for node in _flat(rewriter.nodes(lowered.header)) if isinstance(node, Statement) and not is_control(node)
    )
    nodes = tuple(rewriter.nodes(body))
    _registers_at_entry(state, context, found, [*header, *nodes])
    whole: list[Node] = []
    if nodes or header:
        position, mapping = state.emitter.position(span), found.mapping or parallel.mapping
        loop = Loop(
            iterator=iterator,
            range=found.range,
            body=nodes,
            span=position,
            mapping=mapping,
            header=header,
            unroll=parallel.unroll,
            threads=threads(state, parallel, found.range) if mapping is Mapping.THREADS else None,
            library=parallel.library,
            lanes=parallel.lanes,
            timed=parallel.timed,
            offload=offload(state, parallel),
            carried=_carried(context, found, [*lowered.header, *lowered.body]),
            may_wrap=context.may_wrap,
        )
        whole.append(loop)
        if parallel.timed:
            state.emitter.assume("AI325", span, "iteration")
        if not state.flow.loops:
            _note_filled(state, loop)
    if isinstance(last, Exit) and last.loop != iterator:
        whole.append(last)
    state.emitter.append_guard(found.guard, whole, [], span)


def _note_filled(state: State, loop: Loop) -> None:
    """Note the arrays with known forms to which an outermost loop stores."""
    if not state.inputs.forms:
        return
    targets = {access.array for access, is_store in accesses_in(loop.body) if is_store}
    for array in targets & state.inputs.forms.keys():
        state.memory.filled[array] = state.memory.filled.get(array, 0) + 1


def _flat(nodes: Sequence[Node]) -> list[Node]:
    """Return header statements without their guards: an upper bound of the work of a test."""
    result: list[Node] = []
    for node in nodes:
        result.extend(_flat((*node.body, *node.orelse)) if isinstance(node, Guard) else [node])
    return result
