"""Advice to reuse data: how many bytes of the binding level could be spared at all.

Whatever the order of the iterations, each element that is read first is loaded once and each written one is stored
once (compulsory traffic): what a level moves beyond that is all that reuse can spare.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.ir.index import Poly
from analyzer.ir.nodes import MemorySpace
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from analyzer.traffic.hierarchy import Inclusion

from ..expectation.expected import Holder
from ..gpu.requests import PATH, SHARED
from ..intensity import limit_of, value_of
from ..projection import Projection
from ..verdicts.reasons import HeldUntil
from .kinds import REGISTERS, Advice, ReuseData

_THREADS = "threadIdx"
_REUSED = 4  # FLOPs for each element from shared memory: two products with each, and two elements of a sum
_PARTLY = 1.5  # times what is used of a structure its size has to be, for its rest to be worth a word
_ONCE = 1.05  # references for each element that is moved, where iterations share no elements
_WORTH = 1.1  # more bytes than compulsory by whole lines and edges alone are no reuse


def reusable(profile: RegionProfile, projection: Projection) -> Iterator[Advice]:
    """Yield the gain of fewer bytes from the binding level, up to the ceiling or to the compulsory bytes."""
    if projection.ceiling is None or projection.attainable is None or not projection.attainable.value:
        return
    room = projection.ceiling.rate / projection.attainable
    avoidable = _avoidable(profile, projection)
    gain = room if avoidable is None else min(room, avoidable)
    if gain < _WORTH or _waits_for_core(projection):
        return
    level, names = projection.level, projection.machine.level_names
    has_tiles = level == SHARED or (level == PATH and any(each.level == SHARED for each in projection.levels))
    tiles = () if has_tiles or projection.machine.gpu is None else tuple(_read_by_several(profile))
    inner = None
    if level == names[-1] and not tiles:
        tiles = tuple(_partly_used(profile, _WORTH if _is_touched_once(profile) else _PARTLY))
    elif tiles:
        inner = SHARED
    elif level in (SHARED, PATH) or (level == names[0] and len(names) > 1):
        inner = REGISTERS
        if _is_in_registers(profile, projection):
            return
    elif level in names[1:-1]:
        inner = names[names.index(level) - 1]
    yield ReuseData(level, inner, projection.ceiling.name, gain, tiles)


def _waits_for_core(projection: Projection) -> bool:
    """Return whether a run is expected to wait for the core beyond the roof of the bytes: fewer gain nothing.

    Bytes of the innermost level go through the core's own ports, and fewer of them do.
    """
    if projection.level == projection.machine.level_names[0]:
        return False
    expected, least = projection.expected, projection.time
    if expected is None or least is None or expected.held_by is not Holder.CORE:
        return False
    return expected.time.value > _WORTH * least.value


def _read_by_several(profile: RegionProfile) -> Iterator[str]:
    """Yield the arrays in global memory of which the threads of a block read the same elements in a loop."""
    arrays: dict[str, None] = {}
    parts = (profile, *profile.nests)
    for reference in (each for part in parts for each in part.access_patterns.references):
        threads = [number for number, loop in enumerate(reference.loops) if loop.iterator.startswith(_THREADS)]
        if reference.write or reference.on_chip or not threads or threads[-1] == len(reference.loops) - 1:
            continue
        apart = [reference.steps_bytes[number] for number in threads if _is_several(reference.loops[number].trip)]
        if any(step is not None and not step.terms for step in apart):
            arrays[reference.array] = None
    yield from arrays


def _is_touched_once(profile: RegionProfile) -> bool:
    """Return whether iterations share no elements, so that only lines that are used in part can be spared."""
    least, held = profile.compulsory_traffic, profile.register_traffic
    moved, needed = (add((each.read_bytes, each.write_bytes)) for each in (held, least))
    share = limit_of(profile, needed * (profile.same_work_times if profile.repetitions == 1 else 1), moved)
    return share is not None and share * _ONCE >= 1


def _partly_used(profile: RegionProfile, least: float) -> Iterator[str]:
    """Yield the arrays of structures that are ``least`` times what is used of them, whose rest is loaded with that."""
    for array in profile.footprint.arrays:
        references = [
            each
            for each in profile.access_patterns.references
            if each.array == array.array and any(step is None or step.terms for step in each.steps_bytes)
        ]
        members = {each.text.rpartition(".")[2] for each in references}
        share = limit_of(profile, array.touched.bytes, array.touched.elements)
        if share and any(each.unit_bytes > least * share * len(members) for each in references if "." in each.text):
            yield array.array


def _is_several(trip: Poly | None) -> bool:
    return trip is not None and trip.constant != 1


def _is_in_registers(profile: RegionProfile, projection: Projection) -> bool:
    """Return whether a thread of a kernel uses what it loads from shared memory several times from registers."""
    requests = () if projection.traffic is None else projection.traffic.requests
    loaded = sum(each.accesses for each in requests if each.space is MemorySpace.SHARED and not each.write)
    flops = value_of(profile.work.flops.estimate, profile.values)
    return bool(loaded) and flops is not None and flops >= _REUSED * loaded


def _avoidable(profile: RegionProfile, projection: Projection) -> float | None:
    """Return how many times the compulsory bytes the binding level moves; None where that grows with the sizes."""
    if isinstance(projection.reason, HeldUntil):
        return None
    moved = next((level.bytes for level in projection.levels if level.level == projection.level), None)
    if moved is None:
        return 1.0
    needed = _needed(profile, projection) * profile.same_work_times
    size, floor = value_of(moved.estimate, profile.values), value_of(needed.estimate, profile.values)
    if size is not None and floor is not None:
        return size / floor if floor else 1.0
    share = limit_of(profile, needed, moved)
    return None if not share else float(1 / share)


def _needed(profile: RegionProfile, projection: Projection) -> Quantity:
    """Return the compulsory bytes of the binding level: a victim cache takes in all that the level inside it evicts."""
    least = profile.compulsory_traffic
    filled = [least.read_bytes]
    if not projection.moved.write_allocate.is_zero:
        filled.append(least.write_allocate_bytes)
    levels = () if projection.hierarchy is None else projection.hierarchy.levels
    if any(level.name == projection.level and level.inclusion is Inclusion.VICTIM for level in levels):
        return add(filled) * 2
    return add([*filled, least.write_bytes])
