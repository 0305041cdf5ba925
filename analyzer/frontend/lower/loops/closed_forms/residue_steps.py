"""Counters whose step depends on their remainder by a number: ``if (i % 3 == 0) i += 2; i++``.

From a known start the remainders come back after a few steps, over which the counter always rises by the same.  With
the values ``v_r`` of these steps and that rise Q, ``sum over r of max(0, ceil((stop - v_r)/Q))`` are below a stop.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from .....ir.index import ZERO, Poly, const, floor_div, maximum, var


class ResidueSteps(Struct, frozen=True):
    """The values of a counter in a round of steps, after which each is ``rise`` more."""

    values: tuple[int, ...]
    rise: int

    def form(self, count: str) -> Poly:
        """Return the value in the iteration ``count``, from 0."""
        number = len(self.values)
        ends = (*self.values[1:], self.values[0] + self.rise)
        steps = (end - value for value, end in zip(self.values, ends, strict=True))
        rounds = (floor_div(var(count) + (number - 1 - place), const(number)) for place in range(number))
        return sum((turn * step for turn, step in zip(rounds, steps, strict=True)), const(self.values[0]))

    def below(self, stop: Poly) -> Poly:
        """Return how many values are below a stop.

        >>> ResidueSteps((0, 2), 3).below(const(6)).constant  # 0 2 3 5
        4
        """
        counts = (maximum([ZERO, floor_div(stop - value + self.rise - 1, self.rise)]) for value in self.values)
        return sum(counts, ZERO)


def residue_steps(start: int, period: int, step: Callable[[int], int | None]) -> ResidueSteps | None:
    """Return the steps of a counter that rises by ``step(value mod period)``; None where it does not, or stays.

    >>> residue_steps(0, 3, lambda value: 2 if value % 3 == 0 else 1)
    ResidueSteps(values=(0, 2), rise=3)
    """
    values = [start]
    while len(values) <= period:
        rise = step(values[-1])
        if rise is None or rise <= 0:
            return None
        following = values[-1] + rise
        if (following - start) % period == 0:
            return ResidueSteps(tuple(values), following - start)
        values.append(following)
    return None  # it comes back to another value than the first
