"""Lines of counters that data move by a step or not at all (``if (x[i] > t) out[k++] = x[i]``): sweeps through arrays.

Each run of the innermost loop goes through a part of its array from one element to the next.  Runs that start at the
same element come to the same lines again, which is a miss where more than fits is touched in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct

from ..program.program import Irregular, Leaf, hull


class Sweeps(Struct, frozen=True):
    """Runs of a loop that go through an array in order: ``lines`` each.

    ``around`` are the iterations of the loops around it, the outermost first, and whether the start moves with them.
    """

    lines: float
    around: tuple[tuple[int, bool], ...]

    @property
    def number(self) -> int:
        """Return the number of sweeps."""
        return prod(width for width, _ in self.around)

    @property
    def distinct(self) -> float:
        """Return the lines that all sweeps come to."""
        return self.lines * prod(width for width, moves in self.around if moves)

    def fills(self, capacity: float, others: float, competing: Sequence[tuple[float, float]]) -> float:
        """Return how often a line is not in a cache, cold ones too, while ``others`` pass through it in all sweeps.

        ``competing`` are the lines of other arrays that data choose from, with their accesses for each of these.
        """
        sweeps, between, part = self.number, 1, self.lines
        missed = self.lines * sweeps
        for width, moves in reversed(self.around):
            if moves:
                part *= width
            else:
                accesses = self.lines * between
                touched = part + others * between / sweeps + sum(min(each, rate * accesses) for each, rate in competing)
                if touched > capacity:
                    break
                missed /= width
            between *= width
        return missed


def sweeps_of(leaf: Leaf, items: Sequence[Irregular], visits: float, line_bytes: int) -> Sweeps | None:
    """Return the sweeps of references that come to so many lines; None where it is not known where they start.

    Of sweeps that begin where the ones before may have ended (runs that are merged), lines in common count once.
    """
    starts = {item.starts for item in items}
    ranges = hull(leaf.loops)
    depths = next(iter(starts))
    if len(starts) != 1 or depths is None or not ranges:
        return None
    around = tuple((high - low + 1, depth in depths) for depth, (low, high) in enumerate(ranges[:-1]))
    number = prod(width for width, _ in around)
    if number <= 0:
        return None
    lines, low, high = visits / number, *ranges[-1]
    apart = {abs(item.apart) for item in items if item.apart is not None}  # None: a minimum, that of the last one
    distance = apart.pop() if len(apart) == 1 else 0
    if 0 < distance <= min(abs(item.step or 0) for item in items) * (high - low + 1):
        lines = min(lines, distance / line_bytes + 1 / around[-1][0])
    return Sweeps(lines, around)
