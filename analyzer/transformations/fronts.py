"""Diamonds for a cache: parts of a stencil in time and one direction, each swept as a front along another direction.

Where a loop c may be cut both along ``s*t + c`` and along ``s*t - c``, two sides a leave a diamond of ``a^2/(2*s)``
points (t, c) that is a wide.  A front along ``r*t + w`` takes one row w of each step, so that of an array which the
steps go through the cache holds r rows for each point, and each row of the diamond's width moves once: ``2*s/a`` of its
elements for each point, where a box of the same room moves 1.4 times as many.  (Bandishti, Pananilath, Bondhugula,
*Tiling stencil computations to maximize parallelism*, SC 2012; Malas et al., *Multicore-optimized wavefront diamond
blocking*, SIAM J. Sci. Comput. 37, 2015.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from msgspec import Struct

from ..cache_lines import DEFAULT_LINE_BYTES
from .coordinates import Coordinates, Dimension
from .uses import Use

_AHEAD = 3  # rows beside those of the steps: neighbours on both sides, and those of the next front
_LEAST_SIDE = 4


class _Diamonds(Struct, frozen=True):
    """Diamonds of the outermost loop and the dimension ``cut``, swept along ``swept``; None where there is no other."""

    uses: Mapping[Use, bool]
    dimensions: tuple[Dimension, ...]
    steps: int
    cut: int
    swept: int | None

    def needed(self, side: int) -> float:
        """Return the bytes that the cache holds: what a front touches, and the next one."""
        return sum(self._front(use, side) for use in self.uses)

    def moved(self, side: int) -> float:
        """Return the bytes that all diamonds of a side move."""
        diamonds = self.steps * self.dimensions[self.cut].trips / self._area(side)
        return diamonds * sum(self._sweep(use, side) * (2 if stored else 1) for use, stored in self.uses.items())

    def largest(self, room: float) -> int:
        """Return the largest side that there is room for."""
        cut = self.dimensions[self.cut]
        low, high = 0, min(self.dimensions[self.cut].trips, self.steps * cut.skew)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.needed(middle) <= room else (low, middle - 1)
        return low

    def _area(self, side: int) -> float:
        return side * side / (2 * self.dimensions[self.cut].skew)

    def _front(self, use: Use, side: int) -> float:
        """Return the bytes of what a front touches, and of what the next one does anew."""
        width = side if use.moves_with(self.cut) else 1
        if self.swept is None or not use.moves_with(self.swept):
            return self._bytes(use, width, 1)
        behind = self.dimensions[self.swept].skew
        rows = behind * side / self.dimensions[self.cut].skew + _AHEAD
        if not use.moves_with(self.cut):
            return self._bytes(use, rows, 1)
        return self._bytes(
            use, behind * self._area(side) + _AHEAD * width, width if use.runs_along(self.swept) else rows
        )

    def _sweep(self, use: Use, side: int) -> float:
        """Return the bytes of what all fronts of a diamond touch."""
        width = side if use.moves_with(self.cut) else 1
        length = self.dimensions[self.swept].trips if self.swept is not None and use.moves_with(self.swept) else 1
        return self._bytes(use, width * length, length if use.runs_along(self.cut) else 1)

    def _bytes(self, use: Use, elements: float, runs: float) -> float:
        """Return the bytes of the lines of elements in so many runs, for all of the other dimensions."""
        own = (self.cut,) if self.swept is None else (self.cut, self.swept)
        others = use.values_beside(own)
        ends = DEFAULT_LINE_BYTES - use.element_bytes if any(map(use.runs_along, own)) else 0
        return others * (elements * use.element_bytes + runs * ends)


def best_diamonds(
    found: Coordinates, uses: Mapping[Use, bool], steps: int, room: float
) -> tuple[float, tuple[tuple[Dimension, int], ...]]:
    """Return the bytes that the best diamonds for a room move, and their sides; infinite and () without any."""
    best: tuple[float, tuple[tuple[Dimension, int], ...]] = (inf, ())
    for back, each in _diamonds(found, uses, steps):
        side = each.largest(room)
        moved = each.moved(side) if side >= _LEAST_SIDE else inf
        if moved < best[0]:
            swept = () if each.swept is None else ((found.dimensions[each.swept], 1),)
            best = (moved, ((found.dimensions[each.cut], side), (back, side), *swept))
    return best


def _diamonds(found: Coordinates, uses: Mapping[Use, bool], steps: int) -> Iterator[tuple[Dimension, _Diamonds]]:
    """Yield each dimension backwards that makes diamonds with its own, and these diamonds.

    They are swept across the lines, where there is such a direction: innermost loops stay in them.
    """
    inner = (number for number, each in enumerate(found.dimensions) if each.loop.iterator != found.outermost)
    numbers = [number for number in inner if not found.dimensions[number].lean]
    across = [each for each in numbers if not any(use.runs_along(each) for use in uses)]
    for back in found.backwards:
        cut = next(each for each in numbers if found.dimensions[each].loop is back.loop)
        if found.dimensions[cut].skew == back.skew:
            others: list[int | None] = [each for each in across or numbers if each != cut]
            for swept in others or [None]:
                yield back, _Diamonds(uses, found.dimensions, steps, cut, swept)
