"""The chains of an innermost loop: operations that wait for each other, from iteration to iteration or within one."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from analyzer.counts.results import Chain, ObstacleKind
from analyzer.ir.values import Operation

from ...compilers import ACCUMULATORS, Compiler
from ...core.incore import arithmetic_of, latency_of
from ...core.least_core import waited_share
from .compiled import CONTROL, CompiledLoop
from .costs import INTEGER_LATENCIES, USUAL_WINDOW, extreme_latency
from .vectors import EXTREMES, ordered_sums

# Cycles that a load takes longer with the value of a store on its way (tests.bench.measured, Zen 4); on Intel it takes
# the 5 of L1 (Fog, The microarchitecture of ...; a Granite Rapids: 9 cycles with an FMA of 4).
_FORWARDED, _FORWARDED_OF = 4.5, {"Intel": 0.0}
# Cycles until a load has what two stores leave in L1 (a Granite Rapids: recurrences over 3, 5, 6 and 9 elements took 18
# to 24 besides the FMA); one of the same elements as a store waits no longer than for a register there.
_TAKES_UP_TWO = 20.0
_NO_CHAIN_BITS = 256  # of the widest FMAs of which gcc makes no chains (-mtune-ctrl=avoid_256fma_chains, gcc 12)
# Cycles of an addition of integers in vectors: 1; on Zen 5 2 where others wait too (Yee, Zen5's AVX512 Teardown, 2024).
# Between the two, chosen on the timed loops of tests.bench.measured.
_VECTOR_INTEGER = 1.5
_QUOTIENT_LATENCY = 12.0  # cycles of a quotient of 32 bits by what is no constant: Ice Lake, Zen 4 (Fog)


class Chains:
    """The cycles of one iteration that results are waited for; its end ``is_predicted`` or not."""

    def __init__(self, loop: CompiledLoop, *, is_predicted: bool) -> None:
        self._loop = loop
        self._is_predicted = is_predicted

    @property
    def one_by_one(self) -> float:
        """Return the instructions of an iteration that take elements out of vectors, and add them to sums in order."""
        return 2.0 * len(self._ordered) if self._loop.lanes > 1 else 0.0

    @property
    def _ordered(self) -> list[str]:
        return ordered_sums(self._loop.iteration, self._loop.options)

    def cycles(self, *, as_compared: bool = False) -> Iterator[float]:
        """Yield the cycles of one iteration for each chain through the iterations.

        ``as_compared`` by a compiler, which models no waits for elements that were stored.
        """
        iteration, core = self._loop.iteration, self._loop.core
        accessed = sum(float(step.runs) for step in iteration.steps)
        instructions = max(1.0, accessed + CONTROL + self.one_by_one * self._loop.lanes)
        for chain in iteration.vectorization.chains:
            latency = self._latency(chain) / chain.distance
            if self._takes_up_two_stores(chain) and not as_compared:
                latency = self._after_two_stores(chain)
            elif chain.is_reduction and self._loop.lanes > 1 and chain.name not in self._ordered:
                if chain.is_floating:  # in each register of those that an iteration of vectors has
                    latency /= self._loop.lanes
                else:
                    each = self._loop.vectors.each(chain.size_bytes)
                    latency = _VECTOR_INTEGER * len(chain.operations) / chain.distance * each
                latency /= ACCUMULATORS[self._loop.compiler]
            elif chain.through_memory and self._loop.lanes == 1:
                latency += self._loop.load_latency + _FORWARDED_OF.get(self._loop.machine.vendor, _FORWARDED)
            if (chain.restarts or self._starts_at_zero(chain)) and self._is_predicted:
                in_window = (core.out_of_order_window or USUAL_WINDOW) / instructions * self._loop.lanes
                latency *= waited_share(self._loop.trip, in_window)
            yield latency

    def _starts_at_zero(self, chain: Chain) -> bool:
        """Return whether lanes of a sum are new with each run of the loop, and what was before is added at its end.

        So does gcc; LLVM puts it into a lane, and minima start from it in all lanes of both.
        """
        loop = self._loop
        comes_again = loop.runs is not None and loop.trip is not None and loop.runs > loop.trip
        in_lanes = chain.is_reduction and loop.lanes > 1 and chain.name not in self._ordered
        return comes_again and in_lanes and loop.compiler is Compiler.GCC and not set(EXTREMES) & {*chain.operations}

    def _takes_up_two_stores(self, chain: Chain) -> bool:
        """Return whether vectors of elements overlap two of those stored some iterations before."""
        obstacles = self._loop.iteration.vectorization.obstacles
        is_element = any(each.kind is ObstacleKind.DEPENDENCE and chain.name in each.subjects for each in obstacles)
        return is_element and not chain.is_reduction and chain.distance % self._loop.lanes > 0

    def _after_two_stores(self, chain: Chain) -> float:
        """Return the cycles of one iteration of vectors of which each waits for the last stores that it overlaps."""
        lanes = self._loop.lanes
        back = ceil((chain.distance - lanes + 1) / lanes)
        return (self._latency(chain) + _TAKES_UP_TWO) / (back * lanes)

    def _latency(self, chain: Chain) -> float:
        """Return the cycles of the operations of a chain."""
        if chain.is_floating:
            extreme, operations = extreme_latency(self._loop.machine), chain.operations
            if extreme is None:
                return latency_of(operations, self._apart(chain), self._loop.core, self._loop.iteration)
            others = [each for each in operations if each not in EXTREMES]
            known = (len(operations) - len(others)) * extreme
            return known + latency_of(others, self._apart(chain), self._loop.core, self._loop.iteration)
        quotient = _QUOTIENT_LATENCY if self._loop.iteration.vectorization.divides else 0.0
        divisions = (Operation.DIV, Operation.REM)
        return sum(
            max(INTEGER_LATENCIES.get(operation, 1.0), quotient if operation in divisions else 0.0)
            for operation in chain.operations
            if operation is not Operation.CONVERT
        )

    def _apart(self, chain: Chain) -> int:
        """Return the FMAs of a chain that gcc multiplies separately: in a loop with a sum in order, and on AMD."""
        if self._loop.compiler is not Compiler.GCC:
            return 0
        with_sum = self._loop.lanes > 1 and chain.name in self._ordered
        avoids = self._loop.machine.vendor == "AMD" and self._loop.vectors.bits <= _NO_CHAIN_BITS
        return chain.addends if with_sum or avoids else 0

    def windowed(self) -> float:
        """Return the cycles of one iteration where the window holds too few of them to hide their longest chain."""
        loop, core = self._loop.iteration.vectorization, self._loop.core
        if self._loop.options.reassociate and self._loop.compiler is Compiler.ICX:
            return 0.0  # it makes a tree of a long sum
        accessed = sum(float(step.runs) for step in self._loop.iteration.steps)
        integers = (share for key, share in self._loop.iteration.operations.items() if not key.precision.is_float)
        instructions = accessed + float(arithmetic_of(self._loop.iteration).total + sum(integers)) + CONTROL
        latency = self._loop.load_latency + latency_of(loop.longest, 0, core, self._loop.iteration)
        return latency * instructions / (core.out_of_order_window or USUAL_WINDOW) / self._loop.lanes
