"""Sources and options to profiles: at the sizes given, and at each value of a range."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from analyzer.diagnostics import Diagnostic
from analyzer.errors import BudgetError, SourceError
from analyzer.frontend.launches.given import parse_launch
from analyzer.ir.types import ScalarType
from analyzer.pipeline import AnalysisOptions
from analyzer.profile import FileProfile
from analyzer.source import SourceFile
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.options import CacheOptions

from ..cache.spilled_profiles import Shelf
from ..cache.store import refusal
from ..files.companions import files_beside
from ..files.confined import report_unseen
from ..files.selection import Selection, select
from ..files.standard_input import read_standard_input
from ..options import STANDARD_INPUT, AnalyzeOptions
from ..output import complain
from ..run.jobs import Job, run_jobs

_LOST = ("AI001", "AI213")  # syntax errors, and what was left out
# For a row, and for each machine: measured on files of 60 loops and kernels, on a busy machine that halves all speed.
_OF_JSON_S, _OF_TEXT_S = (0.006, 0.012), (0.002, 0.006)
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


class Study(Struct, frozen=True):
    """What the sources gave: ``profiles``, and for a range the profiles at each value (``by_value``).

    ``diagnostics`` are those of all files; ``unusable`` are files of which nothing could be made.
    For a range ``profiles`` are symbolic in its name where that is possible, else those of its last value.
    ``symbolic`` are the profiles without a value for the name, as far as that can be analyzed.  ``complete`` is False
    where some input could not be used.
    """

    profiles: Sequence[FileProfile]
    diagnostics: tuple[Diagnostic, ...]
    unusable: tuple[FileProfile, ...]
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
        confine=options.confine,
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
        budget_s=options.budget.seconds,
        budget_operations=options.budget.operations,
        reported_s=_reported_s(options, hierarchies),
        ir=options.dump is not None,
        cache=_cache_options(options, hierarchies),
    )


def _reported_s(options: AnalyzeOptions, hierarchies: tuple[Hierarchy, ...]) -> float:
    """Return the CPU seconds that the report takes for a row; one has projections onto GPUs or onto others."""
    plain_s, on_a_machine_s = _OF_JSON_S if options.format == "json" else _OF_TEXT_S
    gpus = sum(hierarchy.gpu is not None for hierarchy in hierarchies)
    return plain_s + on_a_machine_s * (max(gpus, len(hierarchies) - gpus) or len(options.machines))


def _cache_options(options: AnalyzeOptions, hierarchies: tuple[Hierarchy, ...]) -> CacheOptions:
    """What caches keep is told where it was asked for, and where sizes are not known."""
    told = options.format in ("table", "text", "markdown", "json", "html")
    return CacheOptions(
        options.cache,
        hierarchies,
        options.verify,
        options.warm,
        conditions=options.explain or options.advise,
        conditions_if_unknown=told,
        blocking=options.advise,
    )


def selected(options: AnalyzeOptions) -> Selection:
    """The files that the options name."""
    return select(options.files, options.exclude, options.compile_commands)


def make_study(
    options: AnalyzeOptions,
    advance: Callable[[str], None],
    hierarchies: tuple[Hierarchy, ...] = (),
    selection: Selection | None = None,
) -> Study:
    """Read and analyze every file; one that cannot be used is told on standard error and passed over.

    ``advance`` is called with the name of each file when it is done; ``selection`` is that of :func:`selected`.
    """
    chosen = selected(options) if selection is None else selection
    for error in chosen.errors:
        complain(f"error: {error}")
    report_unseen(options.confine)
    complete = not chosen.errors
    values = options.swept.values if options.swept else ()
    shelf = Shelf()
    diagnostics: list[Diagnostic] = []
    unusable: list[FileProfile] = []
    symbolic: list[FileProfile] = []
    by_value: dict[int, list[FileProfile]] = {value: [] for value in values}
    for outcome in run_jobs(_jobs(options, hierarchies, chosen), options.workers, advance):
        if outcome.error is not None:
            if not isinstance(outcome.error, (SourceError, BudgetError)):
                raise outcome.error
            complain(f"error: {outcome.error}")
            complete = False
        unusable += [found for found in outcome.profiles if isinstance(found, FileProfile) and _is_unusable(found)]
        diagnostics += [found for profile in outcome.profiles for found in profile.diagnostics]
        shelf.extend(outcome.profiles)
        symbolic += outcome.symbolic
        for value, found in (outcome.points or {}).items():
            by_value[value] += found
    return Study(
        shelf if shelf.is_packed else tuple(shelf),
        tuple(dict.fromkeys(diagnostics)),
        tuple(unusable),
        {value: tuple(found) for value, found in by_value.items()},
        tuple(symbolic),
        complete,
    )


def _is_unusable(profile: FileProfile) -> bool:
    return not profile.regions and any(found.code in _LOST for found in profile.diagnostics)


def _jobs(options: AnalyzeOptions, hierarchies: tuple[Hierarchy, ...], selection: Selection) -> list[Job]:
    chosen = analysis_options(options, hierarchies)
    beside = files_beside(selection.programs(), options.confine)
    store = trusted(options.store)
    return [
        Job(
            file.path,
            _standard_input() if file.path == STANDARD_INPUT else None,
            beside.get(file.path, ()),
            chosen,
            options.swept,
            store,
        )
        for file in selection.files
    ]


def trusted(store: Path | None) -> Path | None:
    """Return the folder of earlier results, None where it is refused, which is reported."""
    why = None if store is None else refusal(store)
    if why is None:
        return store
    _report(why)
    return None


@cache
def _report(why: str) -> None:
    """Complain once, however many studies a run makes."""
    complain(why)


def _standard_input() -> SourceFile | SourceError:
    try:
        if sys.stdin is None:
            raise SourceError("standard input is closed")
        return read_standard_input(sys.stdin.buffer)
    except SourceError as error:
        return error
