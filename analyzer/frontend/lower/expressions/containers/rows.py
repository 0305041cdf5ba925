"""Numbers of elements of the rows of containers of containers, as statements read and change them."""

from __future__ import annotations

from .....ir.index import ZERO, Poly, const
from .....ir.types import ElementType, ScalarType
from ....surface import nodes as sx
from ...names.bindings import Integer, Location, Slot
from ...names.row_counts import RowCount, RowCounts, RowKey, any_row, matched, of_all, with_count
from ...state import State

COUNTER = sx.ScalarT(ElementType(ScalarType.INT64))


def key_of(elements: Location) -> RowKey:
    """Return the container whose row has these elements."""
    return elements.array, len(elements.subscripts)


def count_of_row(state: State, elements: Location) -> Poly | None:
    """Return the number of elements of a row; None where it is not known."""
    state.memory.rows_read.add(key_of(elements))
    return count_at(state, key_of(elements), elements.subscripts[:-1])


def count_at(state: State, key: RowKey, rows: tuple[Poly, ...]) -> Poly | None:
    """Return the number of elements of the row at some positions: the only one that it may have, else None."""
    found: set[Poly] = set()
    numbered: set[tuple[Poly, ...]] = set()
    for held in state.memory.counts.get(key, ()):
        fits = matched(held, rows)
        if fits is False and not held.open_elsewhere:
            numbered.add(held.rows)
            continue
        count = held.count if isinstance(held.count, Poly | None) else _value(state, held.count)
        if held.open_elsewhere and fits is not False and fits is not True:
            continue
        if held.open_elsewhere or count is None or list(held.path) != state.emitter.path[: len(held.path)]:
            return None
        if not isinstance(fits, bool):
            found.add(count.substitute(fits))
            return found.pop() if len(found) == 1 else None
        if any(name.startswith("@row") for name in count.names()):
            return None
        found.add(count)
        numbered.add(held.rows)
    every = _known_count(state, key)
    return found.pop() if len(found) == 1 and every is not None and every == const(len(numbered)) else None


def _value(state: State, slot: Slot) -> Poly | None:
    bound = state.environment.get(slot)
    return bound.value if isinstance(bound, Integer) and not bound.value.unknowns() else None


def _known_count(state: State, key: RowKey) -> Poly | None:
    """Return how many rows a container has, where it is no row itself and that is known."""
    return number_of_rows(state, key, ()) if key[1] == 2 else None


def number_of_rows(state: State, key: RowKey, outer: tuple[Poly, ...]) -> Poly | None:
    """Return how many rows a container has, or the row of one at some positions; None where that is not known."""
    array, dimensions = key
    level = len(outer) + 1
    owner = array.removesuffix("[]" * (dimensions - level))
    if level > 1:
        return count_at(state, (owner, level), outer)
    variable = state.memory.sizes.get(owner)
    return None if variable is None else _value(state, Slot(variable, COUNTER))


def note_row(state: State, elements: Location, count: Poly | None) -> None:
    """Hold the number of elements of a row.

    Rows that are appended to a container without any have one number where all are given the same.
    """
    key, rows = key_of(elements), elements.subscripts[:-1]
    held = state.memory.counts.get(key)
    if count is not None and count.unknowns():
        count = None
    everywhere = of_all(len(rows), count)
    if count is not None and held in ((), (everywhere,)) and count.names() <= state.symbols.known.keys():
        state.memory.counts[key] = (everywhere,)
        return
    store_count(state, key, held, RowCount(rows=rows, count=count, path=tuple(state.emitter.path)))


def store_count(state: State, key: RowKey, held: RowCounts | None, new: RowCount) -> None:
    """Put a number of elements before those held: into the variable that stands for it, where one does."""
    first = held[0] if held else None
    if first is not None and (first.rows, first.path) == (new.rows, new.path) and isinstance(first.count, Slot):
        lost = state.lost(first.count.variable.name) if new.count is None else new.count
        assert isinstance(lost, Poly)
        assert held is not None
        state.environment.bind(first.count, Integer(lost))
        state.memory.counts[key] = held
    else:
        state.memory.counts[key] = with_count(held, new)


def note_no_rows(state: State, elements: Location) -> None:
    """Note that a container has no rows."""
    if isinstance(elements.type, sx.PointerT) and elements.type.owns:
        state.memory.counts[f"{elements.array}[]", len(elements.subscripts) + 1] = ()


def note_empty_rows(state: State, rows: Location, *, are_new: bool) -> None:
    """Note that the rows of a container start without elements; those that it had before keep theirs.

    ``are_new`` where it had none before.
    """
    key, levels = key_of(rows), len(rows.subscripts) - 1
    held, empty = state.memory.counts.get(key, ()), of_all(levels, ZERO)
    made = RowCount(rows=(*rows.subscripts[:-2], any_row(levels - 1)), count=ZERO, path=tuple(state.emitter.path))
    if not are_new and held not in ((), (empty,)):
        state.memory.counts[key] = (of_all(levels, None),)
    elif made.is_of_all:
        state.memory.counts[key] = (empty,)
        note_no_rows(state, rows)
    elif held != (empty,):
        store_count(state, key, held, made)
        note_no_rows(state, rows)


def lose_rows(state: State, elements: Location) -> None:
    """Let the rows of a container have any numbers of elements."""
    for key in state.memory.counts:
        if key[0].startswith(f"{elements.array}[]"):
            state.memory.counts[key] = (of_all(key[1] - 1, None),)
