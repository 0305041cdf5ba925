"""Advice for divisions by what stays the same in their loop: products by the inverse, which C denies to compilers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic, Reuse

from ..projection import Projection
from .anew import likely_gain, projected_anew
from .kinds import WORTH, Advice, MultiplyByInverse


def inverted(
    profile: RegionProfile, traffic: RegionTraffic, projection: Projection, reuses: Sequence[Reuse]
) -> Iterator[Advice]:
    """Yield the gain of products in place of divisions by what stays, by expected times, else by rates.

    It is that of ``-freciprocal-math``; where sums gain by ``-ffast-math``, which allows both, their advice says it.
    """
    lines = tuple(sorted(set(_lines(profile))))
    core = projection.likely
    if not lines or core is None or core.reassociated_cycles is not None:
        return
    after = projected_anew(profile, traffic, projection, replace(projection.options, reassociate=True), reuses)
    gain = likely_gain(projection, after)
    if gain is None and projection.attainable is not None and after.attainable is not None:
        gain = after.attainable.value / projection.attainable.value
    if gain is not None and gain > WORTH:
        yield MultiplyByInverse(lines, gain)


def _lines(profile: RegionProfile) -> Iterator[int]:
    """Yield the lines of the divisions by what stays, in the region and its nests."""
    yield from (division.line for division in profile.access_patterns.divisions)
    for nest in profile.nests:
        yield from _lines(nest)
