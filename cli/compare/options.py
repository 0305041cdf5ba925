"""Parsed arguments to one frozen options value of the ``compare`` command."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from analyzer.errors import OptionError
from roofline.comparison.compare import CompareOptions
from roofline.comparison.join import NameMap
from roofline.comparison.tolerance import parse_tolerance
from roofline.measured.recognition import importer_named
from roofline.options import WhichConditions

from ..colors import colors_allowed
from ..options import AnalyzeOptions, analyze_options
from ..parser import analyze_parser


class CompareRun(Struct, frozen=True, kw_only=True):
    """Everything that ``ai-estimate compare`` was asked for; ``policy`` None is as the measured files count."""

    analysis: AnalyzeOptions
    measured: tuple[str, ...]
    measured_format: str | None
    policy: str | None
    comparison: CompareOptions
    format: str
    output: str | None
    quiet: bool
    color: bool


def compare_run(own: Namespace, others: Sequence[str]) -> CompareRun:
    """Check the options of ``compare`` and the arguments for the analysis; raises ``AnalyzerError``."""
    if not own.measured:
        raise OptionError("no measured data", hint="name a file with --measured FILE; see ai-estimate compare --help")
    if own.measured_format is not None:
        importer_named(own.measured_format)
    if own.executions < 1:
        raise OptionError(f"--executions must be at least 1, not {own.executions}")
    analysis = analyze_options(analyze_parser().parse_args(list(others)), needs_files=False)
    _check(analysis)
    return CompareRun(
        analysis=replace(analysis, quiet=own.quiet, format="csv", conditions=WhichConditions.NEVER),
        measured=tuple(dict.fromkeys(own.measured)),
        measured_format=own.measured_format,
        policy=own.policy,
        comparison=CompareOptions(
            parse_tolerance(own.tolerance), tuple(map(_map, own.maps)), own.repeated, own.executions
        ),
        format=own.format,
        output=own.output,
        quiet=own.quiet,
        color=colors_allowed(no_color=own.no_color),
    )


def _check(analysis: AnalyzeOptions) -> None:
    """Raise ``OptionError`` for options without a meaning for ``compare``."""
    if not analysis.has_sources and not (analysis.plots and analysis.machines):
        hint = "name the sources, or draw the measured data alone with --machine NAME --plot FILE"
        raise OptionError("no input file", hint=hint)
    if analysis.swept is not None:
        raise OptionError(f"-D {analysis.swept.name} is a range, but one size was measured", hint="give one value")
    if len(analysis.machines) > 1:
        raise OptionError("a measurement is of one machine, but several are named", hint="give one --machine")
    unused = {"--explain": analysis.explain, "--by-line": analysis.by_line, "--instructions": analysis.instructions}
    for option, given in {**unused, "--dump": analysis.dump, "--advise": analysis.advise}.items():
        if given:
            raise OptionError(f"{option} has no meaning for compare", hint="leave it out")


def _map(text: str) -> NameMap:
    measured, equals, predicted = text.rpartition("=")
    if not equals or not predicted:
        raise OptionError(f"--map {text}: no predicted region", hint="write --map MEASURED=PREDICTED")
    return NameMap(measured, predicted)
