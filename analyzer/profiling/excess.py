"""Which nests move many times their compulsory bytes: for them it is worth asking how few any order would move.

What reads and writes each element about once has nothing to gain by another order.
"""

from __future__ import annotations

from ..ir.index import Number
from ..ir.nodes import RegionKind
from ..profile import RegionProfile
from ..traffic.results import LevelTraffic, RegionTraffic

FAR = 4  # times the bytes: the bounds of stencils are up to 2.3 below those of known orders (roofline/README.md)


def nests_in_excess(profile: RegionProfile, traffic: RegionTraffic) -> frozenset[str]:
    """Return the iterators of the nests of which caches move :data:`FAR` times the compulsory bytes.

    A loop that only repeats nests is none: no row of a report is for it.
    """
    if profile.kind is RegionKind.KERNEL:
        return frozenset()
    parts = zip(profile.nests, traffic.nests, strict=False)
    return frozenset(nest.loops[0].iterator for nest, moved in parts if not nest.nests and _is_far(nest, moved))


def _is_far(profile: RegionProfile, traffic: RegionTraffic) -> bool:
    least = _bytes(profile.compulsory_traffic, profile)
    if least is None:
        return False
    moved = (_bytes(level, profile) for model in traffic.models for level in model.levels[1:])
    return any(found is not None and found > FAR * least for found in moved)


def _bytes(level: LevelTraffic, profile: RegionProfile) -> Number | None:
    """Return the bytes of a level; None where sizes are not known."""
    parts = [each.estimate for each in (level.read_bytes, level.write_allocate_bytes, level.write_bytes)]
    if any(each.symbols - profile.values.keys() for each in parts):
        return None
    return sum(each.evaluate(profile.values) for each in parts)
