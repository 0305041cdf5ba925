"""Powers of a number, logarithms to a whole base and square roots: what counters are that loops multiply or divide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import cast

from .poly import Form, Number, Poly, TooManyTerms, const, exact, operand_text

_LONGEST_SHIFT = 1024  # of a number: below it powers are numbers
_LARGEST_EXPONENT = 1 << 16


class Power(Form, frozen=True):
    """``base ** exponent`` of a number above 1: what a counter is that a loop multiplies."""

    base: int
    exponent: Poly

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return the exponent."""
        return (self.exponent,)

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the power with another exponent."""
        return power(self.base, *operands)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the power; raises ``TooManyTerms`` where it has more bits than a size."""
        return self.at(self.exponent.evaluate(values))

    def at(self, exponent: Number) -> Number:
        """Return the power at an exponent; raises ``TooManyTerms`` where it has more bits than a size."""
        if not -_LARGEST_EXPONENT <= exponent <= _LARGEST_EXPONENT:
            raise TooManyTerms(f"{self.base}^{exponent} is not worked out", hint="such a size is no number of bits")
        whole = int(exponent)
        return cast(int, self.base**whole) if whole >= 0 else Fraction(1, self.base**-whole)

    def factor_text(self, times: int, *, alone: bool) -> str:
        """Return a power of it as one power."""
        return str(self if times == 1 else Power(self.base, self.exponent * times))

    def __str__(self) -> str:
        """Render as ``2^t``."""
        return f"{self.base}^{operand_text(self.exponent)}"


class Log(Form, frozen=True):
    """The logarithm to a whole base, rounded down or ``up``: of 1 it is 0; below it -1, or rounded up 0.

    ``floor(log(x)) + 1`` is the number of ``t >= 0`` with ``base^t <= x``, ``ceil(log(x))`` that with ``base^t < x``.
    With ``whole`` the argument is known to be a power of the base.
    """

    base: int
    argument: Poly
    up: bool = False
    whole: bool = False

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return the argument."""
        return (self.argument,)

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the logarithm of another argument."""
        return logarithm(self.base, *operands, up=self.up)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the logarithm of a number."""
        return _logarithm(self.base, self.argument.evaluate(values), up=self.up)

    def __str__(self) -> str:
        """Render as ``floor(log2(n))``."""
        text = f"log{self.base}({self.argument})"
        return text if self.whole else f"{'ceil' if self.up else 'floor'}({text})"


class Root(Form, frozen=True):
    """The square root, rounded down; -1 of what is negative."""

    radicand: Poly

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return the radicand."""
        return (self.radicand,)

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the root of another radicand."""
        return root(*operands)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the root of a number."""
        return _root(self.radicand.evaluate(values))

    def __str__(self) -> str:
        """Render as ``floor(sqrt(n))``."""
        return f"floor(sqrt({self.radicand}))"


def power(base: int, exponent: Poly) -> Poly:
    """Return ``base ** exponent`` for a base above 1, numbers in the exponent as a factor.

    They stay where something is subtracted from them: what is left would be no whole number.

    >>> from .poly import var
    >>> str(power(2, var("t") + 1)), str(power(2, power(2, var("t")) * 0 + 5)), str(power(2, 5 - var("t")))
    ('2*2^t', '32', '2^(5 - t)')
    """
    number = exponent.terms.get((), 0)
    if not isinstance(number, int) or not -_LONGEST_SHIFT <= number <= _LONGEST_SHIFT:
        return Poly({(Power(base, exponent),): 1})
    rest = exponent - number
    if any(factor < 0 for factor in rest.terms.values()):
        return Poly({(Power(base, exponent),): 1})
    factor = Fraction(base) ** number
    return const(factor) if not rest.terms else Poly({(Power(base, rest),): exact(factor)})


def logarithm(base: int, argument: Poly, *, up: bool = False) -> Poly:
    """Return the logarithm, rounded (see :class:`Log`); that of a power of the base is its exponent.

    >>> from .poly import var
    >>> str(logarithm(2, power(2, var("t")) * 3)), str(logarithm(10, const(1000), up=True))
    ('t + 1', '3')
    """
    number = argument.constant
    if number is not None:
        return const(_logarithm(base, number, up=up))
    if len(argument.terms) == 1:
        ((monomial, factor),) = argument.terms.items()
        powers = [atom for atom in monomial if isinstance(atom, Power) and atom.base == base]
        if len(powers) == len(monomial) and isinstance(factor, int) and factor > 0:
            exponents = sum((atom.exponent for atom in powers), const(0))
            return exponents + _logarithm(base, factor, up=up)
    return Poly({(Log(base, argument, up),): 1})


def root(radicand: Poly) -> Poly:
    """Return the square root, rounded down."""
    number = radicand.constant
    return Poly({(Root(radicand),): 1}) if number is None else const(_root(number))


def _logarithm(base: int, number: Number, *, up: bool) -> int:
    """Return how many powers of the base are below a number (``up``), or one less than are not above it."""
    found, reached = (0, 1) if up else (-1, 1)
    while reached < number if up else reached <= number:
        found, reached = found + 1, reached * base
    return found


def _root(number: Number) -> int:
    return isqrt(number // 1) if number >= 0 else -1
