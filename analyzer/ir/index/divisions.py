"""Divisions of index expressions, rounded down or, as C does, towards zero, and their remainders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from .poly import ONE, Atom, Form, Monomial, Number, Poly, as_poly, const, exact, operand_text, single_atom, unknown


class _Division(Form, frozen=True):
    """A form that is looked up far more often than made: it hashes once."""

    numerator: Poly
    denominator: Poly

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return numerator and denominator."""
        return (self.numerator, self.denominator)


class FloorDiv(_Division, frozen=True):
    """``floor(numerator / denominator)``: shifts and masks, and the result of counting."""

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the quotient of others."""
        return floor_div(*operands)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the quotient of numbers; raises ``ZeroDivisionError``."""
        return self.numerator.evaluate(values) // self.denominator.evaluate(values)

    def divided(self) -> tuple[Atom, int] | None:
        """Return atom and divisor where it is one atom divided by a number."""
        atom, divisor = single_atom(self.numerator), self.denominator.constant
        return None if atom is None or not divisor else (atom, divisor)

    def __str__(self) -> str:
        """Render as ``floor(e/d)``."""
        return f"floor({operand_text(self.numerator)}/{operand_text(self.denominator)})"


def truncated(top: Number, bottom: Number) -> Number:
    """Return the quotient of numbers, rounded towards zero; raises ``ZeroDivisionError``."""
    floor = top // bottom
    return floor + 1 if floor < 0 and floor * bottom != top else floor


class TruncDiv(_Division, frozen=True):
    """C's ``/`` on integers, which rounds towards zero."""

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the quotient of others."""
        return trunc_div(*operands)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the quotient of numbers; raises ``ZeroDivisionError``."""
        return truncated(self.numerator.evaluate(values), self.denominator.evaluate(values))

    def factor_text(self, times: int, *, alone: bool) -> str:
        """Return the quotient in parentheses, but where it is alone."""
        text = str(self) if alone else f"({self})"
        return text if times == 1 else f"{text}^{times}"

    def __str__(self) -> str:
        """Render as ``e/d``."""
        return f"{operand_text(self.numerator)}/{operand_text(self.denominator)}"


def floor_div(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return ``floor(numerator / denominator)``, simplified where the division is exact or constant."""
    return _divide(numerator, as_poly(denominator), truncate=False)


def trunc_div(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return C's integer division, simplified where the division is exact or constant."""
    return _divide(numerator, as_poly(denominator), truncate=True)


def exact_quotient(numerator: Poly, denominator: int) -> Poly | None:
    """Return the quotient by a number that is not zero where it divides every term, else None."""
    terms: dict[Monomial, Number] = {}
    for monomial, number in numerator.terms.items():
        if not isinstance(number, int) or number % denominator:
            return None
        terms[monomial] = number // denominator
    return Poly(terms)


def floor_mod(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return mathematical modulus, never negative for a positive denominator; masks ``& (2^k - 1)`` are this."""
    return numerator - denominator * floor_div(numerator, denominator)


def trunc_mod(numerator: Poly, denominator: Poly | int) -> Poly:
    """Return C's ``%``, which has the sign of the numerator."""
    return numerator - denominator * trunc_div(numerator, denominator)


def _divide(numerator: Poly, denominator: Poly, *, truncate: bool) -> Poly:
    """Divide, taking out what divides exactly; ``x / 0`` is left for the caller as an unknown value."""
    top, bottom = numerator.constant, denominator.constant
    if bottom == 0:
        return unknown(f"{numerator}/0", numerator.names())
    if bottom is not None and top is not None:
        return const(int(Fraction(top, bottom)) if truncate else top // bottom)
    if numerator == denominator:
        return ONE
    if bottom is not None:
        if bottom == 1:
            return numerator
        quotient = exact_quotient(numerator, bottom)
        if quotient is not None:
            return quotient
        if bottom < 0:
            return _divide(-numerator, const(-bottom), truncate=truncate)
        if not truncate:
            whole = {m: n // bottom for m, n in numerator.terms.items() if isinstance(n, int) and n // bottom}
            rest = numerator - Poly(whole) * bottom
            if whole:
                return Poly(whole) + _divide(rest, const(bottom), truncate=False)
    else:
        exact = _monomial_quotient(numerator, denominator)
        if exact is not None:
            return exact
    return Poly({((TruncDiv if truncate else FloorDiv)(numerator, denominator),): 1})


def _monomial_quotient(numerator: Poly, denominator: Poly) -> Poly | None:
    """Return ``(N*M*4) / (N*2)`` where a single monomial divides every term exactly."""
    if len(denominator.terms) != 1:
        return None
    (divisor, factor), *_ = denominator.terms.items()
    result: dict[Monomial, Number] = {}
    for monomial, number in numerator.terms.items():
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if Fraction(number) % Fraction(factor):
            return None
        result[tuple(rest)] = exact(Fraction(number) / Fraction(factor))
    return Poly(result)
