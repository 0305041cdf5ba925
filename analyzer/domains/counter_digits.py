"""Subscripts with quotients and remainders of a counter in its digits: ``a[t/4][t%4]`` is ``a[d][c]``, ``t = 4*d + c``.

To isl each quotient is a variable between two bounds, and what lanes of a warp load is a set from which the lane has to
be projected out between all of them: barvinok took seconds for a tile, or had no answer.  Digits are a box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import gcd

from msgspec.structs import replace

from ..ir.index import Atom, FloorDiv, Monomial, Number, Poly, TruncDiv, var
from ..ir.nodes import Loop, Strided
from .formula import DIGIT, Formula

_MOST_DIGITS, _SEVERAL = 5, 2


class _NoDigits(Exception):
    """A quotient is not one of whole digits."""


def in_digits(subscripts: Sequence[Poly], loops: Sequence[Loop], formula: Formula) -> Sequence[Poly]:
    """Return subscripts in the digits of the counters that they divide several times; the formula gets these.

    Counters that are divided by numbers of which none divides the next, or together with others, stay.
    """
    for loop in loops:
        name = loop.iterator
        divisors = _divisors(subscripts, name) if name in formula.nonnegative else []
        if not divisors:
            continue
        digits = [f"q{len(formula.auxiliaries) + number}" for number in range(len(divisors) + 1)]
        weights = [1, *divisors]
        extents = {digit: high // low for digit, (low, high) in zip(digits, pairwise(weights), strict=False)}
        last = _extent(loop, divisors[-1])
        atoms = {DIGIT + digit for digit in digits}
        within = replace(formula, scope=formula.scope | atoms, nonnegative=formula.nonnegative | atoms)
        whole = _sum((var(DIGIT + digit) * weight for digit, weight in zip(digits, weights, strict=True)))
        try:
            found = [_Digits(within, extents)(each.substitute({name: whole})) for each in subscripts]
        except _NoDigits:
            continue
        formula.scope, formula.nonnegative = within.scope, within.nonnegative
        formula.auxiliaries |= {digit: f"0 <= {digit} < {extent}" for digit, extent in extents.items()}
        formula.auxiliaries[digits[-1]] = (
            f"0 <= {digits[-1]}{last} and {formula.names.iterator(name)} = {within.affine(whole)}"
        )
        subscripts = found
    return subscripts


def _sum(parts: Iterable[Poly]) -> Poly:
    return sum(parts, Poly({}))


def _extent(loop: Loop, divisor: int) -> str:
    """Return the upper bound of the last digit as isl's text, "" where the counter has none."""
    stop = loop.range.stop.constant if isinstance(loop.range, Strided) and loop.range.step > 0 else None
    return "" if stop is None else f" < {-(-stop // divisor)}"


def _divisors(subscripts: Sequence[Poly], name: str) -> list[int]:
    """Return the numbers by which a counter is divided, each of which divides the next; none where it occurs once."""
    if sum(atom == name for subscript in subscripts for atom in subscript.nested_atoms()) < _SEVERAL:
        return []
    found = sorted({divisor for subscript in subscripts for divisor in _moduli(subscript, name)} - {1})
    divide = all(not high % low for low, high in pairwise(found))
    return found if divide and len(found) < _MOST_DIGITS else []


def _moduli(poly: Poly, name: str) -> Iterator[int]:
    """Yield the numbers by which quotients in an expression divide a counter: 128 in ``(t/32)/4``, 8 in ``4*t/32``."""
    for form in poly.forms:
        if not isinstance(form, FloorDiv | TruncDiv) or name not in form.names():
            continue
        divisor = form.denominator.constant
        if divisor is None or divisor <= 0:
            return
        inner = [*_moduli(form.numerator, name)]
        yield from inner
        factor = form.numerator.terms.get((name,), 0)
        if isinstance(factor, int) and factor:
            yield divisor // gcd(divisor, factor)
        else:
            yield from (divisor * each for each in inner)


class _Digits:
    """Works out quotients of digits, of which all but the last have known extents."""

    def __init__(self, formula: Formula, extents: Mapping[str, int]) -> None:
        self._formula = formula
        self._extents = {DIGIT + digit: extent for digit, extent in extents.items()}

    def __call__(self, poly: Poly) -> Poly:
        """Return an expression without quotients of digits; raises :class:`_NoDigits`."""
        return poly.map_atoms(self._atom) if poly.forms else poly

    def _atom(self, atom: Atom) -> Poly:
        if isinstance(atom, str) or not any(name.startswith(DIGIT) for name in atom.names()):
            return Poly({(atom,): 1})
        if not isinstance(atom, FloorDiv | TruncDiv) or not atom.denominator.constant:
            raise _NoDigits
        return self._quotient(self(atom.numerator), atom.denominator.constant, truncated=isinstance(atom, TruncDiv))

    def _quotient(self, top: Poly, divisor: int, *, truncated: bool) -> Poly:
        if truncated and not self._formula.cannot_be_negative(top):
            raise _NoDigits
        whole: dict[Monomial, Number] = {}
        most = 0
        for monomial, number in top.terms.items():
            if not isinstance(number, int):
                raise _NoDigits
            quotient, rest = divmod(number, divisor)
            if quotient:
                whole[monomial] = quotient
            most += rest * self._largest(monomial) if rest else 0
        if most >= divisor:
            raise _NoDigits
        return Poly(whole)

    def _largest(self, monomial: Monomial) -> int:
        if not monomial:
            return 1
        if len(monomial) > 1 or monomial[0] not in self._extents:
            raise _NoDigits
        return self._extents[str(monomial[0])] - 1
