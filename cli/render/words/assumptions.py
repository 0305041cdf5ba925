"""What the counts rest on: one sentence for everything that the same is assumed of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from analyzer.ir.nodes import Assumption
from roofline.report.report import FileReport, RegionReport

from .levels import FINDINGS
from .remarks import Remark

_MOST_SUBJECTS = 12


class Assumed(Struct, frozen=True):
    """What was assumed, first in this line.

    >>> str(Assumed(3, Remark("x is not a null pointer", "AI312")))
    'line 3: x is not a null pointer [AI312]'
    """

    line: int
    remark: Remark

    def __str__(self) -> str:
        """Return the sentence with line and code."""
        return f"line {self.line}: {self.remark}"


def assumptions_of(file: FileReport) -> tuple[Assumed, ...]:
    """Return what was assumed; what was assumed alike of several subjects is one sentence."""
    alike: dict[tuple[str, str], list[Assumption]] = {}
    for region in file.regions:
        for found in (each for part in (region, *region.all_nests) for each in _assumed(part)):
            alike.setdefault((found.code, found.predicate), []).append(found)
    return tuple(
        Assumed(found[0].span.line, Remark(_sentence(predicate, found), code, found[0].hint))
        for (code, predicate), found in alike.items()
    )


def _sentence(predicate: str, found: Sequence[Assumption]) -> str:
    """Return what is assumed of each of the subjects; without one the sentence names its own."""
    names = [name for name in dict.fromkeys(each.subject for each in found) if name]
    more = f" and {len(names) - _MOST_SUBJECTS} more" if len(names) > _MOST_SUBJECTS else ""
    subjects = ", ".join(names[:_MOST_SUBJECTS]) + more
    return f"{subjects}: each {predicate}" if len(names) > 1 else f"{subjects} {predicate}" if names else predicate


def _assumed(region: RegionReport) -> Iterator[Assumption]:
    """Yield what the counts of a region rest on, its caches included, but for findings, which are reported apart."""
    yield from region.assumptions
    if region.caches is not None:
        yield from (note for note in region.caches.notes if note.code not in FINDINGS)
