"""Findings about the user's code (stable code, severity, location, message, hint), and the catalog of messages.

Codes are described in ``codes.toml`` in this folder (title, severity, what it means, an example, what to do), with the
sentences that assumptions are reported in; a stage collects every diagnostic it can find and goes on.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any, Union

from msgspec import Struct
from msgspec.structs import replace

from .limits.ending import Ending
from .source import Span

_MOST_SHOWN_PARTS = 999  # of 1: a fraction with a larger denominator says less than its decimals


class Phrase(Struct, frozen=True):
    """A sentence of the catalog, or a part of one: ``form`` among those of ``code``, with values for its fields.

    >>> str(Phrase.of("AI213", "memory"))
    'it needs more memory than --budget allows'
    """

    code: str
    form: str
    fields: tuple[tuple[str, Field], ...] = ()

    @classmethod
    def of(cls, code: str, form: str, /, **fields: Field) -> Phrase:
        """Return the phrase with these fields."""
        return cls(code, form, tuple(fields.items()))

    def with_names(self, change: Callable[[str], str]) -> Phrase:
        """Return the phrase with each of its names changed."""
        return replace(self, fields=tuple((name, with_names(value, change)) for name, value in self.fields))

    def __str__(self) -> str:
        """Return the text."""
        return sentence_of(self.code, self.form, dict(self.fields))


Field = Union[str, int, float, Fraction, Phrase, tuple[Union[str, Phrase], ...]]
"""A value that a sentence names; a tuple is shown as a list."""


def why_given_up(cause: Ending) -> Phrase:
    """Return why a part of the analysis has no answer."""
    return Phrase.of("AI213", cause.value)


def with_names(field: Field, change: Callable[[str], str]) -> Field:
    """Return a field with each of its names changed."""
    match field:
        case str():
            return change(field)
        case Phrase():
            return field.with_names(change)
        case tuple():
            return tuple(change(value) if isinstance(value, str) else value.with_names(change) for value in field)
        case _:
            return field


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
    """One finding: ``form`` is the name of the sentence in the catalog that reports it, with these ``fields``."""

    code: str
    span: Span
    form: str
    fields: tuple[tuple[str, Field], ...] = ()

    @classmethod
    def of(cls, code: str, span: Span, form: str, /, **fields: Field) -> Diagnostic:
        """Return a finding with this sentence, among those of the code."""
        return cls(code, span, form, tuple(fields.items()))

    def with_names(self, change: Callable[[str], str]) -> Diagnostic:
        """Return the finding with each of its names changed."""
        return replace(self, fields=tuple((name, with_names(value, change)) for name, value in self.fields))

    @property
    def message(self) -> str:
        """Return the sentence."""
        return sentence_of(self.code, self.form, dict(self.fields))

    @property
    def hint(self) -> str:
        """Return what to do; empty where there is nothing to do."""
        return hint_of(self.code, self.form, dict(self.fields))

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


def sentence_of(code: str, form: str, fields: Mapping[str, Any], formatter: SentenceFormatter | None = None) -> str:
    """Return one of the sentences of a code with values for its fields; raise ``KeyError`` where there is none.

    >>> sentence_of("AI211", "equally-likely", {"arrays": ("x", "y")})
    'the elements of x, y that are touched depend on data: each is equally likely'
    """
    return (formatter or _FORMATTER).vformat(_sentences()[code, form], (), fields)


def hint_of(code: str, form: str, fields: Mapping[str, Any], formatter: SentenceFormatter | None = None) -> str:
    """Return what to do about a sentence, with values for its fields; empty where there is nothing to do."""
    hint = _hints().get((code, form), "")
    return (formatter or _FORMATTER).vformat(hint, (), fields) if hint else ""


@cache
def _hints() -> dict[tuple[str, str], str]:
    return {(code, form): text for code, info in catalog().items() for form, text in info.hints}


@cache
def _sentences() -> dict[tuple[str, str], str]:
    return {(code, form): text for code, info in catalog().items() for form, text in info.sentences}


class SentenceFormatter(Formatter):
    """The formatter of the catalog: tuples are shown as lists, with the separator that follows the colon."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as text."""
        if isinstance(value, tuple):
            return (format_spec or ", ").join(self.format_field(item, "") for item in value)
        if isinstance(value, Phrase):
            return self.vformat(_sentences()[value.code, value.form], (), dict(value.fields))
        if isinstance(value, Fraction):
            return fraction_text(value)
        return str(super().format_field(value, format_spec))


_FORMATTER = SentenceFormatter()


def fraction_text(number: Fraction) -> str:
    """Return ``1/12 = 0.08333``, or the decimals alone where they are exact.

    >>> fraction_text(Fraction(1, 12)), fraction_text(Fraction(2, 5))
    ('1/12 = 0.08333', '0.4')
    """
    decimals = f"{float(number):.4g}"
    if Fraction(decimals) == number or number.denominator > _MOST_SHOWN_PARTS:
        return decimals
    return f"{number} = {decimals}"
