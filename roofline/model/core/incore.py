"""The core's own throughput, P_max: how fast one core could run the loop with all data in L1.

Per vector iteration (as many loop iterations as a SIMD register has lanes, or one where the loop cannot be vectorised)
each resource needs its instructions divided by its throughput per cycle; the largest decides (Treibig, Hager,
*Introducing a performance model for bandwidth-limited loop kernels*, PPAM 2009).  The vector triad
``A[i] = B[i] + C[i]*D[i]`` on Haswell: three loads at two per cycle 1.5, one store 1, one FMA at two per cycle 0.5, so
1.5 cycles for 4 iterations.

Assumptions, always in favour of the core:

* A loop runs at scalar rates where :mod:`analyzer.counts.innermost.dependence` finds an obstacle: a dependence closer
  than the lanes, indirect access, a stride, mixed types, a call.
* A loop of vectors (intrinsics, vector types) runs as written: an operation is one instruction for as many lanes as the
  core has, and sums wait for one another.
* A sum is taken in the order of the source, as C demands: one scalar operation after the other, each waiting out its
  latency.  ``reassociate`` (``-ffast-math``, several accumulators, ``omp simd``) lifts that.
* A loop of at most 16 iterations is assumed to be unrolled, so that its sums are short expressions of the loop outside:
  the next ones do not wait for them, but where a sum goes on over the loop outside.
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

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analyzer.counts.results import Obstacle, ObstacleKind, OperationKey, PerIteration, Vectorization
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation

from ...machine.figures import Precision
from ...machine.hardware import Core
from ...machine.machine import Machine
from ...machine.units import Bandwidth, FlopRate
from ..compilers import WRITTEN_OUT


class Unit(Enum):
    """A part of the core that instructions occupy, or the latency that they wait for."""

    LOADS = "loads"
    STORES = "stores"
    MEMORY_OPERATIONS = "memory operations"
    ADDITIONS = "additions"
    MULTIPLICATIONS = "multiplications"
    ARITHMETIC = "arithmetic"
    DIVISIONS = "divisions"
    SQUARE_ROOTS = "square roots"
    DIVISIONS_AND_ROOTS = "divisions and square roots"
    INTEGERS = "integer operations"
    FRONT_END = "front end"
    LATENCY = "latency"
    LOAD_LATENCY = "latency of loads"


class Resource(Struct, frozen=True):
    """What limits the core: a unit, or the latency of a value that is handed from iteration to iteration."""

    unit: Unit
    value: str = ""


class NotVectorised(Struct, frozen=True):
    """The loop runs at scalar rates: for these obstacles, and sums that are taken in the order of the source."""

    obstacles: tuple[Obstacle, ...]
    sums: tuple[str, ...]


class HalfOfDouble(Struct, frozen=True):
    """A division or square root in fp32 is assumed to need half the cycles of one in fp64."""

    operation: Operation


class ShareOfFullWidth(Struct, frozen=True):
    """A scalar division or square root is assumed to need its share of the cycles of a full-width one."""

    operation: Operation


CoreAssumption = NotVectorised | HalfOfDouble | ShareOfFullWidth

_DIVIDERS = {Operation.DIV: Unit.DIVISIONS, Operation.SQRT: Unit.SQUARE_ROOTS}


class CoreBound(Struct, frozen=True, kw_only=True):
    """Cycles of one vector iteration by resource, and the rates that follow.

    ``iterations`` iterations of the loop at ``line`` make one vector iteration, and take one core ``seconds`` each.
    ``chip`` is over the cores in use; ``l1`` is the traffic between one core and its L1 at that rate. ``assumptions``
    name obstacles to SIMD, and derived figures; ``reassociated_cycles`` are the cycles with sums in another order, None
    where that changes nothing.  Where a nest has more innermost loops, the rates are over all of them, and this one has
    a ``share`` of the cycles.  ``for_large_sizes``: statements outside of the loop count FLOPs and no cycles, so that
    small sizes may run faster.  ``nest_seconds`` are what one core takes for all iterations of the innermost loops of
    a nest, None without sizes; of these are ``certain_seconds`` where registers hold what the nest meets again.
    """

    line: int
    iterations: int
    seconds: float
    cycles_by_resource: tuple[tuple[Resource, float], ...]
    per_core: FlopRate
    chip: FlopRate
    l1: Bandwidth
    vectorised: bool = True
    assumptions: tuple[CoreAssumption, ...] = ()
    reassociated_cycles: float | None = None
    share: float = 1.0
    for_large_sizes: bool = False
    nest_seconds: float | None = None
    certain_seconds: float = 0.0

    def among(self, own: float, whole: float, cores: int) -> CoreBound:
        """Return the bound of a nest in which this loop takes ``own`` of the ``whole`` seconds for each FLOP."""
        rate = FlopRate(1 / whole)
        return replace(self, per_core=rate, chip=FlopRate(rate.value * cores), share=own / whole, for_large_sizes=True)

    @property
    def cycles(self) -> float:
        """Return cycles of one vector iteration: those of the busiest resource."""
        return max(cycles for _, cycles in self.cycles_by_resource)

    @property
    def bottleneck(self) -> Resource:
        """Return the busiest resource."""
        return max(self.cycles_by_resource, key=lambda item: item[1])[0]


def is_reordered(loop: Vectorization) -> bool:
    """Return whether sums wait for no order: the source says so, or the loop is written out and they end with it."""
    goes_on = any(chain.is_floating and chain.is_reduction and not chain.restarts for chain in loop.chains)
    return loop.asserted or (loop.trip is not None and loop.trip <= WRITTEN_OUT and not goes_on)


def core_bound(
    iteration: PerIteration, machine: Machine, cores: int | None = None, *, reassociate: bool = False
) -> CoreBound | None:
    """Return P_max of a loop; None without core data, or where the loop uses no resource that the machine states."""
    core = machine.core
    if core is None or iteration.precision.value not in set(Precision):
        return None
    loop = iteration.vectorization
    allowed = reassociate or is_reordered(loop)
    vector = _vector_iteration(iteration, core, reassociate=allowed)
    if vector is None:
        return None
    other = None if allowed else _vector_iteration(iteration, core, reassociate=True)
    vectors_per_s = machine.core_hz(cores) * machine.scaling.flops / vector.cycles
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
    resources: tuple[tuple[Resource, float], ...]
    vectorised: bool
    assumptions: tuple[CoreAssumption, ...]

    @property
    def cycles(self) -> float:
        return max(cycles for _, cycles in self.resources)


def _vector_iteration(iteration: PerIteration, core: Core, *, reassociate: bool) -> _VectorIteration | None:
    """Return one vector iteration; None where it uses no resource that the machine states."""
    lanes = core.lanes_of(iteration.precision.value)
    if iteration.lanes > 1:
        return _explicit(iteration, core, min(iteration.lanes, Fraction(lanes)))
    scalar = _scalar_reasons(iteration, lanes, reassociate=reassociate)
    vectorised = not scalar.obstacles and not scalar.sums
    lanes = lanes if vectorised else 1
    divisions = [_division(iteration, core, operation, lanes) for operation in _DIVIDERS]
    resources = [
        *_ports(iteration, core, lanes),
        _divider(divisions),
        *_chains(iteration, core, lanes, reassociate=reassociate),
    ]
    busy = tuple((resource, cycles) for resource, cycles in resources if cycles > 0)
    if not busy:
        return None
    derived = tuple(assumed for _, cycles, assumed in divisions if cycles and assumed is not None)
    return _VectorIteration(lanes, busy, vectorised, derived if vectorised else (scalar, *derived))


def _explicit(iteration: PerIteration, core: Core, lanes: Fraction) -> _VectorIteration | None:
    """Return an iteration of a loop of vectors: each operation is an instruction on ``lanes`` lanes.

    A compiler keeps its order, so that sums in vectors wait for one another whatever is allowed for scalar ones.
    """
    repeated = replace(
        iteration.repeated,
        operations={key: share / lanes for key, share in iteration.repeated.operations.items()},
        fma_instructions=iteration.repeated.fma_instructions / lanes,
        flop_instructions=iteration.repeated.flop_instructions / lanes,
    )
    issued = replace(
        iteration,
        operations={key: share / lanes for key, share in iteration.operations.items()},
        fma_instructions=iteration.fma_instructions / lanes,
        flop_instructions=iteration.flop_instructions / lanes,
        repeated=repeated,
    )
    divisions = [_division(issued, core, operation, max(1, int(lanes))) for operation in _DIVIDERS]
    resources = [*_ports(issued, core, 1), _divider(divisions), *_chains(issued, core, 1, reassociate=False)]
    busy = tuple((resource, cycles) for resource, cycles in resources if cycles > 0)
    derived = tuple(assumed for _, cycles, assumed in divisions if cycles and assumed is not None)
    return _VectorIteration(1, busy, True, derived) if busy else None


def _scalar_reasons(iteration: PerIteration, lanes: int, *, reassociate: bool) -> NotVectorised:
    loop = iteration.vectorization
    obstacles = (
        obstacle
        for obstacle in loop.obstacles
        if obstacle.kind is not ObstacleKind.DEPENDENCE or obstacle.distance < lanes
    )
    sums = (chain.name for chain in loop.chains if not reassociate and chain.is_reduction and chain.is_floating)
    return NotVectorised(tuple(dict.fromkeys(obstacles)), tuple(dict.fromkeys(sums)))


def _ports(iteration: PerIteration, core: Core, lanes: int) -> Iterator[tuple[Resource, float]]:
    """Yield the cycles that each kind of port is busy; an FMA takes a multiplier, and no adder."""

    def busy(unit: Unit, instructions: Fraction, per_cycle: float | None) -> tuple[Resource, float]:
        return Resource(unit), float(instructions) / per_cycle if per_cycle else 0.0

    loads = _accesses(iteration.loads, iteration.load_bytes, core, lanes)
    stores = _accesses(iteration.stores, iteration.store_bytes, core, lanes)
    found = arithmetic_of(iteration)
    yield busy(Unit.LOADS, loads, core.loads_per_cycle)
    yield busy(Unit.STORES, stores, core.stores_per_cycle)
    yield busy(Unit.MEMORY_OPERATIONS, loads + stores, core.memory_operations_per_cycle)
    yield busy(Unit.ADDITIONS, found.additions, core.add_units)
    yield busy(Unit.MULTIPLICATIONS, found.products, core.mul_units)
    yield busy(Unit.ARITHMETIC, found.total, core.arithmetic_units)
    yield busy(Unit.FRONT_END, max(loads, found.total) + stores, core.issue_width)


def _accesses(elements: Fraction, size: Fraction, core: Core, lanes: int) -> Fraction:
    """Return the loads or stores of a vector iteration: more than one for each element where elements are complex."""
    return max(elements, Fraction(8, core.simd_bits) * size * lanes)


def _divider(divisions: Sequence[tuple[Unit, float, CoreAssumption | None]]) -> tuple[Resource, float]:
    """Return the cycles of the unit that divides: it takes the roots as well."""
    used = [unit for unit, cycles, _ in divisions if cycles]
    unit = used[0] if len(used) == 1 else Unit.DIVISIONS_AND_ROOTS
    return Resource(unit), sum(cycles for _, cycles, _ in divisions)


def _division(
    iteration: PerIteration, core: Core, operation: Operation, lanes: int
) -> tuple[Unit, float, CoreAssumption | None]:
    """Return the cycles that divisions or square roots occupy their unit, and the assumption behind them."""
    number = float(share_of(iteration, (operation,)))
    cycles, assumed = division_cycles(core, operation, iteration.precision.value, lanes)
    return _DIVIDERS[operation], number * (cycles or 0.0), assumed


def division_cycles(
    core: Core, operation: Operation, precision: str, lanes: int
) -> tuple[float | None, CoreAssumption | None]:
    """Return the cycles of one division or square root in ``lanes`` lanes, and how they are derived if not stated."""
    root = operation is Operation.SQRT
    full = core.sqrt_cycles if root else core.div_cycles
    narrow = core.sqrt_scalar_cycles if root else core.div_scalar_cycles
    single = core.sqrt_fp32_cycles if root else core.div_fp32_cycles
    if full is None:
        return None, None
    is_single = precision == Precision.FP32
    cycles, assumed = (single or full / 2, None if single else HalfOfDouble(operation))
    if not is_single:
        cycles, assumed = full, None
    if lanes == 1 and core.lanes_of(precision) > 1:
        if narrow is None:
            return cycles / core.lanes_of(precision), ShareOfFullWidth(operation)
        return narrow * cycles / full, assumed
    return cycles, assumed


def _chains(iteration: PerIteration, core: Core, lanes: int, *, reassociate: bool) -> Iterator[tuple[Resource, float]]:
    """Yield the cycles that a vector iteration waits for values of earlier ones."""
    for chain in iteration.vectorization.chains:
        if chain.is_floating and not (reassociate and chain.is_reduction):
            latency = latency_of(chain.operations, chain.addends, core, iteration)
            yield Resource(Unit.LATENCY, chain.name), latency * lanes / chain.distance


def latency_of(operations: Iterable[Operation], addends: int, core: Core, iteration: PerIteration) -> float:
    """Return the cycles of operations that wait for one another.

    In ``addends`` of the FMAs the value is no factor: a compiler multiplies apart where an addition is shorter.  What a
    machine does not state takes no time.
    """
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
    spared = (core.fma_latency_cycles or 0.0) - (core.add_latency_cycles or 0.0)
    return sum(stated.get(operation) or 0.0 for operation in operations) - addends * max(0.0, spared)


def varying(iteration: PerIteration) -> Mapping[OperationKey, Fraction]:
    """Return the operations of one iteration without those computed before."""
    repeated, none = iteration.repeated.operations, Fraction(0)
    keys = dict.fromkeys((*iteration.operations, *repeated))
    return {key: iteration.operations.get(key, none) - repeated.get(key, none) for key in keys}


def share_of(iteration: PerIteration, kinds: Collection[Operation]) -> Fraction:
    """Return the floating-point operations of some kinds in one iteration, without those computed before."""
    shares = (n for key, n in varying(iteration).items() if key.operation in kinds and key.precision.is_float)
    return sum(shares, Fraction(0))


def divided_by(iteration: PerIteration, operation: Operation, *, reassociate: bool) -> Fraction:
    """Return the divisions (or roots) of one iteration that occupy the divider; ``reassociate`` takes reciprocals."""
    number = share_of(iteration, (operation,))
    return number - iteration.repeated.quotients if reassociate and operation is Operation.DIV else number


class Arithmetic(NamedTuple):
    """Instructions of one iteration: those of adders, those of multipliers (FMAs too), and all."""

    additions: Fraction
    products: Fraction
    total: Fraction


def arithmetic_of(iteration: PerIteration) -> Arithmetic:
    """Return the instructions that compute, contracted: an FMA takes a multiplier, and no adder."""
    explicit = share_of(iteration, (Operation.FMA,))
    fused = iteration.fma_instructions - iteration.repeated.fma_instructions
    additions = share_of(iteration, (Operation.ADD, Operation.SUB)) - (fused - explicit)
    products = share_of(iteration, (Operation.MUL,)) + explicit
    total = iteration.flop_instructions - iteration.repeated.flop_instructions
    return Arithmetic(max(additions, Fraction(0)), products, total)
