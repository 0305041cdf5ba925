"""Advice to block loops: the tiles with the least projected time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from analyzer.profile import RegionProfile
from analyzer.traffic.results import Blocking, RegionTraffic

from ..level_bytes import ProjectionOptions, in_force, level_bytes
from ..projection import MovedBytes, Projection
from .anew import projected_anew
from .kinds import Advice, BlockLoops

_WORTH_BLOCKING = 1.05


def blocked(
    profile: RegionProfile, traffic: RegionTraffic, projections: Sequence[Projection], options: ProjectionOptions
) -> Iterator[Advice]:
    """Yield the loop tiles with the least projected time; without a machine those with the least bytes of memory."""
    if not traffic.blockings:
        return
    hierarchy = traffic.blockings[0].traffic.hierarchy
    before = next((projection for projection in projections if projection.hierarchy == hierarchy), None)
    trials = [_tried(profile, traffic, blocking, before, options) for blocking in traffic.blockings]
    best = max((trial for trial in trials if trial is not None), key=lambda trial: trial.gain, default=None)
    if best is None or best.gain < _WORTH_BLOCKING:
        return
    yield BlockLoops(best.blocking.cuts, best.level, best.before, best.after, None if before is None else best.gain)


class _Trial(Struct, frozen=True):
    """A blocking with its gain (in time, else in bytes) and the bytes of a level without and with it."""

    blocking: Blocking
    gain: float
    level: str
    before: Fraction
    after: Fraction


def _tried(
    profile: RegionProfile,
    traffic: RegionTraffic,
    blocking: Blocking,
    before: Projection | None,
    options: ProjectionOptions,
) -> _Trial | None:
    profile = replace(profile, nests=(), outside=None)  # tiles cross the parts of a nest: both are taken as a whole
    machine = None if before is None else before.machine
    level = blocking.traffic.levels[-1].level if before is None else before.level
    plain = in_force(traffic, options, blocking.traffic.hierarchy)
    sizes = [
        _bytes(profile, dict(level_bytes(found, options, machine, profile.values)).get(level or ""))
        for found in (plain, blocking.traffic)
    ]
    if level is None or sizes[0] is None or sizes[1] is None:
        return None
    if before is None:
        gain = float(sizes[0] / sizes[1]) if sizes[1] else 1.0
    else:
        both = (traffic, replace(traffic, models=(blocking.traffic,)))
        times = [projected_anew(profile, found, before).time for found in both]
        if times[0] is None or times[1] is None or not times[1].value:
            return None
        gain = times[0].value / times[1].value
    return _Trial(blocking, gain, level, sizes[0], sizes[1])


def _bytes(profile: RegionProfile, moved: MovedBytes | None) -> Fraction | None:
    """Return the bytes at the known sizes."""
    if moved is None or not moved.total.estimate.symbols <= profile.values.keys():
        return None
    return Fraction(moved.total.estimate.evaluate(profile.values))
