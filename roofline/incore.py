"""The core's own throughput, P_max: how fast one core could run the loop with all data in L1.

Per SIMD iteration (as many loop iterations as a register has lanes) each resource needs its instructions divided by
what it can start per cycle; the largest decides (Treibig, Hager, *Introducing a performance model for
bandwidth-limited loop kernels*, PPAM 2009).  The vector triad ``A[i] = B[i] + C[i]*D[i]`` on Haswell: three loads at
two per cycle 1.5, one store 1, one FMA at two per cycle 0.5, so 1.5 cycles for 4 iterations.

The loop is taken to be vectorised, with register-level references and no latency bound; both can only make it slower.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from analyzer.counts.shapes import PerIteration
from analyzer.ir.values import Operation

from .figures import Precision
from .hardware import Core
from .machine import Machine
from .units import Bandwidth, FlopRate

_DIVISIONS = {Operation.DIV: "div_cycles", Operation.SQRT: "sqrt_cycles"}


@dataclass(frozen=True, slots=True)
class CoreBound:
    """Cycles of one SIMD iteration by resource, and the rates that follow.

    ``iterations`` loop iterations make one SIMD iteration. ``chip`` is over the cores in use; ``l1`` is the traffic
    between one core and its L1 at that rate.
    """

    iterations: int
    cycles_by_resource: tuple[tuple[str, float], ...]
    per_core: FlopRate
    chip: FlopRate
    l1: Bandwidth

    @property
    def cycles(self) -> float:
        """Cycles of one SIMD iteration: those of the busiest resource."""
        return max(cycles for _, cycles in self.cycles_by_resource)

    @property
    def bottleneck(self) -> str:
        """The busiest resource."""
        return max(self.cycles_by_resource, key=lambda item: item[1])[0]


def core_bound(iteration: PerIteration, machine: Machine, cores: int | None = None) -> CoreBound | None:
    """P_max of a loop; None where the machine gives no core data or the loop needs nothing that it knows."""
    core = machine.core
    if core is None or iteration.precision.value not in set(Precision):
        return None
    lanes = core.lanes_of(iteration.precision.value)
    resources = tuple((name, cycles) for name, cycles in _resources(iteration, core) if cycles > 0)
    if not resources:
        return None
    cycles = max(cycles for _, cycles in resources)
    turns_per_s = machine.clock_hz * machine.scaling.flops / cycles
    per_core = FlopRate(float(iteration.flops) * lanes * turns_per_s)
    moved = float(iteration.load_bytes + iteration.store_bytes) * lanes * turns_per_s
    units = machine.unit_count(cores)
    return CoreBound(lanes, resources, per_core, FlopRate(per_core.value * units), Bandwidth(moved))


def _resources(iteration: PerIteration, core: Core) -> list[tuple[str, float]]:
    """Cycles that each resource is busy for one SIMD iteration."""
    found: list[tuple[str, float]] = []

    def put(name: str, instructions: Fraction, per_cycle: float | None) -> None:
        if per_cycle and instructions:
            found.append((name, float(instructions) / per_cycle))

    put("loads", iteration.loads, core.loads_per_cycle)
    put("stores", iteration.stores, core.stores_per_cycle)
    put("memory operations", iteration.loads + iteration.stores, core.memory_operations_per_cycle)
    fused = iteration.fma_instructions
    adds, muls = (_operations(iteration, kinds) for kinds in ({Operation.ADD, Operation.SUB}, {Operation.MUL}))
    put("additions", max(adds - fused, Fraction(0)), core.add_units)
    put("multiplications", max(muls - fused, Fraction(0)), core.mul_units)
    put("arithmetic", iteration.flop_instructions, core.fma_units or core.add_units)
    for operation, field in _DIVISIONS.items():
        busy = getattr(core, field)
        number = _operations(iteration, {operation})
        if busy and number:
            found.append(("divisions" if operation is Operation.DIV else "square roots", float(number) * busy))
    return found


def _operations(iteration: PerIteration, kinds: set[Operation]) -> Fraction:
    return sum(
        (share for key, share in iteration.operations.items() if key.operation in kinds and key.precision.is_float),
        Fraction(0),
    )
