"""A region projected anew: what its time would be with other bytes or other options."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic, Reuse

from ..level_bytes import ProjectionOptions, Target
from ..projection import Projection, project
from ..verdicts.regimes import with_regimes


def projected_anew(
    profile: RegionProfile,
    traffic: RegionTraffic,
    projection: Projection,
    options: ProjectionOptions | None = None,
    reuses: Sequence[Reuse] = (),
) -> Projection:
    """Return the projection onto the same machine, in the same regime, of other traffic, or with other options."""
    target = Target(projection.machine, options or projection.options, projection.hierarchy)
    return with_regimes(project(profile, target, traffic, like=projection), profile, reuses)


def likely_gain(before: Projection, after: Projection) -> float | None:
    """Return how many times less is expected to be taken; None where a time is not known."""
    if before.expected is None or after.expected is None or not after.expected.time.value:
        return None
    return before.expected.time.value / after.expected.time.value


def pace(projection: Projection) -> float | None:
    """Return the estimated speed of a kernel: FLOP/s, or runs per second without FLOPs and with all sizes known."""
    if projection.attainable is not None:
        return projection.attainable.value
    if any(level.bytes.estimate.symbols for level in projection.levels):
        return None
    seconds = [float(level.bytes.estimate.evaluate({})) / level.bandwidth.rate.value for level in projection.levels]
    return 1 / max(seconds) if any(seconds) else None
