"""The execution-cache-memory model (ECM): cycles of one core for one cache line of work.

Input: a profile, a machine that states its core, the widths of its cache paths and what overlaps, and the bytes of
every level.  Output: an :class:`Ecm`, in kerncraft's notation ``{T_OL || T_nOL | T_L1L2 | T_L2L3 | T_L3Mem}``.

Stengel, Treibig, Hager, Wellein, *Quantifying performance bottlenecks of stencil computations using the
execution-cache-memory model*, ICS 2015, equations 1 and 2:

    T_ECM = max(T_OL, T_nOL + T_L1L2 + T_L2L3 + T_L3Mem),   n_S = ceil(T_ECM / T_L3Mem)

* A cache line of work is as many iterations as a line has elements of the loop's precision.
* T_nOL are the loads, which on Intel cores exclude transfers between L1 and L2; T_OL is everything else in the core.
  Where a machine's loads overlap, they are part of T_OL; a transfer that overlaps is a maximum instead of a summand.
* A transfer is the bytes of its level over the width of its path: both directions together on a half-duplex path, the
  larger one on a full-duplex one.  The memory has the saturated bandwidth of one of its domains.
* The core's part comes from port throughput (:mod:`.core.incore`), not from compiled code; there are no latency
  penalties.
"""

from __future__ import annotations

import math
from itertools import pairwise

from msgspec import Struct

from analyzer.ir.types import ScalarType
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity

from ..machine.figures import Basis
from ..machine.machine import Machine
from .core.incore import CoreBound, Resource, Unit
from .level_bytes import MovedBytes


class Transfer(Struct, frozen=True):
    """What moves between two neighbouring levels for one cache line of work; ``overlaps`` with everything else."""

    inner: str
    outer: str
    bytes: float
    cycles: float
    overlaps: bool = False

    @property
    def between(self) -> str:
        """Return both levels: ``L1L2``."""
        return self.inner + self.outer


class Ecm(Struct, frozen=True):
    """Cycles for one cache line of work, that is ``iterations`` iterations with ``flops`` FLOPs."""

    iterations: int
    line_bytes: int
    overlapping: float
    non_overlapping: float
    transfers: tuple[Transfer, ...]
    flops: float
    clock_hz: float

    @property
    def predictions(self) -> tuple[float, ...]:
        """Return cycles with the data in each level, from L1 to the memory."""
        return tuple(self._cycles(self.transfers[:count]) for count in range(len(self.transfers) + 1))

    @property
    def cycles(self) -> float:
        """Return cycles with the data where the region finds them."""
        return self.predictions[-1]

    @property
    def saturation_cores(self) -> int | None:
        """Return cores that use up the bandwidth of one memory domain; None where nothing comes from memory."""
        memory = self.transfers[-1].cycles if self.transfers else 0.0
        return math.ceil(self.cycles / memory - 1e-9) if memory else None

    @property
    def flop_per_s(self) -> float:
        """Return rate of one core."""
        return self.flops / self.cycles * self.clock_hz if self.cycles else 0.0

    @property
    def notation(self) -> str:
        """Return the parts: ``{4 || 6 | 10 | 10 | 14.7} cy/CL``."""
        parts = " | ".join(_number(value) for value in (self.non_overlapping, *(t.cycles for t in self.transfers)))
        return f"{{{_number(self.overlapping)} || {parts}}} cy/CL"

    @property
    def prediction(self) -> str:
        r"""Return the prediction with the data in each level: ``{6 \ 16 \ 26 \ 40.7} cy/CL``."""
        return "{" + " \\ ".join(_number(value) for value in self.predictions) + "} cy/CL"

    def _cycles(self, transfers: tuple[Transfer, ...]) -> float:
        overlapped = [transfer.cycles for transfer in transfers if transfer.overlaps]
        added = sum(transfer.cycles for transfer in transfers if not transfer.overlaps)
        return max(self.overlapping, self.non_overlapping + added, *overlapped)


def ecm_of(
    profile: RegionProfile,
    machine: Machine,
    core: CoreBound | None,
    moves: tuple[tuple[str, MovedBytes], ...],
    basis: Basis = Basis.SUSTAINED,
) -> Ecm | None:
    """Return the model of a region; None where the machine or the caches leave a part of it unknown.

    It is of the dominant loop: None where another loop takes more cycles of the core.
    """
    iteration = profile.per_iteration
    if core is None or iteration is None or machine.core is None or machine.core.loads_overlap is None:
        return None
    if core.line != iteration.line:
        return None
    total = _iterations(profile)
    line_bytes = machine.line_bytes
    work = max(1, line_bytes // _element_bytes(iteration.precision))
    transfers = _transfers(profile, machine, moves, work / total, basis) if total else None
    if transfers is None:
        return None
    iterations = work / core.iterations
    cycles = {resource: busy * iterations for resource, busy in core.cycles_by_resource}
    loads = 0.0 if machine.core.loads_overlap else cycles.pop(Resource(Unit.LOADS), 0.0)
    return Ecm(
        work,
        line_bytes,
        max(cycles.values(), default=0.0),
        loads,
        transfers,
        float(iteration.flops) * work,
        machine.clock_hz * machine.scaling.flops,
    )


def _transfers(
    profile: RegionProfile, machine: Machine, moves: tuple[tuple[str, MovedBytes], ...], share: float, basis: Basis
) -> tuple[Transfer, ...] | None:
    """Return the paths from L1 outwards; None where a width or a number of bytes is not known."""
    if [name for name, _ in moves] != list(machine.level_names):
        return None
    found: list[Transfer] = []
    for (inner, _), (outer, moved) in pairwise(moves):
        parts = [_value(part, profile) for part in (moved.read, moved.write_allocate, moved.write)]
        if any(part is None for part in parts):
            return None
        read, allocated, written = (part * share for part in parts if part is not None)
        level = machine.level(outer)
        if level is None:
            cycles, overlaps = _memory_cycles(machine, read + allocated + written, basis), _overlaps(machine, inner)
        elif level.bytes_per_cycle is None:
            return None
        else:
            both = max(read + allocated, written) if level.duplex == "full" else read + allocated + written
            cycles, overlaps = both / level.bytes_per_cycle, level.transfers_overlap is True
        if cycles is None:
            return None
        found.append(Transfer(inner, outer if level else "Mem", read + allocated + written, cycles, overlaps))
    return tuple(found)


def _memory_cycles(machine: Machine, size: float, basis: Basis) -> float | None:
    chosen = machine.bandwidth(machine.memory.name, basis)
    if chosen is None:
        return None
    per_domain = chosen.rate.value / machine.memory.domains
    return size / per_domain * machine.clock_hz * machine.scaling.flops


def _overlaps(machine: Machine, name: str) -> bool:
    level = machine.level(name)
    return level is not None and level.transfers_overlap is True


def _iterations(profile: RegionProfile) -> float | None:
    """Return iterations of the dominant loop that would do all the work of the region."""
    iteration = profile.per_iteration
    if iteration is None:
        return None
    if iteration.flops:
        flops = _value(profile.work.flops, profile)
        return None if flops is None else flops / float(iteration.flops)
    parts = [
        _value(found, profile) for found in (profile.register_traffic.read_bytes, profile.register_traffic.write_bytes)
    ]
    moved = float(iteration.load_bytes + iteration.store_bytes)
    return sum(part for part in parts if part is not None) / moved if moved and None not in parts else None


def _element_bytes(precision: ScalarType) -> int:
    return precision.component.size_bytes or ScalarType.FP64.size_bytes


def _value(found: Quantity, profile: RegionProfile) -> float | None:
    count = found.estimate
    return float(count.evaluate(profile.values)) if count.symbols <= profile.values.keys() else None


def _number(value: float) -> str:
    """Render with one decimal where there is one.

    >>> _number(6.0), _number(14.7201)
    ('6', '14.7')
    """
    return f"{value:.1f}".removesuffix(".0")
