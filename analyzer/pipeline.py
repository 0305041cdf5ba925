"""The whole analysis of one source: the only module that sees every stage.

``source -> frontend -> IR -> domains and relations -> work -> FileProfile -> traffic -> AnalyzedFile``
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from .annotations.apply import AnnotatedRegions, Scope, stated_values, values_in, with_annotations
from .annotations.parse import read_annotations
from .counts.policy import load_policy
from .diagnostics import Diagnostic, why_given_up
from .domains.limits import OPERATIONS_PER_SECOND, OverBudget, deadline
from .errors import OptionError, SourceError
from .frontend.compile_commands import arguments_for
from .frontend.linking import link
from .frontend.lower import LowerOptions, lower_unit
from .frontend.lower.kernels import plain_name
from .frontend.lower.series import KernelSeries
from .frontend.mentions import names_to_give, names_used
from .frontend.options import Parsed, ParseOptions
from .frontend.reader import read
from .frontend.related_files import linked_with, names_defined_in
from .frontend.surface.nodes import FunctionKind, Unit
from .frontend.text.markdown import code_blocks, is_markdown
from .given_values import TRIP, given_values
from .ir.branches import PROBABILITY
from .ir.index import Number
from .ir.nodes import Loop, Node, Region, SeriesPart, SymbolOrigin
from .ir.text import region_text
from .limits.hard_limit import COUNTED, ENDED, GIVEN_UP, LOWERED, READ, REUSED, Account, Overrun, cause_of, hard_limit
from .limits.recursion import deep_recursion
from .limits.shares import GivenUp, Part, in_shares
from .options import AnalysisOptions
from .profile import AnalyzedFile, FileProfile, RegionProfile
from .profiling.averages import members_of, mixed_traffic, with_averages
from .profiling.launched import Analyzed, over_launches
from .profiling.profiler import ProfileOptions, profile_region
from .region_traffic import traffic_of, with_reuses
from .report_time import ReportTime, rows_of
from .source import Language, SourceFile, Span
from .traffic.options import CacheOptions
from .traffic.results import RegionTraffic

# Shares of the time of a region: for the best answer to one question, and to all.
_ONE_ANSWER, _ALL_ANSWERS = 0.6, 0.9
_HOST_CODE = 0.5  # of the time in which the file is lowered
_DEFAULT_OPERATIONS = 2 * OPERATIONS_PER_SECOND  # for a second of the budget
_NO_TIME_S = 1e-6
_FEWEST_ROWS = 2  # of a function with a loop
_LEFT_OUT = "AI213"
_LINKED: Final = "clang"  # the reader whose units have linkage names
_FILES_OF_A_PROGRAM = 64

read_once = lru_cache(maxsize=_FILES_OF_A_PROGRAM)(read)
"""As :func:`read`, with a cache of the last results: files of a program are read for one another."""


def analyze(source: SourceFile, options: AnalysisOptions | None = None) -> tuple[AnalyzedFile, ...]:
    """Analyze one source: one result, or one for each code block of a Markdown file.

    Raises ``SourceError`` where nothing can be read and ``OptionError`` for options that make no sense.
    """
    chosen = options or AnalysisOptions()
    account = Account(chosen.budget_s)
    try:
        with deep_recursion(), hard_limit(account.left(ENDED)):
            if not is_markdown(source.path):
                return (_analyze(source, chosen, account),)
            blocks = code_blocks(source)
            if not blocks:
                raise SourceError("has no code block of C, C++ or CUDA", path=source.path, hint="fence it with ```c")
            return tuple(_analyze(block, chosen, account) for block in blocks)
    except GIVEN_UP as error:
        raise _unreadable(source, error) from None


def _unreadable(source: SourceFile, error: BaseException) -> SourceError:
    return SourceError(f"cannot be read: {why_given_up(cause_of(error))}", path=source.path, hint="see --budget")


def _analyze(source: SourceFile, options: AnalysisOptions, account: Account) -> AnalyzedFile:
    comments = read_annotations(source.text, source.path, source.first_line)
    given = given_values(options.defines)
    stated_names = reversed(stated_values(comments.annotations, given.values)[0])
    macros = {stated.name: str(stated.value) for stated in stated_names}
    options = replace(options, defines={**macros, **options.defines})
    parsed, ambiguous = _linked(source, _read(source, options, account), options, account)
    functions = frozenset(options.functions) if options.functions else None
    scopes = [Scope(function.key, function.span) for function in parsed.unit.functions.values()]
    scopes = [scope for scope in scopes if scope.span.path == source.path]
    values, unknown = stated_values(comments.annotations, given.values, scopes)
    everywhere = {**values_in(values, ""), **given.averages, **given.values}
    sizes = {name: value for name, value in everywhere.items() if isinstance(value, int)}
    launches, missing = _launches(source, parsed.unit, options, sizes, account)
    stated = {scope.key: values_in(values, scope.key) for scope in scopes}
    in_functions = {
        function.key: given.of_function((function.key, function.name, plain_name(function.name)))
        for function in parsed.unit.functions.values()
    }
    seconds = max(account.left(LOWERED), _NO_TIME_S) if options.budget_s else 0
    wanted = LowerOptions(
        defines=sizes,
        averages={name: value for name, value in everywhere.items() if isinstance(value, Fraction)},
        element_type=options.element_type,
        functions=functions,
        launches=launches,
        stated=stated,
        given=in_functions,
        seconds=seconds,
    )
    lowered = lower_unit(parsed.unit, wanted)
    _check_averages(lowered.regions, given.averages)
    facts = with_annotations(source, lowered.regions, comments.annotations, values, given.values)
    regions = _within(facts.regions, options.lines)
    analyzed, left_out = _analyzed(regions, options, account)
    diagnostics = [
        *parsed.diagnostics,
        *ambiguous,
        *left_out,
        *missing,
        *comments.diagnostics,
        *unknown,
        *facts.diagnostics,
    ]
    diagnostics += [found for found in lowered.diagnostics if not _is_settled(found, facts)]
    if not analyzed and not any(found.code == _LEFT_OUT for found in diagnostics):
        diagnostics.append(_nothing(source, options))
    profile = FileProfile(
        path=source.path,
        language=source.language,
        frontend=parsed.frontend,
        regions=tuple(region for region, _ in analyzed),
        diagnostics=tuple(sorted(dict.fromkeys(diagnostics), key=lambda found: (found.span.line, found.code))),
        ir_text="\n".join(region_text(region) for region in regions) if options.ir else "",
        source_text=source.text,
        first_line=source.first_line,
        annotations=comments.annotations,
        used=names_used(source, lowered.regions, parsed, _parse_options(source, options), options.defines),
        names=names_to_give(source, lowered.regions),
    )
    return AnalyzedFile(profile, tuple(traffic for _, traffic in analyzed))


def _check_averages(regions: Iterable[Region], averages: Mapping[str, Fraction]) -> None:
    """Raise ``OptionError`` for a size that is not whole; averages are for trip counts."""
    for symbol in (symbol for region in regions for symbol in region.symbols):
        average = averages.get(symbol.name)
        if average is not None and symbol.origin is not SymbolOrigin.TRIP_COUNT:
            hint = "only trip counts (trip_L12) and probabilities (prob_L12) may be fractions"
            raise OptionError(f"-D {symbol.name}={float(average):g} is not a whole number", hint=hint)


def _read(source: SourceFile, options: AnalysisOptions, account: Account) -> Parsed:
    """Return the surface tree; raises ``SourceError``, also where reading takes too long or too much memory."""
    reader = read_once if options.companions else read
    try:
        with hard_limit(account.left(READ), f"reading {source.path}"):
            return reader(source, _parse_options(source, options), options.frontend)
    except GIVEN_UP as error:
        raise _unreadable(source, error) from None


def _linked(
    source: SourceFile, parsed: Parsed, options: AnalysisOptions, account: Account
) -> tuple[Parsed, tuple[Diagnostic, ...]]:
    """Return the file with what it takes from the other files of its program; kernels are linked by their launches."""
    others = {other.path: other for other in options.companions}
    is_cuda = source.language is Language.CUDA or _has_kernels(parsed.unit)
    if is_cuda or parsed.frontend != _LINKED or not others:
        return parsed, ()

    def unit_of(path: str) -> Unit | None:
        with suppress(SourceError):
            return _read(others[path], replace(options, frontend=_LINKED), account).unit
        return None

    linked = link(parsed.unit, {path: names_defined_in(other.text) for path, other in others.items()}, unit_of)
    return replace(parsed, unit=linked.unit), linked.diagnostics


def _analyzed(
    regions: Sequence[Region], options: AnalysisOptions, account: Account
) -> tuple[list[Analyzed], list[Diagnostic]]:
    """Return the profiles and traffic of regions; then, in the time that is left, the conditions of their reuses.

    Regions that ask for too much time or memory are left out, with a diagnostic.
    """
    chosen = _profile_options(options)
    left_out: list[Diagnostic] = []
    report = ReportTime(options.reported_s, account)
    counting = [_counting(region, chosen, options, report) for region in regions]
    counted: list[tuple[Analyzed, Region]] = []
    answers = in_shares(counting, lambda: report.left(COUNTED, _FEWEST_ROWS))
    for region, found in zip(regions, answers, strict=True):
        if isinstance(found, GivenUp):
            why = why_given_up(found.cause)
            left_out.append(Diagnostic.of("AI213", region.span, "left-out", name=region.name, why=why))
        else:
            counted.append((found, region))
    analyzed: list[tuple[Analyzed, Region]] = []
    reuses = [_reuses(one, region, options) for one, region in counted]
    with_them = in_shares(reuses, lambda: report.left(REUSED))
    for ((profile, before), region), traffic in zip(counted, with_them, strict=True):
        if isinstance(traffic, GivenUp):
            why = why_given_up(traffic.cause)
            left_out.append(Diagnostic.of("AI213", region.span, "reuses", name=region.name, why=why))
        analyzed.append(((profile, before if isinstance(traffic, GivenUp) else traffic), region))
    return list(_over_launches(analyzed, account)), left_out


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
    cache = CacheOptions() if is_formula else options.cache

    def run(seconds: float) -> tuple[Analyzed, bool]:
        values = _values_in(region, options)
        trips = {name: value for name, value in values.items() if isinstance(value, int)}
        branches = {name: _probability(name, value) for name, value in values.items() if name.startswith(PROBABILITY)}
        within = replace(chosen, seconds=min(_ONE_ANSWER * seconds, options.budget_s), trips=trips, branches=branches)
        with deadline(_answers_within(options, seconds), _operations(options, seconds)) as limit:
            try:
                profile = profile_region(region, within)
                averages = {**dict(region.averages), **_averages_of(profile, options)}
                if averages:
                    traffic = _mixed_traffic(region, profile, averages, cache, within.seconds)
                    profile = with_averages(profile, averages)
                else:
                    traffic = traffic_of(region, profile, cache, within.seconds)
            except OverBudget:
                raise Overrun from None
        report.holds(name, rows_of(profile) + (region.part is not None))  # that of all launches is one more
        return (profile, traffic), limit.over

    return Part(name, _size(region), run)


def _averages_of(profile: RegionProfile, options: AnalysisOptions) -> dict[str, Fraction]:
    """Return the averages given for trip counts that counting had to name."""
    everywhere = _values_in(profile, options)
    open_ones = (name for name in profile.symbols if name.startswith(TRIP) and name not in profile.values)
    return {name: found for name in open_ones if isinstance(found := everywhere.get(name), Fraction)}


def _values_in(region: Region | RegionProfile, options: AnalysisOptions) -> dict[str, Number]:
    """Return the values that are given for a region."""
    given = given_values(options.defines)
    return {**given.averages, **given.values, **given.of_function((region.function,))}


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


def _is_settled(found: Diagnostic, facts: AnnotatedRegions) -> bool:
    """Return whether an annotation states the trip count that a diagnostic misses."""
    return found.code in ("AI203", "AI204") and found.span.line in facts.settled


def _launches(
    source: SourceFile, unit: Unit, options: AnalysisOptions, defines: Mapping[str, int], account: Account
) -> tuple[tuple[KernelSeries, ...], tuple[Diagnostic, ...]]:
    """Return the launches of kernels, and diagnostics for missing ones; host code is read only where there are any."""
    if not _has_kernels(unit):
        return (), ()
    from .frontend.launches.launches import launches_of
    from .frontend.launches.series import series_of

    others = tuple(_companion_units(source, options, account))
    try:
        with hard_limit(_HOST_CODE * account.left(LOWERED), "host code"):
            found, missing = launches_of(unit, options.launches, options.program_arguments, defines, others)
            return series_of(found), missing
    except GIVEN_UP as error:
        span = Span(source.path, source.first_line, source.first_line)
        return (), (Diagnostic.of("AI213", span, "host-code", why=why_given_up(cause_of(error))),)


def _has_kernels(unit: Unit) -> bool:
    return any(item.kind is FunctionKind.KERNEL for item in unit.functions.values())


def _parse_options(source: SourceFile, options: AnalysisOptions) -> ParseOptions:
    return ParseOptions(
        defines=given_values(options.defines).macros,
        include_dirs=options.include_dirs,
        std=options.std,
        element_type=options.element_type,
        system_headers=options.system_headers,
        confine=options.confine,
        compile_args=arguments_for(source.path, options.compile_commands) if options.compile_commands else (),
    )


def _companion_units(source: SourceFile, options: AnalysisOptions, account: Account) -> Iterator[Unit]:
    """Yield the other files of the program that this one is linked with, as far as they can be read."""
    for other in linked_with(source, options.companions):
        with suppress(SourceError):
            yield _read(other, options, account).unit


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
    )


def _within(regions: Iterable[Region], lines: tuple[int, int] | None) -> tuple[Region, ...]:
    """Return the regions that overlap the chosen lines, cut down to the loops in them."""
    if lines is None:
        return tuple(regions)
    first, last = lines
    chosen: list[Region] = []
    for region in regions:
        body = tuple(node for node in region.body if _overlaps(node.span, first, last))
        if any(isinstance(node, Loop) or _holds_loop(node) for node in body):
            chosen.append(replace(region, body=body))
    return tuple(chosen)


def _overlaps(span: Span, first: int, last: int) -> bool:
    return span.line <= last and span.end_line >= first


def _holds_loop(node: Node) -> bool:
    children = (*getattr(node, "body", ()), *getattr(node, "orelse", ()))
    return any(isinstance(child, Loop) or _holds_loop(child) for child in children)


def _nothing(source: SourceFile, options: AnalysisOptions) -> Diagnostic:
    span = Span(source.path, source.first_line, source.first_line)
    if options.functions:
        return Diagnostic.of("AI004", span, "no-function", names=options.functions)
    if options.lines:
        first, last = options.lines
        return Diagnostic.of("AI004", span, "no-line", first=first, last=last)
    return Diagnostic.of("AI004", span, "no-loop")


__all__ = ["AnalyzedFile", "analyze"]
