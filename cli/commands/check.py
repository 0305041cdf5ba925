"""``ai-estimate check``: find the files, analyze, apply the rules, render, and say by the exit code what was found."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from analyzer.diagnostics import Severity, catalog
from analyzer.errors import OptionError
from analyzer.profile import FileProfile
from roofline.report import Report, make_report
from roofline.rules.baseline import Baseline
from roofline.rules.changes import ChangedLines
from roofline.rules.checking import CODES, Checked, CheckSettings, check
from roofline.rules.findings import Outcome
from roofline.rules.forms import baseline_form, baseline_from, relocated

from ..check_settings import Group, grouped, parse_check, shown
from ..gitdiff import changes_since
from ..options import STANDARD_INPUT
from ..output import complain, say, write_file, write_report, write_standard
from ..selection import Selected, Selection, select
from ..version import version
from .analyze import hierarchies, is_unusable, machines_of, projection_options
from .study import make_study

_CLEAN, _FINDINGS, _UNUSABLE = 0, 1, 2
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh")
_LOOPS = re.compile(r"\b(?:for|while|do|goto|__global__)\b")


def run_check(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code; raises ``AnalyzerError`` where the options cannot be used."""
    parsed = parse_check(arguments)
    if parsed.list_rules:
        write_standard(
            "".join(f"{code}  {catalog()[code].severity.value:<8} {catalog()[code].title}\n" for code in CODES)
        )
        return _CLEAN
    files, complete = _files(parsed)
    groups = [_without_excluded(group, parsed) for group in grouped(arguments, files)]
    if parsed.show_settings:
        write_standard("\n".join(shown(group) for group in groups))
        return _CLEAN
    changed = None if parsed.diff_base is None else changes_since(parsed.diff_base, _on_disk(groups))
    done = []
    for group in groups:
        report, usable = _report(group, Selection(tuple(files[path] for path in group.files), ()))
        complete = complete and usable
        done.append((group, report, check(report, _settings(group, parsed, changed, report))))
    if parsed.write_baseline is not None:
        _write_baseline(parsed.write_baseline, [checked for *_, checked in done])
        return _CLEAN if complete else _UNUSABLE
    outcome = _together([checked.outcome for *_, checked in done])
    if not parsed.quiet:
        _tell_gone(done)
    known = any(group.baseline is not None for group in groups)
    write_report(_rendered(outcome, [report for _, report, _ in done], parsed.format, known), parsed.output_file)
    if parsed.format == "github":
        _append_summary(outcome, os.environ.get("GITHUB_STEP_SUMMARY"))
    if not complete:
        return _UNUSABLE
    failing = any(checked.outcome.at_least(group.fail_on) for group, _, checked in done)
    return _FINDINGS if failing and not parsed.exit_zero else _CLEAN


def _files(parsed: argparse.Namespace) -> tuple[dict[str, Selected], bool]:
    """The files with something to check by their paths, and whether all arguments could be used."""
    named = parsed.files or ([] if parsed.compile_commands else ["."])
    selection = select(named, parsed.exclude, parsed.compile_commands)
    for error in selection.errors:
        complain(f"error: {error}")
    found = (replace(file, path=_normal(file.path)) for file in selection.files)
    return {file.path: file for file in found if _may_hold_loops(file.path)}, not selection.errors


def _normal(path: str) -> str:
    return path if path == STANDARD_INPUT else os.path.normpath(path)


def _may_hold_loops(path: str) -> bool:
    """False for empty files, and for headers without a word that starts a loop: most headers."""
    if path == STANDARD_INPUT:
        return True
    try:
        text = Path(path).read_text("utf-8", errors="replace")
    except OSError:
        return True  # the analysis says what is wrong
    return bool(text.strip()) and (not path.endswith(_HEADERS) or _LOOPS.search(text) is not None)


def _without_excluded(group: Group, parsed: argparse.Namespace) -> Group:
    """The group without files that are excluded: of folders always, of named files where that is forced."""
    from pathspec import GitIgnoreSpec

    own = GitIgnoreSpec.from_lines([*group.configuration.values.get("exclude", ())])
    given = GitIgnoreSpec.from_lines(parsed.exclude)
    named = frozenset() if parsed.force_exclude else frozenset(map(_normal, parsed.files))
    folder = group.configuration.folder

    def excluded(path: str) -> bool:
        return own.match_file(os.path.relpath(path, folder)) or given.match_file(path)

    kept = tuple(path for path in group.files if path in named or path == STANDARD_INPUT or not excluded(path))
    return group.with_files(kept)


def _on_disk(groups: Sequence[Group]) -> list[str]:
    return [path for group in groups for path in group.files if path != STANDARD_INPUT]


def _report(group: Group, selection: Selection) -> tuple[Report, bool]:
    """The report of a group, and whether every input could be used; headers that make no sense alone may fail."""
    options = group.analysis
    machines = machines_of(options)
    complete, profiles = True, tuple[FileProfile, ...]()
    if group.files:
        study = make_study(options, lambda path: None, hierarchies(options, machines), selection)
        complete, profiles = study.complete, study.profiles
    unusable = [profile for profile in profiles if is_unusable(profile) and not profile.path.endswith(_HEADERS)]
    for profile in unusable:
        _tell_errors(profile)
    report = make_report(
        profiles, machines, projection_options(options), version=version(), options=options.as_primitive()
    )
    return report, complete and not unusable


def _tell_errors(profile: FileProfile) -> None:
    for found in profile.diagnostics:
        if found.severity is Severity.ERROR:
            say(f"{found.span}: error: {found.message} [{found.code}]")


def _settings(
    group: Group, parsed: argparse.Namespace, changed: Mapping[str, ChangedLines] | None, report: Report
) -> CheckSettings:
    baseline = None
    if group.baseline is not None and parsed.write_baseline is None:
        baseline = read_baseline(group.baseline, [file.profile.path for file in report.files])
    return CheckSettings(
        group.selected,
        group.configuration.budgets,
        group.configuration.values.get("min-ai"),
        baseline,
        changed,
        whole=not (group.analysis.functions or group.analysis.lines),
    )


def read_baseline(path: str, sources: Sequence[str]) -> Baseline:
    """A baseline with the files named as they are here; raises ``OptionError``."""
    try:
        form = json.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise OptionError("no such baseline", path=path, hint="write it with --write-baseline") from None
    except OSError as error:
        raise OptionError(f"cannot be read: {error.strerror}", path=path) from error
    except ValueError:
        raise OptionError("is no JSON", path=path, hint="write it anew with --write-baseline") from None
    return relocated(baseline_from(form, path), {_kept_name(source, path): source for source in sources})


def _kept_name(source: str, baseline: str) -> str:
    """A source as the baseline names it: relative to its own folder."""
    return PurePosixPath(Path(os.path.relpath(source, os.path.dirname(os.path.abspath(baseline))))).as_posix()


def _write_baseline(path: str, done: Sequence[Checked]) -> None:
    findings = {key: count for checked in done for key, count in checked.baseline.findings.items()}
    loops = tuple(loop for checked in done for loop in checked.baseline.loops)
    sources = {key[1] for key in findings} | {loop.path for loop in loops}
    kept = relocated(Baseline(findings, loops), {source: _kept_name(source, path) for source in sources})
    text = json.dumps(baseline_form(kept, version()), indent=2, ensure_ascii=False) + "\n"
    write_file(path, text.encode("utf-8", "surrogatepass"))
    complain(f"{path}: {sum(findings.values())} findings and {len(loops)} loops are known from now on")


def _together(outcomes: Sequence[Outcome]) -> Outcome:
    return Outcome(
        tuple(found for outcome in outcomes for found in outcome.findings),
        tuple(found for outcome in outcomes for found in outcome.passed_over),
        tuple(found for outcome in outcomes for found in outcome.bounds),
        tuple(path for outcome in outcomes for path in outcome.files),
        version(),
        tuple(dict.fromkeys(machine for outcome in outcomes for machine in outcome.machines)),
    )


def _tell_gone(done: Sequence[tuple[Group, Report, Checked]]) -> None:
    for group, _, checked in done:
        if checked.gone:
            complain(f"note: {checked.gone} findings of {group.baseline} are gone; --write-baseline forgets them")


def _rendered(outcome: Outcome, reports: Sequence[Report], form: str, with_baseline: bool) -> str:
    match form:
        case "json":
            from ..render.as_jsonl import render_check_json

            return render_check_json(outcome)
        case "jsonl":
            from ..render.as_jsonl import render_jsonl

            return render_jsonl(outcome)
        case "sarif":
            from ..render.as_sarif import render_sarif

            return render_sarif(outcome, with_baseline=with_baseline)
        case "github":
            from ..render.as_github import render_github

            return render_github(outcome)
        case "gitlab":
            from ..render.as_gitlab import render_gitlab

            return render_gitlab(outcome)
        case "junit":
            from ..render.as_junit import render_junit

            return render_junit(outcome)
        case "full":
            from ..render.as_findings import render_full

            return render_full(outcome, _lines(reports))
        case _:
            from ..render.as_findings import render_concise

            return render_concise(outcome)


def _lines(reports: Sequence[Report]) -> dict[str, list[str]]:
    """The lines of every file; those of a Markdown file from its code blocks, with blank ones between."""
    found: dict[str, list[str]] = {}
    for report in reports:
        for file in report.files:
            lines = found.setdefault(file.profile.path, [])
            lines += [""] * (file.profile.first_line - 1 - len(lines))
            lines += file.profile.source_text.split("\n")
    return found


def _append_summary(outcome: Outcome, path: str | None) -> None:
    """The step summary of GitHub Actions, below what other steps wrote."""
    if not path:
        return
    from ..render.as_github import render_step_summary

    try:
        with open(path, "a", encoding="utf-8", errors="replace") as stream:
            stream.write(render_step_summary(outcome))
    except OSError as error:
        raise OptionError(f"the step summary cannot be written: {error.strerror}", path=path) from error
