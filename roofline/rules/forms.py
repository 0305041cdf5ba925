"""Findings and baselines as plain dictionaries, for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from analyzer.diagnostics import catalog
from analyzer.errors import OptionError

from .baseline import SCHEMA_VERSION, Baseline, KnownLoop
from .findings import Finding, Outcome


def finding_form(found: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "code": found.code,
        "title": catalog()[found.code].title,
        "severity": found.severity.value,
        "state": found.state.value,
        "file": found.span.path,
        "line": found.span.line,
        "end_line": found.span.end_line,
        "message": found.message,
        "hint": found.hint,
        "function": found.function,
        "loop": found.loop,
        "fingerprint": found.fingerprint,
        "facts": dict(found.facts),
    }


def outcome_form(outcome: Outcome) -> dict[str, Any]:
    """The whole outcome of a check."""
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
    """A baseline; findings and loops are sorted, so that a small change of the code is a small change of the file."""
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


def baseline_from(form: Any, path: str) -> Baseline:
    """Read a baseline; raises ``OptionError`` that names the file."""
    if not isinstance(form, Mapping) or "findings" not in form or "loops" not in form:
        raise OptionError("is no baseline of ai-estimate", path=path, hint="write one with --write-baseline")
    if form.get("schema_version") != SCHEMA_VERSION:
        found = form.get("schema_version")
        raise OptionError(f"is a baseline of version {found}", path=path, hint="write it anew with --write-baseline")
    try:
        findings = {
            (_text(one, "code"), _text(one, "file"), _text(one, "function"), _text(one, "loop")): int(one["count"])
            for one in form["findings"]
        }
        loops = tuple(_loop(one) for one in form["loops"])
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        raise OptionError(f"is a damaged baseline: {error!r}", path=path, hint="write it anew") from None
    return Baseline(findings, loops)


def _loop(one: Mapping[str, Any]) -> KnownLoop:
    intensity = {str(machine): Fraction(number) for machine, number in one["intensity"].items()}
    return KnownLoop(_text(one, "file"), _text(one, "function"), _text(one, "loop"), _text(one, "shape"), intensity)


def _text(one: Mapping[str, Any], key: str) -> str:
    value = one[key]
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a text")
    return value


def relocated(baseline: Baseline, rename: Mapping[str, str]) -> Baseline:
    """The same baseline with other names of files."""
    findings = {(code, rename.get(path, path), *rest): n for (code, path, *rest), n in baseline.findings.items()}
    loops = (
        KnownLoop(rename.get(x.path, x.path), x.function, x.fingerprint, x.shape, x.intensity) for x in baseline.loops
    )
    return Baseline({(a, b, c, d): n for (a, b, c, d), n in findings.items()}, tuple(loops))


def paths_in(baselines: Sequence[Baseline]) -> frozenset[str]:
    """Every file that is named."""
    named = {key[1] for baseline in baselines for key in baseline.findings}
    return frozenset(named | {loop.path for baseline in baselines for loop in baseline.loops})
