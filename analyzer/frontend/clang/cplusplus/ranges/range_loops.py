"""Loops over ranges whose classes have no name, as a lambda is among their arguments (``x | transform([](...) ...)``).

What such a loop calls is in no part of libclang's tree.  It is written out in the text, on the same lines, so that the
next reading has the calls: ``for (double y : f(x)) s += y;`` becomes ``{ auto &&r = f(x); auto i = first of r, e = last
of r; for (; i != e; step of i) if (is there) { double y = *i; s += y; } }``.  Views that leave elements out take all of
them, and test each.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from ...binding import Cursor
from ...postponed import RangeLoop
from ...scope import Scope

_START = b"for"
_PARTS = b"std::ranges::"


class Wanted(Struct, frozen=True):
    """What a reading lacks: the members of classes by their names, the loops that are to be written out, and instances.

    ``templates`` are the offsets of their names; ``bases`` the names of the base classes of classes, ``methods`` the
    names of their methods, ``destroyed`` the classes whose destructors run, ``constructed`` those whose default
    constructors do.
    """

    classes: frozenset[str] = frozenset()
    loops: frozenset[RangeLoop] = frozenset()
    templates: frozenset[int] = frozenset()
    bases: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    methods: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    destroyed: frozenset[str] = frozenset()
    constructed: frozenset[str] = frozenset()

    def is_in(self, known: Wanted) -> bool:
        """Return whether another has all names of this."""
        return known.joined(self) == known

    def joined(self, other: Wanted) -> Wanted:
        """Return the names of both; loops and templates are those of this."""
        return replace(
            self,
            classes=self.classes | other.classes,
            bases=self.bases | other.bases,
            methods=self.methods | other.methods,
            destroyed=self.destroyed | other.destroyed,
            constructed=self.constructed | other.constructed,
        )


def note_loop(scope: Scope, loop: Cursor, item: Cursor, source: Cursor, body: Cursor) -> None:
    """Note a loop of the main file that no macro makes."""
    first, last = scope.unit.extent(loop)
    over, after = scope.unit.extent(source)
    start, inside = scope.unit.extent(item)[0], scope.unit.extent(body)[0]
    found = RangeLoop(
        start=first.offset,
        item=start.offset,
        source=(over.offset, after.offset),
        body=inside.offset,
        end=last.offset,
    )
    offsets = (found.start, found.item, *found.source, found.body, found.end)
    if first.path == scope.path and list(offsets) == sorted(set(offsets)):
        scope.over_nameless.add(found)


def written_out(text: str, loops: Iterable[RangeLoop]) -> str:
    """Return the text with loops over iterators in place of loops over ranges, line by line.

    >>> loop = RangeLoop(start=0, item=5, source=(14, 15), body=17, end=23)
    >>> written_out("for (auto y : x) s += y;", [loop]).partition(";")[0]
    '{ auto &&ai_range_0 = x'
    """
    given = text.encode()
    edits: list[tuple[int, int, bytes]] = []
    taken = 0
    for number, loop in enumerate(sorted(loops, key=lambda loop: loop.start)):
        name, step, end = str(number).encode(), b"ai_at_" + str(number).encode(), _end(given, loop)
        head = given[loop.start : loop.item]
        colon = given.rfind(b":", loop.item, loop.source[0])
        if not given.startswith(_START, loop.start) or b";" in head or colon < 0 or loop.start < taken:
            continue
        taken = loop.source[1]  # loops within what a loop goes over stay as they are
        opening = (
            b"{ auto &&ai_range_%(n)s = %(source)s; auto %(at)s = %(parts)sai_first_of(ai_range_%(n)s, 0), "
            b"ai_end_%(n)s = std::end(ai_range_%(n)s); for (; %(at)s != ai_end_%(n)s; %(parts)sai_step_of(%(at)s)) "
            b"if (%(parts)sai_is_there(%(at)s)) { "
        )
        lines = given.count(b"\n", *loop.source)
        names = {b"n": name, b"at": step, b"parts": _PARTS, b"source": given[slice(*loop.source)]}
        edits += [
            (loop.start, loop.item, opening % names + b"\n" * head.count(b"\n")),
            (colon, loop.body, b"= *%s; %s" % (step, b"\n" * (given[colon : loop.body].count(b"\n") - lines))),
            (end, end, b" } }"),
        ]
    for start, stop, new in sorted(edits, reverse=True):
        given = given[:start] + new + given[stop:]
    return given.decode()


def _end(text: bytes, loop: RangeLoop) -> int:
    """Return the offset behind a loop, and behind the semicolon of a body that is one expression."""
    rest = text[loop.end :]
    behind = len(rest) - len(rest.lstrip())
    is_open = not text[: loop.end].endswith((b"}", b";")) and rest[behind : behind + 1] == b";"
    return loop.end + behind + 1 if is_open else loop.end
