"""Extrema of index expressions: minima and maxima, flat and with their constants folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from .poly import Form, Number, Poly, const, single_atom


class Extremum(Form, frozen=True):
    """The largest or the smallest of some expressions."""

    largest: bool
    operands: tuple[Poly, ...]

    def rebuilt(self, operands: Sequence[Poly]) -> Poly:
        """Return that of others."""
        return extremum(self.largest, operands)

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """Return that of numbers."""
        results = [operand.evaluate(values) for operand in self.operands]
        return max(results) if self.largest else min(results)

    def __str__(self) -> str:
        """Render as ``min(a, b)``."""
        return f"{'max' if self.largest else 'min'}({', '.join(map(str, self.operands))})"


def indicated(atom: object) -> tuple[Poly, Literal[">", "=", "!="]] | None:
    """Return r and its relation to 0 for an atom that is 1 where this holds and 0 elsewhere; None for other atoms.

    >>> from .poly import var
    >>> i = var("i")
    >>> for poly in (
    ...     minimum([const(1), maximum([const(0), i])]),
    ...     minimum([const(1), maximum([i, -i])]),
    ...     maximum([const(0), minimum([1 + i, 1 - i])]),
    ... ):
    ...     print(indicated(single_atom(poly)))
    (Poly(i), '>')
    (Poly(i), '!=')
    (Poly(i), '=')
    """
    if not isinstance(atom, Extremum) or len(atom.operands) != 2:
        return None
    outer = const(0 if atom.largest else 1)
    inner = [single_atom(operand) for operand in atom.operands if operand != outer]
    if len(inner) != 1 or not isinstance(inner[0], Extremum) or inner[0].largest is atom.largest:
        return None
    operands = inner[0].operands
    if len(operands) == 2 and operands[0] + operands[1] == const(2 if atom.largest else 0):
        return max(operands, key=str) - (1 if atom.largest else 0), "=" if atom.largest else "!="
    rest = [operand for operand in operands if operand.constant != 0]
    return None if atom.largest or len(rest) == len(operands) else (maximum(rest), ">")


def minimum(operands: Iterable[Poly]) -> Poly:
    """Return the smallest of the operands."""
    return extremum(False, operands)


def maximum(operands: Iterable[Poly]) -> Poly:
    """Return the largest of the operands."""
    return extremum(True, operands)


def extremum(largest: bool, operands: Iterable[Poly]) -> Poly:
    """Return the largest or smallest: flattened, without duplicates, constants folded."""
    flat: list[Poly] = []
    for operand in operands:
        nested = single_atom(operand)
        flat.extend(nested.operands if isinstance(nested, Extremum) and nested.largest is largest else [operand])
    numbers = [operand.constant for operand in flat]
    constants = [number for number in numbers if number is not None]
    distinct = {operand for operand, number in zip(flat, numbers, strict=True) if number is None}
    if constants:
        distinct.add(const(max(constants) if largest else min(constants)))
    if len(distinct) == 1:
        return distinct.pop()
    return Poly({(Extremum(largest, tuple(sorted(distinct, key=str))),): 1})
