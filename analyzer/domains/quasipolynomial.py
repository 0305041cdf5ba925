"""Exact counts as plain Python values: quasi-polynomials in the symbols, each tied to where it holds.

A :class:`Count` is a *guarded sum*: the sum of the values of those chambers whose constraints hold.  Barvinok's
result for one set has disjoint chambers; adding two counts concatenates chambers and merges equal guards, so that sums
need no set operation.  Source of the form: Verdoolaege et al., *Counting integer points in parametric polytopes using
Barvinok's rational functions*, Algorithmica 48 (2007).

>>> from analyzer.ir.index import var
>>> n = var("N")
>>> triangle = Count((Chamber((Constraint(n - 1),), n * n * Fraction(1, 2) + n * Fraction(1, 2)),))
>>> triangle.evaluate({"N": 4}), triangle.evaluate({"N": 0}), str(triangle)
(10, 0, '1/2*N^2 + 1/2*N')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, repeat
from math import lcm
from operator import itemgetter, mul

from msgspec import Struct

from ..ir.index import Atom, Extremum, FloorDiv, Monomial, Number, Poly, TruncDiv, const, var
from .chambers import Chamber, Constraint, cut

_LARGE = 10**9 + 7  # stands for large symbols; a prime, hence no multiple of a small period
_PIECES, _STEPS = 3, 2000  # pieces that are printed, and steps spent on simplifying chambers
_LONGEST_PERIOD = 64


class Count(Struct, frozen=True, eq=False, dict=True):
    """A guarded sum of quasi-polynomials; see the module."""

    chambers: tuple[Chamber, ...] = ()

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Return the names that the count depends on."""
        names: set[str] = set()
        for chamber in self.chambers:
            names |= chamber.value.names()
            for constraint in chamber.guard:
                names |= constraint.expression.names()
        return frozenset(names)

    @cached_property
    def _large(self) -> dict[str, Number]:
        """Large values of the symbols: of the orders tried, the first whose chamber shows the most symbols."""
        names = sorted(self.symbols)
        best: tuple[int, dict[str, Number]] = (-1, {})
        for order in (_nearly_equal(names), _nearly_equal(names[::-1]), _far_apart(names), _far_apart(names[::-1])):
            shown = self._symbols_shown(order)
            best = max(best, (shown, order), key=itemgetter(0))
            if shown == len(names) or len(names) < 2:
                break
        return best[1]

    def _symbols_shown(self, values: Mapping[str, Number]) -> int:
        shown = (c.value.names() for c in self.chambers if all(k.holds(values) for k in c.guard))
        return len(frozenset().union(*shown))

    @property
    def constant(self) -> Number | None:
        """Return the value where no symbol is involved, else None."""
        return None if self.symbols else self.evaluate({})

    @property
    def is_zero(self) -> bool:
        """True where nothing is counted whatever the symbols are."""
        return all(not chamber.value.terms for chamber in self.chambers)

    def __add__(self, other: Count) -> Count:
        """Sum."""
        return total((self, other))

    def __sub__(self, other: Count) -> Count:
        """Difference."""
        return weighted(((self, 1), (other, -1)))

    def __mul__(self, factor: Number) -> Count:
        """Multiple."""
        return weighted(((self, factor),))

    __rmul__ = __mul__

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the exact value; raises ``KeyError`` where a symbol has no value."""
        key = tuple([values[name] for name in self._ordered])
        if key not in self._values:
            self._values[key] = self._evaluated(values)
        return self._values[key]

    @cached_property
    def _ordered(self) -> tuple[str, ...]:
        return tuple(self.symbols)

    @cached_property
    def _values(self) -> dict[tuple[Number, ...], Number]:
        """The values worked out so far: reports ask for the same few again and again."""
        return {}

    def _evaluated(self, values: Mapping[str, Number]) -> Number:
        result: Number = 0
        for chamber in self.chambers:
            if all(constraint.holds(values) for constraint in chamber.guard):
                result += chamber.value.evaluate(values)
        return int(result) if isinstance(result, Fraction) and result.denominator == 1 else result

    def bind(self, values: Mapping[str, Number]) -> Count:
        """Put values in for some symbols; chambers that are then impossible go away."""
        if self.symbols.isdisjoint(values):
            return self
        bound: list[Chamber] = []
        for chamber in self.chambers:
            guard: list[Constraint] = []
            for constraint in chamber.guard:
                expression = constraint.expression.substitute(values)
                if expression.names():
                    guard.append(Constraint(expression, constraint.equality))
                elif not Constraint(expression, constraint.equality).holds({}):
                    break
            else:
                bound.append(Chamber(tuple(guard), chamber.value.substitute(values), chamber.families))
        return total([Count(tuple(bound))])

    @cached_property
    def generic(self) -> Poly:
        """Return the polynomial for large symbols: what people write on paper.

        Where the order of the symbols matters (``N`` above or below ``M``) one chamber is shown, and
        :attr:`is_single` is False.
        """
        return without_periods(self.large)

    @cached_property
    def large(self) -> Poly:
        """:attr:`generic` before what cancels is taken out of it."""
        terms: dict[Monomial, Number] = {}
        for chamber in filter(self._is_large, self.chambers):
            for monomial, number in chamber.value.terms.items():
                terms[monomial] = terms.get(monomial, 0) + number
        return Poly(_whole(terms))

    @cached_property
    def leading(self) -> tuple[Fraction, int]:
        """Return the factor and degree of the leading term of :attr:`generic` when all symbols grow alike."""
        by_degree = _by_degree(self.large)
        most = max(by_degree, default=0)
        return (by_degree[most], most) if by_degree.get(most) else _leading(self.generic)

    @cached_property
    def conditions(self) -> tuple[Constraint, ...]:
        """Return the constraints under which :attr:`generic` is the exact value (strongest of each form, sorted)."""
        kept: dict[Poly, Number] = {}
        equalities: list[Constraint] = []
        for chamber in filter(self._is_large, self.chambers):
            for constraint in chamber.guard:
                if constraint.equality:
                    equalities.append(constraint)
                    continue
                offset = constraint.expression.terms.get((), 0)
                slope = constraint.expression - offset
                kept[slope] = min(offset, kept.get(slope, offset))
        found = [*equalities, *(Constraint(slope + offset) for slope, offset in kept.items())]
        return tuple(sorted(set(found), key=str))

    @cached_property
    def is_single(self) -> bool:
        """True where the generic polynomial holds in every chamber where anything is counted at all."""
        if len(self.chambers) <= 1:
            return all(self._is_large(chamber) for chamber in self.chambers)
        parts, whole = self._elsewhere
        return whole and all(self._agrees(part) for part in parts)

    @cached_property
    def _elsewhere(self) -> tuple[tuple[Chamber, ...], bool]:
        """Where large symbols are not: parts with the whole value there, and whether these are all."""
        found: dict[frozenset[Constraint], Chamber] = {}
        whole = True
        large = [chamber for chamber in self.chambers if self._is_large(chamber)]
        small = [chamber for chamber in self.chambers if not self._is_large(chamber)]
        for index, chamber in enumerate(small):
            others = (*large, *small[:index], *small[index + 1 :])
            parts, all_of_it = cut(chamber, others, frozenset(range(len(large))), _STEPS // len(small))
            if not all_of_it and _is_degenerate(chamber):
                parts.append(chamber)
            else:
                whole &= all_of_it
            found.update((part.place, part) for part in parts)
        return tuple(found.values()), whole

    def __str__(self) -> str:
        """The generic polynomial, and what holds elsewhere where that differs (sizes of 0, 1 and 2 are left out)."""
        return self._shown

    @cached_property
    def _shown(self) -> str:
        if self.is_single:
            return str(self.generic)
        parts, whole = self._elsewhere
        other = [part for part in parts if not (self._agrees(part) or _is_degenerate(part))]
        pieces = [f"{without_periods(c.value)} if {' and '.join(map(str, c.guard))}" for c in other[:_PIECES]]
        more = ["..."] if len(other) > _PIECES or not whole else []
        return "; ".join([*pieces, *more, f"else {self.generic}"]) if pieces or more else str(self.generic)

    def _is_large(self, chamber: Chamber) -> bool:
        return all(constraint.holds(self._large) for constraint in chamber.guard)

    def _agrees(self, chamber: Chamber) -> bool:
        """Return whether the generic polynomial has this chamber's value in it."""
        difference = self.generic - chamber.value
        for constraint in chamber.guard:
            if constraint.equality:
                difference = _solved(difference, constraint.expression)
        return not without_periods(difference).terms


def _nearly_equal(names: Sequence[str]) -> dict[str, Number]:
    """Large values, each a little larger than the one before."""
    return {name: _LARGE + 1000 * rank for rank, name in enumerate(names)}


def _far_apart(names: Sequence[str]) -> dict[str, Number]:
    """Large values, each far larger than the one before."""
    return dict(zip(names, accumulate(repeat(_LARGE), mul), strict=False))


NOTHING = Count()


def fixed(value: Number) -> Count:
    """Return a count that depends on no symbol."""
    return Count((Chamber((), const(value)),)) if value else NOTHING


def polynomial(value: Poly) -> Count:
    """Return a count that is a polynomial everywhere."""
    return Count((Chamber((), value),)) if value.terms else NOTHING


def total(counts: Iterable[Count]) -> Count:
    """Return the sum of many counts, with chambers of equal guards merged."""
    return weighted((count, 1) for count in counts)


def weighted(parts: Iterable[tuple[Count, Number]]) -> Count:
    """Return the sum of multiples of counts, with chambers of equal guards merged."""
    factors: dict[int, tuple[Count, Number]] = {}
    for count, factor in parts:  # many statements share one count
        if factor and count.chambers:
            factors[id(count)] = (count, factor + factors.get(id(count), (count, 0))[1])
    found = [*factors.values()]
    if len(found) == 1 and len(found[0][0].chambers) == 1:
        count, factor = found[0]
        chamber = count.chambers[0]
        value = chamber.value * factor
        return count if factor == 1 else Count((chamber.with_value(value),) if value.terms else ())
    sums: dict[frozenset[Constraint], tuple[Chamber, dict[Monomial, Number], set[str]]] = {}
    for count, factor in found:
        for chamber in count.chambers:
            _, terms, families = sums.setdefault(chamber.place, (chamber, {}, set()))
            families |= chamber.families
            for monomial, number in chamber.value.terms.items():
                terms[monomial] = terms.get(monomial, 0) + number * factor
    chambers = [(chamber, _whole(terms), frozenset(families)) for chamber, terms, families in sums.values()]
    return Count(tuple(chamber.with_value(Poly(terms), families) for chamber, terms, families in chambers if terms))


def _whole(terms: Mapping[Monomial, Number]) -> dict[Monomial, Number]:
    """Without what cancelled, and whole numbers as such."""
    return {m: n if n.denominator > 1 else int(n) for m, n in terms.items() if n}


def _is_degenerate(chamber: Chamber) -> bool:
    """Return whether the guard holds some symbol to at most 2: nests that hardly run."""
    for constraint in chamber.guard:
        slopes = [(m, n) for m, n in constraint.expression.terms.items() if m]
        bound = constraint.expression.terms.get((), 0)
        if not constraint.equality and len(slopes) == 1 and slopes[0][1] < 0 and bound <= -2 * slopes[0][1]:
            return True
    return False


@lru_cache(maxsize=256)
def without_periods(poly: Poly) -> Poly:
    """Rewrite integer divisions that cancel: ``4*floor(n/4) + (n mod 4)`` is ``n``.

    For one symbol after the other the value is compared over all residues of its period; where every residue gives the
    same polynomial, that is the value.
    """
    periods = _periods(poly)
    for symbol in sorted(periods):
        period = lcm(*periods.get(symbol, ()))
        if not 1 < period <= _LONGEST_PERIOD:
            continue
        candidates = set()
        for residue in range(period):
            turn = poly.substitute({symbol: var("#") * period + residue})
            candidates.add(turn.substitute({"#": (var(symbol) - residue) * Fraction(1, period)}))
            if len(candidates) > 1:
                break
        else:
            poly = candidates.pop()
            periods = _periods(poly)
    return poly


def _periods(poly: Poly) -> dict[str, set[int]]:
    """Return denominators of the integer divisions that involve a symbol, for each that is in any."""
    found: dict[str, set[int]] = {}
    for atom in {atom for atom in poly.atoms() if isinstance(atom, FloorDiv)}:
        inner = _periods(atom.numerator)
        number = atom.denominator.constant or 0
        for symbol in atom.numerator.names():
            found.setdefault(symbol, set()).update((number,), inner.get(symbol, ()))
    return found


def _solved(poly: Poly, equation: Poly) -> Poly:
    """Put the solution of ``equation == 0`` for one of its symbols into a polynomial, where that is simple."""
    for monomial, number in equation.terms.items():
        if len(monomial) == 1 and isinstance(monomial[0], str):
            symbol = monomial[0]
            rest = equation - Poly({monomial: number})
            if symbol not in rest.names():
                return poly.substitute({symbol: rest * Fraction(-1, 1) * (1 / Fraction(number))})
    return poly


class Growth(Struct, frozen=True):
    """Leading behaviour of a ratio for large symbols: ``factor * symbols^power``; a limit when ``power`` is 0."""

    factor: Fraction
    power: int


def growth(numerator: Count, denominator: Count) -> Growth | None:
    """Leading behaviour of ``numerator / denominator`` when all symbols grow alike; None for a zero denominator."""
    top, bottom = numerator.leading, denominator.leading
    if bottom[0] == 0:
        return None
    if top[0] == 0:
        return Growth(Fraction(0), 0)
    return Growth(Fraction(top[0]) / Fraction(bottom[0]), top[1] - bottom[1])


def _leading(poly: Poly) -> tuple[Fraction, int]:
    """Return the coefficient and degree of the leading term in one common variable (floors become rational slopes)."""
    by_degree = _by_degree(poly)
    present = [degree for degree, factor in by_degree.items() if factor]
    return (by_degree[max(present)], max(present)) if present else (Fraction(0), 0)


def _by_degree(poly: Poly) -> dict[int, Fraction]:
    by_degree: dict[int, Number] = {}
    for monomial, number in poly.terms.items():
        factor, degree = number, len(monomial)
        for atom in monomial:
            if not isinstance(atom, str):
                slope, power = _atom_growth(atom)
                factor *= slope
                degree += power - 1
        by_degree[degree] = by_degree.get(degree, 0) + factor
    return {degree: Fraction(factor) for degree, factor in by_degree.items()}


def _atom_growth(atom: Atom) -> tuple[Fraction, int]:
    match atom:
        case FloorDiv() | TruncDiv():
            top, bottom = _leading(atom.numerator), _leading(atom.denominator)
            return (top[0] / bottom[0], top[1] - bottom[1]) if bottom[0] else (Fraction(1), 1)
        case Extremum():
            ranked = sorted((_leading(operand) for operand in atom.operands), key=lambda lead: (lead[1], lead[0]))
            return ranked[-1] if atom.largest else ranked[0]
        case _:
            return (Fraction(1), 1)
