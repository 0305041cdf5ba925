"""Numbers of elements of rows that a loop changes: before its body is lowered again, and after the loop."""

from __future__ import annotations

from collections.abc import Set

from msgspec.structs import replace

from ....ir.index import ZERO, Poly, maximum, var
from ....ir.nodes import Strided
from ....source import NO_SPAN
from ...surface import nodes as sx
from ..expressions.containers.rows import COUNTER, count_at, number_of_rows, store_count
from ..logic import ALWAYS
from ..names.bindings import Bindings, Integer, Slot
from ..names.row_counts import AllRowCounts, RowCount, RowCounts, RowKey, any_row, of_all
from ..state import State
from .context import Recognized

Prepared = dict[RowKey, RowCounts]


def prepare_rows(
    state: State,
    start: AllRowCounts,
    iterator: str,
    moving: Set[str],
    before: Bindings,
    ended: Bindings,
    prepared: Prepared,
) -> Prepared:
    """Return what holds of rows at the top of any iteration, where the body reads numbers of elements that it changes.

    A row of its own in each iteration has what it had before the loop.  The number of elements of one that is the same
    in all of them is a variable, which is bound in ``before``.  Nothing is known of others.  What is ``prepared`` is
    left out.
    """
    last, state.memory.counts = state.memory.counts, dict(start)
    found: Prepared = {}
    for key, held in last.items():
        known, unknown = start.get(key), (of_all(key[1] - 1, None),)
        if not known or key not in state.memory.rows_read or prepared.get(key) == unknown:
            continue
        if held == known:
            sizes = (each.count.key for each in known if isinstance(each.count, Slot))
            if key not in prepared and any(before.get(size) != ended.get(size) for size in sizes):
                found[key] = known
            continue
        store = _only_store(state, held, known)
        if key in prepared and store is not None and known[0].open_elsewhere and known[0].rows == store.rows:
            continue
        found[key] = unknown
        if store is None or key in prepared:
            continue
        if any(row.coefficient(iterator).constant for row in store.rows):
            found[key] = (RowCount(rows=store.rows, count=None, open_elsewhere=True), *known)
        elif all(row.names().isdisjoint(moving | {iterator}) for row in store.rows):
            at_entry = count_at(state, key, store.rows)
            if at_entry is not None:
                size = Slot(sx.Variable(f"{key[0]}.size", COUNTER, sx.Storage.LOCAL, NO_SPAN), COUNTER)
                before[size.key] = Integer(at_entry)
                found[key] = (replace(store, count=size), *known)
    state.memory.counts = last
    return found


def _only_store(state: State, held: RowCounts, before: RowCounts) -> RowCount | None:
    """Return the only change of numbers of elements since before a loop, if each iteration makes it; else None."""
    new = [each for each in held if each not in before and not each.open_elsewhere]
    stores = [each for each in new if each.count is not None or not each.is_of_all]
    return stores[0] if len(stores) == 1 and list(stores[0].path) == state.emitter.path else None


def settle_rows(state: State, start: AllRowCounts, iterator: str, moving: Set[str], found: Recognized | None) -> None:
    """Say after a loop what holds of rows that it has changed; ``found`` is None where it may be left early."""
    for key, held in state.memory.counts.items():
        before = start.get(key)
        if held == before:
            continue
        unknown = of_all(key[1] - 1, None)
        store = _only_store(state, held, before or ())
        after = None if store is None else _after_loop(state, key, store, iterator, moving, found, before == ())
        store_count(state, key, before, unknown if after is None else after)


def _after_loop(
    state: State,
    key: RowKey,
    store: RowCount,
    iterator: str,
    moving: Set[str],
    found: Recognized | None,
    is_first: bool,
) -> RowCount | None:
    """Return what holds after a loop that has made one change in each iteration, None where that is not known."""
    count = store.count
    if isinstance(count, Slot):
        final = state.environment.get(count)
        value = final.value if isinstance(final, Integer) and not final.value.unknowns() else None
        return replace(store, count=value)
    if count is None or found is None:
        return None
    count = count.substitute(found.values)
    rows = tuple(row.substitute(found.values) for row in store.rows)
    names = {name for poly in (*rows, count) for name in poly.names()}
    if names & (moving - {iterator}):
        return None
    if store.is_of_all:
        return store if is_first and iterator not in names else None
    levels = [level for level, row in enumerate(rows) if iterator in row.names()]
    if not levels:
        return None if iterator in names else RowCount(rows=rows, count=None)  # it may not have run
    level = levels[0]
    shift = rows[level] - var(iterator)
    if len(levels) > 1 or iterator in shift.names() or not _runs_through(state, key, rows[:level], shift, found):
        return None
    position = any_row(level)
    rows = (*rows[:level], position, *rows[level + 1 :])
    return RowCount(rows=rows, count=count.substitute({iterator: position - shift}))


def _runs_through(state: State, key: RowKey, outer: tuple[Poly, ...], shift: Poly, found: Recognized) -> bool:
    """Return whether the iterations of a loop are all rows of a container."""
    span = found.range
    if not isinstance(span, Strided) or span.step != 1 or found.guard != ALWAYS or found.takes_place != ALWAYS:
        return False
    number = number_of_rows(state, key, outer)
    last = span.stop + shift
    return span.start + shift == ZERO and number is not None and number in (last, maximum([ZERO, last]))
