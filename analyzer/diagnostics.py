"""Findings about the user's code (stable code, severity, location, message, hint), and the catalog of messages.

Codes are described in ``codes.toml`` in this folder (title, severity, what it means, an example, what to do), with the
sentences that assumptions are reported in; a stage collects every diagnostic it can find and goes on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Union

from msgspec import Struct, field
from msgspec.structs import replace

from .errors import SourceError
from .limits.ending import Ending
from .python.regex import regex
from .source import Span

_SECTION = regex(r"^\[(AI\d{3})\]\n", re.MULTILINE)
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


def unreadable(path: str, cause: Ending) -> SourceError:
    """Return the error of a file whose reading asked for too much time or memory."""
    return SourceError(f"cannot be read: {why_given_up(cause)}", path=path, hint="see --budget")


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

    ``command`` reports the example, which it calls ``x.c``, ``x.cpp`` or ``x.cu``, with the other ``files``; of a rule
    ``passes`` is the nearest code that it does not find.  ``sentences`` are templates by name, with the fields of
    :meth:`str.format` in braces; ``hints`` say what to do about some of them.
    """

    code: str
    title: str
    severity: Severity
    meaning: str
    example: str
    instead: str
    why: str = ""
    references: tuple[str, ...] = ()
    sentences: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    command: str = "ai-estimate x.c -v --machine haswell"
    files: Mapping[str, str] = field(default_factory=dict)
    passes: str = ""


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


class Catalog(Mapping[str, CodeInfo]):
    """Every known code with its documentation; an entry is parsed when it is asked for, as a report needs few."""

    def __init__(self, text: str) -> None:
        parts = _SECTION.split(text)[1:]
        self._sections = dict(zip(parts[::2], parts[1::2], strict=True))
        self._parsed: dict[str, CodeInfo] = {}

    def __getitem__(self, code: str) -> CodeInfo:
        """Return the entry of a code; raise ``KeyError`` where there is none."""
        if code not in self._parsed:
            self._parsed[code] = _code_info(code, self._sections[code])
        return self._parsed[code]

    def __iter__(self) -> Iterator[str]:
        """Return the codes in the order of the file."""
        return iter(self._sections)

    def __len__(self) -> int:
        """Return how many codes there are."""
        return len(self._sections)


def _code_info(code: str, section: str) -> CodeInfo:
    entry = tomllib.loads(section)
    forms = entry.get(code, {})
    return CodeInfo(
        code,
        entry["title"],
        Severity(entry["severity"]),
        entry["meaning"],
        entry["example"],
        entry["instead"],
        entry.get("why", ""),
        tuple(entry.get("references", ())),
        forms.get("sentences", {}),
        forms.get("hints", {}),
        **{name: entry[name] for name in ("command", "files", "passes") if name in entry},
    )


@cache
def catalog() -> Catalog:
    """Return every known code with its documentation."""
    return Catalog(Path(__file__).with_name("codes.toml").read_text("utf-8"))


def sentence_of(code: str, form: str, fields: Mapping[str, Any], formatter: SentenceFormatter | None = None) -> str:
    """Return one of the sentences of a code with values for its fields; raise ``KeyError`` where there is none.

    >>> sentence_of("AI211", "equally-likely", {"arrays": ("x", "y")})
    'subscripts of x, y depend on data: bytes are an estimate for equally likely elements'
    """
    return (formatter or _FORMATTER).vformat(catalog()[code].sentences[form], (), fields)


def hint_of(code: str, form: str, fields: Mapping[str, Any], formatter: SentenceFormatter | None = None) -> str:
    """Return what to do about a sentence, with values for its fields; empty where there is nothing to do.

    A phrase within that has a remedy of its own, as the reason why something is left out, goes first.

    >>> hint_of("AI213", "left-out", {"name": "f", "why": Phrase.of("AI213", "memory")})
    'raise --budget, as in --budget 30s,16GiB'
    """
    phrases = [each for each in fields.values() if isinstance(each, Phrase)]
    within = (hint_of(each.code, each.form, dict(each.fields), formatter) for each in phrases)
    hint = catalog()[code].hints.get(form, "")
    return next(filter(None, within), "") or (formatter or _FORMATTER).vformat(hint, (), fields)


_MOST_LISTED, _LONGEST_LISTED = 8, 60  # items, and characters of one: more say nothing to a reader


def _shortened(text: str) -> str:
    """Return an item of a list, without its middle where it is long, as names of members of members are."""
    half = _LONGEST_LISTED // 2 - 2
    return text if len(text) <= _LONGEST_LISTED else f"{text[:half]} ... {text[-half:]}"


class SentenceFormatter(Formatter):
    """The formatter of the catalog: tuples are lists with the separator that follows the colon, shares ``12 %``.

    Of a list of more than eight items the first six are shown, and how many more there are.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as text."""
        if isinstance(value, tuple):
            texts = [_shortened(self.format_field(item, "")) for item in value]
            if len(texts) > _MOST_LISTED:
                texts = [*texts[: _MOST_LISTED - 2], f"{len(texts) - _MOST_LISTED + 2} more"]
            return (format_spec or ", ").join(texts)
        if isinstance(value, Phrase):
            return self.vformat(catalog()[value.code].sentences[value.form], (), dict(value.fields))
        if isinstance(value, Fraction):
            return fraction_text(value)
        if format_spec.endswith("%"):
            return f"{super().format_field(value, format_spec).removesuffix('%')} %"
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
