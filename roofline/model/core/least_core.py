"""The fewest cycles of a core for an innermost loop: what no compiler and no order of its operations can beat.

Each resource needs at least its instructions over its throughput, and a value that is handed from iteration to
iteration at least its latency; the largest decides.  All that a compiler may do counts as done:

* Every loop runs in full SIMD width, whatever strides, conditions, mixed types and calls are in it; what a condition
  on data may skip is skipped, and what calls do takes no time.
* References of one stream (:class:`~analyzer.counts.results.Step`) share vectors.  An element that data choose, or
  that is further than a vector from the next in a loop that is in no other (loops may be exchanged, or run in tiles
  that vectors are transposed in), is an instruction of its own, and nearer ones are where that is faster; where a
  machine does not state how many of these it starts, four loads and two stores a cycle, the most of today's cores (AMD,
  *Software Optimization Guide for the AMD Zen 5 Microarchitecture*, 58455, section 2.12: four loads of integers, two
  stores).
* With ``-ffast-math`` divisions and roots are approximations and products (``-mrecip``, GCC manual): no divider.  In
  fp64 that is so with AVX-512 (``vrcp14pd``; the measurements of OSACA's validation have icc do it); elsewhere
  quotients by what stays, or was divided by before, are products (``-freciprocal-math``).
* A sum in the order of the source waits for one addition after the other, or for one FMA: the shorter of the two.
  Minima and selections wait for nothing: branches are predicted.  Sums of integers may be taken in any order; other
  integers wait as :func:`~.integers.fewest_waits` says, but in loops over the bits of a number, which compilers replace
  (``LoopIdiomRecognize`` and ``HashRecognize`` of LLVM: population counts, cyclic redundancy checks).
* A load whose address the load before it gave waits for that one, at least as long as the innermost cache takes.
* A loop that is entered again takes up its chains while the chains of earlier iterations of the loop outside are on
  their way, as far as the reorder buffer reaches, and a compiler may have put them into the lanes of one vector.
  With ``T`` iterations a time and ``x`` iterations in the window, the operation at ``m*T - x`` of chain ``j`` is done
  before chain ``j + m`` starts: ``m`` chains take at least ``min(T, m*T - x)`` latencies, for every ``m``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from msgspec.structs import replace

from analyzer.counts.results import Chain, InnerLoop, PerIteration, Step
from analyzer.ir.types import ScalarType
from analyzer.ir.values import SUMS, Operation
from analyzer.quantities.quasipolynomial import Count

from ...machine.figures import Precision
from ...machine.hardware import Core
from ...machine.machine import Machine
from ...machine.units import Bandwidth, FlopRate
from .incore import (
    CoreBound,
    NotVectorised,
    Resource,
    Unit,
    arithmetic_of,
    divided_by,
    division_cycles,
    is_reordered,
    latency_of,
)
from .integers import fewest_waits, integers_of, integers_per_cycle, lanes_of, narrowest_bytes

_ELEMENT_LOADS, _ELEMENT_STORES = 4.0, 2.0  # in a cycle, see above
_ELEMENT_BYTES = 8  # of the largest number that is loaded or stored on its own
_LARGEST_WINDOW = 1024  # of cores that do not state theirs: the largest that a machine file states is 623
_WIDEST_INTEGER_BITS = 64  # of a register: a loop of more iterations is not over the bits of one number
_APPROXIMATING_BITS = 512  # bits of the vectors that have approximations in fp64, see above
_WAITED_FOR = frozenset((*SUMS, Operation.MUL, Operation.FMA, Operation.DIV, Operation.SQRT))
_DIVIDERS = ((Operation.DIV, Unit.DIVISIONS), (Operation.SQRT, Unit.SQUARE_ROOTS))


def least_core(
    inner: InnerLoop, machine: Machine, values: Mapping[str, int], cores: int | None, *, reassociate: bool
) -> CoreBound | None:
    """Return the fewest cycles of a loop; None without core data, or where it uses nothing that the machine states."""
    core, iteration = machine.core, inner.least
    if core is None or iteration.precision.value not in set(Precision):
        return None
    loop = iteration.vectorization
    allowed = reassociate or is_reordered(loop)
    trip = mean_trip(inner, values)
    busy = [each for each in _throughput(inner, core, reassociate=reassociate) if each[1] > 0]
    first = machine.levels[0].latency_cycles if machine.levels else None
    chains = (
        *_latencies(iteration, core, trip, reassociate=allowed),
        *_loads_in_order(iteration, core, trip, first or 0.0),
    )
    ordered = {resource.value for resource, cycles, reduces in chains if reduces and cycles}
    found = [*busy, *((resource, cycles) for resource, cycles, _ in chains if cycles)]
    if not found:
        return None
    cycles = max(cycles for _, cycles in found)
    together = _lanes(iteration, core) if cycles > max((own for _, own, _ in chains), default=0.0) else 1
    again = [*busy, *((resource, own) for resource, own, reduces in chains if own and not reduces)]
    other = max((own for _, own in again), default=0.0)
    per_s = machine.core_hz(cores) * machine.scaling.flops / cycles
    rate = FlopRate(float(inner.iteration.flops) * per_s)
    return CoreBound(
        line=iteration.line,
        iterations=together,
        seconds=1 / per_s,
        cycles_by_resource=tuple((resource, own * together) for resource, own in found),
        per_core=rate,
        chip=FlopRate(rate.value * machine.unit_count(cores)),
        l1=Bandwidth(float(iteration.load_bytes + iteration.store_bytes) * per_s),
        vectorised=together > 1,
        assumptions=(NotVectorised((), tuple(sorted(ordered))),) if ordered and together == 1 else (),
        reassociated_cycles=other * together if 0 < other < cycles else None,
        for_large_sizes=trip is None and any(chain.restarts for chain in loop.chains),
    )


def without_reuse(inner: InnerLoop, *, reassociate: bool) -> InnerLoop:
    """Return a loop whose registers hold what other iterations of the nest meet again, and in any order its sums."""
    least = inner.least
    steps = tuple(step for step in least.steps if not step.is_reused)
    shared = least.repeated.shared if reassociate else Fraction(0)
    if len(steps) == len(least.steps) and not shared:
        return inner
    sums = [key for key in least.operations if key.operation in SUMS and key.precision.is_float]
    operations = dict(least.repeated.operations)
    for key in sums[:1]:
        operations[key] = operations.get(key, Fraction(0)) + shared
    flop_instructions = least.repeated.flop_instructions + shared
    repeated = replace(least.repeated, operations=operations, flop_instructions=flop_instructions)
    return replace(inner, least=replace(least, steps=steps, repeated=repeated))


def mean_trip(inner: InnerLoop, values: Mapping[str, int]) -> float | None:
    """Return the fewest iterations, on average, whenever the loop is entered; None where it is not known.

    What lets it run more often, as an early end of the loops around it or a condition on data does, lets it be entered
    more often: both are at their least together, and both at their most.
    """
    least, most = (
        (_evaluated(inner.runs.lower, values), _evaluated(inner.starts.lower, values)),
        (_evaluated(inner.runs.upper, values), _evaluated(inner.starts.upper, values)),
    )
    if least[0] is None or most[1] is None:
        trip = inner.iteration.vectorization.trip
        return None if trip is None else float(trip)
    if not least[1] and not inner.is_steady:  # it may end at once in all that it is entered
        return least[0] / most[1] if most[1] else None
    return min((runs / starts for runs, starts in (least, most) if runs is not None and starts), default=None)


def _evaluated(count: Count | None, values: Mapping[str, int]) -> float | None:
    return float(count.evaluate(values)) if count is not None and count.symbols <= values.keys() else None


def _lanes(iteration: PerIteration, core: Core) -> int:
    return core.lanes_of(iteration.precision.value) if iteration.lanes == 1 else 1


def _throughput(inner: InnerLoop, core: Core, *, reassociate: bool) -> Iterator[tuple[Resource, float]]:
    """Yield the cycles of one iteration by resource, at full width."""
    iteration, nested = inner.least, inner.is_nested
    loads = accesses((step for step in iteration.steps if not step.is_store), core, nested=nested)
    stores = accesses((step for step in iteration.steps if step.is_store), core, nested=nested)
    whole = sum(part.whole for part in (*loads, *stores))
    for unit, parts, per_cycle, most in (
        (Unit.LOADS, loads, core.loads_per_cycle, _ELEMENT_LOADS),
        (Unit.STORES, stores, core.stores_per_cycle, _ELEMENT_STORES),
    ):
        if per_cycle:
            yield Resource(unit), sum(part.cycles(per_cycle, max(per_cycle, most)) for part in parts)
    if core.memory_operations_per_cycle:
        yield Resource(Unit.MEMORY_OPERATIONS), whole / core.memory_operations_per_cycle
    yield from _arithmetic(iteration, core, reassociate=reassociate)
    per_cycle = integers_per_cycle(core, narrowest_bytes(iteration))
    if per_cycle:
        yield Resource(Unit.INTEGERS), integers_of(iteration) / per_cycle
    if core.issue_width:
        yield Resource(Unit.FRONT_END), sum(instructions_of(inner, core)) / core.issue_width


class Instructions(NamedTuple):
    """The fewest instructions of an iteration; a load that arithmetic takes in is none of its own."""

    memory: float
    floating: float
    integer: float


def instructions_of(inner: InnerLoop, core: Core) -> Instructions:
    """Return the fewest instructions of one iteration, at full width."""
    iteration, nested = inner.least, inner.is_nested
    loads, stores = (
        sum(part.whole + part.single for part in accesses(steps, core, nested=nested))
        for steps in (
            [step for step in iteration.steps if not step.is_store],
            [step for step in iteration.steps if step.is_store],
        )
    )
    floating = float(arithmetic_of(iteration).total) / _widest(iteration, core)
    integers = integers_of(iteration) / lanes_of(core, narrowest_bytes(iteration))
    return Instructions(max(0.0, loads - floating - integers) + stores, floating, integers)


class Accesses(NamedTuple):
    """The fewest accesses of a stream in one iteration, to whole vectors and to single elements; its ``elements``."""

    whole: float
    single: float
    elements: float

    def cycles(self, per_cycle: float, elements_per_cycle: float) -> float:
        """Return the fewest cycles, where so many vectors or elements go in a cycle: one by one may be faster.

        >>> Accesses(whole=0.75, single=0, elements=1).cycles(1, 2), Accesses(0.125, 0, 1).cycles(1, 2)
        (0.5, 0.125)
        """
        return min(self.whole / per_cycle + self.single / elements_per_cycle, self.elements / elements_per_cycle)


def accesses(steps: Iterable[Step], core: Core, *, nested: bool) -> list[Accesses]:
    """Return the fewest accesses of one iteration, by stream."""
    streams: dict[int, list[Step]] = {}
    for step in steps:
        streams.setdefault(step.stream, []).append(step)
    return [_of_stream(stream, core.simd_bits // 8, nested=nested) for stream in streams.values()]


def _of_stream(stream: Sequence[Step], width: int, *, nested: bool) -> Accesses:
    """Return the fewest accesses to a stream with vectors of ``width`` bytes."""
    runs, size = max(float(step.runs) for step in stream), sum(step.size_bytes for step in stream)
    elements = sum(float(step.runs) * max(1.0, step.size_bytes / _ELEMENT_BYTES) for step in stream)
    stride = stream[0].stride_bytes
    if stream[0].is_indirect:
        each = sum(float(step.runs) for step in stream)
        return Accesses(0.0, each, each)
    if stride is None or (nested and abs(stride) >= width):
        return Accesses(runs * stream[0].size_bytes / width, 0.0, elements)
    if abs(stride) < width:
        return Accesses(runs * abs(stride) / width, 0.0, elements)
    return Accesses(0.0, runs * max(1.0, size / width), elements)


def _arithmetic(iteration: PerIteration, core: Core, *, reassociate: bool) -> Iterator[tuple[Resource, float]]:
    """Yield the cycles of the units that compute."""
    lanes = _widest(iteration, core)
    adds, products, total = map(float, arithmetic_of(iteration))
    for unit, number, per_cycle in (
        (Unit.ADDITIONS, adds, core.add_units),
        (Unit.MULTIPLICATIONS, products, core.mul_units),
        (Unit.ARITHMETIC, total, core.arithmetic_units),
    ):
        if per_cycle:
            yield Resource(unit), number / lanes / per_cycle
    approximated = reassociate and (iteration.precision is ScalarType.FP32 or core.simd_bits == _APPROXIMATING_BITS)
    dividers = () if approximated else _DIVIDERS
    divisions = [(unit, _divided(iteration, core, operation, reassociate=reassociate)) for operation, unit in dividers]
    used = [unit for unit, cycles in divisions if cycles]
    yield Resource(used[0] if len(used) == 1 else Unit.DIVISIONS_AND_ROOTS), sum(cycles for _, cycles in divisions)


def _widest(iteration: PerIteration, core: Core) -> float:
    """Return the lanes of the narrowest format that the loop computes in, or of the vectors of the source."""
    if iteration.lanes > 1:
        return float(min(iteration.lanes, Fraction(core.lanes_of(iteration.precision.value))))
    known = {key.precision.value for key in iteration.operations if key.precision.is_float} & set(Precision)
    return float(max((core.lanes_of(precision) for precision in known), default=1))


def _divided(iteration: PerIteration, core: Core, operation: Operation, *, reassociate: bool) -> float:
    """Return the cycles that divisions or roots occupy their unit, in lanes or one by one, whichever is faster."""
    number = float(divided_by(iteration, operation, reassociate=reassociate))
    lanes = core.lanes_of(iteration.precision.value)
    ways = ((division_cycles(core, operation, iteration.precision.value, width)[0], width) for width in (lanes, 1))
    each = [cycles / width for cycles, width in ways if cycles]
    return number * min(each, default=0.0)


def _latencies(
    iteration: PerIteration, core: Core, trip: float | None, *, reassociate: bool
) -> Iterator[tuple[Resource, float, bool]]:
    """Yield each chain with the cycles of one iteration that it takes at least, and whether it is a reduction."""
    lanes = core.lanes_of(iteration.precision.value)
    for chain in iteration.vectorization.chains:
        if not chain.is_floating:
            yield from _integers_in_order(iteration, chain, core, trip)
            continue
        if not chain.share or (reassociate and chain.is_reduction):
            continue
        waits = tuple(operation for operation in chain.operations if operation in _WAITED_FOR)
        addends = chain.addends
        if reassociate:
            waits, addends = _taken_up_last(waits, addends), 0
        share = float(chain.share)
        shortest = latency_of(waits, addends, core, iteration) / chain.distance * share
        if chain.restarts:
            in_window = (core.out_of_order_window or _LARGEST_WINDOW) * lanes / max(1, len(waits)) / share
            shortest *= waited_share(trip, in_window)
        if chain.side_by_side:  # gcc vectorises the loop around, in the order of the source
            shortest /= lanes
        yield Resource(Unit.LATENCY, chain.name), shortest, chain.is_reduction


def _integers_in_order(
    iteration: PerIteration, chain: Chain, core: Core, trip: float | None
) -> Iterator[tuple[Resource, float, bool]]:
    """Yield the cycles of one iteration for a chain of integers, as lanes of the loop around may have several."""
    over_bits = iteration.vectorization.trip is not None and iteration.vectorization.trip <= _WIDEST_INTEGER_BITS
    waits = 0 if chain.is_reduction or not chain.is_certain or over_bits else fewest_waits(chain.operations)
    if not waits:
        return
    lanes = lanes_of(core, chain.size_bytes or 1)
    cycles = waits / chain.distance
    if chain.restarts:
        cycles *= waited_share(trip, (core.out_of_order_window or _LARGEST_WINDOW) * lanes / len(chain.operations))
    yield Resource(Unit.LATENCY, chain.name), cycles / lanes if chain.side_by_side else cycles, False


def _taken_up_last(waits: Sequence[Operation], addends: int) -> tuple[Operation, ...]:
    """Return what a value waits for where sums take any order: it is the last that they take up.

    >>> [each.value for each in _taken_up_last((Operation.FMA, Operation.FMA, Operation.ADD), 1)]
    ['fma']
    """
    factors = [Operation.FMA] * (waits.count(Operation.FMA) - addends)
    others = [operation for operation in waits if operation not in (*SUMS, Operation.FMA)]
    return (*factors, *others) or tuple(waits[:1])


def _loads_in_order(
    iteration: PerIteration, core: Core, trip: float | None, latency_cycles: float
) -> Iterator[tuple[Resource, float, bool]]:
    """Yield each value that is loaded through itself, with the cycles of one iteration where the first cache has it."""
    for pursuit in iteration.vectorization.pursuits:
        if pursuit.is_certain:
            in_window = (core.out_of_order_window or _LARGEST_WINDOW) / pursuit.loads
            cycles = pursuit.loads * latency_cycles * waited_share(trip, in_window)
            yield Resource(Unit.LOAD_LATENCY, pursuit.name), cycles, False


def waited_share(trip: float | None, in_window: float) -> float:
    """Return the part of a chain of ``trip`` latencies that must be waited for when it restarts again and again.

    The out-of-order window holds ``in_window`` iterations.

    Without a size it is that of large ones.

    >>> waited_share(1000, 100), waited_share(50, 100), waited_share(None, 100)
    (0.9, 0.3333333333333333, 1.0)
    """
    if trip is None:
        return 1.0
    if trip <= 0:
        return 0.0
    chains = ceil(in_window / trip)
    return max(min(trip, number * trip - in_window) / (number * trip) for number in (chains, chains + 1) if number)
