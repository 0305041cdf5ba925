"""What the counts rest on, one sentence for all that it is the same of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzer.ir.nodes import Assumption
from roofline.report.report import FileReport, RegionReport

from .levels import FINDINGS

_MOST_SUBJECTS = 12
_SUBJECT = re.compile(r"[\w.:\[\]]+")


def assumptions_of(file: FileReport) -> tuple[str, ...]:
    """What was assumed, one sentence each; subjects of which the same was assumed are told together."""
    subjects: dict[tuple[str, str], list[str]] = {}
    lines: dict[tuple[str, str], int] = {}
    for region in file.regions:
        for found in (each for part in (region, *region.all_nests) for each in _assumed(part)):
            subject, _, rest = found.text.partition(" ")
            if not _SUBJECT.fullmatch(subject):
                subject, rest = "", found.text
            key = (rest, found.code)
            lines.setdefault(key, found.span.line)
            if subject not in subjects.setdefault(key, []):
                subjects[key].append(subject)
    return tuple(
        f"line {lines[rest, code]}: {_subjects(names)}{rest} [{code}]" for (rest, code), names in subjects.items()
    )


def _subjects(names: Sequence[str]) -> str:
    """The arrays or functions that something is assumed of; nothing where the sentence has its own subject."""
    found = [name for name in names if name]
    more = f" and {len(found) - _MOST_SUBJECTS} more" if len(found) > _MOST_SUBJECTS else ""
    told = ", ".join(found[:_MOST_SUBJECTS]) + more
    return f"{told}: each " if len(names) > 1 else f"{told} " if told else ""


def _assumed(region: RegionReport) -> Iterator[Assumption]:
    """What the counts of a region rest on, those of its caches included but for findings, which are told apart."""
    yield from region.assumptions
    if region.caches is not None:
        yield from (note for note in region.caches.notes if note.code not in FINDINGS)
