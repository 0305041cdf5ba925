"""A check as SARIF 2.1.0 (OASIS standard, 2020), as GitHub code scanning and editors read it.

A plain bound is a result of the kind ``informational``; a finding that the source suppresses carries a suppression, and
with a baseline every result has its ``baselineState``.
"""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from analyzer.diagnostics import CodeInfo, Severity, catalog
from roofline.rules.codes import check_codes
from roofline.rules.findings import Finding, Outcome, State

from ...visible import json_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_FINGERPRINT = "aiEstimateLoop/v1"


def render_sarif(outcome: Outcome, *, with_baseline: bool) -> str:
    """Return the log; ``with_baseline`` says that findings were compared with a baseline."""
    found = sorted((*outcome.findings, *outcome.passed_over), key=lambda one: (one.span, one.code, one.message))
    results = [_result(one, with_baseline=with_baseline) for one in found]
    results += [_bound(one) for one in outcome.bounds]
    run = {
        "tool": {
            "driver": {
                "name": "ai-estimate",
                "semanticVersion": outcome.version,
                "rules": [_rule(catalog()[code]) for code in check_codes()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(document) + "\n"


def _rule(info: CodeInfo) -> dict[str, Any]:
    text = " ".join(filter(None, (info.meaning, info.why)))
    markdown = [
        text,
        f"**Example**\n\n```c\n{info.example.strip()}\n```",
        f"**Instead**\n\n```c\n{info.instead.strip()}\n```",
    ]
    markdown += ["**References**\n\n" + "\n".join(f"- {reference}" for reference in info.references)] * bool(
        info.references
    )
    return {
        "id": info.code,
        "name": "".join(word.capitalize() for word in info.title.replace(",", "").replace("-", " ").split()),
        "shortDescription": {"text": info.title},
        "fullDescription": {"text": text},
        "help": {
            "text": f"{text}\n\nExample:\n{info.example.strip()}\n\nInstead:\n{info.instead.strip()}",
            "markdown": "\n\n".join(markdown),
        },
        "defaultConfiguration": {"level": _LEVELS[info.severity]},
    }


def _result(found: Finding, *, with_baseline: bool) -> dict[str, Any]:
    result = {"kind": "fail", "level": _LEVELS[found.severity], **_common(found)}
    if found.state is State.SUPPRESSED:
        result["suppressions"] = [{"kind": "inSource"}]
    if with_baseline:
        result["baselineState"] = "unchanged" if found.state is State.BASELINE else "new"
    return result


def _bound(found: Finding) -> dict[str, Any]:
    return {"kind": "informational", "level": "none", **_common(found)}


def _common(found: Finding) -> dict[str, Any]:
    text = f"{found.message}. {found.hint}." if found.hint else found.message
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": check_codes().index(found.code),
        "message": {"text": text},
        "locations": [_location(found)],
        "properties": {"function": found.function, "loop": found.loop, **found.facts},
    }
    if found.fingerprint:
        result["partialFingerprints"] = {_FINGERPRINT: found.fingerprint}
    return result


def _location(found: Finding) -> dict[str, Any]:
    path = PurePath(found.span.path)
    artifact = (
        {"uri": path.as_uri()}
        if path.is_absolute()
        else {"uri": quote(os.fsencode(path.as_posix())), "uriBaseId": _ROOT}
    )
    line = max(1, found.span.line)
    region = {"startLine": line, "endLine": max(line, found.span.end_line)}
    if found.column:
        region["startColumn"] = found.column
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
