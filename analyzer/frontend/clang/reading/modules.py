"""Modules of C++ in a file that is read alone: imports become includes, ``export`` goes.

``import std;`` gives our declarations of the standard library, ``import <vector>;`` and ``import "a.h";`` the header.
Other modules cannot be read from here, so only what needs them is lost.  Lines stay where they are.
"""

from __future__ import annotations

import re
from pathlib import Path

from ....diagnostics import Diagnostic
from ....python.regex import regex
from ....source import SourceFile, Span

_DECLARATION = regex(
    r"^[ \t]*(?:export[ \t]+)?(?:"
    r"import[ \t]+(?P<header><[^>\n]+>|\"[^\"\n]+\")"
    r"|import[ \t]+(?P<name>[\w.]+(?:[ \t]*:[ \t]*[\w.]+)?|:[ \t]*[\w.]+)"
    r"|(?P<module>module)(?:[ \t]+[\w.]+)?(?:[ \t]*:[ \t]*[\w.]+)?"
    r")[ \t]*;(?P<comment>[ \t]*(?://[^\n]*)?)$",
    re.MULTILINE,
)
_EXPORTED = regex(r"^(?P<lead>[ \t]*)export(?P<block>\s*\{)?(?=[\s{])", re.MULTILINE)
_STANDARD = ("std", "std.compat")
_WHOLE_LIBRARY = Path(__file__).parents[2] / "headers" / "cxx" / "ai_std"


def without_modules(source: SourceFile) -> tuple[str, list[Diagnostic]]:
    """Return the text without modules, and what is missing therefore.

    >>> from analyzer.source import Language
    >>> without_modules(SourceFile("a.cpp", "import <vector>;\\nexport int f();", Language.CXX))[0]
    '#include <vector>\\n       int f();'
    """
    missing: list[Diagnostic] = []

    def included(found: re.Match[str]) -> str:
        name = found["name"]
        if found["header"] is not None:
            return f"#include {found['header']}{found['comment']}"
        if name in _STANDARD:
            return f'#include "{_WHOLE_LIBRARY}"{found["comment"]}'
        if name is not None:
            line = source.first_line + source.text.count("\n", 0, found.start())
            missing.append(Diagnostic.of("AI002", Span(source.path, line, line), "module", name=name))
        comment: str = found["comment"]
        return comment

    if "import" not in source.text and "module" not in source.text:
        return source.text, []
    text, count = _DECLARATION.subn(included, source.text)
    return (_EXPORTED.sub(_not_exported, text), missing) if count else (source.text, [])


def _not_exported(found: re.Match[str]) -> str:
    block = found["block"]
    return found["lead"] + (f'extern "C++"{block}' if block is not None else " " * len("export"))
