"""Sides of boxes for a cache, by a formula: what a box touches is moved once for each box that it is not held for.

What a reference touches in a box is the product of the extents of its subscripts there.  It moves once for a box where
the cache holds what one iteration of the outermost loop touches in it (two, where boxes are skewed), and stays for the
next box where the cache holds all of one and the loop over the innermost blocks moves none of its subscripts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import inf, isqrt, prod

from ..domains.isl.order import range_along
from .coordinates import Coordinates, Dimension
from .fronts import best_diamonds
from .uses import uses_of

_SHARE = 0.99  # of a fully associative cache that boxes fill
_WAYS_LEFT = 2  # of each set, to what passes by
_SIDES = (4, 8, 32, 128)
_FEW_SIDES = (8, 32, 128)  # of each of four dimensions and more
_ROOTS = (1.25, 1.1, 0.95, 0.85, 0.75, 0.5)  # of the side of a square that fills the cache
_LINE_ELEMENTS = 8
_ELEMENT_BYTES = 8
_WORTH = 0.8  # of the bytes without boxes

Sides = tuple[tuple[Dimension, int], ...]


def best_sides(found: Coordinates, capacity_bytes: int, ways: int | None = None) -> Sides:
    """Return the dimensions to cut and the sides of a box, that of the innermost blocks last; () where none helps.

    Of a stencil it may be a diamond, which is swept.
    """
    share = _SHARE if ways is None else min(_SHARE, max(1, ways - _WAYS_LEFT) / ways)
    estimate = _Estimate(found, share * capacity_bytes)
    dimensions = found.dimensions
    best: tuple[float, Sides] = (_WORTH * estimate.moved([each.extent for each in dimensions])[None], ())
    for sides in product(*(_tried(each, capacity_bytes, len(dimensions)) for each in dimensions)):
        for last, moved in estimate.moved(sides).items():
            if last is not None and moved < best[0]:
                cut = [number for number, side in enumerate(sides) if side < dimensions[number].extent]
                order = [*(number for number in cut if number != last), last]
                best = (moved, tuple((dimensions[number], sides[number]) for number in order))
    diamonds = best_diamonds(found, estimate.uses, estimate.steps, share * capacity_bytes)
    return diamonds[1] if diamonds[0] < best[0] else best[1]


def _tried(dimension: Dimension, capacity_bytes: int, dimensions: int) -> list[int]:
    """Return the sides to try: short ones, and parts of the dimension that are all alike."""
    root = isqrt(capacity_bytes // _ELEMENT_BYTES)
    parts = {max(2, round(dimension.extent / (root * share))) for share in _ROOTS}
    equal = {-(-dimension.extent // one) for one in parts}
    lines = {-(-side // _LINE_ELEMENTS) * _LINE_ELEMENTS for side in equal}
    chosen = {*_SIDES, *equal, *lines} if dimensions < 4 else {*_FEW_SIDES}
    some = {side for side in chosen if 0 < side <= (dimension.extent + _LINE_ELEMENTS) // 2}
    return [*sorted(some), dimension.extent]


class _Estimate:
    """The bytes that boxes of a nest move into a cache."""

    def __init__(self, found: Coordinates, room: float) -> None:
        self._dimensions = found.dimensions
        self._room = room
        self.uses = uses_of(found)
        self._uses = tuple(self.uses.items())
        self._depends = [tuple(sorted(use.dimensions)) for use in self.uses]
        self._known: list[dict[tuple[int, ...], float]] = [{} for _ in self.uses]
        self._skews = [dimension.skew for dimension in found.dimensions]
        self._is_skewed = any(self._skews)
        self.steps = _steps(found)
        self._from_outermost = found.dimensions[0].loop.iterator == found.outermost

    def moved(self, sides: Sequence[int]) -> Mapping[int | None, float]:
        """Return the bytes that boxes of these sides move, by the dimension of the innermost blocks (None: no box).

        They are infinite where the cache holds no iteration of the outermost loop.
        """
        cut = [number for number, side in enumerate(sides) if side < self._dimensions[number].extent]
        if cut == [0] and self._from_outermost:  # which changes nothing
            return {}
        few = [min(2 if self._is_skewed else 1, sides[0]), *sides[1:]] if self._from_outermost else sides
        innermost: list[int | None] = [*cut] or [None]
        if sum(self._touched(few)) > self._room:
            return dict.fromkeys(innermost, inf)
        boxes = prod(map(self._blocks, self._dimensions, self._skews, sides))
        boxes *= max([1.0, *(self._swept(sides)[number] / self._dimensions[number].trips for number in cut)])
        touched = self._touched(sides)
        return {last: self._moved(last, sides, touched, boxes) for last in innermost}

    def _blocks(self, dimension: Dimension, skew: int, side: int) -> float:
        """Return how many blocks of a dimension hold the iterations: skewed ones are cut off at both ends."""
        return max(1.0, dimension.trips / side) if skew else -(-dimension.extent // side)

    def _moved(self, last: int | None, sides: Sequence[int], touched: Sequence[float], boxes: float) -> float:
        """Return the bytes that boxes move where the innermost blocks are those of one dimension."""
        stays = last is not None and self._stays(last, touched)
        swept, total = self._swept(sides), 0.0
        for size, (use, stored) in zip(touched, self._uses, strict=True):
            each, times = size, boxes
            if stays and last is not None and use.runs_along(last):
                each = use.touched(sides, swept, goes_on=True)
            elif stays and last is not None and not use.moves_with(last):
                times = boxes // -(-self._dimensions[last].extent // sides[last])
            total += times * each * (2 if stored else 1)
        return total

    def _stays(self, last: int, touched: Sequence[float]) -> bool:
        """Return whether the cache holds what is touched until the next box uses it again.

        That is a box, and of the next one what every iteration of the outermost loop touches anew.
        """
        if self._is_skewed:
            return False
        moving = (
            size
            for size, (use, _) in zip(touched, self._uses, strict=True)
            if use.moves_with(last) and not (self._from_outermost and use.moves_with(0))
        )
        return sum(touched) + sum(moving) <= self._room

    def _touched(self, sides: Sequence[int]) -> list[float]:
        """Return the bytes of each use in a box."""
        swept, found = self._swept(sides), []
        for (use, _), known, depends in zip(self._uses, self._known, self._depends, strict=True):
            key = tuple(end for number in depends for end in (sides[number], swept[number]))
            if key not in known:
                known[key] = use.touched(sides, swept)
            found.append(known[key])
        return found

    def _swept(self, sides: Sequence[int]) -> list[int]:
        """Return how far the box moves in each dimension while the outermost loop runs in it."""
        steps = sides[0] - 1 if self._from_outermost else self.steps - 1
        return [skew * steps for skew in self._skews]


def _steps(found: Coordinates) -> int:
    """Return how many iterations the outermost loop has."""
    base = max(found.statements.all, key=lambda each: len(each.loops))
    low, high = range_along(base.domain.upper, (1, *[0] * len(base.loops))) or (0, 0)
    return high - low + 1
