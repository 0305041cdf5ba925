"""The first screen for a page: the nests that cost most as a table, then why they are bound so and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from roofline.report.report import Report

from ...visible import visible
from ..hotspots.roles import Location
from ..hotspots.rows import HEADINGS, NUMERIC, Detail, Row
from ..hotspots.screen import screen_of
from ..hotspots.view import View

_DETAIL = Detail(label=60, file=40, formula=60)
_LONG = 16  # from how many characters on a cell may be broken into several lines
_OF_SCREENS = frozenset({"folded", "more"})  # notes on options of the command line


class FirstRow(Struct, frozen=True):
    """A row: its cells in the order of the headings, the kind of its bound, and the id of its details.

    ``is_heading``: a loop that only repeats the nests below, which are ``is_inside``.  ``again`` names the nest of the
    row above, of which a row without a name has the figures of a further machine.
    """

    cells: tuple[str, ...]
    kind: str
    link: str
    is_heading: bool
    is_inside: bool
    again: str = ""


class First(Struct, frozen=True):
    """What costs most: ``numeric`` are the positions of headings of numbers, ``notes`` labels with sentences.

    The ``title`` says what was analyzed, and on which machines; ``order`` has the locations of all nests, also of those
    that have no row, the heaviest first.
    """

    title: str
    headings: tuple[str, ...]
    numeric: frozenset[int]
    rows: tuple[FirstRow, ...]
    notes: tuple[tuple[str, str], ...]
    nothing: str
    order: tuple[Location, ...]


def is_long(text: str) -> bool:
    """Return whether a cell may be broken into several lines: a formula, not a number with its unit."""
    return len(text) > _LONG


def first_of(report: Report, details: Mapping[Location, str]) -> First:
    """Return the first screen; ``details`` are the ids that rows link to, by the location in the source."""
    screen = screen_of(report, View())
    rows = screen.rows(_DETAIL)
    headings = tuple(heading for heading in HEADINGS if any(row.cells.get(heading) for row in rows))
    notes = ((visible(note.label.strip()), visible(note.text)) for note in screen.notes)
    return First(
        title=visible(screen.heading),
        headings=headings,
        numeric=frozenset(position for position, heading in enumerate(headings) if heading in NUMERIC),
        rows=tuple(_named([_row(row, headings, details) for row in rows])),
        notes=tuple(note for note in notes if note[0] not in _OF_SCREENS),
        nothing=screen.nothing,
        order=screen.order,
    )


def _named(rows: Iterable[FirstRow]) -> Iterator[FirstRow]:
    """Yield the rows, those of further machines with the name of their nest: on a narrow screen each is a card."""
    name = link = ""
    for row in rows:
        name, link = (row.cells[0], row.link) if row.cells[0] else (name, link)
        yield row if row.cells[0] else replace(row, again=name, link=link)


def _row(row: Row, headings: Sequence[str], details: Mapping[Location, str]) -> FirstRow:
    name, *others = (visible(row.cells.get(heading, "")) for heading in headings)
    kind = "" if row.kind is None else row.kind.value
    link = "" if row.location is None else details.get(row.location, "")
    return FirstRow((name.strip(), *others), kind, link, row.is_heading, name.startswith(" "))
