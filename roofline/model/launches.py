"""Many launches of a kernel: how many there are, and the sum of the times of each.

A launch that is small may be bound by something else than a large one, so that the time of all is not that of the sum
of their FLOPs and bytes.  Launches that were not looked at one by one are interpolated as their bytes are
(:mod:`analyzer.quantities.blend`).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from analyzer.ir.launches import LaunchSeries
from analyzer.profile import RegionProfile
from analyzer.quantities.blend import Blend
from analyzer.quantities.quantity import Exactness, Quantity, exact, unbounded
from analyzer.quantities.quasipolynomial import fixed

from ..machine.units import FlopRate, Time
from .expectation.expected import Expected
from .intensity import number
from .projection import Projection


def count_of(series: LaunchSeries) -> Quantity:
    """Return how many launches there are: at least those of a loop that was not followed to its end."""
    least, most = fixed(series.least), fixed(series.most)
    if series.is_open:
        return unbounded(most, least)
    return exact(most) if series.least == series.most else Quantity(most, least, most, Exactness.UPPER)


def over_launches(
    whole: Projection, profile: RegionProfile, blend: Blend, launches: Sequence[tuple[RegionProfile, Projection]]
) -> Projection:
    """Return the projection of all launches with the sum of their times instead of the time of their sum."""
    time = _in_all(whole.time, blend, [projection.time for _, projection in launches])
    estimated = _in_all(whole.estimated_time, blend, [projection.estimated_time for _, projection in launches])
    attainable = whole.attainable
    flops = number(profile.work.flops.estimate, profile.values)
    seconds = [_seconds(found, projection) for found, projection in launches]
    rated = [value for value in seconds if value is not None]
    if attainable is not None and flops and len(rated) == len(seconds) and any(rated):
        attainable = min(attainable, FlopRate(float(flops) / blend.number(rated)), key=lambda rate: rate.value)
    interval = whole.attainable_range
    if interval is not None and attainable is not None:
        interval = (min(interval[0], attainable, key=lambda rate: rate.value), interval[1])
    expected = _expected(blend, [projection.expected for _, projection in launches])
    return replace(
        whole,
        time=time,
        estimated_time=estimated,
        expected=expected,
        attainable=attainable,
        attainable_range=interval,
    )


def _expected(blend: Blend, launches: Sequence[Expected | None]) -> Expected | None:
    """Return the sum of what all launches are expected to take; None where that of some is not known."""
    known = [each for each in launches if each is not None]
    if not known or len(known) < len(launches):
        return None
    ends = ([each.time for each in known], [each.least for each in known], [each.most for each in known])
    time, least, most = (Time(blend.number([each.value for each in times])) for times in ends)
    longest = max(known, key=lambda each: each.time.value)
    return Expected(time, least, most, longest.vectorised, longest.launch)


def _in_all(whole: Time | None, blend: Blend, times: Sequence[Time | None]) -> Time | None:
    """Return the sum of the times of all launches; that of their sum where some are not known."""
    known = [time.value for time in times if time is not None]
    return whole if len(known) < len(times) else Time(blend.number(known))


def _seconds(profile: RegionProfile, projection: Projection) -> float | None:
    """Return the seconds of one launch at its attainable rate; its least time where it has no FLOPs."""
    flops = number(profile.work.flops.estimate, profile.values)
    if flops and projection.attainable is not None:
        return float(flops) / projection.attainable.value
    return None if projection.time is None else projection.time.value
