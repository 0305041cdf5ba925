"""What a check gives: findings, plain bounds, and what became of each finding."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from analyzer.diagnostics import Severity, catalog
from analyzer.source import Span


class State(Enum):
    """What became of a finding."""

    NEW = "new"
    SUPPRESSED = "suppressed"
    BASELINE = "baseline"


class Finding(Struct, frozen=True):
    """One finding at a place; ``loop`` names the nest, and ``fingerprint`` is the digest of what the nest does.

    ``facts`` are numbers and names for programs (intensity, bound, machine, gain).
    """

    code: str
    span: Span
    message: str
    hint: str = ""
    function: str = ""
    loop: str = ""
    fingerprint: str = ""
    facts: Mapping[str, str | int | float | None] = field(default_factory=dict)
    state: State = State.NEW

    @property
    def severity(self) -> Severity:
        """Return the severity of the rule."""
        return catalog()[self.code].severity

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Return the key in a baseline: rule, file, function and fingerprint, never a line."""
        return (self.code, self.span.path, self.function, self.fingerprint)


class Outcome(Struct, frozen=True, kw_only=True):
    """Everything that a check found: new findings, those that were passed over, and the bound of every loop."""

    findings: tuple[Finding, ...]
    passed_over: tuple[Finding, ...]
    bounds: tuple[Finding, ...]
    files: tuple[str, ...]
    version: str
    machines: tuple[str, ...] = ()

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Return new findings of at least this severity."""
        order = list(Severity)
        return tuple(found for found in self.findings if order.index(found.severity) <= order.index(severity))


def by_place(found: Finding) -> tuple[str, int, str, str]:
    """Return the sort key: file, line, code, message."""
    return (found.span.path, found.span.line, found.code, found.message)
