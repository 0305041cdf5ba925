"""How often each launch is made: what one iteration of a loop makes is added once, or so often as it comes again.

A launch under a condition that is not known counts towards the most and not towards the least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from ...ir.launches import Launch

_NONE = (0, 0)
Site = tuple[int, ...]
"""A launch in the source and the calls that led there."""


class LaunchKey(NamedTuple):
    """What launches have in common that are counted together: their known parts, and where they are made."""

    kernel: str
    launch: Launch
    arguments: frozenset[tuple[str, int]]
    missing: frozenset[str]
    site: Site


Counts = Mapping[LaunchKey, tuple[int, int]]


class Tally(Struct):
    """Least and most counts of launches by key; the last of ``levels`` is the innermost iteration that runs."""

    levels: list[dict[LaunchKey, tuple[int, int]]]

    @classmethod
    def empty(cls) -> Tally:
        """Return a tally without launches, outside of any loop."""
        return cls([{}])

    def add(self, key: LaunchKey, least: int, most: int) -> None:
        """Count a launch in the iteration that runs."""
        counts = self.levels[-1]
        known = counts.get(key, _NONE)
        counts[key] = known[0] + least, known[1] + most

    def begin(self) -> None:
        """Start an iteration."""
        self.levels.append({})

    def end(self) -> Counts:
        """Return the launches of the iteration that ends, and add them to what is around it."""
        counts = self.levels.pop()
        self.repeat((counts,), 1)
        return counts

    @property
    def depth(self) -> int:
        """Return how many iterations run inside of one another, with what is outside of any loop."""
        return len(self.levels)

    def taken(self, depth: int) -> Counts | None:
        """Return the launches since the tally was ``depth`` deep and ``begin`` was called, and forget them.

        None where an iteration has begun or ended in between.
        """
        return self.levels.pop() if len(self.levels) == depth + 1 else None

    def repeat(self, iterations: Sequence[Counts], times: int) -> None:
        """Add the launches of some iterations so many times."""
        for counts in iterations:
            for key, (least, most) in counts.items():
                self.add(key, least * times, most * times)

    @property
    def counts(self) -> Counts:
        """Return the launches outside of any loop that still runs."""
        return self.levels[0]
