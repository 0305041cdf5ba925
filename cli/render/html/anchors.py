"""The regions of the HTML report with the locations that its parts link to: one for each row, point and block."""

from __future__ import annotations

from msgspec import Struct

from roofline.report.report import FileReport, RegionReport, Report

from ..plot_data.roofline import labelled
from ..words.names import label_of, regions_shown


class Anchor(Struct, frozen=True):
    """A region shown: its number from 1 in the order of the source, and its names, short and distinct.

    ``file`` is the position of its file in the report, ``whole`` the region that it is a nest of, or itself.
    """

    number: int
    file: int
    name: str
    label: str
    path: str
    region: RegionReport
    whole: RegionReport

    @property
    def location(self) -> tuple[str, int, int]:
        """Return path, first and last line."""
        span = self.region.profile.span
        return span.path, span.line, span.end_line

    @property
    def is_inlined(self) -> bool:
        """Return whether it is a nest of a function that was called, not of the one that it is shown in."""
        own, part = self.whole.profile.span, self.region.profile.span
        return own.path != part.path or part.line < own.line or part.end_line > own.end_line

    @property
    def details(self) -> str:
        """Return the id of its block of details."""
        return f"nest-{self.number}"

    @property
    def source(self) -> str:
        """Return the id of its first line in the source."""
        return line_id(self.file, self.region.profile.span.line)

    @property
    def position(self) -> str:
        """Return file and line as ``kernel.c:3``."""
        return f"{self.path.rpartition('/')[2]}:{self.region.profile.span.line}"


def anchors_of(report: Report) -> tuple[Anchor, ...]:
    """Return every region shown, numbered as the points of the plot are."""
    shown = [
        (position, file.profile.path, part, region)
        for position, file in enumerate(report.files)
        for region in file.regions
        for part in regions_shown(region)
    ]
    labels = [label for label, _ in labelled(report.files)]
    return tuple(
        Anchor(number, position, label_of(part, region), label, path, part, region)
        for number, ((position, path, part, region), label) in enumerate(zip(shown, labels, strict=True), 1)
    )


def line_id(file: int, line: int) -> str:
    """Return the id of a line of the source."""
    return f"file-{file + 1}-line-{line}"


def heading_id(file: int) -> str:
    """Return the id of the heading above a source."""
    return f"file-{file + 1}"


def has_line(file: FileReport, line: int) -> bool:
    """Return whether the source shown has a line of this number: findings may lie in headers."""
    first = file.profile.first_line
    return first <= line < first + len(file.profile.source_text.split("\n"))
