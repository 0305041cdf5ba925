"""Advice to hold elements in local variables as edits of the source: advice, source -> edits.

The innermost loop becomes ``if (first < bound) { double y_i = y[i]; for (...) ...; y[i] = y_i; }``: elements of a loop
that does not run are not touched.  It is left to people where the loop leaves its body in the middle, where its array
has other elements there, and where elements are no plain floating-point numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.frontend.text.lexical import without_comments

from ...model.advice.kinds import HoldElements
from .edits import Edit, edit_at, has_pragma, line_of
from .source_loops import FOR, WORD, Header, body_of, header_at

_LEAVES = frozenset({"break", "continue", "goto", "return", "static", "for", "while", "do", "switch"})
_OTHERWISE = re.compile(r"\s*else\b")


def with_held(source: str, first_line: int, span: tuple[int, int], advice: HoldElements) -> tuple[Edit, ...]:
    """Return the edits of the one innermost loop in the lines ``span`` that has the elements; () if none is alike."""
    text = without_comments(source)
    found = [
        edits for start in _loops(text, first_line, span) if (edits := _edits(source, text, first_line, start, advice))
    ]
    return found[0] if len(found) == 1 else ()


def _loops(text: str, first_line: int, span: tuple[int, int]) -> list[int]:
    first, last = span
    starts = (found.start() for found in FOR.finditer(text))
    return [start for start in starts if first <= first_line + line_of(text, start) <= last]


def _edits(source: str, text: str, first_line: int, start: int, advice: HoldElements) -> tuple[Edit, ...]:
    header = header_at(text, start)
    place = None if header is None else body_of(text, [header])
    if header is None or header.at != start or place is None or _OTHERWISE.match(text, place[2]):
        return ()
    begin, end, _ = place
    body, names = text[begin:end], [_name(element) for element in advice.elements]
    lines = text.split("\n")
    kept = all(_is_alone(element, body, header) for element in advice.elements)
    if not kept or not advice.elements or "" in advice.types or has_pragma(lines, line_of(text, start)):
        return ()
    if not _LEAVES.isdisjoint(WORD.findall(body)) or not set(names).isdisjoint(WORD.findall(text)):
        return ()
    margin = lines[line_of(text, start)]
    margin = margin[: len(margin) - len(margin.lstrip())]
    held = source[start:end]
    for element, name in zip(advice.elements, names, strict=True):
        held = held.replace(element, name)
    taken = zip(advice.types, names, advice.elements, strict=True)
    before = "".join(f"{margin}  {kind} {name} = {element};\n" for kind, name, element in taken)
    after = "".join(f"{margin}  {element} = {name};\n" for name, element in zip(names, advice.elements, strict=True))
    inside = held.replace("\n", "\n  ")
    whole = f"if ({header.first} {header.relation} {header.bound}) {{\n{before}{margin}  {inside}\n{after}{margin}}}"
    return (edit_at(text, first_line, start, end, whole),)


def _name(element: str) -> str:
    return "_".join(re.findall(r"\w+", element))


def _is_alone(element: str, body: str, header: Header) -> bool:
    """Return whether a body has an element of an array, in this spelling, and no other one of it."""
    words: Sequence[str] = WORD.findall(element)
    array = words[0]
    others = WORD.findall(body).count(array) - body.count(element)
    return element in body and not others and array not in header.words and header.name not in words
