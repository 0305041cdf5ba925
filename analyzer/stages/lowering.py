"""Lowering one file: its regions, with what its comments, the counts of a run and given arrays say of their symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from ..annotations.apply import AnnotatedRegions, Scope, StatedValue, stated_values, values_in, with_annotations
from ..annotations.model import Annotation
from ..coverage.averaged import OfRun, with_run
from ..coverage.binding import NOTHING, Bound, bound_values
from ..diagnostics import Diagnostic, Phrase
from ..domains.triangular_rows import with_triangular_rows
from ..frontend.lower import Lowered, LowerOptions, lower_unit
from ..frontend.lower.kernels.kernel import plain_name
from ..frontend.lower.names.symbols import wanted_name
from ..frontend.mentions import names_asked_alone, names_used
from ..frontend.options import Parsed
from ..frontend.surface.nodes import FunctionKind, Unit
from ..given_data.binding import (
    Arrays,
    BoundRegions,
    Stored,
    bound_arrays,
    sizes_of,
    with_given,
    with_run_loops,
    with_stored_rows,
)
from ..given_data.usage import EveryArray
from ..given_values import GivenValues, function_of, given_values, symbol_of
from ..ir.nodes import Loop, Node, Region, SymbolOrigin
from ..ir.passes.allocated_rows import with_allocated_rows
from ..ir.passes.equal_sizes import with_equal_sizes
from ..ir.passes.stated_trips import Stated
from ..limits.hard_limit import ENDED, LOWERED, Account
from ..offload.data import data_directives
from ..offload.regions import on_gpu
from ..offload.runtime import Gpu
from ..options import AnalysisOptions
from ..source import SourceFile, Span
from .reading import launches_in, parse_options
from .values_of_user import check_values, with_given_trips

_MAIN = "main"
_NO_TIME_S = 1e-6
_LOWERED_PER_SECOND = 10_000  # operations of lowering for a second of the budget


class LoweredFile(Struct, frozen=True, kw_only=True):
    """The regions of a file, and how they came about.

    ``regions`` are those to count, under the options ``counting``, in which sizes and averages from the file or a
    run are given; ``unbound`` are those before comments, runs and arrays gave values.  ``missing`` are the findings
    on launches, ``diagnostics`` all others.  ``wanted`` is how it was lowered, within ``seconds`` (0: no limit).
    """

    regions: tuple[Region, ...]
    unbound: tuple[Region, ...]
    counting: AnalysisOptions
    arrays: Arrays
    wanted: LowerOptions
    seconds: float
    missing: tuple[Diagnostic, ...]
    diagnostics: tuple[Diagnostic, ...]


def lowered_file(
    source: SourceFile,
    unit: Unit,
    annotations: Sequence[Annotation],
    given: GivenValues,
    options: AnalysisOptions,
    account: Account,
) -> LoweredFile:
    """Return the regions of a file; raises ``OptionError`` for values that make no sense.

    ``given`` are the values of the user alone, ``options`` have those of its comments too.  A file of which a run, or
    an array, gives sizes is lowered again with these.
    """
    scopes = [Scope(function.key, function.span) for function in unit.functions.values()]
    scopes = [scope for scope in scopes if scope.span.path == source.path]
    values, unknown = stated_values(annotations, given.values, scopes)
    wanted = _lower_options(unit, options, given, values, scopes)
    launches, missing = launches_in(source, unit, options, wanted.defines, account)
    seconds = max(account.left(LOWERED), _NO_TIME_S) if options.budget_s else 0
    arrays = _arrays(unit, wanted, options)
    limited = {"arrays": arrays.by_name, "operations": int(_LOWERED_PER_SECOND * options.budget_s)}
    wanted = replace(wanted, **limited)
    lowered = lower_unit(unit, replace(wanted, launches=launches, seconds=seconds))
    bound = _bound(source, unit, lowered.regions, options)
    of_run = replace(options, defines={**bound.values, **options.defines})
    own = _own_sizes(unit, lowered.regions, of_run, values)
    known = {**sizes_of(lowered.regions), **arrays.sizes}
    sizes = {name: size for name, size in known.items() if not _is_set(name, options)}
    counting = replace(options, defines={**sizes, **bound.values, **options.defines})
    by_user = given
    if sizes or bound.values or own.after:
        given = given_values(counting.defines)
        wanted = replace(_lower_options(unit, counting, given, values, scopes), **limited, after=own.after)
        lowered = lower_unit(unit, replace(wanted, launches=launches, seconds=seconds), lowered)
    check_values(lowered.regions, given, options)
    stated = _StatedFacts(
        source=source,
        annotations=annotations,
        stated=values,
        given=given,
        by_user=by_user,
        options=options,
        bound=bound,
        arrays=arrays,
    )
    within = replace(wanted, seconds=seconds)
    regions, found = stated.applied(unit, lowered, within)
    regions = tuple(_with_words(region, own.words) for region in regions)
    regions = _where_they_run(source, regions, options)
    regions = _with_registers(regions, unit, lowered.kept.compiled, replace(within, launches=()), options)
    return LoweredFile(
        regions=regions,
        unbound=lowered.regions,
        counting=counting,
        arrays=arrays,
        wanted=wanted,
        seconds=seconds,
        missing=missing,
        diagnostics=(*unknown, *own.notes, *found),
    )


class _Facts(Struct, frozen=True, kw_only=True):
    """Regions with the facts stated about them, one source after the other; ``measured`` has all of it."""

    annotated: AnnotatedRegions
    stated: tuple[Stated, ...]
    recorded: OfRun
    measured: BoundRegions

    @property
    def settled(self) -> frozenset[int]:
        """Return the lines whose trip counts and probabilities are given."""
        found = (self.annotated.settled, self.recorded.settled, self.measured.settled)
        return frozenset().union(*found, *(one.lines for one in self.stated))


class _StatedFacts(Struct, frozen=True, kw_only=True):
    """Facts about the regions of a file: from its comments, the user, the counts of a run, and given arrays.

    ``given`` are the values of all of these, ``by_user`` those of the user alone.
    """

    source: SourceFile
    annotations: Sequence[Annotation]
    stated: Sequence[StatedValue]
    given: GivenValues
    by_user: GivenValues
    options: AnalysisOptions
    bound: Bound
    arrays: Arrays

    def applied(
        self, unit: Unit, lowered: Lowered, wanted: LowerOptions
    ) -> tuple[tuple[Region, ...], tuple[Diagnostic, ...]]:
        """Return the regions of a unit with the facts stated about them, and the remaining findings."""

        def with_elements(stored: Stored) -> tuple[Region, ...]:
            return self._of(lower_unit(unit, replace(wanted, stored=stored), lowered).regions).measured.regions

        facts = self._of(lowered.regions)
        rows = with_stored_rows(facts.measured.regions, _keys_by_name(unit), with_elements)
        run = with_run_loops(rows.regions)
        settled = facts.settled.union(self.bound.settled, rows.settled, run.settled)
        left = [found for found in lowered.diagnostics if not _is_settled(found, settled)]
        found = (*facts.annotated.diagnostics, *self.bound.diagnostics, *facts.measured.diagnostics)
        return tuple(run.regions), (*found, *left)

    def _of(self, regions: Sequence[Region]) -> _Facts:
        """Return regions with the facts stated about them, cut down to the chosen lines."""
        annotated = with_annotations(self.source, regions, self.annotations, self.stated, self.given.values)
        stated = tuple(with_given_trips(region, self.by_user) for region in annotated.regions)
        recorded = with_run(_within((one.region for one in stated), self.options.lines), self.bound)
        measured = with_given(recorded.regions, self.arrays)
        return _Facts(annotated=annotated, stated=stated, recorded=recorded, measured=measured)


def _where_they_run(source: SourceFile, regions: Iterable[Region], options: AnalysisOptions) -> tuple[Region, ...]:
    """Return regions as the host or a GPU runs them, with the rows of allocated blocks and of packed triangles."""
    found = with_allocated_rows(regions)
    if any(hierarchy.gpu is not None for hierarchy in options.cache.hierarchies):
        directives = data_directives(source.text, source.first_line, options.defines)
        found = on_gpu(found, Gpu.of(options.device), directives, keep_others=bool(options.functions))
    return tuple(with_equal_sizes(with_triangular_rows(region)) for region in found)


def _with_registers(
    regions: tuple[Region, ...],
    unit: Unit,
    compiled: Mapping[str, Region],
    wanted: LowerOptions,
    options: AnalysisOptions,
) -> tuple[Region, ...]:
    """Return regions with the registers that their kernels are likely to have, where a GPU is asked for.

    A compiler has no launch: each kernel is lowered once without one, if it was not yet.
    """
    open_ = [region for region in regions if region.launch is not None and region.launch.registers is None]
    launched = {(region.function, region.span) for region in open_}
    shapes = [hierarchy.gpu for hierarchy in options.cache.hierarchies if hierarchy.gpu is not None]
    free = {each for each in (shape.free_registers for shape in shapes) if each is not None}
    if not launched or not free:
        return regions
    from ..registers.prediction import predicted_registers, with_prediction

    plain = [kernel for kernel in compiled.values() if (kernel.function, kernel.span) in launched]
    others = {name for name, _ in launched.difference((kernel.function, kernel.span) for kernel in plain)}
    if others:
        plain += lower_unit(unit, replace(wanted, functions=frozenset(others))).regions
    found = {(kernel.function, kernel.span): predicted_registers(kernel, free) for kernel in plain}
    return tuple(with_prediction(region, found.get((region.function, region.span), {})) for region in regions)


class _OwnSizes(Struct, frozen=True):
    """Sizes that the program has by its command line, by name and the statement that they follow, and notes on them.

    ``words`` is the number of words of the command line, by the name of the parameter.  Where it gives nothing but
    sizes that have names, these stay symbols of all formulas: then it is not among those that statements follow.
    """

    after: Mapping[tuple[str, Span], int]
    words: Mapping[str, int]
    notes: tuple[Diagnostic, ...]


def _own_sizes(
    unit: Unit, regions: Iterable[Region], options: AnalysisOptions, stated: Iterable[StatedValue]
) -> _OwnSizes:
    """Return values for the open symbols of ``main`` that neither the user nor a comment gives."""
    regions = [region for region in regions if region.function == _MAIN]
    of_main = {name for name in options.defines if function_of(name) in ("", _MAIN)}
    given = {symbol_of(name) for name in of_main} | {one.name for one in stated}
    open_ = [symbol for region in regions for symbol in region.symbols if symbol.value is None]
    made = dict.fromkeys((wanted_name(symbol.name), symbol.made) for symbol in open_)
    names = [(name, statement) for name, statement in made if statement is not None and name not in given]
    if not names:
        return _OwnSizes({}, {}, ())
    from ..frontend.host.own_sizes import asks_environment, own_sizes

    found = own_sizes(unit, names, options.program_arguments or ())
    parameters = {symbol.name for symbol in open_ if symbol.origin is SymbolOrigin.PARAMETER}
    words = {name: value for (name, _), value in found.items() if name in parameters}
    after = {key: value for key, value in found.items() if key[0] not in words}
    notes: tuple[Diagnostic, ...] = ()
    taken = {name: value for (name, _), value in after.items() if value > 0}
    if not after and not given:
        after, taken = found, words
    asks = bool(taken) and asks_environment(unit)
    if taken and (asks or options.program_arguments is None):
        sizes = tuple(Phrase.of("AI324", "size", name=name, value=value) for name, value in taken.items())
        form = "own-sizes" if not asks else "own-environment" if options.program_arguments else "own-defaults"
        notes = (Diagnostic.of("AI324", regions[0].span, form, sizes=sizes),)
    return _OwnSizes(after, words, notes)


def _with_words(region: Region, words: Mapping[str, int]) -> Region:
    """Return the region of ``main`` with the number of words of its command line, where nothing else gives it."""
    if region.function != _MAIN or not words:
        return region
    symbols = (
        replace(one, value=words[one.name]) if one.value is None and one.name in words else one
        for one in region.symbols
    )
    return replace(region, symbols=tuple(symbols))


def used_names(
    source: SourceFile, parsed: Parsed, lowered: LoweredFile, options: AnalysisOptions, account: Account
) -> frozenset[str]:
    """Return the names given that the file depends on, with the other names or without them."""
    used = names_used(source, lowered.unbound, parsed, parse_options(source, options), options.defines)
    doubted = frozenset(options.defines) - used
    if not doubted or len(options.defines) == 1:
        return used
    seconds = min(lowered.seconds, max(account.left(ENDED), _NO_TIME_S))
    return used | names_asked_alone(source, parsed, replace(lowered.wanted, seconds=seconds), doubted)


def _lower_options(
    unit: Unit, options: AnalysisOptions, given: GivenValues, stated: Sequence[StatedValue], scopes: Iterable[Scope]
) -> LowerOptions:
    """Return how a unit is lowered: the functions that are wanted, and what is stated or given for all and for each."""
    everywhere = {**values_in(stated, ""), **given.averages, **given.values}
    return LowerOptions(
        defines={name: value for name, value in everywhere.items() if isinstance(value, int)},
        averages={name: value for name, value in everywhere.items() if isinstance(value, Fraction)},
        element_type=options.element_type,
        library_kernels=any(hierarchy.gpu is not None for hierarchy in options.cache.hierarchies),
        functions=frozenset(options.functions) if options.functions else None,
        stated={scope.key: values_in(stated, scope.key) for scope in scopes},
        given={
            function.key: given.of_function((function.key, function.name, plain_name(function.name)))
            for function in unit.functions.values()
        },
    )


def _keys_by_name(unit: Unit) -> dict[str, str]:
    """Return the keys of the functions of the host whose names no other function has."""
    names = Counter(function.name for function in unit.functions.values())
    host = (function for function in unit.functions.values() if function.kind is not FunctionKind.KERNEL)
    return {function.name: function.key for function in host if names[function.name] == 1}


def _arrays(unit: Unit, wanted: LowerOptions, options: AnalysisOptions) -> Arrays:
    """Return the arrays whose elements are given, those that hold a matrix by how they are used included."""
    if not (options.given.matrices or options.given.named):
        return Arrays(options.given.by_name)
    probed = lower_unit(unit, replace(wanted, arrays=EveryArray()))
    return bound_arrays(options.given, probed.regions)


def _is_set(name: str, options: AnalysisOptions) -> bool:
    return name in options.defines or symbol_of(name) in options.defines


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
