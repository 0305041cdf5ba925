"""Hotspots as the rows of a table, at a level of detail that fits a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import replace

from roofline.machine.units import format_share, format_time
from roofline.model.projection import Bound, Projection
from roofline.model.verdicts.reasons import CoreHolds, HeldUntil, IntensityGrows
from roofline.report.sentences import beyond_text
from roofline.report.source_names import spelled

from ..typesetting.shortened import ELLIPSIS, cut_label, cut_text, tail_of
from ..words.amounts import amount_text, growth_text
from ..words.numbers import short_intensity
from ..words.rates import bound_text, part_text, short_rate
from ..words.work import iteration_short
from .hotspots import Heading, Hotspot, OnMachine
from .roles import Location, Role

_TIME_DIGITS = 3
_GROUPS = {Role.DRIVING: "drivers of those above:", Role.SET_UP: "set-up, input, output:"}


class Detail(Struct, frozen=True, kw_only=True):
    """How much a table shows: the longest label, file and formula, and which columns there are."""

    label: int
    formula: int
    file: int = 0
    gap: int = 2
    words: bool = True
    flops: bool = True
    rate: bool = True
    share: bool = True
    iteration: bool = False


DETAILS = (
    Detail(label=44, file=40, formula=40, iteration=True),
    Detail(label=40, file=32, formula=32),
    Detail(label=36, file=26, formula=24),
    Detail(label=36, file=26, formula=24, rate=False),
    Detail(label=30, file=20, formula=24, rate=False, flops=False),
    Detail(label=30, file=20, formula=16, rate=False, flops=False),
    Detail(label=30, formula=16, rate=False, flops=False),
    Detail(label=28, formula=14, rate=False, flops=False, words=False),
    Detail(label=26, formula=14, rate=False, flops=False, words=False, share=False),
    Detail(label=28, formula=10, rate=False, flops=False, words=False, share=False),
    Detail(label=22, formula=12, rate=False, flops=False, words=False, share=False),
    Detail(label=20, formula=10, rate=False, flops=False, words=False, share=False, gap=1),
    Detail(label=14, formula=8, rate=False, flops=False, words=False, share=False, gap=1),
    Detail(label=10, formula=6, rate=False, flops=False, words=False, share=False, gap=1),
)


HEADINGS = (
    "nest",
    "function",
    "file",
    "machine",
    "nests",
    "time",
    "share",
    "grows as",
    "heaviest",
    "bound",
    "of roof",
    "FLOP/byte",
    "bytes",
    "FLOPs",
    "per iteration",
    "attainable",
)


NUMERIC = frozenset({"time", "share", "of roof", "bytes", "FLOPs", "attainable"})


class Context(Struct, frozen=True, kw_only=True):
    """What the rows of one table share: all seconds, how many files and machines there are, and ``--exact``.

    ``by_role``: set-up comes last.
    """

    seconds: float | None
    several_files: bool
    machines: int
    exact: bool
    by_role: bool


class Row(Struct, frozen=True):
    """The cells of a row by heading; ``kind`` is the bound for its color, ``location`` that of its nest."""

    cells: dict[str, str]
    kind: Bound | None = None
    is_heading: bool = False
    location: Location | None = None


def label_of(spot: Hotspot) -> str:
    """Return the nest in short: ``triad:3-4``, ``grid.hpp:3-4 in main`` of one in a header, ``lines 3-4``."""
    path, first, last = spot.location
    lines = _lines(spot.location)
    if spot.within:
        return f"{spot.within}:{lines}"
    if spot.caller:
        return f"{PurePath(path).name}:{lines} in {spot.caller}"
    return f"line {lines}" if first == last else f"lines {lines}"


def _lines(location: Location) -> str:
    _, first, last = location
    return str(first) if first == last else f"{first}-{last}"


def rows_of(spots: Sequence[Hotspot], context: Context, detail: Detail, parts: Sequence[Hotspot] = ()) -> Iterator[Row]:
    """Yield the rows: headings above several of the hotspots that they repeat, one row for each machine.

    Last are the ``parts``, whose work the others have already.
    """
    inside = Counter(spot.heading for spot in spots)
    above = None
    first = {spot.role: spot for spot in reversed(spots)} if context.by_role else {}
    for spot in spots:
        if spot is first.get(spot.role) and spot.role in _GROUPS:
            yield Row({"nest": cut_text(_GROUPS[spot.role], detail.label)}, is_heading=True)
        heading = spot.heading if inside[spot.heading] > 1 else None
        if heading is not None and heading != above:
            yield _heading(spot, heading, detail)
        above = heading
        yield from _machines(spot, context, detail, heading)
    if parts:
        yield Row({"nest": cut_text("counted in those above:", detail.label)}, is_heading=True)
    for spot in parts:
        yield from _machines(spot, context, detail, None)


def without_cut_columns(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return rows without the formulas of a column that is too narrow for most of them: ``…`` says nothing.

    >>> shown = without_cut_columns([Row({"nest": "f:3", "bytes": "~ …"}), Row({"nest": "g:7", "bytes": "8*n"})])
    >>> [sorted(row.cells) for row in shown], len(without_cut_columns([Row({"bytes": "8*n + …"})])[0].cells)
    ([['nest'], ['nest']], 1)
    """
    cells = {name: [row.cells[name] for row in rows if row.cells.get(name)] for name in ("bytes", "FLOPs")}
    cut = {
        name for name, found in cells.items() if 2 * len([each for each in found if _is_cut(each)]) >= len(found) > 0
    }
    return tuple(
        replace(row, cells={name: text for name, text in row.cells.items() if name not in cut}) for row in rows
    )


def _is_cut(text: str) -> bool:
    return ELLIPSIS in text and not text.strip(f"~<>= {ELLIPSIS}")


def _heading(spot: Hotspot, heading: Heading, detail: Detail) -> Row:
    """Return the row of a loop that repeats the hotspots below it."""
    times = f"{heading.times:,} times" if heading.times > 1 else "repeated"
    return Row({"nest": cut_text(f"{heading_label(spot, heading)}, {times}", detail.label)}, is_heading=True)


def heading_label(spot: Hotspot, heading: Heading) -> str:
    """Return the function and the lines of the loop that repeats a hotspot."""
    function = heading.function or spot.caller
    return f"{function}:{_lines(heading.location)}" if function else f"lines {_lines(heading.location)}"


def _machines(spot: Hotspot, context: Context, detail: Detail, heading: Heading | None) -> Iterator[Row]:
    label = ("  " if heading is not None else "") + label_of(spot) + _several(spot, heading)
    for number, found in enumerate(spot.machines):
        cells = {"nest": "" if number else cut_label(label, detail.label)}
        if detail.file and context.several_files:
            cells["file"] = "" if number else tail_of(spot.location[0], detail.file)
        if context.machines > 1 and found.projection is not None:
            cells["machine"] = found.projection.machine.id
        yield Row(cells | _figures(spot, found, context, detail), found.bound, location=spot.location)


def _several(spot: Hotspot, heading: Heading | None) -> str:
    """Return how often a nest or a kernel runs each time its heading does, how many instances and equal loops it has.

    In all, where that is not the same each time.
    """
    each, rest = divmod(spot.runs, 1 if heading is None else heading.times)
    runs = f" ({spot.runs:,} times)" if rest else f" (x {each:,})" if each > 1 and each != spot.instances else ""
    instances = f" ({spot.instances} instances)" if spot.instances > 1 else ""
    return runs + instances + (f" (each of {spot.alike + 1} alike)" if spot.alike else "")


def _figures(spot: Hotspot, found: OnMachine, context: Context, detail: Detail) -> dict[str, str]:
    """Return the cells of a hotspot on one machine, or without one."""
    values = spot.profile.values
    cells = {"time": time_text(found)}
    if found.time is None:
        cells["grows as"] = spelled(growth_text(spot.work, values, max(detail.formula, 24)))
    if detail.share and context.seconds and found.time is not None and context.machines < 2:
        cells["share"] = "I/O" if found.transfers else percent_text(spot.weight / (spot.alike + 1) / context.seconds)
    if found.projection is not None:
        cells["bound"] = bound_of(found.projection, words=detail.words)
        if found.share_of_roof is not None:
            cells["of roof"] = percent_text(found.share_of_roof)
    cells["FLOP/byte"] = short_intensity(found.intensity, detail.formula)
    cells["bytes"] = spelled(amount_text(found.moved, values, "B", exact=context.exact, longest=detail.formula))
    if detail.flops:
        cells["FLOPs"] = spelled(amount_text(spot.flops, values, exact=context.exact, longest=detail.formula))
    if detail.iteration and found.projection is None and spot.profile.per_iteration is not None:
        cells["per iteration"] = iteration_short(spot.profile.per_iteration)
    if detail.rate and found.projection is not None:
        cells["attainable"] = short_rate(found.projection, _TIME_DIGITS)
    return cells


def time_text(found: OnMachine) -> str:
    """Return the expected time, or with ``>=`` the least one; empty where sizes are not known."""
    if found.time is None:
        return ""
    mark = ">= " if found.expected is None and found.time else ""
    return mark + format_time(found.time, digits=_TIME_DIGITS)


def percent_text(part: float) -> str:
    """Return a part in whole percent.

    >>> percent_text(0.123), percent_text(0.004), percent_text(0.0)
    ('12 %', '<1 %', '0 %')
    """
    return "<1 %" if 0 < part < 0.005 else format_share(part)


def bound_of(projection: Projection, *, words: bool) -> str:
    """Return the bound with what binds: ``memory (DRAM)``, in short ``DRAM``; ``latency, DRAM if large`` of two."""
    reason = projection.reason
    if isinstance(reason, HeldUntil) and isinstance(reason.otherwise, IntensityGrows | CoreHolds):
        small = beyond_text(reason.otherwise) if isinstance(reason.otherwise, IntensityGrows) else "core"
        return f"{small}, {reason.level}{' if large' if words else ''}"
    text = bound_text(projection) if words else part_text(projection) or projection.bound.value
    return text + ("?" if projection.close_call else "")
