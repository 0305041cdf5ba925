"""Statements: sequences with skips, conditionals, switches, returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import assert_never

from msgspec.structs import replace

from ...ir.conditions import singles_out
from ...ir.index import Poly
from ...ir.names import is_temporary
from ...ir.nodes import Comparison, Condition, DataDependent, Guard, Jumps, Node, Statement, Truth
from ...ir.types import INT32
from ...ir.values import IndexValue, Opaque, Register, Value
from ...source import Span
from ..surface import nodes as sx
from ..surface.constants import constant_value
from ..surface.constructs import construct
from ..surface.traverse import walk
from ..surface.ways import is_chained, is_covered, jumps_of
from .choices.apart import Choice, choice_for, choice_of_ends, decide
from .decided import decided
from .emitter import Emitter
from .expressions.assignment import declare
from .expressions.calls.unknown import is_end
from .expressions.conversions import index_of, type_of
from .expressions.expression import discard
from .expressions.pointers import as_value
from .expressions.values.truth import chosen_number
from .flow import Flow, Target
from .inputs import TooLong
from .jumps import END, end_program, leave_loop, run_goto, run_return, run_throw
from .logic import ALWAYS, conjunction, disjunction, negate, none_of
from .loops.loop import lower_loop
from .loops.ranges.chosen_bounds import by_bound, by_call, by_number
from .loops.ranges.flattened import as_pairs
from .loops.written.source import LoopSource
from .merging import join, join_targets
from .names.bindings import Bindings
from .state import State

_LOOPS = (sx.For, sx.While, sx.Repeated)


def run_statement(state: State, statement: sx.Statement) -> None:
    """Lower one statement into the current block, for each object that its pointers may point at."""
    around, state.flow.statement = state.flow.statement, None if isinstance(statement, _LOOPS) else statement.span
    choice = choice_for(state, statement) or choice_of_ends(state, statement)
    if choice is not None:
        _run_apart(state, statement, choice)
    else:
        _run(state, statement)
    state.flow.statement = around


def _run(state: State, statement: sx.Statement) -> None:
    match statement:
        case sx.Block():
            run_sequence(state, statement.statements)
        case sx.Evaluate() if (choice_of_values := by_number(state, statement)) is not None:
            state.run(choice_of_values)
        case sx.Evaluate(expression=sx.Call(function=sx.THROW) as call):
            run_throw(state, call, statement.span)
        case sx.Evaluate():
            discard(state, statement.expression)
            if isinstance(statement.expression, sx.Call) and is_end(state, statement.expression):
                end_program(state, statement.span)
        case sx.Declare():
            choice_of_values = by_number(state, statement)
            declare(state, statement if choice_of_values is None else replace(statement, initial=None))
            if choice_of_values is not None:
                state.run(choice_of_values)
            state.emitter.index_operations = 0
        case sx.If():
            _run_if(state, statement)
        case sx.For():
            _run_for(state, statement)
        case sx.While(test_last=True) if constant_value(statement.condition) == 0:
            _run_once(state, statement)
        case sx.While():
            _run_while(state, statement)
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
            _run_opaque(state.emitter, statement)
        case _:
            assert_never(statement)


def _run_for(state: State, statement: sx.For) -> None:
    if statement.initial is not None:
        with state.emitter.capture() as nodes:
            state.run(statement.initial)
        state.emitter.block.extend(node for node in nodes if not _is_index_step(node))
    pairs = as_pairs(state, statement)
    if pairs is not None:
        _run_for(state, pairs)
        return
    arms = by_bound(state, statement) or by_call(state, statement)
    if arms is not None:
        state.run(arms)
        return
    source = LoopSource(
        condition=statement.condition,
        advance=statement.advance,
        body=statement.body,
        span=statement.span,
        pragmas=statement.pragmas,
    )
    lower_loop(state, source)


def _run_while(state: State, statement: sx.While) -> None:
    source = LoopSource(
        condition=statement.condition,
        body=statement.body,
        test_last=statement.test_last,
        span=statement.span,
        pragmas=statement.pragmas,
    )
    lower_loop(state, source)


def _is_index_step(node: Node) -> bool:
    return isinstance(node, Statement) and isinstance(node.target, Register) and isinstance(node.value, IndexValue)


def _run_opaque(emitter: Emitter, statement: sx.OpaqueStatement) -> None:
    emitter.report("AI206", statement.span, "statement", what=statement.what)
    emitter.emit(None, Opaque(statement.what, INT32, has_work=True), statement.span)


def _run_skippable(state: State, statement: sx.Skippable) -> None:
    around = state.target("label", label=statement.label)
    around.caught = None if statement.caught is None else statement.caught.variable
    with state.flow.inside(around) as target:
        state.run(statement.body)
    join_targets(state, target)


def _run_once(state: State, statement: sx.While) -> None:
    """Lower ``do { ... } while (0)``: a block that ``break`` and ``continue`` leave."""
    with state.flow.inside(state.target("once")) as target:
        state.run(statement.body)
    join_targets(state, target)


def _run_repeated(state: State, statement: sx.Repeated) -> None:
    """Lower an endless loop that ends where it does not jump to its label: mostly a ``do ... while``."""
    body = sx.Block((*statement.body.statements, sx.Goto(END + statement.label, statement.span)), statement.span)
    lower_loop(state, LoopSource(body=body, span=statement.span, label=statement.label))


def run_sequence(state: State, statements: Sequence[sx.Statement]) -> None:
    """Lower statements in order; after a conditional skip the rest runs under the opposite condition."""
    for position, statement in enumerate(statements):
        if state.flow.terminated:
            return
        if state.emitter.emitted > state.inputs.limits.nodes:
            state.emitter.report("AI208", statement.span, "too-large")
            rest = construct("rest-of-a-function", function=state.flow.frames[-1].function.name)
            state.emitter.emit(None, Opaque(rest, INT32, has_work=True), statement.span)
            return
        if state.emitter.emitted > state.inputs.limits.counted_nodes:
            _check_length(state)
        with _skips(state.flow) as skips:
            state.run(statement)
        if skips and not state.flow.terminated and position + 1 < len(statements):
            _run_rest(state, skips, statements[position + 1 :])
            return


def _check_length(state: State) -> None:
    """Raise :class:`TooLong` within the body of a function of another file, and within that of a summary."""
    own, *called = (frame.function for frame in state.flow.frames)
    is_summary = len(called) > 0 and state.flow.frames[1] is state.flow.frames[0]
    linked = next((function for function in called if function.is_linked and function.key != own.key), None)
    if linked is not None or is_summary:
        raise TooLong(own.key if linked is None else linked.key)


@contextmanager
def _skips(flow: Flow) -> Iterator[list[tuple[Condition, ...]]]:
    """Collect the conditions of the skips that the body of the ``with`` statement adds in this loop."""
    found: list[tuple[Condition, ...]] = []
    targets = _in_loop(flow)
    marks = [len(target.skips) for target in targets]
    yield found
    found.extend(skip for target, mark in zip(targets, marks, strict=True) for skip in target.skips[mark:])


def _in_loop(flow: Flow) -> Sequence[Target]:
    """Return the targets of the innermost loop, itself among them: a jump farther leaves it by an exit."""
    targets = flow.targets
    loops = [number for number, target in enumerate(targets) if target.kind == "loop"]
    return tuple(targets[loops[-1] :] if loops else targets)


def _run_rest(state: State, skips: list[tuple[Condition, ...]], rest: Sequence[sx.Statement]) -> None:
    remaining = _none_of(state.emitter, skips)
    if remaining == ALWAYS:
        run_sequence(state, rest)
        return
    with state.emitter.guarded(remaining) as nodes:
        run_sequence(state, rest)
    state.emitter.append_guard(remaining, nodes, [], rest[0].span)


def _none_of(emitter: Emitter, skips: Sequence[tuple[Condition, ...]]) -> Condition:
    """Return the condition that no skip was taken since the current block began."""
    depth = len(emitter.path)
    return none_of([skip[depth:] for skip in skips])


# --- conditionals --------------------------------------------------------------------------------------------------


def _run_if(state: State, statement: sx.If) -> None:
    condition = state.condition(statement.condition)
    state.emitter.index_operations = 0
    holds = decided(state.symbols, condition) if state.flow.steps else None
    if holds is not None:
        condition = Truth(holds)
    if isinstance(condition, Truth):
        chosen = statement.then if condition.holds else statement.orelse
        if chosen is not None:
            state.run(chosen)
        return
    if condition.depends_on_data:
        is_single = singles_out(condition, [*state.flow.iterators()])
        state.emitter.report_branch(condition, statement.span, "single" if is_single else "guarded")
    orelse = [] if statement.orelse is None else [statement.orelse]
    jumps = Jumps.CHAIN if is_chained(statement) else Jumps.NONE
    branch(state, condition, [statement.then], orelse, statement.span, jumps=jumps)


def branch(
    state: State,
    condition: Condition,
    then: Sequence[sx.Statement],
    orelse: Sequence[sx.Statement],
    span: Span,
    bound: tuple[Bindings, Bindings] | None = None,
    *,
    jumps: Jumps = Jumps.NONE,
) -> None:
    """Lower two arms, with what is ``bound`` in each of them, and join their environments."""
    before = state.environment.copied()
    first, second = bound or (before, before)
    state.environment.bindings = dict(first)
    then_nodes, then_end = _arm(state, condition, then)
    state.environment.bindings = dict(second)
    else_nodes, else_end = _arm(state, negate(condition), orelse)
    if jumps and else_nodes and isinstance(else_nodes[-1], Guard):
        else_nodes[-1] = replace(else_nodes[-1], jumps=jumps)
    state.emitter.append_guard(condition, then_nodes, else_nodes, span, jumps=jumps)
    if then_end is None and else_end is None:
        state.flow.terminated = True
    elif then_end is None or else_end is None:
        state.environment.bindings = else_end if then_end is None else then_end  # type: ignore[assignment] # one is not None
    else:
        join(state, condition, then_end, else_end, before)


def _run_apart(state: State, statement: sx.Statement, choice: Choice) -> None:
    """Lower a statement for what its pointers are bound to where a condition holds, and elsewhere."""
    state.flow.apart += 1
    branch(state, choice.condition, [statement], [statement], statement.span, (choice.then, choice.orelse))
    state.flow.apart -= 1


def _arm(state: State, condition: Condition, statements: Sequence[sx.Statement]) -> tuple[list[Node], Bindings | None]:
    """Return the nodes of an arm, and the environment at its end (None where the end is not reached).

    An arm that ends the program is taken not to run.
    """
    with state.emitter.guarded(condition) as nodes:
        decide(state, condition)
        run_sequence(state, statements)
    ended = None if state.flow.terminated else state.environment.bindings
    if state.flow.terminated and state.flow.abandoned:
        nodes = []
    state.flow.resume()
    return nodes, ended


# --- switch --------------------------------------------------------------------------------------------------------


def _run_switch(state: State, statement: sx.Switch) -> None:
    inner = (node for case in statement.cases for part in case.statements for node in walk(part))
    entered = next((node for node in inner if isinstance(node, sx.OpaqueStatement)), None)
    if entered is not None:  # it may be the label of a case within a loop, to which another value leads
        _run_opaque(state.emitter, entered)
    subject = as_value(state.evaluate(statement.subject))
    known = index_of(subject)
    known = chosen_number(state, statement.subject) if known is None else known
    if known is None and not (isinstance(subject, Register) and is_temporary(subject.name)):
        subject = state.emitter.temporary(subject, type_of(subject), statement.span)
    matches = [_matches(state, case, known, subject) for case in statement.cases]
    others = negate(disjunction(match for match in matches if match is not None))
    conditions = [others if match is None else match for match in matches]
    if any(condition.depends_on_data for condition in conditions):
        state.emitter.report("AI202", statement.span, "switch")
    state.emitter.index_operations = 0
    jumps = jumps_of(statement)
    with state.flow.inside(state.target("switch")) as target:
        if any(case.falls_through for case in statement.cases[:-1]):
            _run_falling(state, statement.cases, conditions, jumps)
        else:
            _run_arms(state, statement, conditions, jumps)
    join_targets(state, target)


def _matches(state: State, case: sx.Case, known: Poly | None, subject: Value) -> Condition | None:
    """Return the condition under which a case is taken; None for one with ``default``."""
    if None in case.labels:
        return None
    conditions: list[Condition] = []
    for label in case.labels:
        assert label is not None
        value = state.quietly(label)
        if known is not None and value is not None:
            conditions.append(state.compared(Comparison.EQ, known, value))
        else:
            name = subject.name if isinstance(subject, Register) else "switch"
            conditions.append(DataDependent(f"{name}=={value}", f"{name} == {value}", name))
    return disjunction(conditions)


def _run_arms(state: State, statement: sx.Switch, conditions: Sequence[Condition], jumps: Jumps) -> None:
    """Lower arms that exclude each other; the last one is taken in any other case where no value passes all."""
    cases = statement.cases
    default = next((number for number, case in enumerate(cases) if None in case.labels), None)
    if default is None and is_covered(statement):
        default = len(cases) - 1
    order = [number for number in range(len(cases)) if number != default]
    _run_chain(state, cases, conditions, order, default, jumps=jumps)


def _run_chain(state: State, cases: Sequence[sx.Case], conditions: Sequence[Condition], order: Sequence[int],
               default: int | None, *, jumps: Jumps) -> None:  # fmt: skip
    if not order:
        if default is not None:
            run_sequence(state, cases[default].statements)
        return
    case, condition = cases[order[0]], conditions[order[0]]
    if isinstance(condition, Truth):
        if condition.holds:
            run_sequence(state, case.statements)
        else:
            _run_chain(state, cases, conditions, order[1:], default, jumps=jumps)
        return
    before = state.environment.copied()
    then_nodes, then_end = _arm(state, condition, case.statements)
    state.environment.bindings = dict(before)
    with state.emitter.guarded(negate(condition)) as else_nodes:
        _run_chain(state, cases, conditions, order[1:], default, jumps=jumps)
    else_end = None if state.flow.terminated else state.environment.bindings
    state.flow.terminated = then_end is None and else_end is None
    span = case.statements[0].span if case.statements else Span("", 0, 0)
    state.emitter.append_guard(condition, then_nodes, else_nodes, span, jumps=jumps)
    if then_end is not None and else_end is not None:
        join(state, condition, then_end, else_end, before)
    elif then_end is not None or else_end is not None:
        state.environment.bindings = then_end if then_end is not None else else_end or {}


def _run_falling(state: State, cases: Sequence[sx.Case], conditions: Sequence[Condition], jumps: Jumps) -> None:
    """Lower arms of which some fall into the next: each runs when it or one that falls into it is taken."""
    entered: Condition = Truth(False)
    for case, condition in zip(cases, conditions, strict=True):
        entered = disjunction((entered, condition))
        if case.statements:
            with _skips(state.flow) as skips:
                branch(state, entered, case.statements, [], case.statements[0].span)
            last = state.emitter.block[-1] if state.emitter.block else None
            if isinstance(last, Guard):
                state.emitter.block[-1] = replace(last, jumps=jumps)
            if state.flow.terminated:
                return
            entered = conjunction((entered, _none_of(state.emitter, skips)))
        if not case.falls_through:
            entered = Truth(False)
