"""Values of a document with their positions: each is asked for by type and range, and errors name its path."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..errors import AnalyzerError
from .toml_lines import KeyPath, line_of

MOST_COUNT = 10**9
_LONGEST_SHOWN = 60


class Origin(Struct, frozen=True):
    """The file of a document, the class of its errors, and a function for the lines of its keys (none: not known)."""

    path: str
    error: type[AnalyzerError]
    lines: Callable[[], Mapping[KeyPath, int]] = dict

    def wrong(self, position: KeyPath, message: str, hint: str | None = None) -> AnalyzerError:
        """Return the error for a position in the document."""
        return self.error(message, path=self.path, line=self.line_of(position), hint=hint)

    def line_of(self, position: KeyPath) -> int | None:
        """Return the line of a position, None where lines are not known."""
        lines = self.lines()
        return line_of(lines, position) if lines else None


class Value(Struct, frozen=True):
    """A value of a document: plain data, the keys and indices that lead to it, and where it comes from.

    >>> root = Value([{"count": "x"}], (), Origin("f.json", AnalyzerError))
    >>> root.items()[0].entries(("count",))["count"].integer(0)
    Traceback (most recent call last):
    analyzer.errors.AnalyzerError: f.json: [0].count must be a whole number of at least 0, not "x"
    """

    data: Any
    position: KeyPath
    origin: Origin

    @property
    def name(self) -> str:
        """Return the path of the value, as ``ceilings[2].bandwidth``."""
        return path_text(self.position)

    def wrong(self, wanted: str, hint: str | None = None) -> AnalyzerError:
        """Return the error that says what the value must be."""
        return self.error(f"{self.name} must be {wanted}, not {value_text(self.data)}", hint)

    def error(self, message: str, hint: str | None = None) -> AnalyzerError:
        """Return an error at the position of the value."""
        return self.origin.wrong(self.position, message, hint)

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.data, str):
            raise self.wrong("a text")
        return self.data

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.data, bool):
            raise self.wrong("true or false")
        return self.data

    def choice(self, known: Sequence[str]) -> str:
        """Return one of some texts."""
        if self.data not in known:
            raise self.wrong(f"one of {', '.join(known)}")
        return str(self.data)

    def integer(self, least: int, most: int = MOST_COUNT) -> int:
        """Return a whole number between two, both included."""
        if not isinstance(self.data, int) or isinstance(self.data, bool) or self.data < least:
            raise self.wrong(f"a whole number of at least {least}")
        if self.data > most:
            raise self.wrong(f"at most {most}")
        return self.data

    def number(self, least: float, most: float) -> float:
        """Return a number between two, both included."""
        if not isinstance(self.data, int | float) or isinstance(self.data, bool):
            raise self.wrong("a number")
        if not least <= self.data <= most:
            raise self.wrong(f"between {least:g} and {most:g}")
        return float(self.data)

    def items(self) -> tuple[Value, ...]:
        """Return the items of a list."""
        if not isinstance(self.data, list):
            raise self.wrong("a list")
        return tuple(Value(item, (*self.position, index), self.origin) for index, item in enumerate(self.data))

    def entries(self, required: Sequence[str] = ()) -> dict[str, Value]:
        """Return the entries of a table by their keys, those required among them."""
        if not isinstance(self.data, dict):
            raise self.wrong("a table")
        for key in required:
            if key not in self.data:
                raise self.error(f"{self.name} has no {key}", f"add {key}")
        return {key: Value(item, (*self.position, key), self.origin) for key, item in self.data.items()}


def path_text(position: KeyPath) -> str:
    """Return keys and indices as text.

    >>> path_text(("ceilings", 2, "bandwidth")), path_text((0, "a b")), path_text(())
    ('ceilings[2].bandwidth', '[0]."a b"', 'the document')
    """
    text = ""
    for part in position:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            plain = part.replace("-", "_").replace("/", "_").isidentifier() and len(part) <= _LONGEST_SHOWN
            text += ("." if text else "") + (part if plain else value_text(part))
    return text or "the document"


def value_text(data: object) -> str:
    """Return a value for a message, in one line and cut to a length that can be read.

    >>> value_text("x"), value_text([1]), value_text({}), value_text(None), value_text(True), value_text(0.5)
    ('"x"', 'a list', 'a table', 'null', 'true', '0.5')
    """
    match data:
        case dict():
            return "a table"
        case list():
            return "a list"
        case str():
            return json.dumps(
                data if len(data) <= _LONGEST_SHOWN else f"{data[:_LONGEST_SHOWN]}...", ensure_ascii=False
            )
        case None | bool():
            return json.dumps(data)
        case _:
            return _cut(str(data))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
