"""Sources and options to profiles: at the sizes given, and at each value of a range."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from analyzer.errors import BudgetError, SourceError
from analyzer.frontend.launches import parse_launch
from analyzer.ir.types import ScalarType
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.profile import FileProfile
from analyzer.source import SourceFile, read_source
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.options import CacheOptions
from roofline.sweep import is_symbolic_in, rebound

from ..options import STANDARD_INPUT, AnalyzeOptions, SweptSize
from ..output import complain
from ..standard_input import read_standard_input

ELEMENT_TYPES = {
    "double": ScalarType.FP64,
    "float": ScalarType.FP32,
    "half": ScalarType.FP16,
    "bfloat16": ScalarType.BF16,
    "long-double": ScalarType.FP80,
    "complex-double": ScalarType.COMPLEX_FP64,
    "complex-float": ScalarType.COMPLEX_FP32,
    "int": ScalarType.INT32,
    "long": ScalarType.INT64,
}


@dataclass(frozen=True, slots=True)
class Study:
    """What the sources gave: ``profiles``, and for a range the profiles at each value (``by_value``).

    For a range ``profiles`` are symbolic in its name where that is possible, else those of its last value.
    ``symbolic`` are the profiles without a value for the name, as far as that can be analyzed.  ``complete`` is False
    where some input could not be used.
    """

    profiles: tuple[FileProfile, ...]
    by_value: Mapping[int, tuple[FileProfile, ...]]
    symbolic: tuple[FileProfile, ...]
    complete: bool


def analysis_options(options: AnalyzeOptions, hierarchies: tuple[Hierarchy, ...] = ()) -> AnalysisOptions:
    """What the analysis depends on."""
    return AnalysisOptions(
        defines=options.defines,
        include_dirs=options.include_dirs,
        std=options.std,
        system_headers=options.system_headers,
        compile_commands=options.compile_commands,
        frontend=options.frontend,
        element_type=ELEMENT_TYPES[options.element_type],
        launches=tuple(parse_launch(text) for text in options.launches),
        program_arguments=options.program_arguments,
        functions=options.functions,
        lines=options.lines,
        policy=options.policy,
        fma=options.fma,
        branch_probability=options.branch_probability,
        line_bytes=options.line_bytes,
        cache=_cache_options(options, hierarchies),
    )


def _cache_options(options: AnalyzeOptions, hierarchies: tuple[Hierarchy, ...]) -> CacheOptions:
    """What caches keep is told where it was asked for, and where sizes are not known."""
    told = options.format in ("table", "text", "markdown", "json")
    return CacheOptions(
        options.cache,
        hierarchies,
        options.verify,
        options.warm,
        conditions=options.explain or options.advise,
        conditions_if_unknown=told,
        blocking=options.advise,
    )


def make_study(
    options: AnalyzeOptions, advance: Callable[[str], None], hierarchies: tuple[Hierarchy, ...] = ()
) -> Study:
    """Read and analyze every file; one that cannot be used is told on standard error and passed over.

    ``advance`` is called with the name of each file when it is done.
    """
    chosen = analysis_options(options, hierarchies)
    values = options.swept.values if options.swept else ()
    profiles: list[FileProfile] = []
    symbolic: list[FileProfile] = []
    by_value: dict[int, list[FileProfile]] = {value: [] for value in values}
    complete = True
    sources = {path: _read_or_error(path) for path in options.files}
    for path in options.files:
        source = sources[path]
        try:
            if isinstance(source, SourceError):
                raise source
            others = (other for other in sources.values() if other is not source and isinstance(other, SourceFile))
            base, points, formulas = _analyzed(source, replace(chosen, beside=tuple(others)), options.swept)
        except (SourceError, BudgetError) as error:
            complain(f"error: {error}")
            complete = False
        else:
            profiles += base
            symbolic += formulas
            for value, found in points.items():
                by_value[value] += found
        advance(path)
    return Study(tuple(profiles), {value: tuple(found) for value, found in by_value.items()}, tuple(symbolic), complete)


def _read_or_error(path: str) -> SourceFile | SourceError:
    try:
        return _read(path)
    except SourceError as error:
        return error


def _read(path: str) -> SourceFile:
    if path != STANDARD_INPUT:
        return read_source(path)
    if sys.stdin is None:
        raise SourceError("standard input is closed")
    return read_standard_input(sys.stdin.buffer)


def _analyzed(
    source: SourceFile, chosen: AnalysisOptions, swept: SweptSize | None
) -> tuple[tuple[FileProfile, ...], Mapping[int, tuple[FileProfile, ...]], tuple[FileProfile, ...]]:
    """One source: what to show, the points, and what is symbolic.

    By formula where the swept name is a symbol of it, else analyzed anew for each value.
    What caches hold is no formula: with a model of caches every value is analyzed.
    """
    if swept is None:
        return analyze(source, chosen), {}, ()
    try:
        symbolic = analyze(source, replace(chosen, cache=replace(chosen.cache, conditions=True)))
    except SourceError:
        symbolic = ()
    formula = bool(symbolic) and all(is_symbolic_in(profile, swept.name) for profile in symbolic)
    if formula and not chosen.cache.hierarchies:
        points = {value: tuple(rebound(profile, swept.name, value) for profile in symbolic) for value in swept.values}
        return symbolic, points, symbolic
    alone = replace(chosen, cache=replace(chosen.cache, conditions=False, blocking=False))
    again = {
        value: analyze(source, replace(alone, defines={**chosen.defines, swept.name: str(value)}))
        for value in swept.values
    }
    return symbolic if formula else again[swept.values[-1]], again, symbolic
