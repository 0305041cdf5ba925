"""The summary table of the HTML report: one row for each region and machine, cells with what they are sorted by."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from analyzer.quantities.quantity import Quantity
from roofline.model.intensity import number
from roofline.model.projection import Projection
from roofline.report.report import RegionReport
from roofline.report.sentences import reason_text

from ..hotspots.roles import Location
from ..typesetting.shortened import cut_formula
from ..words.amounts import amount_text
from ..words.numbers import intensity_text, quantity_text
from ..words.rates import expected_time_text, part_text, rate_text
from .anchors import Anchor

_LONGEST_FORMULA = 44
BOUNDS = ("memory", "compute", "latency", "issue", "nothing", "unknown")


class Column(Struct, frozen=True):
    """A heading; ``key`` names it in the page, numbers are aligned to the right."""

    key: str
    heading: str
    title: str
    numeric: bool = False


class Cell(Struct, frozen=True):
    """A text and the number that it is sorted by, None where it is sorted by the text or unknown.

    ``whole`` is the formula that the text is the beginning of, or the number with all its digits.
    """

    text: str
    value: float | None = None
    link: str = ""
    whole: str = ""


class Row(Struct, frozen=True):
    """The cells in the order of the columns; ``kind`` is the bare bound and ``machine`` the position of the machine."""

    cells: tuple[Cell, ...]
    kind: str
    machine: int
    reason: str


_COUNTS = (
    Column("name", "Loop nest", "function and lines"),
    Column("location", "Source", "file and first line"),
    Column("flops", "FLOPs", "floating-point operations", numeric=True),
    Column("bytes", "Bytes", "bytes moved, under the convention in force", numeric=True),
    Column("intensity", "FLOP/byte", "arithmetic intensity", numeric=True),
)
_BOUNDS = (
    Column("bound", "Bound", "what limits the nest"),
    Column("level", "Level", "the memory level that limits it"),
    Column("rate", "Attainable", "the rate that the roofline allows", numeric=True),
    Column("time", "Time", "the expected time, with >= the least time at that rate", numeric=True),
)
_MACHINE = Column("machine", "Machine", "the machine that the bound is for")


def columns_of(machines: int) -> tuple[Column, ...]:
    """Return the columns: counts alone without a machine, and the machine where there are several."""
    if not machines:
        return _COUNTS
    return (*_COUNTS, *_BOUNDS) if machines == 1 else (*_COUNTS[:2], _MACHINE, *_COUNTS[2:], *_BOUNDS)


def rows_of(anchors: Sequence[Anchor], machines: int, order: Sequence[Location] = ()) -> tuple[Row, ...]:
    """Return all rows: what takes longest first, or where some have no time those in the ``order`` of the first screen.

    Then come functions and others, in the order of the source.  A nest that was inlined is left out where the function
    that it is of has a row for it.
    """
    own = {anchor.location for anchor in anchors if not anchor.is_inlined}
    shown = [anchor for anchor in anchors if not anchor.is_inlined or anchor.location not in own]
    seconds = {anchor.number: _seconds(anchor) for anchor in shown}
    ranks = {} if all(seconds.values()) else {location: rank for rank, location in enumerate(order)}
    shown.sort(key=lambda anchor: (ranks.get(anchor.location, len(ranks)), -seconds[anchor.number]))
    return tuple(row for anchor in shown for row in _rows(anchor, machines))


def _seconds(anchor: Anchor) -> float:
    """Return the seconds of a region on the first machine; 0 where it has none."""
    return next((projection.seconds or 0.0 for projection in anchor.region.projections), 0.0)


def _rows(anchor: Anchor, machines: int) -> list[Row]:
    region = anchor.region
    name = Cell(anchor.name, link=anchor.details)
    source = Cell(anchor.position, link=anchor.source)
    flops = _counted(region.profile.work.flops, region)
    if not region.projections:
        moved = _counted(region.moved.total, region, "B")
        return [Row((name, source, flops, moved, _intensity(region, None)), "", 0, "")]
    rows = []
    for position, projection in enumerate(region.projections):
        machine = [Cell(projection.machine.id)] if machines > 1 else []
        counts = (flops, _counted(projection.moved.total, region, "B"), _intensity(region, projection))
        kind = projection.bound.value
        reason = reason_text(projection.reason)
        rows.append(Row((name, source, *machine, *counts, *_bound(projection)), kind, position, reason))
    return rows


def _counted(quantity: Quantity, region: RegionReport, unit: str = "") -> Cell:
    values = region.profile.values
    found = number(quantity.estimate, values)
    if found is not None:
        whole = amount_text(quantity, values, unit, exact=True)
        return Cell(amount_text(quantity, values, unit), float(found), whole=whole)
    whole = quantity_text(quantity, values, short=True)
    text = cut_formula(whole, _LONGEST_FORMULA)
    return Cell(text, whole="" if text == whole else whole)


def _intensity(region: RegionReport, projection: Projection | None) -> Cell:
    ratio = region.intensity if projection is None else projection.intensity
    value = ratio.number
    return Cell(intensity_text(ratio), None if value is None else float(value))


def _bound(projection: Projection) -> tuple[Cell, ...]:
    attainable = projection.attainable
    time = projection.time if projection.expected is None else projection.expected.time
    close = " (close)" if projection.close_call else ""
    return (
        Cell(projection.bound.value + close),
        Cell(part_text(projection)),
        Cell(rate_text(projection), None if attainable is None else attainable.value),
        Cell(expected_time_text(projection), None if time is None else time.value),
    )
