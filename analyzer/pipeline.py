"""The whole analysis of one source: the only module that sees every stage.

``source -> frontend -> IR -> domains and relations -> work -> FileProfile -> traffic -> AnalyzedFile``
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from .annotations.apply import Scope, StatedValue, stated_values, values_in, with_annotations
from .annotations.parse import read_annotations
from .coverage.binding import NOTHING, Bound, bound_values, with_run
from .diagnostics import Diagnostic
from .errors import OptionError, SourceError
from .frontend.function_usage import function_usage
from .frontend.lower import LowerOptions, lower_unit
from .frontend.lower.kernels import plain_name
from .frontend.mentions import names_asked_alone, names_to_give, names_used
from .frontend.options import Parsed
from .frontend.surface.nodes import Unit
from .frontend.text.markdown import code_blocks, is_markdown
from .given_data.binding import Arrays, bound_arrays, names_of, sizes_of, used_in, with_given
from .given_data.usage import EveryArray
from .given_values import GivenValues, given_values
from .ir.nodes import Loop, Node, Region, SymbolOrigin
from .ir.text import region_text
from .limits.hard_limit import ENDED, GIVEN_UP, LOWERED, Account, hard_limit
from .limits.recursion import deep_recursion
from .offload.data import data_directives
from .offload.regions import on_gpu
from .offload.runtime import Gpu
from .options import AnalysisOptions
from .profile import AnalyzedFile, FileProfile
from .source import SourceFile, Span
from .stages.counting import counted
from .stages.reading import launches_in, linked, parse_options, read_source, unreadable

_NO_TIME_S = 1e-6
_LOWERED_PER_SECOND = 10_000  # operations of lowering for a second of the budget
_LEFT_OUT = "AI213"


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
        raise unreadable(source, error) from None


def _analyze(source: SourceFile, options: AnalysisOptions, account: Account) -> AnalyzedFile:
    comments = read_annotations(source.text, source.path, source.first_line)
    given = given_values(options.defines)
    stated_names = reversed(stated_values(comments.annotations, given.values)[0])
    macros = {stated.name: str(stated.value) for stated in stated_names}
    options = replace(options, defines={**macros, **options.defines})
    parsed, ambiguous = linked(source, read_source(source, options, account), options, account)
    scopes = [Scope(function.key, function.span) for function in parsed.unit.functions.values()]
    scopes = [scope for scope in scopes if scope.span.path == source.path]
    values, unknown = stated_values(comments.annotations, given.values, scopes)
    wanted = _lower_options(parsed.unit, options, given, values, scopes)
    launches, missing = launches_in(source, parsed.unit, options, wanted.defines, account)
    seconds = max(account.left(LOWERED), _NO_TIME_S) if options.budget_s else 0
    arrays = _arrays(parsed.unit, wanted, options)
    operations = int(_LOWERED_PER_SECOND * options.budget_s)
    wanted = replace(wanted, arrays=arrays.by_name, operations=operations)
    lowered = lower_unit(parsed.unit, replace(wanted, launches=launches, seconds=seconds))
    bound = _bound(source, parsed.unit, lowered.regions, options)
    sizes = {
        name: size for name, size in {**sizes_of(lowered.regions), **arrays.sizes}.items() if not _is_set(name, options)
    }
    counting = replace(options, defines={**sizes, **bound.values, **options.defines})
    if sizes or bound.values:
        given = given_values(counting.defines)
        wanted = replace(
            _lower_options(parsed.unit, counting, given, values, scopes), arrays=wanted.arrays, operations=operations
        )
        lowered = lower_unit(parsed.unit, replace(wanted, launches=launches, seconds=seconds))
    _check_averages(lowered.regions, given.averages)
    facts = with_annotations(source, lowered.regions, comments.annotations, values, given.values)
    regions = with_run(_within(facts.regions, options.lines), bound)
    measured = with_given(regions, arrays)
    regions = measured.regions
    if any(hierarchy.gpu is not None for hierarchy in options.cache.hierarchies):
        directives = data_directives(source.text, source.first_line, options.defines)
        regions = on_gpu(regions, Gpu.of(options.device), directives, keep_others=bool(options.functions))
    analyzed, left_out = counted(regions, counting, account)
    diagnostics = [
        *parsed.diagnostics,
        *ambiguous,
        *left_out,
        *missing,
        *comments.diagnostics,
        *unknown,
        *facts.diagnostics,
        *bound.diagnostics,
        *measured.diagnostics,
    ]
    settled = facts.settled | bound.settled | measured.settled
    diagnostics += [found for found in lowered.diagnostics if not _is_settled(found, settled)]
    if not analyzed and not any(found.code == _LEFT_OUT for found in diagnostics):
        diagnostics.append(_nothing(source, options))
    seconds_left = min(seconds, max(account.left(ENDED), _NO_TIME_S))
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
        used=_used(source, lowered.regions, parsed, replace(wanted, seconds=seconds_left), options),
        names=names_to_give(source, lowered.regions),
        usage=function_usage(parsed.unit),
        given=used_in(lowered.regions, arrays),
        arrays=names_of(lowered.regions),
    )
    return AnalyzedFile(profile, tuple(traffic for _, traffic in analyzed))


def _lower_options(
    unit: Unit, options: AnalysisOptions, given: GivenValues, stated: Sequence[StatedValue], scopes: Iterable[Scope]
) -> LowerOptions:
    """Return how a unit is lowered: the functions that are wanted, and what is stated or given for all and for each."""
    everywhere = {**values_in(stated, ""), **given.averages, **given.values}
    return LowerOptions(
        defines={name: value for name, value in everywhere.items() if isinstance(value, int)},
        averages={name: value for name, value in everywhere.items() if isinstance(value, Fraction)},
        element_type=options.element_type,
        functions=frozenset(options.functions) if options.functions else None,
        stated={scope.key: values_in(stated, scope.key) for scope in scopes},
        given={
            function.key: given.of_function((function.key, function.name, plain_name(function.name)))
            for function in unit.functions.values()
        },
    )


def _used(
    source: SourceFile, regions: Sequence[Region], parsed: Parsed, wanted: LowerOptions, options: AnalysisOptions
) -> frozenset[str]:
    """Return the names given that the file depends on, with the other names or without them."""
    used = names_used(source, regions, parsed, parse_options(source, options), options.defines)
    doubted = frozenset(options.defines) - used
    if not doubted or len(options.defines) == 1:
        return used
    return used | names_asked_alone(source, parsed, wanted, doubted)


def _arrays(unit: Unit, wanted: LowerOptions, options: AnalysisOptions) -> Arrays:
    """Return the arrays whose elements are given, those that hold a matrix by how they are used included."""
    if not options.given.matrices:
        return Arrays(options.given.by_name)
    probed = lower_unit(unit, replace(wanted, arrays=EveryArray()))
    return bound_arrays(options.given, probed.regions)


def _is_set(name: str, options: AnalysisOptions) -> bool:
    return name in options.defines or name.partition("@")[0] in options.defines


def _check_averages(regions: Iterable[Region], averages: Mapping[str, Fraction]) -> None:
    """Raise ``OptionError`` for a size that is not whole; averages are for trip counts."""
    for symbol in (symbol for region in regions for symbol in region.symbols):
        average = averages.get(symbol.name)
        if average is not None and symbol.origin is not SymbolOrigin.TRIP_COUNT:
            hint = "only trip counts (trip_L12) and probabilities (prob_L12) may be fractions"
            raise OptionError(f"-D {symbol.name}={float(average):g} is not a whole number", hint=hint)


def _bound(source: SourceFile, unit: Unit, regions: Sequence[Region], options: AnalysisOptions) -> Bound:
    """Return what the counts of a run give for a source, nothing without any."""
    if options.profile is None:
        return NOTHING
    return bound_values(source.path, unit.functions.values(), regions, options.profile, options.defines)


def _is_settled(found: Diagnostic, settled: frozenset[int]) -> bool:
    """Return whether an annotation or a run gives the trip count or the probability that a diagnostic misses."""
    return found.code in ("AI202", "AI203", "AI204") and found.span.line in settled


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
