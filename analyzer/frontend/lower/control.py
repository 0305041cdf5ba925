"""Statements: sequences with skips, conditionals, switches, returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import assert_never

from ...ir.index import Poly
from ...ir.nodes import Comparison, Condition, DataDependent, Node, Statement, Truth
from ...ir.types import INT32
from ...ir.values import IndexValue, Opaque, Register, Value
from ...source import Span
from ..surface import nodes as sx
from .bindings import Environment, Target
from .expressions.assignment import declare
from .expressions.conversions import index_of, type_of
from .expressions.expression import as_value, discard
from .jumps import END, end_program, is_end, leave_loop, run_goto, run_return
from .logic import ALWAYS, compare, conjunction, depends_on_data, disjunction, negate
from .loops.loop import LoopSource, lower_loop
from .merging import join, join_targets
from .state import State


def run_statement(state: State, statement: sx.Statement) -> None:
    """Lower one statement into the current block."""
    match statement:
        case sx.Block():
            run_sequence(state, statement.statements)
        case sx.Evaluate():
            discard(state, statement.expression)
            if isinstance(statement.expression, sx.Call) and is_end(state, statement.expression):
                end_program(state, statement.span)
        case sx.Declare():
            declare(state, statement)
            state.index_operations = 0
        case sx.If():
            _run_if(state, statement)
        case sx.For():
            if statement.initial is not None:
                with state.capture() as nodes:
                    state.run(statement.initial)
                state.block.extend(node for node in nodes if not _is_index_step(node))
            lower_loop(state, LoopSource(statement.condition, statement.advance, statement.body, False,
                                         statement.span, statement.pragmas))  # fmt: skip
        case sx.While(test_last=True) if _is_false(statement.condition):
            _run_once(state, statement)
        case sx.While():
            lower_loop(state, LoopSource(statement.condition, None, statement.body, statement.test_last,
                                         statement.span, statement.pragmas))  # fmt: skip
        case sx.Switch():
            _run_switch(state, statement)
        case sx.Return():
            run_return(state, statement)
        case sx.Break() | sx.Continue():
            leave_loop(state, statement)
        case sx.Goto():
            run_goto(state, statement)
        case sx.Skippable():
            _run_skippable(state, statement)
        case sx.Repeated():
            _run_repeated(state, statement)
        case sx.Label():
            pass
        case sx.OpaqueStatement():
            _run_opaque(state, statement)
        case _:
            assert_never(statement)


def _is_index_step(node: Node) -> bool:
    return isinstance(node, Statement) and isinstance(node.target, Register) and isinstance(node.value, IndexValue)


def _run_opaque(state: State, statement: sx.OpaqueStatement) -> None:
    state.report("AI206", statement.span, f"{statement.reason} is not understood; it is counted as nothing")
    state.emit(None, Opaque(statement.reason, INT32, has_work=True), statement.span)


def _run_skippable(state: State, statement: sx.Skippable) -> None:
    target = Target("label", len(state.path), len(state.loops), label=statement.label)
    state.targets.append(target)
    state.run(statement.body)
    state.targets.pop()
    join_targets(state, target)


def _is_false(condition: sx.Expression) -> bool:
    while isinstance(condition, sx.Cast):
        condition = condition.operand
    return isinstance(condition, sx.Number) and condition.value == 0


def _run_once(state: State, statement: sx.While) -> None:
    """``do { ... } while (0)``: a block that ``break`` and ``continue`` leave."""
    target = Target("once", len(state.path), len(state.loops))
    state.targets.append(target)
    state.run(statement.body)
    state.targets.pop()
    join_targets(state, target)


def _run_repeated(state: State, statement: sx.Repeated) -> None:
    """An endless loop that is left where the label is not jumped to: mostly ``do ... while`` in other words."""
    body = sx.Block((*statement.body.statements, sx.Goto(END + statement.label, statement.span)), statement.span)
    lower_loop(state, LoopSource(None, None, body, False, statement.span, (), statement.label))


def run_sequence(state: State, statements: Sequence[sx.Statement]) -> None:
    """Statements in order; after a conditional skip the rest runs under the opposite condition."""
    for position, statement in enumerate(statements):
        if state.terminated:
            return
        if state.emitted > state.limits.nodes:
            state.report("AI208", statement.span, "too large once everything is inlined; the rest is left out")
            return
        with _skips(state) as skips:
            state.run(statement)
        if skips and not state.terminated and position + 1 < len(statements):
            _run_rest(state, skips, statements[position + 1 :])
            return


@contextmanager
def _skips(state: State) -> Iterator[list[tuple[Condition, ...]]]:
    """The ways on which what follows in this loop is skipped, those that the ``with`` statement's body adds."""
    found: list[tuple[Condition, ...]] = []
    targets = _in_loop(state)
    marks = [len(target.skips) for target in targets]
    yield found
    found.extend(skip for target, mark in zip(targets, marks, strict=True) for skip in target.skips[mark:])


def _in_loop(state: State) -> Sequence[Target]:
    """The targets of the innermost loop, itself among them: what jumps farther leaves it by an exit."""
    kinds = [target.kind for target in state.targets]
    return state.targets[len(kinds) - 1 - kinds[::-1].index("loop") :] if "loop" in kinds else tuple(state.targets)


def _run_rest(state: State, skips: list[tuple[Condition, ...]], rest: Sequence[sx.Statement]) -> None:
    remaining = _none_of(state, skips)
    if remaining == ALWAYS:
        run_sequence(state, rest)
        return
    with state.guarded(remaining) as nodes:
        run_sequence(state, rest)
    state.append_guard(remaining, nodes, [], rest[0].span)


def _none_of(state: State, skips: Sequence[tuple[Condition, ...]]) -> Condition:
    """That no skip was met since the block that is being lowered began."""
    depth = len(state.path)
    return negate(disjunction(conjunction(skip[depth:]) for skip in skips))


# --- conditionals --------------------------------------------------------------------------------------------------


def _run_if(state: State, statement: sx.If) -> None:
    condition = state.condition(statement.condition)
    state.index_operations = 0
    if isinstance(condition, Truth):
        chosen = statement.then if condition.holds else statement.orelse
        if chosen is not None:
            state.run(chosen)
        return
    if depends_on_data(condition):
        state.report("AI202", statement.span, "whether this runs depends on data")
    branch(state, condition, [statement.then], [] if statement.orelse is None else [statement.orelse], statement.span)


def branch(
    state: State, condition: Condition, then: Sequence[sx.Statement], orelse: Sequence[sx.Statement], span: Span
) -> None:
    """Two arms and the join behind them."""
    before = dict(state.environment)
    then_nodes, then_end = _arm(state, condition, then)
    state.environment = dict(before)
    else_nodes, else_end = _arm(state, negate(condition), orelse)
    state.append_guard(condition, then_nodes, else_nodes, span)
    if then_end is None and else_end is None:
        state.terminated = True
    elif then_end is None or else_end is None:
        state.environment = else_end if then_end is None else then_end  # type: ignore[assignment] # one is not None
    else:
        join(state, condition, then_end, else_end, before)


def _arm(
    state: State, condition: Condition, statements: Sequence[sx.Statement]
) -> tuple[list[Node], Environment | None]:
    """Nodes of an arm, and the environment at its end (None where the end is not reached).

    An arm that ends the program is taken not to run.
    """
    with state.guarded(condition) as nodes:
        run_sequence(state, statements)
    ended = None if state.terminated else state.environment
    if state.terminated and state.abandoned:
        nodes = []
    state.terminated = state.abandoned = False
    return nodes, ended


# --- switch --------------------------------------------------------------------------------------------------------


def _run_switch(state: State, statement: sx.Switch) -> None:
    subject = as_value(state, state.evaluate(statement.subject))
    known = index_of(subject)
    if known is None and not (isinstance(subject, Register) and subject.name.startswith("$")):
        subject = state.temporary(subject, type_of(subject), statement.span)
    matches = [_matches(state, case, known, subject) for case in statement.cases]
    others = negate(disjunction(match for match in matches if match is not None))
    conditions = [others if match is None else match for match in matches]
    if any(depends_on_data(condition) for condition in conditions):
        state.report("AI202", statement.span, "the arm of the switch depends on data")
    state.index_operations = 0
    target = Target("switch", len(state.path), len(state.loops))
    state.targets.append(target)
    if any(case.falls_through for case in statement.cases[:-1]):
        _run_falling(state, statement.cases, conditions)
    else:
        _run_arms(state, statement.cases, conditions)
    state.targets.pop()
    join_targets(state, target)


def _matches(state: State, case: sx.Case, known: Poly | None, subject: Value) -> Condition | None:
    """When a case is taken; None for one with ``default``."""
    if None in case.labels:
        return None
    conditions: list[Condition] = []
    for label in case.labels:
        assert label is not None
        value = state.quietly(label)
        if known is not None and value is not None:
            conditions.append(compare(Comparison.EQ, known, value))
        else:
            name = subject.name if isinstance(subject, Register) else "switch"
            conditions.append(DataDependent(f"{name}=={value}", f"{name} == {value}", name))
    return disjunction(conditions)


def _run_arms(state: State, cases: Sequence[sx.Case], conditions: Sequence[Condition]) -> None:
    """Arms that exclude each other."""
    default = next((number for number, case in enumerate(cases) if None in case.labels), None)
    order = [number for number in range(len(cases)) if number != default]
    _run_chain(state, cases, conditions, order, default)


def _run_chain(state: State, cases: Sequence[sx.Case], conditions: Sequence[Condition], order: Sequence[int],
               default: int | None) -> None:  # fmt: skip
    if not order:
        if default is not None:
            run_sequence(state, cases[default].statements)
        return
    case, condition = cases[order[0]], conditions[order[0]]
    if isinstance(condition, Truth):
        if condition.holds:
            run_sequence(state, case.statements)
        else:
            _run_chain(state, cases, conditions, order[1:], default)
        return
    before = dict(state.environment)
    then_nodes, then_end = _arm(state, condition, case.statements)
    state.environment = dict(before)
    with state.guarded(negate(condition)) as else_nodes:
        _run_chain(state, cases, conditions, order[1:], default)
    else_end = None if state.terminated else state.environment
    state.terminated = then_end is None and else_end is None
    span = case.statements[0].span if case.statements else Span("", 0, 0)
    state.append_guard(condition, then_nodes, else_nodes, span)
    if then_end is not None and else_end is not None:
        join(state, condition, then_end, else_end, before)
    elif then_end is not None or else_end is not None:
        state.environment = then_end if then_end is not None else else_end or {}


def _run_falling(state: State, cases: Sequence[sx.Case], conditions: Sequence[Condition]) -> None:
    """Arms of which some fall into the next: each runs when it or one that falls into it is taken."""
    entered: Condition = Truth(False)
    for case, condition in zip(cases, conditions, strict=True):
        entered = disjunction((entered, condition))
        if case.statements:
            with _skips(state) as skips:
                branch(state, entered, case.statements, [], case.statements[0].span)
            if state.terminated:
                return
            entered = conjunction((entered, _none_of(state, skips)))
        if not case.falls_through:
            entered = Truth(False)
