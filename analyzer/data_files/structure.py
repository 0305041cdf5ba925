"""Limits on the structure of JSON and TOML text, checked by one pass over its tokens before a parser recurses over it.

The pass is linear and stores nothing.  It sees the tokens that the parser sees up to the first mistake of the text, at
which the parser stops; so the parser never goes deeper than what was checked.
"""

from __future__ import annotations

import re

from ..python.regex import regex

MOST_DEPTH = 64
MOST_JSON_VALUES = 1_000_000
MOST_TOML_VALUES = 20_000
MOST_KEY_PARTS = 16

_JSON_TOKEN = regex(r'(?s:[^"\[\]{},]++|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))*+([\[\]{},]|\Z)')
_TOML_TOKEN = regex(
    r"""(?s: [^"'\#\[\]{},=.\n]++
      | \#[^\n]*+
      | \"{3} (?: [^"\\]++ | \\. | "(?!"") )*+ (?: "{3,5} | \\?\Z )
      | '{3} (?: [^']++ | '(?!'') )*+ (?: '{3,5} | \Z )
      | " (?: [^"\\\n]++ | \\. )*+ (?: " | (?=\n) | \\?\Z )
      | ' [^'\n]*+ (?: ' | (?=\n) | \Z )
    )*+ ([\[\]{},=.\n]|\Z)""",
    re.VERBOSE,
)


class BeyondLimit(ValueError):
    """A text that asks for too much: the limit, and the offset."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


def check_json(text: str) -> None:
    """Raise ``BeyondLimit`` where JSON text nests too deeply or holds too many values."""
    depth = values = 0
    for token in _JSON_TOKEN.finditer(text):
        sign = token[1]
        if sign in ("[", "{"):
            depth += 1
            _check_depth(depth, token.end())
        elif sign in ("]", "}"):
            depth -= 1
        values += sign in ("[", "{", ",")
        if values > MOST_JSON_VALUES:
            raise BeyondLimit(f"holds more than {MOST_JSON_VALUES} values", token.end())


def check_toml(text: str) -> None:
    """Raise ``BeyondLimit`` where TOML text nests too deeply, or holds too many values or parts of one key."""
    depth = values = dots = 0
    for token in _TOML_TOKEN.finditer(text):
        sign = token[1]
        dots = dots + 1 if sign == "." else 0
        if dots >= MOST_KEY_PARTS:
            raise BeyondLimit(f"holds a key of more than {MOST_KEY_PARTS} parts", token.end())
        if sign in ("[", "{"):
            depth += 1
            _check_depth(depth, token.end())
        elif sign in ("]", "}"):
            depth = max(depth - 1, 0)
        values += sign in (",", "=", "[")
        if values > MOST_TOML_VALUES:
            raise BeyondLimit(f"holds more than {MOST_TOML_VALUES} values", token.end())


def _check_depth(depth: int, offset: int) -> None:
    if depth > MOST_DEPTH:
        raise BeyondLimit(f"nests more than {MOST_DEPTH} levels deep", offset)
