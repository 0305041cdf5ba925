"""Values that one thread of a GPU hands from iteration to iteration: other threads hide no wait that is its own.

Input: a kernel with its requests, and a machine.  Output: the longest of the times ``T = n * L``: a thread runs ``n``
iterations of a loop whenever it enters it, and each waits ``L`` for the one before.

* A sum or a recurrence of floating-point numbers takes the latency of its additions, products and FMAs, which the
  compilers of GPUs do not reorder.
* A load whose address the load before it gave takes the latency of L1, where its array is in global memory.
* Iterations of threads and blocks hand nothing on, and ``n`` is the mean over threads: one of them has as many.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from analyzer.counts.results import PerIteration
from analyzer.ir.nodes import MemorySpace, RegionKind
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile
from analyzer.traffic.results import Request

from ...machine.machine import Machine
from ..core.ceilings import ChainCeiling
from ..core.least_core import mean_trip

_WAITED_FOR = frozenset((Operation.ADD, Operation.SUB, Operation.MUL, Operation.FMA))
_OF_LAUNCH = ("threadIdx", "blockIdx")


def chain_ceiling(profile: RegionProfile, requests: Sequence[Request], machine: Machine) -> ChainCeiling | None:
    """Return the longest chain of one thread; None where no loop has one, or latencies are not stated.

    A loop of host code that a library runs (a reduction of Thrust) is not one of a thread, as it is written.
    """
    if machine.gpu is None or profile.kind is not RegionKind.KERNEL:
        return None
    in_global = {each.array for each in requests if each.space is MemorySpace.GLOBAL}
    per_s = machine.clock_hz * machine.scaling.flops
    found = []
    for inner in profile.inner_loops:
        trip = mean_trip(inner, profile.values)
        if trip is None or inner.least.iterator.startswith(_OF_LAUNCH):
            continue
        for name, cycles, of_loads in _chains(inner.least, machine, in_global):
            found.append(ChainCeiling(name, cycles, trip, inner.least.line, trip * cycles / per_s, of_loads))
    return max(found, key=lambda each: each.seconds, default=None)


def _chains(iteration: PerIteration, machine: Machine, in_global: Collection[str]) -> Iterator[tuple[str, float, bool]]:
    """Yield each value with the cycles of one iteration, and whether loads wait for one another."""
    arithmetic = None if machine.gpu is None else machine.gpu.arithmetic_latency_cycles
    load = machine.levels[0].latency_cycles if machine.levels else None
    vectorization = iteration.vectorization
    for chain in vectorization.chains if arithmetic else ():
        waits = sum(operation in _WAITED_FOR for operation in chain.operations)
        if chain.is_floating and chain.share and waits and not vectorization.asserted:
            yield chain.name, (arithmetic or 0.0) * waits / chain.distance * float(chain.share), False
    for pursuit in vectorization.pursuits if load else ():
        if pursuit.is_certain and set(pursuit.arrays) <= set(in_global):
            yield pursuit.name, (load or 0.0) * pursuit.loads, True
