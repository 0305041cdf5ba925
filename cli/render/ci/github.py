"""A check as workflow commands of GitHub Actions, and as the Markdown of a step summary.

GitHub shows ten annotations of each kind for a step, so the worst come first.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.diagnostics import Severity, catalog
from roofline.rules.findings import Finding, Outcome

from .unchecked import Unchecked

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_MOST_ROWS = 500


def render_github(outcome: Outcome) -> str:
    """Return ``::warning file=k.c,line=12,title=...::message``, one for each finding."""
    order = list(Severity)
    worst_first = sorted(outcome.findings, key=lambda found: order.index(found.severity))
    return "".join(f"{_command(found)}\n" for found in worst_first)


def render_step_summary(outcome: Outcome, unchecked: Unchecked) -> str:
    """Return the findings, and the bound of every loop."""
    parts = ["### ai-estimate\n"]
    if outcome.findings:
        parts.append(_table(("source", "code", "severity", "message"), [_row(found) for found in outcome.findings]))
    elif outcome.files:
        parts.append(f"No findings{unchecked.also_missing}.\n")
    else:
        parts.append(f"{unchecked.nothing.capitalize()}.\n")
    if outcome.bounds:
        rows = [(f"{found.span}", found.loop, found.message) for found in outcome.bounds]
        bounds = _table(("source", "loop", "bound"), rows)
        parts.append(f"<details><summary>Bounds of {len(rows)} loops</summary>\n\n{bounds}\n</details>\n")
    return "\n".join(parts)


def _command(found: Finding) -> str:
    title = f"{found.code} {catalog()[found.code].title}"
    properties = {
        "file": found.span.path,
        "line": str(found.span.line),
        "endLine": str(max(found.span.line, found.span.end_line)),
        **({"col": str(found.column)} if found.column and found.span.line >= found.span.end_line else {}),
        "title": title,
    }
    text = f"{found.message} ({found.hint})" if found.hint else found.message
    parameters = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[found.severity]} {parameters}::{_data(text)}"


def _data(text: str) -> str:
    """Escape the message of a workflow command.

    >>> _data("50 %\\nmore")
    '50 %25%0Amore'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property of a workflow command.

    >>> _property("a,b:c")
    'a%2Cb%3Ac'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _row(found: Finding) -> tuple[str, ...]:
    return (str(found.span), found.code, found.severity.value, found.message)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows[:_MOST_ROWS]]
    text = "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)
    left = len(rows) - _MOST_ROWS
    return text + (f"\n{left} more\n" if left > 0 else "")


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;").replace("*", "\\*")
