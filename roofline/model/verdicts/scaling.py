"""The roofline over the cores in use: where more of them stop helping.

Input: a projection's ceiling and levels.  Output: :class:`Scaling`.  The compute ceiling grows with the cores, the
bandwidth of a private level too; that of a shared one and of the memory saturates, by the rules of
:mod:`roofline.machine.machine`.  The bytes are those of all cores in use; the larger share of a shared cache for
each of fewer cores is not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...machine.figures import Basis
from ...machine.hardware import MachineKind
from ...machine.machine import Machine
from ...machine.units import Bandwidth, FlopRate, Intensity

_FULL = 0.99  # of the highest rate counts as all of it: a choice, of which only the named number of cores depends


class ScalingPoint(Struct, frozen=True):
    """The attainable rate with some cores; ``bound`` is the level or the ceiling that limits it."""

    cores: int
    rate: FlopRate
    bound: str


class Scaling(Struct, frozen=True):
    """The rate at some numbers of cores; from ``saturation_cores`` on it is that of all, within 1 %."""

    points: tuple[ScalingPoint, ...]
    saturation_cores: int | None


def scaling_of(
    machine: Machine,
    basis: Basis,
    cores: int | None,
    ceiling: tuple[str, FlopRate],
    levels: Sequence[tuple[str, Intensity]],
) -> Scaling | None:
    """Return the rates from one core to those in use (``cores``); None where there is one or the machine is no CPU.

    ``ceiling`` is the compute ceiling of the cores in use, ``levels`` have the intensity of each level.
    """
    used = machine.unit_count(cores)
    if machine.kind is not MachineKind.CPU or used < 2:
        return None
    name, rate = ceiling

    def point(count: int) -> ScalingPoint:
        roofs = [(rate.value * count / used, name)]
        for level, intensity in levels:
            chosen = machine.bandwidth(level, basis, count)
            if chosen is not None:
                roofs.append(((Bandwidth(chosen.rate.value) * intensity).value, level))
        value, bound = min(roofs, key=lambda roof: roof[0])
        return ScalingPoint(count, FlopRate(value), bound)

    most = point(used).rate.value
    low, high = 1, used
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if point(middle).rate.value >= _FULL * most else (middle + 1, high)
    chosen = sorted({count for count in (*_doubled(used), low, used) if count <= used})
    return Scaling(tuple(map(point, chosen)), low if low < used else None)


def _doubled(most: int) -> list[int]:
    """Return 1, 2, 3, 4, 6, 8, 12, 16 and so on.

    >>> _doubled(14)
    [1, 2, 3, 4, 6, 8, 12]
    """
    counts = {step << shift for step in (1, 3) for shift in range(most.bit_length())}
    return sorted(step for step in counts if step <= most)
