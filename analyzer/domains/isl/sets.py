"""Sets of integer points and relations between them, parsed from isl's notation and combined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import islpy as isl
from msgspec import Struct

from ...ir.index import Poly
from ...python.cached_property import cached_property
from ...quantities.quasipolynomial import Count
from ..limits import OverBudget, check
from .budget import Budget, limited, remembered
from .counting import Numbered, count, in_order, numbered
from .covered import without_covered

_PARAM, _SET, _IN, _OUT = isl.dim_type.param, isl.dim_type.set, isl.dim_type.in_, isl.dim_type.out
_DIV = isl.dim_type.div
# In isl's operations, of which a second has some two million.
_HULL_BUDGET = 200_000
_SIMPLIFICATION_BUDGET = 50_000
_MANY_PIECES, _TOO_MANY_PIECES = 32, 2_000  # of conditions with many alternatives


class Points(Struct, frozen=True, eq=False, dict=True):
    """A set of integer points, possibly parametric."""

    _isl: Any

    @limited
    def __or__(self, other: Points) -> Points:
        """Return the union."""
        return Points(self._isl.union(other._isl))

    @limited
    def __and__(self, other: Points) -> Points:
        """Return the intersection."""
        return Points(_uncovered(self._isl.intersect(other._isl)))

    @limited
    def __sub__(self, other: Points) -> Points:
        """Return the difference."""
        return Points(self._isl.subtract(other._isl))

    @property
    def is_empty(self) -> bool:
        """Return whether there is no point, whatever the parameters are; raises ``OverBudget``."""
        return _is_empty(self)

    @limited
    def meets(self, other: Points) -> bool:
        """Return whether some point is in both sets, for some values of the parameters."""
        return not self._isl.is_disjoint(other._isl)

    @limited
    def is_within(self, other: Points) -> bool:
        """Return whether every point is one of another set."""
        return bool(self._isl.is_subset(other._isl))

    @property
    def dimension(self) -> int:
        """Return how many coordinates the points have."""
        return int(self._isl.dim(_SET))

    def pieces(self) -> int:
        """Return of how many convex sets it is made."""
        return int(self._isl.n_basic_set())

    def conditions(self) -> int:
        """Return how many equations and inequalities its convex sets have in all."""
        return sum(int(piece.n_constraint()) for piece in self._isl.get_basic_sets())

    def divisions(self) -> int:
        """Return how many integer divisions its convex sets have in all."""
        return sum(int(piece.dim(_DIV)) for piece in self._isl.get_basic_sets())

    def without_determined(self, positions: Iterable[int]) -> Points:
        """Project out those dimensions that the others determine: the number of points stays, counting gets easier.

        The origin of a tile is determined by any point in it: ``{[ii, i]}`` of a tiled loop becomes ``{[i]}``.
        """
        current = self._isl
        for position in sorted(positions, reverse=True):
            if current.dim(_SET) < 2:
                break
            relation = isl.Map.from_domain(current).move_dims(_OUT, 0, _IN, position, 1)
            try:
                with Budget(_SIMPLIFICATION_BUDGET):
                    if relation.is_single_valued():
                        current = relation.domain().coalesce()
            except OverBudget:
                break
        return Points(current)

    def coalesced(self) -> Points:
        """Return the same points in fewer pieces: what keeps counting overlapping neighbours cheap."""
        return Points(_coalesced(self._isl))

    def hull(self) -> Points:
        """Return a convex superset without integer divisions; raises ``OverBudget`` where that takes too long."""
        with Budget(_HULL_BUDGET):
            return Points(isl.Set.from_basic_set(self._isl.remove_divs().simple_hull()))

    def fixed(self, numbers: Mapping[str, int]) -> Points:
        """Return the points for these values of all parameters."""
        return _fixed(self, tuple(numbers[name] for name in self._isl.get_var_names(_PARAM)))

    @limited
    def where(self, numbers: Mapping[str, int]) -> Points:
        """Return the points for these values of some parameters, which stay."""
        names = enumerate(self._isl.get_var_names(_PARAM))
        return Points(_with_values(self._isl, _PARAM, {at: numbers[name] for at, name in names if name in numbers}))

    def at(self, numbers: Mapping[int, int]) -> Points:
        """Return the points whose coordinates at some positions are these."""
        return Points(_with_values(self._isl, _SET, numbers))

    @limited
    def without(self, positions: Iterable[int]) -> Points:
        """Project out the dimensions at some positions."""
        current = self._isl
        for position in sorted(positions, reverse=True):
            current = current.project_out(_SET, position, 1)
        return Points(current)

    @limited
    def without_last(self) -> Points:
        """Project out the last dimension."""
        return Points(self._isl.project_out(_SET, self._isl.dim(_SET) - 1, 1))

    @limited
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Return the least and the greatest coordinate of each dimension of a set without parameters, not empty."""
        dimensions = range(self._isl.dim(_SET))
        ends = ((self._isl.dim_min_val(at), self._isl.dim_max_val(at)) for at in dimensions)
        return tuple((low.to_python(), high.to_python()) for low, high in ends)

    def count(self, meaning: Mapping[str, Poly]) -> Count:
        """Return the exact number of points; ``meaning`` gives the polynomial that each parameter stands for.

        Raises ``OverBudget`` where counting takes longer than 0.75 s or the deadline is over, where the result
        has more cases than anyone could read, or where there is no bound.
        """
        names, points = self._numbered
        found = count(points, tuple([meaning[name] for name in names]))
        if found is None:
            raise OverBudget
        return found

    @cached_property
    def _numbered(self) -> tuple[Sequence[str], Numbered]:
        """Return the names of the parameters, and the set in which they have numbers."""
        points = in_order(self._isl.drop_unused_params())
        return points.get_var_names(_PARAM), numbered(points)


class Relation(Struct, frozen=True, eq=False):
    """A relation between integer points."""

    _isl: Any

    @limited
    def __or__(self, other: Relation) -> Relation:
        """Return the union."""
        return Relation(self._isl.union(other._isl))

    def then(self, other: Relation) -> Relation:
        """Return what the other one makes of what this one reaches."""
        return _composed(self, other)

    def image(self, domain: Points) -> Points:
        """Return the points that some point of ``domain`` is related to."""
        return _image(self, domain)

    @limited
    def is_injective_on(self, domain: Points) -> bool:
        """Return whether no two points of the domain are related to the same; raises ``OverBudget``."""
        with Budget(_SIMPLIFICATION_BUDGET):
            return bool(self._isl.intersect_domain(domain._isl).is_injective())

    def where_before(self, other: Relation) -> Points:
        """Return points of the domain whose (single) image here is lexicographically before the one in ``other``.

        Raises ``OverBudget`` after the deadline.
        """
        check()
        return _where_before(self, other)

    @property
    def domain(self) -> Points:
        """Return everything that is related to something."""
        return Points(self._isl.domain())


def _coalesced(points: Any) -> Any:
    """Return the same points in fewer pieces, or as they are where that takes too long."""
    try:
        with Budget(_SIMPLIFICATION_BUDGET):
            return points.coalesce()
    except OverBudget:
        return points


def _uncovered(points: Any) -> Any:
    """Return the same points without pieces that others hold, where there are many: products of alternatives."""
    if not _MANY_PIECES < points.n_basic_set() < _TOO_MANY_PIECES:
        return points
    with Budget(0):
        return without_covered(points)


@remembered
@limited
def union(some: tuple[Points, ...]) -> Points:
    """Return one or more sets in one, in as few pieces as isl finds; raises ``OverBudget`` after the deadline."""
    parts = [each._isl for each in some]
    while len(parts) > 1:  # by halves: every step copies what it unites
        check()
        rest = parts[len(parts) // 2 * 2 :]
        parts = [first.union(second) for first, second in zip(parts[::2], parts[1::2], strict=False)] + rest
    return Points(_coalesced(parts[0]))


@limited
def box(some: Sequence[Points]) -> Points:
    """Return the product of the ranges of each set's last dimension; the first has one dimension, the next two, ..."""
    last = [each._isl.project_out(_SET, 0, each._isl.dim(_SET) - 1) for each in some]
    found = last[0]
    for each in last[1:]:
        found = found.flat_product(each)
    return Points(found)


@remembered
@limited
def _is_empty(points: Points) -> bool:
    return bool(points._isl.is_empty())


@remembered
@limited
def _image(relation: Relation, domain: Points) -> Points:
    return Points(_coalesced(domain._isl.apply(relation._isl)))


@remembered
@limited
def _composed(first: Relation, second: Relation) -> Relation:
    return Relation(first._isl.apply_range(second._isl))


@remembered
@limited
def first_image(relation: Relation, domain: Points, image: Relation) -> Relation:
    """Map all that ``relation`` reaches from ``domain`` to the lexicographically smallest image of where from."""
    return Relation(relation._isl.intersect_domain(domain._isl).reverse().apply_range(image._isl).lexmin())


def _with_values(found: isl.Set, kind: isl.dim_type, numbers: Mapping[int, int]) -> isl.Set:
    """Return a set with these numbers for the dimensions of a kind at some positions."""
    for position, number in numbers.items():
        found = found.fix_val(kind, position, isl.Val(str(number)))
    return found


@remembered
@limited
def _fixed(points: Points, numbers: tuple[int, ...]) -> Points:
    result = _with_values(points._isl, _PARAM, dict(enumerate(numbers)))
    return Points(_coalesced(result.project_out(_PARAM, 0, len(numbers))))


@remembered
@limited
def _where_before(left: Relation, right: Relation) -> Points:
    decisive = _decisive(left._isl, right._isl)
    first, second = (_only(side._isl, decisive) for side in (left, right))
    both = first.flat_range_product(second)
    return Points(both.intersect_range(_earlier(len(decisive))).domain())


def _decisive(left: Any, right: Any) -> Sequence[int]:
    """Return the positions that decide which of two images is smaller: not those where both are the same number.

    Where both are numbers that differ, none behind them does.  A chain of alternatives (``switch``) makes images of
    tens of numbers, each of which would be a case.
    """
    found = []
    for position in range(left.dim(_OUT)):
        one, other = (side.plain_get_val_if_fixed(_OUT, position) for side in (left, right))
        if one.is_nan() or other.is_nan():
            found.append(position)
        elif not one.eq(other):
            return [*found, position]
    return found


def _only(image: Any, positions: Sequence[int]) -> Any:
    """Return a map with the outputs at these positions alone."""
    for position in reversed(range(image.dim(_OUT))):
        if position not in positions:
            image = image.project_out(_OUT, position, 1)
    return image


@remembered
def _earlier(length: int) -> Any:
    """Return pairs of vectors of which the first is lexicographically smaller.

    This is faster than isl's own order of two maps.
    """
    first, second = ([f"{name}{k}" for k in range(length)] for name in "ab")
    same = [f"a{k} = b{k}" for k in range(length)]
    cases = [" and ".join([*same[:k], f"a{k} < b{k}"]) for k in range(length)]
    return isl.Set(f"{{ [{', '.join([*first, *second])}] : {' or '.join(cases) or 'false'} }}")


@remembered
@limited
def points(text: str) -> Points:
    """Parse isl's notation of a set."""
    return Points(_uncovered(isl.Set(text)))


@remembered
@limited
def relation(text: str) -> Relation:
    """Parse isl's notation of a map."""
    return Relation(isl.Map(text))
