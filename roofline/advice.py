"""What would help a region: short sentences with the gain that the roofline promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analyzer.profile import RegionProfile
from analyzer.traffic.shapes import Convention

from .projection import Bound, Moved, Projection, project
from .ratios import ratio

_NOTICEABLE = 1.01
_ALLOCATING = (Convention.WRITE_ALLOCATE, Convention.CACHED)


@dataclass(frozen=True, slots=True)
class Advice:
    """One suggestion; ``gain`` is the predicted speed-up, None where it is not a number."""

    code: str
    text: str
    gain: float | None


def advice_for(profile: RegionProfile, moved: Moved, projections: Sequence[Projection]) -> tuple[Advice, ...]:
    """Suggestions for a region, by the first machine where there is one."""
    first = projections[0] if projections else None
    found = list(_streaming(profile, moved, first))
    if first is not None and first.bound is Bound.MEMORY:
        found += _reuse(first)
    if first is not None and first.bound is Bound.COMPUTE:
        found += _reordered(profile, first)
    return tuple(found)


def _streaming(profile: RegionProfile, moved: Moved, projection: Projection | None) -> Iterator[Advice]:
    """What non-temporal stores would gain, where memory binds or no machine is named."""
    if moved.convention not in _ALLOCATING or moved.write_allocate.upper.is_zero:
        return
    spared = ratio(profile, moved.write_allocate, moved.total).number
    if spared is None or not 0 < spared < 1:
        return
    gain = float(1 / (1 - spared))
    if projection is not None:
        if projection.bound is not Bound.MEMORY or projection.level != projection.machine.memory.name:
            return
        before = projection.attainable
        after = project(profile, projection.machine, replace(projection.options, nontemporal=True)).attainable
        gain = after / before if before is not None and before.value and after is not None else gain
    if gain > _NOTICEABLE:
        text = f"non-temporal stores would save the write-allocate: {gain:.2f} times as fast (--nontemporal)"
        yield Advice("AI401", text, gain)


def _reuse(projection: Projection) -> Iterator[Advice]:
    """What fewer bytes from the binding level would gain."""
    if projection.ceiling is None or projection.attainable is None or not projection.attainable.value:
        return
    room = projection.ceiling.rate / projection.attainable
    if room <= 1:
        return
    level, names = projection.level, projection.machine.level_names
    if level == names[0] and len(names) > 1:
        how = f"reuse registers: each byte less from {level} (unrolling outer loops, register blocking)"
    elif level in names[1:-1]:
        how = f"reuse {names[names.index(level) - 1]}: each byte less from {level} (blocking for the smaller cache)"
    else:
        how = "reuse data: each byte moved less (fusion, blocking)"
    text = f"{how} gains in proportion, up to {room:.3g} times at the {projection.ceiling.name} ceiling"
    yield Advice("AI402", text, room)


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
