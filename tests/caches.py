"""Traffic between caches that is written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from analyzer.ir.index import const
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, exact
from analyzer.quantities.quasipolynomial import polynomial
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.results import CacheTraffic, LevelTraffic, RegionTraffic

Level = tuple[float, float, float]


def known(value: float) -> Quantity:
    return exact(polynomial(const(int(value))))


def with_caches(
    profile: RegionProfile,
    hierarchy: Hierarchy,
    levels: Sequence[Level],
    model: str = "analytic",
    traffic: RegionTraffic | None = None,
    *,
    warm: bool = False,
) -> RegionTraffic:
    """The traffic of a region, given as read, write-allocate and write-back bytes from the innermost level outwards."""
    before = traffic or RegionTraffic(nests=(RegionTraffic(),) * len(profile.nests))
    names = (hierarchy.levels[0].name, *hierarchy.serving)
    found = tuple(LevelTraffic(name, model, 64, *map(known, parts)) for name, parts in zip(names, levels, strict=True))
    pairs = zip(profile.nests, before.nests, strict=True)
    nests = tuple(with_caches(nest, hierarchy, levels, model, one, warm=warm) for nest, one in pairs)
    return replace(before, models=(*before.models, CacheTraffic(hierarchy, model, found, warm=warm)), nests=nests)
