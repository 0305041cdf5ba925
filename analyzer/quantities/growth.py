"""How the quotient of two counts behaves for large sizes, and the largest that it is for any.

Sizes grow independently of one another.  The leading form of a polynomial has the monomials that no other is a multiple
of, so that a product of sizes stays a product; ranges ``lo .. hi`` grow by their extent ``hi - lo``.  Where the
quotient of the leading forms is one number, that is the limit.  Where the monomials of both are the same it lies
between the least and the largest quotient of their factors (the mediant inequality).  Else it is a formula.

>>> from analyzer.quantities.quasipolynomial import polynomial
>>> from analyzer.ir.index import var
>>> m, n, steps = var("m"), var("n"), var("steps")
>>> growth(polynomial(6 * n * steps - 12 * steps), polynomial(32 * n - 32)).formula
'3*steps/16'
>>> growth(polynomial(2 * m * n), polynomial(8 * m + 8 * n)).formula
'm*n/(4*m + 4*n)'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice
from math import gcd, lcm

from msgspec import Struct

from ..ir.index import Atom, Extremum, FloorDiv, Monomial, Number, Poly, TruncDiv, const, var
from .chambers import Chamber, Constraint, is_implied, may_meet
from .large_values import large_values
from .periods import without_periods
from .powers_of_two import for_powers_of_two
from .quasipolynomial import Count

_MOST_CASES = 32  # of the denominator's chambers that are distinguished
_REMEMBERED = 1024  # quotients of two counts: the whole, its nests and its innermost loops ask for the same
_EXTENT = "#"  # before the name of a symbol: how far it is above its least value


class Growth(Struct, frozen=True):
    """A quotient for large symbols: ``factor * symbols^power`` where all of them grow alike.

    With power 0 and without a ``formula`` the factor is the limit.  With both ``least`` and ``most`` every limit is
    between these, whichever symbols grow.  Else ``formula`` is the quotient, of the ``symbols``.
    """

    factor: Fraction
    power: int = 0
    formula: str = ""
    symbols: tuple[str, ...] = ()
    least: Fraction | None = None
    most: Fraction | None = None


@lru_cache(maxsize=_REMEMBERED)
def growth(numerator: Count, denominator: Count) -> Growth | None:
    """Return how ``numerator / denominator`` behaves for large symbols; None for a zero denominator."""
    if numerator is denominator:
        return Growth(Fraction(1)) if denominator.large.terms else None
    if not numerator.symbols and not denominator.symbols:
        number = denominator.evaluate({})
        return Growth(Fraction(numerator.evaluate({})) / number) if number else None
    point = large_values((numerator.chambers, denominator.chambers))
    top, bottom = numerator.at_point(point), denominator.at_point(point)
    if not bottom.terms:
        return None
    if not top.terms:
        return Growth(Fraction(0))
    factor = multiple(top, bottom)
    if factor is not None:
        return Growth(factor)
    top, bottom = without_periods(top), without_periods(bottom)
    above, below = (_asymptotic(for_powers_of_two(poly) or poly, point) for poly in (top, bottom))
    guards = [item for count in (numerator, denominator) for chamber in count.holding(point) for item in chamber.guard]
    above, below = (_leading(poly) for poly in _in_extents(above, below, guards))
    if not below.terms:
        return None
    return _quotient(above, below) if above.terms else _remainder_over(top, below)


def multiple(top: Poly, bottom: Poly) -> Fraction | None:
    """Return the number that one polynomial is times another, None where it is none."""
    if not bottom.terms:
        return None
    if not top.terms:
        return Fraction(0)
    if len(top.terms) == len(bottom.terms) and top.terms.keys() == bottom.terms.keys():
        one, number = next(iter(top.terms.items()))
        factor = Fraction(number) / Fraction(bottom.terms[one])
        if all(number == factor * bottom.terms[monomial] for monomial, number in top.terms.items()):
            return factor
    plain = without_periods(top), without_periods(bottom)
    return multiple(*plain) if plain != (top, bottom) else None


def _quotient(above: Poly, below: Poly) -> Growth:
    """Return the growth of a quotient of two leading forms."""
    factor = multiple(above, below)
    if factor is not None:
        return Growth(factor)
    above, below = _reduced(above, below)
    factor, power = _alike(above, below)
    symbols = tuple(sorted(above.names() | below.names()))
    if not power:
        most, most_inverse = _most(above, below), _most(below, above)
        if most is not None and most_inverse:
            return Growth(factor, symbols=symbols, least=1 / most_inverse, most=most)
    return Growth(factor, power, _quotient_text(above, below), symbols)


def _remainder_over(top: Poly, below: Poly) -> Growth | None:
    """Return the limit 0 of what divisions leave, over what has a higher degree; None where that is not so."""
    degree = max(len(monomial) for monomial in top.terms)
    return Growth(Fraction(0)) if min(len(monomial) for monomial in below.terms) >= degree else None


def _leading(poly: Poly) -> Poly:
    """Return the monomials that no other is a multiple of.

    >>> n, m = var("n"), var("m")
    >>> str(_leading(n * m * 2 + n * n - 5 * n + m + 7))
    '2*m*n + n^2'
    """
    kept = [m for m in poly.terms if not any(divides(m, other) for other in poly.terms if other != m)]
    return Poly({monomial: poly.terms[monomial] for monomial in kept})


def divides(one: Monomial, other: Monomial) -> bool:
    """Return whether a monomial is a proper divisor of another."""
    return len(one) < len(other) and all(one.count(atom) <= other.count(atom) for atom in set(one))


def _asymptotic(poly: Poly, point: Mapping[str, Number]) -> Poly:
    """Return the polynomial without the rounding of divisions by numbers, and without maxima and minima."""

    def plain(atom: Atom) -> Poly:
        match atom:
            case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator) if denominator.constant:
                return _asymptotic(numerator, point) * Fraction(1, denominator.constant)
            case Extremum(largest, operands):
                ranked = sorted(operands, key=lambda operand: operand.evaluate(point))
                return _asymptotic(ranked[-1 if largest else 0], point)
            case _:
                return Poly({(atom,): 1})

    return poly.map_atoms(plain) if poly.forms else poly


def _in_extents(above: Poly, below: Poly, guards: Iterable[Constraint]) -> tuple[Poly, Poly]:
    """Return both polynomials with the extent of a range for its end, where its start is then in neither of them."""
    for low, high, _ in _ranges(guards):
        extent = {high: var(low) + var(f"({high} - {low})")}
        found = above.substitute(extent), below.substitute(extent)
        if all(low not in {atom for atom in poly.atoms() if isinstance(atom, str)} for poly in found):
            above, below = found
    return above, below


def _ranges(guards: Iterable[Constraint]) -> Iterator[tuple[str, str, Number]]:
    """Yield the start and end of each ``high - low + offset >= 0`` among some constraints, with the offset."""
    for item in dict.fromkeys(guards):
        slopes = {monomial: number for monomial, number in item.expression.terms.items() if monomial}
        signs = {number: monomial for monomial, number in slopes.items()}
        if item.equality or len(slopes) != 2 or signs.keys() != {1, -1}:
            continue
        (high, *more), (low, *others) = signs[1], signs[-1]
        if not more and not others and isinstance(high, str) and isinstance(low, str):
            yield low, high, item.expression.terms.get((), 0)


def _reduced(above: Poly, below: Poly) -> tuple[Poly, Poly]:
    """Return both without the factors that all of their terms share."""
    monomials = [*above.terms, *below.terms]
    shared = [atom for atom in dict.fromkeys(monomials[0]) for _ in range(min(m.count(atom) for m in monomials))]
    numbers = [Fraction(number) for poly in (above, below) for number in poly.terms.values()]
    factor = Fraction(lcm(*(number.denominator for number in numbers)))
    factor /= gcd(*(int(number * factor) for number in numbers))

    def without(poly: Poly) -> Poly:
        found: dict[Monomial, Number] = {}
        for monomial, number in poly.terms.items():
            rest = list(monomial)
            for atom in shared:
                rest.remove(atom)
            found[tuple(rest)] = int(number * factor)
        return Poly(found)

    return without(above), without(below)


def _alike(above: Poly, below: Poly) -> tuple[Fraction, int]:
    """Return factor and power of the quotient where all symbols grow alike."""
    (top, high), (bottom, low) = _along(above), _along(below)
    return Fraction(top) / Fraction(bottom), high - low


def _along(poly: Poly) -> tuple[Number, int]:
    by_degree: dict[int, Number] = {}
    for monomial, number in poly.terms.items():
        by_degree[len(monomial)] = by_degree.get(len(monomial), 0) + number
    degree = max((degree for degree, number in by_degree.items() if number), default=0)
    return by_degree.get(degree) or 1, degree


def _most(above: Poly, below: Poly) -> Fraction | None:
    """Return what a quotient is at most for symbols that are not negative; None where that is not known.

    ``sum(a*m) / sum(b*m) <= max(a/b)`` for monomials m and factors that are not negative.
    """
    if any(number < 0 for number in below.terms.values()):
        return None
    wanted = {monomial: number for monomial, number in above.terms.items() if number > 0}
    if not wanted:
        return Fraction(0)
    if not wanted.keys() <= below.terms.keys():
        return None
    return max(Fraction(number) / Fraction(below.terms[monomial]) for monomial, number in wanted.items())


def _quotient_text(above: Poly, below: Poly) -> str:
    """Render a quotient: ``3*steps/16``, ``m*n/(4*m + 4*n)``."""
    top = f"({above})" if len(above.terms) > 1 else str(above)
    if below.constant == 1:
        return str(above)
    return f"{top}/({below})" if len(below.terms) > 1 or "*" in str(below) else f"{top}/{below}"


def largest_quotient(numerator: Count, denominator: Count) -> Fraction | None:
    """Return a number that ``numerator / denominator`` is at most, whatever the symbols; None where none is known.

    Counts are not negative: a chamber of the denominator that may not hold can only add to it.
    """
    chambers = numerator.chambers
    if not chambers:
        return Fraction(0)
    if any(one.families.isdisjoint(other.families) for one, other in combinations(chambers, 2)):
        return None
    found = [_largest_in(chamber, denominator) for chamber in chambers]
    known = [each for each in found if each is not None]
    return max(known) if len(known) == len(found) else None


def _largest_in(chamber: Chamber, denominator: Count) -> Fraction | None:
    """Return what the quotient is at most in one chamber of the numerator.

    Beyond so many other guards there are too many cases to tell apart, and none is looked at: each costs all of them.
    """
    below = const(0)
    others: dict[frozenset[Constraint], Chamber] = {}
    for other in denominator.chambers:
        if all(is_implied(item, chamber) for item in other.guard):
            below += other.value
        elif (same := others.get(other.conditions)) is None:
            others[other.conditions] = Chamber(other.guard, other.value)
        else:
            others[other.conditions] = Chamber(other.guard, same.value + other.value)
    most = _largest_of(chamber.value, below, chamber.guard)
    if not others or len(others) > _MOST_CASES:
        return most
    cases = islice(_cases(chamber.guard, [*others.values()], below), _MOST_CASES + 1)
    found = [_largest_of(chamber.value, value, guard) for guard, value in cases]
    known = [each for each in found if each is not None]
    if len(found) > _MOST_CASES or len(known) < len(found):
        return most
    return max(known, default=most) if most is None else min(most, max(known, default=most))


def _cases(
    guard: tuple[Constraint, ...], others: Sequence[Chamber], value: Poly
) -> Iterator[tuple[tuple[Constraint, ...], Poly]]:
    """Yield the parts of a guard in which each of the other chambers holds or not, with the sum of those that hold."""
    if not others:
        yield guard, value
        return
    here, rest = Chamber(guard, value), others[1:]
    missing = [item for item in others[0].guard if not is_implied(item, here)]
    if not may_meet(here, Chamber(tuple(missing), value)):
        yield from _cases(guard, rest, value)
        return
    yield from _cases((*guard, *missing), rest, value + others[0].value)
    for position, item in enumerate(missing):
        for opposite in _opposites(item):
            outside = (*guard, *missing[:position], opposite)
            if may_meet(Chamber((*guard, *missing[:position]), value), Chamber((opposite,), value)):
                yield from _cases(outside, rest, value)


def _opposites(constraint: Constraint) -> Iterator[Constraint]:
    """Yield what holds where a constraint on whole numbers does not."""
    yield Constraint(-constraint.expression - 1)
    if constraint.equality:
        yield Constraint(constraint.expression - 1)


def _largest_of(above: Poly, below: Poly, guard: Sequence[Constraint]) -> Fraction | None:
    """Return what the quotient of two polynomials is at most where a guard holds."""
    above, below = without_periods(above), without_periods(below)
    factor = multiple(above, below)
    if factor is not None:
        return factor
    shift = _from_least(guard)
    divided = any(isinstance(atom, FloorDiv) for poly in (above, below) for atom in poly.forms)
    if divided and not _are_natural(above.names() | below.names(), shift):
        return None
    polys = _bounded(above, upper=True).substitute(shift), _bounded(below, upper=False).substitute(shift)
    if any(not name.startswith(_EXTENT) for poly in polys for name in poly.names()):
        return None
    return _most(*polys)


def _are_natural(names: Iterable[str], shift: Mapping[str, Poly]) -> bool:
    """Return whether no symbol of these is negative."""
    return all(name in shift and shift[name].terms.get((), 0) >= 0 for name in names)


def _bounded(poly: Poly, *, upper: bool) -> Poly:
    """Return a polynomial that is at least, or at most, one with divisions by numbers, for symbols not negative."""
    total = const(0)
    for monomial, number in poly.terms.items():
        product = const(number)
        for atom in monomial:
            factor = Poly({(atom,): 1})
            if isinstance(atom, FloorDiv) and atom.denominator.constant:
                divisor = atom.denominator.constant
                low = (number > 0) is not upper
                factor = (atom.numerator - (divisor - 1 if low else 0)) * Fraction(1, divisor)
            product = product * factor
        total += product
    return total


def _from_least(guard: Sequence[Constraint]) -> dict[str, Poly]:
    """Return each symbol that the guard bounds from below as that bound and what it is above it."""
    found: dict[str, Poly] = {}
    for item in guard:
        slopes = [(m, number) for m, number in item.expression.terms.items() if m]
        if len(slopes) != 1 or len(slopes[0][0]) != 1:
            continue
        ((name,), number) = slopes[0]
        if not isinstance(name, str) or (number <= 0 and not item.equality):
            continue
        least = -Fraction(item.expression.terms.get((), 0)) / Fraction(number)
        if item.equality:
            found[name] = const(least)
        elif name not in found or least > found[name].terms.get((), 0):
            found[name] = var(_EXTENT + name) + least
    for low, high, offset in _ranges(guard):
        if high not in found:
            found[high] = found.get(low, var(low)) - offset + var(_EXTENT + high)
    return found
