"""Bytes of a file to text, with an error that names the line of what is no text."""

from __future__ import annotations

import codecs

from analyzer.data_files.files import read_bytes
from analyzer.python.regex import regex

from .errors import MeasurementError

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_STRANGE = regex(r"[\x00-\x08\x0e-\x1f]")
_MOST_BYTES = 64 << 20


def read_text(path: str) -> str:
    """Return the text of a file of measured data; raises ``MeasurementError`` where there is none."""
    data = read_bytes(path, error=MeasurementError, most_bytes=_MOST_BYTES)
    return decode(data, path)


def decode(data: bytes, path: str) -> str:
    """Decode UTF-8, or UTF-16 with its mark; raises ``MeasurementError`` for anything else and for binary data."""
    if not data.strip():
        raise MeasurementError("is empty", path=path, hint="did the measurement run to its end?")
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MeasurementError("is not UTF-8 text", path=path, line=line, hint=_binary_hint(data)) from error
    strange = _STRANGE.search(text)
    if strange is not None:
        line = text.count("\n", 0, strange.start()) + 1
        raise MeasurementError("is not a text file", path=path, line=line, hint=_binary_hint(data))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _binary_hint(data: bytes) -> str:
    if data.startswith(b"NVR"):
        return "export the report first: ncu --import FILE --page raw --csv --print-units base"
    return "export it as CSV or JSON, in UTF-8"
