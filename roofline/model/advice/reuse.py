"""Advice to reuse data: how many bytes of the binding level could be spared at all.

Whatever the order of the iterations, each element that is read first is loaded once and each written one is stored
once (compulsory traffic): what a level moves beyond that is all that reuse can spare.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.domains.quantity import add
from analyzer.profile import RegionProfile

from ..gpu import SHARED
from ..intensity import limit_of, value_of
from ..projection import Projection
from ..verdicts.reasons import HeldUntil
from .kinds import REGISTERS, Advice, ReuseData

_WORTH = 1.1  # more bytes than compulsory by whole lines and edges alone are no reuse


def reusable(profile: RegionProfile, projection: Projection) -> Iterator[Advice]:
    """Yield the gain of fewer bytes from the binding level, up to the ceiling or to the compulsory bytes."""
    if projection.ceiling is None or projection.attainable is None or not projection.attainable.value:
        return
    room = projection.ceiling.rate / projection.attainable
    avoidable = _avoidable(profile, projection)
    gain = room if avoidable is None else min(room, avoidable)
    if gain < _WORTH:
        return
    level, names = projection.level, projection.machine.level_names
    inner = None
    if level == SHARED or (level == names[0] and len(names) > 1):
        inner = REGISTERS
    elif level in names[1:-1]:
        inner = names[names.index(level) - 1]
    yield ReuseData(level, inner, projection.ceiling.name, gain)


def _avoidable(profile: RegionProfile, projection: Projection) -> float | None:
    """Return how many times the compulsory bytes the binding level moves; None where that grows with the sizes."""
    if isinstance(projection.reason, HeldUntil):
        return None
    moved = next((level.bytes for level in projection.levels if level.level == projection.level), None)
    if moved is None:
        return 1.0
    least = profile.compulsory_traffic
    parts = [least.read_bytes, least.write_bytes]
    allocated = projection.moved.write_allocate
    needed = add(parts if allocated.is_zero else [*parts, least.write_allocate_bytes])
    size, floor = value_of(moved.estimate, profile.values), value_of(needed.estimate, profile.values)
    if size is not None and floor is not None:
        return size / floor if floor else 1.0
    share = limit_of(profile, needed, moved)
    return None if not share else float(1 / share)
