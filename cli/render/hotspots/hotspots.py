"""The nests and kernels of a report as hotspots: each place in the source once, with what it costs.

Input: a report.  Output: one :class:`Hotspot` for each nest or kernel that repeats no others.  A nest that is inlined
in several functions is one hotspot, with the sizes that are known best: its runs in one function add up, and so do the
launches of a kernel.

The weight by which hotspots are ordered is the expected time, else the least.  Where sizes are not known it is the
least time with each of them at :data:`ASSUMED_SIZE`; that, and the time of nests that have one, counts as often as the
loops around the calls of the function say with the same size.  Then what the program repeats comes first and what sets
it up last (:mod:`.roles`).  What runs under a condition on data counts by its probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from msgspec import Struct
from msgspec.structs import replace

from analyzer.given_values import TRIP
from analyzer.ir.index import TooManyTerms
from analyzer.ir.nodes import RegionKind
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from analyzer.quantities.quasipolynomial import Count
from analyzer.source import Span
from analyzer.usage import FunctionUsage
from roofline.model.advice.kinds import Advice, TransformLoops
from roofline.model.best import BestIntensity
from roofline.model.compilers import is_transfer
from roofline.model.expectation.expected import Expected
from roofline.model.intensity import Ratio, ratio
from roofline.model.projection import Bound, Projection
from roofline.model.verdicts.reasons import Reason
from roofline.report.report import RegionReport, Report

from ..words.assumptions import assumptions_of
from ..words.levels import conditions_text, findings_that_matter
from ..words.remarks import Remark
from .roles import Place, Program, Role

ASSUMED_SIZE = 1000
MOST_OF_TIME = 0.5
_TIMED = "AI325"  # figures of one iteration of a timed loop
_LEAST_OWN = 0.1  # of the work of a nest, in its own lines
_NO_MACHINE_FLOPS, _NO_MACHINE_BYTES = 1e-10, 1e-10  # seconds of one, where no machine is named


class Heading(Struct, frozen=True):
    """A loop of a ``function`` that only repeats nests, ``times`` often where that is known.

    ``advice`` is what transforms all of it, as tiles that go through several of its iterations.
    """

    place: Place
    times: int
    function: str = ""
    advice: tuple[TransformLoops, ...] = ()


class OnMachine(Struct, frozen=True, kw_only=True):
    """What a hotspot does on a machine, or (None) without one; ``moved`` are the bytes of the level that binds.

    ``seconds`` are the least, ``at_roof`` those of the bytes and FLOPs that are estimated at the roof, ``expected``
    those to expect; None where sizes are not known, or no model is.
    ``transfers``: it takes most of them to read or write files.
    """

    projection: Projection | None
    moved: Quantity
    intensity: Ratio
    seconds: float | None = None
    at_roof: float | None = None
    expected: float | None = None
    transfers: bool = False

    @property
    def time(self) -> float | None:
        """Return the seconds to expect, else the least."""
        return self.seconds if self.expected is None else self.expected

    @property
    def share_of_roof(self) -> float | None:
        """Return which part of its roof a run is expected to reach."""
        roof = self.seconds if self.at_roof is None else self.at_roof
        return None if roof is None or not self.expected else min(1.0, roof / self.expected)

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

    That is empty where no region is this function.  ``instances`` is how many of a template there are.  It
    ``is_alternative`` to others of less weight, by the value of a flag.  ``is_timed``: a library of benchmarks times
    it, or what is shown next to it; None where nothing is timed.
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
    best: tuple[BestIntensity, ...]
    held: str
    is_launched: bool
    is_conditional: bool
    is_alternative: bool = False
    is_timed: bool | None = None
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

    Without times of all of them they are ``by_role``: what the program repeats first, what sets it up last.  The
    ``parts`` are in functions that only nests with times call: these have their work already.
    """

    spots: tuple[Hotspot, ...]
    parts: tuple[Hotspot, ...]
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
            for leaf in _leaves(region, region, None, 1, 1.0):
                if leaf.is_timed is False and leaf.flops.is_zero:
                    continue  # what a benchmark sets up, and does not measure
                found[leaf.place] = _with(found[leaf.place], leaf) if leaf.place in found else leaf
                if _contains(region.profile.span, leaf.place):
                    owners.setdefault(leaf.place, {})[region.profile.function] = None
            for place, leaf in found.items():
                runs.setdefault(place, []).append(leaf)
    program = Program(usages)
    shown_apart = [place for place, several in runs.items() if _role_of(several[0], program) is not Role.SET_UP]

    def weighed(spot: Hotspot) -> Hotspot:
        share = _own_share(spot, shown_apart) if spot.first.time is None else 1
        role = Role.DRIVING if spot.weight and not share else spot.role
        return replace(spot, weight=share * spot.weight * ASSUMED_SIZE ** program.loops_around(spot.region), role=role)

    spots = [
        spot
        for place, several in runs.items()
        for spot in _instances(
            [weighed(one) if one.first.time is None else one for one in several], [*owners.get(place, {})]
        )
    ]
    spots = [_named(spot, program) for spot in _without_wholes(spots)]
    parts = tuple(_parts(spots, program))
    spots = [spot for spot in spots if spot not in parts]
    if all(spot.first.time is not None for spot in spots):
        spots = [replace(spot, weight=0.0) if spot.first.transfers else spot for spot in spots]
        return Costs(in_order(spots), parts, tuple(assumed), by_role=False)
    spots = [spot if spot.first.time is None else weighed(spot) for spot in spots]
    spots = [spot if spot.role is Role.DRIVING else replace(spot, role=_role_of(spot, program)) for spot in spots]
    by_role = len({spot.role for spot in spots}) > 1
    return Costs(in_order(spots), parts, tuple(assumed), by_role=by_role)


def _instances(several: Sequence[Hotspot], names: Sequence[str]) -> Iterator[Hotspot]:
    """Yield the hotspot of a place; of a template that no function calls, one for its instances with equal figures."""
    spot = reduce(_preferred, several)
    if len(names) < 2 or spot.caller not in names:
        yield replace(spot, within=next(iter(names), ""), instances=max(1, len(names)))
        return
    alike: list[list[Hotspot]] = []
    for name in names:
        one = reduce(_preferred, [each for each in several if each.caller == name])
        group = next((group for group in alike if _figures(group[0]) == _figures(one)), None)
        if group is None:
            alike.append([one])
        else:
            group.append(one)
    for group in alike:
        yield replace(group[0], within=group[0].caller, instances=len(group))


def _figures(spot: Hotspot) -> tuple[Quantity, Quantity, tuple[float | None, ...]]:
    return spot.flops, spot.first.moved, tuple(each.time for each in spot.machines)


def _named(spot: Hotspot, program: Program) -> Hotspot:
    """Return a hotspot with the names of the functions that it and its heading are in, where the source has them."""
    heading = spot.heading
    if heading is not None:
        heading = replace(heading, function=program.function_at(heading.place))
    return replace(spot, within=spot.within or program.function_at(spot.place), heading=heading)


def _without_wholes(spots: Sequence[Hotspot]) -> Iterator[Hotspot]:
    """Yield the hotspots, but for a loop without a time whose nests have times where a caller gives the sizes."""
    timed = [spot.place for spot in spots if spot.first.time is not None]
    headings = {spot.heading.place for spot in spots if spot.heading is not None and spot.first.time is not None}
    for spot in spots:
        path, first, last = spot.place
        inside = ((one, start, end) for one, start, end in timed if one == path and first <= start and end <= last)
        if spot.first.time is not None or (spot.place not in headings and not any(inside)):
            yield spot


def _parts(spots: Sequence[Hotspot], program: Program) -> Iterator[Hotspot]:
    """Yield the hotspots whose lines others with times have counted, wherever their functions are called."""
    counted: dict[tuple[str, int], set[Place]] = {}
    for spot in spots:
        for line in spot.profile.lines if spot.first.time is not None else ():
            counted.setdefault((line.path or spot.place[0], line.line), set()).add(spot.place)
    others = [spot for spot in spots if spot.profile.kind is not RegionKind.KERNEL]
    timed = [spot.place for spot in spots if spot.first.time is not None]
    known = program.parts_of(timed, [spot.place for spot in others])
    for spot in others:
        path, first, last = spot.place
        if spot.place in known and any(counted.get((path, at), set()) - {spot.place} for at in range(first, last + 1)):
            yield spot


def _role_of(spot: Hotspot, program: Program) -> Role:
    profile = spot.profile
    if spot.is_timed is not None:
        return Role.REPEATED if spot.is_timed else Role.SET_UP
    moved = profile.compulsory_traffic
    read, written = (at_common_sizes(part.estimate, profile) for part in (moved.read_bytes, moved.write_bytes))
    computes = not spot.flops.estimate.is_zero and read >= written
    only_fills = moved.read_bytes.is_zero and not moved.write_bytes.is_zero
    if spot.heading is None and program.is_set_up(spot.place, only_fills=only_fills, computes=computes):
        return Role.SET_UP
    if spot.heading is None and not program.loops_around(spot.place):
        return Role.ONCE
    return Role.MOVING if spot.flops.estimate.is_zero else Role.REPEATED


def in_order(spots: Sequence[Hotspot]) -> tuple[Hotspot, ...]:
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


def _leaves(
    region: RegionReport, part: RegionReport, heading: Heading | None, runs: int, share: float
) -> Iterator[Hotspot]:
    """Yield the parts of a region that repeat no others; a kernel is one, as its blocks run at the same time."""
    profile = part.profile
    share /= _alternatives(profile) if part is not region else 1
    if not part.nests or profile.kind is RegionKind.KERNEL:
        yield _hotspot(region, part, heading, runs, share)
        return
    if part is not region and len(part.nests) > 1:
        times = profile.outermost_trips or profile.nests[0].repetitions
        advice = tuple(each for each in part.advice if isinstance(each, TransformLoops))
        heading = Heading(_place(profile.span), times, advice=advice)
    for nest in part.nests:
        yield from _leaves(region, nest, heading, runs * nest.profile.repetitions, share)


def _is_timed(part: RegionReport, region: RegionReport) -> bool | None:
    """Return whether a library of benchmarks times a nest: a loop that repeats it, and counts once; None without."""
    if not any(note.code == _TIMED for note in region.profile.assumptions):
        return None
    timed = [nest for nest in region.nests if nest.nests and all(each.profile.repetitions == 1 for each in nest.nests)]
    return any(part is each for nest in timed for each in nest.all_nests) if timed else None


def _alternatives(profile: RegionProfile) -> int:
    """Return how many alternatives conditions on data choose from around a nest."""
    count = 1
    for flag in profile.flags:
        count *= len(flag.values) if flag.is_of_data and flag.name in profile.assumed else 1
    return count


def _hotspot(region: RegionReport, part: RegionReport, heading: Heading | None, runs: int, share: float) -> Hotspot:
    profile = part.profile
    machines = tuple(_on_machine(each) for each in part.projections)
    machines = machines or (OnMachine(projection=None, moved=part.moved.total, intensity=part.intensity),)
    return Hotspot(
        place=_place_of_nest(profile),
        region=_place(region.profile.span),
        within="",
        caller=region.profile.function,
        runs=runs * (1 if _place_of_nest(profile) == _place(profile.span) else profile.outermost_trips or 1),
        instances=1,
        profile=profile,
        flops=profile.work.flops,
        machines=machines,
        weight=share * _weight(profile, machines[0]),
        heading=heading,
        advice=part.advice,
        findings=findings_that_matter(part, machines[0].projection),
        best=part.best,
        held=conditions_text(part),
        is_launched=profile.launch is not None,
        is_conditional=share < 1,
        is_timed=_is_timed(part, region),
    )


def _own_share(spot: Hotspot, places: Sequence[Place]) -> float:
    """Return the part of the work of a nest that is not in the lines of others, in functions that it calls.

    A small one is 0, the nest only drives the others: they are hotspots of their own, with sizes of their own.
    """
    path, first, last = spot.place
    others = [place for place in places if place[0] != path or place[1] > last or place[2] < first]
    own, all_of_it = 0.0, 0.0
    for line in spot.profile.lines:
        parts = (line.flops, line.load_bytes, line.store_bytes)
        work = sum(at_common_sizes(part.estimate, spot.profile) for part in parts)
        all_of_it += work
        at = line.path or path
        own += 0.0 if any(at == other and start <= line.line <= end for other, start, end in others) else work
    return own / all_of_it if own >= _LEAST_OWN * all_of_it and all_of_it else 0.0


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
    """Return a count with :data:`ASSUMED_SIZE` in the place of each size that is not known, but 1 for a border."""
    known: Mapping[str, int] = {**profile.assumed, **profile.values}
    sizes = dict.fromkeys(count.symbols, ASSUMED_SIZE) | {name: known[name] for name in count.symbols & known.keys()}
    found = _at(count, sizes)
    return found or max((_at(count, {**sizes, name: 1}) for name in count.symbols - known.keys()), default=0.0)


def borders_of(count: Count, profile: RegionProfile) -> frozenset[str]:
    """Return the sizes that must be small beside the others for there to be work: ``r`` of ``i = r; i < n - r``."""
    names = count.symbols - profile.assumed.keys() - profile.values.keys()
    sizes = {**profile.assumed, **dict.fromkeys(names, ASSUMED_SIZE), **profile.values}
    return frozenset(name for name in names if not _at(count, sizes) and _at(count, {**sizes, name: 1}))


def _at(count: Count, sizes: Mapping[str, int]) -> float:
    try:
        return float(count.evaluate(sizes))
    except (ArithmeticError, OverflowError, TooManyTerms):
        return 0.0


def _with(one: Hotspot, other: Hotspot) -> Hotspot:
    """Return two runs of one nest in one function: both together, or the heavier one where a flag chooses of them."""
    mine, its = one.profile.assumed, other.profile.assumed
    flags = {flag.name for flag in (*one.profile.flags, *other.profile.flags)}
    if all(mine.get(name) == its.get(name) for name in flags & mine.keys() & its.keys()):
        return _together(one, other)
    heavy, light = (one, other) if one.weight >= other.weight else (other, one)
    weight = heavy.weight + (light.weight if heavy.is_conditional else 0)
    return replace(heavy, weight=weight, is_alternative=True)


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
            at_roof=_sum(mine.at_roof, its.at_roof),
            expected=_sum(mine.expected, its.expected),
        )
        for mine, its in zip(heavy.machines, light.machines, strict=True)
    ]
    weight, runs = one.weight + other.weight, one.runs + other.runs
    return replace(heavy, runs=runs, flops=flops, machines=tuple(machines), weight=weight)


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _preferred(one: Hotspot, other: Hotspot) -> Hotspot:
    """Return which of two functions' runs of a nest is shown: the one with known times or work, then the heavier one.

    One that knows sizes which the other leaves open goes before it, and so does one whose sizes the source names before
    one with trip counts that nobody knows.  All launches of a kernel happen: they add up.
    """
    if one.is_launched and other.is_launched:
        return _together(one, other)
    timed = [spot for spot in (one, other) if spot.first.time is not None]
    known = timed or [spot for spot in (one, other) if not _open_symbols(spot)]
    if not known and _open_symbols(one) != _open_symbols(other):
        known = [spot for spot in (one, other) if _open_symbols(spot) <= _open_symbols(one) & _open_symbols(other)]
    known = known or [spot for spot in (one, other) if not any(name.startswith(TRIP) for name in _open_symbols(spot))]
    return max(known or (one, other), key=lambda spot: spot.weight)


def _open_symbols(spot: Hotspot) -> frozenset[str]:
    return spot.work.estimate.symbols - spot.profile.values.keys()


def _place(span: Span) -> Place:
    return span.path, span.line, span.end_line


def _place_of_nest(profile: RegionProfile) -> Place:
    """Return the place of a nest: of the one in a function that its outermost loop only calls, else its own."""
    own = _place(profile.span)
    inside = [loop for loop in profile.loops if loop.depth == 1]
    if len(inside) != 1 or profile.kind is RegionKind.KERNEL:
        return own
    called = (inside[0].path, inside[0].line, inside[0].end_line)
    return own if _contains(profile.span, called) else called


def _contains(span: Span, place: Place) -> bool:
    path, first, last = place
    return span.path == path and span.line <= first and last <= span.end_line
