"""The door to pcpp: a snippet with directives to the same lines with the macros expanded, and diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pcpp

from ...diagnostics import Diagnostic, Phrase, why_given_up
from ...limits.hard_limit import GIVEN_UP, cause_of, hard_limit, remaining
from ...python.regex import regex
from ...source import Span

_STANDARD_HEADER = regex(
    r"<(?:c?(?:assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg"
    r"|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|threads|time|uchar|wchar|wctype)(?:\.h)?"
    r"|unistd\.h|omp\.h|sys/\w+\.h|\w*intrin\.h|malloc\.h|algorithm|vector|array|iostream|numeric|cmath)>"
)
_DIRECTIVE_LINE = regex(r"^[ \t]*#[ \t]*(?!pragma\b).*")
_SHARE = 0.3  # of the time that is left for reading: without macros most functions can be read, too


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # pcpp publishes no types
    """pcpp that reads no file, prints nothing and collects its complaints."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[tuple[int, Phrase]] = []

    def include(self, tokens: list[Any], *_: Any) -> Iterator[Any]:
        """Note the header instead of reading it."""
        header = "".join(token.value for token in tokens).strip()
        if not _STANDARD_HEADER.fullmatch(header):
            line = tokens[0].lineno if tokens else 0
            self.complaints.append((line, Phrase.of("AI002", "not-read", name=header)))
        return iter(())

    def on_error(self, file: str, line: int, msg: str) -> None:
        """Note an error instead of printing it."""
        self.complaints.append((line, Phrase.of("AI001", "compiler", message=msg)))

    def on_comment(self, tok: Any) -> bool:
        """Drop comments."""
        return False


def expanded(text: str, macros: Mapping[str, str], path: str, first_line: int) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the text on unchanged line numbers, with its directives carried out; ``macros`` come first."""
    preprocessor = _Preprocessor()
    try:
        with hard_limit(_SHARE * remaining()):
            lines = _lines(preprocessor, text, macros, path)
    except GIVEN_UP as error:
        preprocessor.complaints.append((1, Phrase.of("AI213", "macros", why=why_given_up(cause_of(error)))))
        lines = _without_directives(text)
    except Exception as error:  # pcpp raises anything at all on malformed directives; the text is then left as it was
        complaint = Phrase.of("AI001", "directives", error=f"{type(error).__name__}: {error}")
        preprocessor.complaints.append((1, complaint))
        lines = _without_directives(text)
    diagnostics = tuple(
        Diagnostic(found.code, _span(path, max(line, 1) + first_line - 1), found.form, found.fields)
        for line, found in preprocessor.complaints
    )
    return "\n".join(lines), diagnostics


def _lines(preprocessor: _Preprocessor, text: str, macros: Mapping[str, str], path: str) -> list[str]:
    lines: list[str] = [""] * (text.count("\n") + 1)
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
    return lines


def _without_directives(text: str) -> list[str]:
    return [_DIRECTIVE_LINE.sub("", line) for line in text.split("\n")]


def _span(path: str, line: int) -> Span:
    return Span(path, line, line)
