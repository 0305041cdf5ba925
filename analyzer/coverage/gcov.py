"""Counts from ``gcov --json-format --branch-probabilities`` (gcc 9 and later; format versions 1 and 2).

``{"current_working_directory", "files": [{"file", "functions": [...], "lines": [{"line_number", "count",
"function_name", "branches": [{"count", "fallthrough", "throw"}]}]}]}`` (GCC manual, "Invoking gcov").  With ``-t`` a
file has one such document on each line.  Branches are the two outcomes of each jump (:mod:`.outcomes`); those to
handlers of exceptions are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ..data_files.documents import parse_json
from ..data_files.values import Value
from ..errors import OptionError
from .counts import Decision, FileCounts, FunctionCounts, added

_MOST = 10**18


def read_gcov(text: str, path: str) -> Iterator[FileCounts]:
    """Yield the counts of the source files of a document, or of several on a line each; raises ``OptionError``."""
    documents = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not all(line.startswith("{") for _, line in documents):
        documents = [(1, text)]
    for number, document in documents:
        yield from _document(parse_json(document, path, error=OptionError, line=number), path)


def _document(root: Value, path: str) -> Iterator[FileCounts]:
    entries = root.entries(("files",))
    folder = entries["current_working_directory"].text() if "current_working_directory" in entries else ""
    for file in entries["files"].items():
        named = file.entries(("file", "lines"))
        functions = named["functions"].items() if "functions" in named else ()
        yield FileCounts(
            os.path.join(folder, named["file"].text()), (path,), tuple(_functions(functions, named["lines"].items()))
        )


def _functions(functions: Sequence[Value], lines: Sequence[Value]) -> Iterator[FunctionCounts]:
    """Yield the counts of each function, and those of lines that are in none."""
    own: dict[str, list[FunctionCounts]] = {}
    for line in lines:
        entries = line.entries(("line_number", "count"))
        name = entries["function_name"].text() if "function_name" in entries else ""
        own.setdefault(name, []).append(_line(entries))
    for function in functions:
        entries = function.entries(("name", "start_line", "execution_count"))
        printed = entries.get("demangled_name", entries["name"]).text()
        start = FunctionCounts(
            name=printed,
            symbol=entries["name"].text(),
            line=entries["start_line"].integer(0),
            end_line=entries["end_line"].integer(0) if "end_line" in entries else 0,
            calls=entries["execution_count"].integer(0, _MOST),
        )
        yield added((start, *own.pop(entries["name"].text(), ())))
    for rest in own.values():
        yield added(rest)


def _line(entries: dict[str, Value]) -> FunctionCounts:
    number = entries["line_number"].integer(0)
    branches = [branch.entries(("count",)) for branch in entries["branches"].items()] if "branches" in entries else []
    plain = [branch for branch in branches if "throw" not in branch or not branch["throw"].flag()]
    outcomes = [branch["count"].integer(0, _MOST) for branch in plain]
    pairs = zip(outcomes[::2], outcomes[1::2], strict=False) if len(outcomes) % 2 == 0 else ()
    decisions = tuple(Decision(true, false) for true, false in pairs)
    return FunctionCounts(
        lines={number: entries["count"].integer(0, _MOST)},
        decisions={number: decisions} if decisions else {},
        of_jumps=True,
    )
