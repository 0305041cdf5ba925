"""The cycles that a core takes for an innermost loop in the code that a compiler is likely to make of it.

Input: an innermost loop, a machine and the options.  Output: cycles of one iteration and of each start.

* The cycles of an iteration are the longest of its ports, front end and chains, as in :mod:`..core.incore`, in the
  registers of :mod:`.vectors`; with two instructions of loop control, calls, and mispredicted branches on top.
* With ``-ffast-math`` gcc adds in the lanes of one vector, of which each addition waits for the one before; clang and
  icx have four vectors (LLVM, *Auto-vectorization*, interleaving).
* A vector of elements that are apart is permuted out of the lines that they are in, one that data choose is put
  together from single loads: one instruction for each element, and one to take its number out of a vector; or gathered.
* A vector that does not start at a multiple of its size crosses lines as often as it fills them, and takes two accesses
  then.  Arrays are taken to start at a line.
* A chain through an element that another store may change goes through memory: the store is forwarded to the load.
* As many iterations are on their way as the reorder buffer has room for: a long chain within each needs all of these.
* Chains that restart overlap within the reorder buffer, but not where the end of the loop cannot be predicted.
* The end of a loop is mispredicted where its iterations are too many for the history of a predictor, or not always the
  same; a rest that fills no vector takes vectors of halves (gcc) or goes one by one.
* A condition on data is a branch in scalar code, unless one instruction selects (clang also computes both ways): it is
  mispredicted as often as its probability says, and costs what a misprediction does behind its load and comparison.
* A run that is repeated on the same data (warm caches) is predicted as far as a predictor remembers it.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from analyzer.counts.results import Chain, InnerLoop, OperationKey, Step
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile
from analyzer.python.cached_property import cached_property

from ...machine.machine import Machine
from ..compilers import ACCUMULATORS, WRITTEN_OUT, Compiler
from ..core.incore import arithmetic_of, divided_by, division_cycles, latency_of
from ..core.least_core import mean_trip, waited_share
from ..intensity import value_of
from ..level_bytes import ProjectionOptions
from .calls import called_by, called_cycles
from .costs import (
    APPROXIMATED,
    CHOICES,
    EACH_GATHERED,
    INTEGER_LATENCIES,
    INTEGERS,
    MASKED_STORE,
    USUAL_WINDOW,
    approximates,
    corrected_cycles,
    crossing,
    extreme_latency,
    gathered_per_cycle,
    joined_conversions,
    learnt_branches,
    mispredicted_cycles,
    scattered_per_cycle,
    store_cycles,
    with_usual_costs,
)
from .fetching import fetched_cycles
from .invariant_calls import likely_called
from .rounds import halves_left, interleaved, one_by_one, unrolled
from .shuffles import Integers, Shuffles, narrow_integers, shuffles_of
from .vectors import (
    EXTREMES,
    Vectors,
    gathers,
    gathers_chosen,
    handed_on,
    has_masks,
    is_apart,
    likely_vectors,
    masked_stores,
    may_stay_scalar,
    no_vectors,
    ordered_sums,
)

_CONTROL = 2.0  # instructions of an iteration: the counter, and a compare that is fused with its branch (Fog)
_USUAL_WIDTH = 4.0  # instructions a cycle: what taken branches and copies leave of six (tests.bench.measured)
_USUAL_LATENCY = 5.0  # cycles of a load from L1: Skylake (Fog, The microarchitecture of Intel, AMD and VIA CPUs)
# Cycles that a load takes longer with the value of a store on its way (tests.bench.measured, Zen 4); on Intel it takes
# the 5 of L1 (Fog, The microarchitecture of ...; a Granite Rapids: 9 cycles with an FMA of 4).
_FORWARDED, _FORWARDED_OF = 4.5, {"Intel": 0.0}
# Cycles to set up a loop: its trip count, and tests for a rest of vectors (tests.bench.measured); 4.7 of scalar code on
# a Zen 3.
_ENTERED = 5.0
_TAKEN = 0.5  # of the branches inside a loop: either way is as likely
_COMPARED = 5.0  # cycles of a comparison of floating-point numbers, whose flags go to the integer side (Fog, Zen 4)
# Branches of one loop that the history of a predictor distinguishes from the next: 93 taken ones of Skylake (Yavarzadeh
# et al., Half&Half, S&P 2023); a Zen 3 predicts the end of 96 iterations, and not of 128.
_REMEMBERED = 93
_NO_CHAIN_BITS = 256  # of the widest FMAs of which gcc makes no chains (-mtune-ctrl=avoid_256fma_chains, gcc 12)
_INT, _FLOAT, _DOUBLE = 4, 4, 8  # bytes: of what narrower integers are promoted to, of fp32, and of the widest number
_PRODUCTS = 2.0  # and approximations in a cycle (Fog: Zen 3, Skylake)
_CONVERSIONS = 1.0  # in a cycle, of full width (Fog: Zen 4, Ice Lake)
# Cycles of an addition of integers in vectors: 1; on Zen 5 2 where others wait too (Yee, Zen5's AVX512 Teardown, 2024).
# Between the two, chosen on the timed loops of tests.bench.measured.
_VECTOR_INTEGER = 1.5
_QUOTIENT, _QUOTIENT_LATENCY = 6.0, 12.0  # cycles of 32 bits by what is no constant: Ice Lake, Zen 4 (Fog)


def likely_loop(inner: InnerLoop, machine: Machine, options: ProjectionOptions, profile: RegionProfile) -> LikelyLoop:
    """Return the code of a loop: in short vectors where these take fewer cycles, as compilers compare the costs."""
    inner = likely_called(inner, options)
    found = LikelyLoop(inner, machine, options, profile)
    if not may_stay_scalar(inner.iteration, found.vectors):
        return found
    alone = LikelyLoop(inner, machine, options, profile, no_vectors(inner.iteration))
    return alone if alone.compared_cycles < found.compared_cycles else found


class LikelyLoop:
    """The cycles of one innermost loop in the code that a compiler is likely to make, in its ``vectors``."""

    def __init__(
        self,
        inner: InnerLoop,
        machine: Machine,
        options: ProjectionOptions,
        profile: RegionProfile,
        vectors: Vectors | None = None,
    ) -> None:
        if machine.core is None:
            raise ValueError("a machine without core data")
        self._core, self._machine = with_usual_costs(machine.core), machine
        self._options, self._iteration = options, inner.iteration
        self._trip = mean_trip(inner, profile.values)
        self._varies = not inner.is_steady
        self.vectors = vectors or likely_vectors(inner.iteration, self._core, machine, options)
        self._runs = value_of(inner.runs.estimate, profile.values)

    @property
    def lanes(self) -> int:
        """Return the iterations that go together in vectors."""
        return self.vectors.lanes

    @cached_property
    def cycles(self) -> float:
        """Return the cycles of the busiest resource, of calls, and of branches."""
        wrong = 0.0 if self._is_learnt(len(self._branches)) else self.mispredicted
        return self._fetched(self._busiest) + self.calls + wrong

    @cached_property
    def _busiest(self) -> float:
        return max((*self._ports(), *self._chains(), self._windowed()), default=0.0)

    @property
    def compared_cycles(self) -> float:
        """Return the cycles of an iteration that a compiler may know: all branches are predicted."""
        trip = self._iteration.vectorization.trip
        return self._busiest + self.calls + (self._rest() / trip if trip else 0.0)

    def _fetched(self, busiest: float) -> float:
        """Return the cycles of an iteration with those in which its code is fetched."""
        together = self.lanes * self._unrolled(self.instructions * self.lanes)
        branches = self._branches
        wrong = sum(map(float, branches)) if self._is_learnt(len(branches)) else 0.0
        corrected = corrected_cycles(self._machine) * wrong
        taken = _TAKEN * len(branches) + corrected
        return fetched_cycles(self._machine, busiest * together, self.instructions * together, taken) / together

    @property
    def mispredicted(self) -> float:
        """Return the cycles of an iteration that conditions on random data take."""
        return sum(map(float, self._branches)) * (mispredicted_cycles(self._machine) + self._load_latency + _COMPARED)

    @property
    def start(self) -> float:
        """Return the cycles whenever the loop is entered: its end is mispredicted, and a rest is left of vectors."""
        trip = self._iteration.vectorization.trip
        if trip is not None and trip / self.lanes <= WRITTEN_OUT:
            return self._rest()
        branches = None if self._trip is None else self._trip / self.lanes
        known = not self._varies or self._is_learnt(1)
        predicted = branches is not None and branches <= _REMEMBERED and known
        return _ENTERED + (0.0 if predicted else mispredicted_cycles(self._machine)) + self._rest()

    @property
    def _branches(self) -> list[Fraction]:
        """The conditions on data that are branches, each by how often it is mispredicted."""
        if self.lanes > 1:
            return []
        speculates = self._options.code.compiler is not Compiler.GCC
        return [
            branch.missed
            for branch in self._iteration.vectorization.branches
            if not (branch.is_cheap or (speculates and branch.is_speculated))
        ]

    def _is_learnt(self, branches: int) -> bool:
        """Return whether a repeated run has so few branches in each iteration that a predictor knows them all."""
        most = learnt_branches(self._machine)
        return self._options.warm and self._runs is not None and self._runs / self.lanes * branches <= most

    @property
    def _is_predicted(self) -> bool:
        """Whether the end of the loop comes as expected: always after as many iterations, or after few."""
        return not self._varies or self._is_learnt(1) or (self._trip is not None and self._trip <= _REMEMBERED)

    def _rest(self) -> float:
        """Return the cycles of the iterations that fill no vector, or no round of vectors."""
        if self.lanes == 1:
            return 0.0
        trip = None if self._varies else self._trip
        if self._options.code.compiler is Compiler.GCC:
            return self.cycles * self.lanes * halves_left(trip, self.lanes)
        gathered = (*self._gathers, *self._chosen_gathers)
        alone = sum(self._is_single(step) and step not in gathered for step in self._iteration.steps)
        return self.cycles * one_by_one(trip, self.lanes, interleaved(self._iteration, self.lanes, alone))

    def _ports(self) -> Iterator[float]:
        core, vectors = self._core, self.vectors
        ports = core.ports(vectors.bits)
        loads, stores = (self._accesses(is_store=is_store) for is_store in (False, True))
        split_loads, split_stores = (self._split(is_store=is_store) for is_store in (False, True))
        each = vectors.each(self._iteration.precision.component.size_bytes)
        adds, products, total = (float(number) * each for number in arithmetic_of(self._iteration))
        others, converted = self._integers() + self._chosen(), self._converted()
        for number, per_cycle in (
            (loads + split_loads, ports.loads_per_cycle),
            (adds, ports.add_per_cycle),
            (products, ports.mul_per_cycle),
            (total, ports.arithmetic_per_cycle),
            (others, self._simple_per_cycle),
            (converted, _CONVERSIONS),
            (self._put_together(is_store=False), gathered_per_cycle(self._machine)),
            (self._put_together(is_store=True), scattered_per_cycle(self._machine)),
        ):
            if per_cycle:
                yield number / per_cycle
        if ports.stores_per_cycle:
            yield store_cycles(self._machine, stores, split_stores, ports.stores_per_cycle) + self._masked()
        yield self._shuffles.cycles
        divided = [self._divided(operation) for operation in (Operation.DIV, Operation.SQRT)]
        yield max(divided) if self._approximates else sum(divided)  # a quotient by a root is one approximation
        yield _QUOTIENT * self._iteration.vectorization.divides
        instructions = self.instructions + _CONTROL / self.lanes / self._unrolled(self.instructions * self.lanes)
        yield instructions / min(core.issue_width or _USUAL_WIDTH, _USUAL_WIDTH)

    @cached_property
    def instructions(self) -> float:
        """Return the instructions of one iteration without those of loop control: one that computes includes a load."""
        each = self.vectors.each(self._iteration.precision.component.size_bytes)
        total = float(arithmetic_of(self._iteration).total) * each
        computed = total + self._integers() + self._chosen() + self._shuffles.instructions + self._converted()
        loads, stores = (self._accesses(is_store=is_store) for is_store in (False, True))
        return max(loads, computed + self._one_by_one) + stores

    def _masked(self) -> float:
        """Return the cycles that stores of some elements of a vector take longer than whole ones."""
        cycles = MASKED_STORE.get(self._machine.vendor)
        if cycles is None or self.lanes == 1 or has_masks(self._core):
            return 0.0
        sizes = (step.size_bytes for step in masked_stores(self._iteration))
        return sum((cycles - 1) * self.vectors.each(size) for size in sizes)

    def _unrolled(self, instructions: float) -> float:
        """Return how many iterations of so many instructions one test of the end is for."""
        is_alone = self._options.code.compiler is Compiler.GCC
        return 1.0 if is_alone else unrolled(instructions + _CONTROL)

    @property
    def _one_by_one(self) -> float:
        """The instructions of an iteration that take an element out of a vector, and add it to a sum in order."""
        return 2.0 * len(self._ordered) if self.lanes > 1 else 0.0

    @property
    def _ordered(self) -> list[str]:
        return ordered_sums(self._iteration, self._options)

    @property
    def _simple_per_cycle(self) -> float | None:
        """The integer operations, comparisons and choices of a cycle."""
        core = self._core
        if self.lanes == 1:
            return core.scalar_integer_units or _USUAL_WIDTH
        stated = core.integer_units
        if stated is None:
            return core.ports(self.vectors.bits).arithmetic_per_cycle
        return stated * core.simd_bits / max(self.vectors.bits, core.path_bits or core.simd_bits)

    def _steps(self, *, is_store: bool) -> list[Step]:
        return [step for step in self._iteration.steps if step.is_store is is_store]

    def _accesses(self, *, is_store: bool) -> float:
        """Return the loads or stores of one iteration."""
        steps = self._steps(is_store=is_store)
        if self.lanes == 1:
            kept = 0 if is_store else handed_on(self._iteration, self._options.code.compiler).loads
            return sum(float(step.runs) for step in steps) - kept
        streams = {step.stream: step for step in steps if not self._is_single(step)}
        whole = (float(s.runs) * self.vectors.each(abs(s.stride_bytes or 0)) for s in streams.values())
        return sum(whole) + sum(float(step.runs) for step in steps if self._is_single(step))

    @cached_property
    def _shuffles(self) -> Shuffles:
        """The permutations of one iteration, and what makes integers wider and narrower."""
        code = self._options.code
        return shuffles_of(
            self._iteration,
            self.vectors,
            self._core,
            self._machine.vendor,
            code.compiler,
            (*self._gathers, *self._chosen_gathers),
        )

    def _is_single(self, step: Step) -> bool:
        return is_apart(step, self._iteration.steps, self._options.code.compiler)

    def _put_together(self, *, is_store: bool) -> float:
        """Return the elements of one iteration that are gathered, or scattered."""
        steps = (*self._gathers, *self._chosen_gathers)
        return sum(float(step.runs) for step in steps if step.is_store is is_store)

    @property
    def _chosen_gathers(self) -> list[Step]:
        """The gathers of elements that data choose."""
        if self.lanes == 1:
            return []
        bits = self.vectors.bits
        loads = self._steps(is_store=False)
        return [step for step in loads if gathers_chosen(step, self._core, self._machine.vendor, bits)]

    @property
    def _gathers(self) -> list[Step]:
        """The gathers and scatters of elements at a stride."""
        compiler = self._options.code.compiler
        if self.lanes == 1 or not gathers(self._iteration, compiler, self._core, self.vectors.bits):
            return []
        steps = (step for step in self._iteration.steps if self._is_single(step) and not step.is_indirect)
        return [step for step in steps if step.stride_bytes != 0]

    @property
    def awaited_lines(self) -> float | None:
        """Return the lines that arrive together where gathers leave no room for the next iteration; None elsewhere.

        A gather is as many instructions as it has elements, and more, and no prefetcher follows it.
        """
        loads = [step for step in self._gathers if not step.is_store]
        instructions = sum(float(step.runs) for step in loads) * self.lanes * EACH_GATHERED
        if instructions < (self._core.out_of_order_window or USUAL_WINDOW):
            return None
        strides = {step.stream: abs(step.stride_bytes or self._machine.line_bytes) for step in loads}
        return sum(strides.values()) * self.lanes / self._machine.line_bytes

    def _split(self, *, is_store: bool) -> float:
        """Return the accesses of one iteration that cross a line, each of which takes another one."""
        size = self.vectors.register_bytes
        if self.lanes == 1:
            return 0.0
        steps = [step for step in self._steps(is_store=is_store) if step.stride_bytes == step.size_bytes]
        return sum(
            crossing(step, size, self._machine.line_bytes) * float(step.runs) * step.size_bytes / size for step in steps
        )

    @property
    def _approximates(self) -> bool:
        """Whether quotients and roots of fp32 in vectors are approximations and products (``-mrecip``, GCC manual)."""
        single = self._iteration.precision is ScalarType.FP32
        return self._options.reassociate and single and self.lanes > 1 and approximates(self._core)

    def _divided(self, operation: Operation) -> float:
        number = float(divided_by(self._iteration, operation, reassociate=self._options.reassociate))
        precision = self._iteration.precision.value
        full = self._core.lanes_of(precision)
        whole, alone = (division_cycles(self._core, operation, precision, lanes)[0] or 0.0 for lanes in (full, 1))
        if self.lanes == 1:
            return number * alone
        if self._approximates:
            per_cycle = self._core.ports(self.vectors.bits).arithmetic_per_cycle or 1.0
            return number * APPROXIMATED[operation] * self.vectors.each(_FLOAT) / min(per_cycle, _PRODUCTS)
        each = self.vectors.each(self._iteration.precision.component.size_bytes)
        return number * max(whole / full, alone * each)  # no vector takes less than one number

    def _integers(self) -> float:
        """Return the instructions of one iteration on integers."""
        return sum(
            float(share) * INTEGERS.get(key.operation, 0.0) * self._each(key)
            for key, share in self._iteration.operations.items()
            if not key.precision.is_float
        )

    def _chosen(self) -> float:
        """Return comparisons, each with a choice by it, minima and signs."""
        operations = self._iteration.operations.items()
        return sum(float(share) * CHOICES.get(key.operation, 0.0) * self._each(key) for key, share in operations)

    def _converted(self) -> float:
        """Return the conversions of one iteration, each in vectors of the wider type."""
        found = [(key, share) for key, share in self._iteration.operations.items() if share]
        sizes = (min(step.size_bytes, _DOUBLE) for step in self._iteration.steps if step.stride_bytes)
        widest = max((*(key.precision.component.size_bytes for key, _ in found), *sizes), default=1)
        number = sum(float(share) for key, share in found if key.operation is Operation.CONVERT)
        each = self.vectors.each(widest)
        halves = self.lanes * each if widest == _DOUBLE and self._narrow is None else 1.0
        return number * each * joined_conversions(self._machine, max(1.0, halves))

    def _each(self, key: OperationKey) -> float:
        size, narrow = key.precision.component.size_bytes, self._narrow
        if narrow is not None and key.precision.is_integer and size <= _INT:
            size = min(size, narrow.computed)
        return self.vectors.each(size)

    @cached_property
    def _narrow(self) -> Integers | None:
        """The sizes of integers that are narrower than an int; None without such, and in scalar code."""
        return None if self.lanes == 1 else narrow_integers(self._iteration)

    def _chains(self) -> Iterator[float]:
        iteration, core = self._iteration, self._core
        accessed = sum(float(step.runs) for step in iteration.steps)
        instructions = max(1.0, accessed + _CONTROL + self._one_by_one * self.lanes)
        for chain in iteration.vectorization.chains:
            latency = self._latency(chain) / chain.distance
            if chain.is_reduction and self.lanes > 1 and chain.name not in self._ordered:
                if chain.is_floating:  # in each register of those that an iteration of vectors has
                    latency /= self.lanes
                else:
                    each = self.vectors.each(chain.size_bytes)
                    latency = _VECTOR_INTEGER * len(chain.operations) / chain.distance * each
                latency /= ACCUMULATORS[self._options.code.compiler]
            elif chain.through_memory and self.lanes == 1:
                latency += self._load_latency + _FORWARDED_OF.get(self._machine.vendor, _FORWARDED)
            if chain.restarts and self._is_predicted:
                in_window = (core.out_of_order_window or USUAL_WINDOW) / instructions * self.lanes
                latency *= waited_share(self._trip, in_window)
            yield latency

    def _latency(self, chain: Chain) -> float:
        """Return the cycles of the operations of a chain."""
        if chain.is_floating:
            extreme, operations = extreme_latency(self._machine), chain.operations
            if extreme is None:
                return latency_of(operations, self._apart(chain), self._core, self._iteration)
            others = [each for each in operations if each not in EXTREMES]
            known = (len(operations) - len(others)) * extreme
            return known + latency_of(others, self._apart(chain), self._core, self._iteration)
        quotient = _QUOTIENT_LATENCY if self._iteration.vectorization.divides else 0.0
        divisions = (Operation.DIV, Operation.REM)
        return sum(
            max(INTEGER_LATENCIES.get(operation, 1.0), quotient if operation in divisions else 0.0)
            for operation in chain.operations
            if operation is not Operation.CONVERT
        )

    def _apart(self, chain: Chain) -> int:
        """Return the FMAs of a chain that gcc multiplies separately: in a loop with a sum in order, and on AMD."""
        if self._options.code.compiler is not Compiler.GCC:
            return 0
        with_sum = self.lanes > 1 and chain.name in self._ordered
        avoids = self._machine.vendor == "AMD" and self.vectors.bits <= _NO_CHAIN_BITS
        return chain.addends if with_sum or avoids else 0

    @property
    def stalled(self) -> float:
        """Return the cycles of one iteration in which loads that cross lines wait for both.

        Where vectors are as long as a line all do (Zen 5); of a Zen 3, halves of these wait for neither.
        """
        if self.vectors.register_bytes < self._machine.line_bytes:
            return 0.0
        loads, split = self._accesses(is_store=False), self._split(is_store=False)
        per_cycle = self._core.ports(self.vectors.bits).loads_per_cycle
        return min(self.cycles, (loads + split) / per_cycle) if split and per_cycle else 0.0

    def _windowed(self) -> float:
        """Return the cycles of one iteration where the window holds too few of them to hide their longest chain."""
        loop, core = self._iteration.vectorization, self._core
        if self._options.reassociate and self._options.code.compiler is Compiler.ICX:
            return 0.0  # it makes a tree of a long sum
        accessed = sum(float(step.runs) for step in self._iteration.steps)
        integers = (share for key, share in self._iteration.operations.items() if not key.precision.is_float)
        instructions = accessed + float(arithmetic_of(self._iteration).total + sum(integers)) + _CONTROL
        latency = self._load_latency + latency_of(loop.longest, 0, core, self._iteration)
        return latency * instructions / (core.out_of_order_window or USUAL_WINDOW) / self.lanes

    @property
    def _load_latency(self) -> float:
        innermost = self._machine.levels[0] if self._machine.levels else None
        return (innermost.latency_cycles if innermost is not None else None) or _USUAL_LATENCY

    @property
    def called(self) -> tuple[str, ...]:
        """Return the functions of the library that an iteration calls."""
        return called_by(self._iteration)

    @cached_property
    def calls(self) -> float:
        """Return the cycles of one iteration in functions of the library."""
        return called_cycles(self._iteration, self.vectors.bits if self.lanes > 1 else 0, self._options)
