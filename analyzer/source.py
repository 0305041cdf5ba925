"""Source text and locations in it: the first stage, which alone reads files.

``SourceFile`` holds decoded text; ``Span`` names lines (1-based, inclusive).
"""

from __future__ import annotations

import os
import re
import select
import stat
from enum import Enum
from pathlib import Path

from msgspec import Struct

from .errors import SourceError
from .near_names import near_path

STANDARD_INPUT = "<stdin>"


class Language(Enum):
    """The language that a file is read as."""

    C = "c"
    CXX = "c++"
    CUDA = "cuda"


_SUFFIXES = {
    ".c": Language.C,
    ".h": Language.C,
    ".cc": Language.CXX,
    ".cpp": Language.CXX,
    ".cxx": Language.CXX,
    ".c++": Language.CXX,
    ".hpp": Language.CXX,
    ".hh": Language.CXX,
    ".hxx": Language.CXX,
    ".cu": Language.CUDA,
    ".cuh": Language.CUDA,
    ".hip": Language.CUDA,
}
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh")
"""Endings of the names of headers."""
_CODE = re.compile(r"[;{}\n]")
_OTHERS = {
    **dict.fromkeys((".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08"), "Fortran"),
    ".cl": "OpenCL",
    ".cmake": "a CMake script",
    ".go": "Go",
    ".ipynb": "a notebook",
    ".ispc": "ISPC",
    ".java": "Java",
    ".jl": "Julia",
    ".metal": "Metal",
    ".py": "Python",
    ".rs": "Rust",
    ".sh": "a shell script",
}
_FILES = {
    "CMakeLists.txt": "a CMake script",
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), "a makefile"),
}
LARGEST_BYTES = 256 << 20  # of one file; bounds the memory that a wrong one takes
_CHUNK_BYTES = 1 << 16  # of one read from a pipe
_GRACE_S = 10.0  # without anything from a pipe


class Span(Struct, frozen=True, order=True):
    """A range of lines of one file, first and last inclusive, counted from 1; column 0 means unknown."""

    path: str
    line: int
    end_line: int
    column: int = 0

    def __str__(self) -> str:
        """Render as ``path:line``."""
        return f"{self.path}:{self.line}"

    def is_within(self, outer: Span) -> bool:
        """Return whether it begins in the lines of another one."""
        return self.path == outer.path and outer.line <= self.line <= outer.end_line


NO_SPAN = Span("", 0, 0)


class SourceFile(Struct, frozen=True):
    """Decoded text of one input.

    ``first_line`` is the line of the containing document at which ``text`` starts: a fenced block of a
    Markdown file keeps the line numbers of that file.
    """

    path: str
    text: str
    language: Language
    first_line: int = 1


def language_of(path: str) -> Language:
    """Return the language by file suffix; C where the suffix says nothing."""
    return _SUFFIXES.get(Path(path).suffix.lower(), Language.C)


def refuse_other_language(path: str) -> None:
    """Raise ``SourceError`` for a name that says that the file is of a language that is not read."""
    other = _OTHERS.get(Path(path).suffix.lower()) or _FILES.get(Path(path).name)
    if other is not None:
        raise SourceError(f"is {other}, which is not read", path=path, hint="give C, C++ or CUDA source")


def is_header(path: str) -> bool:
    """Return whether a file has the name of a header."""
    return path.lower().endswith(HEADERS)


def read_source(path: str, *, language: Language | None = None) -> SourceFile:
    """Read one file as UTF-8 (Latin-1 where that fails), or raise ``SourceError`` that says why not."""
    if os.path.isfile(path):
        refuse_other_language(path)
    try:
        raw = _piped(path) if stat.S_ISFIFO(os.stat(path).st_mode) else _stored(path)
    except FileNotFoundError:
        raise SourceError("no such file", path=path, hint=_what_to_name(path)) from None
    except IsADirectoryError:
        raise SourceError("is a directory, not a file", path=path, hint="name the files in it") from None
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", path=path) from error
    if len(raw) > LARGEST_BYTES:
        raise SourceError(f"is larger than {LARGEST_BYTES >> 20} MiB", path=path, hint="give C, C++ or CUDA source")
    if b"\0" in raw[:8192]:
        raise SourceError("is a binary file, not source text", path=path, hint="give C, C++ or CUDA source")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    if not text.strip():
        raise SourceError("is empty", path=path, hint="give a file with at least one loop")
    return SourceFile(path, text.replace("\r\n", "\n"), language or language_of(path))


def _what_to_name(path: str) -> str:
    """Return what to give instead of a path that is not there: a file of nearly this name, or code another way."""
    if _CODE.search(path):
        return "code is read from standard input, named -, and in Python by source_text"
    return near_path(path)


def _stored(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read(LARGEST_BYTES + 1)


def _piped(path: str) -> bytes:
    """Return the bytes of a pipe until it is closed; raises ``SourceError`` where none come for ``_GRACE_S``."""
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # else it waits for somebody to write
    try:
        found = bytearray()
        while len(found) <= LARGEST_BYTES:
            if not select.select([pipe], [], [], _GRACE_S)[0]:
                hint = "let a program write to it, or name a file"
                raise SourceError(f"is a pipe that nothing came through for {_GRACE_S:g} s", path=path, hint=hint)
            part = os.read(pipe, _CHUNK_BYTES)
            if not part:
                break
            found += part
        return bytes(found)
    finally:
        os.close(pipe)
