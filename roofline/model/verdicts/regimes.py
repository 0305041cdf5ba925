"""Both regimes of a nest whose data are used again in each iteration of its outermost loop, without sizes.

Up to some sizes a cache holds the data from one iteration to the next: the bytes are those of an ideal cache, and the
intensity grows with the iterations.  Beyond, each iteration moves its data anew.  That is the regime of large sizes,
and the headline; the capacity conditions of the outermost cache separate the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from analyzer.traffic.results import Condition, LevelTraffic, Reuse

from ...machine.units import Intensity
from ..intensity import limit_of, share_of
from ..levels import LevelBound
from .projected import Bound, Projection
from .reasons import CoreHolds, HeldUntil, IntensityGrows


def with_regimes(projection: Projection, profile: RegionProfile, reuses: Sequence[Reuse]) -> Projection:
    """Return the projection with the regime of large sizes, where caches do not hold what an iteration uses again."""
    memory, hierarchy = projection.machine.memory.name, projection.hierarchy
    streamed = _streamed(profile)
    outer = next((level for level in projection.levels if level.level == memory), None)
    rate = projection.attainable
    if streamed is None or outer is None or hierarchy is None or not hierarchy.levels:
        return projection
    conditions = _of_level(profile, reuses, hierarchy.levels[-1].name)
    if isinstance(projection.reason, CoreHolds):
        return _without_flops(projection, profile, _total(streamed, projection), outer, conditions)
    if not isinstance(projection.reason, IntensityGrows) or rate is None:
        return projection
    intensity = limit_of(profile, profile.work.flops, _total(streamed, projection))
    if not conditions or intensity is None:
        return projection
    found = outer.bandwidth.rate * Intensity(float(intensity))
    if found.value >= rate.value:
        return projection
    one = profile.per_iteration
    return replace(
        projection,
        bound=Bound.MEMORY,
        level=memory,
        attainable=found,
        iterations_per_s=found.value / float(one.flops) if one is not None and one.flops else None,
        reason=HeldUntil(memory, float(intensity), conditions, projection.reason),
    )


def _without_flops(
    projection: Projection,
    profile: RegionProfile,
    streamed: Quantity,
    outer: LevelBound,
    conditions: tuple[Condition, ...],
) -> Projection:
    """Return the projection of a region without FLOPs, which memory binds where it is slower than the core."""
    one, register, pace = profile.per_iteration, profile.register_traffic, projection.iterations_per_s
    references = add((register.read_bytes, register.write_allocate_bytes, register.write_bytes))
    share = share_of(profile, streamed, references)
    if projection.time is not None or one is None or pace is None or not share:
        return projection
    rate = outer.bandwidth.rate
    found = rate.value / (float(one.load_bytes + one.store_bytes) * float(share))
    if found >= pace:
        return projection
    return replace(
        projection,
        bound=Bound.MEMORY,
        level=outer.level,
        bandwidth_rate=rate,
        iterations_per_s=found,
        reason=HeldUntil(outer.level, 0.0, conditions, projection.reason),
    )


def _streamed(profile: RegionProfile) -> LevelTraffic | None:
    """Return the bytes of a region where caches hold nothing from one iteration to the next: the sum over its nests."""
    if profile.streamed is not None or not any(part.streamed is not None for part in profile.parts):
        return profile.streamed
    parts = [part.streamed or part.compulsory_traffic for part in profile.parts]
    return replace(
        parts[0],
        read_bytes=add(part.read_bytes for part in parts),
        write_allocate_bytes=add(part.write_allocate_bytes for part in parts),
        write_bytes=add(part.write_bytes for part in parts),
    )


def _total(streamed: LevelTraffic, projection: Projection) -> Quantity:
    """Return all bytes, those of write-allocate as under the convention in force."""
    allocated = projection.moved.write_allocate
    parts = [streamed.read_bytes, streamed.write_bytes]
    return add(parts if allocated.is_zero else [*parts, streamed.write_allocate_bytes])


def _of_level(profile: RegionProfile, reuses: Sequence[Reuse], level: str) -> tuple[Condition, ...]:
    """Return the conditions under which a cache holds what the outermost loops use again, the last to be lost alone."""
    outermost = {(loop.iterator, loop.line) for loop in profile.loops if loop.depth == 0}
    found = [
        condition
        for reuse in reuses
        if reuse.carried and (reuse.loop, reuse.line) in outermost
        for condition in reuse.conditions
        if condition.level == level
    ]
    if any(condition.threshold is None for condition in found):
        return tuple({condition.working_set: condition for condition in found}.values())
    by_symbol: dict[str, Condition] = {}
    for condition in found:
        known = by_symbol.get(condition.parameter)
        if known is None or (condition.threshold or 0) > (known.threshold or 0):
            by_symbol[condition.parameter] = condition
    return tuple(by_symbol.values())
