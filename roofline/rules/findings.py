"""What a check gives: findings, plain bounds, and what became of each finding."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from analyzer.diagnostics import Severity, catalog
from analyzer.source import Span

from .sentences import Shown, message_of, what_to_do


class State(Enum):
    """What became of a finding."""

    NEW = "new"
    SUPPRESSED = "suppressed"
    BASELINE = "baseline"


class Finding(Struct, frozen=True):
    """One finding at a location; ``loop`` names the nest, and ``fingerprint`` is the digest of what the nest does.

    ``form`` is the name of the sentence in the catalog that reports it, with these ``fields``; ``facts`` are numbers
    and names for programs (intensity, bound, machine, gain).  ``column`` is from 1, 0 where it is not known.
    """

    code: str
    span: Span
    form: str
    fields: Mapping[str, Shown] = field(default_factory=dict)
    function: str = ""
    loop: str = ""
    fingerprint: str = ""
    facts: Mapping[str, str | int | float | None] = field(default_factory=dict)
    state: State = State.NEW
    column: int = 0

    @property
    def position(self) -> str:
        """Return ``path:line:column``, as far as that is known."""
        return f"{self.span}:{self.column}" if self.column else str(self.span)

    @property
    def message(self) -> str:
        """Return the sentence."""
        return message_of(self.code, self.form, self.fields)

    @property
    def hint(self) -> str:
        """Return what to do; empty where there is nothing to do."""
        return what_to_do(self.code, self.form, self.fields)

    @property
    def severity(self) -> Severity:
        """Return the severity of the rule."""
        return catalog()[self.code].severity

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Return the key in a baseline: rule, file, function and fingerprint, never a line."""
        return (self.code, self.span.path, self.function, self.fingerprint)


class Outcome(Struct, frozen=True, kw_only=True):
    """Everything that a check found: new findings, those passed over, and the bound of every loop."""

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


def by_location(found: Finding) -> tuple[str, int, int, str, str]:
    """Return the sort key: file, line, column, code, message."""
    return (found.span.path, found.span.line, found.column, found.code, found.message)
