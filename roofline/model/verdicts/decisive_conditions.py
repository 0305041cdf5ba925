"""Which capacity conditions matter: the reuses of a nest, and the decisive condition of each cache at common sizes.

A cache holds some reuses at any size that people use, and others at none.  Decisive is the reuse whose working set is
nearest to the cache's capacity, in ratio, when every size without a value is 1000.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import TYPICAL_SIZE
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy
from analyzer.traffic.results import Condition, Reuse


def reuses_within(nest: RegionProfile, reuses: Sequence[Reuse]) -> tuple[Reuse, ...]:
    """Return those of a region's reuses that are inside a nest."""
    loops = {(loop.iterator, loop.line) for loop in nest.loops}
    return tuple(reuse for reuse in reuses if (reuse.loop, reuse.line) in loops)


def decisive_conditions(reuses: Sequence[Reuse], hierarchy: Hierarchy) -> tuple[Condition, ...]:
    """Return the decisive condition of each cache at common sizes, from the innermost outwards."""
    conditions = (_decisive(list(_distances(reuses, level))) for level in hierarchy.levels)
    return tuple(condition for condition in conditions if condition is not None)


def _decisive(distances: Sequence[tuple[float, Condition]]) -> Condition | None:
    return min(distances, key=lambda pair: pair[0])[1] if distances else None


def _distances(reuses: Sequence[Reuse], level: CacheLevel) -> Iterator[tuple[float, Condition]]:
    """Yield each condition with the distance of its working set from the cache's capacity, in |log ratio|."""
    for reuse in reuses:
        size = reuse.working_set.evaluate(dict.fromkeys(reuse.working_set.names(), TYPICAL_SIZE))
        for condition in reuse.conditions:
            if condition.level == level.name and size > 0:
                yield abs(math.log(float(size) / level.capacity_bytes)), condition
