"""A check as text for people: one line for each finding, or each with its source line and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from analyzer.diagnostics import Severity, catalog
from roofline.rules.findings import Finding, Outcome, State

from ...visible import visible
from ..typesetting.grid import styled
from .unchecked import Unchecked

_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def render_concise(outcome: Outcome, unchecked: Unchecked, *, color: bool = False) -> str:
    """Return ``file:line:column: CODE severity: message``, and a summary."""
    lines = [_heading(found, color) for found in outcome.findings]
    more = " (--format full says what to do)" if any(found.hint for found in outcome.findings) else ""
    return "\n".join([*lines, _summary(outcome, unchecked) + more]) + "\n"


def render_full(
    outcome: Outcome, sources: Mapping[str, Sequence[str]], unchecked: Unchecked, *, color: bool = False
) -> str:
    """Return every finding with its line of the source (``sources`` has the lines of each file) and what to do."""
    blocks = ["\n".join(_block(found, sources, color)) + "\n" for found in outcome.findings]
    return "\n".join([*blocks, _summary(outcome, unchecked)]) + "\n"


def _heading(found: Finding, color: bool) -> str:
    """Return the line of a finding; its message stays as it is, its severity has a color."""
    position = styled(visible(f"{found.position}:"), "bold", color=color)
    severity = styled(f"{found.severity.value}:", _COLORS[found.severity], color=color)
    return f"{position} {found.code} {severity} {visible(found.message)}"


def _block(found: Finding, sources: Mapping[str, Sequence[str]], color: bool) -> Iterator[str]:
    yield _heading(found, color)
    lines = sources.get(found.span.path, ())
    line = found.span.line
    if 0 < line <= len(lines):
        yield f"{line:6d} | {visible(lines[line - 1].rstrip())}"
    if found.hint:
        yield f"       = {styled('help:', 'bold', color=color)} {visible(found.hint)}"
    where = visible(f" of {found.loop}") if found.loop else ""
    title = f"{catalog()[found.code].title}{where}"
    yield f"       = {styled('note:', 'bold', color=color)} {title}; ai-estimate explain {found.code}"


def _summary(outcome: Outcome, unchecked: Unchecked) -> str:
    """Return how many there are of each severity, how many were passed over, and which files were not checked."""
    if not outcome.files and not outcome.findings:
        return unchecked.nothing
    counts = Counter(found.severity for found in outcome.findings)
    parts = [_counted(counts[severity], severity.value) for severity in Severity if counts[severity]]
    known = sum(found.state is State.BASELINE for found in outcome.passed_over)
    hidden = len(outcome.passed_over) - known
    others = [f"{known} known"] * bool(known) + [f"{hidden} suppressed in the source"] * bool(hidden)
    after = f" ({', '.join(others)})" if others else ""
    files = _counted(len(outcome.files), "file")
    return f"{', '.join(parts) if parts else 'nothing found'} in {files}{after}{unchecked.also_missing}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
