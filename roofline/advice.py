"""What would help a region: short sentences with the gain that the roofline promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.profile import RegionProfile
from analyzer.traffic.shapes import Convention

from .projection import Bound, Moved, Projection
from .ratios import ratio


@dataclass(frozen=True, slots=True)
class Advice:
    """One suggestion; ``gain`` is the predicted speed-up, None where it is not a number."""

    code: str
    text: str
    gain: float | None


def advice_for(profile: RegionProfile, moved: Moved, projections: Sequence[Projection]) -> tuple[Advice, ...]:
    """Suggestions for a region, by the first machine where there is one."""
    found: list[Advice] = []
    first = projections[0] if projections else None
    memory_bound = first is None or first.bound is Bound.MEMORY
    if moved.convention is Convention.WRITE_ALLOCATE and memory_bound and not moved.write_allocate.upper.is_zero:
        spared = ratio(profile, moved.write_allocate, moved.total).number
        if spared is not None and 0 < spared < 1:
            gain = float(1 / (1 - spared))
            text = f"non-temporal stores would save the write-allocate: {gain:.2f} times as fast (--nontemporal)"
            found.append(Advice("AI401", text, gain))
    if first is not None and first.bound is Bound.MEMORY and first.ceiling is not None and first.attainable is not None:
        room = first.ceiling.rate / first.attainable
        if room > 1:
            how = (
                "reuse data: each byte moved less (fusion, blocking)"
                if first.level == first.machine.memory.name
                else f"reuse registers: each byte less from {first.level} (unrolling outer loops, register blocking)"
            )
            text = f"{how} gains in proportion, up to {room:.3g} times at the {first.ceiling.name} ceiling"
            found.append(Advice("AI402", text, room))
    return tuple(found)
