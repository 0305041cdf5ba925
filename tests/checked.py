"""Source text to the outcome of a check, for the tests of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from analyzer.source import Language, SourceFile
from analyzer.traffic.options import CacheModel
from roofline.estimation import estimate, source_text
from roofline.options import EstimateOptions, WhichConditions
from roofline.report.report import FileReport, Report
from roofline.rules.checking import Checked, CheckSettings, check


def report_of(
    text: str, *machines: str, name: str = "x.c", defines: dict[str, str] | None = None, cache: bool = True
) -> Report:
    """The report of one source on some machines."""
    options = EstimateOptions(
        defines=defines or {},
        cache=CacheModel.ANALYTIC if cache else CacheModel.COMPULSORY,
        conditions=WhichConditions.ALWAYS,
    )
    return estimate(source_text(text, name), machines, options)


def file_report(
    path: Path, machine: str, cores: int | None = None, defines: Mapping[str, int] = MappingProxyType({})
) -> FileReport:
    """The report of one file on one machine, its caches modelled."""
    text = SourceFile(path.name, path.read_text("utf-8"), Language.CXX if path.suffix == ".cpp" else Language.C)
    defined = {name: str(value) for name, value in defines.items()}
    (report,) = estimate(text, machine, cores=cores, conditions=WhichConditions.NEVER, defines=defined).files
    return report


def checked(text: str, *machines: str, settings: CheckSettings | None = None, **options: object) -> Checked:
    """The check of one source."""
    return check(report_of(text, *machines, **options), settings or CheckSettings())  # type: ignore[arg-type]


def found(text: str, *machines: str, **options: object) -> list[tuple[str, int]]:
    """Code and line of every new finding."""
    outcome = checked(text, *machines, **options).outcome  # type: ignore[arg-type]
    return [(one.code, one.span.line) for one in outcome.findings]
