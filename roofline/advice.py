"""What would help a region: short sentences with the gain that the roofline promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analyzer.profile import RegionProfile
from analyzer.traffic.shapes import Convention

from .projection import Bound, Moved, Projection, project
from .ratios import ratio

_NOTICEABLE = 1.01


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
    if first is not None and first.bound is Bound.COMPUTE:
        found += _reordered(profile, first)
    return tuple(found)


def _reordered(profile: RegionProfile, projection: Projection) -> Iterator[Advice]:
    """What sums in another order would gain, where the latency of one binds."""
    core, before = projection.core, projection.attainable
    if core is None or core.reassociated_cycles is None or before is None or not before.value:
        return
    after = project(profile, projection.machine, replace(projection.options, reassociate=True)).attainable
    gain = after / before if after is not None else 1.0
    if gain > _NOTICEABLE:
        text = f"several accumulators, or sums in any order (-ffast-math): {gain:.3g} times as fast (--reassociate)"
        yield Advice("AI403", text, gain)
