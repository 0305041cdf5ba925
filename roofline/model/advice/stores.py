"""Advice on non-temporal stores: only where a nest streams to memory (``stored_streams``).

A store past the caches takes its line out of them: it helps where no cache would hold the line until its next use.  So
the nest has to touch more than the last cache holds; an array that another nest reads has to be larger by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzer.given_values import TRIP
from analyzer.ir.nodes import RegionKind
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.results import Convention, RegionTraffic, Reuse

from ..intensity import limit_of, value_of
from ..projection import Bound, MovedBytes, Projection
from .anew import likely_gain, projected_anew
from .kinds import Advice, StreamingStores

_ALLOCATING = (Convention.WRITE_ALLOCATE, Convention.CACHED)
_WORTH = 1.1  # stores past the caches are no change of the order of anything
_COMMON_CACHE_BYTES = 32 << 20  # of a server's last cache, where no machine is named


def streaming(
    profile: RegionProfile,
    traffic: RegionTraffic,
    moved: MovedBytes,
    projection: Projection | None,
    reuses: Sequence[Reuse],
) -> Iterator[Advice]:
    """Yield the gain of non-temporal stores, where memory binds or no machine is named."""
    if moved.convention not in _ALLOCATING or moved.write_allocate.is_zero or profile.kind is RegionKind.KERNEL:
        return
    arrays = tuple(_streams(profile, None if projection is None else projection.hierarchy))
    spared = _share(profile, arrays) * float(limit_of(profile, moved.write_allocate, moved.total) or 0)
    if not 0 < spared < 1:
        return
    gain = 1 / (1 - spared)
    if projection is not None:
        if projection.bound is not Bound.MEMORY or projection.level != projection.machine.memory.name:
            return
        before = projection.attainable
        past = replace(projection.options, nontemporal=True)
        anew = projected_anew(profile, traffic, projection, past, reuses)
        after, likely = anew.attainable, likely_gain(projection, anew)
        if likely is not None:
            gain = min(gain, likely)
        elif _calls(profile):  # whose time is in no rate
            return
        elif before is not None and before.value and after is not None:
            gain = min(gain, after / before)
    if gain > _WORTH:
        yield StreamingStores(arrays, gain)


def _calls(profile: RegionProfile) -> bool:
    """Return whether an iteration calls a function: one of the library, or one whose body is not known."""
    loops = (inner.iteration.operations.items() for inner in profile.inner_loops)
    library = any(key.operation is Operation.CALL and share for operations in loops for key, share in operations)
    return library or bool(profile.work.not_counted)


def _streams(profile: RegionProfile, hierarchy: Hierarchy | None) -> Iterator[str]:
    """Yield the arrays that are stored in streams and that the last cache does not hold until their next use."""
    if hierarchy is not None and hierarchy.gpu is not None:
        return
    last = hierarchy.levels[-1].capacity_bytes if hierarchy is not None and hierarchy.levels else _COMMON_CACHE_BYTES
    written = {each.array: each.written.bytes for each in profile.footprint.arrays}
    for stream in profile.stored_streams:
        held = written.get(stream.array) if stream.is_read_elsewhere else profile.footprint.touched.bytes
        size = None if held is None else value_of(held.estimate, profile.values)
        if size is not None:
            is_long = size > last
        else:
            is_long = held is not None and not stream.is_read_elsewhere and _has_open_size(held, profile)
        if is_long:
            yield stream.array


def _has_open_size(held: Quantity, profile: RegionProfile) -> bool:
    """Return whether a size that is not known may be large; a loop that data end may have as few bytes as a text."""
    return not all(name.startswith(TRIP) or name in profile.values for name in held.estimate.symbols)


def _share(profile: RegionProfile, arrays: Sequence[str]) -> float:
    """Return the share of the bytes that stores load which these arrays have."""
    own = [each.written.bytes for each in profile.footprint.arrays if each.array in arrays]
    if not own:
        return 0.0
    allocated: Quantity = profile.compulsory_traffic.write_allocate_bytes
    share = limit_of(profile, add(own) * profile.repetitions, allocated)
    return 0.0 if share is None else min(1.0, float(share))
