"""Counting all regions of a file within its CPU time: first their profiles and traffic, then conditions of reuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil

from msgspec.structs import replace

from ..counts.policy import load_policy
from ..diagnostics import Diagnostic, why_given_up
from ..domains.limits import OPERATIONS_PER_SECOND, OverBudget, deadline
from ..errors import OptionError
from ..given_values import given_values, is_trip
from ..ir.branches import PROBABILITY
from ..ir.index import Number
from ..ir.launches import SeriesPart
from ..ir.nodes import Loop, Node, Region, RegionKind, Uncounted
from ..ir.passes.given import counted_loops
from ..limits.hard_limit import COUNTED, GIVEN_UP, REUSED, Account, Overrun, hard_limit
from ..limits.shares import GivenUp, Part, in_shares
from ..options import AnalysisOptions
from ..profile import RegionProfile
from ..profiling.averages import at_most, members_of, mixed_traffic, with_averages
from ..profiling.counting.options import ProfileOptions
from ..profiling.counting.profiler import profile_region
from ..profiling.excess import nests_in_excess
from ..profiling.launched import Analyzed, over_launches
from ..traffic.options import Branches, CacheOptions
from ..traffic.results import RegionTraffic
from .region_traffic import traffic_of, with_reuses
from .report_time import ReportTime, rows_of

# Shares of the time of a region: for the best answer to one question, and to all.
_ONE_ANSWER, _ALL_ANSWERS = 0.6, 0.9
_DEFAULT_OPERATIONS = 2 * OPERATIONS_PER_SECOND  # for a second of the budget
_FEWEST_ROWS = 2  # of a function with a loop


def counted(
    regions: Sequence[Region], options: AnalysisOptions, account: Account
) -> tuple[list[Analyzed], list[Diagnostic]]:
    """Return the profiles and traffic of regions; then, in the time that is left, the conditions of their reuses.

    Regions that ask for too much time or memory are left out, with a diagnostic.
    """
    chosen = _profile_options(options)
    findings: list[Diagnostic] = []
    report = ReportTime(options.reported_s, account)
    counting = [_counting(region, chosen, options, report) for region in regions]
    counted: list[tuple[Analyzed, Region]] = []
    answers = in_shares(counting, lambda: report.left(COUNTED, _FEWEST_ROWS))
    for region, found in zip(regions, answers, strict=True):
        if isinstance(found, GivenUp):
            why = why_given_up(found.cause)
            findings.append(Diagnostic.of("AI213", region.span, "left-out", name=region.name, why=why))
        else:
            counted.append((found, region))
            findings.extend(found[0].findings)
    analyzed: list[tuple[Analyzed, Region]] = []
    reuses = [_reuses(one, region, options) for one, region in counted]
    with_them = in_shares(reuses, lambda: report.left(REUSED))
    for ((profile, before), region), traffic in zip(counted, with_them, strict=True):
        if isinstance(traffic, GivenUp):
            why = why_given_up(traffic.cause)
            findings.append(Diagnostic.of("AI213", region.span, "reuses", name=region.name, why=why))
        analyzed.append(((profile, before if isinstance(traffic, GivenUp) else traffic), region))
    analyzed = list(_with_trials(analyzed, chosen, options, report, findings))
    return list(_over_launches(analyzed, account)), findings


def _with_trials(
    analyzed: Sequence[tuple[Analyzed, Region]],
    chosen: ProfileOptions,
    options: AnalysisOptions,
    report: ReportTime,
    findings: list[Diagnostic],
) -> Iterator[tuple[Analyzed, Region]]:
    """Yield the regions with the variants of their nests, as they are where these take too long."""
    asked = options.advise or options.least_traffic
    bounded = [None if asked else nests_in_excess(*one) for one, _ in analyzed]
    wanted = [number for number, nests in enumerate(bounded) if nests is None or nests]
    trials = [_trials(*analyzed[number], bounded[number], chosen, options) for number in wanted]
    answers = in_shares(trials, lambda: report.left(REUSED))
    tried: dict[int, RegionProfile | GivenUp] = dict(zip(wanted, answers, strict=True))
    for number, ((profile, traffic), region) in enumerate(analyzed):
        found = tried.get(number, profile)
        if isinstance(found, GivenUp):
            why = why_given_up(found.cause)
            findings.append(Diagnostic.of("AI213", region.span, "advice", name=region.name, why=why))
        yield (profile if isinstance(found, GivenUp) else found, traffic), region


def _over_launches(analyzed: Sequence[tuple[Analyzed, Region]], account: Account) -> Iterator[Analyzed]:
    """Yield the regions in order, those of a series of launches as one: estimates where exact sums take too long."""
    by_series: dict[int, list[tuple[Analyzed, SeriesPart]]] = {}
    for one, region in analyzed:
        if region.part is not None:
            by_series.setdefault(id(region.part.series), []).append((one, region.part))
    for one, region in analyzed:
        if region.part is None:
            yield one
            continue
        series = region.part.series
        parts = by_series.pop(id(series), [])
        launches = {part.position: found for found, part in parts if part.position is not None}
        if launches:
            formula = next((profile for (profile, _), part in parts if part.position is None), None)
            try:
                with hard_limit(account.left(REUSED), f"launches of {region.name}:{region.span.line}"):
                    whole = over_launches(series, launches, formula)
            except GIVEN_UP:
                whole = over_launches(series, launches, None)
            yield whole


def _counting(region: Region, chosen: ProfileOptions, options: AnalysisOptions, report: ReportTime) -> Part[Analyzed]:
    name = f"counting {region.name}:{region.span.line}"
    is_formula = region.part is not None and region.part.position is None  # no bytes of caches are wanted

    def run(seconds: float) -> tuple[Analyzed, bool]:
        values = _values_in(region, options)
        trips = {name: value for name, value in values.items() if isinstance(value, int)}
        branches = {name: _probability(name, value) for name, value in values.items() if name.startswith(PROBABILITY)}
        within = replace(chosen, seconds=min(_ONE_ANSWER * seconds, options.budget_s), trips=trips, branches=branches)
        taken = Branches(tuple(sorted(branches.items())), chosen.branch_probability)
        cache = CacheOptions() if is_formula else replace(options.cache, branches=taken)
        with deadline(_answers_within(options, seconds), _operations(options, seconds)) as limit:
            try:
                profile = profile_region(region, within)
                averages = {**dict(region.averages), **_averages_of(profile, options)}
                likely = _likely_trips(region, profile, averages)
                if likely:
                    means = {**likely, **averages}
                    traffic = at_most(_mixed_traffic(region, profile, means, cache, within.seconds))
                    profile = with_averages(profile, means, likely.keys())
                elif averages and averages.keys() <= _counted_trips(region):
                    profile = with_averages(profile, averages)
                    known = {**profile.values, **{name: ceil(average) for name, average in averages.items()}}
                    symbols = tuple(replace(symbol, value=known.get(symbol.name)) for symbol in region.symbols)
                    numeric = replace(region, symbols=symbols)
                    traffic = traffic_of(numeric, replace(profile, values=known), cache, within.seconds)
                elif averages:
                    traffic = _mixed_traffic(region, profile, averages, cache, within.seconds)
                    profile = with_averages(profile, averages)
                else:
                    traffic = traffic_of(region, profile, cache, within.seconds)
            except OverBudget:
                raise Overrun from None
        report.holds(name, rows_of(profile) + (region.part is not None))  # that of all launches is one more
        return (profile, traffic), limit.over

    return Part(name, _size(region), run)


def _counted_trips(region: Region) -> frozenset[str]:
    """Return the trip counts that given arrays tell in each execution: the models of caches take these."""
    ranges = (loop.range for loop in counted_loops(region.body))
    return frozenset(range_.trip for range_ in ranges if isinstance(range_, Uncounted))


def _likely_trips(region: Region, profile: RegionProfile, given: Mapping[str, Fraction]) -> Mapping[str, Fraction]:
    """Return mean trip counts that are not certain, of those on which the counts depend, and that nobody gives."""
    wanted = set(profile.symbols) - profile.values.keys() - given.keys()
    return {name: mean for name, mean in region.likely if name in wanted}


def _averages_of(profile: RegionProfile, options: AnalysisOptions) -> dict[str, Fraction]:
    """Return the averages given for trip counts that counting had to name."""
    everywhere = _values_in(profile, options)
    open_ones = (name for name in profile.symbols if is_trip(name) and name not in profile.values)
    return {name: found for name in open_ones if isinstance(found := everywhere.get(name), Fraction)}


def _values_in(region: Region | RegionProfile, options: AnalysisOptions) -> dict[str, Number]:
    """Return the values that are given for a region."""
    return given_values(options.defines).holding_in((region.function,))


def _probability(name: str, value: Number) -> Fraction:
    if not 0 <= value <= 1:
        raise OptionError(f"-D {name}={float(value):g} is not between 0 and 1", hint="write 0.5 or 1/2")
    return Fraction(value)


def _mixed_traffic(
    region: Region, profile: RegionProfile, averages: Mapping[str, Fraction], cache: CacheOptions, seconds: float
) -> RegionTraffic:
    members = members_of(averages)
    traffics = []
    for member in members:
        values = {**profile.values, **member.values}
        known = tuple(replace(symbol, value=values.get(symbol.name)) for symbol in region.symbols)
        one = replace(profile, values=values)
        traffics.append(traffic_of(replace(region, symbols=known), one, cache, seconds / len(members)))
    return mixed_traffic(members, traffics) or traffic_of(region, profile, cache, seconds)


def _reuses(analyzed: Analyzed, region: Region, options: AnalysisOptions) -> Part[RegionTraffic]:
    profile, traffic = analyzed

    def run(seconds: float) -> tuple[RegionTraffic, bool]:
        with deadline(_answers_within(options, seconds), _operations(options, seconds)) as limit:
            try:
                found = with_reuses(traffic, region, profile, options.cache)
            except OverBudget:
                raise Overrun from None
        return found, limit.over

    return Part(f"reuses of {region.name}:{region.span.line}", _size(region), run)


def _trials(
    analyzed: Analyzed,
    region: Region,
    bounded: frozenset[str] | None,
    chosen: ProfileOptions,
    options: AnalysisOptions,
) -> Part[RegionProfile]:
    """Return the part that bounds the traffic of nests (all: None), and with ``advise`` transforms them."""
    from ..profiling.least_traffic import with_least_traffic  # here, as few ask for what would help

    profile, traffic = analyzed

    def run(seconds: float) -> tuple[RegionProfile, bool]:
        within = replace(chosen, seconds=min(_ONE_ANSWER * seconds, options.budget_s))
        with deadline(_answers_within(options, seconds), _operations(options, seconds)) as limit:
            found = with_least_traffic(region, profile, bounded)
            if options.advise and region.kind is RegionKind.KERNEL:
                from .kernel_trials import kernel_variants

                found = replace(found, variants=kernel_variants(region, found, traffic, within, options.cache))
            elif options.advise:
                from .trials import with_variants

                found = with_variants(region, found, within, options.cache)
        return found, limit.over

    return Part(f"advice for {region.name}:{region.span.line}", _size(region), run)


def _answers_within(options: AnalysisOptions, seconds: float) -> float:
    """Return the CPU seconds after which answers become weaker in a part that has ``seconds``; 0 means never."""
    return min(_ALL_ANSWERS * seconds, options.budget_s)


def _operations(options: AnalysisOptions, seconds: float) -> int:
    """Return the operations of isl for one request: as many as allowed, and not more than fit into the seconds."""
    allowed = options.budget_operations or int(_DEFAULT_OPERATIONS * options.budget_s)
    return int(min(allowed, max(seconds * OPERATIONS_PER_SECOND, 1))) if options.budget_s else options.budget_operations


def _size(region: Region) -> int:
    """Return how much there is to count, roughly: nodes, weighted by the loops around them."""
    return _nodes(region.body, 1)


def _nodes(nodes: Sequence[Node], weight: int) -> int:
    total = 0
    for node in nodes:
        inner = weight + 1 if isinstance(node, Loop) else weight
        total += weight + _nodes((*getattr(node, "body", ()), *getattr(node, "orelse", ())), inner)
    return total


def _profile_options(options: AnalysisOptions) -> ProfileOptions:
    if not 0 <= options.branch_probability <= 1:
        raise OptionError("--branch-probability must be between 0 and 1")
    if options.line_bytes < 1:
        raise OptionError("--line-bytes must be at least 1")
    given = given_values(options.defines)
    return ProfileOptions(
        load_policy(options.policy),
        options.fma,
        options.branch_probability,
        options.line_bytes,
        options.budget_s,
        given.values,
        in_full=options.in_full,
    )
