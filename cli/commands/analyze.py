"""``ai-estimate FILE...``: analyze, project, render, write."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from analyzer.diagnostics import Diagnostic, Severity
from roofline.estimation import estimate
from roofline.refusals import refuse_unused
from roofline.report.report import Report

from ..colors import shows_colors
from ..options import AnalyzeOptions, plot_format
from ..output import complain, say, write_file, write_report
from ..render.words.remarks import message_line
from ..run.batch import Batch, selected
from ..visible import visible
from .effects import without_effect

if TYPE_CHECKING:
    from roofline.report.sweep import Sweep

_UNUSABLE = 2
_WIDTH_IN_FILES = 120
_OF_EVERY_FIGURE = frozenset({"AI324"})  # notes that are never folded: sizes that were taken
_MOST_NAMES = 6
_ABOVE_THE_SCREEN = 3  # messages of one code, and notes at all


def run_analyze(options: AnalyzeOptions) -> int:
    """Run the command and return the exit code; raises ``AnalyzerError`` where the options cannot be used."""
    with _batch(options) as batch:
        report = estimate(batch.paths, options.machines, options, analyze=batch)
    if options.swept is not None and batch.is_complete:
        swept = [*batch.symbolic, *(file for files in batch.by_value.values() for file in files)]
        if not any(options.swept.name in file.profile.names for file in batch.symbolic):
            refuse_unused([options.swept.name], swept, option=f"{options.swept.option} ")
    _report_diagnostics(batch, options)
    for warning in without_effect(report, options):
        complain(f"warning: {warning}")
    if report.files:
        _write(report, batch, options)
    return 0 if batch.is_complete and not batch.unusable else _UNUSABLE


@contextmanager
def _batch(options: AnalyzeOptions) -> Iterator[Batch]:
    """Prepare the analysis of the files, with a bar of its progress on a terminal."""
    selection = selected(options)
    if options.quiet or not sys.stderr.isatty():
        yield Batch(options, selection)
        return
    from ..render.progress import progress

    with progress(len(selection.files), color=options.color) as advance:
        yield Batch(options, selection, advance)


def _report_diagnostics(batch: Batch, options: AnalyzeOptions) -> None:
    """Write diagnostics to standard error, except where the report holds them; above the first screen few of a code.

    Those that ask for a value are left out above it where the value is given.
    """
    if options.format == "json" and options.dump is None:
        return
    is_screen = options.format == "overview" and options.dump is None and not options.explain
    most = _ABOVE_THE_SCREEN if is_screen else sys.maxsize
    open_ones = [found for found in batch.diagnostics if dict(found.fields).get("symbol") not in options.defines]
    diagnostics = [*_bodies_together(open_ones)] if is_screen else batch.diagnostics
    texts = {message_line(found): found for found in diagnostics}
    notes = {
        text: found
        for text, found in texts.items()
        if found.severity is Severity.NOTE and (options.quiet or found.code not in _OF_EVERY_FIGURE)
    }
    few = len(notes) <= most and not options.quiet
    met: Counter[str] = Counter()
    for text, found in texts.items():
        if text in notes and not few:
            continue
        met[found.code] += 1
        if met[found.code] <= most or found.severity is Severity.ERROR:
            say(text)
    more = Counter({code: number - most for code, number in met.items() if number > most})
    more += Counter(found.code for found in notes.values()) if not (few or options.quiet) else Counter()
    if more:
        which = ", ".join(f"{code} ({number:,})" for code, number in more.most_common())
        say(f"{_messages(more.total())}: {which} (-v lists them, ai-estimate explain {more.most_common()[0][0]})")


def _bodies_together(diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield diagnostics with one for all functions without a body, where the first of them is."""
    unknown = [found for found in diagnostics if _lacks_a_body(found)]
    names = tuple(dict.fromkeys(str(dict(found.fields)["function"]) for found in unknown))
    more = len(names) - _MOST_NAMES
    for found in diagnostics:
        if len(names) < 2 or not _lacks_a_body(found):
            yield found
        elif found is unknown[0]:
            form = "more-bodies" if more > 0 else "bodies"
            counted = {"more": more} if more > 0 else {}
            yield Diagnostic.of("AI201", found.span, form, functions=names[:_MOST_NAMES], **counted)


def _lacks_a_body(found: Diagnostic) -> bool:
    return (found.code, found.form) == ("AI201", "body")


def _messages(number: int) -> str:
    return f"{number:,} more messages" if number > 1 else "1 more message"


def _write(report: Report, batch: Batch, options: AnalyzeOptions) -> None:
    if options.dump is not None:
        write_report("\n".join(file.profile.ir_text for file in report.files), options.output)
        return
    if options.patch:
        _write_patch(report, options)
        return
    sweep = None
    if options.swept is not None:
        from roofline.report.sweep import Sweep, breakpoints_of, changes_nothing, sweep_point

        points = (sweep_point(files, report, value) for value, files in batch.by_value.items())
        breakpoints = breakpoints_of(batch.symbolic, options.swept.name, options.swept.values)
        sweep = Sweep(options.swept.name, tuple(points), breakpoints)
        if changes_nothing(sweep):
            complain(f"warning: {options.swept.option} {sweep.parameter} changes nothing: no count depends on it")
    colors = options.format in ("overview", "table") and _color(options)
    write_report(_rendered(report, sweep, options), options.output, colors=colors)
    for path in options.plots:
        write_file(path, _plotted(report, sweep, path, instructions=options.instructions))


def _write_patch(report: Report, options: AnalyzeOptions) -> None:
    from roofline.report.patches.patch import patch_text

    text = patch_text(report)
    if not text:
        complain(
            "warning: --patch changes nothing: no advice can be followed mechanically (--advise shows what there is)"
        )
    write_report(text, options.output)


def _rendered(report: Report, sweep: Sweep | None, options: AnalyzeOptions) -> str | Iterable[str]:
    """Return the report in the form asked for."""
    match options.format:
        case "json":
            from ..render.data.json_document import render_json

            return render_json(report, sweep)
        case "csv":
            from ..render.data.csv_rows import csv_lines

            return csv_lines(report, sweep)
        case "html":
            from ..render.html.page import render_html

            return render_html(report, sweep)
        case "markdown":
            from ..render.text.markdown import render_markdown

            text = render_markdown(report, by_line=options.by_line)
        case "text":
            from ..render.text.report import render_text

            text = render_text(report, by_line=options.by_line)
        case "overview":
            from ..render.overview.overview import render_overview

            view = replace(options.view, width=_width(options), color=_color(options), is_above_sweep=sweep is not None)
            text = render_overview(report, view)
        case _:
            from ..render.table.table import render_table

            text = render_table(report, width=_width(options), color=_color(options), by_line=options.by_line)
    return "\n".join([text.rstrip("\n"), *map(visible, _appended(report, sweep, options))]) + "\n"


def _appended(report: Report, sweep: Sweep | None, options: AnalyzeOptions) -> Iterator[str]:
    """Yield the derivation and the table of a sweep, which stand below a report for people."""
    if options.instructions:
        from ..render.words.instructions import render_instructions_table

        yield "\n" + render_instructions_table(report, markdown=options.format == "markdown").rstrip("\n")
    if options.explain:
        from ..render.text.derivation import render_derivation

        derivation = render_derivation(report).rstrip("\n")
        yield f"\n````text\n{derivation}\n````" if options.format == "markdown" else "\n" + derivation
    if sweep is not None:
        from ..render.words.sweep import render_sweep_table

        yield "\n" + render_sweep_table(sweep, markdown=options.format == "markdown").rstrip("\n")


def _plotted(report: Report, sweep: Sweep | None, path: str, *, instructions: bool) -> bytes:
    from ..render.plot.roofline import render_instructions, render_plot, render_sweep

    suffix = plot_format(path)
    if instructions:
        return render_instructions(report, suffix)
    return render_plot(report, suffix) if sweep is None else render_sweep(report, sweep, suffix)


def _color(options: AnalyzeOptions) -> bool:
    return options.color and options.output is None and shows_colors()


def _width(options: AnalyzeOptions) -> int | None:
    """Return the columns of the terminal, or of ``COLUMNS``; None (as wide as needed) for a file or a pipe."""
    if options.output is None and (sys.stdout.isatty() or os.environ.get("COLUMNS")):
        import shutil  # here, as it takes as long to load as three of our modules

        return shutil.get_terminal_size((_WIDTH_IN_FILES, 24)).columns
    return None
