"""The body of a loop with placeholders for what it changes: lowered again until it changes nothing else.

A pointer that an iteration moves to another array, and rows of tables that it swaps, are known after one lowering; the
next has a table of these arrays in the placeholder.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ....ir.index import var
from ....ir.nodes import Condition, Node, Truth
from ...surface import nodes as sx
from ..choices.at_entry import default_pointer, slot_of
from ..expressions.pointers import forget_extent
from ..logic import ALWAYS
from ..merging import join_targets
from ..names.bindings import Bindings, Either, Key, Location, Pointer, Slot
from ..state import State
from .leaving import Lowered
from .placeholders import (
    Moving,
    Target,
    bind_placeholders,
    end_value,
    has_moved,
    iterator_facts,
    keeping_rows,
    retargeted,
    sizes_in,
)
from .rows import Prepared, prepare_rows
from .written.parts import lower_advance, lower_test
from .written.pragmas import Parallelism
from .written.source import LoopSource

_MOST_LOWERINGS = 3
"""Of a loop whose pointers change their arrays, each with those of the one before; others have no known row."""


def lower_until_followed(
    state: State,
    source: LoopSource,
    changed: list[sx.Variable],
    guess: sx.Variable | None,
    iterator: str,
    parallel: Parallelism,
) -> tuple[list[Moving], Lowered]:
    """Lower the parts of a loop; again with tables of the arrays among which its pointers change in an iteration."""
    before, taken = state.environment.copied(), set(state.symbols.taken)
    allocated = frozenset(state.memory.allocated)
    effects = state.effects(source.condition, source.advance, source.body)
    resizes, members = effects.resizes, frozenset(effects.members)
    emitted, inlined, counts = state.emitter.emitted, state.flow.inlined, dict(state.memory.counts)
    summarized, diagnostics = state.flow.summarized, dict(state.emitter.diagnostics)
    targets: dict[Key, Target] = {}
    placeholders: dict[Key, str] = {}
    prepared: Prepared = {}
    tested = frozenset() if source.condition is None else state.inputs.effects.variables_in(source.condition)
    asked, state.memory.rows_read = state.memory.rows_read, set()
    for left in reversed(range(_MOST_LOWERINGS)):
        moving = bind_placeholders(
            state, changed, guess, iterator, targets, names=placeholders, resizes=resizes, members=members
        )
        lowered = _lower_parts(state, source, iterator, moving, parallel)
        found = retargeted(state, moving, before, lowered.ended)
        moved = has_moved(moving, lowered.ended, targets)
        names, known = {item.name for item in moving}, {**counts, **prepared}
        rows = prepare_rows(state, known, iterator, names, before, lowered.ended, prepared) if left else {}
        fixed = _unmoved(state, moving, lowered) if left else set()
        keep = keeping_rows(state, moving, tested, lowered.ended) - found.keys()
        resized = [] if fixed and left == _MOST_LOWERINGS - 1 else _resized(state, before, moving, lowered)
        if not (found or moved or rows or fixed or keep or resized) or not left:
            break
        changed[:] = [variable for variable in changed if variable not in fixed]
        for key, target in found.items():
            earlier = targets.get(key, Target())
            targets[key] = Target(target.arrays | earlier.arrays, target.stays)
        targets |= {key: replace(targets.get(key, Target()), keeps_row=True) for key in keep}
        if moved:
            targets = {key: replace(target, stays=False) for key, target in targets.items()}
        sizes = (each.count.variable for held in rows.values() for each in held if isinstance(each.count, Slot))
        others = (*sizes, *resized, *(each for each, _ in found))
        changed += [variable for variable in others if variable not in changed]
        prepared |= rows
        state.environment.bindings, state.symbols.taken = dict(before), set(taken)
        state.memory.counts = {**counts, **prepared}
        for name in state.memory.allocated - allocated:
            forget_extent(state.memory, name)
        state.memory.allocated &= allocated
        state.emitter.emitted, state.flow.inlined, state.flow.summarized = emitted, inlined, summarized
        state.emitter.diagnostics = dict(diagnostics)
        for key in found.keys() - before.keys():
            bound = lowered.ended[key]
            assert isinstance(bound, Pointer | Either)
            slot = slot_of(key, bound)
            state.environment.bind(slot, default_pointer(state, slot))
    state.memory.rows_read |= asked
    return moving, lowered


def _resized(state: State, before: Bindings, moving: Sequence[Moving], lowered: Lowered) -> list[sx.Variable]:
    """Return the numbers of elements, taken to be those before the loop, that an iteration changes: by assignments."""
    known = {item.slot.variable for item in moving}
    sizes = ((each, (each, "")) for each in state.memory.sizes.values() if each not in known)
    return [each for each, key in sizes if key in before and lowered.ended.get(key) != before[key]]


def _unmoved(state: State, moving: Sequence[Moving], lowered: Lowered) -> set[sx.Variable]:
    """Return the variables that a loop turned out to leave as they are, and on which numbers depend.

    They do where conditions on integers choose numbers, where a pointer leads to elements that are known, and where
    memory that the loop allocates has a size.  A container that stays where it is and gets more elements is not left
    as it is.
    """
    still = {
        item.name: item.slot.variable
        for item in moving
        if item.entry is not None and end_value(state, item, lowered.ended) == var(item.name)
    }
    chosen = {name for condition, _, _ in state.chosen_by_sizes.values() for name in condition.names}
    chosen |= {item.name for item in moving if _leads_to_known(state, item)} | state.memory.sized_by
    left = {item.slot.variable for item in moving if item.name not in still}
    found = {still[name] for name in chosen & still.keys()} - left
    return {each for each in found if left.isdisjoint(slot.variable for slot in sizes_in(state, each))}


def _leads_to_known(state: State, item: Moving) -> bool:
    """Return whether a pointer is to an array of which elements are known."""
    location = None if item.pointer is None else item.pointer.target
    known = (state.inputs.forms, state.inputs.given_arrays, state.inputs.elements)
    return isinstance(location, Location) and any(location.array in arrays for arrays in known)


def _lower_parts(
    state: State, source: LoopSource, iterator: str, moving: list[Moving], parallel: Parallelism
) -> Lowered:
    outer, state.flow.collapse = state.flow.collapse, (parallel.mapping, parallel.loops - 1, parallel.lanes)
    condition: Condition = ALWAYS
    header: list[Node] = []
    if source.condition is not None and not source.test_last:
        condition, header = lower_test(state, source.condition)
    tested = state.environment.copied()
    target = state.target("loop", iterator=iterator, line=state.emitter.position(source.span).line, label=source.label)
    state.flow.loops.append(iterator_facts(state, source, iterator, moving, condition))
    effects = state.effects(source.condition, source.advance, source.body)
    state.flow.loops[-1].frees = effects.frees
    state.flow.loops[-1].written = state.environment.arrays_behind(effects.storage)
    state.flow.loops[-1].started = frozenset(
        item.name
        for item in moving
        if item.pointer is None and item.entry is not None and item.entry.constant is not None
    )
    with state.flow.inside(target), state.emitter.capture() as body:
        state.run(source.body)
        join_targets(state, target)
        if source.advance is not None and not state.flow.terminated:
            body.extend(lower_advance(state, source.advance))
        if source.test_last and source.condition is not None:
            condition = Truth(False)
            if not state.flow.terminated:
                condition, tests = lower_test(state, source.condition)
                body.extend(tests)
    state.flow.collapse = outer
    state.flow.loops.pop()
    leaves = state.flow.terminated
    state.flow.resume()
    ended = state.environment.copied()
    return Lowered(
        condition=condition, header=header, body=body, tested=tested, ended=ended, target=target, leaves=leaves
    )
