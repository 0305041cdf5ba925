"""The nests and kernels of a region that repeat no others, each as a hotspot.

What runs under a condition on data has its weight times its probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from analyzer.ir.nodes import RegionKind
from analyzer.profile import RegionProfile
from analyzer.source import Span
from roofline.model.advice.kinds import TransformLoops
from roofline.model.compilers import is_transfer
from roofline.model.expectation.expected import Expected
from roofline.model.projection import Projection
from roofline.report.report import RegionReport

from ..words.levels import conditions_text, findings_that_matter
from .hotspots import MOST_OF_TIME, Heading, Hotspot, OnMachine
from .roles import Location
from .weights import weight_of

_TIMED = "AI325"  # figures of one iteration of a timed loop


def leaves_of(
    region: RegionReport, part: RegionReport, heading: Heading | None, runs: int, share: float
) -> Iterator[Hotspot]:
    """Yield the parts of a region that repeat no others; a kernel is one, as its blocks run at the same time."""
    profile = part.profile
    share *= _share(profile, region.profile) if part is not region else 1
    if not part.nests or profile.kind is RegionKind.KERNEL:
        yield _hotspot(region, part, heading, runs, share)
        return
    if part is not region and len(part.nests) > 1:
        times = profile.outermost_trips or profile.nests[0].repetitions
        advice = tuple(each for each in part.advice if isinstance(each, TransformLoops))
        heading = Heading(_location(profile.span), times, advice=advice)
    for nest in part.nests:
        yield from leaves_of(region, nest, heading, runs * nest.profile.repetitions, share)


def _is_timed(part: RegionReport, region: RegionReport) -> bool | None:
    """Return whether a library of benchmarks times a nest: a loop that repeats it, and counts once; None without."""
    if not any(note.code == _TIMED for note in region.profile.assumptions):
        return None
    timed = [nest for nest in region.nests if nest.nests and all(each.profile.repetitions == 1 for each in nest.nests)]
    return any(part is each for nest in timed for each in nest.all_nests) if timed else None


def _share(nest: RegionProfile, region: RegionProfile) -> Fraction | int:
    """Return how often a nest runs: its share of the alternatives that data choose; never, where sizes are usual."""
    count = 1
    for flag in nest.flags:
        value = nest.assumed.get(flag.name)
        is_special = flag.usual is not None and value not in (None, flag.usual)
        if is_special and region.assumed.get(flag.name) == flag.usual:
            return 0
        count *= len(flag.values) if flag.is_of_data and value is not None else 1
    return Fraction(1, count)


def _hotspot(region: RegionReport, part: RegionReport, heading: Heading | None, runs: int, share: float) -> Hotspot:
    profile = part.profile
    machines = tuple(_on_machine(each) for each in part.projections)
    machines = machines or (OnMachine(projection=None, moved=part.moved.total, intensity=part.intensity),)
    return Hotspot(
        location=_location_of_nest(profile),
        region=_location(region.profile.span),
        within="",
        caller=region.profile.function,
        runs=runs * (1 if _location_of_nest(profile) == _location(profile.span) else profile.outermost_trips or 1),
        instances=1,
        profile=profile,
        flops=profile.work.flops,
        machines=machines,
        weight=share * weight_of(profile, machines[0]),
        heading=heading,
        advice=part.advice,
        findings=findings_that_matter(part, machines[0].projection),
        best=part.best,
        held=conditions_text(part),
        is_launched=profile.launch is not None,
        is_conditional=0 < share < 1,
        is_timed=_is_timed(part, region),
    )


def _on_machine(projection: Projection) -> OnMachine:
    binding = next((level for level in projection.levels if level.level == projection.level), None)
    time = projection.time
    least = projection.estimated_time if time is not None and not time.value else time
    return OnMachine(
        projection=projection,
        moved=projection.moved.total if binding is None else binding.bytes,
        intensity=projection.intensity if binding is None else binding.intensity,
        seconds=None if least is None else least.value,
        at_roof=None if projection.estimated_time is None else projection.estimated_time.value,
        expected=None if projection.expected is None else projection.expected.time.value,
        transfers=projection.expected is not None and _transfers(projection.expected),
    )


def _transfers(expected: Expected) -> bool:
    return expected.share_of_calls > MOST_OF_TIME and any(map(is_transfer, expected.called))


def _location(span: Span) -> Location:
    return span.path, span.line, span.end_line


def _location_of_nest(profile: RegionProfile) -> Location:
    """Return the location of a nest: of the one in a function that its outermost loop only calls, else its own."""
    own = _location(profile.span)
    inside = [loop for loop in profile.loops if loop.depth == 1]
    if len(inside) != 1 or profile.kind is RegionKind.KERNEL:
        return own
    called = (inside[0].path, inside[0].line, inside[0].end_line)
    return own if contains(profile.span, called) else called


def contains(span: Span, location: Location) -> bool:
    """Return whether lines of a file are within a span."""
    path, first, last = location
    return span.path == path and span.line <= first and last <= span.end_line
