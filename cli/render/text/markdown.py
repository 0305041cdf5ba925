"""The report as Markdown: a heading for each file, a table with one row for each nest and machine, notes below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from roofline.report.report import FileReport, Report

from ..words.assumptions import assumptions_of
from ..words.listing import annotated_source
from ..words.names import heading_of
from ..words.summary import Entry, entries_of

_COUNTS = (("loop nest", False), ("FLOPs", True), ("bytes", True), ("FLOP/byte", False), ("per iteration", False))
_BOUNDS = (("machine", False), ("bound", False), ("attainable", True), ("time >=", True))


def render_markdown(report: Report, *, by_line: bool = False) -> str:
    """Render every file in order, for a pull request or a job summary; with ``by_line`` with annotated source."""
    return "\n".join(part for file in report.files for part in _file(report, file, by_line))


def _file(report: Report, file: FileReport, by_line: bool) -> Iterator[str]:
    yield f"## {_escaped(heading_of(file))}\n"
    entries = entries_of(file)
    if not entries:
        yield "No loop found.\n"
        return
    columns = (*_COUNTS, *(_BOUNDS if report.machines else ()))
    rows = [row for entry in entries for row in _rows(entry)]
    head = [_row(name for name, _ in columns), _row("---:" if numeric else "---" for _, numeric in columns)]
    yield "\n".join([*head, *map(_row, rows)]) + "\n"
    notes = [*_notes(entries), *(f"assumed: {text}" for text in assumptions_of(file))]
    if notes:
        yield "\n".join(f"- {_escaped(note)}" for note in notes) + "\n"
    if by_line:
        yield f"````text\n{annotated_source(file)}````\n"


def _rows(entry: Entry) -> Iterator[list[str]]:
    counts = [entry.label, entry.flops_short]
    if not entry.verdicts:
        yield _coded([*counts, entry.moves.short, entry.moves.intensity, entry.iteration_short])
    for verdict in entry.verdicts:
        close = "?" if verdict.close else ""
        cells = _coded([*counts, verdict.moves.short, verdict.moves.intensity, entry.iteration_short])
        yield [*cells, verdict.machine_id, verdict.bound + close, verdict.rate, verdict.time]


def _coded(cells: list[str]) -> list[str]:
    """Return names and formulas as code, for ``*`` and ``_`` mean something else in Markdown."""
    return [f"`{cell}`" if any(letter in cell for letter in "*_^<") else cell for cell in cells]


def _notes(entries: tuple[Entry, ...]) -> Iterator[str]:
    for entry in entries:
        for verdict in entry.verdicts:
            yield f"{entry.label} on {verdict.machine_id}: {verdict.reason}"
            if verdict.levels:
                yield f"{entry.label} on {verdict.machine_id}, levels: {verdict.levels}"
            if verdict.check:
                yield f"{entry.label} on {verdict.machine_id}, verified: {verdict.check}"
            for text in verdict.findings:
                yield f"{entry.label} on {verdict.machine_id}, caches: {text}"
        if entry.levels and not entry.verdicts:
            yield f"{entry.label}, levels: {entry.levels}"
        if entry.kept:
            yield f"{entry.label}, caches hold: {entry.kept}"
        for text in () if entry.verdicts else entry.findings:
            yield f"{entry.label}, caches: {text}"
        for advice in entry.advice:
            if advice.code == "AI405":
                yield f"to speed up {entry.label}: {advice}"
    moves = [v.moves for entry in entries for v in entry.verdicts] or [entry.moves for entry in entries]
    for convention, meaning in dict.fromkeys((found.convention, found.meaning) for found in moves):
        yield f"bytes counted: {convention}, {meaning}"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*_<>`|" else letter for letter in text)
