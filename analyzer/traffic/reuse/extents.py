"""Bounds of the lines that one execution of a part of a program can touch, from its loop bounds alone.

Of nodes that touch fewer lines than a cache holds nothing is lost between two uses, whatever happens in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, prod

from ..hierarchy import CacheLevel
from ..program.program import Bound, Child, CountedLoop, Program, Reference

_SMALL = 0.7  # of a cache: with fewer lines no distance comes near its capacity


Range = tuple[float, float]


class Extents:
    """Lines of one size that nodes of a program touch at most, each worked out once."""

    def __init__(self, program: Program, line_bytes: int) -> None:
        """Work out how many iterations an execution of each loop has at most."""
        self._line = line_bytes
        self._known: dict[int, float] = {}
        self._iterations: dict[int, float] = {}
        for child in program.children:
            self._note(child, {})

    def _note(self, child: Child, ranges: Mapping[int, Range]) -> None:
        if isinstance(child, CountedLoop):
            low, high = _range(child, ranges)
            self._iterations[id(child)] = max(0.0, high - low + 1)
            for node in child.children:
                self._note(node, {**ranges, child.depth: (low, high)})

    def at_most(self, children: Sequence[Child]) -> float:
        """Return how many lines one execution of these nodes touches at most; infinite where nothing bounds a loop."""
        return sum(map(self._of, children))

    def _of(self, child: Child) -> float:
        if id(child) not in self._known:
            self._known[id(child)] = self._within(child, {})
        return self._known[id(child)]

    def _within(self, child: Child, iterations: Mapping[int, float]) -> float:
        """Return the same for a node within loops, of which the iterations are known by depth."""
        if isinstance(child, CountedLoop):
            inner = {**iterations, child.depth: self._iterations[id(child)]}
            return sum(self._within(node, inner) for node in child.children)
        return sum(self._of_reference(reference, iterations) for reference in child.references)

    def _of_reference(self, reference: Reference, iterations: Mapping[int, float]) -> float:
        """Return one line for each execution, or those between the first and the last byte where these are fewer."""
        executions, span = prod(iterations.values(), start=1.0), 0.0
        if not executions:
            return 0.0
        for depth, factor in reference.address.terms:
            span += abs(factor) * (iterations.get(depth, 1.0) - 1)
        return min(executions, span // self._line + 2)


def fits_well(lines: float, cache: CacheLevel) -> bool:
    """Return whether no reuse among so many lines can miss in a cache, nor nearly."""
    if cache.sets > 1 and lines > (cache.ways or 1) - 2:  # all may be in one set
        return False
    return lines < _SMALL * cache.lines


def _range(loop: CountedLoop, ranges: Mapping[int, Range]) -> Range:
    """Return the least and the greatest value of a counter in any execution, given those of the outer ones."""
    lows = [_extreme(bound, ranges, largest=False) for bound in loop.lows]
    highs = [_extreme(bound, ranges, largest=True) for bound in loop.highs]
    return max(lows, default=-inf), min(highs, default=inf)


def _extreme(bound: Bound, ranges: Mapping[int, Range], *, largest: bool) -> float:
    total: float = bound.limit.constant
    for depth, factor in bound.limit.terms:
        total += factor * ranges[depth][(factor > 0) == largest]
    return total / bound.divisor
