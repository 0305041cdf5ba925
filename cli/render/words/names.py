"""What a region is called: its place in words and in short, and which of a region and its nests are shown."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.ir.launches import Launch
from roofline.model.intensity import number
from roofline.report.report import FileReport, RegionReport

from .numbers import quantity_text

_MOST_ARGUMENTS = 3


def heading_of(file: FileReport) -> str:
    """Return the file with how it was read."""
    profile = file.profile
    return f"{profile.path} ({profile.language.value}, read by {profile.frontend})"


def regions_shown(region: RegionReport) -> tuple[RegionReport, ...]:
    """Return what is shown of a region: the nests and those that they only repeat, each before what it is part of."""
    whole = shown_whole(region)
    return (*(part for nest in whole.nests for part in regions_shown(nest)), whole)


def shown_whole(region: RegionReport) -> RegionReport:
    """Return the only nest of a region where that is all of it, else the region."""
    nests = region.nests
    if len(nests) == 1 and nests[0].profile.work.flops.estimate.equals(region.profile.work.flops.estimate):
        return nests[0]
    return region


def title_of(region: RegionReport, whole: RegionReport) -> str:
    """Return the location in words: ``triad, lines 3-4``; bare loops have only lines; several nests say so."""
    lines = lines_of(region)
    location = f"line {lines}" if "-" not in lines else f"lines {lines}"
    name = region.profile.function + _launched(region)
    when = when_text(region)
    return f"{name}, {location}{_whole(region, whole)}{when}" if name else f"{location}{_whole(region, whole)}{when}"


def alternatives_text(region: RegionReport) -> str:
    """Return what a region does for other values of flags: ``2*n FLOPs, 24*n bytes if dir = 1; nothing if dir = 0``."""
    values, texts = region.profile.values, []
    for found in region.alternatives:
        what = "nothing"
        if not found.is_nothing:
            size = "" if found.bytes is None else f", {quantity_text(found.bytes, values, short=True)} bytes"
            what = f"{quantity_text(found.flops, values, short=True)} FLOPs{size}"
        texts.append(f"{what} if {' and '.join(found.when)}")
    return "; ".join(texts)


def when_text(region: RegionReport) -> str:
    """Return the alternative that a region is reported for: `` if dir = 1``; empty where there are no others."""
    when = region.profile.when
    return f" if {' and '.join(when)}" if when else ""


def _launched(region: RegionReport) -> str:
    """Return the launch as CUDA spells it, ``<<<4x2, 256>>>``; of many launches their number and both ends."""
    launch = region.profile.launch
    if launch is None:
        return ""
    found = [one.profile.launch for one in launches_by_size(region)] or [launch]
    parts = list(dict.fromkeys(launch_text(one) for one in found if one is not None))
    ends = parts if len(parts) == 1 else (parts[0], parts[-1])
    return f" {' to '.join(ends)}{times_launched(region)} ({launch.source})"


def launches_by_size(region: RegionReport) -> list[RegionReport]:
    """Return the launches of a region that were analyzed, the one with the fewest FLOPs and bytes first."""

    def size(one: RegionReport) -> tuple[float, float]:
        counts = (one.profile.work.flops.estimate, one.moved.total.estimate)
        flops, moved = (float(number(count, one.profile.values) or 0) for count in counts)
        return flops, moved

    return sorted(region.launches, key=size)


def launch_text(launch: Launch) -> str:
    """Return ``<<<4x2, 256>>>(k=3)``: grid, block, and the arguments that distinguish launches of the kernel."""
    grid, block = (_dimensions(values) for values in (launch.grid, launch.block))
    arguments = ", ".join(f"{name}={value}" for name, value in launch.arguments[:_MOST_ARGUMENTS])
    return f"<<<{grid}, {block}>>>" + (f"({arguments})" if arguments else "")


def times_launched(region: RegionReport) -> str:
    """Return `` x 2047``; `` x 12+`` where there are more, `` x <=1000`` where there may be fewer; empty for one."""
    found = region.profile.launches
    if found is None:
        return ""
    series = found.series
    if series.is_open:
        return f" x {series.most:,}+"
    if series.most == 1:
        return ""
    return f" x {'' if series.least == series.most else '<='}{series.most:,}"


def _dimensions(values: Sequence[int | None]) -> str:
    texts = ["?" if value is None else str(value) for value in values]
    while len(texts) > 1 and texts[-1] == "1":
        texts.pop()
    return "x".join(texts)


def label_of(region: RegionReport, whole: RegionReport) -> str:
    """Return the location in short: ``triad:3-4``, of a kernel with how often it is launched."""
    name = region.profile.function
    lines = lines_of(region)
    location = f"{name}:{lines}" if name else f"line {lines}" if "-" not in lines else f"lines {lines}"
    launch = region.profile.launch
    if launch is not None and launch.arguments and region.profile.launches is None:
        name, value = launch.arguments[0]
        location = f"{location} {name}={value}"
    return location + times_launched(region) + _whole(region, whole) + when_text(region)


def _whole(region: RegionReport, whole: RegionReport) -> str:
    return ", all loops" if region is whole and len(whole.nests) > 1 else ""


def lines_of(region: RegionReport) -> str:
    """Return the first and last line as ``3-7``."""
    span = region.profile.span
    return str(span.line) if span.line == span.end_line else f"{span.line}-{span.end_line}"
