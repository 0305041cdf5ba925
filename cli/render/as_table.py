"""The report for a terminal: one table for each file, one row for each nest, and why below it."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Literal

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from roofline.projection import Bound
from roofline.report import FileReport, Report

from .listing import annotated_source
from .summary import Entry, Moves, Verdict, assumptions_of, entries_of, heading_of

_WIDTH = 120
_MOST_NAMES = 6
_LEAST = {
    "loop nest": 12,
    "FLOPs": 10,
    "bytes": 10,
    "FLOP/byte": 9,
    "per iteration": 14,
    "machine": 18,
    "bound": 8,
    "attainable": 14,
}
_WIDE = 100
_NARROWEST, _SOURCE_COLUMNS = 12, 44
_STYLES = {Bound.MEMORY: "yellow", Bound.COMPUTE: "green", Bound.NOTHING: "dim", Bound.UNKNOWN: "red"}


def render_table(report: Report, *, width: int | None = None, color: bool = False, by_line: bool = False) -> str:
    """Render for a terminal of ``width`` columns, with ``by_line`` the annotated source of each file below it."""
    stream = StringIO()
    console = Console(
        file=stream,
        force_terminal=color,
        color_system="standard" if color else None,
        width=width or _WIDTH,
        highlight=False,
        emoji=False,
    )
    for number, file in enumerate(report.files):
        if number:
            console.print()
        _file(console, report, file, by_line)
    lines = [line.rstrip() for line in stream.getvalue().split("\n")]
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before)


def _file(console: Console, report: Report, file: FileReport, by_line: bool) -> None:
    console.print(Text(heading_of(file), style="bold"))
    entries = entries_of(file)
    if not entries:
        console.print(Text("  no loop found", style="dim"))
        return
    machines = len(report.machines)
    if machines > 1 and console.width < _WIDE:
        console.print(_table(entries, 0, console.width))
        console.print(_bounds(entries, console.width))
    else:
        console.print(_table(entries, machines, console.width))
    assumed = (("assumed", text, "dim") for text in assumptions_of(file))
    for label, text, style in (*_notes(entries), *assumed):
        console.print(Padding(Text.assemble((f"{label}: ", style), text), (0, 0, 0, 1)))
    if by_line:
        console.print()
        widest = max(_NARROWEST, (console.width - _SOURCE_COLUMNS) // 4)
        console.print(Text(annotated_source(file, widest=widest)), no_wrap=True, overflow="ellipsis", end="")


def _table(entries: tuple[Entry, ...], machines: int, width: int) -> Table:
    headings = ["loop nest", "FLOPs", "bytes", "FLOP/byte"]
    headings += ["per iteration"] if not machines else ["machine"] if machines > 1 else []
    headings += ["bound", "attainable"] if machines else []
    return _made(headings, [row for entry in entries for row in _rows(entry, machines)], width)


def _bounds(entries: tuple[Entry, ...], width: int) -> Table:
    """Only what the machines say, for terminals too narrow to have it beside the counts."""
    rows = [
        [
            Text("" if number else entry.label),
            Text(verdict.machine_id),
            Text(verdict.moves.intensity),
            *_bound(verdict),
        ]
        for entry in entries
        for number, verdict in enumerate(entry.verdicts)
    ]
    return _made(["loop nest", "machine", "FLOP/byte", "bound", "attainable"], rows, width)


def _made(headings: list[str], rows: list[list[Text]], width: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    natural = [max(len(cell) for cell in column) for column in zip(headings, *rows, strict=True)]
    least = [min(_LEAST[heading], size) for heading, size in zip(headings, natural, strict=True)]
    for heading, size in zip(headings, _fitted(natural, least, width - 2 * len(headings) - 1), strict=True):
        justify: Literal["left", "right"] = "right" if heading in ("FLOPs", "bytes") else "left"
        table.add_column(heading, justify=justify, overflow="fold", width=size)
    for row in rows:
        table.add_row(*row)
    return table


def _fitted(natural: list[int], least: list[int], room: int) -> list[int]:
    """Widths within ``room``: the column with most to spare gives way first, down to what it needs, then beyond.

    >>> _fitted([20, 10, 8], [10, 8, 8], 30), _fitted([20, 10], [10, 8], 12)
    ([12, 10, 8], [6, 6])
    """
    widths = list(natural)
    while sum(widths) > room:
        spare = [width - need for width, need in zip(widths, least, strict=True)]
        widest = spare.index(max(spare)) if max(spare) > 0 else widths.index(max(widths))
        if widths[widest] <= 1:
            break
        widths[widest] -= 1
    return widths


def _rows(entry: Entry, machines: int) -> Iterator[list[Text]]:
    """The rows of an entry: one for each machine; what stays the same is told once."""
    place = Text(entry.label)
    if not machines:
        yield [place, Text(entry.flops_short), *_moves(entry.moves), Text(entry.iteration_short)]
        return
    told: Moves | None = None
    for number, verdict in enumerate(entry.verdicts):
        first = number == 0
        moves = [Text(""), Text("")] if verdict.moves == told else _moves(verdict.moves)
        told = verdict.moves
        named = [Text(verdict.machine_id)] if machines > 1 else []
        yield [place if first else Text(""), Text(entry.flops_short if first else ""), *moves, *named, *_bound(verdict)]


def _moves(moves: Moves) -> list[Text]:
    return [Text(moves.short), Text(moves.intensity)]


def _bound(verdict: Verdict) -> list[Text]:
    close = ", close" if verdict.close else ""
    return [Text(verdict.bound + close, style=_STYLES[verdict.kind]), Text(verdict.rate)]


def _notes(entries: tuple[Entry, ...]) -> Iterator[tuple[str, str, str]]:
    """Reasons, and which bytes are counted: label, text, and the label's style."""
    verdicts = [(entry, verdict) for entry in entries for verdict in entry.verdicts]
    yield from _reasons(verdicts)
    if verdicts:
        counted = dict.fromkeys((v.machine_id, v.moves.convention, v.moves.meaning) for _, v in verdicts)
        for machine, convention, meaning in counted:
            yield f"bytes on {machine}", f"{convention}, {meaning}", "dim"
    else:
        yield from _without_machine(entries)
    if any(entry.exceptions for entry in entries):
        yield "formulas", "for large sizes; --format text has what small ones give instead", "dim"


def _reasons(verdicts: list[tuple[Entry, Verdict]]) -> Iterator[tuple[str, str, str]]:
    """Each reason once with the nests that it holds for; with the machine where there are several."""
    several = len({verdict.machine_id for _, verdict in verdicts}) > 1
    grounds: dict[tuple[str, str], list[tuple[Entry, Verdict]]] = {}
    for entry, verdict in verdicts:
        grounds.setdefault((verdict.machine_id, verdict.ground), []).append((entry, verdict))
    for (machine, ground), held in grounds.items():
        names = [entry.label for entry, _ in held]
        more = len(names) - _MOST_NAMES
        listed = ", ".join([*names[:_MOST_NAMES], *([f"{more} more"] if more > 0 else [])])
        verdict = held[0][1]
        text = verdict.reason if len(held) == 1 else ground
        yield f"{listed} on {machine}" if several else listed, text, _STYLES[verdict.kind]


def _without_machine(entries: tuple[Entry, ...]) -> Iterator[tuple[str, str, str]]:
    for convention, meaning in dict.fromkeys((entry.moves.convention, entry.moves.meaning) for entry in entries):
        yield "bytes", f"{convention}, {meaning}", "dim"
    allocating = [
        f"{entry.label} {other.intensity}"
        for entry in entries
        for other in entry.others
        if other.convention == "write-allocate"
    ]
    if allocating:
        yield "with write-allocate", "; ".join(allocating[:_MOST_NAMES]), "dim"
    yield "bound", "name a machine to see it, as in --machine v100 (ai-estimate machines lists them)", "dim"
