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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from msgspec import Struct

from ..ir.index import Monomial, Number, Poly, Power, Sum, Tree, const
from ..python.cached_property import cached_property
from .chambers import Chamber, Constraint, joined
from .defined import outside_logarithms
from .large_values import large_values, polys_of, somewhere_large
from .periods import without_periods
from .powers_of_two import for_powers_of_two, is_of_small_powers
from .small_sizes import cut_apart, is_degenerate

_PIECES = 3  # that are printed
_TEXTS = 1024  # formulas of which the text is remembered


class Count(Struct, frozen=True, eq=False, dict=True):
    """A guarded sum of quasi-polynomials; see the module."""

    chambers: tuple[Chamber, ...] = ()

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Return the names that the count depends on."""
        return frozenset().union(*[chamber.symbols for chamber in self.chambers])

    @cached_property
    def _large(self) -> dict[str, Number]:
        return large_values((self.chambers,))

    def holding(self, values: Mapping[str, Number]) -> tuple[Chamber, ...]:
        """Return the chambers that these values are in."""
        return tuple(chamber for chamber in self.chambers if chamber.holds(values))

    def at_point(self, values: Mapping[str, Number]) -> Poly:
        """Return the polynomial that is the count at these values and near them."""
        terms: dict[Monomial, Number] = {}
        for chamber in self.holding(values):
            for monomial, number in chamber.value.terms.items():
                terms[monomial] = terms.get(monomial, 0) + number
        return Poly(_whole(terms))

    @property
    def constant(self) -> Number | None:
        """Return the value where no symbol is involved, else None."""
        return None if self.symbols else self.evaluate({})

    @property
    def is_zero(self) -> bool:
        """Return true where nothing is counted whatever the symbols are."""
        return all(not chamber.value.terms for chamber in self.chambers)

    def equals(self, other: Count) -> bool:
        """Return true where both are known to be the same number for all sizes, also with other chambers."""
        if self is other or (self - other).is_zero:
            return True
        one, another = (Count(tuple(joined(count.chambers))) for count in (self, other))
        return (one - another).is_zero

    def __add__(self, other: Count) -> Count:
        """Return the sum."""
        return total((self, other))

    def __sub__(self, other: Count) -> Count:
        """Return the difference."""
        return weighted(((self, 1), (other, -1)))

    def __mul__(self, factor: Number) -> Count:
        """Return the multiple."""
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
        """Return the values worked out so far: reports ask for the same few again and again."""
        return {}

    @cached_property
    def _sums(self) -> dict[tuple[Any, ...], tuple[Count, Sequence[tuple[Count, Number]]]]:
        """Return multiples of the count, and sums that begin with one, by factors and the other counts in them.

        Figures of a region, its nests and lines are the same few again and again.
        """
        return {}

    def _evaluated(self, values: Mapping[str, Number]) -> Number:
        result: Number = 0
        known: dict[Constraint, bool] = {}  # chambers have most of their conditions in common
        for chamber in self.chambers:
            if chamber.holds(values, known):
                result += chamber.value.evaluate(values)
        return int(result) if isinstance(result, Fraction) and result.denominator == 1 else result

    def bind(self, values: Mapping[str, Number]) -> Count:
        """Put values in for some symbols; chambers that are then impossible go away."""
        own = {name: values[name] for name in self._ordered if name in values}
        if not own:
            return self
        key = tuple(own.items())
        if key not in self._bound:
            self._bound[key] = self._with(own)
        return self._bound[key]

    @cached_property
    def _bound(self) -> dict[tuple[tuple[str, Number], ...], Count]:
        """Return the counts at values put in so far: texts, shares and growth ask for the same few again and again."""
        return {}

    def _with(self, values: Mapping[str, Number]) -> Count:
        bound: list[Chamber] = []
        known: dict[Constraint, Constraint | bool] = {}  # chambers have most of their conditions in common
        for chamber in self.chambers:
            guard: list[Constraint] = []
            for constraint in chamber.guard:
                found = known.get(constraint)
                if found is None:
                    found = known[constraint] = constraint.bind(values)
                if found is False:
                    break
                if isinstance(found, Constraint):
                    guard.append(found)
            else:
                bound.append(Chamber(tuple(guard), chamber.value.substitute(values), chamber.families))
        return total([Count(tuple(bound))]).settled

    @property
    def settled(self) -> Count:
        """Return the count without the conditions that do not matter, as the same number holds on both sides."""
        if all(not chamber.guard or chamber.value.names() for chamber in self.chambers):
            return self
        return total([Count(tuple(joined(self.chambers)))])

    @property
    def exponents(self) -> frozenset[str]:
        """Return the names in exponents: numbers of bits, not sizes."""
        polys = (poly for chamber in self.chambers for poly in polys_of(chamber) if poly.forms)
        powers = (atom for poly in polys for atom in poly.nested_atoms() if isinstance(atom, Power))
        return frozenset(name for power in powers for name in outside_logarithms(power.exponent))

    def split(self, name: str) -> tuple[Count, Count]:
        """Return the chambers without a symbol, and those that it is in."""
        parts: tuple[list[Chamber], list[Chamber]] = [], []
        for chamber in self.chambers:
            parts[name in chamber.symbols].append(chamber)
        return Count(tuple(parts[0])), Count(tuple(parts[1]))

    @cached_property
    def generic(self) -> Poly:
        """Return the polynomial for large symbols: what people write on paper.

        Where the order of the symbols matters (``N`` above or below ``M``) one chamber is shown, and
        :attr:`is_single` is False.
        """
        return without_periods(self.large)

    @cached_property
    def large(self) -> Poly:
        """Return :attr:`generic` before what cancels is taken out of it."""
        return self.at_point(self._large)

    @cached_property
    def conditions(self) -> tuple[Constraint, ...]:
        """Return the constraints under which :attr:`generic` is the exact value (strongest of each form, sorted)."""
        kept: dict[Poly, Number] = {}
        equalities: list[Constraint] = []
        for chamber in self._large_chambers:
            for constraint in chamber.guard:
                if constraint.equality:
                    equalities.append(constraint)
                    continue
                offset = constraint.expression.terms.get((), 0)
                slope = constraint.expression - offset
                kept[slope] = min(offset, kept.get(slope, offset))
        found = [*equalities, *(Constraint(slope + offset) for slope, offset in kept.items())]
        return tuple(sorted(set(found), key=str))

    @property
    def limits(self) -> Iterator[Constraint]:
        """Yield those of :attr:`conditions` that positive sizes do not satisfy by themselves."""
        for constraint in self.conditions:
            coefficients = [value for monomial, value in constraint.expression.terms.items() if monomial]
            least = constraint.expression.terms.get((), 0) + sum(coefficients)
            if constraint.equality or least < 0 or any(value < 0 for value in coefficients):
                yield constraint

    @cached_property
    def is_single(self) -> bool:
        """Return true where the generic polynomial holds in every chamber where anything is counted at all."""
        if len(self.chambers) <= 1:
            return len(self._large_chambers) == len(self.chambers)
        parts, whole = self._elsewhere
        return whole and all(self._agrees(part) for part in parts)

    @cached_property
    def _elsewhere(self) -> tuple[tuple[Chamber, ...], bool]:
        """Return where large symbols are not: parts with the whole value there, and whether these are all."""
        large = set(map(id, self._large_chambers))
        guards = tuple([(chamber.guard, chamber.families) for chamber in self.chambers])
        parts, whole = cut_apart(guards, tuple([id(chamber) in large for chamber in self.chambers]))
        return tuple([part.with_value(self._sum_at(positions)) for part, positions in parts]), whole

    def _sum_at(self, positions: Sequence[int]) -> Poly:
        """Return the sum of the polynomials of some chambers."""
        first, *more = positions
        return sum((self.chambers[position].value for position in more), self.chambers[first].value)

    def __str__(self) -> str:
        """Return the generic polynomial, and what holds elsewhere where that differs, but for sizes of 0, 1 and 2."""
        return self._shown

    @cached_property
    def _shown(self) -> str:
        return _text_of(_Alike(self))

    def _text(self) -> str:
        if self.is_single:
            return self._guarded
        parts, whole = self._elsewhere
        other = joined([part for part in parts if not (is_degenerate(part) or self._agrees(part))])
        pieces = [f"{without_periods(c.value)} if {c.guard_text}" for c in other[:_PIECES]]
        more = ["..."] if len(other) > _PIECES or not whole else []
        return "; ".join([*pieces, *more, f"else {self._guarded}"]) if pieces or more else self._guarded

    @cached_property
    def _guarded(self) -> str:
        """Return the generic polynomial, with the guards that it asks for where sizes alone do not satisfy them."""
        guards = {item for item in self._large_guards if item.equality}
        text = str(self.generic)
        if any(isinstance(atom, Sum | Power | Tree) for atom in self.generic.atoms()):
            even = for_powers_of_two(self.generic)
            sizes = [] if even is None else sorted(even.names())
            text = text if even is None or not sizes else f"{even} if {_as_powers(self.generic, even)}; else {text}"
        return f"{text} if {' and '.join(sorted(map(str, guards)))}; else 0" if guards else text

    @property
    def _large_guards(self) -> Iterator[Constraint]:
        return (item for chamber in self._large_chambers for item in chamber.guard)

    @property
    def is_general(self) -> bool:
        """Return true where the generic polynomial is the value for all sizes that a loop runs for."""
        return self.is_single and not any(item.equality for item in self._large_guards)

    @cached_property
    def _large_chambers(self) -> tuple[Chamber, ...]:
        return self.holding(self._large)

    def _agrees(self, chamber: Chamber) -> bool:
        """Return whether the generic polynomial has this chamber's value in it."""
        difference = self.generic - chamber.value
        for constraint in chamber.guard:
            if constraint.equality:
                difference = _solved(difference, constraint.expression)
        if difference.unknowns():  # the generic polynomial divides by what is zero here
            return False
        if difference.evaluate(somewhere_large(difference)):  # what cancels is 0 everywhere
            return False
        return not without_periods(difference).terms


def _as_powers(poly: Poly, form: Poly) -> str:
    """Return the condition under which a form for powers of two is the value."""
    least = "" if is_of_small_powers(poly, form) else " >= 8"
    sizes = [f"{name}{least}" for name in sorted(form.names())]
    return f"{' and '.join(sizes)} {'are powers' if len(sizes) > 1 else 'is a power'} of 2"


class _Alike(Struct, frozen=True, eq=False):
    """A count that equals those with the same chambers: a report repeats few counts many times."""

    count: Count

    def __hash__(self) -> int:
        return hash(self.count.chambers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Alike):
            return NotImplemented
        mine, others = self.count.chambers, other.count.chambers
        return mine == others and all(a.families == b.families for a, b in zip(mine, others, strict=True))


@lru_cache(maxsize=_TEXTS)
def _text_of(alike: _Alike) -> str:
    return alike.count._text()


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
    """Return the sum of multiples of counts, with chambers of equal guards merged; one object for equal parts."""
    factors: dict[int, tuple[Count, Number]] = {}
    for count, factor in parts:  # many statements share one count
        if factor and count.chambers:
            factors[id(count)] = (count, factor + factors.get(id(count), (count, 0))[1])
    found = tuple(factors.values())
    if not found:
        return NOTHING
    first, factor = found[0]
    if len(found) == 1 and factor == 1 and len(first.chambers) == 1:
        return first
    key = (factor, *((id(count), number) for count, number in found[1:]))
    known = first._sums.get(key)
    if known is None:
        known = first._sums[key] = (_sum_of(found), found[1:])
    return known[0]


def _sum_of(found: Sequence[tuple[Count, Number]]) -> Count:
    if len(found) == 1 and len(found[0][0].chambers) == 1:
        count, factor = found[0]
        chamber = count.chambers[0]
        value = chamber.value * factor
        return Count((chamber.with_value(value),)) if value.terms else NOTHING
    sums: dict[frozenset[Constraint], tuple[Chamber, dict[Monomial, Number], set[str]]] = {}
    for count, factor in found:
        for chamber in count.chambers:
            _, terms, families = sums.setdefault(chamber.conditions, (chamber, {}, set()))
            families |= chamber.families
            for monomial, number in chamber.value.terms.items():
                terms[monomial] = terms.get(monomial, 0) + number * factor
    chambers = [(chamber, _whole(terms), frozenset(families)) for chamber, terms, families in sums.values()]
    return Count(tuple(chamber.with_value(Poly(terms), families) for chamber, terms, families in chambers if terms))


def _whole(terms: Mapping[Monomial, Number]) -> dict[Monomial, Number]:
    """Return the polynomial without what cancelled, and whole numbers as such."""
    return {m: n if n.denominator > 1 else int(n) for m, n in terms.items() if n}


def _solved(poly: Poly, equation: Poly) -> Poly:
    """Put the solution of ``equation == 0`` for one of its symbols into a polynomial, where that is simple."""
    for monomial, number in equation.terms.items():
        if len(monomial) == 1 and isinstance(monomial[0], str):
            symbol = monomial[0]
            rest = equation - Poly({monomial: number})
            if symbol not in rest.names():
                return poly.substitute({symbol: rest * Fraction(-1, 1) * (1 / Fraction(number))})
    return poly
