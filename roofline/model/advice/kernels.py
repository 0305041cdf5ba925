"""Advice for kernels: requests without waste, and data in the memory of the GPU."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from analyzer.profile import RegionProfile
from analyzer.traffic.results import CacheTraffic, RegionTraffic, Request

from ..gpu.requests import coalesced, is_conflicting, without_conflicts
from ..intensity import value_of
from ..projection import Projection
from .anew import likely_gain, pace, projected_anew
from .kinds import NOTICEABLE, Advice, AvoidBankConflicts, CoalesceAccesses, CopyToDevice


def mended(
    profile: RegionProfile, traffic: RegionTraffic, own: CacheTraffic, projection: Projection
) -> Iterator[Advice]:
    """Yield the gain of requests without waste: neighbouring threads on neighbouring elements, no bank conflicts."""
    faults = (
        (CoalesceAccesses, _is_uncoalesced, coalesced),
        (AvoidBankConflicts, is_conflicting, without_conflicts),
    )
    for advice, is_faulty, mend in faults:
        arrays = tuple(dict.fromkeys(request.array for request in own.requests if is_faulty(request)))
        if not arrays:
            continue
        mended = mend(own, profile.values)
        models = tuple(mended if found is own else found for found in traffic.models)
        gain = _gain(projection, projected_anew(profile, replace(traffic, models=models), projection))
        if gain > NOTICEABLE:
            found = advice(arrays, gain)
            yield replace(found, paddings=_paddings(own, arrays)) if isinstance(found, AvoidBankConflicts) else found


def _is_uncoalesced(request: Request) -> bool:
    return request.is_uncoalesced


def _gain(before: Projection, after: Projection) -> float:
    """Return how many times less is expected to be taken; without expected times, how much faster the bound is."""
    expected = likely_gain(before, after)
    if expected is not None:
        return expected
    slow, fast = pace(before), pace(after)
    return fast / slow if slow and fast else 1.0


def _paddings(traffic: CacheTraffic, arrays: tuple[str, ...]) -> tuple[int, ...]:
    known = {request.array: request.padding for request in traffic.requests if request.padding is not None}
    return tuple(known.get(array, 0) for array in arrays)


def copied(profile: RegionProfile, projection: Projection) -> Iterator[Advice]:
    """Yield the gain of arrays in the memory of the GPU instead of that of the host."""
    times: dict[str, float] = {}
    for level in projection.levels:
        size = value_of(level.bytes.estimate, profile.values)
        if size is not None:
            times[level.level] = size / level.bandwidth.rate.value
    over_link = times.pop(projection.level or "", None)
    rest = max(times.values(), default=0.0)
    if profile.launch is not None and over_link and rest and over_link > NOTICEABLE * rest:
        yield CopyToDevice((*profile.launch.pinned, *profile.launch.managed), over_link / rest)
