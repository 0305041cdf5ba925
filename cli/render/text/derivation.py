"""The derivation of every number, step by step, as one would do it with pen and paper.

The loop; its FLOPs by kind and its loads and stores in one iteration; their quotient; the totals with the bytes of each
array; and for each machine the roofline ``P = min(P_ceiling, I * b)`` with the figures put in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from analyzer.counts.results import PerIteration
from analyzer.quantities.quantity import Quantity
from roofline.machine.units import Intensity, format_rate, format_share, format_time
from roofline.model.compilers import Code
from roofline.model.expectation.expected import Expected
from roofline.model.expectation.gpu.launch import LaunchTime
from roofline.model.projection import Ceiling, LevelBound, Projection
from roofline.model.verdicts.reasons import HeldUntil
from roofline.report.advice_sentences import advice_text
from roofline.report.best import derivation_of_best
from roofline.report.report import FileReport, RegionReport, Report
from roofline.report.sentences import bandwidth_text, reason_text, source_text
from roofline.report.source_names import spelled

from ..typesetting.wrapping import wrapped
from ..words.assumptions import assumptions_of
from ..words.instructions import instructions_text
from ..words.launches import launches_text
from ..words.levels import (
    core_text,
    dependence_text,
    differences,
    directions,
    ecm_text,
    findings_on_caches,
    kept_on,
    requests_text,
    reuse_text,
    scaling_text,
)
from ..words.names import lines_of, regions_shown, title_of
from ..words.numbers import (
    NO_BYTES,
    decimal_text,
    exact_text,
    fraction_text,
    intensity_text,
    number_text,
    quantity_text,
    times,
)
from ..words.rates import pace_text, rate_text
from ..words.summary import ConventionBytes
from ..words.work import operation_shares
from .little import little_text

_WIDTH = 100
_ALIKE = 1.01  # times that are within a hundredth of one another are one
_MOST_LINES = 24


def render_derivation(report: Report) -> str:
    """Write out every region that the report shows."""
    parts = []
    for file in report.files:
        shown = [(part, region) for region in file.regions for part in regions_shown(region)]
        parts += ["\n".join(_region(file, part, region)) for part, region in shown]
        findings = list(_findings(file))
        if shown and findings:
            parts.append("\n".join(findings))
    return "\n\n".join(parts) + ("\n" if parts else "")


def render_region(file: FileReport, region: RegionReport, whole: RegionReport) -> str:
    """Write out one region: a nest of ``whole``, or that itself."""
    return "\n".join(_region(file, region, whole))


def _findings(file: FileReport) -> Iterator[str]:
    """Yield what was assumed and what was noticed, each with its code."""
    profile = file.profile
    assumed = [f"assumed, {found}" for found in assumptions_of(file)]
    noticed = [f"{d.severity.value}, line {d.span.line}: {d.message} [{d.code}]" for d in profile.diagnostics]
    if assumed or noticed:
        title = f"What the counts of {profile.path} rest on"
        yield title
        yield "-" * len(title)
    for text in dict.fromkeys((*assumed, *noticed)):
        yield from wrapped(text, _WIDTH, first="  ", rest="    ")


def _region(file: FileReport, region: RegionReport, whole: RegionReport) -> Iterator[str]:
    title = f"How {title_of(region, whole)} was counted"
    yield title
    yield "-" * len(title)
    yield from _source(file, region)
    steps = [_totals(region), *(_roofline(region, projection) for projection in region.projections)]
    iteration = region.profile.per_iteration
    if iteration is not None:
        steps = [_work(iteration), _references(iteration), *steps]
    launches = list(launches_text(region))
    if launches:
        steps.insert(0, launches)
    steps += _requests(region)
    if region.reuses:
        steps.append(_reuses(region))
    if region.advice:
        steps.append(["What would help", *(f"{advice_text(found)} [{found.code}]" for found in region.advice)])
    if region.profile.least is not None:
        steps.append(["How good it could be", *derivation_of_best(region.profile.least, region.best)])
    for step, lines in enumerate(steps, 1):
        heading, *body = lines
        yield f"{step}. {heading}"
        for line in body:
            yield from wrapped(line, _WIDTH, first="     ", rest="         ")


def _requests(region: RegionReport) -> Iterator[list[str]]:
    """Yield what warps ask of memory, of each GPU; of several with its name where they differ."""
    found = {
        projection.machine.id: list(requests_text(projection.traffic))
        for projection in region.projections
        if projection.traffic is not None and projection.traffic.requests
    }
    if not found and region.caches is not None and region.caches.requests:
        found = {"": list(requests_text(region.caches))}
    alike = len(set(map(tuple, found.values()))) == 1
    for name, lines in list(found.items())[: 1 if alike else None]:
        yield ["What warps ask of memory" + ("" if alike else f", on {name}"), *lines]


def _source(file: FileReport, region: RegionReport) -> Iterator[str]:
    text = file.profile.source_text.split("\n")
    first = file.profile.first_line
    span = region.profile.span
    lines = [line for line in range(span.line, span.end_line + 1) if 0 <= line - first < len(text)]
    shown = [text[line - first].expandtabs(4) for line in lines[:_MOST_LINES]]
    margin = min((len(line) - len(line.lstrip()) for line in shown if line.strip()), default=0)
    for number, line in zip(lines, shown, strict=False):
        yield f"  {number:>4} | {line[margin:]}".rstrip()
    if len(lines) > _MOST_LINES:
        yield f"       | ... {len(lines) - _MOST_LINES} more lines"


def _work(iteration: PerIteration) -> list[str]:
    kinds = [f"{number_text(share)} {name}" for name, share in operation_shares(iteration)]
    iterator = spelled(iteration.iterator)
    average = "" if iteration.exact else " (on average, for large sizes)"
    lines = [f"FLOPs of one iteration of {iterator}, line {iteration.line}{average}"]
    if not kinds:
        return [*lines, "no floating-point operation"]
    lines.append(f"{' + '.join(kinds)} = {times(iteration.flops, 'FLOP')} ({iteration.precision.value})")
    if iteration.flop_instructions:
        share = Fraction(iteration.fma_instructions) / iteration.flop_instructions
        lines.append(
            f"{number_text(iteration.fma_instructions)} of {times(iteration.flop_instructions, 'instruction')} "
            f"can be FMA: alpha = {float(share):.3g}"
        )
    return lines


def _references(iteration: PerIteration) -> list[str]:
    loaded, stored = iteration.load_bytes, iteration.store_bytes
    moved = loaded + stored
    lines = [
        "Distinct elements that it loads and stores (loop-invariant ones stay in registers)",
        f"{times(iteration.loads, 'load')} = {number_text(loaded)} B, "
        f"{times(iteration.stores, 'store')} = {number_text(stored)} B, together {number_text(moved)} B",
    ]
    if iteration.intensity is not None:
        lines.append(f"I = {_quotient(iteration)} FLOP/byte")
    return [*lines, *dependence_text(iteration)]


def _reuses(region: RegionReport) -> list[str]:
    values = region.profile.values
    where = kept_on(region)
    heading = "What is used again, and the caches that hold it" + (f", on {where}" if where else "")
    return [heading, *(reuse_text(reuse, values) for reuse in region.reuses)]


def _quotient(iteration: PerIteration) -> str:
    """Return FLOPs over bytes, step by step: ``2 FLOPs / (16 + 8) B = 2/24 = 1/12 = 0.08333``."""
    flops, loaded, stored = iteration.flops, iteration.load_bytes, iteration.store_bytes
    moved = loaded + stored
    below = f"({number_text(loaded)} + {number_text(stored)}) B" if loaded and stored else f"{number_text(moved)} B"
    steps = [f"{times(flops, 'FLOP')} / {below}"]
    reduced = fraction_text(flops / moved)
    unreduced = f"{number_text(flops)}/{number_text(moved)}"
    if flops and unreduced != exact_text(flops / moved):
        steps.append(unreduced)
    return " = ".join([*steps, reduced])


def _totals(region: RegionReport) -> list[str]:
    profile, values = region.profile, region.profile.values
    moves = ConventionBytes(region, region.moved, region.intensity)
    ranges = [spelled(loop.trip_text) for loop in profile.loops]
    known = [f"{name} = {value}" for name, value in values.items() if name in profile.symbols]
    lines = [f"All iterations: {'; '.join(ranges)}" + (f" with {', '.join(known)}" if known else "")]
    lines.append(f"FLOPs = {_formula(profile.work.flops, values)}")
    for array in profile.footprint.arrays:
        parts = ((array.read, "read first"), (array.written, "written"))
        parts_moved = [f"{_formula(part.bytes, values)} B {how}" for part, how in parts if not part.bytes.is_zero]
        if parts_moved:
            lines.append(f"{spelled(array.array)}: {', '.join(parts_moved)}")
    total = f" = {moves.directions}" if " + " in moves.directions else ""
    lines.append(f"bytes = {_formula(region.moved.total, values)}{total} ({moves.convention}: {moves.meaning})")
    intensity = intensity_text(region.intensity)
    lines.append(
        f"I = FLOPs / bytes: {intensity}" if intensity == NO_BYTES else f"I = FLOPs / bytes = {intensity} FLOP/byte"
    )
    return lines


def _formula(quantity: Quantity, values: Mapping[str, int]) -> str:
    """Return the formula and the value where sizes are put in, else what there is."""
    value = quantity_text(quantity, values)
    symbols = quantity.estimate.symbols
    return f"{quantity.estimate} = {value}" if symbols and symbols <= values.keys() else value


def _roofline(region: RegionReport, projection: Projection) -> list[str]:
    lines = [f"Roofline on {projection.machine.name}"]
    if projection.moved.convention is not region.moved.convention:
        moves = ConventionBytes(region, projection.moved, projection.intensity)
        lines.append(f"bytes = {moves.bytes} ({moves.convention}), I = {moves.intensity} FLOP/byte")
    lines += directions(region, projection)
    check = differences(region, projection)
    lines += [f"verified: {check}"] if check else []
    lines += map(str, findings_on_caches(region, projection))
    if projection.core is not None:
        lines.append(core_text(projection.core))
    ceiling = projection.ceiling
    if ceiling is not None:
        lines.append(f"P_ceiling = {format_rate(ceiling.rate.value)} ({ceiling.name}: {source_text(ceiling)})")
        others = [_other(found) for found in projection.ceilings if found.name != ceiling.name]
        lines += [f"other ceilings: {', '.join(others)}"] if others else []
    lines += [
        f"b({level.level}) = {format_rate(level.bandwidth.rate.value, 'B/s')} ({bandwidth_text(level)})"
        for level in projection.levels
    ]
    if ceiling is not None:
        lines += [_level(projection, level) for level in projection.levels if level.rate is not None]
        if projection.attainable is not None and not projection.in_sequence:
            lines += _least(projection)
    if projection.in_sequence:
        lines.append(_sum(region, projection))
    lines.append(f"{projection.bound.value}: {reason_text(projection.reason)}")
    if projection.attainable is None:
        pace = pace_text(projection)
        lines.append(f"at most {rate_text(projection)}" + (f" = {pace}" if pace else ""))
    if projection.time is not None:
        lines.append(f"time >= {format_time(projection.time.value)}{_by_the_roofs(projection)}")
    if projection.expected is not None:
        lines.append(_expected(projection.expected, projection.options.code))
    lines += little_text(projection)
    lines += instructions_text(projection)
    if projection.ecm is not None:
        lines += [f"ECM, {text}" if not position else text for position, text in enumerate(ecm_text(projection))]
    scaling = projection.scaling
    if scaling is not None:
        lines.append(f"attainable over cores: {scaling_text(scaling)}")
    return lines


def _by_the_roofs(projection: Projection) -> str:
    """Return the time by the roofs as they are drawn, where the certain one is another."""
    certain, estimated = projection.time, projection.estimated_time
    if certain is None or estimated is None or estimated.value <= _ALIKE * certain.value:
        return ""
    return f" for any data and any code of a compiler, {format_time(estimated.value)} by the roofs above"


def _expected(found: Expected, code: Code) -> str:
    """Return the expected time with its range and what it assumes: of the code, or the parts of a launch."""
    if found.launch is not None:
        return _launch(found, found.launch)
    wide = "scalar code" if not found.vectorised else f"vectors of {code.simd.value} bits" if code.simd else "vectors"
    ends = f"{format_time(found.least.value)} to {format_time(found.most.value)}"
    calls = f"; calls of {', '.join(found.called)} take {format_time(found.calls)}" if found.calls else ""
    return f"time expected: {format_time(found.time.value)}, {ends} ({wide}, {code.compiler.value}{calls})"


def _launch(found: Expected, launch: LaunchTime) -> str:
    """Return the expected time of a launch with its range, and the parts that overlap."""
    ends = f"{format_time(found.least.value)} to {format_time(found.most.value)}"
    parts = [(launch.busiest, launch.units), ("latency", launch.alone), *launch.levels, ("matrix units", launch.matrix)]
    shares = ", ".join(f"{name} {format_time(seconds)}" for name, seconds in parts if seconds)
    return (
        f"time expected: {format_time(found.time.value)}, {ends} in nine of ten launches (start "
        f"{format_time(launch.start)}; then, overlapping: {shares}; {launch.warps_per_unit} warps at once in "
        f"{decimal_text(launch.rounds)} rounds)"
    )


def _sum(region: RegionReport, projection: Projection) -> str:
    """Return the times of the parts that make up the time of the whole."""
    number = next(position for position, own in enumerate(region.projections) if own is projection)
    times = [(lines_of(nest), nest.projections[number].time) for nest in region.nests if nest.projections[number].time]
    terms = [f"{format_time(time.value)} (line{'s' if '-' in lines else ''} {lines})" for lines, time in times if time]
    outside = region.outside.projections[number].time if region.outside is not None else None
    return f"T = {' + '.join([*terms, *([f'{format_time(outside.value)} (outside of loops)'] if outside else [])])}"


def _level(projection: Projection, level: LevelBound) -> str:
    intensity = level.intensity.number or Fraction(0)
    comparison = f"I({level.level}) = {intensity_text(level.intensity)}"
    assert projection.ceiling is not None
    ridge: Intensity = projection.ceiling.rate / level.bandwidth.rate
    rate = "" if level.rate is None else format_rate(level.rate.value)
    balance = f", code balance {decimal_text(1 / intensity)} B/F" if intensity else ""
    sign = "<" if float(intensity) < ridge.value else ">="
    return f"{comparison} {sign} ridge {ridge.value:.4g} FLOP/byte{balance}; I * b = {rate}"


def _other(ceiling: Ceiling) -> str:
    ridge = "" if ceiling.ridge is None else f" (ridge {ceiling.ridge.value:.4g} FLOP/byte)"
    return f"{ceiling.name} {format_rate(ceiling.rate.value)}{ridge}"


def _least(projection: Projection) -> list[str]:
    assert projection.ceiling is not None
    assert projection.attainable is not None
    ceiling = format_rate(projection.ceiling.rate.value)
    products, roofs = [ceiling], [ceiling]
    for level in projection.levels:
        number = level.intensity.number
        if level.rate is not None and number is not None:
            factor = exact_text(number)
            products.append(f"{factor} FLOP/byte * {format_rate(level.bandwidth.rate.value, 'B/s')}")
            roofs.append(format_rate(level.rate.value))
    found = format_rate(projection.attainable.value)
    if isinstance(projection.reason, HeldUntil):  # the level of large sizes, whose bytes here are those of small ones
        (level,) = (level for level in projection.levels if level.level == projection.reason.level)
        bandwidth = format_rate(level.bandwidth.rate.value, "B/s")
        products.append(f"{decimal_text(projection.reason.intensity)} FLOP/byte * {bandwidth} at large sizes")
        roofs.append(found)
    part = projection.attainable / projection.ceiling.rate
    verdict = f"{found}, {projection.bound.value}-bound, {format_share(part, 2)} of the ceiling"
    return [f"P = min({', '.join(products)})", f"  = min({', '.join(roofs)}) = {verdict}"]
