"""Directives of a snippet: text to text of the same lines, with the macros expanded, and diagnostics.

pcpp runs only where there is a directive other than a pragma.  Included files are not read: a bare snippet is read for
its loops, and the other parser reads whole translation units with their headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pcpp

from ..diagnostics import Diagnostic
from ..source import Span
from .lexical import with_joined_lines, without_comments

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?!pragma\b)(\w*)", re.MULTILINE)
_LINE_MARKER = re.compile(r"^[ \t]*#[ \t]*(?:line\b|[0-9]).*$", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"\s*[-+]?(?:0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][-+]?[0-9]+)?)[uUlLfF]*\s*")
_STANDARD_HEADER = re.compile(
    r"<(?:c?(?:assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg"
    r"|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype)(?:\.h)?"
    r"|unistd\.h|omp\.h|sys/\w+\.h|\w*intrin\.h|malloc\.h|algorithm|vector|array|iostream|numeric|cmath)>"
)


def preprocess(text: str, defines: Mapping[str, str], path: str, first_line: int) -> tuple[str, tuple[Diagnostic, ...]]:
    """Text without comments, continued lines and directives other than pragmas, on unchanged line numbers.

    A numeric ``-D`` whose name no directive mentions is not expanded: the name stays a symbol of the loop, so that
    the report can show it as a parameter and bind it.
    """
    plain = _LINE_MARKER.sub("", with_joined_lines(without_comments(text)))
    directives = [match for match in _DIRECTIVE.finditer(plain) if match[1] or _rest_of_line(plain, match.end())]
    mentioned = {name for match in directives for name in _NAME.findall(_rest_of_line(plain, match.end()))}
    macros = {
        name: value
        for name, value in defines.items()
        if name.split("(")[0] in mentioned or not _NUMBER.fullmatch(value or "1")
    }
    if not directives and not macros:
        return plain, ()
    return _expanded(plain, macros, path, first_line)


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # pcpp publishes no types
    """pcpp that reads no file, prints nothing and keeps its complaints."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[tuple[str, int, str]] = []

    def include(self, tokens: list[Any], *_: Any) -> Iterator[Any]:
        """Note the header instead of reading it."""
        header = "".join(token.value for token in tokens).strip()
        if not _STANDARD_HEADER.fullmatch(header):
            line = tokens[0].lineno if tokens else 0
            self.complaints.append(("AI002", line, f"header {header} was not read"))
        return iter(())

    def on_error(self, file: str, line: int, msg: str) -> None:
        """Note an error instead of printing it."""
        self.complaints.append(("AI001", line, msg))

    def on_comment(self, tok: Any) -> bool:
        """Drop comments."""
        return False


def _expanded(text: str, macros: Mapping[str, str], path: str, first_line: int) -> tuple[str, tuple[Diagnostic, ...]]:
    preprocessor = _Preprocessor()
    lines: list[str] = [""] * (text.count("\n") + 1)
    try:
        for name, value in macros.items():
            preprocessor.define(f"{name} {value or '1'}")
        preprocessor.parse(text if text.endswith("\n") else text + "\n", path)
        current = 0
        while (token := preprocessor.token()) is not None:
            if token.value and not token.value.isspace():
                # A macro's replacement carries the line of its use; a few tokens of pcpp run behind, none ahead.
                current = min(max(current, token.lineno - 1), len(lines) - 1)
                lines[current] += token.value.replace("\n", " ")
            elif token.value and 0 <= token.lineno - 1 < len(lines):
                lines[max(current, token.lineno - 1)] += " "
    except Exception as error:  # pcpp raises anything at all on malformed directives; the text is then left as it was
        kind = type(error).__name__
        preprocessor.complaints.append(("AI001", 1, f"the preprocessor directives cannot be read ({kind}: {error})"))
        lines = [_DIRECTIVE_LINE.sub("", line) for line in text.split("\n")]
    diagnostics = tuple(
        Diagnostic(code, _span(path, max(line, 1) + first_line - 1), message, _HINTS.get(code, ""))
        for code, line, message in preprocessor.complaints
    )
    return "\n".join(lines), diagnostics


_HINTS = {"AI002": "headers are read with --frontend clang"}
_DIRECTIVE_LINE = re.compile(r"^[ \t]*#[ \t]*(?!pragma\b).*")


def _rest_of_line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def _span(path: str, line: int) -> Span:
    return Span(path, line, line)
