"""Characters that do not show, or that change how others show, as escapes: the one rule of every form of output.

These are controls (C0 but for tab and line feed, DEL, C1), marks of direction (https://unicode.org/reports/tr9/), all
that is zero-width or ignored by default (https://unicode.org/reports/tr44/#Default_Ignorable_Code_Point), the blank of
Braille, separators of lines and paragraphs, interlinear annotation, noncharacters, and surrogates: bytes of names of
files that are no UTF-8.
"""

from __future__ import annotations

import json

import msgspec

from analyzer.python.regex import regex

_HIDDEN = "".join(
    (
        "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u070f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f",
        "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ud800-\\udfff\\ufdd0-\\ufdef\\ufe00-\\ufe0f",
        "\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3",
        "\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff",
        *(f"\\U{plane:04x}fffe\\U{plane:04x}ffff" for plane in range(1, 17)),
    )
)
_IN_TEXT = regex(f"[{_HIDDEN}]")
_BETWEEN_COLORS = regex(rf"(?!\x1b\[[0-9;]*m)[{_HIDDEN}]")
_PLAIN_ASCII = bytes((0x09, 0x0A, *range(0x20, 0x7F)))
_FIRST_OF_TWO, _FIRST_BYTE, _LAST_BYTE = 0xD800, 0xDC80, 0xDCFF
_PAST_TWO = 0xE000


def visible(text: str, *, colors: bool = False) -> str:
    r"""Return the text with hidden characters escaped; with ``colors`` those of a terminal stay.

    >>> visible("a\x1b[2Jb\u202ec\udcff")
    'a\\x1b[2Jb\\u202ec\\xff'
    """
    if text.isascii() and not text.encode("ascii").translate(None, _PLAIN_ASCII):  # tens of times as fast as a search
        return text
    return (_BETWEEN_COLORS if colors else _IN_TEXT).sub(lambda found: _escape(ord(found[0])), text)


def json_text(document: object, *, indent: int | None = 2, allow_nan: bool = True) -> str:
    r"""Return a document as JSON that shows: hidden characters as JSON escapes them.

    Bytes of names that are no UTF-8 become text as in :func:`visible`, for JSON cannot hold them.

    >>> json_text({"a": "\u202e \x85 \udcff"}, indent=None)
    '{"a": "\\u202e \\u0085 \\\\xff"}'
    >>> json_text("\x7f", indent=None)
    '"\\u007f"'
    """
    plain = _plain(document, indent, allow_nan=allow_nan)
    if plain.isascii() and "\x7f" not in plain:  # JSON has escaped all other hidden ones of ASCII
        return plain
    return _IN_TEXT.sub(lambda found: _json_escape(found[0]), plain)


def _plain(document: object, indent: int | None, *, allow_nan: bool) -> str:
    """Return the JSON text: with indentation by a formatter in C, as documents have megabytes."""
    if indent is not None and not allow_nan:
        try:
            return msgspec.json.format(msgspec.json.encode(document, enc_hook=_not_plain), indent=indent).decode()
        except (OverflowError, UnicodeEncodeError):  # an integer of many digits, a name that is no UTF-8
            pass
    return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=allow_nan)


def _not_plain(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is not plain data")


def visible_in(document: object) -> object:
    """Return lists, tuples and dictionaries with every text in them made visible."""
    match document:
        case str():
            return visible(document)
        case dict():
            return {visible_in(key): visible_in(value) for key, value in document.items()}
        case list() | tuple():
            return [visible_in(value) for value in document]
    return document


def _escape(code: int) -> str:
    if _FIRST_BYTE <= code <= _LAST_BYTE:
        code -= _FIRST_BYTE - 0x80
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(letter: str) -> str:
    if _FIRST_OF_TWO <= ord(letter) < _PAST_TWO:
        return "\\" + _escape(ord(letter))
    return json.dumps(letter)[1:-1] if letter != "\x7f" else "\\u007f"
