"""Directives of a snippet: text to text of the same lines, with the macros expanded, and diagnostics.

pcpp runs only where there is a directive other than a pragma.  Included files are not read: a bare snippet is read for
its loops, and the other parser reads whole translation units with their headers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...diagnostics import Diagnostic
from ...python.regex import regex
from ..text.lexical import with_joined_lines, without_comments

_DIRECTIVE = regex(r"^[ \t]*#[ \t]*(?!pragma\b)(\w*)", re.MULTILINE)
_LINE_MARKER = regex(r"^[ \t]*#[ \t]*(?:line\b|[0-9]).*$", re.MULTILINE)
_NAME = regex(r"[A-Za-z_]\w*")
_NUMBER = regex(r"\s*[-+]?(?:0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][-+]?[0-9]+)?)[uUlLfF]*\s*")


def preprocess(text: str, defines: Mapping[str, str], path: str, first_line: int) -> tuple[str, tuple[Diagnostic, ...]]:
    """Return the text without comments, continued lines and directives other than pragmas, on unchanged line numbers.

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
    from ..text.expansion import expanded  # pcpp loads only where it is wanted

    return expanded(plain, macros, path, first_line)


def _rest_of_line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]
