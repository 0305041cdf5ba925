"""What memory takes of the time of a kernel: cycles of the load and store units, waits of a warp, bytes of the levels.

Input: the requests of warps, the bytes of every level, a machine.  Output: cycles, or seconds.

* A request to global memory takes a cycle for each line that it touches, whose tag is looked up, and one for each 64
  bytes that it moves (128 on V100, A100 and H100); one to shared memory takes its passes.  (HeCBench hmm and match: 32
  rows and a broadcast take 33.2 cycles a warp and iteration on an RTX 3080; gpu-benches, gpu-cache: 64 bytes a cycle
  and SM on A40 and L40.)
* What a warp stores to a line of 128 bytes takes L2 as long as the whole line, however little of it that is, and what
  it loads of one as long as the half (H100: 55 G stores and 129 G loads a second of one word in each line, 7.3 TB/s of
  whole lines: a transpose that stores columns takes 4 times as long as its sectors).
* Words of shared memory that data choose meet in banks by chance.
* Where data choose the elements, the sectors are assumed to be the geometric mean of the fewest and the most; requests
  to the caches between are reduced by the same factor.
* Loads that run equally often are assumed to be on their way together: a warp waits once for all of them, and half as
  often in loops, which are unrolled.  It waits for the level that serves them, each by its share of the bytes.
  Loads with a barrier between them are not together, nor are those of two iterations of a loop with a barrier.
* Atomic updates of one element wait for one another; compilers add up the integers of a warp before.  Those of
  floating-point numbers in shared memory are a loop of loads, additions and exchanges, of which one thread's succeeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, sqrt

from msgspec import Struct

from analyzer.counts.results import OperationKey
from analyzer.ir.nodes import MemorySpace
from analyzer.ir.values import is_atomic
from analyzer.profile import RegionProfile
from analyzer.traffic.results import Request

from ....machine.figures import FigureKind
from ....machine.machine import Machine
from ...level_bytes import LevelBytes, Target
from ...levels import LevelBound
from .ends import End, count_at, runs_of, sectors_of

_BANKS = 32  # of shared memory (CUDA C++ Programming Guide, compute capability 5.x to 9.0)
_L1_BYTES_PER_CYCLE = 64.0  # of an SM, see above
_WIDE_L1 = {"sm_70": 128.0, "sm_80": 128.0, "sm_90": 128.0}  # the same (gpu-cache: V100, A100 and H100 at 16 KiB)
_L2_BYTES_PER_CYCLE = 16.5  # for each SM, where none is stated (gpu-benches, gpu-cache: 16.7 on A40, 16.2 on L40)
_OF_LOADED_LINE, _OF_STORED_LINE = 0.5, 1.0  # what L2 takes at least of the time for a line, see above
_READ_AT_RANDOM, _UPDATED_AT_RANDOM = 1.5, 2.2  # times as long as in sequence, of memory (H100: scatter_atomic and
# gather_random of tests.bench.gpu_measured: 2.1 and 1.1 to 1.35 TB/s)
_SUSTAINED = 0.9  # of the data sheet's bandwidth, where none was measured (BabelStream: 0.86 to 0.98; see README)
_USUAL_CYCLES = (34.0, 260.0)  # of a load from L1, and from L2 (Jia et al. 2018; gpu-benches: V100 to H100 and L40)
_USUAL_MEMORY_S = 400e-9  # of a load from memory (gpu-benches, gpu-latency: A100 404 ns, H100 370, V100 310)
_SHARED_CYCLES = 26.0  # of a load from shared memory (Jia et al. 2018: 19 on V100; Luo et al. 2024: 29 to 31)
_UPDATE_CYCLES = (3.2, 1.0)  # of a floating-point number (HeCBench rfs on an RTX 3080), and of an integer
_LOOPED = 4.0  # executions of a warp: loads that run more often are in a loop (a choice: nvcc unrolls by four)
_IN_LOOP = 0.5  # waits for each of those, chosen on the launches of tests.bench.gpu_time, half 0


class MovedByLevel(Struct, frozen=True):
    """The bytes that each level of caches serves, and the bounds of all levels, the link to the host among them."""

    served: LevelBytes
    bounds: tuple[LevelBound, ...]


def unit_cycles(requests: Sequence[Request], line_bytes: int, end: End, target: str = "") -> float:
    """Return the cycles of all load and store units together, of a GPU of an architecture (``sm_80``)."""
    path_bytes = _WIDE_L1.get(target, _L1_BYTES_PER_CYCLE)
    return sum(_cycles(request, line_bytes, path_bytes, end) for request in requests)


def _cycles(request: Request, line_bytes: int, path_bytes: float, end: End) -> float:
    runs = runs_of(request, end)
    if request.space is MemorySpace.SHARED:
        ways = _ways_by_chance(request) if request.is_scattered and end is not End.LEAST else 1.0
        return runs * ways * request.passes / sqrt(request.iterations)  # some of the loads that could be wide ones are
    lines, size = _lines(request, line_bytes, end), sectors_of(request, end) * request.sector_bytes
    return max(runs * request.requests, lines, size / path_bytes)


def _lines(request: Request, line_bytes: int, end: End) -> float:
    """Return how many lines the requests of a reference touch, each of them anew."""
    step = request.step_bytes
    apart = line_bytes if step is None else min(line_bytes, max(abs(step), request.sector_bytes))
    return sectors_of(request, end) * apart / line_bytes


def _by_lines(requests: Sequence[Request], line_bytes: int, end: End, *, write: bool) -> float:
    """Return how many times longer L2 takes for parts of lines than for their sectors alone."""
    of_memory = (each for each in requests if each.space is MemorySpace.GLOBAL and each.write is write)
    counted = [each for each in of_memory if not each.is_atomic or (write and each.is_scattered)]
    sizes = [sectors_of(each, end) * each.sector_bytes for each in counted]
    least = line_bytes * (_OF_STORED_LINE if write else _OF_LOADED_LINE)
    lines = [_lines(each, line_bytes, end) * least for each in counted]
    return sum(map(max, lines, sizes)) / sum(sizes) if sum(sizes) else 1.0


def _ways_by_chance(request: Request) -> float:
    """Return the cycles of a request to shared memory whose words data choose: the most that one bank has, on average.

    The words of a bank are assumed to have a Poisson distribution.  32 words in 32 banks: 3.5.
    """
    each = request.accesses / request.requests / _BANKS if request.requests else 0.0
    found, below, term = 0.0, 0.0, exp(-each)
    for words in range(1, _BANKS + 1):
        below += term  # the probability that a bank has fewer than so many
        found += 1 - below**_BANKS
        term *= each / words
    return max(1.0, found)


def waited_cycles(
    profile: RegionProfile, requests: Sequence[Request], served: LevelBytes, machine: Machine, warps: float, end: End
) -> float:
    """Return the cycles that one warp waits for its loads."""
    latency = _latency_cycles(profile, served, machine, end)
    together: set[tuple[float, bool, int, bool]] = set()
    for request in requests:
        if not request.write:
            often = runs_of(request, end) * request.requests / request.iterations / warps
            together.add((round(often, 3), request.space is MemorySpace.SHARED, request.phase, request.waits))
    return sum(
        often * (_IN_LOOP if often > _LOOPED and not waits else 1.0) * (_SHARED_CYCLES if shared else latency)
        for often, shared, _, waits in together
    )


def _latency_cycles(profile: RegionProfile, served: LevelBytes, machine: Machine, end: End) -> float:
    """Return the cycles of a load: of each level those that it serves, by their share of the bytes that are read."""
    read = [count_at(moved.read, profile.values, end) or 0.0 for _, moved in served]
    found, reached = 0.0, 1.0
    for position, (name, _) in enumerate(served):
        beyond = read[position + 1] if position + 1 < len(read) else 0.0
        missed = min(1.0, beyond / read[position]) if read[position] else 0.0
        found += reached * (1 - missed) * _cycles_of_level(machine, name, position)
        reached *= missed
    return found or _USUAL_CYCLES[0]


def _cycles_of_level(machine: Machine, name: str, position: int) -> float:
    seconds = machine.latency_s(name)
    if seconds is not None:
        return seconds * machine.clock_hz
    if name == machine.memory.name:
        return _USUAL_MEMORY_S * machine.clock_hz
    return _USUAL_CYCLES[min(position, len(_USUAL_CYCLES) - 1)]


def level_seconds(
    profile: RegionProfile, requests: Sequence[Request], moved: MovedByLevel, target: Target, end: End
) -> Iterator[tuple[str, float]]:
    """Yield the seconds of levels that all units share: those outside of the innermost, and the link to the host."""
    machine, values, gpu = target.machine, profile.values, target.machine.gpu
    asked = sum(request.sectors for request in requests)
    likely = sum(sectors_of(request, end) for request in requests) / asked if asked else 1.0
    for name, own in moved.served[1:]:
        parts = (own.read, own.write_allocate, own.write)
        read, allocated, written = (count_at(part, values, end) or 0.0 for part in parts)
        size = read + allocated + written
        if name != machine.memory.name and gpu is not None:
            read *= _by_lines(requests, gpu.line_bytes, end, write=False)
            written *= _by_lines(requests, gpu.line_bytes, end, write=True)
            size = max((read + allocated + written) * likely, count_at(own.total, values, End.LEAST) or 0.0)
        if name == machine.memory.name:
            size += _at_random(requests, size)
        yield name, size / _bandwidth(target, name, (read, allocated, written))
    others = {memory.name for memory in machine.other_memories}
    for level in moved.bounds:
        if level.level in others:
            yield level.level, (count_at(level.bytes, values, end) or 0.0) / level.bandwidth.rate.value


def _at_random(requests: Sequence[Request], size: float) -> float:
    """Return the bytes that memory could move in the time that random references of ``size`` bytes take longer."""
    of_memory = [each for each in requests if each.space is MemorySpace.GLOBAL]
    drawn = [each for each in of_memory if each.is_random]
    others = sum(each.sectors * each.sector_bytes for each in of_memory if not each.is_random)
    longer = _UPDATED_AT_RANDOM if any(each.write for each in drawn) else _READ_AT_RANDOM
    return max(0.0, size - others) * (longer - 1) if drawn else 0.0


def update_seconds(profile: RegionProfile, requests: Sequence[Request], machine: Machine, end: End) -> float:
    """Return the seconds of atomic updates of elements in global memory that are the same for all threads."""
    floating = any(is_atomic(key.function) and key.precision.is_float for key in profile.work.operations)
    updates = sum(
        request.accesses if floating else request.requests
        for request in requests
        if request.is_atomic and request.write and (request.is_certain or end is End.MOST)
        if request.space is MemorySpace.GLOBAL and request.step_bytes == 0
    )
    cycles = updates * _UPDATE_CYCLES[0 if floating else 1]
    return cycles / machine.clock_hz / machine.scaling.bandwidth


def shared_update_cycles(profile: RegionProfile, requests: Sequence[Request], addition: float, end: End) -> float:
    """Return the cycles of all blocks for atomic sums in shared memory, an addition of which takes ``addition``.

    One after the other updates an element that all threads share; a scalar is no array and makes no request.
    """
    sums = [quantity for key, quantity in profile.work.operations.items() if _is_looped(key)]
    if not sums:
        return 0.0
    made = sum(count_at(quantity, profile.values, end) or 0.0 for quantity in sums)
    updates = [each for each in requests if each.is_atomic and each.write and each.space is MemorySpace.SHARED]
    of_arrays = sum(each.accesses * runs_of(each, end) for each in updates)
    of_one = sum(each.accesses * runs_of(each, end) for each in updates if each.step_bytes == 0)
    return (max(0.0, made - of_arrays) + of_one) * (2 * _SHARED_CYCLES + addition)


def _is_looped(key: OperationKey) -> bool:
    """Return whether an operation is an atomic sum of reals in shared memory, which is a loop of the compiler."""
    return key.function.endswith(".shared") and key.precision.is_float


def _bandwidth(target: Target, name: str, mix: tuple[float, float, float]) -> float:
    """Return the bytes/s of the pattern most like the kernel's, else a part of what the data sheet has."""
    machine, cores = target.machine, target.options.cores
    chosen = machine.bandwidth_of_mix(name, mix, cores) or machine.bandwidth(name, cores=cores)
    if chosen is None:
        per_s = machine.unit_count(cores) * machine.clock_hz
        return _L2_BYTES_PER_CYCLE * per_s * machine.scaling.bandwidth
    measured = chosen.figure.kind is FigureKind.MEASURED
    return chosen.rate.value * (1.0 if measured else _SUSTAINED)
