"""The analysis of the selected files for :func:`roofline.estimation.estimate`: in jobs, with the results of earlier
runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from analyzer.diagnostics import Diagnostic
from analyzer.errors import BudgetError, SourceError
from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile
from analyzer.source import SourceFile
from analyzer.traffic.options import CacheModel
from roofline.estimation import Source

from ..cache.spilled_profiles import Shelf
from ..files.confined import report_unseen
from ..files.selection import Selection, select
from ..files.standard_input import read_standard_input
from ..options import STANDARD_INPUT, AnalyzeOptions
from ..output import complain
from .jobs import Job, run_jobs

_SEVERAL = 2
_LOST = ("AI001", "AI213")  # syntax errors, and parts left out
# For a row, and for each machine: measured on files of 60 loops and kernels, on a busy machine that halves all speed.
_OF_JSON_S, _OF_TEXT_S = (0.006, 0.012), (0.002, 0.006)


def selected(options: AnalyzeOptions) -> Selection:
    """Return the files that the options name."""
    return select(options.files, options.exclude, options.compile_commands)


def _nobody(path: str) -> None:
    """Report progress to nobody."""


class Batch:
    """Runs the analysis of files, and collects the diagnostics.

    ``diagnostics`` are those of all files; ``unusable`` are files of which nothing could be made; ``by_value`` are the
    results at each value of a range, ``symbolic`` those without a value for its name, as far as that can be analyzed.
    ``is_complete`` is False where some input could not be used.
    """

    def __init__(
        self,
        options: AnalyzeOptions,
        selection: Selection | None = None,
        advance: Callable[[str], None] = _nobody,
    ) -> None:
        """Prepare; ``advance`` is called with the name of each file when it is done."""
        self._options = options
        self._selection = selected(options) if selection is None else selection
        self._advance = advance
        self.is_complete = not self._selection.errors
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.unusable: tuple[AnalyzedFile, ...] = ()
        self.by_value: dict[int, list[AnalyzedFile]] = {}
        self.symbolic: list[AnalyzedFile] = []

    @property
    def paths(self) -> list[Source]:
        """Return the files to analyze."""
        return [file.path for file in self._selection.files]

    def __call__(self, sources: Sequence[Source], analysis: AnalysisOptions) -> Sequence[AnalyzedFile]:
        """Analyze sources; one that cannot be used is reported on standard error and passed over.

        For a range the results are symbolic in its name where that is possible, else those of its last value.
        """
        for error in self._selection.errors:
            complain(f"error: {error}")
        report_unseen(self._options.confine)
        swept = self._options.swept
        self.by_value = {value: [] for value in (swept.values if swept else ())}
        shelf = Shelf()
        diagnostics: list[Diagnostic] = []
        unusable: list[AnalyzedFile] = []
        for outcome in run_jobs(self._jobs(sources, analysis), self._options.workers, self._advance):
            if outcome.error is not None:
                if not isinstance(outcome.error, (SourceError, BudgetError)):
                    raise outcome.error
                complain(f"error: {outcome.error}")
                self.is_complete = False
            unusable += [found for found in outcome.profiles if isinstance(found, AnalyzedFile) and _is_unusable(found)]
            diagnostics += [found for file in outcome.profiles for found in file.diagnostics]
            shelf.extend(outcome.profiles)
            self.symbolic += outcome.symbolic
            for value, found in (outcome.points or {}).items():
                self.by_value[value] += found
        self.diagnostics, self.unusable = tuple(dict.fromkeys(diagnostics)), tuple(unusable)
        return shelf if shelf.is_packed else tuple(shelf)

    def _jobs(self, sources: Sequence[Source], analysis: AnalysisOptions) -> list[Job]:
        options = self._options
        chosen = replace(
            analysis,
            reported_s=_reported_s(options, analysis),
            ir=options.dump is not None,
            in_full=is_in_full(options),
        )
        companions = _companions(self._selection, options.confine)
        store = trusted(options.store)
        return [
            Job(
                path=path,
                source=text or (_standard_input() if path == STANDARD_INPUT else None),
                companions=companions.get(path, ()),
                options=chosen,
                swept=options.swept,
                store=store,
            )
            for path, text in map(_path_and_text, sources)
        ]


def is_in_full(options: AnalyzeOptions) -> bool:
    """Return whether a report shows more of a profile than the first screen does, under the model of caches."""
    asks_more = options.explain or options.advise or options.instructions or options.plots or options.swept
    is_plain = options.convention is None and options.cache is CacheModel.ANALYTIC
    return options.format != "overview" or not is_plain or bool(asks_more)


def _companions(selection: Selection, allowed: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return the related files of each source that has some; a file alone has none."""
    if len(selection.files) < _SEVERAL:
        return {}
    from ..files.companions import companions_of

    return companions_of(selection, allowed)


def _path_and_text(source: Source) -> tuple[str, SourceFile | None]:
    """Return the name of a source, and its text where that is given."""
    return (source.path, source) if isinstance(source, SourceFile) else (str(source), None)


def _reported_s(options: AnalyzeOptions, analysis: AnalysisOptions) -> float:
    """Return the CPU seconds that the report takes for a row; one has projections onto GPUs or onto others."""
    plain_s, on_a_machine_s = _OF_JSON_S if options.format == "json" else _OF_TEXT_S
    hierarchies = analysis.cache.hierarchies
    gpus = sum(hierarchy.gpu is not None for hierarchy in hierarchies)
    return plain_s + on_a_machine_s * (max(gpus, len(hierarchies) - gpus) or len(options.machines))


def _is_unusable(file: AnalyzedFile) -> bool:
    return not file.regions and any(found.code in _LOST for found in file.diagnostics)


def trusted(store: Path | None) -> Path | None:
    """Return the folder of earlier results, None where it is refused, which is reported."""
    if store is None:
        return None
    from ..cache.store import refusal  # here, as its digests take as long to load as a small file to read

    why = refusal(store)
    if why is None:
        return store
    _report(why)
    return None


@cache
def _report(why: str) -> None:
    """Complain once, however many batches a run makes."""
    complain(why)


def _standard_input() -> SourceFile | SourceError:
    try:
        if sys.stdin is None:
            raise SourceError("standard input is closed")
        return read_standard_input(sys.stdin.buffer)
    except SourceError as error:
        return error
