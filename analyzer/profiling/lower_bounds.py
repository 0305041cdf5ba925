"""Regions that do more than is counted: every figure of them is a lower bound.

A call of a function whose body is not known, or another construct that is not understood, may compute, load and store
anything.  What is counted of its region is then a part of the truth: of the work, the references, the distinct data,
and the bytes at every level.  Where only what something touches is not known, the work and the references are as they
are counted, and the rest is a part of the truth.  Where only the cost of a function is not known, FLOPs are.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from ..profile import RegionProfile
from ..quantities.quantity import Quantity, map_quantities
from ..traffic.results import RegionTraffic

Found = TypeVar("Found")


def with_lower_bounds(profile: RegionProfile) -> RegionProfile:
    """Return a profile without its nests as lower bounds, where something of it is not counted or not located.

    Of its source lines those that have such a construct are bounds, the others stay as they are.
    """
    rest, elsewhere = profile.work.not_counted, profile.work.not_located
    profile = _with_least_flops(profile)
    if not rest and not elsewhere:
        return profile
    if rest:
        lines = {found.span.line for found in rest}
        profile = replace(
            profile,
            work=replace(
                _bounded(profile.work),
                not_counted=rest,
                not_located=elsewhere,
                without_cost=profile.work.without_cost,
            ),
            loads=_bounded(profile.loads),
            stores=_bounded(profile.stores),
            lines=tuple(_bounded(line) if line.line in lines else line for line in profile.lines),
        )
    one = profile.per_iteration
    return replace(
        profile,
        distinct=_bounded(profile.distinct),
        register_traffic=_bounded(profile.register_traffic),
        per_iteration=None if one is None else replace(one, exact=False),
    )


def _with_least_flops(profile: RegionProfile) -> RegionProfile:
    """Return a profile with FLOPs as lower bounds where the cost of a function is not known."""
    work, one = profile.work, profile.per_iteration
    if not work.without_cost:
        return profile
    lines = {found.span.line for found in work.without_cost}
    return replace(
        profile,
        work=replace(work, flops=work.flops.at_least(), flops_by_precision=_bounded(work.flops_by_precision)),
        lines=tuple(
            replace(line, flops=line.flops.at_least()) if line.line in lines else line for line in profile.lines
        ),
        per_iteration=None if one is None else replace(one, exact=False),
    )


def traffic_with_lower_bounds(traffic: RegionTraffic, profile: RegionProfile) -> RegionTraffic:
    """Return the traffic of a region, but not of its parts: lower bounds where something is not counted or located."""
    if not profile.work.not_counted and not profile.work.not_located:
        return traffic
    return replace(traffic, models=tuple(replace(found, levels=_bounded(found.levels)) for found in traffic.models))


def _bounded(value: Found) -> Found:
    """Return a value with every quantity in it as a lower bound."""
    return map_quantities(value, Quantity.at_least)
