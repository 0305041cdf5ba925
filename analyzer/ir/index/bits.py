"""Bitwise operations on index expressions, all by ``&``: ``a ^ b = a + b - 2*(a & b)`` and ``a | b = a + b - (a & b)``.

Both hold for integers in two's complement of any width.  With a number the bits are quotients and remainders:
``x & 12`` is ``4*(floor(x/4) mod 4)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .divisions import floor_div
from .poly import ZERO, Form, Number, Poly, const, operand_text

_MOST_RUNS = 4  # of bits of a number that are written as quotients


class BitAnd(Form, frozen=True):
    """The bits that two expressions have in common."""

    left: Poly
    right: Poly

    @property
    def operands(self) -> tuple[Poly, ...]:
        """Return both sides."""
        return (self.left, self.right)

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return the bits that others have in common."""
        return bit_and(*operands)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return the bits of numbers; raises ``ValueError`` for a fraction."""
        left, right = self.left.evaluate(values), self.right.evaluate(values)
        if not (isinstance(left, int) and isinstance(right, int)):
            raise ValueError(f"{self} of fractions is not known")
        return left & right

    def factor_text(self, times: int, *, alone: bool) -> str:
        """Return it in parentheses, but where it is alone."""
        text = str(self) if alone else f"({self})"
        return text if times == 1 else f"{text}^{times}"

    def __str__(self) -> str:
        """Render as ``i & k``."""
        return f"{operand_text(self.left)} & {operand_text(self.right)}"


class _Run(NamedTuple):
    """Bits of a number that are set, one beside the other."""

    low: int
    length: int


def bit_and(left: Poly, right: Poly) -> Poly:
    """Return the bits that two expressions have in common, as quotients where one of them is a number with few runs.

    >>> from . import var
    >>> str(bit_and(var("i"), const(12))), str(bit_and(var("i"), var("k")))
    ('4*floor(i/4) - 16*floor(i/16)', 'i & k')
    """
    number, other = (right.constant, left) if left.constant is None else (left.constant, right)
    if number is not None:
        value = other.constant
        if value is not None:
            return const(value & number)
        if len(runs := bit_runs(number)) <= _MOST_RUNS:
            common = sum((_bits(other, run) for run in runs), ZERO)
            return common if number >= 0 else other - common
    if left == right:
        return left
    first, second = sorted((left, right), key=str)
    return Poly({(BitAnd(first, second),): 1})


def is_power_of_two(number: object) -> bool:
    """Return whether something is a whole number with one bit set."""
    return isinstance(number, int) and number > 0 and number & (number - 1) == 0


def bit_runs(number: int) -> list[_Run]:
    """Return the runs of bits that are set in a number, or that are not in one below 0."""
    return [*_runs(number if number >= 0 else -number - 1)]


def _runs(number: int) -> Iterator[_Run]:
    low = 0
    while number >> low:
        low += ((number >> low) & -(number >> low)).bit_length() - 1
        rest = number >> low
        length = ((rest + 1) & ~rest).bit_length() - 1
        yield _Run(low, length)
        low += length


def _bits(poly: Poly, run: _Run) -> Poly:
    low, high = 1 << run.low, 1 << run.low + run.length
    return floor_div(poly, low) * low - floor_div(poly, high) * high
