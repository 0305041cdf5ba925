"""The traffic stage: a region and its profile to the bytes between the levels of each hierarchy that was asked for.

The bytes of each nest are computed once for each hierarchy; later stages only read them.
"""

from __future__ import annotations

from msgspec.structs import replace

from .domains.limits import OverBudget, deadline
from .ir.drivers import outermost_loops
from .ir.nodes import Assumption, Loop, Region
from .lower_bounds import traffic_with_lower_bounds
from .profile import RegionProfile
from .traffic.options import CacheOptions
from .traffic.results import RegionTraffic
from .traffic.stage import CacheAnswers, reuses_of


def traffic_of(region: Region, profile: RegionProfile, options: CacheOptions, seconds: float) -> RegionTraffic:
    """Return the traffic of a region, its nests and the statements outside of them, without reuses.

    Modelling takes at most so many ``seconds`` of CPU time (0: no limit); beyond, bytes are those of ideal caches.
    """
    with deadline(seconds):
        answers = CacheAnswers(region, profile.values, options)
    loops = {loop.iterator: loop for loop in outermost_loops(region.body)}
    nests = tuple(_of_nest(answers, nest, loops[nest.loops[0].iterator]) for nest in profile.nests)
    others = [nest.compulsory_traffic for nest, traffic in zip(profile.nests, nests, strict=True) if not traffic.models]
    models = answers.of_region(profile.register_traffic, others)
    outside = _outside(answers, profile, None)
    found = RegionTraffic(models, notes=tuple(answers.notes), nests=nests, outside=outside)
    return traffic_with_lower_bounds(found, profile)


def with_reuses(traffic: RegionTraffic, region: Region, profile: RegionProfile, options: CacheOptions) -> RegionTraffic:
    """Return the traffic with the reuses of the region and their capacity conditions, if asked for and in time."""
    try:
        return replace(traffic, reuses=reuses_of(region, profile.values, options))
    except OverBudget:
        return replace(traffic, notes=(*traffic.notes, Assumption.of("AI208", region.span, "reuses")))


def _of_nest(answers: CacheAnswers, nest: RegionProfile, loop: Loop) -> RegionTraffic:
    """Return the traffic of a nest, and of the nests that it only repeats."""
    notes = tuple(answers.notes)
    repeated = tuple(
        traffic_with_lower_bounds(
            RegionTraffic(answers.of_nest(inner.register_traffic, loop.iterator, inner.loops[0].iterator), notes=notes),
            inner,
        )
        for inner in nest.nests
    )
    found = RegionTraffic(
        answers.of_nest(nest.register_traffic, loop.iterator),
        blockings=answers.blockings(nest.register_traffic, loop),
        notes=notes,
        nests=repeated,
        outside=_outside(answers, nest, loop.iterator),
    )
    return traffic_with_lower_bounds(found, nest)


def _outside(answers: CacheAnswers, profile: RegionProfile, iterator: str | None) -> RegionTraffic | None:
    """Return the traffic of the statements outside of the nests; ``iterator`` is that of a loop that repeats nests."""
    if profile.outside is None:
        return None
    models = answers.outside(profile.outside.register_traffic, iterator)
    return traffic_with_lower_bounds(RegionTraffic(models, notes=tuple(answers.notes)), profile.outside)
