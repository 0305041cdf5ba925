"""Rows that start where data says (``val[rowptr[i] + k]``, compressed sparse rows): assumed to follow each other.

That is taken of a row that ends where the next one starts, given its average length, and of rows of one length that
are as many as fill the array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....ir.index import Poly, Unknown, var
from ....ir.nodes import Array, elements_of
from ..program import CountedLoop


class PackedRows:
    """The lengths of rows, by the depth of the loop over one, and how many elements the arrays have."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        """Start without lengths."""
        self._elements: Mapping[str, int] = {array.name: count for array in arrays if (count := elements_of(array))}
        self._lengths: dict[int, int] = {}

    def measured(self, depth: int, length: int) -> None:
        """Take the loop at a depth to run over rows of a given length."""
        self._lengths[depth] = length

    def start_of(self, array: str, subscript: Poly, loops: Sequence[CountedLoop]) -> tuple[Unknown, Poly] | None:
        """Return the start of a row in a subscript, and where it is if rows follow each other; None without rows."""
        unknown = subscript.unknowns()
        if len(unknown) != 1:
            return None
        (start,) = unknown
        if subscript.terms.get((start,)) != 1:
            return None
        for counted in loops[1:]:
            outer = loops[counted.depth - 1]
            if subscript.coefficient(counted.name).constant != 1:
                continue
            length = self._lengths.get(counted.depth)
            if length is not None and start.depends == {outer.name}:
                return start, var(outer.name) * length
            length = _trips(counted)
            if length is not None and self._is_filled(array, outer, length) and _is_of_row(start, outer, counted):
                return start, var(outer.name) * length
        return None

    def _is_filled(self, array: str, outer: CountedLoop, length: int) -> bool:
        rows = _trips(outer)
        return rows is not None and rows * length == self._elements.get(array)


def _is_of_row(start: Unknown, outer: CountedLoop, inner: CountedLoop) -> bool:
    return outer.name in start.depends and start.depends <= {outer.name, inner.name}


def _trips(counted: CountedLoop) -> int | None:
    """Return the iterations of a loop whose bounds are numbers."""
    (low, *lows), (high, *highs) = counted.lows, counted.highs
    if lows or highs or low.limit.terms or high.limit.terms:
        return None
    return high.limit.constant // high.divisor + -low.limit.constant // low.divisor + 1
