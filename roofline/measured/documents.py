"""JSON documents of tools: parsed, with errors that have a line, and read without trusting their shape."""

from __future__ import annotations

import json
from typing import Any

from .errors import MeasurementError
from .numbers import is_measurable


def parse_json(text: str, path: str, line: int = 1) -> Any:
    """The document; ``line`` is where the text starts.  Raises ``MeasurementError`` at the line of a mistake."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise MeasurementError(
            f"is not valid JSON: {error.msg}",
            path=path,
            line=line + error.lineno - 1,
            hint="the file is cut off or damaged here",
        ) from error
    except (RecursionError, ValueError) as error:
        raise MeasurementError(
            "is not valid JSON: nested too deeply or numbers too long", path=path, line=line
        ) from error


def entry(document: Any, *keys: str) -> Any:
    """What lies below nested keys, None where a key is missing or its parent is no object."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def amount(document: Any, key: str) -> float | None:
    """A finite number that is not negative, None where there is none; texts are not numbers."""
    value = entry(document, key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if is_measurable(found) else None


def line_of(text: str, part: str) -> int:
    """The line on which a part of a document stands, the first where it is not found."""
    at = text.find(part)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def words(document: Any, key: str) -> str:
    """A text, empty where there is none."""
    value = entry(document, key)
    return value if isinstance(value, str) else ""
