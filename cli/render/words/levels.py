"""The levels of a machine as text: the bytes of each, the core's cycles, ECM, and the cores that help.

Input: a region of the report with one of its projections (or none).  Output: lines of text, without layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from analyzer.counts.results import PerIteration
from analyzer.ir.names import in_source
from analyzer.ir.nodes import Assumption, MemorySpace, RegionKind
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from analyzer.source import Span
from analyzer.traffic.results import CacheTraffic, Condition, LevelTraffic, Occupancy, Reuse
from roofline.machine.units import format_rate, format_share
from roofline.model.core.incore import CoreBound, Resource
from roofline.model.gpu.requests import SHARED
from roofline.model.gpu.strides import references_apart
from roofline.model.intensity import number, ratio, value_of
from roofline.model.level_bytes import MovedBytes
from roofline.model.projection import Projection
from roofline.model.verdicts.scaling import Scaling
from roofline.report.report import RegionReport
from roofline.report.sentences import core_assumption_text, held_text, limit_text, obstacle_text, resource_text
from roofline.report.source_names import next_use_text, spelled

from .numbers import decimal_text, number_text
from .remarks import Remark

FINDINGS = frozenset({"AI209", "AI211", "AI404", "AI406", "AI407", "AI408"})
_DIGITS = 3
_LEAST_MARGIN = 1e-3
_LEAST_PART = 0.05  # of the expected time: misses that take less say nothing of it
_MOST_ARRAYS = 4


def levels_text(region: RegionReport, projection: Projection | None = None) -> str:
    """Return every level in one line, empty where caches are not modelled: ``L2 1.2 GB 0.1 FLOP/byte | ...``."""
    served = _moves(region, projection)
    shown = [_level(region.profile, name, moved.total) for name, moved in served]
    known = {SHARED, *(name for name, _ in served)}
    others = () if projection is None or not served else projection.levels
    shown += [_level(region.profile, each.level, each.bytes) for each in others if each.level not in known]
    return " | ".join(shown)


def differences(region: RegionReport, projection: Projection | None = None) -> str:
    """Return what another model of the same caches finds, in one line; empty where there is none."""
    shown = _caches(region, projection)
    if shown is None:
        return ""
    others = [
        found for found in region.traffic.models if found.hierarchy == shown.hierarchy and found.model != shown.model
    ]
    return "; ".join(_difference(region.profile, shown, other) for other in others)


def level_intensities(region: RegionReport, projection: Projection | None = None) -> dict[str, Fraction | None]:
    """Return the intensity of each level, None where it serves no bytes; empty where caches are not modelled."""
    profile = region.profile
    return {name: ratio(profile, profile.work.flops, moved.total).number for name, moved in _moves(region, projection)}


def directions(region: RegionReport, projection: Projection | None) -> Iterator[str]:
    """Yield the bytes of each level by direction, one line for each."""
    for name, moved in _moves(region, projection):
        parts = ((moved.read, "read"), (moved.write_allocate, "write-allocate"), (moved.write, "written"))
        directed = [f"{_size(part, region.profile)} {how}" for part, how in parts if not part.is_zero]
        yield f"{name} serves {' + '.join(directed) or 'nothing'}"


def findings_on_caches(region: RegionReport, projection: Projection | None = None) -> tuple[Remark, ...]:
    """Return the notes of the model of the caches that a reader has to see: set conflicts, and what is undecided."""
    return tuple(Remark(note.text, note.code, note.hint) for note in _findings(region, projection))


def findings_that_matter(region: RegionReport, projection: Projection | None) -> tuple[Remark, ...]:
    """Return these notes without those on the misses of a level that take next to none of the expected time."""
    notes = _findings(region, projection)
    mattering = (note for note in notes if projection is None or _takes_time(note, region, projection))
    return tuple(Remark(note.text, note.code, note.hint) for note in mattering)


def _findings(region: RegionReport, projection: Projection | None) -> Iterator[Assumption]:
    found = _caches(region, projection)
    yield from (note for note in (() if found is None else found.notes) if note.code in FINDINGS)
    if region.profile.kind is RegionKind.KERNEL and found is None:
        yield from dict.fromkeys(_uncoalesced(region.profile))


def _uncoalesced(kernel: RegionProfile) -> Iterator[Assumption]:
    """Yield the references of a kernel without known requests whose strides say that they are not coalesced."""
    for profile in (kernel, *kernel.nests):
        for reference, step in references_apart(profile.access_patterns):
            where = Span(profile.span.path, reference.line, reference.line)
            fields = {"reference": in_source(reference.text), "step_bytes": str(step)}
            yield Assumption.of("AI406", where, "by-stride", **fields)


def _takes_time(note: Assumption, region: RegionReport, projection: Projection) -> bool:
    """Return whether the bytes that a level misses, if a note is on these, take some of the time."""
    inside = [level.name for level in projection.machine.levels]
    missed = dict(note.fields).get("level")
    if projection.seconds is None or missed not in inside:
        return True
    inside = inside[: inside.index(str(missed)) + 1]
    outer = next((level for level in projection.levels if level.level not in inside), None)
    moved = None if outer is None else value_of(outer.bytes.estimate, region.profile.values)
    return outer is None or moved is None or moved >= _LEAST_PART * projection.seconds * outer.bandwidth.rate.value


def conditions_text(region: RegionReport) -> str:
    """Return up to which sizes the caches hold what is reused: of each cache the condition decisive at common sizes.

    Empty where all sizes are known, and where nothing that is reused grows.
    """
    if len(region.profile.values) >= len(region.profile.symbols) or not region.conditions:
        return ""
    found: list[tuple[str, list[str]]] = []
    for condition in region.conditions:
        what = _held(condition, _arrays_like(condition, region.reuses))
        if found and found[-1][0] == what:
            found[-1][1].append(f"{condition.level} while {_limit(condition)}")
        else:
            found.append((what, [f"{condition.level} {what}{_limit(condition)}"]))
    where = kept_on(region)
    return (f"on {where}: " if where else "") + "; ".join(", ".join(parts) for _, parts in found)


def kept_on(region: RegionReport) -> str:
    """Return the machines whose caches the conditions are of; empty where that is every machine of the report."""
    held = [projection.machine.id for projection in region.projections if has_conditions(region, projection)]
    return "" if len(held) == len(region.projections) else ", ".join(held)


def has_conditions(region: RegionReport, projection: Projection) -> bool:
    """Return whether the conditions are those of this machine's caches: they are of the first ones in the report."""
    found = (each.hierarchy for each in region.projections)
    first = next((hierarchy for hierarchy in found if hierarchy is not None and hierarchy.gpu is None), None)
    return first is not None and projection.hierarchy == first


def reuse_text(reuse: Reuse, values: Mapping[str, int]) -> str:
    """Return what is used again, the bytes touched in between, and up to which sizes each cache holds them."""
    where = next_use_text(reuse.loop, carried=reuse.carried) + (f", line {reuse.line}" if reuse.loop else "")
    held = ", ".join(f"{each.level} while {_limit_of_size(each)}" for each in reuse.conditions)
    text = f"{reuse.array} for {where}: {spelled(str(reuse.working_set))} bytes; held by {held}"
    known = [(each, values[each.parameter]) for each in reuse.conditions if each.parameter in values]
    if known:
        name = known[0][0].parameter
        holding = [each.level for each, value in known if each.threshold is not None and value <= each.threshold]
        text += f"; with {spelled(name)} = {values[name]} by {', '.join(holding) or 'none'}"
    return text


def _arrays_like(condition: Condition, reuses: Sequence[Reuse]) -> Sequence[str]:
    """Return the arrays that a cache holds between the same uses up to the same sizes, the first few by name."""
    alike = (each for reuse in reuses for each in reuse.conditions if replace(each, array=condition.array) == condition)
    arrays = [*dict.fromkeys(each.array for each in alike)]
    more = [f"{len(arrays) - _MOST_ARRAYS} more"] if len(arrays) > _MOST_ARRAYS else []
    return [*arrays[:_MOST_ARRAYS], *more]


def _held(condition: Condition, arrays: Sequence[str]) -> str:
    """Return what a cache holds up to the word before the limit, which is one of bytes with several sizes."""
    if condition.threshold is not None:
        return f"{held_text(condition, arrays)} while "
    return f"{held_text(condition, arrays, with_size=False)} while {spelled(str(condition.working_set))} "


def _limit(condition: Condition) -> str:
    return limit_text(condition) if condition.threshold is not None else f"<= {condition.capacity_bytes} bytes"


def _limit_of_size(condition: Condition) -> str:
    return limit_text(condition) if condition.threshold is not None else f"that <= {condition.capacity_bytes}"


def requests_text(traffic: CacheTraffic) -> Iterator[str]:
    """Yield one line for each reference of a kernel, like ones together, and how the launch fills a multiprocessor."""
    times_by_text: dict[str, int] = {}
    for found in traffic.requests:
        what = f"line {found.line}, {'store' if found.write else 'load'} {spelled(found.text)}: "
        if found.space is MemorySpace.SHARED:
            what += f"shared memory, {decimal_text(found.conflict_ways)} ways"
        else:
            used = format_share(found.efficiency)
            what += f"{decimal_text(found.sectors_per_request)} sectors per request, {used} used"
        times_by_text[what] = times_by_text.get(what, 0) + 1
    yield from (text if times == 1 else f"{text}, {times} times" for text, times in times_by_text.items())
    held = traffic.occupancy
    if held is not None:
        yield (
            f"{held.blocks_per_unit} blocks ({held.warps_per_unit} warps) at once on one multiprocessor, limited by "
            f"{held.limit}; {decimal_text(held.waves)} waves{_registers_text(held)}"
        )


def _registers_text(held: Occupancy) -> str:
    """Return the registers of a thread: ``; 40 registers a thread predicted, 28 to 68 (regs= gives them)``."""
    found = held.registers
    if found is None:
        return ""
    if not held.registers_are_predicted:
        return f"; {found.likely} registers a thread"
    return f"; {found.likely} registers a thread predicted, {found.least} to {found.most} (regs= gives them)"


def core_text(core: CoreBound) -> str:
    """Return the busiest resources of the core: ``one core: loads 1.5, stores 1 cycles for 4 iterations``."""
    parts = ", ".join(
        f"{resource_text(resource)} {number_text(Fraction(cycles).limit_denominator(1000))}"
        for resource, cycles in _busiest(core)
    )
    several = f"{core.iterations} iterations" if core.iterations > 1 else "1 iteration"
    rate = f" = {format_rate(core.per_core.value)}" if core.per_core.value else ""
    moved = f", {format_rate(core.l1.value, 'B/s')} to and from L1" if core.l1.value else ""
    assumed = map(core_assumption_text, core.assumptions)
    return "; ".join((f"cycles of one core for {several}: {parts}{rate}{moved}", *assumed))


def ecm_text(projection: Projection) -> Iterator[str]:
    """Yield the ECM model in kerncraft's notation, its prediction, and the cores that saturate the memory."""
    ecm = projection.ecm
    if ecm is None:
        return
    names = " | ".join(f"T_{transfer.between}" for transfer in ecm.transfers)
    yield f"{{T_OL || T_nOL | {names}}} = {ecm.notation}, {ecm.iterations} iterations each"
    rate = f" = {format_rate(ecm.flop_per_s)} with one core" if ecm.flops else ""
    yield f"T_ECM = {ecm.prediction}{rate}"
    cores = ecm.saturation_cores
    if cores is not None:
        memory = decimal_text(float(f"{ecm.transfers[-1].cycles:.3g}"))
        quotient = f"n_S = ceil({decimal_text(float(f'{ecm.cycles:.3g}'))} / {memory}) = {cores} cores"
        there = projection.machine.unit_count(None)
        few = f": the {there} that there are do not saturate the memory"
        yield f"{quotient} saturate the memory" if cores <= there else quotient + few


def scaling_text(scaling: Scaling | None) -> str:
    """Return the rates over the cores in one line, and where they stop growing; empty where there are none."""
    if scaling is None:
        return ""
    points = ", ".join(f"{point.cores}: {format_rate(point.rate.value, digits=_DIGITS)}" for point in scaling.points)
    last = scaling.points[-1]
    if scaling.saturation_cores is None:
        return f"{points}; {last.bound} limits, more cores would help"
    return f"{points}; {scaling.saturation_cores} cores reach what {last.bound} allows"


def dependence_text(iteration: PerIteration) -> Iterator[str]:
    """Yield the dependences between iterations, and the obstacles to vectorization."""
    found = iteration.vectorization
    for chain in found.chains:
        kind = "a reduction" if chain.is_reduction else "a recurrence"
        operations = ", ".join(operation.value for operation in chain.operations)
        apart = "" if chain.distance == 1 else f" over {chain.distance} iterations"
        yield f"{chain.name} is {kind}: {operations}{apart}"
    for obstacle in found.obstacles:
        yield f"not vectorisable: {obstacle_text(obstacle)}"
    if found.asserted:
        yield "vectorisable: the source says so (simd)"


def _moves(region: RegionReport, projection: Projection | None) -> Sequence[tuple[str, MovedBytes]]:
    return region.served if projection is None else projection.served


def _caches(region: RegionReport, projection: Projection | None) -> CacheTraffic | None:
    return region.caches if projection is None else projection.traffic


def _level(profile: RegionProfile, name: str, size: Quantity) -> str:
    found = ratio(profile, profile.work.flops, size).number
    intensity = "" if not found else f" {decimal_text(found)} FLOP/byte"
    return f"{name} {_size(size, profile)}{intensity}"


def _size(quantity: Quantity, profile: RegionProfile) -> str:
    value = number(quantity.estimate, profile.values)
    return str(quantity.estimate) if value is None else format_rate(float(value), "B", digits=_DIGITS)


def _difference(profile: RegionProfile, shown: CacheTraffic, other: CacheTraffic) -> str:
    pairs = zip(shown.levels[1:], other.levels[1:], strict=True)
    parts = [f"{left.level} {_apart(profile, left, right)}" for left, right in pairs]
    return f"{other.model}: {', '.join(parts)}"


def size_text(size: Quantity, values: Mapping[str, int]) -> str:
    """Return bytes, with the margin of an estimate where it is at least a thousandth: ``40 MB +- 5 %``."""
    bounds = [end for end in (size.lower, size.upper) if end is not None]
    value, *ends = (float(number(end, values) or 0) for end in (size.estimate, *bounds))
    margin = max(abs(end - value) for end in ends) / value if value else 0.0
    shown = format_rate(value, "B", digits=_DIGITS)
    return shown if margin < _LEAST_MARGIN else f"{shown} +- {100 * margin:.2g} %"


def _apart(profile: RegionProfile, left: LevelTraffic, right: LevelTraffic) -> str:
    sizes = [add((level.read_bytes, level.write_allocate_bytes, level.write_bytes)) for level in (left, right)]
    one, two = (float(number(found.estimate, profile.values) or 0) for found in sizes)
    size = size_text(sizes[1], profile.values)
    if not two:
        return f"{size} (the same)" if not one else size
    return f"{size} ({shown_share(one / two - 1)})"


def shown_share(part: float) -> str:
    """Render how far the shown figure is from the other.

    >>> shown_share(0.0123), shown_share(-0.2), shown_share(0.00001)
    ('shown is 1.2 % above', 'shown is 20 % below', 'the same')
    >>> shown_share(2.5)
    'shown is 3.5 times that'
    """
    if abs(part) < 5e-4:
        return "the same"
    if part >= 1:
        return f"shown is {1 + part:.2g} times that"
    return f"shown is {100 * abs(part):.2g} % {'above' if part > 0 else 'below'}"


def _busiest(core: CoreBound) -> list[tuple[Resource, float]]:
    return sorted(core.cycles_by_resource, key=lambda item: -item[1])
