r"""Pragmas by the line that they apply to: text to a mapping, shared by both parsers.

A ``#pragma`` line, or several in a row with blank lines between, applies to the next line that holds code.  Continued
lines are joined; ``_Pragma("...")`` counts as a pragma too.  The parser gives the texts to the *first* loop that
starts on that line (the outermost one of ``for (...) for (...)``).

>>> collect_pragmas("#pragma omp parallel for \\\n  collapse(2)\nfor (;;) ;")
{3: ('omp parallel for collapse(2)',)}
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .lexical import with_joined_lines, without_comments

_PRAGMA = re.compile(r"\s*#\s*pragma\b(?P<text>.*)")
_OPERATOR = re.compile(r"""\s*(?:_Pragma|__pragma)\s*\(\s*(?:"(?P<text>(?:\\.|[^"\\])*)"|(?P<bare>[^()]*))\s*\)\s*;?""")


def collect_pragmas(text: str, *, first_line: int = 1) -> Mapping[int, tuple[str, ...]]:
    """Return pragma texts without ``#pragma``, by the line of the code below; the text starts at ``first_line``."""
    found: dict[int, tuple[str, ...]] = {}
    if "ragma" not in text:  # large texts are mostly data
        return found
    waiting: list[str] = []
    for number, line in enumerate(with_joined_lines(without_comments(text)).split("\n"), first_line):
        pragma = _PRAGMA.match(line)
        if pragma is not None:
            waiting.append(" ".join(pragma["text"].split()))
            continue
        rest = line
        while (operator := _OPERATOR.match(rest)) is not None:
            waiting.append(_unquoted(operator))
            rest = rest[operator.end() :]
        if rest.strip() and not rest.lstrip().startswith("#"):
            if waiting:
                found[number] = tuple(waiting)
            waiting = []
    return found


def without_pragmas(text: str) -> str:
    """Replace every pragma by nothing, keeping line numbers; the text must have its lines joined already."""
    lines = ("" if _PRAGMA.match(line) else line for line in text.split("\n"))
    return re.sub(r'\b_Pragma\s*\(\s*"(?:\\.|[^"\\\n])*"\s*\)', "", "\n".join(lines))


def _unquoted(operator: re.Match[str]) -> str:
    text = operator["bare"] if operator["text"] is None else operator["text"].replace('\\"', '"')
    return " ".join(text.split())
