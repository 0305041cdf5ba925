"""Profiles whose cache traffic is written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from analyzer.domains.quantity import Quantity, exact
from analyzer.domains.quasipolynomial import polynomial
from analyzer.ir.index import const
from analyzer.profile import RegionProfile
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.results import CacheTraffic, LevelTraffic

Level = tuple[float, float, float]


def known(value: float) -> Quantity:
    return exact(polynomial(const(int(value))))


def with_caches(
    profile: RegionProfile, hierarchy: Hierarchy, levels: Sequence[Level], model: str = "analytic"
) -> RegionProfile:
    """The profile with read, write-allocate and write-back bytes for each level, from the innermost outwards."""
    names = (hierarchy.levels[0].name, *hierarchy.serving)
    traffic = tuple(
        LevelTraffic(name, model, 64, *map(known, parts)) for name, parts in zip(names, levels, strict=True)
    )
    nests = tuple(with_caches(nest, hierarchy, levels, model) for nest in profile.nests)
    return replace(profile, caches=(*profile.caches, CacheTraffic(hierarchy, model, traffic)), nests=nests)
