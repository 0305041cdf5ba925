"""Numbers of elements of the rows of containers of containers: what stores gave them, the newest first.

``g[i].resize(i + 1)`` gives the row at ``i`` ``i + 1`` elements; once a loop has gone through all rows, the row at any
position ``@row0`` has ``@row0 + 1``.  A row for which no store is certain to hold has a number that is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from ....ir.index import Poly, var
from ....ir.nodes import Condition
from .bindings import Slot

_MOST = 16  # stores to one container's rows that are held

RowKey: TypeAlias = tuple[str, int]
"""The array of the elements of rows, and its dimensions."""


class RowCount(Struct, frozen=True, kw_only=True):
    """The rows at some positions have ``count`` elements (None: not known), where the guards of ``path`` hold.

    In a dimension whose position is :func:`any_row` that is each.  A number that a loop changes is in a variable.  One
    that is ``open_elsewhere`` says nothing of the rows at its positions, and that the others are not known.
    """

    rows: tuple[Poly, ...]
    count: Poly | Slot | None
    path: tuple[Condition, ...] = ()
    open_elsewhere: bool = False

    @property
    def is_of_all(self) -> bool:
        """Return whether this is said of every row."""
        return all(row == any_row(level) for level, row in enumerate(self.rows))


RowCounts: TypeAlias = tuple[RowCount, ...]
"""The newest first; what none of them is said of is not there, or has nothing yet."""
AllRowCounts: TypeAlias = Mapping[RowKey, RowCounts]


def any_row(level: int) -> Poly:
    """Return what stands for every position in a dimension, in positions and in numbers of elements."""
    return var(f"@row{level}")


def of_all(levels: int, count: Poly | None) -> RowCount:
    """Return that every row has the same number of elements."""
    return RowCount(rows=tuple(map(any_row, range(levels))), count=count)


def matched(held: RowCount, rows: Sequence[Poly]) -> dict[str, Poly] | bool:
    """Return whether a number is said of a row: with what its names stand for; True: it may be."""
    found: dict[str, Poly] = {}
    is_open = False
    for level, (have, wanted) in enumerate(zip(held.rows, rows, strict=True)):
        if have == any_row(level):
            found[f"@row{level}"] = wanted
        elif have != wanted:
            if (have - wanted).constant is not None:
                return False
            is_open = True
    return True if is_open else found


def with_count(held: RowCounts | None, new: RowCount) -> RowCounts:
    """Return what is known after a row got another number of elements."""
    everything = of_all(len(new.rows), None)
    if any(row.unknowns() for row in new.rows):
        return (everything,)
    before = (everything,) if held is None else held
    after = (new,) if new.is_of_all else (new, *(each for each in before if each.rows != new.rows))
    return after if len(after) <= _MOST else (everything,)
