"""Text on a kernel that is launched many times: how often, and from the smallest to the largest launch."""

from __future__ import annotations

from collections.abc import Iterator

from roofline.machine.units import format_time
from roofline.report.report import RegionReport

from .names import launch_text, launches_by_size, times_launched
from .numbers import quantity_text


def range_text(region: RegionReport) -> str:
    """Return the smallest and the largest launch in one line; empty where all are alike."""
    shown = launches_by_size(region)
    if len(shown) < 2:
        return ""
    ends = " to ".join(f"{_launch(one)} with {_figures(one)}" for one in (shown[0], shown[-1]))
    return "; ".join([f"launches from {ends}", *_interpolated(region)])


def launches_text(region: RegionReport) -> Iterator[str]:
    """Yield each launch that was analyzed, after how many there are; nothing where there is one."""
    found = region.profile.launches
    times = times_launched(region)
    if found is None or not times:
        return
    yield f"Launches:{times}, {len(found.series.launches):,} different"
    often = {id(profile): found.series.launches[position].most for position, profile in found.analyzed}
    for one in launches_by_size(region):
        yield f"{_launch(one)}: {often[id(one.profile)]:,} times {_figures(one)}"
    yield from _interpolated(region)


def _launch(region: RegionReport) -> str:
    return "" if region.profile.launch is None else launch_text(region.profile.launch)


def _figures(region: RegionReport) -> str:
    values = region.profile.values
    flops = quantity_text(region.profile.work.flops, values, short=True)
    moved = quantity_text(region.moved.total, values, short=True)
    times = [made.time.value for made in region.projections if made.time is not None]
    took = f", {format_time(times[0])}" if times else ""
    return f"{flops} FLOPs, {moved} bytes{took}"


def _interpolated(region: RegionReport) -> Iterator[str]:
    found = region.profile.launches
    if found is not None and not found.blend.is_complete:
        yield f"{len(found.analyzed)} were analyzed, bytes and times of the others are interpolated"
