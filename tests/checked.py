"""Source text to the outcome of a check, for the tests of the rules."""

from __future__ import annotations

from pathlib import Path

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile
from analyzer.traffic.options import CacheOptions
from roofline.catalog import find_machine
from roofline.model.level_bytes import ProjectionOptions, hierarchy_in_force
from roofline.report.report import FileReport, Report, make_report
from roofline.rules.checking import Checked, CheckSettings, check


def report_of(
    text: str, *machines: str, name: str = "x.c", defines: dict[str, str] | None = None, cache: bool = True
) -> Report:
    """The report of one source on some machines."""
    found = tuple(find_machine(machine) for machine in machines)
    options = ProjectionOptions()
    hierarchies = tuple(h for m in found if (h := hierarchy_in_force(options, m)) is not None) if cache else ()
    language = Language.CUDA if name.endswith(".cu") else Language.C
    analysis = AnalysisOptions(defines=defines or {}, cache=CacheOptions(hierarchies=hierarchies, conditions=True))
    profiles = analyze(SourceFile(name, text, language), analysis)
    return make_report(profiles, found, options, version="0", options={})


def file_report(path: Path, machine: str, cores: int | None = None) -> FileReport:
    """The report of one file on one machine, its caches modelled."""
    found, options = find_machine(machine), ProjectionOptions(cores=cores)
    hierarchy = hierarchy_in_force(options, found)
    assert hierarchy is not None
    language = Language.CXX if path.suffix == ".cpp" else Language.C
    source = SourceFile(path.name, path.read_text("utf-8"), language)
    profiles = analyze(source, AnalysisOptions(cache=CacheOptions(hierarchies=(hierarchy,))))
    (report,) = make_report(profiles, (found,), options, version="0", options={}).files
    return report


def checked(text: str, *machines: str, settings: CheckSettings | None = None, **options: object) -> Checked:
    """The check of one source."""
    return check(report_of(text, *machines, **options), settings or CheckSettings())  # type: ignore[arg-type]


def found(text: str, *machines: str, **options: object) -> list[tuple[str, int]]:
    """Code and line of every new finding."""
    outcome = checked(text, *machines, **options).outcome  # type: ignore[arg-type]
    return [(one.code, one.span.line) for one in outcome.findings]
