"""The source with its counts next to every line: how often it runs, FLOPs, bytes loaded and stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from analyzer.counts.results import LineWork
from roofline.report.report import FileReport

from .numbers import quantity_text

_HEADINGS = ("line", "runs", "FLOPs", "loaded B", "stored B")
_WIDEST = 28
_SMALL_GAP = 4


def annotated_source(file: FileReport, *, widest: int = _WIDEST) -> str:
    """Render the lines that do something, with the loops around them; gaps are marked by dots."""
    cells = counts_by_line(file, widest)
    text = file.profile.source_text.split("\n")
    first = file.profile.first_line
    wanted = sorted(lines_shown(file, set(cells), first, first + len(text) - 1))
    table = [(str(line), *cells.get(line, ("", "", "", ""))) for line in wanted]
    headers = list(_of_headers(file, widest))
    widths = [max(len(row[column]) for row in (_HEADINGS, *table, *headers)) for column in range(len(_HEADINGS))]
    lines = [_row(_HEADINGS, widths, "source")]
    before = None
    for line, row in zip(wanted, table, strict=True):
        if before is not None and line > before + 1:
            lines.append(f"{'...':>{widths[0]}}")
        lines.append(_row(row, widths, text[line - first].expandtabs(4)))
        before = line
    lines += [_row(row, widths, "") for row in headers]
    return "\n".join(lines) + "\n"


def _of_headers(file: FileReport, widest: int) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield a row for each counted line of a header, named by file and line."""
    found: dict[tuple[str, int], tuple[str, str, str, str]] = {}
    for region in file.regions:
        for path in dict.fromkeys(line.path for line in region.profile.lines):
            if not is_own(file, path):
                own = tuple(line for line in region.profile.lines if line.path == path)
                found |= {(path, line): row for line, row in _cells(own, region.profile.values, widest)}
    for (path, line), row in sorted(found.items()):
        yield (f"{path.rsplit('/', 1)[-1]}:{line}", *row)


def is_own(file: FileReport, path: str) -> bool:
    """Return whether a place is in the text of a file, not in a header or in another file of the program."""
    return path in ("", file.profile.path)


def counts_by_line(file: FileReport, widest: int) -> dict[int, tuple[str, str, str, str]]:
    """Return the cells of every counted line, from the region that it stands in rather than from one that calls it.

    Lines of headers are not among them.
    """
    found: dict[int, tuple[str, str, str, str]] = {}
    for region in file.regions:
        span = region.profile.span
        own = tuple(line for line in region.profile.lines if is_own(file, line.path))
        for line, row in _cells(own, region.profile.values, widest):
            if line not in found or span.line <= line <= span.end_line:
                found[line] = row
    return found


def _cells(
    lines: tuple[LineWork, ...], values: Mapping[str, int], widest: int
) -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    for line in lines:
        counts = (line.executions, line.flops, line.load_bytes, line.store_bytes)
        texts = ["" if count.is_zero else quantity_text(count, values, short=True) for count in counts]
        cut = [text if len(text) <= widest else f"{text[: widest - 3].rstrip(' +-')}..." for text in texts]
        yield line.line, (cut[0], cut[1], cut[2], cut[3])


def lines_shown(file: FileReport, counted: set[int], first: int, last: int) -> set[int]:
    """Return counted lines, loop headers, the first lines of functions, and what lies in small gaps between them."""
    own = [region.profile for region in file.regions if is_own(file, region.profile.span.path)]
    loops = {loop.line for profile in own for loop in profile.loops if is_own(file, loop.path)}
    starts = {profile.span.line for profile in own}
    shown = sorted(line for line in counted | loops | starts if first <= line <= last)
    gaps = (range(before, after) for before, after in pairwise(shown) if after - before <= _SMALL_GAP)
    return set(shown).union(*gaps)


def _row(cells: tuple[str, ...], widths: list[int], source: str) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)) + f" | {source}".rstrip()
