"""A region whose parts run one after the other: its time is the sum of theirs, ``T = sum(T_i)``.

The part that is estimated to take longest gives the bound of the region; the rate is the FLOPs, or the bytes, over the
sum.  Of parts under conditions on data one alternative runs: each counts by its probability, and certain is the time of
the shortest one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from msgspec.structs import replace

from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic

from ...machine.units import Bandwidth, FlopRate, Time
from ..expectation.expected import Expected
from ..expectation.expected import in_sequence as expected_in_sequence
from ..instructions import one_after_another
from ..intensity import value_of
from .projected import Bound, Projection
from .reasons import LongestPart

NO_TRAFFIC = RegionTraffic()


def paired(profile: RegionProfile, traffic: RegionTraffic) -> Iterator[tuple[RegionProfile, RegionTraffic]]:
    """Yield each part of a region with its traffic."""
    return zip(profile.parts, traffic.parts or (NO_TRAFFIC,) * len(profile.parts), strict=False)


def in_sequence(whole: Projection, profile: RegionProfile, parts: Sequence[Projection]) -> Projection:
    """Return the projection of a region whose parts run one after the other: the sum of their times.

    The bound of the part that takes longest is the bound of the region.
    """
    nests = parts[: len(profile.nests)]
    unknown = any(part.time is None and part.bound is not Bound.NOTHING for part in nests)
    ways = profile.ways
    if not ways:
        return replace(whole, time=None, estimated_time=None, expected=None, parts=tuple(parts))
    shares = [float(sum(share for running, share in ways if running[number])) for number in range(len(parts))]
    certain, whole_times = (
        [0.0 if time is None else time.value for time in times]
        for times in ([part.time for part in parts], [part.estimated_time for part in parts])
    )
    estimated = [share * time for share, time in zip(shares, whole_times, strict=True)]
    seconds = estimated if any(estimated) else certain
    least = min(sum(compress(certain, running)) for running, _ in ways)
    total, flops = sum(seconds), value_of(profile.work.flops.estimate, profile.values)
    if unknown or flops is None or not total:
        without_times = replace(whole, time=None, estimated_time=None, expected=None, parts=tuple(parts))
        return _at_most_fastest(_alike(without_times, parts), profile, parts)
    longest = max(range(len(parts)), key=seconds.__getitem__)
    main, span = parts[longest], profile.parts[longest].span
    size = value_of(whole.moved.total.estimate, profile.values)
    paces = [*_paces(profile, parts, shares)]
    return replace(
        whole,
        bound=main.bound,
        level=main.level,
        attainable=FlopRate(flops / sum(paces)) if flops else None,
        attainable_range=_range_in_sequence(profile, parts, paces) if flops else None,
        bandwidth_rate=Bandwidth(size / total) if size and not flops else None,
        iterations_per_s=None,
        time=Time(least),
        estimated_time=Time(sum(estimated)),
        expected=expected_in_sequence(_expected(parts, len(nests), shares)),
        instructions=one_after_another([(part.instructions, share) for part, share in zip(parts, shares, strict=True)]),
        close_call=main.close_call,
        reason=LongestPart(seconds[longest] / total, span.line, span.end_line, main.reason),
        in_sequence=True,
        parts=tuple(parts),
    )


def _alike(whole: Projection, parts: Sequence[Projection]) -> Projection:
    """Return the projection of a region without sizes whose parts are all bound by one memory level, as it is then.

    Its rate is that of its fastest part at most.
    """
    busy = [part for part in parts if part.bound is not Bound.NOTHING]
    rates = [part for part in busy if part.attainable is not None]
    levels = {part.level if part.bound is Bound.MEMORY else None for part in busy}
    if len(busy) < 2 or not rates or None in levels or len(levels) > 1 or whole.bound is Bound.MEMORY:
        return whole
    fastest = max(rates, key=lambda part: part.attainable.value if part.attainable is not None else 0.0)
    assert fastest.attainable is not None
    return replace(
        whole,
        bound=Bound.MEMORY,
        level=fastest.level,
        attainable=fastest.attainable,
        attainable_range=(FlopRate(0.0), fastest.attainable),
        iterations_per_s=None,
        close_call=False,
        reason=fastest.reason,
    )


def _at_most_fastest(whole: Projection, profile: RegionProfile, parts: Sequence[Projection]) -> Projection:
    """Return the projection of a region without sizes with the bound of its fastest part, where that rate is lower.

    It is where parts run on fewer cores than the whole might: a sum that one core adds up in order.
    """
    rated = [part for part in parts if part.attainable is not None]
    rest = (one.work.flops for one, part in zip(profile.parts, parts, strict=True) if part.attainable is None)
    if whole.attainable is None or not rated or not all(flops.is_zero for flops in rest):
        return whole
    fastest = max(rated, key=lambda part: part.attainable.value if part.attainable is not None else 0.0)
    assert fastest.attainable is not None
    if fastest.attainable.value >= whole.attainable.value:
        return whole
    return replace(
        whole,
        bound=fastest.bound,
        level=fastest.level,
        attainable=fastest.attainable,
        attainable_range=fastest.attainable_range if len(rated) == 1 else (FlopRate(0.0), fastest.attainable),
        iterations_per_s=None,
        close_call=fastest.close_call,
        reason=fastest.reason,
    )


def _paces(profile: RegionProfile, parts: Sequence[Projection], shares: Sequence[float]) -> Iterator[float]:
    """Yield the seconds of each part at its attainable rate; those of what is certain where it has no FLOPs."""
    for part, projection, share in zip(profile.parts, parts, shares, strict=True):
        flops = value_of(part.work.flops.estimate, part.values)
        if flops and projection.attainable is not None:
            yield share * (flops / projection.attainable).value
        else:
            yield 0.0 if projection.time is None else share * projection.time.value


def _expected(
    parts: Sequence[Projection], nests: int, shares: Sequence[float]
) -> Iterator[tuple[Expected | None, float]]:
    """Yield what each part that does anything is expected to take, with its probability; what is no nest its bound."""
    for number, (part, share) in enumerate(zip(parts, shares, strict=True)):
        if number >= nests and part.expected is None and part.time is not None:
            yield Expected(part.time, part.time, part.time, vectorised=True), share
        elif number < nests and part.bound is not Bound.NOTHING:
            yield part.expected, share


def _range_in_sequence(
    profile: RegionProfile, parts: Sequence[Projection], seconds: Sequence[float]
) -> tuple[FlopRate, FlopRate] | None:
    """Return the rates over all parts where each has the lower, or the upper, of the rates that it may have."""
    flops = float(profile.work.flops.estimate.evaluate(profile.values))
    ends = []
    for end in (0, 1):
        times = [
            time * part.attainable.value / part.attainable_range[end].value
            if part.attainable is not None and part.attainable_range is not None and part.attainable_range[end].value
            else time
            for part, time in zip(parts, seconds, strict=True)
        ]
        ends.append(FlopRate(flops / sum(times)))
    return None if all(part.attainable_range is None for part in parts) else (ends[0], ends[1])
