"""Findings and baselines as plain dictionaries, for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from analyzer.data_files.numbers import rational
from analyzer.data_files.values import Value, value_text
from analyzer.diagnostics import catalog

from ..model.advice.kinds import Advice
from ..model.verdicts.reasons import Reason
from ..report.json.reasons import advice_form, cause_form, field_form
from ..report.sentences import reason_text
from .baseline import SCHEMA_VERSION, Baseline, KnownLoop
from .findings import Finding, Outcome
from .sentences import Shown, phrase_text

_FINDING_KEYS = ("code", "file", "function", "loop")
_LOOP_KEYS = ("file", "function", "loop", "shape")


def finding_form(found: Finding) -> dict[str, Any]:
    """Return one finding."""
    return {
        "code": found.code,
        "title": catalog()[found.code].title,
        "severity": found.severity.value,
        "state": found.state.value,
        "file": found.span.path,
        "line": found.span.line,
        "end_line": found.span.end_line,
        "column": found.column or None,
        "message": found.message,
        "hint": found.hint,
        "form": found.form,
        "fields": {name: _field(value) for name, value in found.fields.items()},
        "function": found.function,
        "loop": found.loop,
        "fingerprint": found.fingerprint,
        "facts": dict(found.facts),
    }


def _field(value: Shown) -> Any:
    """Return a field of a sentence; reasons and advice as in a report."""
    if isinstance(value, Reason):
        return {"text": reason_text(value), **cause_form(value)}
    return advice_form(value) if isinstance(value, Advice) else field_form(value, phrase_text)


def outcome_form(outcome: Outcome) -> dict[str, Any]:
    """Return the whole outcome of a check."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ai-estimate", "version": outcome.version},
        "machines": list(outcome.machines),
        "files": list(outcome.files),
        "findings": [finding_form(found) for found in outcome.findings],
        "passed_over": [finding_form(found) for found in outcome.passed_over],
        "bounds": [finding_form(found) for found in outcome.bounds],
    }


def baseline_form(baseline: Baseline, version: str) -> dict[str, Any]:
    """Return a baseline, sorted, so that a small change of the code is a small change of the file."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ai-estimate", "version": version},
        "findings": [
            {"code": code, "file": path, "function": function, "loop": loop, "count": count}
            for (code, path, function, loop), count in sorted(baseline.findings.items())
        ],
        "loops": [
            {
                "file": loop.path,
                "function": loop.function,
                "loop": loop.fingerprint,
                "shape": loop.shape,
                "intensity": {machine: str(number) for machine, number in loop.intensity.items()},
            }
            for loop in baseline.loops
        ],
    }


def baseline_from(form: Value) -> Baseline:
    """Return the baseline that a document holds; raise its error where something is wrong."""
    table = form.entries(("schema_version", "findings", "loops"))
    found = table["schema_version"]
    if found.data != SCHEMA_VERSION:
        raise found.error(f"is a baseline of version {value_text(found.data)}", "write it anew with --write-baseline")
    findings: dict[tuple[str, str, str, str], int] = {}
    for value in table["findings"].items():
        one = value.entries((*_FINDING_KEYS, "count"))
        code, path, function, loop = (one[key].text() for key in _FINDING_KEYS)
        findings[code, path, function, loop] = one["count"].integer(0)
    return Baseline(findings, tuple(_loop(value) for value in table["loops"].items()))


def _loop(value: Value) -> KnownLoop:
    one = value.entries((*_LOOP_KEYS, "intensity"))
    path, function, loop, shape = (one[key].text() for key in _LOOP_KEYS)
    intensity = {machine: _intensity(number) for machine, number in one["intensity"].entries().items()}
    return KnownLoop(path, function, loop, shape, intensity)


def _intensity(value: Value) -> Fraction:
    """Return an intensity as it is written: ``"1/12"``."""
    try:
        return rational(value.text())
    except ValueError as error:
        raise value.wrong(f"a fraction such as 1/12 ({error})") from None


def relocated(baseline: Baseline, rename: Mapping[str, str]) -> Baseline:
    """Return the same baseline with other names of files."""
    findings = {(code, rename.get(path, path), *rest): n for (code, path, *rest), n in baseline.findings.items()}
    loops = (
        KnownLoop(rename.get(x.path, x.path), x.function, x.fingerprint, x.shape, x.intensity) for x in baseline.loops
    )
    return Baseline({(a, b, c, d): n for (a, b, c, d), n in findings.items()}, tuple(loops))
