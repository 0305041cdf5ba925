"""Line numbers of the keys and items of JSON text, which ``json`` does not give: looked for only where an error is.

>>> json_lines('{"a": 1,\\n "b": [2,\\n  {"c": 3}]}')[("b", 1, "c")]
3
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ..python.regex import regex
from .toml_lines import KeyPath

_TOKEN = regex(r'(?s:"(?:[^"\\]++|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]+)')


def json_lines(text: str, first: int = 1) -> Mapping[KeyPath, int]:
    """Return the line of every key and item of a document that begins at line ``first``."""
    lines: dict[KeyPath, int] = {(): first}
    for path, line in _positions(text, first):
        lines.setdefault(path, line)
    return lines


def repeated_key(text: str, first: int = 1) -> tuple[KeyPath, int] | None:
    """Return the first key that stands twice in one object, with its line."""
    seen: set[KeyPath] = set()
    for path, line in _positions(text, first):
        if path in seen:
            return path, line
        seen.add(path)
    return None


def _positions(text: str, line: int) -> Iterator[tuple[KeyPath, int]]:
    """Yield paths with their lines, keys where they stand and items where they begin."""
    path: list[str | int] = []
    objects: list[bool] = []
    expects, last = False, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        line, last = line + text.count("\n", last, token.start()), token.start()
        if sign in ("]", "}"):
            if objects:
                objects.pop()
                path.pop()
            expects = False
            continue
        if sign == ",":
            expects = bool(objects)
            if objects and not objects[-1]:
                path[-1] = int(path[-1]) + 1
            continue
        if sign == ":":
            continue
        if expects:
            expects = False
            if objects[-1]:
                path[-1] = _key(sign)
                yield tuple(path), line
                continue
            yield tuple(path), line
        if sign in ("[", "{"):
            objects.append(sign == "{")
            path.append("" if sign == "{" else 0)
            expects = True


def _key(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token
