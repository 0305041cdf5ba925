"""Sizes that the host code does not know, from a given grid and block.

The host code shows how the grid depends on a size that it reads from elsewhere, ``grid = (n + 255) / 256``; with the
grid given, ``n`` lies between two numbers.  Where these differ, the multiple of their number (256 here) is assumed:
sizes are most often whole blocks.  Formulas are assumed to rise or fall with the size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from .values import Source, Unknown, as_number, evaluated

_LARGEST = 1 << 48


class Solved(Struct, frozen=True):
    """A size: what is taken, and the least and the largest number that give the launch."""

    value: int
    least: int
    largest: int


def solved(equations: Iterable[tuple[Unknown, int]]) -> dict[Source, Solved]:
    """Return values of sources from formulas and their results; a formula with one unsolved source gives that one."""
    open_equations = list(equations)
    found: dict[Source, Solved] = {}
    changed = True
    while changed:
        changed = False
        values = {source: item.value for source, item in found.items()}
        for formula, amount in open_equations:
            unsolved = [source for source in formula.sources if source not in found]
            if len(unsolved) == 1:
                answer = _solved(formula, unsolved[0], amount, values)
                if answer is not None:
                    found[unsolved[0]] = answer
                    changed = True
                    break
    return found


def _solved(formula: Unknown, source: Source, amount: int, values: Mapping[Source, int]) -> Solved | None:
    def at(number: int) -> float | None:
        value = as_number(evaluated(formula, {**values, source: number}))
        return None if value is None else int(value)

    low, high = at(1), at(_LARGEST)
    if low is None or high is None or low == high:
        return None
    sign = 1 if high > low else -1

    def first(wanted: float) -> int | None:
        """Return the least number at which the formula reaches ``wanted``."""
        below, above = 0, _LARGEST
        while above - below > 1:
            middle = (below + above) // 2
            value = at(middle)
            if value is None:
                return None
            if sign * value >= wanted:
                above = middle
            else:
                below = middle
        return above

    least, beyond = first(sign * amount), first(sign * amount + 1)
    if least is None or beyond is None or at(least) != amount:
        return None
    largest = beyond - 1
    width = largest - least + 1
    return Solved(largest // width * width if largest // width * width >= least else largest, least, largest)
