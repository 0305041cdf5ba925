"""What directives move between host and GPU: clauses of a text to sections of arrays, and how long these stay there.

``map`` (OpenMP) and ``copy``, ``copyin``, ``copyout``, ``create`` (OpenACC) move a section where the construct begins
or ends, unless one around it, or ``enter data``, holds the array there already.  Where no clause names an array, OpenMP
takes those with declared lengths to be mapped both ways, and pointers to be there; nvc copies what a kernel reads and
writes.

>>> text = "#pragma omp target data map(to: a[0:n*m], b[:2][0:k]) map(from: c[0:n])\\n{\\nx();\\n}"
>>> (found,) = data_directives(text, 1, {})
>>> [str(section) for section in found.into], [str(section) for section in found.back], (found.line, found.last)
(['a[m*n]', 'b[2*k]'], ['c[n]'], (2, 4))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..frontend.text.lexical import with_joined_lines, without_comments
from ..frontend.text.pragmas import collect_pragmas
from ..ir.index import Poly
from ..ir.written.expression import parse_index
from ..python.regex import regex

_CLAUSE = regex(r"\b(?P<name>[a-z_]+)\s*\((?P<inside>(?:[^()]|\([^()]*\))*)\)")
_MAP_TYPE = regex(r"^(?P<modifiers>[^:\[\]]*?)(?P<type>\w+)\s*:(?P<rest>.*)$", re.DOTALL)
_ITEM = regex(r"\s*(?:this\s*->\s*)?(?P<name>[A-Za-z_][\w.>-]*)(?P<sections>(?:\s*\[[^\]]*\])*)\s*$")
_SECTION = regex(r"\[([^\]]*)\]")
_KIND = regex(r"(?:omp\s+target|acc)\s+(?P<kind>enter\s+data|exit\s+data|data|update)\b")
_CONSTRUCT = regex(r"omp\s+target\b|acc\s+(?:parallel|kernels|serial)\b")
_INTO = frozenset({"to", "tofrom", "copyin", "copy", "pcopyin", "pcopy", "device"})
_BACK = frozenset({"from", "tofrom", "copyout", "copy", "pcopyout", "pcopy", "host", "self"})
_HELD = frozenset(
    {"alloc", "create", "pcreate", "present", "is_device_ptr", "has_device_addr", "deviceptr", "no_create"}
)
_PRESENT_OR = "present_or_"


class Section(Struct, frozen=True):
    """Elements of an array, as many as an expression says; None where it says nothing that is understood."""

    array: str
    elements: Poly | None

    def __str__(self) -> str:
        """Return the section as its length."""
        return f"{self.array}[{'?' if self.elements is None else self.elements}]"


class DataDirective(Struct, frozen=True):
    """What a construct at a ``line`` moves to the GPU and back, and the arrays that are there up to its ``last`` line.

    What ``enter data`` holds has no end that is known (None); an ``update`` holds nothing.
    """

    line: int
    last: int | None
    into: tuple[Section, ...]
    back: tuple[Section, ...]
    held: frozenset[str]
    is_construct: bool

    @property
    def named(self) -> frozenset[str]:
        """Return the arrays that clauses name."""
        return self.held | {section.array for section in (*self.into, *self.back)}

    def holds(self, array: str, line: int) -> bool:
        """Return whether an array is on the GPU at a line because of this directive."""
        is_within = self.last is None or self.line < line <= self.last
        return is_within and array in self.named


def data_directives(text: str, first_line: int, macros: Mapping[str, str]) -> tuple[DataDirective, ...]:
    """Return what the directives of a text move, by the line of the code below each, in order."""
    lines = with_joined_lines(without_comments(text)).split("\n")
    found = collect_pragmas(text, first_line=first_line, macros=macros)
    return tuple(
        directive for line, texts in sorted(found.items()) for directive in _directives(texts, line, lines, first_line)
    )


def _directives(texts: Sequence[str], line: int, lines: Sequence[str], first_line: int) -> Iterator[DataDirective]:
    kinds = [_KIND.match(text) for text in texts]
    if any(_CONSTRUCT.match(text) and kind is None for text, kind in zip(texts, kinds, strict=True)):
        own = " ".join(text for text, kind in zip(texts, kinds, strict=True) if kind is None)
        yield _directive(own, line, line, is_construct=True)
    for text, kind in zip(texts, kinds, strict=True):
        if kind is None:
            continue
        match kind["kind"].split():
            case ["data"]:
                yield _directive(text, line, _end_of_block(lines, line - first_line) + first_line, is_construct=False)
            case ["enter", "data"]:
                yield _directive(text, line, None, is_construct=False)
            case _:
                yield _directive(text, line, line, is_construct=False)


def _end_of_block(lines: Sequence[str], start: int) -> int:
    """Return the index of the line with the brace that closes the block starting in a line."""
    depth = 0
    for index in range(start, len(lines)):
        depth += lines[index].count("{") - lines[index].count("}")
        if depth <= 0:
            return index
    return len(lines) - 1


def _directive(text: str, line: int, last: int | None, *, is_construct: bool) -> DataDirective:
    into: list[Section] = []
    back: list[Section] = []
    held: set[str] = set()
    for clause in _CLAUSE.finditer(text):
        kind, inside = clause["name"].removeprefix(_PRESENT_OR), clause["inside"]
        if kind == "map":
            typed = _MAP_TYPE.match(inside)
            kind, inside = (typed["type"], typed["rest"]) if typed else ("tofrom", inside)
        sections = [section for item in _items(inside) if (section := _section(item)) is not None]
        if kind in _INTO:
            into += sections
        if kind in _BACK:
            back += sections
        if kind in _HELD:
            held |= {section.array for section in sections}
    return DataDirective(line, last, tuple(into), tuple(back), frozenset(held), is_construct)


def _items(text: str) -> Iterator[str]:
    """Yield the items of a list at its commas, those in brackets and parentheses left."""
    depth, start = 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            yield text[start:index]
            start = index + 1
    yield text[start:]


def _section(item: str) -> Section | None:
    found = _ITEM.match(item)
    if found is None:
        return None
    total: Poly | None = None
    for inside in _SECTION.findall(found["sections"]):
        _, colon, length = inside.partition(":")
        try:
            count = parse_index(length if colon else "1")
        except ValueError:
            return Section(found["name"], None)
        total = count if total is None else total * count
    return Section(found["name"], total)
