"""Loops: bind the changed variables to placeholders, lower the body, then find iterator, range and closed forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from ....diagnostics import Phrase
from ....given_values import trip_of_line
from ....ir.index import ONE, ZERO
from ....ir.names import is_temporary
from ....ir.nodes import Condition, Exit, Geometric, Guard, Loop, Node, Statement, Strided, Truth
from ....ir.traverse import accesses_in, all_nodes
from ....ir.values import Access, Opaque, Register, Value, walk_values
from ...surface import nodes as sx
from ...surface.constructs import construct
from ..decided import has_uncounted
from ..expressions.tables import takes_from_table
from ..functions.recursion import is_loop_of_calls
from ..functions.short_tables import may_decide
from ..logic import ALWAYS, negate
from ..merging import join
from ..names.bindings import Integer
from ..rewrite import Rewriter
from ..state import Checkpoint, State
from .calls import size_of_calls
from .context import LoopContext, Recognized
from .emission import emit_loop
from .exits import only_exit
from .fixed_point import lower_until_followed
from .followed.digits import digits
from .followed.ended_inside import ended_inside
from .followed.real_counter import real_counter
from .followed.walk import walk
from .leaving import Lowered, leave_last_values, leave_values, left_in_the_middle, settle_jumps
from .placeholders import Moving, changed_variables, end_value
from .ranges.bisection import bisection
from .ranges.ends import add_unknowns
from .recognition import recognize, uncounted
from .rows import settle_rows
from .shared.counted_inside import counted_inside
from .shared.paths import note_falling
from .shared.placing import share
from .shared.potentials import note_distances
from .steps import steps_of
from .stepwise import (
    MOST_ITERATIONS,
    MOST_STEPS,
    Wanted,
    bind_by_steps,
    has_open_conditions,
    run_stepwise,
)
from .written.mapping import mapping_of
from .written.source import LoopSource, guessed_iterator, may_wrap, tested_inside


def lower_loop(state: State, source: LoopSource) -> None:
    """Lower a loop into the current block; the environment afterwards holds the final values."""
    source = tested_inside(source, state.effects)
    before, sizes = state.environment.copied(), frozenset(state.symbols.known)
    effects = state.effects(source.condition, source.advance, source.body)
    changed = changed_variables(state, effects)
    if takes_from_table(state, source.body, changed) and run_stepwise(state, source, changed):
        return
    guess = guessed_iterator(state, source, changed)
    iterator = _iterator_name(state, source, guess)
    parallel = mapping_of(state, source, starts=bool(effects.threads))
    start = state.checkpoint()
    moving, lowered = lower_until_followed(state, source, changed, guess, iterator, parallel)
    state.environment.bindings = dict(before)
    if lowered.condition == Truth(False) and not source.test_last:
        state.symbols.taken.discard(iterator)
        state.memory.counts = dict(start.counts)
        return
    is_of_tables = _is_of_tables(state, lowered.body, {iterator, *(item.name for item in moving)})
    test_last = source.test_last if lowered.leaves else _take_inner_test(lowered, iterator, source.test_last)
    context = LoopContext(
        emitter=state.emitter,
        symbols=state.symbols,
        loops=state.flow.loops,
        condition=lowered.condition,
        test_last=test_last,
        moving=moving,
        ends={item.name: end_value(state, item, lowered.ended) for item in moving},
        iterator=iterator,
        span=source.span,
        may_wrap=may_wrap(source, starts_at_number=_starts_at_number(moving, iterator)),
    )
    found = _runs_once(state, context) if lowered.leaves else recognize(context)
    if any(
        _is_run_instead(state, source, changed, start, wanted)
        for wanted in _wanted(state, found, lowered, is_of_tables)
    ):
        return
    found = found or _in_other_ways(state, source, context, lowered)
    note_falling(context)
    share(state, context, lowered.body, found)
    emit_loop(state, lowered, context, found, parallel)
    left = only_exit(lowered.body, found, iterator, state.is_nonnegative) if lowered.target.exits == 1 else None
    settle_jumps(state, lowered, context, left)
    leave_values(state, lowered, context, found, left)
    leave_last_values(state, lowered, context, found)
    if state.flow.loops:
        note_distances(context, found.used_up, left_in_the_middle(state, lowered, context.moving))
    if found.guard != ALWAYS:
        join(state, found.guard, state.environment.bindings, before, before)
    names = frozenset(item.name for item in moving)
    left_early = lowered.target.exits or found.exits
    settle_rows(state, start.counts, iterator, names, None if left_early else found)
    if _is_short(state, found, lowered.body) or _is_short_in_thread(state, found):
        bind_by_steps(state, source, changed, before, sizes)


def _in_other_ways(state: State, source: LoopSource, context: LoopContext, lowered: Lowered) -> Recognized:
    """Return a loop that no counter of its own counts: followed, bounded by what is inside, or by a symbol."""
    return (
        _followed(state, source, context, lowered)
        or counted_inside(state, source, context, lowered.body)
        or ended_inside(state, context, lowered)
        or _uncounted(state, context, lowered.body)
    )


def _starts_at_number(moving: Sequence[Moving], iterator: str) -> bool:
    entries = (item.entry for item in moving if item.name == iterator)
    return any(entry is not None and entry.constant is not None for entry in entries)


def _wanted(state: State, found: Recognized | None, lowered: Lowered, is_of_tables: bool) -> Iterator[Wanted]:
    """Yield what iterations, one by one, may tell of a loop that is not found, or of one with few iterations."""
    if found is None:
        yield Wanted.END
        return
    if is_of_tables and not _has_many_iterations(state, found):
        yield Wanted.END
    if _may_be_settled(state, found, lowered):
        yield Wanted.SETTLED
    if _may_be_counted(state, found, lowered.body):
        yield Wanted.COUNTED


def _is_of_tables(state: State, body: Sequence[Node], moving: Set[str]) -> bool:
    """Return whether a body stores in, or takes its way by, elements that are followed one by one."""
    return (
        _stores_in(state.inputs.short | state.memory.followed, body)
        or _is_of_containers(state, body)
        or may_decide(state.inputs.elements, body, moving)
    )


def _is_short(state: State, found: Recognized, body: Sequence[Node]) -> bool:
    """Return whether a loop inside of no other has so few iterations that they may run one by one.

    Those that refer to memory, whatever conditions say, are fewer.  Where the user gives arrays, their elements decide
    what it does.
    """
    if isinstance(found.range, Strided) and not state.flow.loops and not state.inputs.given_arrays:
        most = MOST_ITERATIONS if any(True for _ in accesses_in(_in_any_case(body))) else MOST_STEPS
        return _has_at_most(state, found.range, most) is True
    return False


def _in_any_case(body: Sequence[Node]) -> list[Node]:
    """Return the statements that each iteration executes."""
    found: list[Node] = []
    for node in body:
        if isinstance(node, Statement):
            found.append(node)
        elif isinstance(node, Loop):
            found += _in_any_case(node.body)
    return found


def _is_short_in_thread(state: State, found: Recognized) -> bool:
    """Return whether a loop that a thread of a kernel runs inside of no other has few iterations."""
    if not state.emitter.in_kernel or not all(loop.of_grid for loop in state.flow.loops) or state.inputs.given_arrays:
        return False
    return _has_few_iterations(state, found)


def _may_be_settled(state: State, found: Recognized, lowered: Lowered) -> bool:
    """Return whether few iterations, one by one, may tell what integers that are not followed decide in the loop."""
    is_open = lowered.target.exits or found.exits or has_open_conditions(lowered.body)
    return bool(is_open) and _is_short(state, found, lowered.body)


def _may_be_counted(state: State, found: Recognized, body: Sequence[Node]) -> bool:
    """Return whether few iterations, one by one, may tell how often loops inside run: as sizes change in each.

    Where the user gives arrays, their averages do.
    """
    if state.inputs.given_arrays or not has_uncounted(body):
        return False
    return _has_few_iterations(state, found)


def _has_few_iterations(state: State, found: Recognized) -> bool:
    if isinstance(found.range, Strided):
        return _has_at_most(state, found.range, MOST_ITERATIONS) is True
    return isinstance(found.range, Geometric)


def _has_many_iterations(state: State, found: Recognized) -> bool:
    """Return whether a loop with references is known to have more iterations than are run one by one."""
    return isinstance(found.range, Strided) and _has_at_most(state, found.range, MOST_ITERATIONS) is False


def _has_at_most(state: State, strided: Strided, iterations: int) -> bool | None:
    """Return whether a loop has at most so many iterations, None where their number is not known."""
    count = state.symbols.value_of(strided.stop - strided.start)
    return None if count is None else abs(count) <= iterations * abs(strided.step)


def _is_run_instead(
    state: State,
    source: LoopSource,
    changed: list[sx.Variable],
    start: Checkpoint,
    wanted: Wanted = Wanted.END,
) -> bool:
    """Return whether a loop runs step by step, as if it had not been lowered otherwise since ``start``."""
    after = state.checkpoint()
    state.restore(start)
    if run_stepwise(state, source, changed, wanted):
        return True
    state.restore(after)
    return False


def _has_lost(body: Sequence[Node]) -> bool:
    """Return whether something in a body is not understood."""
    values = (node.value for node in all_nodes(body) if isinstance(node, Statement))
    return any(isinstance(value, Opaque) and value.has_work for value in values)


def _stores_in(arrays: frozenset[str], body: Sequence[Node]) -> bool:
    """Return whether a body stores in one of some arrays."""
    targets = (node.target for node in all_nodes(body) if isinstance(node, Statement)) if arrays else ()
    return any(isinstance(target, Access) and target.array in arrays for target in targets)


def _is_of_containers(state: State, body: Sequence[Node]) -> bool:
    """Return whether a body takes one of a few containers that are followed apart: elements of another, ``g[1]``.

    It may also make them take over others (``g[i] = std::move(v)``) so that their numbers of elements are lost.
    """
    rows = {array for array in state.memory.sizes if array.endswith("]")}
    if _stores_in(frozenset(row.rpartition("[")[0] for row in rows), body) and _has_lost(body):
        return True
    tables = (state.memory.tables.get(access.array, frozenset()) for access, _ in accesses_in(body)) if rows else ()
    return any(not members.isdisjoint(rows) for members in tables)


def _followed(state: State, source: LoopSource, context: LoopContext, lowered: Lowered) -> Recognized | None:
    """Return the loop over the calls of a recursive function whose size is followed, or over parts of an interval.

    Or one that a real number counts, or over the digits of a number.  None for any other, and but for calls where the
    trip count is given: the number of calls that is given is the mean of what data decide in each of them.
    """
    function = state.flow.frames[-1].function if state.flow.frames else None
    if function is None or not is_loop_of_calls(function) or lowered.target.exits:
        if context.is_trip_count_given():
            return None
        return (
            real_counter(state, source, context)
            or bisection(state, source, context)
            or walk(state, source, context)
            or digits(context)
        )
    trip = context.trip_symbol()
    found = size_of_calls(function, state.inputs.unit.functions, lowered.body, context.moving, context.iterator, trip)
    if found is None:
        state.symbols.taken.discard(trip)
        return None
    lowered.body = list(found.body)
    values = dict(found.values)
    add_unknowns(context, values)
    return Recognized(found.range, values)


def _uncounted(state: State, context: LoopContext, body: Sequence[Node]) -> Recognized:
    """Return a loop whose trip count is a symbol; one over the calls of a recursive function is reported as such."""
    function = state.flow.frames[-1].function if state.flow.frames else None
    if function is not None and is_loop_of_calls(function):
        what, symbol = construct("call", function=function.name), trip_of_line(function.span.line)
        for node in all_nodes(body):
            if isinstance(node, Statement) and any(_is(what, value) for value in walk_values(node.value)):
                state.emitter.report("AI207", node.span, "repeated", function=function.name, symbol=symbol)
    return uncounted(context, steps_of(context, body))


def _is(what: Phrase, value: Value) -> bool:
    return isinstance(value, Opaque) and value.what == what


def _iterator_name(state: State, source: LoopSource, guess: sx.Variable | None) -> str:
    """Return a name for the iterator; the name of a variable that is not bound is also that of its value at entry."""
    if guess is None:
        return state.symbols.unique(f"L{source.span.line}")
    bound = state.environment.bindings.get((guess, ""))
    if isinstance(guess.type, sx.ScalarT) and not isinstance(bound, Integer):
        state.symbols.reserve(guess.name)
    return state.symbols.unique(guess.name)


def _take_inner_test(lowered: Lowered, iterator: str, test_last: bool) -> bool:
    """Make ``if (c) break;`` at the top or the end of an endless loop its condition; whether it is tested last."""
    if lowered.condition != ALWAYS or not lowered.body:
        return test_last
    numbered = enumerate(lowered.body)
    first = next((at for at, node in numbered if not isinstance(node, Statement) and not _is_test(node)), None)
    for number in dict.fromkeys((first, len(lowered.body) - 1)):
        node = None if number is None else lowered.body[number]
        if not isinstance(node, Guard) or node.orelse or len(node.body) != 1 or not isinstance(node.body[0], Exit):
            continue
        before = lowered.body[:number]
        at_top = number == first and all(_is_test(statement) for statement in before)
        if node.body[0].loop != iterator or not (at_top or number == len(lowered.body) - 1):
            continue
        lowered.condition = negate(node.condition)
        del lowered.body[number or 0]
        lowered.target.exits -= 1
        if at_top:
            lowered.header, lowered.body = before, lowered.body[len(before) :]
        return not at_top
    return test_last


def _is_test(node: Node) -> bool:
    """Return whether a node computes a number for a test, as a loop over integers in registers does."""
    if isinstance(node, Loop):
        inner = [each for each in all_nodes([node]) if isinstance(each, Statement | Exit)]
        is_alone = all(isinstance(each, Statement) and isinstance(each.target, Register) for each in inner)
        return is_alone and not any(True for _ in accesses_in([node]))
    return isinstance(node, Statement) and isinstance(node.target, Register) and is_temporary(node.target.name)


def _runs_once(state: State, context: LoopContext) -> Recognized:
    """Return a loop whose body always leaves it: its condition is a guard, and everything has its value at entry."""
    entries = {
        item.name: state.lost(item.slot.variable.name) if item.entry is None else item.entry for item in context.moving
    }
    statements: list[Statement] = []
    condition: Condition = ALWAYS
    if not context.test_last:
        rewriter = Rewriter(state.emitter, state.symbols, entries)
        condition = rewriter.condition(context.condition, statements, context.span)
    state.emitter.block.extend(statements)
    return Recognized(Strided(ZERO, ONE), entries, guard=condition)
