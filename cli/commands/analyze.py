"""``ai-estimate FILE...``: analyze, project, render, write."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from analyzer.diagnostics import Severity
from analyzer.traffic.hierarchy import Hierarchy, parse_hierarchy
from analyzer.traffic.options import CacheModel
from analyzer.traffic.results import Convention
from roofline.catalog import find_machine
from roofline.machine.figures import Basis
from roofline.machine.machine import Machine
from roofline.model.level_bytes import ProjectionOptions, hierarchy_in_force
from roofline.report.report import Report, make_report
from roofline.report.sweep import Sweep, breakpoints_of, changes_nothing, sweep_point

from ..options import AnalyzeOptions
from ..output import complain, say, write_file, write_report
from ..version import version
from ..visible import visible
from .batch import Study, make_study, selected

_UNUSABLE = 2
_WIDTH_IN_FILES = 120


def run_analyze(options: AnalyzeOptions) -> int:
    """Run the command and return the exit code; raises ``AnalyzerError`` where the options cannot be used."""
    machines = machines_of(options)
    study = _study(options, hierarchies(options, machines))
    _tell(study, options)
    if study.profiles:
        _write(study, machines, options)
    return 0 if study.complete and not study.unusable else _UNUSABLE


def projection_options(options: AnalyzeOptions) -> ProjectionOptions:
    """What the projection depends on."""
    return ProjectionOptions(
        basis=Basis(options.peak),
        cores=options.cores,
        convention=_convention(options),
        write_allocate=options.write_allocate,
        nontemporal=options.nontemporal,
        hierarchy=None if options.hierarchy is None else parse_hierarchy(options.hierarchy),
        reassociate=options.reassociate,
    )


def _convention(options: AnalyzeOptions) -> Convention | None:
    """The convention asked for; without caches every reference goes to memory."""
    if options.convention is not None:
        return Convention(options.convention)
    return Convention.REGISTER if options.cache is CacheModel.NONE else None


def hierarchies(options: AnalyzeOptions, machines: Sequence[Machine]) -> tuple[Hierarchy, ...]:
    """The caches to model, each once: those asked for, else those of the machines; none for a bare convention."""
    if options.convention is not None or options.cache in (CacheModel.NONE, CacheModel.COMPULSORY):
        return ()
    projection = projection_options(options)
    found = (hierarchy_in_force(projection, machine) for machine in machines or (None,))
    return tuple(dict.fromkeys(hierarchy for hierarchy in found if hierarchy is not None))


def machines_of(options: AnalyzeOptions) -> tuple[Machine, ...]:
    """The machines asked for, each once, with the what-if factors."""
    found: dict[str, Machine] = {}
    for name in options.machines:
        machine = find_machine(name)
        machine.unit_count(options.cores)
        found[machine.id] = machine.scaled(flops=options.scale_flops, bandwidth=options.scale_bandwidth)
    return tuple(found.values())


def _study(options: AnalyzeOptions, hierarchies: tuple[Hierarchy, ...]) -> Study:
    selection = selected(options)
    if options.quiet or not sys.stderr.isatty():
        return make_study(options, lambda path: None, hierarchies, selection)
    from ..render.progress import progress

    with progress(len(selection.files), color=options.color) as advance:
        return make_study(options, advance, hierarchies, selection)


def _tell(study: Study, options: AnalyzeOptions) -> None:
    """Diagnostics to standard error, except where the report holds them."""
    if options.format == "json" and options.dump is None:
        return
    told: set[str] = set()
    for found in study.diagnostics:
        if options.quiet and found.severity is Severity.NOTE:
            continue
        hint = f" ({found.hint})" if found.hint else ""
        text = " ".join(f"{found.span}: {found.severity.value}: {found.message}{hint} [{found.code}]".splitlines())
        if text not in told:
            told.add(text)
            say(text)


def _write(study: Study, machines: Sequence[Machine], options: AnalyzeOptions) -> None:
    if options.dump is not None:
        write_report("\n".join(profile.ir_text for profile in study.profiles), options.output)
        return
    projection = projection_options(options)
    report = make_report(study.profiles, machines, projection, version=version(), options=options.as_primitive())
    sweep = None
    if options.swept is not None:
        points = (sweep_point(profiles, machines, projection, value) for value, profiles in study.by_value.items())
        breakpoints = breakpoints_of(study.symbolic, options.swept.name, options.swept.values)
        sweep = Sweep(options.swept.name, tuple(points), breakpoints)
        if changes_nothing(sweep):
            complain(f"warning: -D {sweep.parameter} changes nothing: no count depends on it")
    colors = options.format == "table" and _color(options)
    write_report(_rendered(report, sweep, options), options.output, colors=colors)
    for path in options.plots:
        write_file(path, _plotted(report, sweep, path))


def _rendered(report: Report, sweep: Sweep | None, options: AnalyzeOptions) -> str | Iterable[str]:
    """The report in the form asked for."""
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
        case _:
            from ..render.table.table import render_table

            text = render_table(report, width=_width(options), color=_color(options), by_line=options.by_line)
    return "\n".join([text.rstrip("\n"), *map(visible, _appended(report, sweep, options))]) + "\n"


def _appended(report: Report, sweep: Sweep | None, options: AnalyzeOptions) -> Iterator[str]:
    """The derivation and the table of a range, below a report for people."""
    if options.explain:
        from ..render.text.derivation import render_derivation

        derivation = render_derivation(report).rstrip("\n")
        yield f"\n````text\n{derivation}\n````" if options.format == "markdown" else "\n" + derivation
    if sweep is not None:
        from ..render.words.sweep import render_sweep_table

        yield "\n" + render_sweep_table(sweep, markdown=options.format == "markdown").rstrip("\n")


def _plotted(report: Report, sweep: Sweep | None, path: str) -> bytes:
    from ..render.plot.roofline import render_plot, render_sweep

    suffix = PurePath(path).suffix.lower().lstrip(".")
    return render_plot(report, suffix) if sweep is None else render_sweep(report, sweep, suffix)


def _color(options: AnalyzeOptions) -> bool:
    return options.color and options.output is None and sys.stdout.isatty()


def _width(options: AnalyzeOptions) -> int | None:
    """Columns of the terminal, or of ``COLUMNS``; as wide as needed in a file or a pipe."""
    if options.output is None and (sys.stdout.isatty() or os.environ.get("COLUMNS")):
        return shutil.get_terminal_size((_WIDTH_IN_FILES, 24)).columns
    return None
