"""A reading of a source by clang, what may be added to its options, and where its errors stand."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ....diagnostics import Diagnostic
from ....python.regex import regex
from ....source import SourceFile, Span
from ...options import ParseOptions, Supplied
from ..kinds import Severity
from ..unit import Message, TranslationUnit

MISSING_HEADER = regex(r"'(?P<name>.+)' file not found")
UNDECLARED = regex(
    r"(?:undeclared identifier|unknown type name|no type named|no member named|no template named|undeclared function"
    r"|undefined template|incomplete type) '(?:::)?(?:std::)?(?P<name>\w+)|include <(?P<header>\w+)>"
)


class Read(Struct, frozen=True):
    """A parse: the options that gave it, and what was found or guessed for it."""

    options: ParseOptions
    unit: TranslationUnit
    refused: list[Diagnostic]
    messages: list[Message]
    macros: frozenset[str]
    guesses: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> int:
        """Return how many errors clang found."""
        return sum(message.severity >= Severity.ERROR for message in self.messages)


class Change(Struct, frozen=True):
    """What to add to the options, and what to report of it."""

    supplied: Supplied
    guesses: tuple[Diagnostic, ...] = ()


def errors_of(read: Read) -> Iterator[Message]:
    """Return the errors that clang found, in its order."""
    return (message for message in read.messages if message.severity >= Severity.ERROR)


def span_of(message: Message, source: SourceFile) -> Span:
    """Return where a message stands, in the lines of the source as it was given."""
    path = message.position.path
    line = message.position.line + (source.first_line - 1 if path == source.path else 0)
    return Span(path, line, line, message.position.column)
