"""Fenced code of a Markdown document: one ``SourceFile`` per block of C, C++ or CUDA.

Blocks keep the document's path and line numbers.  A block without a language counts where it looks like C; blocks of
other languages are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from ...python.regex import regex
from ...source import Language, SourceFile
from .dialect import dialect_of
from .lexical import without_comments

_FENCE = regex(r"^(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)$")
_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".qmd", ".rmd"})
_LANGUAGES = {
    **dict.fromkeys(("c", "h", "c99", "c11", "c17"), Language.C),
    **dict.fromkeys(("cpp", "c++", "cxx", "cc", "hpp"), Language.CXX),
    **dict.fromkeys(("cuda", "cu", "cuda-c", "hip"), Language.CUDA),
}
_LOOKS_LIKE_C = regex(r"\b(?:for|while)\s*\([^)]*(?:;|[<>!])|^\s*#\s*pragma\b|\b__global__\b|\)\s*\{", re.MULTILINE)
_OTHER_LANGUAGE = regex(r"^\s*(?:\$ |>>> |import |def |func |fn |let |var |const \w+ =)|=>", re.MULTILINE)


def is_markdown(path: str) -> bool:
    """Return True where the suffix says Markdown."""
    return PurePath(path).suffix.lower() in _SUFFIXES


def code_blocks(source: SourceFile) -> tuple[SourceFile, ...]:
    """Return blocks of C, C++ and CUDA in order; an unclosed fence runs to the end of the document."""
    blocks: list[SourceFile] = []
    for info, first_line, lines in _fenced(source.text.split("\n")):
        text = "\n".join(lines) + "\n"
        language = _language(info, text)
        if language is not None and text.strip():
            spoken = dialect_of(without_comments(text), language)
            blocks.append(SourceFile(source.path, text, spoken, source.first_line + first_line))
    return tuple(blocks)


def _fenced(lines: list[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the info string, number of lines before the block's first line, and lines of each fenced block."""
    opened: re.Match[str] | None = None
    start = 0
    for index, line in enumerate([*lines, None]):
        if opened is None:
            opened = _FENCE.match(line) if line is not None else None
            start = index + 1
        elif line is None or _closes(line, opened["fence"]):
            yield opened["info"], start, [_dedented(item, opened["indent"]) for item in lines[start:index]]
            opened = None


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip(" \t>")
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _dedented(line: str, indent: str) -> str:
    """Return the line without the fence's own indentation, or as much of it as the line has."""
    kept = 0
    while kept < len(indent) and kept < len(line) and line[kept] in " \t>":
        kept += 1
    return line[kept:]


def _language(info: str, text: str) -> Language | None:
    words = re.split(r"[\s,{}]+", info.strip().lower())
    word = next((item.lstrip(".") for item in words if item), "")
    if word:
        return _LANGUAGES.get(word)
    return Language.C if _LOOKS_LIKE_C.search(text) and not _OTHER_LANGUAGE.search(text) else None
