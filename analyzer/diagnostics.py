"""Findings about the user's code (stable code, severity, location, message, hint), and the catalog of messages.

Codes are described in ``codes.toml`` in this folder (title, severity, what it means, an example, what to do), with the
sentences that assumptions are reported in; a stage collects every diagnostic it can find and goes on.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import Enum
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any, Union

from msgspec import Struct

from .source import Span

Field = Union[str, int, float, tuple[str, ...]]
"""A value that a sentence names; a tuple is shown as a list of names."""


class Severity(Enum):
    """How much a finding matters; ``error`` means that something was not analyzed."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class CodeInfo(Struct, frozen=True):
    """The documentation of one code; ``why`` it matters and ``references`` are there for the rules of checks.

    ``sentences`` are templates by name, with the fields of :meth:`str.format` in braces; ``hints`` say what to do about
    some of them.
    """

    code: str
    title: str
    severity: Severity
    meaning: str
    example: str
    instead: str
    why: str = ""
    references: tuple[str, ...] = ()
    sentences: tuple[tuple[str, str], ...] = ()
    hints: tuple[tuple[str, str], ...] = ()


class Diagnostic(Struct, frozen=True):
    """One finding; ``hint`` says what to do, empty where there is nothing to do.

    ``form`` is the name of the sentence in the catalog that the message is made of, with these ``fields``; empty where
    a parser wrote the message.
    """

    code: str
    span: Span
    message: str
    hint: str = ""
    form: str = ""
    fields: tuple[tuple[str, Field], ...] = ()

    @classmethod
    def of(cls, code: str, span: Span, form: str, /, **fields: Field) -> Diagnostic:
        """Return a finding with message and hint from the catalog, ``form`` among those of the code."""
        info = catalog()[code]
        hint = dict(info.hints).get(form, "")
        return cls(code, span, sentence_of(code, form, fields), hint, form, tuple(fields.items()))

    @property
    def severity(self) -> Severity:
        """Return the severity of the code."""
        return catalog()[self.code].severity


@cache
def catalog() -> dict[str, CodeInfo]:
    """Return every known code with its documentation."""
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
            tuple(entry.get("sentences", {}).items()),
            tuple(entry.get("hints", {}).items()),
        )
        for code, entry in tomllib.loads(text).items()
    }


def sentence_of(code: str, form: str, fields: Mapping[str, Field]) -> str:
    """Return one of the sentences of a code with values for its fields; raise ``KeyError`` where there is none.

    >>> sentence_of("AI211", "equally-likely", {"arrays": ("x", "y")})
    'data decides which elements of x, y are touched: all are taken to be equally likely'
    """
    return _SentenceFormatter().vformat(_sentences()[code, form], (), fields)


@cache
def _sentences() -> dict[tuple[str, str], str]:
    return {(code, form): text for code, info in catalog().items() for form, text in info.sentences}


class _SentenceFormatter(Formatter):
    """The formatter of the catalog: tuples of names are shown as lists."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as text."""
        if isinstance(value, tuple):
            return ", ".join(value)
        return str(super().format_field(value, format_spec))
