"""Rules on kernels: AI106 uncoalesced access, AI107 bank conflicts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from analyzer.traffic.results import Request

from ..model.gpu.requests import is_conflicting
from ..model.gpu.strides import references_apart
from ..report.locations import spelled_reference
from .findings import Finding
from .sentences import Shown
from .subject import Rule, Subject

_WIDEST_BYTES = 16  # of one access of a thread (CUDA C++ Programming Guide, device memory accesses)


def uncoalesced(subject: Subject) -> Iterator[Finding]:
    """Find AI106: neighbouring threads touch elements that are far apart; by stride alone where no GPU is named."""
    requests = subject.requests
    reported: set[tuple[str, int]] = set()
    for request in requests:
        if request.is_uncoalesced and not _is_copied_whole(subject, request):
            text, column = spelled_reference(request.array, request.text, subject.lines_from(request.line))
            if (text, request.line) in reported:
                continue
            reported.add((text, request.line))
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
    for reference, step in references_apart(subject.profile.access_patterns):
        text, column = spelled_reference(reference.array, reference.text, subject.lines_from(reference.line))
        if (text, reference.line) in reported:
            continue
        reported.add((text, reference.line))
        yield subject.finding(
            "AI106",
            "apart",
            {"reference": text, "step_bytes": str(step)},
            at=(reference.line, reference.line),
            column=column,
        )


def _is_copied_whole(subject: Subject, request: Request) -> bool:
    """Return whether a request is one of a copy of a structure, of at most 16 bytes, from threads side by side.

    The structure is a loop over its elements that the source does not have; compilers make one wide access of it.
    """
    for reference in subject.profile.access_patterns.references:
        if (reference.line, reference.array, reference.write) != (request.line, request.array, request.write):
            continue
        loop, step = reference.loops[-1], reference.steps_bytes[-1]
        trip = None if loop.trip is None else loop.trip.constant
        if loop.line != reference.line or trip is None or step is None or step.constant is None:
            continue
        size = abs(step.constant) * trip
        is_written_out = re.search(rf"\b{re.escape(loop.iterator)}\b", next(iter(subject.lines_from(loop.line)), ""))
        if size <= _WIDEST_BYTES and abs(request.step_bytes or 0) == size and not is_written_out:
            return True
    return False


def bank_conflicts(subject: Subject) -> Iterator[Finding]:
    """Find AI107: threads of a warp wait for one another at the banks of shared memory."""
    for request in subject.requests:
        if is_conflicting(request) and not _is_copied_whole(subject, request):
            text, column = spelled_reference(request.array, request.text, subject.lines_from(request.line))
            step = abs(request.step_bytes or 0)
            apart: dict[str, Shown] = {"step_bytes": step} if step > request.size_bytes else {}
            yield subject.finding(
                "AI107",
                "ways" if apart else "ways-rows" if step else "ways-alone",
                {"reference": text, "ways": request.conflict_ways, **apart},
                at=(request.line, request.line),
                column=column,
                facts={"ways": request.conflict_ways},
            )


RULES: Mapping[str, Rule] = {"AI106": uncoalesced, "AI107": bank_conflicts}
