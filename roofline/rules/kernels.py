"""Rules on kernels: AI106 uncoalesced access, AI107 bank conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.gpu import is_conflicting, is_uncoalesced
from .findings import Finding
from .subject import Rule, Subject

_THREAD = "threadIdx.x"


def uncoalesced(subject: Subject) -> Iterator[Finding]:
    """Find AI106: neighbouring threads touch elements that are far apart; by stride alone where no GPU is named."""
    requests = subject.requests
    for request in requests:
        if is_uncoalesced(request):
            yield subject.finding(
                "AI106",
                f"{request.text}: neighbouring threads are {abs(request.step_bytes or 0)} bytes apart, "
                f"{request.sectors_per_request:.3g} sectors per request, {request.efficiency:.0%} of the bytes used",
                hint="let neighbouring threads use neighbouring elements, or go through shared memory",
                line=request.line,
                sectors_per_request=request.sectors_per_request,
            )
    if not requests and subject.is_kernel:
        yield from _by_stride(subject)


def _by_stride(subject: Subject) -> Iterator[Finding]:
    reported: set[tuple[str, int]] = set()
    for reference in subject.profile.traits.references:
        if reference.on_chip or (reference.text, reference.line) in reported:
            continue
        reported.add((reference.text, reference.line))
        steps = [s for loop, s in zip(reference.loops, reference.steps_bytes, strict=True) if loop.iterator == _THREAD]
        step = steps[0] if steps else None
        constant = None if step is None else step.constant
        apart = step is not None and (
            bool(step.names()) if constant is None else abs(constant) > 2 * reference.unit_bytes
        )
        if apart:
            yield subject.finding(
                "AI106",
                f"{reference.text}: neighbouring threads are {step} bytes apart",
                hint="let neighbouring threads use neighbouring elements, or go through shared memory",
                line=reference.line,
            )


def bank_conflicts(subject: Subject) -> Iterator[Finding]:
    """Find AI107: threads of a warp wait for one another at the banks of shared memory."""
    for request in subject.requests:
        if is_conflicting(request):
            yield subject.finding(
                "AI107",
                f"{request.text}: {request.conflict_ways:.3g}-way bank conflicts, neighbouring threads are "
                f"{abs(request.step_bytes or 0)} bytes apart",
                hint="pad the rows by one element",
                line=request.line,
                ways=request.conflict_ways,
            )


RULES: Mapping[str, Rule] = {"AI106": uncoalesced, "AI107": bank_conflicts}
