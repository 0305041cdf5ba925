"""The only door to isl and barvinok: integer sets and maps built from text, combined, and counted.

No isl object leaves this module except inside :class:`Points` and :class:`Relation`.  Symbols and iterators travel
under plain names (``s0``, ``i1``), because C++ names such as ``this->n`` are no isl identifiers;
:class:`~.formula.Names` keeps the mapping.  Counting is barvinok's ``card``;
one call takes 0.3 to 10 ms on ordinary nests.  Isl's values never change, so what was parsed, combined or counted once
is remembered: the nests of a function ask again what the whole has asked.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

import islpy as isl
from msgspec import Struct

from ..child_processes import fork
from ..ir.index import ZERO, Monomial, Number, Poly, const, floor_div, var
from ..limits.cpu_timers import CpuTimer
from ..limits.hard_limit import count_children
from .chambers import Chamber, Constraint
from .limits import OverBudget, at_most, check, operations, operations_over
from .quasipolynomial import Count, total

_PARAM, _SET, _IN, _OUT, _DIV = (
    isl.dim_type.param,
    isl.dim_type.set,
    isl.dim_type.in_,
    isl.dim_type.out,
    isl.dim_type.div,
)


# CPU time of a count in a child: of the whole set, of its parts, and with numbers for all symbols.  An ordinary count
# takes 1 to 8 ms; the limits here only decide when a weaker answer has to do.
_WHOLE_S, _PARTS_S, _NUMERIC_S = 0.25, 0.5, 1.0
# In isl's operations, of which a second has some two million.
_HULL_BUDGET = 200_000
_DISJOINT_BUDGET = 50_000
_SIMPLIFICATION_BUDGET = 50_000
# From these sizes on a set is counted in a child: only such were seen to take over 20 ms, and some would take hours.
_FEW_CONSTRAINTS = 5
_MANY_DIVISIONS = 8
_MANY_DIMENSIONS = 8
_MANY_BOUNDS, _DEEP = 64, 20  # times symbols
_FEW_PIECES, _MOST_PIECES = 6, 40
_FLAT, _FEW_RANGES, _BOUNDS_OF_A_RANGE, _FEW_BOUNDS = 2, 3, 8, 16
_MEMORY = 1024  # results that are memoised

remembered = lru_cache(maxsize=_MEMORY)

_Answer = TypeVar("_Answer")
_Request = ParamSpec("_Request")


def _limited(request: Callable[_Request, _Answer]) -> Callable[_Request, _Answer]:
    """Return the request to isl within the operations of the limit in force, or a smaller budget around it.

    Raises ``OverBudget``.
    """

    @wraps(request)
    def within(*arguments: _Request.args, **named: _Request.kwargs) -> _Answer:
        if isl.DEFAULT_CONTEXT.get_max_operations():
            return request(*arguments, **named)
        try:
            with Budget(operations()):
                return request(*arguments, **named)
        except OverBudget:
            operations_over()
            raise

    return within


class Points(Struct, frozen=True, eq=False):
    """A set of integer points, possibly parametric."""

    _isl: Any

    @_limited
    def __or__(self, other: Points) -> Points:
        """Union."""
        return Points(self._isl.union(other._isl))

    @_limited
    def __and__(self, other: Points) -> Points:
        """Intersection."""
        return Points(self._isl.intersect(other._isl))

    @_limited
    def __sub__(self, other: Points) -> Points:
        """Difference."""
        return Points(self._isl.subtract(other._isl))

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

    @_limited
    def without_last(self) -> Points:
        """Project out the last dimension."""
        return Points(self._isl.project_out(_SET, self._isl.dim(_SET) - 1, 1))

    def count(self, meaning: Mapping[str, Poly]) -> Count:
        """Return the exact number of points; ``meaning`` gives the polynomial that each parameter stands for.

        Raises ``OverBudget`` where counting takes longer than 0.75 s or the deadline is over, where the result
        has more cases than anyone could read, or where there is no bound.
        """
        points = _in_order(self._isl.drop_unused_params())
        symbols = tuple(meaning[name] for name in points.get_var_names(_PARAM))
        found = _counted(_Plain(_numbered(points)), symbols)
        if found is None:
            raise OverBudget
        return found


class Relation(Struct, frozen=True, eq=False):
    """A relation between integer points."""

    _isl: Any

    @_limited
    def __or__(self, other: Relation) -> Relation:
        """Union."""
        return Relation(self._isl.union(other._isl))

    def image(self, domain: Points) -> Points:
        """Return the points that some point of ``domain`` is related to."""
        return _image(self, domain)

    @_limited
    def is_injective_on(self, domain: Points) -> bool:
        """Return whether no two points of the domain are related to the same."""
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


def _in_order(points: Any) -> Any:
    """Return the same points with the parameters ``s0``, ``s1``, ... in order: isl's results follow it."""
    names = points.get_var_names(_PARAM)
    ordered = sorted(names, key=lambda name: (len(name), name))
    return points if names == ordered else points.align_params(_parameters(tuple(ordered)))


def _numbered(points: Any) -> Any:
    """Return a set with the parameters ``s0``, ``s1``, ... in this order: equal sets of several nests are one."""
    for position, name in enumerate(points.get_var_names(_PARAM)):
        if name != _name(position):
            points = points.set_dim_name(_PARAM, position, _name(position))
    return points


def _name(position: int) -> str:
    return f"s{position}"


@remembered
def _parameters(names: tuple[str, ...]) -> Any:
    return isl.Set(f"[{', '.join(names)}] -> {{ : }}").get_space()


def _coalesced(points: Any) -> Any:
    """Return the same points in fewer pieces, or as they are where that takes too long."""
    try:
        with Budget(_SIMPLIFICATION_BUDGET):
            return points.coalesce()
    except OverBudget:
        return points


@remembered
@_limited
def union(some: tuple[Points, ...]) -> Points:
    """Return one or more sets in one, in as few pieces as isl finds; raises ``OverBudget`` after the deadline."""
    parts = [each._isl for each in some]
    while len(parts) > 1:  # by halves: every step copies what it unites
        check()
        rest = parts[len(parts) // 2 * 2 :]
        parts = [first.union(second) for first, second in zip(parts[::2], parts[1::2], strict=False)] + rest
    return Points(_coalesced(parts[0]))


@_limited
def box(some: Sequence[Points]) -> Points:
    """Return the product of the ranges of each set's last dimension; the first has one dimension, the next two, ..."""
    last = [each._isl.project_out(_SET, 0, each._isl.dim(_SET) - 1) for each in some]
    found = last[0]
    for each in last[1:]:
        found = found.flat_product(each)
    return Points(found)


@remembered
@_limited
def _image(relation: Relation, domain: Points) -> Points:
    return Points(_coalesced(domain._isl.apply(relation._isl)))


@remembered
@_limited
def first_image(relation: Relation, domain: Points, image: Relation) -> Relation:
    """Map all that ``relation`` reaches from ``domain`` to the lexicographically smallest image of where from."""
    return Relation(relation._isl.intersect_domain(domain._isl).reverse().apply_range(image._isl).lexmin())


@remembered
@_limited
def _fixed(points: Points, numbers: tuple[int, ...]) -> Points:
    result = points._isl
    for position, number in enumerate(numbers):
        result = result.fix_val(_PARAM, position, isl.Val(number))
    return Points(_coalesced(result.project_out(_PARAM, 0, len(numbers))))


@remembered
@_limited
def _where_before(left: Relation, right: Relation) -> Points:
    both = left._isl.flat_range_product(right._isl)
    return Points(both.intersect_range(_earlier(left._isl.dim(_OUT))).domain())


@remembered
def _earlier(length: int) -> Any:
    """Return pairs of vectors of which the first is lexicographically smaller.

    This is faster than isl's own order of two maps.
    """
    first, second = ([f"{name}{k}" for k in range(length)] for name in "ab")
    same = [f"a{k} = b{k}" for k in range(length)]
    cases = (" and ".join([*same[:k], f"a{k} < b{k}"]) for k in range(length))
    return isl.Set(f"{{ [{', '.join([*first, *second])}] : {' or '.join(cases)} }}")


@remembered
@_limited
def points(text: str) -> Points:
    """Parse isl's notation of a set."""
    return Points(isl.Set(text))


@remembered
@_limited
def relation(text: str) -> Relation:
    """Parse isl's notation of a map."""
    return Relation(isl.Map(text))


class Budget:
    """Limits isl's operations while in the ``with`` block and makes exceeding them into :class:`OverBudget`.

    So it does with what isl cannot do: ``lexmin`` of some relations with divisions ends in an internal error.
    For isl's own operations only, never for counting: barvinok does not survive isl's giving up.
    """

    def __init__(self, operations: int) -> None:
        """``operations`` is isl's own unit, some 2e6 per second; 0 means no limit."""
        self._operations = operations
        self._context = isl.DEFAULT_CONTEXT
        self._around = 0

    def __enter__(self) -> None:
        """Start counting; a budget inside another starts anew."""
        self._around = self._context.get_max_operations()
        self._context.reset_operations()
        self._context.set_max_operations(self._operations)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        """Stop counting; isl reports an exceeded quota in many words, even as a syntax error."""
        self._context.set_max_operations(self._around)
        self._context.reset_operations()
        if kind is isl.Error:
            raise OverBudget from error


class _Plain(Struct, frozen=True, eq=False):
    """A set that equals only what isl sees at once to be the same; its own ``==`` can take seconds."""

    points: Any

    def __hash__(self) -> int:
        return hash(self.points)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Plain) and bool(self.points.plain_is_equal(other.points))


@remembered
def _counted(plain: _Plain, symbols: tuple[Poly, ...]) -> Count | None:
    """Return the number of points, or None where the budget does not suffice."""
    points = plain.points
    if not _may_hang(points) and not _may_be_slow(points):
        card = _card(plain)
        try:
            with Budget(operations()):
                return _to_count(card, symbols)
        except OverBudget:
            return None
    check()
    found = _counted_apart(plain)
    return None if found is None else _renamed(found, symbols)


@remembered
def _card(plain: _Plain) -> Any:
    return plain.points.card()


@remembered
def _counted_apart(plain: _Plain) -> Count | None:
    """Return the number of points in the names of the parameters, counted in children; None where it takes too long."""
    points = plain.points
    symbols = [var(name) for name in points.get_var_names(_PARAM)]
    if _may_hang(points):
        return _count_in_child([points], symbols, _NUMERIC_S)
    pieces = points.n_basic_set()
    if pieces == 1:
        return _count_in_child([points], symbols, _WHOLE_S + _PARTS_S)
    found = _count_in_child([points], symbols, _WHOLE_S) if pieces <= _FEW_PIECES else None
    if found is None:
        parts = _parts(points)
        if parts and all(_is_flat(part) for part in parts):
            return _sum(parts, symbols)
        found = _count_in_child(parts, symbols, _PARTS_S) if parts else None
    return found


def _renamed(count: Count, symbols: Sequence[Poly]) -> Count:
    """Return a count in the names of the parameters as one in these symbols."""
    values = {_name(position): symbol for position, symbol in enumerate(symbols)}
    families = {family: _family() for chamber in count.chambers for family in chamber.families}
    chambers = []
    for chamber in count.chambers:
        guard = (Constraint(item.expression.substitute(values), item.equality) for item in chamber.guard)
        members = frozenset(families[family] for family in chamber.families)
        chambers.append(Chamber(tuple(guard), chamber.value.substitute(values), members))
    return Count(tuple(chambers))


def _may_hang(points: Any) -> bool:
    """Return whether there are many dimensions, or divisions without symbols.

    Most of these are counted in milliseconds, but some would take hours.
    """
    if not hasattr(os, "fork"):
        return False
    if points.dim(_SET) >= _MANY_DIMENSIONS:
        return True
    if points.dim(_PARAM):
        return False
    divisions: int = sum(piece.dim(_DIV) for piece in points.get_basic_sets())
    return divisions >= _MANY_DIVISIONS


def _may_be_slow(points: Any) -> bool:
    """Return whether there are symbols with divisions, many pieces, dimensions or bounds: others take under 20 ms."""
    symbols, pieces = points.dim(_PARAM), points.get_basic_sets()
    divisions = sum(piece.dim(_DIV) for piece in pieces)
    constraints = sum(piece.n_constraint() for piece in pieces)
    if constraints <= _FEW_CONSTRAINTS:
        return False
    many = symbols * len(pieces) > 8 or symbols * constraints > _MANY_BOUNDS or symbols * points.dim(_SET) > _DEEP
    hard = (many and (divisions or not _has_few_ranges(pieces))) or (divisions and symbols + divisions > 2)
    return bool(symbols and hard and hasattr(os, "fork"))


def _has_few_ranges(pieces: Sequence[Any]) -> bool:
    """Return whether convex sets of few dimensions differ in little but conditions on symbols: never over 30 ms.

    Conditions such as ``s0 < 0 or s0 > 0`` multiply the pieces, and cost hardly anything.
    """
    dimensions = pieces[0].dim(_SET)
    if dimensions > _FLAT:
        return False
    ranges = {
        frozenset(str(one) for one in piece.get_constraints() if one.involves_dims(_SET, 0, dimensions))
        for piece in pieces
    }
    return len(ranges) <= _FEW_RANGES and all(len(bounds) <= _BOUNDS_OF_A_RANGE for bounds in ranges)


def _is_flat(part: Any) -> bool:
    """Return whether a convex set is counted in at most a few milliseconds, however many symbols there are."""
    (piece,) = part.get_basic_sets()
    return not piece.dim(_DIV) and piece.n_constraint() <= _FEW_BOUNDS and _has_few_ranges([piece])


def _parts(points: Any) -> list[Any]:
    """Return convex sets without common points, none where they are too many: each has fewer cases than their union."""
    try:
        with Budget(_DISJOINT_BUDGET):
            parts = points.make_disjoint().coalesce().get_basic_sets()
    except OverBudget:
        return []
    return [isl.Set.from_basic_set(part) for part in parts] if len(parts) <= _MOST_PIECES else []


def _count_in_child(parts: Sequence[Any], symbols: Sequence[Poly], seconds: float) -> Count | None:
    """Count in a child process with a limit on its CPU time; None where that does not suffice.

    Barvinok cannot be interrupted, and crashes where isl gives up on it; a child costs 10 to 30 ms.  Raises
    ``OverBudget`` where a deadline left less than the limit: with more time there may be an answer.
    """

    limit_s = at_most(seconds)

    def work(sender: int) -> int:
        with open(os.devnull, "w") as silent:
            os.dup2(silent.fileno(), 2)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        CpuTimer("SIGVTALRM", "ITIMER_VIRTUAL").set(limit_s)
        found = _sum(parts, symbols)
        with open(sender, "wb") as pipe:
            pickle.dump(found, pipe)
        return 0

    child, receiver = fork(work)
    with open(receiver, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    count_children()
    if not status and answer:
        found: Count | None = pickle.loads(answer)
        return found
    if limit_s < seconds:
        raise OverBudget
    return None


def _sum(parts: Iterable[Any], symbols: Sequence[Poly]) -> Count | None:
    counts: list[Count] = []
    for part in parts:
        found = _to_count(part.card(), symbols)
        if found is None:
            return None
        counts.append(found)
    found = total(counts)
    return found if len(found.chambers) <= _MOST_PIECES else None


def _to_count(result: Any, symbols: Sequence[Poly]) -> Count | None:
    """Return the Barvinok's result as plain values; None where it has too many cases, or none that is finite."""
    counts: list[Count] = []
    apart = frozenset({_family()})
    pieces = result.get_pieces()
    if len(pieces) > _MOST_PIECES or any(value.is_infty() for _, value in pieces):
        return None
    for domain, value in pieces:
        polynomial = _to_poly(value, symbols)
        if polynomial.terms:
            counts.extend(Count((Chamber(guard, polynomial, apart),)) for guard in _disjoint_guards(domain, symbols))
    return total(counts)


def _family() -> str:
    """Return a name like no other, also of other processes, and plain data."""
    return os.urandom(8).hex()


def _disjoint_guards(domain: Any, symbols: Sequence[Poly]) -> list[tuple[Constraint, ...]]:
    """Return one conjunction of constraints per disjoint basic set; existential variables become integer divisions."""
    guards = []
    if domain.n_basic_set() > 1:
        domain = domain.make_disjoint()
    for basic in domain.compute_divs().get_basic_sets():
        local = basic.get_local_space()
        divisions = [_affine(local.get_div(position), symbols) for position in range(basic.dim(_DIV))]
        found = []
        for constraint in basic.get_constraints():
            expression = const(_number(constraint.get_constant_val()))
            expression += _weighted(constraint, _PARAM, symbols) + _weighted(constraint, _DIV, divisions)
            found.append(Constraint(expression, bool(constraint.is_equality())))
        guards.append(tuple(found))
    return guards


def _weighted(source: Any, kind: Any, values: Sequence[Poly]) -> Poly:
    """Return the sum of coefficient times value over the dimensions of one kind."""
    result = ZERO
    for position, value in enumerate(values):
        weight = _number(source.get_coefficient_val(kind, position))
        if weight:
            result += value * weight
    return result


def _affine(aff: Any, symbols: Sequence[Poly]) -> Poly:
    """Return an integer division of isl as ``floor(numerator / denominator)``."""
    denominator = _number(aff.get_denominator_val())
    value = const(_number(aff.get_constant_val())) + _weighted(aff, _PARAM, symbols)
    for position in range(aff.dim(_DIV)):  # a division's space lists itself too, with weight 0
        weight = _number(aff.get_coefficient_val(_DIV, position))
        if weight:
            value += _affine(aff.get_div(position), symbols) * weight
    return floor_div(value * denominator, int(denominator))


def _to_poly(value: Any, symbols: Sequence[Poly]) -> Poly:
    sums: dict[Monomial, Number] = {}
    divisions: dict[int, Poly] = {}
    for term in value.get_terms():
        product = const(_number(term.get_coefficient_val()))
        for position, symbol in enumerate(symbols):
            product = _times(product, symbol, term.get_exp(_PARAM, position))
        for position in range(term.dim(_DIV)):
            exponent = term.get_exp(_DIV, position)
            if exponent and position not in divisions:
                divisions[position] = _affine(term.get_div(position), symbols)
            if exponent:
                product = _times(product, divisions[position], exponent)
        for monomial, number in product.terms.items():
            sums[monomial] = sums.get(monomial, 0) + number
    return Poly({m: n if n.denominator > 1 else int(n) for m, n in sums.items() if n})


def _times(product: Poly, base: Poly, exponent: int) -> Poly:
    for _ in range(exponent):
        product = product * base
    return product


def _number(value: Any) -> Number:
    text = value.to_str()
    return Fraction(text) if "/" in text else int(text)
