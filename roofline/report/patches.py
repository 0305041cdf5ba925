"""Advice as a change of the source, where that is mechanical: report -> the new text of its files.

Another order of perfectly nested loops exchanges the headers of the ``for`` statements.  It is left to people where
something stands between the loops, a pragma above them, or a header names a loop that would be inside of it then.
The dependences were checked where the advice was made (:mod:`analyzer.transformations`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from msgspec import Struct

from analyzer.frontend.text.lexical import without_comments
from analyzer.ir.names import source_name
from analyzer.transformations.kinds import Interchange

from ..model.advice.kinds import TransformLoops
from .regions import FileReport, RegionReport
from .report import Report
from .sentences import advice_text

_FOR = re.compile(r"\bfor\s*\(")
_INNER = re.compile(r"[\s{]*\bfor\s*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")


class Edit(Struct, frozen=True, kw_only=True):
    """New text for the characters from ``start`` to ``end`` of a source, in lines ``line`` to ``end_line``."""

    start: int
    end: int
    text: str
    line: int
    end_line: int


class Change(Struct, frozen=True, kw_only=True):
    """An advice as the edits that follow it; ``path`` is the file and ``title`` the advice in words."""

    path: str
    line: int
    end_line: int
    title: str
    edits: tuple[Edit, ...]


def changes_of(file: FileReport) -> Sequence[Change]:
    """Return the changes that the advice on the nests of a file allows, one for each nest at most."""
    found: dict[int, Change] = {}
    if file.profile.first_line != 1:  # a part of a document
        return ()
    for region in file.regions:
        for part in (region, *region.all_nests):
            if part.profile.span.path == file.profile.path and part.profile.span.line not in found:
                for change in _changes(file, part):
                    found[part.profile.span.line] = change
                    break
    return tuple(found.values())


def patch_text(report: Report) -> str:
    """Return a unified diff of all changes; empty where no advice can be followed mechanically."""
    return "".join(_diff(file) for file in report.files)


def _diff(file: FileReport) -> str:
    before = file.profile.source_text
    edits = [edit for change in changes_of(file) for edit in change.edits]
    after = before
    for edit in sorted(edits, key=lambda edit: -edit.start):
        after = after[: edit.start] + edit.text + after[edit.end :]
    path = file.profile.path.removeprefix("./")
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    lines = unified_diff(old, new, f"a/{path.lstrip('/')}", f"b/{path.lstrip('/')}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _changes(file: FileReport, part: RegionReport) -> Iterator[Change]:
    """Yield the changes of one nest, the first advice first."""
    for advice in part.advice:
        match advice:
            case TransformLoops(steps=(Interchange() as step,)):
                edits = _interchanged(file.profile.source_text, file.profile.first_line, step)
                if edits:
                    span, title = part.profile.span, advice_text(advice)
                    yield Change(
                        path=file.profile.path, line=span.line, end_line=span.end_line, title=title, edits=edits
                    )


def _interchanged(source: str, first_line: int, step: Interchange) -> tuple[Edit, ...]:
    """Return the edits that exchange the headers of loops; () where the source does not allow it."""
    text = without_comments(source)
    lines = text.split("\n")
    above = step.line - first_line
    if not 0 <= above < len(lines) or _has_pragma(lines, above):
        return ()
    position = sum(len(line) + 1 for line in lines[:above])
    before, order = ([source_name(name) for name in names] for names in (step.before, step.order))
    headers: dict[str, tuple[int, int]] = {}
    for name in before:
        found = _INNER.match(text, position) if headers else _FOR.search(text, position)
        end = None if found is None else _closing(text, found.end())
        if found is None or end is None or name not in _WORD.findall(text[found.end() : end]):
            return ()
        headers[name] = found.end(), end
        position = end + 1
    spelled = {name: source[start:end] for name, (start, end) in headers.items()}
    for number, name in enumerate(order):
        if not set(order[number + 1 :]).isdisjoint(_WORD.findall(text[slice(*headers[name])])):
            return ()
    return tuple(
        Edit(
            start=headers[old][0],
            end=headers[old][1],
            text=spelled[new],
            line=first_line + text.count("\n", 0, headers[old][0]),
            end_line=first_line + text.count("\n", 0, headers[old][1]),
        )
        for old, new in zip(before, order, strict=True)
        if old != new
    )


def _has_pragma(lines: Sequence[str], above: int) -> bool:
    """Return whether the last line with text above a loop is a pragma."""
    previous = next((line for line in reversed(lines[:above]) if line.strip()), "")
    return previous.lstrip().startswith("#pragma") or "_Pragma" in previous


def _closing(text: str, position: int) -> int | None:
    """Return the position of the bracket that closes the one before a position."""
    depth = 1
    for found in re.finditer(r"[()]", text[position:]):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return position + found.start()
    return None
