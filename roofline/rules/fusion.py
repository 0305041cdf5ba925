"""AI109: adjacent nests over the same arrays, read twice, that could be one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.quantities.quantity import Quantity, add

from ..model.intensity import ratio
from .findings import Finding
from .sentences import Shown
from .subject import Rule, Subject

_NOTICEABLE = 0.1


def missed_fusion(subject: Subject) -> Iterator[Finding]:
    """Find AI109: the nest and the one before it may be fused, which spares a tenth or more of the nest's bytes.

    Spared are the bytes of the shared arrays that the nest reads; not where the last cache holds what the first nest
    touches.
    """
    shared = subject.profile.fusible
    if not shared or subject.number < 2 or subject.is_kernel:
        return
    before = subject.region.nests[subject.number - 2].profile
    if subject.is_inlined and not _is_at_home(subject, before.span.line):
        return
    spared = add(array.read.bytes for array in subject.profile.footprint.arrays if array.array in shared)
    share = ratio(subject.profile, spared, subject.nest.moved.total)
    if not share.value or share.power < 0 or (share.number is not None and share.value < _NOTICEABLE):
        return
    if _is_held(subject, before.footprint.touched.bytes):
        return
    size = subject.value(spared)
    arrays = [
        array.array
        for array in subject.profile.footprint.arrays
        if array.array in shared and not array.read.bytes.is_zero
    ]
    line = before.span.line
    fields: dict[str, Shown] = {"arrays": tuple(arrays), "line": line}
    facts = {"spared_bytes": size, "other_line": line}
    if size is None:
        yield subject.finding("AI109", "formula", {**fields, "spared": str(spared.estimate)}, facts=facts)
    else:
        yield subject.finding("AI109", "spared", {**fields, "spared_bytes": size}, facts=facts)


def _is_at_home(subject: Subject, line: int) -> bool:
    """Return whether a line is of the function whose text the nest is of."""
    spans = [region.profile.span for region in subject.file.regions if region.profile.function == subject.function]
    return any(span.line <= line <= span.end_line for span in spans)


def _is_held(subject: Subject, touched: Quantity) -> bool:
    """Return whether the last cache of the first machine holds what is touched before."""
    size = subject.value(touched)
    projections = subject.nest.projections
    if size is None or not projections or not projections[0].machine.levels:
        return False
    return size <= projections[0].machine.levels[-1].capacity_bytes


RULES: Mapping[str, Rule] = {"AI109": missed_fusion}
