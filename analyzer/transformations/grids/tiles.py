"""The tile of an array that the threads of a block read while loops run some iterations, from its subscripts.

An address is ``sum(factor * counter)``: the counters of the threads of a block, of the iterations and of loops inside
make the tile, all others its origin.  Sorted by their factors the counters fall into dimensions, as digits do: those of
a dimension reach less far than one step of the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd, prod

from msgspec import Struct

from ...ir.index import Poly, const, var
from ...ir.values import Access, byte_offset

_Terms = tuple[tuple[str, int], ...]  # counters with their factors, in elements


class Dimension(Struct, frozen=True):
    """One dimension of a tile: rows ``unit`` elements apart, which counters reach by these ``terms`` of rows."""

    unit: int
    terms: _Terms

    def reach(self, counters: Mapping[str, int]) -> int:
        """Return how many rows counters of these extents go over."""
        return 1 + sum((counters[name] - 1) * factor for name, factor in self.terms)

    @property
    def subscript(self) -> Poly:
        """Return the row of given counters."""
        return sum((var(name) * factor for name, factor in self.terms), const(0))


class Tile(Struct, frozen=True):
    """The elements of an array that a block reads, of ``extents`` (outermost first) from ``origin`` elements on.

    ``units`` are the elements of the array between the rows of each dimension.
    """

    array: str
    origin: Poly
    units: tuple[int, ...]
    extents: tuple[int, ...]

    @property
    def elements(self) -> int:
        """Return the elements of the tile."""
        return prod(self.extents)


def tile_of(
    accesses: Sequence[Access], counters: Mapping[str, int]
) -> tuple[Tile, Mapping[Access, tuple[Poly, ...]]] | None:
    """Return the tile of references to one array, and the position of each in it; ``counters`` have these extents.

    None where an address is not affine in the counters, or where the references differ in their factors or their size.
    """
    split = [_split(access, counters) for access in accesses]
    known = [each for each in split if each is not None]
    if len(known) < len(split) or len({access.type.size_bytes for access in accesses}) > 1:
        return None
    terms, first = known[0]
    distances = [(origin - first).constant for _, origin in known]
    apart = [distance for distance in distances if distance is not None]
    if any(other != terms for other, _ in known) or len(apart) < len(distances):
        return None
    dimensions = list(_dimensions(terms, counters))
    steps = [tuple(_digits(distance, dimensions)) for distance in apart]
    least = [min(each) for each in zip(*steps, strict=True)]
    most = [max(each) for each in zip(*steps, strict=True)]
    origin = sum((low * each.unit for low, each in zip(least, dimensions, strict=True)), first)
    extents = tuple(each.reach(counters) + high - low for each, low, high in zip(dimensions, least, most, strict=True))
    tile = Tile(accesses[0].array, origin, tuple(each.unit for each in dimensions), extents)
    rows = [each.subscript - low for each, low in zip(dimensions, least, strict=True)]
    positions = [tuple(row + step for row, step in zip(rows, each, strict=True)) for each in steps]
    return tile, dict(zip(accesses, positions, strict=True))


def factors_of(access: Access, counters: Mapping[str, int]) -> _Terms | None:
    """Return the factors of the counters in an address, in elements; None where it is not affine in them."""
    found = _split(access, counters)
    return None if found is None else found[0]


def _split(access: Access, counters: Mapping[str, int]) -> tuple[_Terms, Poly] | None:
    """Return the factors of the counters in an address, the largest first, and the rest of it, in elements."""
    size = access.type.size_bytes
    address = byte_offset(access.subscripts, access.strides_bytes, access.offset_bytes)
    if address is None or address.unknowns() or not size:
        return None
    factors: dict[str, int] = {}
    for name in counters.keys() & address.names():
        factor = address.coefficient(name).constant
        if factor is None or factor <= 0 or factor % size or not address.is_linear_in(name):
            return None
        factors[name] = factor // size
    rest = address.substitute(dict.fromkeys(factors, 0))
    if any(not isinstance(number, int) or number % size for number in rest.terms.values()):
        return None
    origin = Poly({monomial: int(number) // size for monomial, number in rest.terms.items()})
    return tuple(sorted(factors.items(), key=lambda term: (-term[1], term[0]))), origin


def _dimensions(terms: _Terms, counters: Mapping[str, int]) -> Iterator[Dimension]:
    """Yield the dimensions of addresses with these terms, outermost first; the last one is that of elements."""
    first, unit = 0, 0
    for number in range(1, len(terms) + 1):
        inside = sum((counters[name] - 1) * factor for name, factor in terms[number:])
        unit = gcd(*(factor for _, factor in terms[first:number]))
        if number == len(terms) or unit > inside:
            yield Dimension(unit, tuple((name, factor // unit) for name, factor in terms[first:number]))
            first = number
    if unit != 1:  # members of structures
        yield Dimension(1, ())


def _digits(distance: int, dimensions: Sequence[Dimension]) -> Iterator[int]:
    """Yield the rows of each dimension that make a distance, the nearest ones.

    >>> rows = [Dimension(100, ()), Dimension(1, ())]
    >>> list(_digits(-1, rows)), list(_digits(99, rows))
    ([0, -1], [1, -1])
    """
    for dimension in dimensions:
        steps = (2 * distance + dimension.unit) // (2 * dimension.unit)
        distance -= steps * dimension.unit
        yield steps
