"""Rules on kernels: AI106 uncoalesced access, AI107 bank conflicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from analyzer.access_patterns import Reference

from ..model.gpu.requests import is_conflicting, is_uncoalesced
from .findings import Finding
from .locations import spelled_reference
from .subject import Rule, Subject

_THREAD = "threadIdx.x"


def uncoalesced(subject: Subject) -> Iterator[Finding]:
    """Find AI106: neighbouring threads touch elements that are far apart; by stride alone where no GPU is named."""
    requests = subject.requests
    for request in requests:
        if is_uncoalesced(request):
            text, column = spelled_reference(request.array, request.text, subject.lines_from(request.line))
            yield subject.finding(
                "AI106",
                "sectors",
                {
                    "reference": text,
                    "step_bytes": abs(request.step_bytes or 0),
                    "sectors": request.sectors_per_request,
                    "efficiency": request.efficiency,
                },
                at=(request.line, request.line),
                column=column,
                facts={"sectors_per_request": request.sectors_per_request},
            )
    if not requests and subject.is_kernel:
        yield from _by_stride(subject)


def _by_stride(subject: Subject) -> Iterator[Finding]:
    reported: set[tuple[str, int]] = set()
    together = Counter(map(_whole, dict.fromkeys(subject.profile.access_patterns.references)))
    for reference in subject.profile.access_patterns.references:
        if reference.on_chip or (reference.text, reference.line) in reported:
            continue
        reported.add((reference.text, reference.line))
        steps = [s for loop, s in zip(reference.loops, reference.steps_bytes, strict=True) if loop.iterator == _THREAD]
        step = steps[0] if steps else None
        constant = None if step is None else step.constant
        apart = step is not None and (
            bool(step.names())
            if constant is None
            else abs(constant) > 2 * reference.unit_bytes * together[_whole(reference)]
        )
        if apart:
            text, column = spelled_reference(reference.array, reference.text, subject.lines_from(reference.line))
            yield subject.finding(
                "AI106",
                "apart",
                {"reference": text, "step_bytes": str(step)},
                at=(reference.line, reference.line),
                column=column,
            )


def _whole(reference: Reference) -> tuple[str, int, bool]:
    """Return the element that a reference is to a member of: members of a vector are one access."""
    whole, bracket, member = reference.text.rpartition("].")
    return whole if bracket and "[" not in member else reference.text, reference.line, reference.write


def bank_conflicts(subject: Subject) -> Iterator[Finding]:
    """Find AI107: threads of a warp wait for one another at the banks of shared memory."""
    for request in subject.requests:
        if is_conflicting(request):
            text, column = spelled_reference(request.array, request.text, subject.lines_from(request.line))
            yield subject.finding(
                "AI107",
                "ways",
                {"reference": text, "ways": request.conflict_ways, "step_bytes": abs(request.step_bytes or 0)},
                at=(request.line, request.line),
                column=column,
                facts={"ways": request.conflict_ways},
            )


RULES: Mapping[str, Rule] = {"AI106": uncoalesced, "AI107": bank_conflicts}
