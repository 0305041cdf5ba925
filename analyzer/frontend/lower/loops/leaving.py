"""What a loop leaves behind: the values of its variables, and the jumps out of it."""

from __future__ import annotations

from collections.abc import Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from ....ir.index import ONE, ZERO, Poly, const, unknown, var
from ....ir.nodes import (
    Condition,
    DataDependent,
    Node,
    Strided,
)
from ..choices.tables import arrays_of, in_table
from ..flow import Target as JumpTarget
from ..logic import negate
from ..names.bindings import (
    UNKNOWN_VALIDITY,
    Bindings,
    Either,
    Integer,
    Location,
    Pointer,
    may_be_null,
    with_last,
)
from ..state import State
from .context import LoopContext, Recognized
from .exits import Left
from .placeholders import (
    Moving,
    end_value,
)
from .ranges.late_starts import direction, note_moved
from .ranges.ways import Ends
from .shared.potentials import note_left


class Lowered(Struct, kw_only=True):
    """The result of lowering a loop, in terms of placeholders; ``leaves`` where the body always leaves the loop."""

    condition: Condition
    header: list[Node]
    body: list[Node]
    tested: Bindings
    ended: Bindings
    target: JumpTarget
    leaves: bool = False


def leave_values(state: State, lowered: Lowered, context: LoopContext, found: Recognized, left: Left | None) -> None:
    """Bind the values after the loop: those at the failing test, unknown where the loop may be left elsewhere.

    Where it is known when it is ``left`` by a ``break``, and with what, integers have either value.
    """
    state.flow.statement = context.span
    at_exit = lowered.ended if context.test_last else lowered.tested
    names, lefts = {item.name for item in context.moving}, left_in_the_middle(state, lowered, context.moving)
    left_elsewhere = lowered.target.exits or found.exits
    rows_follow = left_elsewhere and _leaves_between_iterations(state, lowered, context.moving)
    for item in context.moving:
        follows = not left_elsewhere or (rows_follow and item.of_table) or _stays(state, lowered, item)
        value = end_value(state, item, at_exit) if follows else None
        if value is not None and value.names() & names <= found.final.keys():
            value = value.substitute(found.final)
        if value is None or value.names() & names or value.unknowns():
            is_kept = item.entry is not None and not item.of_table and _stays(state, lowered, item)
            value = item.entry if is_kept and item.entry is not None else _lost(state, item)
            ends = (context.ends[item.name], *(each[item.name] for each in lefts))
            if item.pointer is None and item.entry is not None:
                note_moved(value, item.entry, direction(ends, item.name, state.symbols), state.symbols)
            note_left(context, item, value, ends, found.used_up)
            if left is not None and (either := _either_end(state, lowered, item, at_exit, found, left)) is not None:
                state.environment.bind(item.slot, either)
                continue
        if item.pointer is None:
            state.environment.bind(item.slot, Integer(value))
        else:
            _leave_pointer(state, lowered, item, value)


def left_in_the_middle(state: State, lowered: Lowered, moving: Sequence[Moving]) -> list[Ends]:
    """Return the values of placeholders wherever a jump leaves the loop."""
    return [{item.name: end_value(state, item, each) for item in moving} for each in lowered.target.left]


def leave_last_values(state: State, lowered: Lowered, context: LoopContext, found: Recognized) -> None:
    """Bind integers to their values after the last iteration of a loop whose number is known, and that is left nowhere.

    Each iteration gives them these, by its counter alone, whatever they are before.
    """
    loop = found.range
    if lowered.target.exits or found.exits or context.test_last or not isinstance(loop, Strided):
        return
    start, stop = (state.symbols.value_of(end) for end in (loop.start, loop.stop))
    if start is None or stop is None or (stop - start) * loop.step <= 0:
        return
    last = const(start + (stop - start - (1 if loop.step > 0 else -1)) // loop.step * loop.step)
    names = {item.name for item in context.moving} - {context.iterator}
    for item in context.moving:
        is_settled = item.pointer is None and end_value(state, item, lowered.tested) == var(item.name)
        value = end_value(state, item, lowered.ended) if is_settled and item.name != context.iterator else None
        if value is not None and not value.unknowns() and value.names().isdisjoint(names):
            state.environment.bind(item.slot, Integer(value.substitute({context.iterator: last})))


def _either_end(
    state: State, lowered: Lowered, item: Moving, at_exit: Bindings, found: Recognized, left: Left
) -> Integer | None:
    """Return the value of an integer after a loop that one ``break`` may leave; None where it is not known."""
    if item.pointer is not None or len(lowered.target.left) != 1 or lowered.target.jumps:
        return None
    names = found.values.keys()
    ends = (end_value(state, item, lowered.target.left[0]), end_value(state, item, at_exit))
    broken, ended = (
        None if end is None else end.substitute(values)
        for end, values in zip(ends, (left.values, found.final), strict=True)
    )
    if broken is None or ended is None or broken.unknowns() or ended.unknowns():
        return None
    if (broken.names() | ended.names()) & names:
        return None
    if {broken, ended} == {ZERO, ONE}:
        value = state.choice(item.slot.variable.name, left.taken, broken, ended, made=state.flow.statement)
        return Integer(value, left.taken if broken == ONE else negate(left.taken))
    return Integer(state.choice(item.slot.variable.name, left.taken, broken, ended, made=state.flow.statement))


def settle_jumps(state: State, lowered: Lowered, context: LoopContext, known: Left | None) -> None:
    """Give variables that no iteration changes their values where jumps out of the loop have left them.

    Where it is ``known`` when a jump is taken, what is behind runs under the opposite of that condition.
    """
    if known is not None and lowered.target.jumps:
        _settle_conditions(state, lowered.target.jumps, known)
    left = [environment for target in state.flow.targets for environment in target.environments]
    if lowered.target.exits:
        _lose_inside(state, left, {context.iterator, *(item.name for item in context.moving)})
    values = {
        item.name: item.entry
        for item in (context.moving if left else ())
        if item.entry is not None and not item.of_table and _stays(state, lowered, item)
    }
    for environment in left if values else ():
        for key, bound in environment.items():
            match bound:
                case Integer(value=value) if value.names() & values.keys():
                    environment[key] = Integer(value.substitute(values))
                case Pointer(target=Location() as target):
                    subscripts = tuple(each.substitute(values) for each in target.subscripts)
                    if subscripts != target.subscripts:
                        environment[key] = replace(bound, target=replace(target, subscripts=subscripts))


def _settle_conditions(state: State, jumps: Sequence[str], known: Left) -> None:
    """Put the condition of a jump out of a loop in place of its name, and the values that variables have there."""
    for target in state.flow.targets:
        for position, path in enumerate(target.skips):
            if any(isinstance(part, DataDependent) and part.name in jumps for part in path):
                target.skips[position] = tuple(
                    known.taken if isinstance(part, DataDependent) and part.name in jumps else part for part in path
                )
                environment = target.environments[position]
                for key, bound in environment.items():
                    if isinstance(bound, Integer) and bound.value.names() & known.values.keys():
                        environment[key] = Integer(bound.value.substitute(known.values))


def _lose_inside(state: State, environments: Sequence[Bindings], inside: Set[str]) -> None:
    """Leave numbers unknown that a handler outside of a loop has of its counters, where it is not known which."""
    caught = {target.caught for target in state.flow.targets}
    for environment in environments if caught != {None} else ():
        for (variable, path), bound in environment.items():
            if variable in caught and isinstance(bound, Integer) and not bound.value.names().isdisjoint(inside):
                environment[variable, path] = Integer(state.lost_by(variable, path))


def _leaves_between_iterations(state: State, lowered: Lowered, moving: Sequence[Moving]) -> bool:
    """Return whether, wherever the loop is left, pointers to one of several arrays are as before or after an iteration.

    They are assumed to be as after the last one then: buffers that change places are different ones in any case.
    """
    tables = [item for item in moving if item.of_table]
    ended = [end_value(state, item, lowered.ended) for item in tables]
    left = [[end_value(state, item, each) for item in tables] for each in lowered.target.left]
    return None not in ended and all(rows in (ended, [var(item.name) for item in tables]) for rows in left)


def _stays(state: State, lowered: Lowered, item: Moving) -> bool:
    """Return whether a variable has its value at entry wherever the loop is left."""
    ends = (lowered.tested, lowered.ended, *lowered.target.left)
    return all(end_value(state, item, left) == var(item.name) for left in ends)


def _lost(state: State, item: Moving) -> Poly:
    """Return a value that is not known after the loop."""
    name = item.slot.variable.name + item.slot.path
    return (
        unknown(state.symbols.label(name), state.flow.iterators(), variable=name)
        if item.of_table
        else state.lost_by(item.slot.variable, item.slot.path)
    )


def _leave_pointer(state: State, lowered: Lowered, item: Moving, value: Poly) -> None:
    """Bind a pointer after a loop, also to the arrays that it points at where the loop is left early."""
    assert item.pointer is not None
    location = item.pointer.target
    assert isinstance(location, Location)
    if item.of_table:
        bound = state.environment.get(item.slot)
        if isinstance(bound, Pointer) and isinstance(bound.target, Location) and bound.target.array == location.array:
            location = bound.target
        location = replace(location, subscripts=(value, *location.subscripts[1:]))
    else:
        location = with_last(location, value)
    others = [left.get(item.slot.key) for left in (*lowered.target.left, lowered.ended)]
    arrays = frozenset[str]().union(
        *(arrays_of(state.memory, other) for other in others[:-1] if isinstance(other, Pointer | Either))
    )
    if not arrays <= state.memory.members(location.array):
        location = in_table(state, location, arrays)
        row = unknown(state.symbols.label(item.slot.variable.name), state.flow.iterators())
        location = replace(location, subscripts=(row, *location.subscripts[1:]))
    is_valid = item.pointer.valid is None and not any(may_be_null(other) for other in others)
    state.environment.bind(item.slot, Pointer(location, valid=None if is_valid else UNKNOWN_VALIDITY))
