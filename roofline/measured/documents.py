"""JSON documents of tools: parsed, with errors that have a line, and read without trusting their shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from analyzer.data_files import documents as data_files
from analyzer.python.regex import regex

from .errors import MeasurementError
from .numbers import is_measurable

_QUOTED = regex(r'"((?:[^"\\\n]++|\\.)*+)"?')


def parse_json(text: str, path: str, line: int = 1) -> Any:
    """Return the document; ``line`` is where the text starts.  Raises ``MeasurementError`` at the line of a mistake.

    ``NaN`` and ``Infinity``, which some tools print, are null: not measured.
    """
    return data_files.parse_json(text, path, error=MeasurementError, line=line, nan_is_null=True).data


def entry(document: Any, *keys: str) -> Any:
    """Return what lies below nested keys, None where a key is missing or its parent is no object."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def amount(document: Any, key: str) -> float | None:
    """Return a finite number that is not negative, None where there is none; texts are not numbers."""
    value = entry(document, key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if is_measurable(found) else None


def line_of(text: str, part: str) -> int:
    """Return the line on which a part of a document stands, the first where it is not found."""
    at = text.find(part)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def lines_of(text: str, names: Iterable[str]) -> Mapping[str, int]:
    """Return the first line on which each name stands in quotation marks, by one pass over the text."""
    wanted = set(names)
    found: dict[str, int] = {}
    line, last = 1, 0
    for match in _QUOTED.finditer(text):
        if match[1] in wanted and match[1] not in found:
            line, last = line + text.count("\n", last, match.start()), match.start()
            found[match[1]] = line
    return found


def words(document: Any, key: str) -> str:
    """Return a text, empty where there is none."""
    value = entry(document, key)
    return value if isinstance(value, str) else ""
