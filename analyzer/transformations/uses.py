"""What the references of a nest touch in a part of its iterations: the extents of their subscripts there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd, prod
from operator import add

from msgspec import Struct
from msgspec.structs import replace

from ..bounds.references import Reference
from ..cache_lines import DEFAULT_LINE_BYTES
from ..domains.isl.order import range_along
from ..ir.index import const
from ..ir.values import Access
from .coordinates import Coordinates, loops_of

Term = tuple[int, int, int]  # of a subscript: the number of a dimension (-1: none), the most values, the factor


class Use(Struct, frozen=True):
    """References to an array with the same factors in their subscripts; ``is_aligned``: rows begin with a line.

    ``reach`` is how far apart they are in each subscript.
    """

    array: str
    element_bytes: int
    rows: tuple[tuple[Term, ...], ...]
    is_aligned: bool
    reach: tuple[int, ...] = ()

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

    def values_beside(self, dimensions: Sequence[int]) -> int:
        """Return how many elements the subscripts take that depend on none of some dimensions."""
        rows = (row for row in self.rows if not any(number in dimensions for number, _, _ in row))
        return prod(1 + sum(factor * (most - 1) for _, most, factor in row) for row in rows)

    def touched(self, sides: Sequence[int], swept: Sequence[int], *, goes_on: bool = False) -> float:
        """Return the bytes of the lines in a box: its sides, and how far they move from its first step to the last.

        What a rectangle sweeps that moves along is itself and a strip for each of its sides, and so are neighbours on
        all sides.  Where the next box ``goes_on`` in the rows of this one the line between them counts once.
        """
        if not self.rows:
            return DEFAULT_LINE_BYTES
        *outer, last = (self._values(row, sides) for row in self.rows)
        moved = (self._values(row, swept, moved=True) for row in self.rows)
        *moves, along = map(add, moved, self.reach) if self.reach else moved
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

    def _values(self, row: tuple[Term, ...], extents: Sequence[int], *, moved: bool = False) -> int:
        """Return how many values a subscript takes, or how many more while a box moves."""
        some = (
            factor * (min(most, extents[number] if number >= 0 else most * (not moved)) - 1 + moved)
            for number, most, factor in row
        )
        return max(0, sum(some)) + (not moved)


def uses_of(found: Coordinates) -> Mapping[Use, bool]:
    """Return the uses of a nest, and whether they store: references with the same factors are one."""
    reads, writes = found.statements.references
    accesses = [access for each in found.statements.all for access, _ in each.node.accesses]
    aligned = {each.array for each in accesses} - {each.array for each in accesses if not _has_aligned_rows(each)}
    stores: dict[Use, bool] = {}
    offsets: dict[Use, list[Sequence[int]]] = {}
    for stored, some in ((False, reads), (True, writes)):
        for each in some:
            if each.matrix is None or each.location.is_scalar:
                continue
            digits = [part for factors, offset in _subscripts(found, each) for part in _digits(factors, offset)]
            pitches = [factor * each.size_bytes for factors in each.matrix for factor in map(int, factors)]
            has_lines = all(pitch % DEFAULT_LINE_BYTES == 0 for pitch in pitches if abs(pitch) >= DEFAULT_LINE_BYTES)
            whole = each.location.name in aligned and has_lines
            use = Use(each.location.name, each.size_bytes, tuple(row for row, _ in digits), whole)
            stores[use] = stored or stores.get(use, False)
            offsets.setdefault(use, []).append([offset for _, offset in digits])
    return {_with_reach(use, offsets[use]): stored for use, stored in stores.items()}


def _subscripts(found: Coordinates, reference: Reference) -> Iterator[tuple[list[Term], int]]:
    """Yield the terms of each subscript of a reference, and what is added (0 where that is not known)."""
    statement = found.statements.all[reference.statement]
    loops = loops_of(statement)
    for factors, offset in zip(reference.matrix or (), reference.offsets, strict=True):
        row = []
        for position, factor in enumerate(factors):
            if factor:
                unit = tuple(int(number == position) for number in range(len(loops) + 1))
                low, high = range_along(statement.domain.upper, unit) or (0, 1 << 30)
                number = next(
                    (n for n, d in enumerate(found.dimensions) if d.of[loops].iterator == loops[position]), -1
                )
                row.append((number, high - low + 1, abs(int(factor))))
        yield row, int(offset.constant or 0)


def _with_reach(use: Use, offsets: Sequence[Sequence[int]]) -> Use:
    """Return a use with how far apart its references are."""
    return replace(use, reach=tuple(max(some) - min(some) for some in zip(*offsets, strict=True)))


def _digits(row: Sequence[Term], offset: int) -> Iterator[tuple[tuple[Term, ...], int]]:
    """Yield the subscripts that a flat one is made of: of ``a[i*n + j]`` those of ``a[i][j]``, where j is below n."""
    terms = sorted((term for term in row if term[1] > 1), key=lambda term: -term[2])
    first = 0
    for number in range(1, len(terms) + 1):
        rest = sum((most - 1) * factor for _, most, factor in terms[number:])
        if number == len(terms) or gcd(*(factor for _, _, factor in terms[first:number])) > rest:
            unit = gcd(*(factor for _, _, factor in terms[first:number])) if number < len(terms) else 1
            digit = (2 * offset + unit) // (2 * unit)
            yield tuple((dimension, most, factor // unit) for dimension, most, factor in terms[first:number]), digit
            offset -= digit * unit
            first = number
    if not terms:
        yield (), 0


def _has_aligned_rows(access: Access) -> bool:
    """Return whether the rows of an array are known to be whole lines."""
    row = access.strides_bytes[-2] if len(access.strides_bytes) > 1 else const(DEFAULT_LINE_BYTES)
    return row is not None and row.constant is not None and row.constant % DEFAULT_LINE_BYTES == 0
