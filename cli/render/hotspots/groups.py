"""Hotspots added up by function or by file, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from roofline.machine.units import format_time

from ..typesetting.shortened import cut_label, tail_of
from .hotspots import Hotspot
from .rows import Context, Detail, Row, bound_of, label_of, percent_text
from .view import By

_TIME_DIGITS = 3


class Group(Struct, frozen=True):
    """The hotspots of one function or file, the heaviest first."""

    name: str
    path: str
    spots: tuple[Hotspot, ...]

    @property
    def weight(self) -> float:
        """Return the weight of all of them."""
        return sum(spot.weight for spot in self.spots)


def groups_of(spots: Sequence[Hotspot], by: By) -> Sequence[Group]:
    """Return the groups of hotspots, in the order of their first one, or of their weight where that is the order."""
    found: dict[tuple[str, str], list[Hotspot]] = {}
    for spot in spots:
        path = spot.location[0]
        name = path if by == "file" else spot.within or spot.caller or path
        found.setdefault((path, name), []).append(spot)
    groups = [
        Group(name, path, tuple(sorted(held, key=lambda spot: -spot.weight))) for (path, name), held in found.items()
    ]
    return sorted(groups, key=lambda group: -group.weight)


def group_rows(groups: Sequence[Group], context: Context, detail: Detail) -> Iterator[Row]:
    """Yield a row for each group: how many nests it has, their time, and the bound of the heaviest."""
    for group in groups:
        hottest = group.spots[0]
        is_file = group.name == group.path
        cells = {"file" if is_file else "function": (tail_of if is_file else cut_label)(group.name, detail.label)}
        if not is_file and detail.file and context.several_files:
            cells["file"] = tail_of(group.path, detail.file)
        cells["nests"] = str(len(group.spots))
        if all(spot.time is not None for spot in group.spots):
            cells["time"] = format_time(group.weight, digits=_TIME_DIGITS)
        if context.seconds:
            cells["share"] = percent_text(group.weight / context.seconds)
        cells["heaviest"] = cut_label(label_of(hottest), detail.label)
        projection = hottest.first.projection
        if projection is not None:
            cells["bound"] = bound_of(projection, words=detail.words)
        yield Row(cells, hottest.first.bound)
