"""The only door to isl and barvinok: integer sets and maps built from text, combined, and counted.

No isl object leaves this module except inside :class:`Points` and :class:`Relation`.  Symbols and iterators travel
under plain names (``s0``, ``i1``), because C++ names such as ``this->n`` are no isl identifiers;
:class:`~.formula.Names` keeps the mapping.  Counting is barvinok's ``card``;
one call takes 0.3 to 10 ms on ordinary nests.
"""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import islpy as isl

from ..ir.index import ONE, ZERO, Number, Poly, const, floor_div
from .quasi import Chamber, Constraint, Count, total

_PARAM, _SET, _IN, _OUT, _DIV = (
    isl.dim_type.param,
    isl.dim_type.set,
    isl.dim_type.in_,
    isl.dim_type.out,
    isl.dim_type.div,
)


_LONGEST_COUNT_S = 0.1
_HULL_BUDGET = 200_000
_FEW_CONSTRAINTS = 5
_MOST_PIECES = 40


class OverBudget(Exception):
    """Isl used more operations than allowed; the caller gives a weaker answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A set of integer points, possibly parametric."""

    _isl: Any

    def __or__(self, other: Points) -> Points:
        """Union."""
        return Points(self._isl.union(other._isl))

    def __and__(self, other: Points) -> Points:
        """Intersection."""
        return Points(self._isl.intersect(other._isl))

    def __sub__(self, other: Points) -> Points:
        """Difference."""
        return Points(self._isl.subtract(other._isl))

    def is_plainly(self, other: Points) -> bool:
        """True where both are obviously the same set; cheap, and may miss equal ones."""
        return bool(self._isl.plain_is_equal(other._isl))

    def without_determined(self, positions: Iterable[int]) -> Points:
        """Project out those dimensions that the others determine: the number of points stays, counting gets easier.

        The origin of a tile is determined by any point in it: ``{[ii, i]}`` of a tiled loop becomes ``{[i]}``.
        """
        current = self._isl
        for position in sorted(positions, reverse=True):
            if current.dim(_SET) < 2:
                break
            relation = isl.Map.from_domain(current).move_dims(_OUT, 0, _IN, position, 1)
            if relation.is_single_valued():
                current = relation.domain().coalesce()
        return Points(current)

    def coalesced(self) -> Points:
        """The same points in fewer pieces: what keeps counting overlapping neighbours cheap."""
        return Points(self._isl.coalesce())

    def hull(self) -> Points:
        """A convex superset without integer divisions; raises ``OverBudget`` where that takes too long."""
        with Budget(_HULL_BUDGET):
            return Points(isl.Set.from_basic_set(self._isl.polyhedral_hull()))

    def without_last(self) -> Points:
        """Project out the last dimension."""
        return Points(self._isl.project_out(_SET, self._isl.dim(_SET) - 1, 1))

    def count(self, meaning: Mapping[str, Poly]) -> Count:
        """Exact number of points; ``meaning`` gives the polynomial that each parameter stands for.

        Raises ``OverBudget`` where counting takes longer than ``_LONGEST_COUNT_S``, where the result has more cases
        than anyone could read, or where there is no bound.
        """
        card = _card_in_child(self._isl) if _may_be_slow(self._isl) else self._isl.card()
        return _to_count(card, meaning)


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A relation between integer points."""

    _isl: Any

    def __or__(self, other: Relation) -> Relation:
        """Union."""
        return Relation(self._isl.union(other._isl))

    def on(self, domain: Points) -> Relation:
        """Restricted to a domain."""
        return Relation(self._isl.intersect_domain(domain._isl))

    def image(self, domain: Points) -> Points:
        """The points that some point of ``domain`` is related to."""
        return Points(domain._isl.apply(self._isl).coalesce())

    @property
    def range(self) -> Points:
        """Everything that something is related to."""
        return Points(self._isl.range())

    @property
    def inverse(self) -> Relation:
        """The relation the other way round."""
        return Relation(self._isl.reverse())

    def then(self, other: Relation) -> Relation:
        """First this relation, then the other."""
        return Relation(self._isl.apply_range(other._isl))

    def least(self) -> Relation:
        """For each point of the domain, the lexicographically smallest related point."""
        return Relation(self._isl.lexmin())

    def where_before(self, other: Relation) -> Points:
        """Points of the domain whose (single) image here is lexicographically before the one in ``other``."""
        pairs = self._isl.lex_lt_map(other._isl)
        return Points(pairs.intersect(isl.Map.identity(pairs.get_space())).domain())

    @property
    def domain(self) -> Points:
        """Everything that is related to something."""
        return Points(self._isl.domain())


def points(text: str) -> Points:
    """Parse isl's notation of a set."""
    return Points(isl.Set(text))


def relation(text: str) -> Relation:
    """Parse isl's notation of a map."""
    return Relation(isl.Map(text))


class Budget:
    """Limits isl's operations while in the ``with`` block and turns exceeding them into :class:`OverBudget`.

    For isl's own operations only, never for counting: barvinok does not survive isl's giving up.
    """

    def __init__(self, operations: int) -> None:
        """``operations`` is isl's own unit, some 2e6 per second; 0 means no limit."""
        self._operations = operations
        self._context = isl.DEFAULT_CONTEXT

    def __enter__(self) -> None:
        """Start counting."""
        self._context.reset_operations()
        self._context.set_max_operations(self._operations)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        """Stop counting; isl reports an exceeded quota in many words, even as a syntax error."""
        self._context.set_max_operations(0)
        self._context.reset_operations()
        if kind is isl.Error and self._operations:
            raise OverBudget from error


def _may_be_slow(points: Any) -> bool:
    """Symbols with integer divisions or many pieces: the only sets on which counting was seen to take over 20 ms."""
    symbols, pieces = points.dim(_PARAM), points.get_basic_sets()
    divisions = sum(piece.dim(_DIV) for piece in pieces)
    if sum(piece.n_constraint() for piece in pieces) <= _FEW_CONSTRAINTS:
        return False
    hard = symbols * len(pieces) > 8 or (divisions and symbols + divisions > 2)
    return bool(symbols and hard and hasattr(os, "fork"))


def _card_in_child(points: Any) -> Any:
    """Count in a child process with a limit on its CPU time.

    Barvinok cannot be interrupted, and crashes where isl gives up on it; a child costs 2 ms.
    """
    receiver, sender = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads: the child only counts and ends
        child = os.fork()
    if child == 0:
        with open(os.devnull, "w") as silent:
            os.dup2(silent.fileno(), 2)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST_COUNT_S)
        try:
            with open(sender, "w") as pipe:
                pipe.write(str(points.card()))
        finally:
            os._exit(0)
    os.close(sender)
    with open(receiver) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status or not text:
        raise OverBudget
    return isl.PwQPolynomial(text)


def _to_count(result: Any, meaning: Mapping[str, Poly]) -> Count:
    counts: list[Count] = []
    pieces = result.get_pieces()
    if len(pieces) > _MOST_PIECES:
        raise OverBudget
    for domain, value in pieces:
        if value.is_infty():
            raise OverBudget
        symbols = [meaning[domain.get_dim_name(_PARAM, position)] for position in range(domain.dim(_PARAM))]
        polynomial = _to_poly(value, symbols)
        if polynomial.terms:
            counts.extend(Count((Chamber(guard, polynomial),)) for guard in _disjoint_guards(domain, symbols))
    return total(counts)


def _disjoint_guards(domain: Any, symbols: Sequence[Poly]) -> list[tuple[Constraint, ...]]:
    """One conjunction of constraints per disjoint basic set; existential variables become integer divisions."""
    guards = []
    for basic in domain.compute_divs().make_disjoint().get_basic_sets():
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
    """Sum of coefficient times value over the dimensions of one kind."""
    result = ZERO
    for position, value in enumerate(values):
        weight = _number(source.get_coefficient_val(kind, position))
        if weight:
            result += value * weight
    return result


def _affine(aff: Any, symbols: Sequence[Poly]) -> Poly:
    """An integer division of isl as ``floor(numerator / denominator)``."""
    denominator = _number(aff.get_denominator_val())
    value = const(_number(aff.get_constant_val())) + _weighted(aff, _PARAM, symbols)
    for position in range(aff.dim(_DIV)):  # a division's space lists itself too, with weight 0
        weight = _number(aff.get_coefficient_val(_DIV, position))
        if weight:
            value += _affine(aff.get_div(position), symbols) * weight
    return floor_div(value * denominator, int(denominator))


def _to_poly(value: Any, symbols: Sequence[Poly]) -> Poly:
    result = ZERO
    for term in value.get_terms():
        product = const(_number(term.get_coefficient_val()))
        for position, symbol in enumerate(symbols):
            product *= _power(symbol, term.get_exp(_PARAM, position))
        for position in range(term.dim(_DIV)):
            exponent = term.get_exp(_DIV, position)
            if exponent:
                product *= _power(_affine(term.get_div(position), symbols), exponent)
        result += product
    return result


def _power(base: Poly, exponent: int) -> Poly:
    result = ONE
    for _ in range(exponent):
        result = result * base
    return result


def _number(value: Any) -> Number:
    number = Fraction(str(value))
    return int(number) if number.denominator == 1 else number
