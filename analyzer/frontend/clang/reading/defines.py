"""Numbers given for names (``-D n=200``) that the source or its headers declare: values of symbols, not macros.

As a macro such a number would make ``int n`` of a prototype ``int 200`` and break the parse.  Whether a header
declares a name shows only in the parse: an error on a line with the name, which goes when the macro does.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from ....diagnostics import Diagnostic
from ...options import ParseOptions, numeric_defines
from ..kinds import Severity
from ..unit import Message, TranslationUnit

Parse = Callable[[ParseOptions], tuple[TranslationUnit, list[Diagnostic]]]


def parse_with_values(
    parse: Parse, options: ParseOptions
) -> tuple[TranslationUnit, list[Diagnostic], list[Message], frozenset[str]]:
    """Parse without the numeric macros that break the file.

    Return the unit, what was refused, its messages, and the names of the macros that are left.
    """
    unit, refused = parse(options)
    found = _Parsed(options, unit, refused, unit.messages())
    while suspected := _on_lines_with_errors(found, numeric_defines(found.options.defines)):
        without = _without(parse, found.options, suspected)
        if without.errors >= found.errors:
            break
        for name in sorted(suspected):  # those that are not to blame are macros all the same
            fewer = suspected - {name}
            again = _without(parse, found.options, fewer) if fewer else found
            if again.errors <= without.errors:
                suspected, without = fewer, again
        found = without
    return found.unit, found.refused, found.messages, frozenset(found.options.defines)


class _Parsed(Struct, frozen=True):
    """One parse, and the options that gave it."""

    options: ParseOptions
    unit: TranslationUnit
    refused: list[Diagnostic]
    messages: list[Message]

    @property
    def errors(self) -> int:
        """Return how many errors clang found."""
        return sum(message.severity >= Severity.ERROR for message in self.messages)


def _without(parse: Parse, options: ParseOptions, names: set[str]) -> _Parsed:
    kept = {name: value for name, value in options.defines.items() if name not in names}
    fewer = replace(options, defines=kept)
    unit, refused = parse(fewer)
    return _Parsed(fewer, unit, refused, unit.messages())


def _on_lines_with_errors(parsed: _Parsed, names: frozenset[str]) -> set[str]:
    """Return the names that stand on a line in which clang found an error."""
    found: set[str] = set()
    if not names:
        return found
    lines: dict[str, list[bytes]] = {}
    for message in parsed.messages:
        path = message.position.path
        if message.severity < Severity.ERROR or not path:
            continue
        if path not in lines:
            lines[path] = parsed.unit.contents(path).split(b"\n")
        text = b"".join(lines[path][message.position.line - 1 : message.position.line]).decode("utf-8", "replace")
        found |= names.intersection(re.findall(r"[A-Za-z_]\w*", text))
    return found
