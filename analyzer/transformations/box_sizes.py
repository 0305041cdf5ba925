"""Sides of boxes for a cache, by a formula: what a box touches is moved once for each box that it is not held for.

What a reference touches in a box is the product of the extents of its subscripts there.  It moves once for a box where
the cache holds what one iteration of the outermost loop touches in it (two, where boxes are skewed), and stays for the
next box where the cache holds all of one and the loop over the innermost blocks moves none of its subscripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import gcd, inf, isqrt, prod

from msgspec import Struct

from ..cache_lines import DEFAULT_LINE_BYTES
from ..domains.isl.order import range_along
from ..ir.index import const
from ..ir.values import Access
from .coordinates import Coordinates, Dimension, loops_of

_SHARE = 0.99  # of a fully associative cache that boxes fill
_WAYS_LEFT = 2  # of each set, to what passes by
_SIDES = (4, 8, 32, 128)
_FEW_SIDES = (8, 32, 128)  # of each of four dimensions and more
_ROOTS = (1.25, 1.1, 0.95, 0.85, 0.75, 0.5)  # of the side of a square that fills the cache
_LINE_ELEMENTS = 8
_ELEMENT_BYTES = 8
_WORTH = 0.8  # of the bytes without boxes

Sides = tuple[tuple[Dimension, int], ...]
_Term = tuple[int, int, int]  # of a subscript: the number of a dimension (-1: none), the most values, the factor


class _Use(Struct, frozen=True):
    """References to an array with the same factors in their subscripts; ``is_aligned``: rows begin with a line."""

    array: str
    element_bytes: int
    rows: tuple[tuple[_Term, ...], ...]
    is_aligned: bool

    @property
    def dimensions(self) -> frozenset[int]:
        """Return the dimensions that the subscripts depend on."""
        return frozenset(number for row in self.rows for number, _, _ in row if number >= 0)

    def moves_with(self, dimension: int) -> bool:
        """Return whether the subscripts depend on a dimension."""
        return dimension in self.dimensions

    def runs_along(self, dimension: int) -> bool:
        """Return whether the next block of a dimension goes on in the rows of this one."""
        return bool(self.rows) and any(number == dimension for number, _, _ in self.rows[-1])

    def touched(self, sides: Sequence[int], swept: Sequence[int], *, goes_on: bool = False) -> float:
        """Return the bytes of the lines in a box: its sides, and how far they move from its first step to the last.

        What a rectangle sweeps that moves along is itself and a strip for each of its sides.  Where the next box
        ``goes_on`` in the rows of this one the line between them counts once.
        """
        if not self.rows:
            return DEFAULT_LINE_BYTES
        *outer, last = (self._values(row, sides) for row in self.rows)
        *moves, along = (self._values(row, swept, moved=True) for row in self.rows)
        width = last * self.element_bytes
        if not goes_on and any(number >= 0 and sides[number] < most for number, most, _ in self.rows[-1]):
            if self.is_aligned and not along:
                width = -(-width // DEFAULT_LINE_BYTES) * DEFAULT_LINE_BYTES
            else:  # at either end
                width += (
                    DEFAULT_LINE_BYTES - self.element_bytes if width % DEFAULT_LINE_BYTES else DEFAULT_LINE_BYTES // 2
                )
        area = prod(outer)
        strips = sum(area // one * moved for one, moved in zip(outer, moves, strict=True))
        return float((area + strips) * width + area * along * self.element_bytes)

    def _values(self, row: tuple[_Term, ...], extents: Sequence[int], *, moved: bool = False) -> int:
        """Return how many values a subscript takes, or how many more while a box moves."""
        some = (
            factor * (min(most, extents[number] if number >= 0 else most * (not moved)) - 1 + moved)
            for number, most, factor in row
        )
        return max(0, sum(some)) + (not moved)


def best_sides(found: Coordinates, capacity_bytes: int, ways: int | None = None) -> Sides:
    """Return the dimensions to cut and the sides of a box, that of the innermost blocks last; () where none helps."""
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
    return best[1]


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
        uses: dict[_Use, bool] = {}
        for use, stored in _uses(found):
            uses[use] = stored or uses.get(use, False)
        self._uses = tuple(uses.items())
        self._depends = [tuple(sorted(use.dimensions)) for use in uses]
        self._known: list[dict[tuple[int, ...], float]] = [{} for _ in uses]
        self._skews = [max(each.skew for each in dimension.of.values()) for dimension in found.dimensions]
        self._is_skewed = any(self._skews)
        self._steps = _steps(found)
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
        boxes = prod(self._blocks(*each) for each in zip(self._dimensions, self._skews, sides, strict=True))
        touched = self._touched(sides)
        return {last: self._moved(last, sides, touched, boxes) for last in innermost}

    def _blocks(self, dimension: Dimension, skew: int, side: int) -> float:
        """Return how many blocks of a dimension hold the iterations: skewed ones are cut off at both ends."""
        if not skew:
            return -(-dimension.extent // side)
        return max(1.0, (dimension.extent - skew * (self._steps - 1)) / side)

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
        steps = sides[0] - 1 if self._from_outermost else self._steps - 1
        return [skew * steps for skew in self._skews]


def _steps(found: Coordinates) -> int:
    """Return how many iterations the outermost loop has."""
    base = max(found.statements.all, key=lambda each: len(each.loops))
    low, high = range_along(base.domain.upper, (1, *[0] * len(base.loops))) or (0, 0)
    return high - low + 1


def _uses(found: Coordinates) -> Iterator[tuple[_Use, bool]]:
    """Yield the references of a nest, and whether they store."""
    reads, writes = found.statements.references
    accesses = [access for each in found.statements.all for access, _ in each.node.accesses]
    aligned = {each.array for each in accesses} - {each.array for each in accesses if not _has_aligned_rows(each)}
    for stored, some in ((False, reads), (True, writes)):
        for each in some:
            if each.matrix is None or each.location.is_scalar:
                continue
            statement = found.statements.all[each.statement]
            loops = loops_of(statement)
            rows: list[tuple[_Term, ...]] = []
            for factors in each.matrix:
                row = []
                for position, factor in enumerate(factors):
                    if factor:
                        unit = tuple(int(number == position) for number in range(len(loops) + 1))
                        low, high = range_along(statement.domain.upper, unit) or (0, 1 << 30)
                        number = next(
                            (n for n, d in enumerate(found.dimensions) if d.of[loops].iterator == loops[position]), -1
                        )
                        row.append((number, high - low + 1, abs(int(factor))))
                rows += _digits(row)
            pitches = [factor * each.size_bytes for factors in each.matrix for factor in map(int, factors)]
            has_lines = all(pitch % DEFAULT_LINE_BYTES == 0 for pitch in pitches if abs(pitch) >= DEFAULT_LINE_BYTES)
            whole = each.location.name in aligned and has_lines
            yield _Use(each.location.name, each.size_bytes, tuple(rows), whole), stored


def _digits(row: Sequence[_Term]) -> Iterator[tuple[_Term, ...]]:
    """Yield the subscripts that a flat one is made of: of ``a[i*n + j]`` those of ``a[i][j]``, where j is below n."""
    terms = sorted((term for term in row if term[1] > 1), key=lambda term: -term[2])
    first = 0
    for number in range(1, len(terms) + 1):
        rest = sum((most - 1) * factor for _, most, factor in terms[number:])
        if number == len(terms) or gcd(*(factor for _, _, factor in terms[first:number])) > rest:
            unit = gcd(*(factor for _, _, factor in terms[first:number])) if number < len(terms) else 1
            yield tuple((dimension, most, factor // unit) for dimension, most, factor in terms[first:number])
            first = number
    if not terms:
        yield ()


def _has_aligned_rows(access: Access) -> bool:
    """Return whether the rows of an array are known to be whole lines."""
    row = access.strides_bytes[-2] if len(access.strides_bytes) > 1 else const(DEFAULT_LINE_BYTES)
    return row is not None and row.constant is not None and row.constant % DEFAULT_LINE_BYTES == 0
