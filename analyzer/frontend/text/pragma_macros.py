r"""Macros with ``_Pragma`` in them, expanded where a text uses them.

Input: a text, and the headers in which such macros may be defined.  Output: the text on the same lines, where
a line with such a macro is as the preprocessor expands it, and every other one is unchanged.

>>> text = '#define FOR _Pragma("omp parallel for") for\nFOR (;;) ;'
>>> with_expanded_pragmas(text, (), {}).splitlines()[1]
'_Pragma("omp parallel for") for (;;) ;'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from ...python.regex import regex
from .arms import FOLLOWING
from .lexical import with_joined_lines, without_comments

_DEFINITION = regex(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?P<rest>.*)$", re.MULTILINE)
_DIRECTIVE = regex(r"[ \t]*#[ \t]*(?!pragma\b|include|import\b|error\b|warning\b)\w+")
_OPERATOR = regex(r"\b_Pragma\b|\b__pragma\b")
_NAME = regex(r"\b[A-Za-z_]\w*\b")
_MOST_LINES = 400  # of one use


def with_expanded_pragmas(text: str, headers: Sequence[str], macros: Mapping[str, str]) -> str:
    """Return a text without comments, its continued lines joined, in which macros with pragmas in them are expanded.

    ``headers`` are the included files with the operator in their texts, in order, ``macros`` are of the command line.
    A text that has no pragma, nor a header, is returned as it is.
    """
    if not headers and "ragma" not in text:
        return text
    own = with_joined_lines(without_comments(text))
    others = [with_joined_lines(without_comments(each)) for each in headers]
    names = _defined_with_pragmas([*others, own])
    lines = own.split("\n")
    used = frozenset(_uses(lines, names)) if names else frozenset()
    if not used:
        return own
    from .expansion import expanded  # pcpp loads only where it is wanted

    before = [line for each in others for line in each.split("\n") if _DIRECTIVE.match(line)]
    kept = [line if number in used or _DIRECTIVE.match(line) else "" for number, line in enumerate(lines)]
    whole, _ = expanded("\n".join([*before, *kept]), {**FOLLOWING, **macros}, "", 1)
    made = whole.split("\n")[len(before) :]
    return "\n".join(made[number].rstrip() if number in used else line for number, line in enumerate(lines))


def _defined_with_pragmas(texts: Sequence[str]) -> Set[str]:
    """Return the names of macros whose text has the operator, or the name of such a macro."""
    waiting = [(found["name"], found["rest"]) for text in texts for found in _DEFINITION.finditer(text)]
    names = {name for name, rest in waiting if _OPERATOR.search(rest)}
    grown = bool(names)
    while grown:
        more = {name for name, rest in waiting if name not in names and not names.isdisjoint(_NAME.findall(rest))}
        names |= more
        grown = bool(more)
    return names


def _uses(lines: Sequence[str], names: Set[str]) -> Iterator[int]:
    """Yield the lines that use one of the macros, up to the end of its arguments."""
    used = regex(r"\b(?:" + "|".join(map(re.escape, sorted(names))) + r")\b")
    last, depth = -1, 0
    for number, line in enumerate(lines):
        goes_on = depth > 0 and number <= last
        found = None if goes_on or line.lstrip().startswith("#") else used.search(line)
        if found is not None:
            last, depth = number + _MOST_LINES, _open_parentheses(line[found.start() :])
        elif goes_on:
            depth += _open_parentheses(line)
        if goes_on or found is not None:
            yield number


def _open_parentheses(text: str) -> int:
    return text.count("(") - text.count(")")
