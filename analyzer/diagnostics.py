"""Findings about the user's code: stable code, severity, place, message, hint.

Codes are described in ``codes.toml`` beside this file (title, severity, what it means, an example, what to do);
a stage collects every diagnostic it can find and goes on.
"""

from __future__ import annotations

import tomllib
from enum import Enum
from functools import cache
from importlib import resources

from msgspec import Struct

from .source import Span


class Severity(Enum):
    """How much a finding matters; ``error`` means that something was not analyzed."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class CodeInfo(Struct, frozen=True):
    """The documentation of one code; ``why`` it matters and ``references`` are there for the rules of checks."""

    code: str
    title: str
    severity: Severity
    meaning: str
    example: str
    instead: str
    why: str = ""
    references: tuple[str, ...] = ()


class Diagnostic(Struct, frozen=True):
    """One finding; ``hint`` says what to do, empty where there is nothing to do."""

    code: str
    span: Span
    message: str
    hint: str = ""

    @property
    def severity(self) -> Severity:
        """Severity of the code."""
        return catalog()[self.code].severity


@cache
def catalog() -> dict[str, CodeInfo]:
    """Every known code with its documentation."""
    text = resources.files(__package__).joinpath("codes.toml").read_text("utf-8")
    return {
        code: CodeInfo(
            code,
            entry["title"],
            Severity(entry["severity"]),
            entry["meaning"],
            entry["example"],
            entry["instead"],
            entry.get("why", ""),
            tuple(entry.get("references", ())),
        )
        for code, entry in tomllib.loads(text).items()
    }
