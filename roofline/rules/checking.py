"""The whole check: a report and the settings to an outcome.

``rules -> in-source suppressions -> baseline -> changed lines``: a suppression is used wherever its rule finds
something, and a baseline is matched before unchanged loops are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct, field

from analyzer.annotations.model import DEMANDS
from analyzer.diagnostics import Field, Phrase
from analyzer.near_names import near_names
from analyzer.source import Span

from ..report.report import FileReport, Report
from . import arithmetic, budgets, fusion, kernels, memory
from .baseline import Baseline, KnownLoop, baseline_of, fallen, mark_known, pairs_of
from .budgets import bound_phrase
from .changes import ChangedLines
from .codes import BOUND_CODE, check_codes
from .demands import Budget, applies_to
from .findings import Finding, Outcome, State, by_location
from .sentences import Shown
from .subject import Rule, Subject, subjects_of
from .suppression import suppress

TOPICS = (budgets, memory, kernels, fusion, arithmetic)
RULES: Mapping[str, Rule] = MappingProxyType(
    dict(sorted((code, rule) for topic in TOPICS for code, rule in topic.RULES.items()))
)


class CheckSettings(Struct, frozen=True, kw_only=True):
    """What to check: the codes, the demands, what is known, and (None: all of them) the changed lines by file.

    ``whole`` is False where only some functions or lines are analyzed: then nothing is said of unused directives.
    """

    selected: frozenset[str] = field(default_factory=lambda: frozenset(check_codes()))
    budgets: tuple[Budget, ...] = ()
    hot_min_ai: Fraction | None = None
    baseline: Baseline | None = None
    changed: Mapping[str, ChangedLines] | None = None
    whole: bool = True


class Checked(Struct, frozen=True):
    """The outcome, the baseline that would make everything known, and how many known findings are gone.

    ``unmatched`` are budgets for any file that are for no loop of those checked.
    """

    outcome: Outcome
    baseline: Baseline = field(default_factory=Baseline)
    gone: int = 0
    unmatched: tuple[Budget, ...] = ()


def check(report: Report, settings: CheckSettings) -> Checked:
    """Apply the rules to every nest of a report."""
    sources = {file.profile.path: file.profile for file in report.files}
    subjects = [
        subject
        for file in report.files
        for subject in subjects_of(file, sources, settings.budgets, settings.hot_min_ai)
    ]
    pairs = [] if settings.baseline is None else list(pairs_of(subjects, settings.baseline.loops))
    found = list(_once(_found(report, subjects, settings, pairs)))
    remarks: list[Finding] = []
    for file in report.files:
        profile = file.profile
        done = suppress(found, profile.path, profile.annotations, settings.selected if settings.whole else None)
        found = list(done.findings)
        remarks += done.remarks
    found += [remark for remark in remarks if remark.code in settings.selected]
    current = baseline_of(found, subjects)
    gone = 0
    if settings.baseline is not None:
        known, gone = mark_known(found, pairs, settings.baseline)
        found = list(known)
    if settings.changed is not None:
        found = [one for one in found if _is_changed(one, subjects, settings.changed)]
    found.sort(key=by_location)
    return Checked(
        Outcome(
            findings=tuple(one for one in found if one.state is State.NEW),
            passed_over=tuple(one for one in found if one.state is not State.NEW),
            bounds=tuple(_bound(subject) for subject in subjects) if BOUND_CODE in settings.selected else (),
            files=tuple(dict.fromkeys(file.profile.path for file in report.files)),
            version=report.version,
            machines=tuple(machine.id for machine in report.machines),
        ),
        current,
        gone,
        tuple(_unmatched(subjects, settings.budgets)) if settings.whole else (),
    )


def _found(
    report: Report,
    subjects: Sequence[Subject],
    settings: CheckSettings,
    pairs: Sequence[tuple[Subject, KnownLoop]],
) -> Iterator[Finding]:
    for code, rule in RULES.items():
        if code in settings.selected:
            for subject in subjects:
                yield from rule(subject)
    if "AI103" in settings.selected:
        yield from fallen(pairs)
    for file in report.files:
        yield from (found for found in _of_directives(file, settings) if found.code in settings.selected)
    if "AI104" in settings.selected and settings.whole:
        yield from _without_loop(report, subjects, settings.budgets)


def _without_loop(report: Report, subjects: Sequence[Subject], given: Sequence[Budget]) -> Iterator[Finding]:
    """Yield budgets that no loop matches: a function was renamed, or a loop has gone.

    Those for any file may be for one that is not checked, but where their function nearly has the name of one here.
    """
    functions = dict.fromkeys(subject.function for subject in subjects)
    for budget in given:
        if any(budget.matches(s.path, s.function, s.home.profile, s.home_number) for s in subjects):
            continue
        paths = [file.profile.path for file in report.files if budget.file != "*" and budget.is_of(file.profile.path)]
        fields: dict[str, Shown] = {"files": tuple(paths), "function": budget.function, "loop": budget.loop}
        if budget.function == "*" and budget.loop in functions:
            yield Finding("AI104", budget.span, "budget-variable", fields)
            continue
        near = () if budget.function in functions else near_names(budget.function, functions, least_alike=0.75)
        if near and (paths or budget.file == "*"):
            yield Finding("AI104", budget.span, "budget-near", {**fields, "near": near[0]})
        elif paths:
            yield Finding("AI104", budget.span, "budget", fields)


def _unmatched(subjects: Sequence[Subject], given: Sequence[Budget]) -> Iterator[Budget]:
    """Yield the budgets that no loop matches."""
    for budget in given:
        if not any(budget.matches(s.path, s.function, s.home.profile, s.home_number) for s in subjects):
            yield budget


def _of_directives(file: FileReport, settings: CheckSettings) -> Iterator[Finding]:
    """Yield directives that are not understood, and demands on what is no loop."""
    for found in file.profile.diagnostics:
        if found.code == "AI005":
            yield Finding(found.code, found.span, found.form, dict(found.fields))
    if not settings.whole:
        return
    nests = [(region.profile, nest.profile) for region in file.regions for nest in region.nests or (region,)]
    for directive in file.profile.annotations:
        if directive.role in DEMANDS and not any(applies_to(directive, region, nest) for region, nest in nests):
            line = directive.target or directive.span.line
            fields: dict[str, Shown] = {"directive": str(directive), "line": directive.span.line}
            yield Finding("AI104", Span(file.profile.path, line, line), "directive", fields)


_OF_FORM = frozenset(f"AI{number}" for number in range(105, 114))  # found by the form of code, wherever it is called


def _once(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Yield each finding once: not again for what is inlined in other functions, nor for each launch of a kernel."""
    reported: set[tuple[str, Span, str]] = set()
    functions: dict[tuple[str, Span], str] = {}
    for found in findings:
        key = (found.code, found.span, found.message)
        of_code = found.code in _OF_FORM and functions.setdefault(key[:2], found.function) != found.function
        if key not in reported and not of_code:
            reported.add(key)
            yield found


def _is_changed(found: Finding, subjects: Sequence[Subject], changed: Mapping[str, ChangedLines]) -> bool:
    """Return whether the nest of a finding, or the finding itself where it is of none, is among the changed lines."""
    lines = changed.get(found.span.path)
    if lines is None:
        return False
    if lines.touch(found.span.line, found.span.end_line):
        return True
    own = (s for s in subjects if s.path == found.span.path and s.title == found.loop and found.loop)
    return any(_touches(subject, lines) for subject in own)


def _touches(subject: Subject, lines: ChangedLines) -> bool:
    profile = subject.profile
    inside = lines.touch(profile.span.line, profile.span.end_line)
    return inside or any(lines.touch(line.line, line.line) for line in profile.lines)


def _bound(subject: Subject) -> Finding:
    """Return the bound of a nest, which is no defect."""
    parts: list[Phrase] = []
    for ratio, projection in subject.judged():
        number = ratio.number
        if number is None:
            intensity = Phrase.of("AI100", "sizes")
        else:
            intensity = Phrase.of("AI100", "intensity", intensity=float(number))
        if projection is None:
            parts.append(intensity)
            continue
        where = Phrase.of("AI100", "bound", intensity=intensity, bound=bound_phrase(projection))
        on: dict[str, Field] = {"where": where, "machine": projection.machine.id}
        rate = projection.attainable
        if rate is None:
            parts.append(Phrase.of("AI100", "on-machine", **on))
        else:
            parts.append(Phrase.of("AI100", "at-most", **on, rate=rate.value))
    return subject.finding("AI100", "bounds", {"bounds": tuple(parts)})
