r"""Pragmas by the line that they apply to: text to a mapping, shared by both parsers.

A ``#pragma`` line, or several in a row with blank lines between, applies to the next line that holds code.  Continued
lines are joined; ``_Pragma("...")`` counts as a pragma too.  A loop inside a block that a pragma makes parallel has the
``num_threads`` of that one, and in it macros that stand for numbers are these.  The parser gives the texts to the
*first* loop that starts on that line (the outermost one of ``for (...) for (...)``).

>>> collect_pragmas("#pragma omp parallel for \\\n  collapse(2)\nfor (;;) ;")
{3: ('omp parallel for collapse(2)',)}
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .lexical import with_joined_lines, without_comments

_PRAGMA = re.compile(r"\s*#\s*pragma\b(?P<text>.*)")
_OPERATOR = re.compile(r"""\s*(?:_Pragma|__pragma)\s*\(\s*(?:"(?P<text>(?:\\.|[^"\\])*)"|(?P<bare>[^()]*))\s*\)\s*;?""")


_THREADS = re.compile(r"\bnum_threads\s*\((?P<number>[^()]*)\)")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?[ \t]*(\d+)[ \t]*\)?[ \t]*$", re.MULTILINE)


def collect_pragmas(text: str, *, first_line: int = 1) -> Mapping[int, tuple[str, ...]]:
    """Return pragma texts without ``#pragma``, by the line of the code below; the text starts at ``first_line``."""
    found: dict[int, tuple[str, ...]] = {}
    if "ragma" not in text:  # large texts are mostly data
        return found
    joined = with_joined_lines(without_comments(text))
    blocks = _Blocks(dict(_MACRO.findall(joined)) if "num_threads" in joined else None)
    waiting: list[str] = []
    for number, line in enumerate(joined.split("\n"), first_line):
        pragma = _PRAGMA.match(line)
        if pragma is not None:
            waiting.append(blocks.with_threads(" ".join(pragma["text"].split())))
            continue
        rest = line
        while (operator := _OPERATOR.match(rest)) is not None:
            waiting.append(blocks.with_threads(_unquoted(operator)))
            rest = rest[operator.end() :]
        if rest.strip() and not rest.lstrip().startswith("#"):
            if waiting:
                found[number] = tuple(waiting)
            blocks.pass_over(rest, waiting)
            waiting = []
    return found


class _Blocks:
    """The parallel blocks around a line of which the number of threads is stated, by the depth of their braces."""

    def __init__(self, macros: Mapping[str, str] | None) -> None:
        """Keep the numbers that macros stand for; None where no pragma states a number of threads."""
        self._macros = macros
        self._depth = 0
        self._around: list[tuple[int, str]] = []

    def with_threads(self, pragma: str) -> str:
        """Return a pragma with the number of threads of the block around it."""
        if self._macros is None:
            return pragma
        pragma = _THREADS.sub(self._expanded, pragma)
        if self._around and pragma.startswith("omp") and "num_threads" not in pragma:
            return f"{pragma} {self._around[-1][1]}"
        return pragma

    def _expanded(self, clause: re.Match[str]) -> str:
        macros = self._macros or {}
        number = _NAME.sub(lambda name: macros.get(name[0], name[0]), clause["number"])
        return f"num_threads({number.strip()})"

    def pass_over(self, line: str, pragmas: list[str]) -> None:
        """Follow the braces of a line of code below some pragmas."""
        if self._macros is None:
            return
        stated = next((found[0] for text in pragmas if (found := _THREADS.search(text)) is not None), None)
        if stated is not None and line.lstrip().startswith("{"):
            self._around.append((self._depth, stated))
        self._depth += line.count("{") - line.count("}")
        while self._around and self._depth <= self._around[-1][0]:
            self._around.pop()


def without_pragmas(text: str) -> str:
    """Replace every pragma by nothing, keeping line numbers; the text must have its lines joined already."""
    lines = ("" if _PRAGMA.match(line) else line for line in text.split("\n"))
    return re.sub(r'\b_Pragma\s*\(\s*"(?:\\.|[^"\\\n])*"\s*\)', "", "\n".join(lines))


def _unquoted(operator: re.Match[str]) -> str:
    text = operator["bare"] if operator["text"] is None else operator["text"].replace('\\"', '"')
    return " ".join(text.split())
