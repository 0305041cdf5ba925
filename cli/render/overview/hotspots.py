"""The nests and kernels of a report as hotspots: each place in the source once, with what it costs.

Input: a report.  Output: one :class:`Hotspot` for each nest or kernel that repeats no others.  A nest that is inlined
in several functions is one hotspot, with the sizes that are known best: its runs in one function add up, and so do the
launches of a kernel.

The weight by which hotspots are ordered is the expected time, else the least.  Where sizes are not known it is the
least time with each of them at :data:`ASSUMED_SIZE`, as often as the loops around the calls of the function say with
the same size; then what the program repeats comes first and what sets it up last (:mod:`.roles`).  What runs under a
condition on data counts by its probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from analyzer.ir.nodes import RegionKind
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from analyzer.quantities.quasipolynomial import Count
from analyzer.source import Span
from analyzer.usage import FunctionUsage
from roofline.model.advice.kinds import Advice
from roofline.model.intensity import Ratio, ratio
from roofline.model.projection import Bound, Projection
from roofline.model.verdicts.reasons import Reason
from roofline.report.report import RegionReport, Report

from ..words.assumptions import assumptions_of
from ..words.levels import findings_on_caches
from ..words.remarks import Remark
from .roles import Place, Program, Role

ASSUMED_SIZE = 1000
_NO_MACHINE_FLOPS, _NO_MACHINE_BYTES = 1e-10, 1e-10  # seconds of one, where no machine is named
_LEAST_OWN = 0.1  # of the work of a nest, in its own lines


class Heading(Struct, frozen=True):
    """A loop that only repeats nests, ``times`` often where that is known."""

    place: Place
    times: int


class OnMachine(Struct, frozen=True, kw_only=True):
    """What a hotspot does on a machine, or (None) without one; ``moved`` are the bytes of the level that binds.

    ``seconds`` are the least, ``expected`` those to expect; None where sizes are not known, or no model is.
    """

    projection: Projection | None
    moved: Quantity
    intensity: Ratio
    seconds: float | None = None
    expected: float | None = None

    @property
    def time(self) -> float | None:
        """Return the seconds to expect, else the least."""
        return self.seconds if self.expected is None else self.expected

    @property
    def bound(self) -> Bound | None:
        """Return the kind of bound; None without a machine."""
        return None if self.projection is None else self.projection.bound

    @property
    def reason(self) -> Reason | None:
        """Return why it is bound so; None without a machine."""
        return None if self.projection is None else self.projection.reason


class Hotspot(Struct, frozen=True, kw_only=True):
    """A nest or a kernel, which ``caller`` (at ``region``) does ``runs`` times; ``within`` is its function.

    That is empty where no region is this function.  ``instances`` is how many of a template there are.
    """

    place: Place
    region: Place
    within: str
    caller: str
    runs: int
    instances: int
    profile: RegionProfile
    flops: Quantity
    machines: tuple[OnMachine, ...]
    weight: float
    heading: Heading | None
    advice: tuple[Advice, ...]
    findings: tuple[Remark, ...]
    is_launched: bool
    is_conditional: bool
    role: Role = Role.ONCE

    @property
    def work(self) -> Quantity:
        """Return what grows: the FLOPs, without these the bytes of all references."""
        references = self.profile.register_traffic
        return add((references.read_bytes, references.write_bytes)) if self.flops.is_zero else self.flops

    @property
    def first(self) -> OnMachine:
        """Return what it does on the first machine, or without one."""
        return self.machines[0]


class Costs(Struct, frozen=True):
    """The hotspots of a report, the heaviest first, those of one heading together; and what is assumed, each once.

    Without times of all of them they are ``by_role``: what the program repeats first, what sets it up last.
    """

    spots: tuple[Hotspot, ...]
    assumed: tuple[Remark, ...]
    by_role: bool


def costs_of(report: Report) -> Costs:
    """Return the hotspots of all files, and what is assumed of them."""
    runs: dict[Place, list[Hotspot]] = {}
    owners: dict[Place, dict[str, None]] = {}
    assumed: dict[Remark, None] = {}
    usages: list[FunctionUsage] = []
    for file in report.files:
        usages += file.profile.usage
        assumed.update(dict.fromkeys(found.remark for found in assumptions_of(file)))
        for region in file.regions:
            found: dict[Place, Hotspot] = {}
            for leaf in _leaves(region, region, None, 1.0):
                found[leaf.place] = _together(found[leaf.place], leaf) if leaf.place in found else leaf
                if _contains(region.profile.span, leaf.place):
                    owners.setdefault(leaf.place, {})[region.profile.function] = None
            for place, leaf in found.items():
                runs.setdefault(place, []).append(leaf)
    program = Program(usages)
    spots = [
        replace(spot, within=next(iter(names), ""), instances=max(1, len(names)))
        for place, several in runs.items()
        for spot in (reduce(_preferred, [_as_often_as_called(one, program) for one in several]),)
        for names in (owners.get(place, {}),)
    ]
    if all(spot.first.time is not None for spot in spots):
        return Costs(_in_order(spots), tuple(assumed), by_role=False)
    spots = [replace(spot, role=_role_of(spot, program)) for spot in spots]
    by_role = len({spot.role for spot in spots}) > 1
    return Costs(_in_order(spots), tuple(assumed), by_role=by_role)


def _as_often_as_called(spot: Hotspot, program: Program) -> Hotspot:
    """Return a hotspot without a time with the weight of all calls of its function."""
    if spot.first.time is not None:
        return spot
    return replace(spot, weight=spot.weight * ASSUMED_SIZE ** program.loops_around(spot.region))


def _role_of(spot: Hotspot, program: Program) -> Role:
    profile = spot.profile
    reads, writes = profile.compulsory_traffic.read_bytes, profile.compulsory_traffic.write_bytes
    if spot.heading is None and program.is_set_up(spot.place, only_fills=reads.is_zero):
        return Role.SET_UP
    if spot.heading is None and not program.loops_around(spot.place):
        return Role.ONCE
    if spot.flops.estimate.is_zero:
        return Role.ONCE if writes.is_zero else Role.MOVING
    return Role.REPEATED


def _in_order(spots: Sequence[Hotspot]) -> tuple[Hotspot, ...]:
    """Return hotspots by role, then by the weight of their headings, or their own, and by their own below a heading."""
    totals: dict[Place, float] = {}
    roles: dict[Place, Role] = {}
    for spot in spots:
        unit = _unit(spot)
        totals[unit] = totals.get(unit, 0.0) + spot.weight
        roles[unit] = min(roles.get(unit, spot.role), spot.role)

    def order(spot: Hotspot) -> tuple[Role, float, Place, float, Place]:
        unit = _unit(spot)
        return roles[unit], -totals[unit], unit, -spot.weight, spot.place

    return tuple(sorted(spots, key=order))


def _unit(spot: Hotspot) -> Place:
    return spot.place if spot.heading is None else spot.heading.place


def _leaves(region: RegionReport, part: RegionReport, heading: Heading | None, share: float) -> Iterator[Hotspot]:
    """Yield the parts of a region that repeat no others; a kernel is one, as its blocks run at the same time."""
    profile = part.profile
    share /= _alternatives(profile) if part is not region else 1
    if not part.nests or profile.kind is RegionKind.KERNEL:
        yield _hotspot(region, part, heading, share)
        return
    drives = part is not region
    inner = Heading(_place(profile.span), profile.nests[0].repetitions) if drives else heading
    for nest in part.nests:
        yield from _leaves(region, nest, inner, share)


def _alternatives(profile: RegionProfile) -> int:
    """Return how many alternatives conditions on data choose from around a nest."""
    count = 1
    for flag in profile.flags:
        count *= len(flag.values) if flag.is_of_data and flag.name in profile.assumed else 1
    return count


def _hotspot(region: RegionReport, part: RegionReport, heading: Heading | None, share: float) -> Hotspot:
    profile = part.profile
    machines = tuple(_on_machine(profile, each) for each in part.projections)
    machines = machines or (OnMachine(projection=None, moved=part.moved.total, intensity=part.intensity),)
    function, span = region.profile.function, profile.span
    return Hotspot(
        place=_place(span),
        region=_place(region.profile.span),
        within="",
        caller=function,
        runs=1,
        instances=1,
        profile=profile,
        flops=profile.work.flops,
        machines=machines,
        weight=0.0 if _drives_others(profile, machines[0]) else share * _weight(profile, machines[0]),
        heading=heading,
        advice=part.advice,
        findings=findings_on_caches(part, machines[0].projection),
        is_launched=profile.launch is not None,
        is_conditional=share < 1,
    )


def _drives_others(profile: RegionProfile, found: OnMachine) -> bool:
    """Return whether nearly all work of a nest without sizes is in lines of functions that it calls.

    These are hotspots of their own, with sizes of their own.
    """
    if found.time is not None:
        return False
    own, all_of_it = 0.0, 0.0
    for line in profile.lines:
        parts = (line.flops, line.load_bytes, line.store_bytes)
        work = sum(at_common_sizes(part.estimate, profile) for part in parts)
        all_of_it += work
        own += work if profile.span.line <= line.line <= profile.span.end_line else 0.0
    return own < _LEAST_OWN * all_of_it


def _on_machine(profile: RegionProfile, projection: Projection) -> OnMachine:
    binding = next((level for level in projection.levels if level.level == projection.level), None)
    time = projection.time
    least = projection.estimated_time if time is not None and not time.value else time
    return OnMachine(
        projection=projection,
        moved=projection.moved.total if binding is None else binding.bytes,
        intensity=projection.intensity if binding is None else binding.intensity,
        seconds=None if least is None else least.value,
        expected=None if projection.expected is None else projection.expected.time.value,
    )


def _weight(profile: RegionProfile, found: OnMachine) -> float:
    """Return the seconds of a nest, with a common size in the place of each that is not known."""
    if found.time is not None:
        return found.time
    flops, moved = (at_common_sizes(count.estimate, profile) for count in (profile.work.flops, found.moved))
    projection = found.projection
    if projection is None:
        return flops * _NO_MACHINE_FLOPS + moved * _NO_MACHINE_BYTES
    level = next((each for each in projection.levels if each.level == projection.level), None)
    level = level or next(reversed(projection.levels), None)
    of_bytes = 0.0 if level is None else moved / level.bandwidth.rate.value
    core = projection.core
    if core is not None and profile.work.flops.is_zero and profile.per_iteration is not None:
        moved = at_common_sizes(profile.register_traffic.read_bytes.estimate, profile)
        each = float(profile.per_iteration.load_bytes + profile.per_iteration.store_bytes)
        of_bytes = max(of_bytes, core.seconds * moved / each if each else 0.0)
    rate = projection.attainable or (None if projection.ceiling is None else projection.ceiling.rate)
    return max(of_bytes, 0.0 if rate is None or not rate.value else flops / rate.value)


def at_common_sizes(count: Count, profile: RegionProfile) -> float:
    """Return a count with :data:`ASSUMED_SIZE` in the place of each size that is not known."""
    known: Mapping[str, int] = {**profile.assumed, **profile.values}
    try:
        return float(count.evaluate({name: known.get(name, ASSUMED_SIZE) for name in count.symbols}))
    except (ArithmeticError, OverflowError):
        return 0.0


def _together(one: Hotspot, other: Hotspot) -> Hotspot:
    """Return two runs of one nest in one function as the heavier one, with the work and times of both."""
    heavy, light = (one, other) if one.weight >= other.weight else (other, one)
    if any(mine.time is None for mine in (*one.machines, *other.machines)):
        return replace(heavy, runs=one.runs + other.runs, weight=one.weight + other.weight)
    values, others = heavy.profile.values, light.profile.values
    flops = add((heavy.flops.bind(values), light.flops.bind(others)))
    machines = [
        replace(
            mine,
            moved=(moved := add((mine.moved.bind(values), its.moved.bind(others)))),
            intensity=ratio(heavy.profile, flops, moved),
            seconds=_sum(mine.seconds, its.seconds),
            expected=_sum(mine.expected, its.expected),
        )
        for mine, its in zip(heavy.machines, light.machines, strict=True)
    ]
    weight, runs = one.weight + other.weight, one.runs + other.runs
    return replace(heavy, runs=runs, flops=flops, machines=tuple(machines), weight=weight)


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _preferred(one: Hotspot, other: Hotspot) -> Hotspot:
    """Return which of two functions' runs of a nest is shown: the one with known times, then the heavier one.

    All launches of a kernel happen: they add up.
    """
    if one.is_launched and other.is_launched:
        return _together(one, other)
    timed = [spot for spot in (one, other) if spot.first.time is not None]
    return max(timed or (one, other), key=lambda spot: spot.weight)


def _place(span: Span) -> Place:
    return span.path, span.line, span.end_line


def _contains(span: Span, place: Place) -> bool:
    path, first, last = place
    return span.path == path and span.line <= first and last <= span.end_line
