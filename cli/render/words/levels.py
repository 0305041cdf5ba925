"""What is told of the levels of a machine: the bytes of each, the core's cycles, ECM, and the cores that help.

Input: a region of the report with one of its projections (or none).  Output: lines of text, without layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from analyzer.counts.results import PerIteration
from analyzer.domains.quantity import Quantity, add
from analyzer.ir.names import in_source
from analyzer.ir.nodes import MemorySpace
from analyzer.profile import RegionProfile
from analyzer.traffic.results import CacheTraffic, Condition, LevelTraffic, Reuse
from roofline.machine.units import format_rate
from roofline.model.incore import CoreBound
from roofline.model.intensity import number, ratio
from roofline.model.level_bytes import Moved, cache_traffic, hierarchy_in_force, level_moves
from roofline.model.projection import Projection
from roofline.model.scaling import Scaling
from roofline.report.report import RegionReport

from .numbers import decimal_text, number_text

FINDINGS = frozenset({"AI209", "AI211", "AI404", "AI406", "AI407", "AI408"})
_DIGITS = 3
_LEAST_MARGIN = 1e-3


def levels_text(region: RegionReport, projection: Projection | None = None) -> str:
    """Every level in one line, empty where caches are not modelled: ``L2 1.2 GB 0.1 F/B | DRAM 24 MB 5 F/B``."""
    return " | ".join(_level(region.profile, name, moved) for name, moved in _moves(region, projection))


def differences(region: RegionReport, projection: Projection | None = None) -> str:
    """What another model of the same caches finds, in one line; empty where there is none."""
    shown = _caches(region, projection)
    if shown is None:
        return ""
    others = [
        found for found in region.profile.caches if found.hierarchy == shown.hierarchy and found.model != shown.model
    ]
    return "; ".join(_difference(region.profile, shown, other) for other in others)


def level_intensities(region: RegionReport, projection: Projection | None = None) -> dict[str, Fraction | None]:
    """The intensity of each level, None where it serves no bytes; empty where caches are not modelled."""
    profile = region.profile
    return {name: ratio(profile, profile.work.flops, moved.total).number for name, moved in _moves(region, projection)}


def directions(region: RegionReport, projection: Projection | None) -> Iterator[str]:
    """The bytes of each level by direction, one line for each."""
    for name, moved in _moves(region, projection):
        parts = ((moved.read, "read"), (moved.write_allocate, "write-allocate"), (moved.write, "written"))
        told = [f"{_size(part, region.profile)} {how}" for part, how in parts if not part.upper.is_zero]
        yield f"{name} serves {' + '.join(told) or 'nothing'}"


def notes_on_caches(region: RegionReport, projection: Projection | None = None) -> tuple[str, ...]:
    """What the model of the caches took for granted, one sentence each."""
    found = _caches(region, projection)
    return () if found is None else tuple(f"{note.text} [{note.code}]" for note in found.notes)


def findings_on_caches(region: RegionReport, projection: Projection | None = None) -> tuple[str, ...]:
    """Of those notes the ones that a reader has to see: set conflicts, and what the model leaves undecided."""
    found = _caches(region, projection)
    return () if found is None else tuple(f"{note.text} [{note.code}]" for note in found.notes if note.code in FINDINGS)


def conditions_text(region: RegionReport) -> str:
    """Up to which sizes the caches keep what is reused, for each cache the condition that decides at common sizes.

    Empty where all sizes are known, and where nothing that is reused grows.
    """
    if len(region.profile.values) >= len(region.profile.symbols) or not region.conditions:
        return ""
    told: list[tuple[str, list[str]]] = []
    for condition in region.conditions:
        what, _, limit = spelled(condition.text.removeprefix(f"{condition.level} ")).rpartition(" while ")
        size, _, most = limit.rpartition(" <= ")
        if condition.threshold is None:  # the inequality has the size already
            what = f"{what.partition(' (')[0]} while {size}"
        if told and told[-1][0] == what:
            told[-1][1].append(f"{condition.level} while {f'<= {most}' if condition.threshold is None else limit}")
        else:
            first = f"{what} <= {most} bytes" if condition.threshold is None else f"{what} while {limit}"
            told.append((what, [f"{condition.level} {first}"]))
    where = kept_on(region)
    return (f"on {where}: " if where else "") + "; ".join(", ".join(parts) for _, parts in told)


def kept_on(region: RegionReport) -> str:
    """The machines whose caches the conditions are of; empty where that is every machine of the report."""
    held = [projection.machine.id for projection in region.projections if has_conditions(region, projection)]
    return "" if len(held) == len(region.projections) else ", ".join(held)


def has_conditions(region: RegionReport, projection: Projection) -> bool:
    """Whether the conditions are those of this machine's caches: they are of the first ones in the report."""
    found = (hierarchy_in_force(each.options, each.machine) for each in region.projections)
    first = next((hierarchy for hierarchy in found if hierarchy is not None and hierarchy.gpu is None), None)
    return first is not None and hierarchy_in_force(projection.options, projection.machine) == first


def reuse_text(reuse: Reuse, values: Mapping[str, int]) -> str:
    """What is used again, the bytes touched in between, and for each cache up to which sizes it keeps them."""
    where = f"the next {'turn' if reuse.carried else 'part'} of {reuse.loop}, line {reuse.line}"
    kept = ", ".join(f"{each.level} while {_limit(each)}" for each in reuse.conditions)
    text = f"{reuse.array} for {where if reuse.loop else 'the next nest'}: {reuse.working_set} bytes; kept by {kept}"
    known = [(each, values[each.parameter]) for each in reuse.conditions if each.parameter in values]
    if known:
        name = known[0][0].parameter
        holding = [each.level for each, value in known if each.threshold is not None and value <= each.threshold]
        text += f"; with {name} = {values[name]} by {', '.join(holding) or 'none'}"
    return spelled(text)


def _limit(condition: Condition) -> str:
    """The bound of one size, or of the bytes where several sizes decide."""
    limit = condition.text.rpartition(" while ")[2]
    return limit if condition.threshold is not None else f"that <= {limit.rpartition(' <= ')[2]}"


def requests_text(profile: RegionProfile) -> Iterator[str]:
    """One line for each reference of a kernel, the same ones together, and how the launch fills a multiprocessor."""
    told: dict[str, int] = {}
    for found in profile.requests:
        what = f"line {found.line}, {'store' if found.write else 'load'} {spelled(found.text)}: "
        if found.space is MemorySpace.SHARED:
            what += f"shared memory, {decimal_text(found.conflict_ways)} ways"
        else:
            what += f"{decimal_text(found.sectors_per_request)} sectors per request, {found.efficiency:.0%} used"
        told[what] = told.get(what, 0) + 1
    yield from (text if times == 1 else f"{text}, {times} times" for text, times in told.items())
    held = profile.occupancy
    if held is not None:
        yield (
            f"{held.blocks_per_unit} blocks ({held.warps_per_unit} warps) at once on one multiprocessor, limited by "
            f"{held.limit}; {decimal_text(held.waves)} waves"
        )


def core_text(core: CoreBound) -> str:
    """What keeps the core busy: ``one core: loads 1.5, stores 1 cycles for 4 iterations``."""
    parts = ", ".join(
        f"{name} {number_text(Fraction(cycles).limit_denominator(1000))}" for name, cycles in _busiest(core)
    )
    turn = f"{core.iterations} iterations" if core.iterations > 1 else "1 iteration"
    rate = f" = {format_rate(core.per_core.value)}" if core.per_core.value else ""
    moved = f", {format_rate(core.l1.value, 'B/s')} to and from L1" if core.l1.value else ""
    return "; ".join((f"cycles of one core for {turn}: {parts}{rate}{moved}", *core.assumptions))


def ecm_text(projection: Projection) -> Iterator[str]:
    """The ECM model in kerncraft's notation, its prediction, and the cores that saturate the memory."""
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
    """The rates over the cores in one line, and where they stop growing; empty where there are none."""
    if scaling is None:
        return ""
    points = ", ".join(f"{point.cores}: {format_rate(point.rate.value, digits=_DIGITS)}" for point in scaling.points)
    last = scaling.points[-1]
    if scaling.saturation_cores is None:
        return f"{points}; {last.bound} limits, more cores would help"
    return f"{points}; {scaling.saturation_cores} cores reach what {last.bound} allows"


def dependence_text(iteration: PerIteration) -> Iterator[str]:
    """What ties iterations together, and what keeps them from running in vector lanes."""
    found = iteration.vectorization
    for chain in found.chains:
        kind = "a reduction" if chain.is_reduction else "a recurrence"
        operations = ", ".join(operation.value for operation in chain.operations)
        apart = "" if chain.distance == 1 else f" over {chain.distance} iterations"
        yield f"{chain.name} is {kind}: {operations}{apart}"
    for obstacle in found.obstacles:
        yield f"not vectorisable: {obstacle.text}"
    if found.asserted:
        yield "vectorisable: the source says so (simd)"


def spelled(text: str) -> str:
    """Names as in the source: without the numbers that tell the iterators of inlined or repeated loops apart.

    >>> spelled("i.2 = 0 .. n")
    'i = 0 .. n'
    """
    return in_source(text)


def _moves(region: RegionReport, projection: Projection | None) -> Sequence[tuple[str, Moved]]:
    if projection is not None:
        return level_moves(region.profile, projection.options, projection.machine)
    return region.served


def _caches(region: RegionReport, projection: Projection | None) -> CacheTraffic | None:
    if projection is None:
        return region.caches
    return cache_traffic(region.profile, projection.options, projection.machine)


def _level(profile: RegionProfile, name: str, moved: Moved) -> str:
    found = ratio(profile, profile.work.flops, moved.total).number
    intensity = "" if not found else f" {decimal_text(found)} F/B"
    return f"{name} {_size(moved.total, profile)}{intensity}"


def _size(quantity: Quantity, profile: RegionProfile) -> str:
    value = number(quantity.estimate, profile.values)
    return str(quantity.estimate) if value is None else format_rate(float(value), "B", digits=_DIGITS)


def _difference(profile: RegionProfile, shown: CacheTraffic, other: CacheTraffic) -> str:
    pairs = zip(shown.levels[1:], other.levels[1:], strict=True)
    parts = [f"{left.level} {_apart(profile, left, right)}" for left, right in pairs]
    return f"{other.model}: {', '.join(parts)}"


def size_text(size: Quantity, values: Mapping[str, int]) -> str:
    """Bytes, with the margin of an estimate where it is at least a thousandth: ``40 MB +- 5 %``."""
    value, *ends = (float(number(end, values) or 0) for end in (size.estimate, size.lower, size.upper))
    margin = max(abs(end - value) for end in ends) / value if value else 0.0
    told = format_rate(value, "B", digits=_DIGITS)
    return told if margin < _LEAST_MARGIN else f"{told} +- {100 * margin:.2g} %"


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


def _busiest(core: CoreBound) -> list[tuple[str, float]]:
    return sorted(core.cycles_by_resource, key=lambda item: -item[1])
