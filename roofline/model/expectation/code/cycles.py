"""The cycles that a core takes for an innermost loop in the code that a compiler is likely to make of it.

Input: an innermost loop, a machine and the options.  Output: cycles of one iteration and of each start, from its loads
and stores (:mod:`.accesses`), its chains (:mod:`.chains`) and its branches (:mod:`.branches`).

* The cycles of an iteration are the longest of its ports, front end and chains, as in :mod:`...core.incore`, in the
  registers of :mod:`.vectors`; with two instructions of loop control, calls, and mispredicted branches on top.
* With ``-ffast-math`` gcc adds in the lanes of one vector, of which each addition waits for the one before; clang and
  icx have four vectors (LLVM, *Auto-vectorization*, interleaving).
* A vector of elements that are apart is permuted out of the lines that they are in, one that data choose is put
  together from single loads: one instruction for each element, and one to take its number out of a vector; or gathered.
* A vector that does not start at a multiple of its size crosses lines as often as it fills them, and takes two accesses
  then.  Arrays are assumed to start at a line.
* A chain through an element that another store may change goes through memory: the store is forwarded to the load.
* As many iterations are on their way as the reorder buffer has room for: a long chain within each needs all of these.
  Where that takes about as long as the busiest resource neither waits for the other alone: the two add up by their
  squares, as the instructions of a window saturate the issue of a core slowly (Karkhanis, Smith, ISCA 2004, figure 5).
* Chains that restart overlap within the reorder buffer, but not where the end of the loop cannot be predicted.
* The end of a loop is mispredicted where its iterations are too many for the history of a predictor, or not always the
  same; a rest that fills no vector takes vectors of halves (gcc) or goes one by one.
* A condition on data is a branch in scalar code, unless one instruction selects (clang also computes both ways): it is
  mispredicted as often as its probability says, and costs what a misprediction does behind its load and comparison.
* A run that is repeated on the same data (warm caches) is predicted as far as a predictor remembers it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot

from analyzer.counts.results import InnerLoop, OperationKey
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile
from analyzer.python.cached_property import cached_property

from ....machine.machine import Machine
from ...compilers import WRITTEN_OUT, Compiler
from ...core.incore import arithmetic_of, divided_by, division_cycles
from ...core.least_core import mean_trip
from ...intensity import value_of
from ...level_bytes import ProjectionOptions
from .accesses import Accesses
from .branches import REMEMBERED, Branches
from .calls import called_by, called_cycles
from .chains import Chains
from .compiled import CONTROL, CompiledLoop
from .costs import (
    APPROXIMATED,
    CHOICES,
    INTEGERS,
    approximates,
    corrected_cycles,
    gathered_per_cycle,
    joined_conversions,
    mispredicted_cycles,
    scattered_per_cycle,
    splits_indexed,
    store_cycles,
    with_usual_costs,
)
from .fetching import fetched_cycles
from .invariant_calls import likely_called
from .rounds import halves_left, interleaved, one_by_one, unrolled
from .shuffles import Integers, Shuffles, narrow_integers, shuffles_of
from .vectors import Vectors, likely_vectors, may_stay_scalar, no_vectors

# Instructions a cycle: what taken branches and copies leave of six, and as large a part of more (tests.bench.measured:
# of the loops worked with on a Zen 5, which issues eight, 82 % are within 1.5 at -O2, 79 % with four for all cores).
_USUAL_WIDTH, _USUAL_SHARE = 4.0, 2 / 3
# Cycles to set up a loop: its trip count, and tests for a rest of vectors (tests.bench.measured); 4.7 of scalar code on
# a Zen 3.
_ENTERED = 5.0
_TAKEN = 0.5  # of the branches inside a loop: either way is as likely
_INT, _FLOAT, _DOUBLE = 4, 4, 8  # bytes: of what narrower integers are promoted to, of fp32, and of the widest number
_QUOTIENT = 6.0  # cycles of a quotient of 32 bits by what is no constant: Ice Lake, Zen 4 (Fog)
_PRODUCTS = 2.0  # and approximations in a cycle (Fog: Zen 3, Skylake)
_CONVERSIONS = 1.0  # in a cycle, of full width (Fog: Zen 4, Ice Lake)


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
        core = with_usual_costs(machine.core)
        self._loop = CompiledLoop(
            iteration=inner.iteration,
            vectors=vectors or likely_vectors(inner.iteration, core, machine, options),
            core=core,
            machine=machine,
            options=options,
            trip=mean_trip(inner, profile.values),
            varies=not inner.is_steady,
            runs=value_of(inner.runs.estimate, profile.values),
        )
        self._accesses = Accesses(self._loop)
        self._branches = Branches(self._loop)
        self._chains = Chains(self._loop, is_predicted=self._branches.end_is_predicted)

    @property
    def vectors(self) -> Vectors:
        """Return the vectors that the loop is put into."""
        return self._loop.vectors

    @property
    def lanes(self) -> int:
        """Return the iterations that go together in vectors."""
        return self.vectors.lanes

    @cached_property
    def cycles(self) -> float:
        """Return the cycles of the busiest resource, of calls, and of branches."""
        wrong = 0.0 if self._branches.is_learnt(len(self._branches.missed)) else self._branches.mispredicted
        return self._fetched(self._busiest) + self.calls + wrong

    @cached_property
    def _busiest(self) -> float:
        return max((self._in_window(), *self._chains.cycles()))

    def _in_window(self) -> float:
        """Return the cycles of the busiest resource, which instructions in the window reach in bursts alone."""
        return hypot(max(self._ports(), default=0.0), self._chains.windowed())

    @property
    def compared_cycles(self) -> float:
        """Return the cycles of an iteration that a compiler may know: all branches are predicted."""
        trip = self._loop.iteration.vectorization.trip
        busiest = max((self._in_window(), *self._chains.cycles(as_compared=True)))
        return busiest + self.calls + (self._rest() / trip if trip else 0.0)

    def _fetched(self, busiest: float) -> float:
        """Return the cycles of an iteration with those in which its code is fetched."""
        together = self.lanes * self._unrolled(self.instructions * self.lanes)
        branches = self._branches.missed
        wrong = sum(map(float, branches)) if self._branches.is_learnt(len(branches)) else 0.0
        corrected = corrected_cycles(self._loop.machine) * wrong
        taken = _TAKEN * len(branches) + corrected
        return fetched_cycles(self._loop.machine, busiest * together, self.instructions * together, taken) / together

    @property
    def start(self) -> float:
        """Return the cycles whenever the loop is entered: its end is mispredicted, and a rest is left of vectors."""
        trip = self._loop.iteration.vectorization.trip
        if trip is not None and trip / self.lanes <= WRITTEN_OUT:
            return self._rest()
        branches = None if self._loop.trip is None else self._loop.trip / self.lanes
        known = not self._loop.varies or self._branches.is_learnt(1)
        predicted = branches is not None and branches <= REMEMBERED and known
        return _ENTERED + (0.0 if predicted else mispredicted_cycles(self._loop.machine)) + self._rest()

    def _rest(self) -> float:
        """Return the cycles of the iterations that fill no vector, or no round of vectors."""
        if self.lanes == 1:
            return 0.0
        trip = None if self._loop.varies else self._loop.trip
        if self._loop.compiler is Compiler.GCC:
            return self.cycles * self.lanes * halves_left(trip, self.lanes)
        gathered = self._accesses.gathers
        alone = sum(self._accesses.is_single(step) and step not in gathered for step in self._loop.iteration.steps)
        return self.cycles * one_by_one(trip, self.lanes, interleaved(self._loop.iteration, self.lanes, alone))

    def _ports(self) -> Iterator[float]:
        core, vectors = self._loop.core, self.vectors
        ports = core.ports(vectors.bits)
        loads, stores = (self._accesses.number(is_store=is_store) for is_store in (False, True))
        split_loads, split_stores = (self._accesses.split(is_store=is_store) for is_store in (False, True))
        each = vectors.each(self._loop.iteration.precision.component.size_bytes)
        adds, products, total = (float(number) * each for number in arithmetic_of(self._loop.iteration))
        others, converted = self._integers() + self._chosen(), self._converted()
        for number, per_cycle in (
            (loads + split_loads, ports.loads_per_cycle),
            (loads + split_loads + stores, core.indexed_operations_per_cycle or core.memory_operations_per_cycle),
            (adds, ports.add_per_cycle),
            (products, ports.mul_per_cycle),
            (total, ports.arithmetic_per_cycle),
            (others, self._simple_per_cycle),
            (converted, _CONVERSIONS),
            (self._accesses.put_together(is_store=False), gathered_per_cycle(self._loop.machine)),
            (self._accesses.put_together(is_store=True), scattered_per_cycle(self._loop.machine)),
        ):
            if per_cycle:
                yield number / per_cycle
        if ports.stores_per_cycle:
            written = store_cycles(self._loop.machine, stores, split_stores, ports.stores_per_cycle)
            yield written + self._accesses.masked_store_cycles()
        yield self._shuffles.cycles
        divided = [self._divided(operation) for operation in (Operation.DIV, Operation.SQRT)]
        yield max(divided) if self._approximates else sum(divided)  # a quotient by a root is one approximation
        yield _QUOTIENT * self._loop.iteration.vectorization.divides
        instructions = self.instructions + CONTROL / self.lanes / self._unrolled(self.instructions * self.lanes)
        width = core.issue_width or _USUAL_WIDTH
        yield instructions / min(width, max(_USUAL_WIDTH, _USUAL_SHARE * width))

    @cached_property
    def instructions(self) -> float:
        """Return the instructions of one iteration but those of loop control; one that computes may include a load."""
        each = self.vectors.each(self._loop.iteration.precision.component.size_bytes)
        total = float(arithmetic_of(self._loop.iteration).total) * each
        computed = total + self._integers() + self._chosen() + self._shuffles.instructions + self._converted()
        loads, stores = (self._accesses.number(is_store=is_store) for is_store in (False, True))
        computed += self._chains.one_by_one
        return (loads + computed if splits_indexed(self._loop.machine) else max(loads, computed)) + stores

    def _unrolled(self, instructions: float) -> float:
        """Return how many iterations of so many instructions one test of the end is for."""
        is_alone = self._loop.compiler is Compiler.GCC
        return 1.0 if is_alone else unrolled(instructions + CONTROL)

    @property
    def _simple_per_cycle(self) -> float | None:
        """Return the integer operations, comparisons and choices of a cycle."""
        core = self._loop.core
        if self.lanes == 1:
            return core.scalar_integer_units or _USUAL_WIDTH
        stated = core.integer_units
        if stated is None:
            return core.ports(self.vectors.bits).arithmetic_per_cycle
        return stated * core.simd_bits / max(self.vectors.bits, core.path_bits or core.simd_bits)

    @cached_property
    def _shuffles(self) -> Shuffles:
        """Return the permutations of one iteration, and what makes integers wider and narrower."""
        code = self._loop.options.code
        return shuffles_of(
            self._loop.iteration,
            self.vectors,
            self._loop.core,
            self._loop.machine.vendor,
            code.compiler,
            self._accesses.gathers,
        )

    @property
    def _approximates(self) -> bool:
        """Return whether vectors of fp32 divide and take roots by approximations (``-mrecip``, GCC manual)."""
        single = self._loop.iteration.precision is ScalarType.FP32
        return self._loop.options.reassociate and single and self.lanes > 1 and approximates(self._loop.core)

    def _divided(self, operation: Operation) -> float:
        number = float(divided_by(self._loop.iteration, operation, reassociate=self._loop.options.reassociate))
        precision = self._loop.iteration.precision.value
        full = self._loop.core.lanes_of(precision)
        whole, alone = (division_cycles(self._loop.core, operation, precision, lanes)[0] or 0.0 for lanes in (full, 1))
        if self.lanes == 1:
            return number * alone
        if self._approximates:
            per_cycle = self._loop.core.ports(self.vectors.bits).arithmetic_per_cycle or 1.0
            return number * APPROXIMATED[operation] * self.vectors.each(_FLOAT) / min(per_cycle, _PRODUCTS)
        each = self.vectors.each(self._loop.iteration.precision.component.size_bytes)
        return number * max(whole / full, alone * each)  # no vector takes less than one number

    def _integers(self) -> float:
        """Return the instructions of one iteration on integers."""
        return sum(
            float(share) * INTEGERS.get(key.operation, 0.0) * self._each(key)
            for key, share in self._loop.iteration.operations.items()
            if not key.precision.is_float
        )

    def _chosen(self) -> float:
        """Return comparisons, each with a choice by it, minima and signs."""
        operations = self._loop.iteration.operations.items()
        return sum(float(share) * CHOICES.get(key.operation, 0.0) * self._each(key) for key, share in operations)

    def _converted(self) -> float:
        """Return the conversions of one iteration, each in vectors of the wider type."""
        found = [(key, share) for key, share in self._loop.iteration.operations.items() if share]
        sizes = (min(step.size_bytes, _DOUBLE) for step in self._loop.iteration.steps if step.stride_bytes)
        widest = max((*(key.precision.component.size_bytes for key, _ in found), *sizes), default=1)
        number = sum(float(share) for key, share in found if key.operation is Operation.CONVERT)
        each = self.vectors.each(widest)
        halves = self.lanes * each if widest == _DOUBLE and self._narrow is None else 1.0
        return number * each * joined_conversions(self._loop.machine, max(1.0, halves))

    def _each(self, key: OperationKey) -> float:
        size, narrow = key.precision.component.size_bytes, self._narrow
        if narrow is not None and key.precision.is_integer and size <= _INT:
            size = min(size, narrow.computed)
        return self.vectors.each(size)

    @cached_property
    def _narrow(self) -> Integers | None:
        """Return the sizes of integers that are narrower than an int; None without such, and in scalar code."""
        return None if self.lanes == 1 else narrow_integers(self._loop.iteration)

    @property
    def stalled(self) -> float:
        """Return the cycles of one iteration in which loads that cross lines wait for both.

        Where vectors are as long as a line all do (Zen 5); of a Zen 3, halves of these wait for neither.
        """
        if self.vectors.register_bytes < self._loop.machine.line_bytes:
            return 0.0
        loads, split = self._accesses.number(is_store=False), self._accesses.split(is_store=False)
        per_cycle = self._loop.core.ports(self.vectors.bits).loads_per_cycle
        return min(self.cycles, (loads + split) / per_cycle) if split and per_cycle else 0.0

    @property
    def awaited_lines(self) -> float | None:
        """Return the lines that arrive together where gathers leave no room for the next iteration; None elsewhere."""
        return self._accesses.awaited_lines

    @property
    def called(self) -> tuple[str, ...]:
        """Return the functions of the library that an iteration calls."""
        return called_by(self._loop.iteration, self._loop.options)

    @cached_property
    def calls(self) -> float:
        """Return the cycles of one iteration in functions of the library."""
        return called_cycles(self._loop.iteration, self.vectors.bits if self.lanes > 1 else 0, self._loop.options)
