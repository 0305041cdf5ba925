"""The core's own throughput, P_max: how fast one core could run the loop with all data in L1.

Per vector iteration (as many loop iterations as a SIMD register has lanes, or one where the loop cannot be vectorised)
each resource needs its instructions divided by its throughput per cycle; the largest decides (Treibig, Hager,
*Introducing a performance model for bandwidth-limited loop kernels*, PPAM 2009).  The vector triad
``A[i] = B[i] + C[i]*D[i]`` on Haswell: three loads at two per cycle 1.5, one store 1, one FMA at two per cycle 0.5, so
1.5 cycles for 4 iterations.

Assumptions, always in favour of the core:

* A loop runs at scalar rates where :mod:`analyzer.counts.dependence` finds an obstacle: a dependence closer than the
  lanes, indirect access, a stride, mixed types, a call.
* A sum is taken in the order of the source, as C demands: one scalar operation after the other, each waiting out its
  latency.  ``reassociate`` (``-ffast-math``, several accumulators, ``omp simd``) lifts that.
* A loop of at most 16 iterations is taken to be unrolled, so that its sums are short expressions of the loop outside:
  the next ones do not wait for them.
* Any other chain from one iteration to the next takes the latencies of its operations; operations without a stated
  latency take none.
* Divisions and square roots share a unit, busy with one after the other (Fog, *Instruction tables*: the divider
  of port 0 on Intel, of one pipe on Zen).
* What no iteration changes (``alpha*dt/(dx*dx)``) is computed before the loop.
* The front end starts ``issue_width`` instructions per cycle, of which an arithmetic one can include a load.
* Where a machine states no division of a format or width: fp32 takes half of fp64, a scalar its share of the lanes,
  and the next one can use its result as soon as the unit is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from analyzer.counts.results import Chain, ObstacleKind, PerIteration
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation

from ..machine.figures import Precision
from ..machine.hardware import Core
from ..machine.machine import Machine
from ..machine.units import Bandwidth, FlopRate

LOADS = "loads"
_UNROLLED = 16
_NAMES = {Operation.DIV: "divisions", Operation.SQRT: "square roots"}
_BOTH = " and ".join(_NAMES.values())


class CoreBound(Struct, frozen=True, kw_only=True):
    """Cycles of one vector iteration by resource, and the rates that follow.

    ``iterations`` iterations of the loop at ``line`` make one vector iteration, and take one core ``seconds`` each.
    ``chip`` is over the cores in use; ``l1`` is the traffic between one core and its L1 at that rate. ``assumptions``
    name obstacles to SIMD, and derived figures; ``reassociated_cycles`` are the cycles with sums in another order, None
    where that changes nothing.  Where a nest has more innermost loops, the rates are over all of them, and this one has
    a ``share`` of the cycles.
    """

    line: int
    iterations: int
    seconds: float
    cycles_by_resource: tuple[tuple[str, float], ...]
    per_core: FlopRate
    chip: FlopRate
    l1: Bandwidth
    vectorised: bool = True
    assumptions: tuple[str, ...] = ()
    reassociated_cycles: float | None = None
    share: float = 1.0

    def among(self, own: float, whole: float, cores: int) -> CoreBound:
        """Return the bound of a nest in which this loop takes ``own`` of the ``whole`` seconds for each FLOP."""
        rate = FlopRate(1 / whole)
        return replace(self, per_core=rate, chip=FlopRate(rate.value * cores), share=own / whole)

    @property
    def cycles(self) -> float:
        """Cycles of one vector iteration: those of the busiest resource."""
        return max(cycles for _, cycles in self.cycles_by_resource)

    @property
    def bottleneck(self) -> str:
        """The busiest resource."""
        return max(self.cycles_by_resource, key=lambda item: item[1])[0]


def core_bound(
    iteration: PerIteration, machine: Machine, cores: int | None = None, *, reassociate: bool = False
) -> CoreBound | None:
    """Return P_max of a loop; None without core data, or where the loop uses no resource that the machine states."""
    core = machine.core
    if core is None or iteration.precision.value not in set(Precision):
        return None
    loop = iteration.vectorization
    allowed = reassociate or loop.asserted or (loop.trip is not None and loop.trip <= _UNROLLED)
    vector = _vector_iteration(iteration, core, reassociate=allowed)
    if vector is None:
        return None
    other = None if allowed else _vector_iteration(iteration, core, reassociate=True)
    vectors_per_s = machine.clock_hz * machine.scaling.flops / vector.cycles
    per_core = FlopRate(float(iteration.flops) * vector.lanes * vectors_per_s)
    moved = float(iteration.load_bytes + iteration.store_bytes) * vector.lanes * vectors_per_s
    reordered = None if other is None else other.cycles * vector.lanes / other.lanes
    return CoreBound(
        line=iteration.line,
        iterations=vector.lanes,
        seconds=1 / (vector.lanes * vectors_per_s),
        cycles_by_resource=vector.resources,
        per_core=per_core,
        chip=FlopRate(per_core.value * machine.unit_count(cores)),
        l1=Bandwidth(moved),
        vectorised=vector.vectorised,
        assumptions=vector.assumptions,
        reassociated_cycles=reordered if reordered is not None and reordered < vector.cycles else None,
    )


class _VectorIteration(Struct, frozen=True):
    lanes: int
    resources: tuple[tuple[str, float], ...]
    vectorised: bool
    assumptions: tuple[str, ...]

    @property
    def cycles(self) -> float:
        return max(cycles for _, cycles in self.resources)


def _vector_iteration(iteration: PerIteration, core: Core, *, reassociate: bool) -> _VectorIteration | None:
    """Return one vector iteration; None where it uses no resource that the machine states."""
    lanes = core.lanes_of(iteration.precision.value)
    reasons = tuple(dict.fromkeys(_scalar_reasons(iteration, lanes, reassociate=reassociate)))
    vectorised = not reasons
    lanes = lanes if vectorised else 1
    divisions = [_division(iteration, core, operation, lanes) for operation in _NAMES]
    resources = [
        *_ports(iteration, core, lanes),
        _divider(divisions),
        *_chains(iteration, core, lanes, reassociate=reassociate),
    ]
    busy = tuple((name, cycles) for name, cycles in resources if cycles > 0)
    if not busy:
        return None
    derived = tuple(text for _, cycles, text in divisions if cycles and text)
    scalar = (f"not vectorised: {'; '.join(reasons)}",) if reasons else ()
    return _VectorIteration(lanes, busy, vectorised, (*scalar, *derived))


def _scalar_reasons(iteration: PerIteration, lanes: int, *, reassociate: bool) -> Iterator[str]:
    for obstacle in iteration.vectorization.obstacles:
        if obstacle.kind is not ObstacleKind.DEPENDENCE or obstacle.distance < lanes:
            yield obstacle.text
    if not reassociate:
        for chain in iteration.vectorization.chains:
            if chain.is_reduction and chain.is_floating:
                yield f"{chain.name} is accumulated in the order of the source"


def _ports(iteration: PerIteration, core: Core, lanes: int) -> Iterator[tuple[str, float]]:
    """Yield the cycles that each kind of port is busy; an FMA takes a multiplier, and no adder."""

    def busy(name: str, instructions: Fraction, per_cycle: float | None) -> tuple[str, float]:
        return name, float(instructions) / per_cycle if per_cycle else 0.0

    loads = _accesses(iteration.loads, iteration.load_bytes, core, lanes)
    stores = _accesses(iteration.stores, iteration.store_bytes, core, lanes)
    arithmetic = iteration.flop_instructions - iteration.hoisted.flop_instructions
    yield busy(LOADS, loads, core.loads_per_cycle)
    yield busy("stores", stores, core.stores_per_cycle)
    yield busy("memory operations", loads + stores, core.memory_operations_per_cycle)
    explicit = _operations(iteration, {Operation.FMA})
    fused = iteration.fma_instructions - iteration.hoisted.fma_instructions
    adds = _operations(iteration, {Operation.ADD, Operation.SUB}) - (fused - explicit)
    yield busy("additions", max(adds, Fraction(0)), core.add_units)
    yield busy("multiplications", _operations(iteration, {Operation.MUL}) + explicit, core.mul_units)
    yield busy("arithmetic", arithmetic, core.arithmetic_units)
    yield busy("front end", max(loads, arithmetic) + stores, core.issue_width)


def _accesses(elements: Fraction, size: Fraction, core: Core, lanes: int) -> Fraction:
    """Return the loads or stores of a vector iteration: more than one for each element where elements are complex."""
    return max(elements, Fraction(8, core.simd_bits) * size * lanes)


def _divider(divisions: Sequence[tuple[str, float, str]]) -> tuple[str, float]:
    """Return the cycles of the unit that divides: it takes the roots as well."""
    used = [name for name, cycles, _ in divisions if cycles]
    return _BOTH if len(used) > 1 else "".join(used), sum(cycles for _, cycles, _ in divisions)


def _division(iteration: PerIteration, core: Core, operation: Operation, lanes: int) -> tuple[str, float, str]:
    """Return the cycles that divisions or square roots occupy their unit, and the assumption behind them."""
    number = float(_operations(iteration, {operation}))
    cycles, text = division_cycles(core, operation, iteration.precision.value, lanes)
    return _NAMES[operation], number * (cycles or 0.0), text


def division_cycles(core: Core, operation: Operation, precision: str, lanes: int) -> tuple[float | None, str]:
    """Return the cycles of one division or square root in ``lanes`` lanes, and how they are derived if not stated."""
    root = operation is Operation.SQRT
    full = core.sqrt_cycles if root else core.div_cycles
    narrow = core.sqrt_scalar_cycles if root else core.div_scalar_cycles
    single = core.sqrt_fp32_cycles if root else core.div_fp32_cycles
    name = "square root" if root else "division"
    if full is None:
        return None, ""
    is_single = precision == Precision.FP32
    cycles, text = (single or full / 2, "" if single else f"an fp32 {name} takes half of an fp64 one")
    if not is_single:
        cycles, text = full, ""
    if lanes == 1 and core.lanes_of(precision) > 1:
        if narrow is None:
            return cycles / core.lanes_of(precision), f"a scalar {name} takes its share of a full-width one"
        return narrow * cycles / full, text
    return cycles, text


def _chains(iteration: PerIteration, core: Core, lanes: int, *, reassociate: bool) -> Iterator[tuple[str, float]]:
    """Yield the cycles that a vector iteration waits for values of earlier ones."""
    for chain in iteration.vectorization.chains:
        if chain.is_floating and not (reassociate and chain.is_reduction):
            yield f"latency of {chain.name}", _latency(chain, core, iteration) * lanes / chain.distance


def _latency(chain: Chain, core: Core, iteration: PerIteration) -> float:
    """Return the cycles from reading the value of a chain to its next value."""
    stated = {
        Operation.FMA: core.fma_latency_cycles,
        Operation.ADD: core.add_latency_cycles,
        Operation.SUB: core.add_latency_cycles,
        Operation.MIN: core.add_latency_cycles,
        Operation.MAX: core.add_latency_cycles,
        Operation.MUL: core.mul_latency_cycles,
    }
    for operation, latency in ((Operation.DIV, core.div_latency_cycles), (Operation.SQRT, core.sqrt_latency_cycles)):
        busy, _ = division_cycles(core, operation, iteration.precision.value, 1)
        stated[operation] = latency if latency and iteration.precision is ScalarType.FP64 else busy
    return sum(stated.get(operation) or 0.0 for operation in chain.operations)


def _operations(iteration: PerIteration, kinds: set[Operation]) -> Fraction:
    hoisted = iteration.hoisted.operations
    return sum(
        (
            share - hoisted.get(key, Fraction(0))
            for key, share in iteration.operations.items()
            if key.operation in kinds and key.precision.is_float
        ),
        Fraction(0),
    )
