"""A check as a Code Quality report of GitLab (the subset of the Code Climate format that GitLab reads)."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import PurePath
from typing import Any

from analyzer.diagnostics import Severity
from roofline.rules.findings import Finding, Outcome

from ...visible import json_text

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "info"}


def render_gitlab(outcome: Outcome) -> str:
    """Render a list of issues; fingerprints do not depend on lines, and no two are the same."""
    seen: Counter[tuple[str, str, str, str]] = Counter()
    issues = []
    for found in outcome.findings:
        issues.append(_issue(found, seen[found.key]))
        seen[found.key] += 1
    return json_text(issues) + "\n"


def _issue(found: Finding, number: int) -> dict[str, Any]:
    identity = "\0".join((*found.key, str(number)))
    return {
        "description": f"{found.message} ({found.hint})" if found.hint else found.message,
        "check_name": found.code,
        "fingerprint": hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest(),
        "severity": _SEVERITIES[found.severity],
        "location": {
            "path": PurePath(found.span.path).as_posix(),
            "lines": {"begin": max(1, found.span.line), "end": max(1, found.span.line, found.span.end_line)},
        },
    }
