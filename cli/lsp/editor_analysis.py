"""The analysis of one text for an editor: lenses, hovers and diagnostics.

Input: the text of a file, saved or not, and options of ``ai-estimate check``, to which the nearest configuration is
added as there. Output: an :class:`~cli.lsp.messages.Insight`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzer.diagnostics import Severity
from analyzer.errors import AnalyzerError, BudgetError, SourceError
from analyzer.source import Language, SourceFile, language_of, refuse_other_language
from roofline.estimation import estimate
from roofline.model.projection import Projection
from roofline.report.patches.patch import Change, changes_of
from roofline.report.report import FileReport, RegionReport, Report
from roofline.rules.checking import CheckSettings, check

from ..check.baselines import read_baseline
from ..check.settings import Group, grouped
from ..files.confined import report_unseen
from ..render.text.derivation import render_region
from ..render.words.names import regions_shown
from ..render.words.numbers import intensity_text
from ..render.words.rates import part_text, rate_text
from .messages import Action, Edit, Hover, Insight, Lens, Problem

_LEFT_OUT = "AI213"
_SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.NOTE: 3}
_LANGUAGES = {"c": Language.C, "cpp": Language.CXX, "cuda-cpp": Language.CUDA, "cuda": Language.CUDA}


def insight_of(
    path: str, text: str, language_id: str, arguments: Sequence[str], *, rules: bool = True, advise: bool = False
) -> Insight:
    """Analyze a text; errors in it or in the options become a part of the answer."""
    if not text.strip():
        return Insight()
    try:
        group = next(grouped(arguments, [path]))
        shared = frozenset(group.analysis.defines)  # of other files, too
        options = replace(group.analysis, shared_defines=shared, shared_data=True, advise=advise)
        report_unseen(options.confine)
    except AnalyzerError as error:
        return Insight(complaint=str(error))
    lines = text.replace("\r\n", "\n").split("\n")
    source = SourceFile(path, "\n".join(lines), _LANGUAGES.get(language_id) or language_of(path))
    try:
        if language_id not in _LANGUAGES:
            refuse_other_language(path)
        report = estimate(source, options.machines, options)
        settings = _settings(group, path) if rules else None
    except (SourceError, BudgetError) as error:
        problem = _problem(lines, (error.line or 1), Severity.ERROR, "AI001", error.message, error.hint or "")
        return Insight(problems=(problem,), is_partial=True)
    except AnalyzerError as error:
        return Insight(complaint=str(error))
    regions = [(file, part, whole) for file in report.files for whole in file.regions for part in regions_shown(whole)]
    return Insight(
        tuple(dict.fromkeys(_lens(part) for _, part, whole in regions if _has_lens(part, whole))),
        tuple(_hover(*parts) for parts in regions),
        tuple(dict.fromkeys(_problems(report, lines, settings))),
        tuple(_action(lines, change) for file in report.files for change in changes_of(file)),
        is_partial=any(found.code == _LEFT_OUT for file in report.files for found in file.profile.diagnostics),
    )


def _settings(group: Group, path: str) -> CheckSettings:
    baseline = None if group.baseline is None else read_baseline(group.baseline, [path])
    return CheckSettings(
        selected=group.selected,
        budgets=group.configuration.budgets,
        hot_min_ai=group.configuration.values.get("min-ai"),
        baseline=baseline,
        whole=not (group.analysis.functions or group.analysis.lines),
    )


def _has_lens(part: RegionReport, whole: RegionReport) -> bool:
    """Return whether a region has a lens: a function of several nests has lenses on the nests, not on itself."""
    return part is not whole or not whole.nests


def _lens(region: RegionReport) -> Lens:
    return Lens(max(0, region.profile.span.line - 1), _lens_text(region))


def _lens_text(region: RegionReport) -> str:
    """Return ``AI 1/12, memory-bound on v100: 75 GFLOP/s``; several machines one after the other."""
    if not region.projections:
        return f"AI {intensity_text(region.intensity, short=True)} FLOP/byte"
    parts, before = [], ""
    for projection in region.projections:
        intensity = intensity_text(projection.intensity, short=True)
        prefix = f"AI {intensity}, " if intensity != before else ""
        parts.append(prefix + _bound_text(projection))
        before = intensity
    return " | ".join(parts)


def _bound_text(projection: Projection) -> str:
    part = part_text(projection)
    level = f" ({part})" if part else ""
    return f"{projection.bound.value}-bound{level} on {projection.machine.id}: {rate_text(projection)}"


def _hover(file: FileReport, part: RegionReport, whole: RegionReport) -> Hover:
    span = part.profile.span
    return Hover(
        max(0, span.line - 1), max(span.end_line, part.profile.last_line) - 1, render_region(file, part, whole)
    )


def _action(lines: Sequence[str], change: Change) -> Action:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def place(position: int, line: int) -> tuple[int, int]:
        return line - 1, _units(lines[line - 1][: position - starts[line - 1]])

    edits = (Edit(*place(edit.start, edit.line), *place(edit.end, edit.end_line), edit.text) for edit in change.edits)
    return Action(change.line - 1, change.end_line - 1, change.title, tuple(edits))


def _problems(report: Report, lines: Sequence[str], settings: CheckSettings | None) -> Iterator[Problem]:
    reported: set[tuple[str, int]] = set()
    for file in report.files:
        for diagnostic in file.profile.diagnostics:
            if diagnostic.span.path in ("", file.profile.path):
                code, line = diagnostic.code, diagnostic.span.line
                reported.add((code, line))
                yield _problem(lines, line, diagnostic.severity, code, diagnostic.message, diagnostic.hint)
    if settings is None:
        return
    for finding in check(report, settings).outcome.findings:
        if (finding.code, finding.span.line) not in reported:
            severity = finding.severity
            yield _problem(lines, finding.span.line, severity, finding.code, finding.message, finding.hint)


def _problem(lines: Sequence[str], line: int, severity: Severity, code: str, message: str, hint: str) -> Problem:
    """Return a problem over the text of its line, without the blanks around."""
    index = min(max(0, line - 1), len(lines) - 1)
    text = lines[index]
    start = len(text) - len(text.lstrip())
    end = max(start, len(text.rstrip()))
    sentence = f"{message} ({hint})" if hint else message
    return Problem(
        line=index,
        column=_units(text[:start]),
        end_column=_units(text[:end]),
        severity=_SEVERITIES[severity],
        code=code,
        message=sentence,
    )


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
