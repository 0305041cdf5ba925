"""The code that a compiler is likely to make of an innermost loop, and the cycles that a core takes for it.

Input: an innermost loop, a machine and the options.  Output: cycles of one iteration and of each start.

* The cycles of an iteration are the longest of its ports, front end and chains, as in :mod:`..core.incore`, at the
  width of :class:`~..compilers.Code`; with two instructions of loop control, and calls on top.
* A loop that only copies elements is taken to be ``memcpy`` or ``memmove`` (gcc: ``-ftree-loop-distribute-patterns``).
* gcc takes a sum in the order of the source out of vectors, element by element, where the rest is vectorised.  With
  ``-ffast-math`` it adds in the lanes of one vector, of which each addition waits for the one before; clang and icx
  have four vectors (LLVM, *Auto-vectorization*, interleaving).
* A vector that does not start at a multiple of its size crosses lines as often as it fills them, and takes two accesses
  then.  Arrays are taken to start at a line.
* A chain through an element that another store may change goes through memory: the store is forwarded to the load.
* As many iterations are on their way as the reorder buffer has room for: a long chain within each needs all of these.
* Chains that restart overlap within the reorder buffer, but not where the end of the loop cannot be predicted.
* A loop inside of another costs a misprediction whenever it ends, where its iterations are too many for the history of
  a predictor, or not always the same; a rest that fills no vector takes vectors of halves (gcc) or goes one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from msgspec.structs import replace

from analyzer.counts.results import InnerLoop, Obstacle, ObstacleKind, OperationKey, Step
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile

from ...machine.hardware import Core
from ...machine.machine import Machine
from ..compilers import Compiler, call_cycles, extreme_cycles
from ..core.incore import arithmetic_of, division_cycles, latency_of, share_of
from ..core.least_core import accesses, mean_trip, waited_share
from ..level_bytes import ProjectionOptions

_CONTROL = 2.0  # instructions of an iteration: the counter, and a compare with its branch
_USUAL_WINDOW = 224  # instructions, of cores that do not state theirs: Skylake's reorder buffer
_USUAL_WIDTH = 4.0  # instructions a cycle: taken branches and copies of registers leave no more of six (measured loops)
_USUAL_ARITHMETIC = 4.0  # cycles of an addition, a product, or both: Skylake (Fog, Instruction tables)
_USUAL_LATENCY = 5.0  # cycles of a load from L1: Skylake (Fog, The microarchitecture of Intel, AMD and VIA CPUs)
_FORWARDED = 4.5  # cycles that a load takes longer with the value of a store on its way (loops of the bench, Zen 4)
_MISPREDICTED = 13.0  # cycles: of Zen 4 (Fog); Intel 15 to 20
_REMEMBERED = 32  # branches of one loop that a history of some hundred branches tells from the next (Fog: TAGE)
_UNROLLED = 16  # iterations of a loop that is taken to be written out
_INTERLEAVED = 4  # elements: a longer stride is not vectorised
# Pairs of addresses that are compared at run time (GCC manual, vect-max-version-for-alias-checks; LLVM,
# runtime-memory-check-threshold); icx is LLVM.
_ALIAS_CHECKS = {Compiler.GCC: 10, Compiler.CLANG: 8, Compiler.ICX: 8}
_ACCUMULATORS = {Compiler.GCC: 1, Compiler.CLANG: 4, Compiler.ICX: 4}
_SUMS = (Operation.ADD, Operation.SUB)
_CHOICES = {
    **dict.fromkeys((Operation.MIN, Operation.MAX, Operation.ABS, Operation.CONVERT), 1.0),
    Operation.COMPARE: 2.0,
}
_INTEGERS = (*_SUMS, Operation.MUL, Operation.BITWISE, Operation.SHIFT)
_LINE = 64


class LikelyLoop:
    """The cycles of one innermost loop in the code that a compiler is likely to make."""

    def __init__(self, inner: InnerLoop, machine: Machine, options: ProjectionOptions, profile: RegionProfile) -> None:
        if machine.core is None:
            raise ValueError("a machine without core data")
        self._core, self._machine = _with_latencies(machine.core), machine
        self._options, self._iteration = options, inner.iteration
        self._trip = mean_trip(inner, profile.values)
        self._varies = not inner.is_steady
        bits = options.code.bits(machine)
        full = self._elements()
        self.lanes = max(1, full * bits // self._core.simd_bits)
        if inner.iteration.lanes > 1:
            self.lanes = max(1, int(min(float(inner.iteration.lanes), full)))
        elif self._copies:
            self.lanes = full
        elif self.lanes > 1 and not self._is_vectorised():
            self.lanes = 1
        self._width = self._core.simd_bits * self.lanes / full

    @property
    def cycles(self) -> float:
        """Return the cycles of the busiest resource, and of calls."""
        return max((*self._ports(), *self._chains(), self._windowed()), default=0.0) + self._calls()

    @property
    def start(self) -> float:
        """Return the cycles whenever the loop is entered: its end is mispredicted, and a rest is left of vectors."""
        trip = self._iteration.vectorization.trip
        if trip is not None and trip <= _UNROLLED:
            return 0.0
        branches = None if self._trip is None else self._trip / self.lanes
        predicted = branches is not None and branches <= _REMEMBERED and not self._varies
        return (0.0 if predicted else _MISPREDICTED) + self._rest()

    @property
    def _is_predicted(self) -> bool:
        """Whether the end of the loop comes as expected: always after as many iterations, or after few."""
        return not self._varies or (self._trip is not None and self._trip <= _REMEMBERED)

    def _rest(self) -> float:
        """Return the cycles of the iterations that fill no vector."""
        if self.lanes == 1:
            return 0.0
        left = None if self._trip is None or self._varies else self._trip % self.lanes
        if self._options.code.compiler is not Compiler.GCC:
            return self.cycles * ((self.lanes - 1) / 2 if left is None else left)
        halves = (self.lanes - 1).bit_length() / 2 if left is None else round(left).bit_count()
        return self.cycles * self.lanes * halves

    def _elements(self) -> int:
        """Return the elements of a register of full width, of the type that is computed or moved."""
        core, iteration = self._core, self._iteration
        full = core.lanes_of(iteration.precision.value)
        if any(key.precision.is_float for key in iteration.operations) or not iteration.steps:
            return full
        return max(1, core.simd_bits // 8 // max(step.size_bytes for step in iteration.steps))

    @property
    def _copies(self) -> bool:
        """Whether the loop copies elements in order, and nothing else."""
        steps, iteration = self._iteration.steps, self._iteration
        kinds = {step.is_store: step for step in steps}
        return (
            len(steps) == 2
            and len(kinds) == 2
            and not iteration.operations
            and not iteration.vectorization.obstacles
            and all(step.stride_bytes == step.size_bytes and step.runs == 1 for step in steps)
        )

    def _is_vectorised(self) -> bool:
        loop = self._iteration.vectorization
        if self._ordered and self._options.code.compiler is not Compiler.GCC:
            return False
        if loop.pursuits or any(chain.through_memory or chain.is_observed for chain in loop.chains):
            return False
        if loop.alias_checks > _ALIAS_CHECKS[self._options.code.compiler] and not loop.asserted:
            return False
        if any(self._is_called(key) for key, _ in self._operations):
            return False
        if any(step.stride_bytes == 0 and not step.is_store for step in self._iteration.steps):
            return False  # an element that stays the same is loaded again, as a store of the loop may change it
        return not any(self._hinders(obstacle) for obstacle in loop.obstacles)

    @property
    def _ordered(self) -> list[str]:
        """The sums that are taken in the order of the source."""
        loop = self._iteration.vectorization
        if self._options.reassociate or loop.asserted:
            return []
        return [chain.name for chain in loop.chains if chain.is_reduction and chain.is_floating]

    def _hinders(self, obstacle: Obstacle) -> bool:
        match obstacle.kind:
            case ObstacleKind.DEPENDENCE:
                return obstacle.distance < self.lanes
            case ObstacleKind.STRIDE:
                size = max((step.size_bytes for step in self._iteration.steps), default=8)
                return obstacle.stride_bytes is None or obstacle.stride_bytes > _INTERLEAVED * size
            case ObstacleKind.CALL:
                cheap = all(call_cycles(name, vector=False) == 0 for name in obstacle.subjects)
                return not (self._options.reassociate or (bool(obstacle.subjects) and cheap))
            case ObstacleKind.CONTROL:
                return True
            case ObstacleKind.INDIRECT | ObstacleKind.MIXED_TYPES:
                return False

    def _ports(self) -> Iterator[float]:
        core = self._core
        ports = core.ports(self._width)
        loads, stores = (self._accesses(is_store=is_store) for is_store in (False, True))
        split_loads, split_stores = (self._split(is_store=is_store) for is_store in (False, True))
        adds, products, total = (float(number) / self.lanes for number in arithmetic_of(self._iteration))
        others = (self._integers() + self._chosen()) / self.lanes
        for number, per_cycle in (
            (loads + split_loads, ports.loads_per_cycle),
            (stores + split_stores, ports.stores_per_cycle),
            (adds, ports.add_per_cycle),
            (products, ports.mul_per_cycle),
            (total, ports.arithmetic_per_cycle),
            (others, self._simple_per_cycle),
        ):
            if per_cycle:
                yield number / per_cycle
        yield sum(self._divided(operation) for operation in (Operation.DIV, Operation.SQRT))
        one_by_one = 2.0 * len(self._ordered) if self.lanes > 1 else 0.0  # taken out of the vector, and added
        instructions = max(loads, total + others + one_by_one) + stores + _CONTROL / self.lanes
        yield instructions / min(core.issue_width or _USUAL_WIDTH, _USUAL_WIDTH)

    @property
    def _simple_per_cycle(self) -> float | None:
        """The integer operations, comparisons and choices of a cycle."""
        core = self._core
        if self.lanes == 1:
            return core.scalar_integer_units or _USUAL_WIDTH
        stated = core.integer_units
        if stated is None:
            return core.ports(self._width).arithmetic_per_cycle
        return stated * core.simd_bits / max(self._width, core.path_bits or core.simd_bits)

    def _accesses(self, *, is_store: bool) -> float:
        """Return the loads or stores of one iteration."""
        steps = [step for step in self._iteration.steps if step.is_store is is_store]
        if self.lanes == 1:
            return sum(float(step.runs) for step in steps)
        whole, single = accesses(steps, self._core)
        return whole * self._core.simd_bits / self._width + single

    def _split(self, *, is_store: bool) -> float:
        """Return the accesses of one iteration that cross a line, each of which takes another one."""
        size = self._width / 8
        if self.lanes == 1:
            return 0.0
        steps = [s for s in self._iteration.steps if s.is_store is is_store and s.stride_bytes == s.size_bytes]
        return sum(_crossing(step, size) * float(step.runs) * step.size_bytes / size for step in steps)

    def _divided(self, operation: Operation) -> float:
        number = float(share_of(self._iteration, (operation,)))
        precision = self._iteration.precision.value
        full = self._core.lanes_of(precision)
        cycles, _ = division_cycles(self._core, operation, precision, full if self.lanes > 1 else 1)
        if not number or not cycles:
            return 0.0
        return number * cycles / (full if self.lanes > 1 else 1)

    def _integers(self) -> float:
        return sum(
            float(share) for key, share in self._operations if key.operation in _INTEGERS and not key.precision.is_float
        )

    def _chosen(self) -> float:
        """Return comparisons, each with a choice by it, minima, signs and conversions."""
        return sum(float(share) * _CHOICES.get(key.operation, 0.0) for key, share in self._operations)

    @property
    def _operations(self) -> Iterable[tuple[OperationKey, Fraction]]:
        return self._iteration.operations.items()

    def _chains(self) -> Iterator[float]:
        iteration, core = self._iteration, self._core
        instructions = max(1.0, sum(float(step.runs) for step in iteration.steps) + _CONTROL)
        for chain in iteration.vectorization.chains:
            if not chain.is_floating:
                continue
            latency = latency_of(chain.operations, chain.addends, core, iteration) / chain.distance
            if chain.is_reduction and self.lanes > 1 and chain.name not in self._ordered:
                yield latency / self.lanes / _ACCUMULATORS[self._options.code.compiler]
                continue
            if chain.through_memory and self.lanes == 1:
                latency += self._load_latency + _FORWARDED
            if chain.restarts and self._is_predicted:
                latency *= waited_share(self._trip, (core.out_of_order_window or _USUAL_WINDOW) / instructions)
            yield latency

    def _windowed(self) -> float:
        """Return the cycles of one iteration where the window holds too few of them to hide their longest chain."""
        loop, core = self._iteration.vectorization, self._core
        if self._options.reassociate and self._options.code.compiler is Compiler.ICX:
            return 0.0  # it makes a tree of a long sum
        accessed = sum(float(step.runs) for step in self._iteration.steps)
        instructions = accessed + float(arithmetic_of(self._iteration).total) + self._integers() + _CONTROL
        latency = self._load_latency + latency_of(loop.longest, 0, core, self._iteration)
        return latency * instructions / (core.out_of_order_window or _USUAL_WINDOW) / self.lanes

    @property
    def _load_latency(self) -> float:
        innermost = self._machine.levels[0] if self._machine.levels else None
        return (innermost.latency_cycles if innermost is not None else None) or _USUAL_LATENCY

    def _calls(self) -> float:
        vector = self.lanes > 1
        extremes = sum(float(share) for key, share in self._operations if self._is_called(key))
        return extremes * extreme_cycles() + sum(
            float(share) * call_cycles(key.function, vector=vector)
            for key, share in self._operations
            if key.operation is Operation.CALL
        )

    def _is_called(self, key: OperationKey) -> bool:
        """Return whether a minimum is a call: C's fmin and fmax tell NaNs apart, as no instruction of x86 does."""
        alone = self._options.code.compiler is Compiler.GCC and not self._options.reassociate
        return alone and key.operation in (Operation.MIN, Operation.MAX) and key.function.startswith(("fmin", "fmax"))


def _with_latencies(core: Core) -> Core:
    """Return a core with the latencies that it does not state: those of Skylake (Fog, Instruction tables)."""
    return replace(
        core,
        fma_latency_cycles=core.fma_latency_cycles or _USUAL_ARITHMETIC,
        add_latency_cycles=core.add_latency_cycles or _USUAL_ARITHMETIC,
        mul_latency_cycles=core.mul_latency_cycles or _USUAL_ARITHMETIC,
    )


def _crossing(step: Step, size: float) -> float:
    """Return the share of the vectors of ``size`` bytes that cross a line."""
    most = size / _LINE
    if step.start_bytes is None:
        return most * (1 - step.size_bytes / size)
    return most if step.start_bytes % size else 0.0
