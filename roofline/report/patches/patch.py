"""Advice as a change of the source, where that is mechanical: report -> the new text of its files.

Another order of perfectly nested loops exchanges the headers of the ``for`` statements; a loop in tiles gets a loop
over them around the nest; a loop that is unrolled and jammed gets copies of the innermost body, and for what remains
the nest as it was; of nests that are fused the first one gets the bodies of all (:mod:`.fused_source`); elements that
stay in memory get local variables (:mod:`.held_source`); a kernel has its axes exchanged (:mod:`.exchanged_source`).
It is left to people where something stands between the loops, a pragma above them, a header names a loop that would be
inside of it then, or loops do not count up by one.
The dependences were checked where the advice was made (:mod:`analyzer.transformations`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from msgspec import Struct

from analyzer.frontend.text.lexical import without_comments
from analyzer.ir.names import source_name
from analyzer.python.regex import regex
from analyzer.transformations.kinds import Cut, Exchange, Fuse, Interchange, Jam

from ...model.advice.kinds import Advice, HoldElements, TransformLoops
from ..advice_sentences import advice_text
from ..regions import FileReport, RegionReport
from ..report import Report
from .edits import Edit, edit_at, has_pragma, line_of
from .exchanged_source import exchanged
from .fused_source import fused
from .held_source import with_held
from .source_loops import FOR, INNER, WORD, Header, body_of, closing, nest_at

_JUMPS = frozenset({"break", "continue", "goto", "return", "static", "for", "while", "do", "switch"})
_BRACKETED = regex(r"\[\((\w+ \+ \d+)\)\]")
_SIGNED = frozenset({"int", "long", "long long", "ptrdiff_t", "int64_t", "int32_t"})


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
        span, title = part.profile.span, advice_text(advice)
        edits = _edits(file, advice, part)
        if edits:
            yield Change(path=file.profile.path, line=span.line, end_line=span.end_line, title=title, edits=edits)


def _edits(file: FileReport, advice: Advice, part: RegionReport) -> tuple[Edit, ...]:
    source, first_line = file.profile.source_text, file.profile.first_line
    match advice:
        case TransformLoops(steps=(Interchange() as step,)):
            return _interchanged(source, first_line, step)
        case TransformLoops(steps=(Cut() as step,)):
            return _in_tiles(source, first_line, step)
        case TransformLoops(steps=(Jam() as step,)):
            return _jammed(source, first_line, step)
        case TransformLoops(steps=(Fuse() as step,)):
            return fused(source, first_line, step)
        case TransformLoops(steps=(Exchange(),)):
            return exchanged(source, first_line, part)
        case HoldElements():
            return with_held(source, first_line, (part.profile.span.line, part.profile.span.end_line), advice)
        case _:
            return ()


def _in_tiles(source: str, first_line: int, step: Cut) -> tuple[Edit, ...]:
    """Return the edits that put a loop over the tiles around a nest; () where the source does not allow it."""
    text = without_comments(source)
    lines = text.split("\n")
    inner_name, outer_name = source_name(step.inner), source_name(step.outer)
    starts = [
        found.start() for found in FOR.finditer(text) if text.count("\n", 0, found.start()) <= step.line - first_line
    ]
    nests = [nest_at(text, start, inner_name) for start in reversed(starts)]
    headers = next((nest for nest in nests if nest and nest[0].name == outer_name), ())
    if len(headers) < 2 or headers[-1].name != inner_name or line_of(text, headers[-1].at) != step.line - first_line:
        return ()
    outer, inner, tile = headers[0], headers[-1], f"{inner_name}_tile"
    around = {header.name for header in headers}
    if around & inner.words or tile in WORD.findall(text) or has_pragma(lines, line_of(text, outer.at)):
        return ()
    over = f"for ({inner.kind} {tile} = {inner.first}; {tile} {inner.relation} {inner.bound}; {tile} += {step.tile})"
    margin = lines[line_of(text, outer.at)]
    margin = margin[: len(margin) - len(margin.lstrip())]
    within = (
        f"{inner.kind} {inner_name} = {tile}; {inner_name} {inner.relation} {inner.bound} && "
        f"{inner_name} < {tile} + {step.tile}; {inner_name}++"
    )
    return (
        edit_at(text, first_line, outer.at, outer.at, f"{over}\n{margin}"),
        edit_at(text, first_line, inner.start, inner.end, within),
    )


def _jammed(source: str, first_line: int, step: Jam) -> tuple[Edit, ...]:
    """Return the edits that unroll a loop and jam its copies into the innermost one; () where that is no rewriting."""
    text = without_comments(source)
    lines = text.split("\n")
    above = step.line - first_line
    headers = nest_at(text, sum(len(line) + 1 for line in lines[:above])) if 0 <= above < len(lines) else ()
    place = body_of(text, headers) if len(headers) > 1 else None
    if place is None or has_pragma(lines, above) or not _is_jammable(headers, source_name(step.outer), text, place):
        return ()
    outer, (start, end, last) = headers[0], place
    bound = _operand(outer.bound)
    past = bound if outer.relation == "<" else f"{bound} + 1"
    count = past if outer.first == "0" else f"{past} - {_operand(outer.first)}"
    rest = f"{_operand(count)} % {step.by}"
    name = outer.name
    test = f"{name} + {step.by - 1} {outer.relation} {outer.bound}"
    unrolled = f"{outer.kind} {name} = {outer.first}; {test}; {name} += {step.by}"
    remaining = f"{outer.kind} {name} = {past} - {rest}; {name} {outer.relation} {outer.bound}; {name}++"
    own = re.compile(rf"(?<![\w.])(?<!->){name}\b")
    body = source[start:end]
    later = [own.sub(f"({name} + {number})", body) for number in range(1, step.by)]
    copies = [body, *(_BRACKETED.sub(r"[\1]", copy) for copy in later)]
    margin = lines[line_of(text, start)]
    margin = margin[: len(margin) - len(margin.lstrip())]
    nest_margin = lines[above][: len(lines[above]) - len(lines[above].lstrip())]
    jammed = "{\n" + "".join(f"{margin}    {copy}\n" for copy in copies) + f"{margin}}}"
    as_it_was = source[outer.at : outer.start] + remaining + source[outer.end : last]
    return (
        edit_at(text, first_line, outer.start, outer.end, unrolled),
        edit_at(text, first_line, start, end, jammed),
        edit_at(text, first_line, last, last, f"\n{nest_margin}{as_it_was}"),
    )


def _is_jammable(headers: Sequence[Header], name: str, text: str, place: tuple[int, int, int]) -> bool:
    """Return whether copies of a body may follow one another: it only goes on, and no bound depends on the loop."""
    outer, *inner = headers
    is_signed = outer.kind in _SIGNED or outer.first == "0"
    is_statement = re.match(r"\s*(?:else\b|if\b)", text[place[2] :]) is None and _begins_statement(text, outer.at)
    return (
        outer.name == name
        and is_signed
        and is_statement
        and not any(name in header.words for header in inner)
        and _JUMPS.isdisjoint(WORD.findall(text[place[0] : place[1]]))
        and '"' not in text[place[0] : place[1]]
    )


def _operand(text: str) -> str:
    """Return an expression as an operand: in brackets where it is more than a name or a number."""
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _begins_statement(text: str, position: int) -> bool:
    """Return whether two statements may stand at a position where one does."""
    return text[:position].rstrip()[-1:] in {"{", "}", ";"}


def _interchanged(source: str, first_line: int, step: Interchange) -> tuple[Edit, ...]:
    """Return the edits that exchange the headers of loops; () where the source does not allow it."""
    text = without_comments(source)
    lines = text.split("\n")
    above = step.line - first_line
    if not 0 <= above < len(lines) or has_pragma(lines, above):
        return ()
    position = sum(len(line) + 1 for line in lines[:above])
    before, order = ([source_name(name) for name in names] for names in (step.before, step.order))
    headers: dict[str, tuple[int, int]] = {}
    for name in before:
        found = INNER.match(text, position) if headers else FOR.search(text, position)
        end = None if found is None else closing(text, found.end())
        if found is None or end is None or name not in WORD.findall(text[found.end() : end]):
            return ()
        headers[name] = found.end(), end
        position = end + 1
    spelled = {name: source[start:end] for name, (start, end) in headers.items()}
    for number, name in enumerate(order):
        if not set(order[number + 1 :]).isdisjoint(WORD.findall(text[slice(*headers[name])])):
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
