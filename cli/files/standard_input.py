"""Source text from standard input."""

from __future__ import annotations

from typing import BinaryIO

from analyzer.errors import SourceError
from analyzer.source import STANDARD_INPUT, Language, SourceFile


def read_standard_input(stream: BinaryIO) -> SourceFile:
    """Read everything as UTF-8 (Latin-1 where that fails), or raise ``SourceError``."""
    raw = stream.read()
    if b"\0" in raw[:8192]:
        raise SourceError("is binary, not source text", path=STANDARD_INPUT, hint="give C, C++ or CUDA source")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    if not text.strip():
        raise SourceError("is empty", path=STANDARD_INPUT, hint="give at least one loop")
    return SourceFile(STANDARD_INPUT, text.replace("\r\n", "\n"), Language.C)
