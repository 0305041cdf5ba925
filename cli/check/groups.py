"""A check of files: settings, analysis, rules, rendering, and the exit code."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from analyzer.diagnostics import Diagnostic, Severity
from analyzer.errors import OptionError
from analyzer.profile import AnalyzedFile
from analyzer.source import is_header
from roofline.estimation import estimate
from roofline.report.report import Report
from roofline.rules.baseline import NO_MACHINE, Baseline
from roofline.rules.changes import ChangedLines
from roofline.rules.checking import Checked, CheckSettings, check
from roofline.rules.demands import Budget
from roofline.rules.findings import Outcome
from roofline.version import VERSION

from ..colors import colors_allowed, shows_colors
from ..files.ignoring import IgnoreRules
from ..files.selection import Selection
from ..options import STANDARD_INPUT
from ..output import append_text, complain, say, write_report, write_standard
from ..render.ci.unchecked import Unchecked
from ..run.batch import Batch
from .baselines import read_baseline, write_baseline
from .changes import changes_since
from .files import Given, normal_path
from .settings import Group, grouped, settings_text

_CLEAN, _FINDINGS, _UNUSABLE = 0, 1, 2
_FOR_PEOPLE = frozenset({"text", "full"})
_PARTS = frozenset({"left-out", "body-left-out"})  # forms of AI213


def run_groups(arguments: Sequence[str], parsed: argparse.Namespace, given: Given) -> int:
    """Check the files and return the exit code."""
    files, complete = given.files, given.complete
    groups = [_without_excluded(group, parsed) for group in grouped(arguments, files)]
    if parsed.show_settings:
        write_standard("\n".join(settings_text(group) for group in groups))
        return _CLEAN
    changed = None if parsed.diff_base is None else changes_since(parsed.diff_base, _on_disk(groups))
    done = []
    for group in groups:
        report, usable = _report(group, Selection(tuple(files[path] for path in group.files), ()))
        complete = complete and usable
        done.append((group, report, check(report, _settings(group, parsed, changed, report))))
    if parsed.write_baseline is not None:
        write_baseline(parsed.write_baseline, [checked for *_, checked in done])
        return _CLEAN if complete else _UNUSABLE
    outcome = _together([checked.outcome for *_, checked in done])
    if not parsed.quiet:
        _report_gone(done)
        _report_unmatched(done, parsed.files)
    known = any(group.baseline is not None for group in groups)
    chosen = sum(len(group.files) for group in groups)
    reports = [report for _, report, _ in done]
    unchecked = Unchecked(
        unusable=max(0, chosen - len(outcome.files)),
        without_loops=given.without_loops,
        excluded=len(files) - chosen,
        in_part=sum(len(_left_out(report)) for report in reports),
    )
    drawn = parsed.format in _FOR_PEOPLE and parsed.output_file is None and shows_colors()
    color = drawn and colors_allowed(no_color=parsed.no_color)
    text = _rendered(outcome, unchecked, reports, parsed.format, with_baseline=known, color=color)
    write_report(text, parsed.output_file, colors=color)
    if parsed.format == "github":
        _append_summary(outcome, unchecked, os.environ.get("GITHUB_STEP_SUMMARY"))
    if not complete or unchecked.in_part:
        return _UNUSABLE
    failing = any(checked.outcome.at_least(group.fail_on) for group, _, checked in done)
    return _FINDINGS if failing and not parsed.exit_zero else _CLEAN


def _without_excluded(group: Group, parsed: argparse.Namespace) -> Group:
    """Return the group without files that are excluded: of folders always, of named files where that is forced."""
    own = IgnoreRules(group.configuration.values.get("exclude", ()), group.configuration.path)
    given = IgnoreRules(parsed.exclude)
    named = frozenset() if parsed.force_exclude else frozenset(map(normal_path, parsed.files))
    folder = group.configuration.folder

    def excluded(path: str) -> bool:
        return bool(own.verdict(os.path.relpath(path, folder)) or given.verdict(path))

    included = tuple(path for path in group.files if path in named or path == STANDARD_INPUT or not excluded(path))
    return group.with_files(included)


def _on_disk(groups: Sequence[Group]) -> list[str]:
    return [path for group in groups for path in group.files if path != STANDARD_INPUT]


def _report(group: Group, selection: Selection) -> tuple[Report, bool]:
    """Return the report of a group, and whether every input could be used; headers that fail alone do not count."""
    options = group.analysis
    batch = Batch(options, selection)
    report = estimate(batch.paths, options.machines, options, analyze=batch)
    unusable = [file for file in batch.unusable if not is_header(file.path)]
    for file in unusable:
        _report_errors(file)
    reported = {file.path for file in unusable}
    for path, several in _left_out(report).items():
        if path not in reported:
            _report_all(several)
    return report, batch.is_complete and not unusable


def _left_out(report: Report) -> Mapping[str, Sequence[Diagnostic]]:
    """Return by path why parts of files were left out of which others were checked; headers do not count."""
    found = {file.profile.path: [*filter(_leaves_out, file.profile.diagnostics)] for file in report.files}
    return {path: several for path, several in found.items() if several and not is_header(path)}


def _leaves_out(found: Diagnostic) -> bool:
    return found.code == "AI001" or (found.code == "AI213" and found.form in _PARTS)


def _report_errors(file: AnalyzedFile) -> None:
    _report_all([found for found in file.diagnostics if found.severity is Severity.ERROR])


def _report_all(diagnostics: Sequence[Diagnostic]) -> None:
    for text in dict.fromkeys(map(_line_of, diagnostics)):
        say(text)


def _line_of(found: Diagnostic) -> str:
    hint = f" ({found.hint})" if found.hint else ""
    return f"{found.span}: {found.severity.value}: {found.message}{hint} [{found.code}]"


def _settings(
    group: Group, parsed: argparse.Namespace, changed: Mapping[str, ChangedLines] | None, report: Report
) -> CheckSettings:
    baseline = None
    if group.baseline is not None and parsed.write_baseline is None:
        baseline = read_baseline(group.baseline, [file.profile.path for file in report.files])
        if not parsed.quiet:
            _report_other_machines(group.baseline, baseline, [machine.id for machine in report.machines])
    return CheckSettings(
        selected=group.selected,
        budgets=group.configuration.budgets,
        hot_min_ai=group.configuration.values.get("min-ai"),
        baseline=baseline,
        changed=changed,
        whole=not (group.analysis.functions or group.analysis.lines),
    )


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    return Outcome(
        findings=tuple(finding for outcome in outcomes for finding in outcome.findings),
        passed_over=tuple(finding for outcome in outcomes for finding in outcome.passed_over),
        bounds=tuple(finding for outcome in outcomes for finding in outcome.bounds),
        files=tuple(path for outcome in outcomes for path in outcome.files),
        version=VERSION,
        machines=tuple(dict.fromkeys(machine for outcome in outcomes for machine in outcome.machines)),
    )


def _report_other_machines(path: str, baseline: Baseline, machines: Sequence[str]) -> None:
    """Note a baseline of other machines: it says nothing about intensities on these."""
    known = {name for loop in baseline.loops for name in loop.intensity}
    if known and known.isdisjoint(machines or (NO_MACHINE,)):
        named = ", ".join(sorted(known - {NO_MACHINE})) or "no machine"
        complain(f"note: {path} is of {named}: intensities are not compared")


def _report_gone(done: Sequence[tuple[Group, Report, Checked]]) -> None:
    for group, _, checked in done:
        if checked.gone:
            several = "1 finding" if checked.gone == 1 else f"{checked.gone} findings"
            verb = "is" if checked.gone == 1 else "are"
            complain(f"note: {several} of {group.baseline} {verb} gone; --write-baseline forgets them")


def _report_unmatched(done: Sequence[tuple[Group, Report, Checked]], named: Sequence[str]) -> None:
    """Note budgets that are for no loop of any file that was checked, each once.

    Those for some files are noted where all of the folder of their configuration was checked: hooks name single files.
    """
    wholes = [os.path.abspath(path) for path in named or (".",) if os.path.isdir(path)]

    def is_noted(budget: Budget) -> bool:
        folder = PurePath(os.path.abspath(budget.folder))
        return budget.file == "*" or any(folder.is_relative_to(whole) for whole in wholes)

    found = [frozenset(budget.span for budget in checked.unmatched if is_noted(budget)) for *_, checked in done]
    said = {finding.span for *_, checked in done for finding in checked.outcome.findings}
    for span in sorted(frozenset.intersection(*found) - said if found else ()):
        complain(f"note: {span}: this budget applies to no loop of the files that were checked")


def _rendered(
    outcome: Outcome, unchecked: Unchecked, reports: Sequence[Report], form: str, *, with_baseline: bool, color: bool
) -> str:
    match form:
        case "json":
            from ..render.ci.jsonl import render_check_json

            return render_check_json(outcome)
        case "jsonl":
            from ..render.ci.jsonl import render_jsonl

            return render_jsonl(outcome)
        case "sarif":
            from ..render.ci.sarif import render_sarif

            return render_sarif(outcome, with_baseline=with_baseline)
        case "github":
            from ..render.ci.github import render_github

            return render_github(outcome)
        case "gitlab":
            from ..render.ci.gitlab import render_gitlab

            return render_gitlab(outcome)
        case "junit":
            from ..render.ci.junit import render_junit

            return render_junit(outcome)
        case "full":
            from ..render.ci.findings import render_full

            return render_full(outcome, _lines(reports), unchecked, color=color)
        case _:
            from ..render.ci.findings import render_concise

            return render_concise(outcome, unchecked, color=color)


def _lines(reports: Sequence[Report]) -> dict[str, list[str]]:
    """Return the lines of every file; those of a Markdown file from its code blocks, with blank ones between."""
    lines_by_path: dict[str, list[str]] = {}
    for report in reports:
        for file in report.files:
            lines = lines_by_path.setdefault(file.profile.path, [])
            lines += [""] * (file.profile.first_line - 1 - len(lines))
            lines += file.profile.source_text.split("\n")
    return lines_by_path


def _append_summary(outcome: Outcome, unchecked: Unchecked, path: str | None) -> None:
    """Append to the step summary of GitHub Actions."""
    if not path:
        return
    from ..render.ci.github import render_step_summary

    try:
        append_text(render_step_summary(outcome, unchecked), path)
    except OSError as error:
        raise OptionError(f"the step summary cannot be written: {error.strerror}", path=path) from error
