"""The bound of a statement, or of several: the projections that give the most, their groups, and what is charged.

Where two iterators may be exchanged (``C[i][j] += A[i][k]*A[j][k]`` of i > j), E and its mirror image have no
iteration in common, and need the same elements of A: ``2 |E| <= prod |phi(E and its image)|^s``, where only the
projections that are no operands of A grow, to twice their size.  That is the argument of Beaumont, Eyraud-Dubois,
Langou, Verite, *I/O-optimal algorithms for symmetric linear algebra kernels*, SPAA 2022, for any nest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from ..domains.domain import StatementDomain
from ..domains.isl.dataflow import exchanged
from ..domains.isl.sets import Points
from ..ir.index import Number, Poly
from ..quantities.quasipolynomial import Count, total
from .exponents import Exponents, least_exponents
from .partition import Growth
from .projections import Projection, ProjectionKind, without_values
from .references import Location
from .subspaces import Subspace, span

_MOST_PROJECTIONS = 7  # of one statement that are combined, those charged least
_TYPICAL_ELEMENTS = 1 << 15  # of a cache, for the choice among projections only
_CHARGED = Fraction(1, 4)  # a projection charged for more of the operations gives no bound
_LARGE_SIZE = 10_000  # of a symbol without a value, for the choice among projections only


class Used(Struct, frozen=True, eq=False):
    """A projection with its exponent, and the group of values that it shares with others."""

    projection: Projection
    exponent: Fraction
    group: int


class Term(Struct, frozen=True, eq=False):
    """The bound of some statements: ``growth.loads(operations, S) - charged`` loads at least.

    ``mirrored`` are the iterators that may be exchanged.  ``size_bytes`` is the smallest value that is loaded.
    """

    statements: tuple[StatementDomain, ...]
    operations: Count
    charged: Count
    projections: tuple[Used, ...]
    growth: Growth
    size_bytes: int
    mirrored: tuple[str, ...] = ()

    @property
    def values(self) -> Mapping[tuple[str, object], tuple[Points, ...]]:
        """Return the values whose loads are counted."""
        return self._values({used.group for used in self.projections})

    def values_of(self, group: int) -> Mapping[tuple[str, object], tuple[Points, ...]]:
        """Return the values of one group."""
        return self._values({group})

    @property
    def exponents(self) -> Mapping[int, Fraction]:
        """Return the sum of the exponents of each group."""
        found: dict[int, Fraction] = {}
        for used in self.projections:
            found[used.group] = found.get(used.group, Fraction(0)) + used.exponent
        return found

    def _values(self, groups: set[int]) -> Mapping[tuple[str, object], tuple[Points, ...]]:
        found: dict[tuple[str, object], list[Points]] = {}
        for used in (each for each in self.projections if each.group in groups):
            for key, points in used.projection.values.items():
                found.setdefault(key, []).append(points)
        return {key: tuple(some) for key, some in found.items()}

    @property
    def arrays(self) -> frozenset[str]:
        """Return the arrays of which elements that were there at the start are counted."""
        locations = (key[1] for used in self.projections for key in used.projection.values)
        return frozenset(
            location.name for location in locations if isinstance(location, Location) and not location.is_scalar
        )

    def loads(self, values: Mapping[str, Number], capacity: int) -> float:
        """Return how many elements are loaded at least into a cache of so many elements."""
        needed = self.growth.loads(self.operations.evaluate(values), capacity)
        return needed - float(self.charged.evaluate(values))


def term_of(
    statements: Sequence[StatementDomain], some: Sequence[Projection], point: Mapping[str, Number]
) -> Term | None:
    """Return the best bound from some projections of a statement, or of several that are taken together.

    None where caches of any size may do better.  What is best is judged at a point in the symbols.
    """
    operations = total([each.domain.count(upper=False) for each in statements])
    if operations.is_zero:
        return None
    meaning = statements[0].domain.names.meaning
    chosen = _worth_it(some, operations, meaning, point)
    overlapping = {
        (one, other)
        for one, other in combinations(range(len(chosen)), 2)
        if share_values(_several(chosen[one]), _several(chosen[other]))
    }
    dimension = len(statements[0].loops)
    groups = set(_groups(range(len(chosen)), overlapping).values())
    best: tuple[float, Term] | None = None
    for size in range(2, dimension + 1 + (len(groups) > 1)):
        for subset in combinations(range(len(chosen)), size):
            for term in _terms(statements, operations, chosen, subset, overlapping):
                score = term.loads(point, _TYPICAL_ELEMENTS)
                if best is None or score > best[0]:
                    best = (score, term)
    return None if best is None else best[1]


def typical_values(statements: Sequence[StatementDomain], values: Mapping[str, int]) -> dict[str, Number]:
    """Return values for all symbols: those given, large ones of about the same size for the others."""
    names = {name for each in statements for poly in each.domain.names.meaning.values() for name in poly.names()}
    return {**{name: _LARGE_SIZE + 10 * number for number, name in enumerate(sorted(names))}, **values}


def _several(projection: Projection) -> Mapping[tuple[str, object], tuple[Points, ...]]:
    return {key: (points,) for key, points in projection.values.items()}


def share_values(
    one: Mapping[tuple[str, object], tuple[Points, ...]], other: Mapping[tuple[str, object], tuple[Points, ...]]
) -> bool:
    """Return whether a value may be among both; raises ``OverBudget``."""
    return any(a.meets(b) for key in one.keys() & other.keys() for a in one[key] for b in other[key])


def joined(one: Term, other: Term) -> Term | None:
    """Return the bound of the operations of two terms together where they share the values of some groups.

    Of a group that is not shared ``y_g`` is that of both together.  Where the exponents of these groups sum to tau,
    ``|E1| + |E2| <= 2^(1 - tau) U(K)`` for the U of each if tau < 1, else U(K) (Hoelder's inequality).  None where the
    groups of one are not those of the other.
    """
    pairs = _paired(one, other)
    if pairs is None or one.growth.log2_factor or other.growth.log2_factor:
        return None
    apart = sum((one.exponents[group] for group, _, shared in pairs if not shared), Fraction(0))
    if not apart or all(not shared for _, _, shared in pairs):
        return None
    return replace(
        one,
        statements=(*one.statements, *other.statements),
        operations=total([one.operations, other.operations]),
        charged=total([one.charged, other.charged]),
        projections=(*one.projections, *other.projections),
        growth=replace(one.growth, log2_factor=max(Fraction(0), 1 - apart)),
        size_bytes=min(one.size_bytes, other.size_bytes),
    )


def _paired(one: Term, other: Term) -> list[tuple[int, int, bool]] | None:
    """Return pairs of groups with the same exponents, and whether they share values; None where they do not pair."""
    sums, left = one.exponents, dict(other.exponents)
    found = []
    for group in sums:
        meeting = [each for each in left if share_values(one.values_of(group), other.values_of(each))]
        if len(meeting) > 1:
            return None
        found += [(group, each, True) for each in meeting if left.pop(each) == sums[group]]
    taken = {group for group, _, _ in found}
    for group in sums.keys() - taken:
        partner = next((each for each, exponent in left.items() if exponent == sums[group]), None)
        if partner is None:
            return None
        del left[partner]
        found.append((group, partner, False))
    return None if left else found


def _worth_it(
    some: Sequence[Projection], operations: Count, meaning: Mapping[str, Poly], point: Mapping[str, Number]
) -> list[Projection]:
    """Return the projections that are charged little, one of several alike; those of chains also without operands."""
    work = _CHARGED * operations.evaluate(point)
    ranked = []
    for position, each in enumerate(some):
        charged = _charged([each], meaning).evaluate(point)
        if charged < work and each.kernel and len(each.kernel) < len(each.kernel[0]):
            ranked.append((charged, position, each))
    found: list[Projection] = []
    for _, _, each in sorted(ranked, key=lambda item: item[:2]):
        if not any(_alike(each, other) for other in found):
            found.append(each)
    del found[_MOST_PROJECTIONS:]
    operands = [each for each in found if each.kind is ProjectionKind.OPERAND]
    for each in found[:]:
        if each.kind is ProjectionKind.CHAIN and operands:
            alone = without_values(each, operands, meaning)
            if alone is not each and alone.starts.evaluate(point) < work:
                found.append(alone)
    return found


def _alike(one: Projection, other: Projection) -> bool:
    """Return whether one of two projections is enough: they have one kernel and the same values."""
    return one.kernel == other.kernel and one.kind is other.kind and one.location == other.location


def _charged(some: Sequence[Projection], meaning: Mapping[str, Poly]) -> Count:
    """Return how many values are charged: each that is computed once, whichever operands it is."""
    by_statement: dict[int, Points] = {}
    for each in some:
        for number, points in each.computed.items():
            by_statement[number] = points if number not in by_statement else by_statement[number] | points
    counts = [points.count(meaning) for points in by_statement.values()]
    unknown = {each.location: each.most_computed for each in some}
    return total([*counts, *(each.starts for each in some), *unknown.values()])


def _terms(
    statements: Sequence[StatementDomain],
    operations: Count,
    chosen: Sequence[Projection],
    subset: Sequence[int],
    overlapping: set[tuple[int, int]],
) -> Iterator[Term]:
    """Yield the bounds that some of the projections give."""
    projections = [chosen[number] for number in subset]
    by_number = _groups(subset, overlapping)
    groups = [by_number[number] for number in subset]
    for exponents in least_exponents([each.kernel for each in projections], len(statements[0].loops)):
        if sum(exponents) <= 1 or not all(exponents):
            continue
        sums: dict[int, Fraction] = {}
        for group, exponent in zip(groups, exponents, strict=True):
            sums[group] = sums.get(group, Fraction(0)) + exponent
        plain = Term(
            statements=tuple(statements),
            operations=operations,
            charged=_charged(projections, statements[0].domain.names.meaning),
            projections=tuple(map(Used, projections, exponents, groups)),
            growth=Growth(tuple(sums.values())),
            size_bytes=min(each.size_bytes for each in projections),
        )
        yield plain
        mirrored = _mirrored(projections, exponents, groups)
        if mirrored is not None and len(statements) == 1:
            ((power, (first, second)), (statement,)) = mirrored, statements
            loops = (statement.loops[first].iterator, statement.loops[second].iterator)
            half = _without_images(statement, first, second)
            growth = replace(plain.growth, log2_factor=power)
            yield replace(plain, operations=half, growth=growth, mirrored=loops)


def _without_images(statement: StatementDomain, first: int, second: int) -> Count:
    """Return the number of iterations that are none any more where two iterators are exchanged."""
    iterations = statement.domain.upper
    apart = iterations - exchanged(iterations, first, second)
    return apart.count(statement.domain.names.meaning)


def _groups(subset: Sequence[int], overlapping: set[tuple[int, int]]) -> dict[int, int]:
    """Return for each projection the first one that it shares values with, straight or by way of others."""
    groups = {number: number for number in subset}
    for one, other in sorted(overlapping):
        if one in groups and other in groups:
            low, high = sorted((groups[one], groups[other]))
            groups = {number: low if group == high else group for number, group in groups.items()}
    return groups


def _mirrored(
    projections: Sequence[Projection], exponents: Exponents, groups: Sequence[int]
) -> tuple[Fraction, tuple[int, int]] | None:
    """Return the power of two that an exchange of two iterators saves, and their positions; None where none does."""
    best: tuple[Fraction, tuple[int, int]] | None = None
    for swap in combinations(range(len(projections[0].kernel[0])), 2):
        doubled = _doubled(projections, exponents, groups, swap)
        if doubled is not None and doubled < 1 and (best is None or doubled - 1 < best[0]):
            best = (doubled - 1, swap)
    return best


def _doubled(
    projections: Sequence[Projection], exponents: Exponents, groups: Sequence[int], swap: tuple[int, int]
) -> Fraction | None:
    """Return the exponents of the projections that see twice as much of E and its image; None where one sees others."""
    doubled = Fraction(0)
    for each, exponent, group in zip(projections, exponents, groups, strict=True):
        image = None if each.matrix is None else tuple(_swapped(row, swap) for row in each.matrix)
        partners = (
            other
            for other, same in zip(projections, groups, strict=True)
            if same == group and other.location == each.location and other.matrix is not None
        )
        if any((other.matrix, other.offsets) == (image, each.offsets) for other in partners):
            continue
        if _swapped_kernel(each, swap) != each.kernel:
            return None
        doubled += exponent
    return doubled


def _swapped(row: Sequence[Number], swap: tuple[int, int]) -> tuple[Number, ...]:
    entries = list(row)
    entries[swap[0]], entries[swap[1]] = entries[swap[1]], entries[swap[0]]
    return tuple(entries)


def _swapped_kernel(projection: Projection, swap: tuple[int, int]) -> Subspace:
    return span([_swapped(vector, swap) for vector in projection.kernel], len(projection.kernel[0]))
