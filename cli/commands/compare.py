"""``ai-estimate compare FILE... --measured FILE``: analyze, read the measurements, compare, render."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from analyzer.counts.policy import MACHINE_CODE
from analyzer.diagnostics import Diagnostic, Severity
from analyzer.traffic.options import CacheModel
from roofline.comparison.compare import Comparison, compare
from roofline.comparison.launches import measured_launches
from roofline.comparison.nersc_data import nersc_text
from roofline.comparison.predictions import Prediction, predictions_of
from roofline.comparison.primitive import to_primitive
from roofline.comparison.quantities import Verdict
from roofline.estimation import estimate
from roofline.measured.all_importers import kernel_importers
from roofline.measured.errors import MeasurementError
from roofline.measured.recognition import read_measured
from roofline.measured.results import Reading
from roofline.report.report import Report

from ..colors import shows_colors
from ..compare.options import CompareRun, compare_run
from ..options import STANDARD_INPUT, AnalyzeOptions, plot_format
from ..output import complain, say, write_file, write_report
from ..render.words.remarks import message_line
from ..run.batch import Batch
from ..visible import json_text
from .effects import kernels_without_gpu

_AGREES, _DIFFERS, _UNUSABLE = 0, 1, 2
_SOURCE = "source"
_MOST_REMARKS = 20


def run_compare(own: Namespace, others: Sequence[str]) -> int:
    """Run the command and return the exit code; raises ``AnalyzerError`` where the options cannot be used."""
    run = compare_run(own, others)
    readings = _readings(run)
    if not readings:
        return _UNUSABLE
    options = replace(run.analysis, policy=run.policy or _policy(readings))
    if not options.has_sources:
        return _plot_measured(options, readings)
    comparison, report, complete = _compared(options, readings, run)
    launches = () if STANDARD_INPUT in options.files else tuple(map(str, measured_launches(comparison)))
    if launches:
        options = replace(options, launches=(*options.launches, *launches))
        comparison, report, complete = _compared(options, readings, run)
    write_report(_rendered(comparison, report, run), run.output, colors=_is_drawn(run) and run.color)
    for path in options.plots:
        write_file(path, _plotted(comparison, report, path))
    if run.format != "json":
        _report_diagnostics(comparison.diagnostics, quiet=run.quiet)
    without_gpu = kernels_without_gpu(report, report.machines, options.files)
    if without_gpu:
        complain(f"warning: {without_gpu}")
    if run.format != "json" and not run.quiet:
        _report_remarks(readings)
        for launch in launches:
            say(f"note: the sources launch no such kernel; as it was measured: --launch {shlex.quote(launch)}")
    if comparison.verdict is Verdict.NOT_COMPARABLE:
        complain("error: nothing could be compared (see what was not joined, or not known, above)")
    if not complete or len(readings) < len(run.measured) or comparison.verdict is Verdict.NOT_COMPARABLE:
        return _UNUSABLE
    return _DIFFERS if comparison.verdict is Verdict.DIFFERS else _AGREES


def _compared(options: AnalyzeOptions, readings: Sequence[Reading], run: CompareRun) -> tuple[Comparison, Report, bool]:
    """Return the comparison, the report of the predictions, and whether all sources could be used."""
    batch = Batch(options)
    report = estimate(batch.paths, options.machines, options, analyze=batch)
    policies = _Policies(options, report) if batch.is_complete else _no_policies
    policy = str(report.options["flop_policy"])
    found = compare(report, readings, run.comparison, policy=policy, policies=policies)
    return found, report, batch.is_complete


def _readings(run: CompareRun) -> list[Reading]:
    """Return the contents of the measured files; one that cannot be read is reported and passed over."""
    readings = []
    for path in run.measured:
        try:
            readings.append(read_measured(path, run.measured_format))
        except MeasurementError as error:
            complain(f"error: {error}")
    return readings


def _policy(readings: Sequence[Reading]) -> str:
    """Return the policy that counts as the tools do."""
    machine_code = {form.name for form in kernel_importers() if form.counts_machine_code}
    return MACHINE_CODE if any(reading.format in machine_code for reading in readings) else _SOURCE


def _no_policies(prediction: Prediction) -> Mapping[str, float]:
    return {}


class _Policies:
    """FLOPs of every region under the other policies; the sources are read again only when somebody asks."""

    def __init__(self, options: AnalyzeOptions, report: Report) -> None:
        self._options = replace(options, cache=CacheModel.COMPULSORY, quiet=True)
        self._keys = {id(found.region.profile): key for found, key in _keyed(report)}
        self._known: dict[str, dict[tuple[object, ...], float]] | None = None

    def __call__(self, prediction: Prediction) -> Mapping[str, float]:
        if STANDARD_INPUT in self._options.files:
            return {}
        if self._known is None:
            others = [policy for policy in (MACHINE_CODE, _SOURCE) if policy != self._options.policy]
            self._known = {policy: self._counted(policy) for policy in others}
        key = self._keys.get(id(prediction.region.profile), ())
        return {policy: flops[key] for policy, flops in self._known.items() if key in flops}

    def _counted(self, policy: str) -> dict[tuple[object, ...], float]:
        options = replace(self._options, policy=policy)
        batch = Batch(options)
        report = estimate(batch.paths, options.machines, options, analyze=batch)
        return {key: found.flops.value for found, key in _keyed(report) if found.flops is not None}


def _keyed(report: Report) -> Iterator[tuple[Prediction, tuple[object, ...]]]:
    """Yield every region with a key that finds it in another report of the same files."""
    seen: dict[tuple[object, ...], int] = {}
    for prediction in predictions_of(report):
        key = (prediction.path, prediction.name, prediction.region.profile.span.line, prediction.is_nest)
        seen[key] = seen.get(key, 0) + 1
        yield prediction, (*key, seen[key])


def _plotted(comparison: Comparison, report: Report, path: str) -> bytes:
    """Return the roofline with predicted and measured points and the gaps between them."""
    from ..render.plot.measured import measured_of
    from ..render.plot.roofline import render_plot

    return render_plot(report, plot_format(path), tuple(measured_of(comparison)))


def _plot_measured(options: AnalyzeOptions, readings: Sequence[Reading]) -> int:
    """Draw the roofs of the machine and what was measured, without a source; returns the exit code."""
    from ..render.plot.measured import measured_points
    from ..render.plot.roofline import render_points

    report = estimate((), options.machines, options)
    points = tuple(measured_points(readings, report.targets[0].machine))
    if not any(point.intensity for point in points):
        complain("error: no kernel has a rate and an intensity: FLOPs, time, and bytes or FLOP/byte of a level")
        return _UNUSABLE
    for path in options.plots:
        write_file(path, render_points(report, points, plot_format(path)))
    return _AGREES


def _rendered(found: Comparison, report: Report, run: CompareRun) -> str:
    """Return the comparison in the form asked for."""
    match run.format:
        case "json":
            return json_text(to_primitive(found), allow_nan=False) + "\n"
        case "csv":
            from ..render.data.comparison_csv import render_comparison_csv

            return render_comparison_csv(found)
        case "nersc":
            return nersc_text(found)
    from ..render.text.comparison import comparison_sheets
    from ..render.typesetting.sheet import render_markdown_sheet, render_plain, render_rich

    sheets = comparison_sheets(found)
    if run.format == "html":
        from ..render.html.page import render_html
        from ..render.plot.measured import measured_of

        return render_html(report, measured=tuple(measured_of(found)), compared=sheets)
    if run.format == "markdown":
        return "\n".join(map(render_markdown_sheet, sheets))
    if _is_drawn(run):
        return render_rich(sheets, color=run.color)
    return render_plain(sheets)


def _is_drawn(run: CompareRun) -> bool:
    """Return whether the comparison is drawn as tables for a terminal."""
    return run.format == "table" and run.output is None and shows_colors()


def _report_diagnostics(diagnostics: Sequence[Diagnostic], *, quiet: bool) -> None:
    """Write warnings and errors about the sources to standard error; notes are for ``ai-estimate FILE``."""
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR or (diagnostic.severity is Severity.WARNING and not quiet):
            say(message_line(diagnostic))


def _report_remarks(readings: Sequence[Reading]) -> None:
    """Write remarks on the measured files to standard error, at most 20 for each file."""
    for reading in readings:
        for remark in reading.remarks[:_MOST_REMARKS]:
            say(f"{reading.path}:{remark.line}: warning: {remark.text}")
        more = len(reading.remarks) - _MOST_REMARKS
        if more > 0:
            say(f"{reading.path}: warning: {more} more such remarks (--format json has all)")
