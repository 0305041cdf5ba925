"""The expected time of a kernel on a GPU, with the range that it is in.

Input: a profile with its traffic on a GPU, and the bytes of every level.  Output: its parts
(:class:`LaunchTime`), and the ends of the range.

::

    T = start + (T_sm^4 + sum over levels of T_level^4)^(1/4)
    T_sm = sqrt((b * c)^2 + (rounds * w)^2) / clock

* The busiest multiprocessor runs ``b = ceil(blocks / units)`` blocks, each ``c`` cycles of its busiest units: issue,
  fp32, fp64, special functions, others, loads and stores (:mod:`.instructions`, :mod:`.memory`).
* It holds as many blocks at once as the occupancy says, in so many ``rounds``, the last of which may be small (tail).
  From five rounds on blocks are no longer in step, and half of a round is added instead of the rest of one.
* A round takes at least the ``w`` cycles of one warp by itself: its instructions, which wait for one another, and its
  loads.  Other warps hide that as far as there are any.
* At a barrier all warps of a block wait for the last one, so that loads in front of it are not hidden by what its block
  does behind it: the cycles of one block, ``c``, are added to ``w``.  Only other blocks hide them.
* Levels that all units share take their bytes at the bandwidth of the pattern (memory at nine tenths of a data sheet).
* Blocks start one after the other, wherever they run: one in each 1.2 cycles.
* What is equally busy overlaps in part: the exponents 2 and 4 say how far, and are calibrated.
* ``start`` is the shortest time of a launch on the device.

Each constant states its source; calibrated ones are fitted to launches that Nsight Compute measured on an RTX 3080, of
half of the programs of ``python -m tests.bench.gpu_time`` (``--half 0``).  Hong and Kim, *An Analytical
Model for a GPU Architecture with Memory-level and Thread-level Parallelism Awareness*, ISCA 2009, has the same parts;
latencies: Jia et al., *Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking*, 2018.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, hypot

from msgspec import Struct
from msgspec.structs import replace

from analyzer.counts.results import InnerLoop, PerIteration
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile
from analyzer.traffic.results import CacheTraffic, Occupancy, Request

from ....machine.figures import Precision
from ....machine.machine import Machine
from ...level_bytes import Target
from .ends import End, count_at
from .instructions import WarpInstructions, Warps, function_of, warp_instructions
from .memory import MovedByLevel, level_seconds, shared_update_cycles, unit_cycles, update_seconds, waited_cycles

_START_S = 1.7e-6  # calibrated: kernels of 0.2 million threads that move under 3 MB (HeCBench srad) take 4 to 5 us
_SPECIAL_PER_CYCLE = 16.0  # results of an SM (CUDA C++ Programming Guide, arithmetic instructions: 7.0 to 9.0)
_OTHER_PER_CYCLE = 64.0  # results of an SM: comparisons, selections and integers, where a machine states none (same)
_TOGETHER = 4.0  # the exponent between the multiprocessors and the levels, calibrated
_IN_STEP = 4  # rounds in which blocks still begin together, calibrated
_LATENCY = 4.0  # cycles of fp32 and integer arithmetic, where none is stated (Jia et al. 2018: Volta)
_FP64_LATENCY = 8.0  # cycles (Jia et al. 2018: Volta), and one instruction's time in its unit comes on top
_SPECIAL_LATENCY = 18.0  # cycles of a special function, calibrated
_PER_INSTRUCTION = 0.6  # of that latency, for each instruction of code without loops: others go in between; calibrated
_BARRIER_CYCLES = 20.0  # of a barrier that no other warp is late for (Wong et al., ISPASS 2010, not opened)
_BARRIER_THREADS = 16.0  # that an SM lets arrive in a cycle (CUDA C++ Programming Guide, synchronization: 7.x to 9.0)
_BLOCK_CYCLES = 300.0  # until the first warp of a block starts, and its memory is free again; calibrated
_CYCLES_BETWEEN_BLOCKS = 1.2  # H100: 0.605 ns for each of 50,000 to 1.3 million blocks of 128 to 512 threads
_MATRIX_SHARE = 0.7  # of the peak that products of matrices reach: a choice, those of libraries reach more


class Factors(Struct, frozen=True):
    """By how much the parts of a launch may be off, apart from what is not known of their counts."""

    start: float
    units: float
    levels: float


# Calibrated: nine of ten launches lie between, of programs that nothing else was calibrated on as well.
_FASTER, _SLOWER = Factors(0.7, 0.5, 0.75), Factors(2.0, 2.4, 1.25)


class LaunchTime(Struct, frozen=True, kw_only=True):
    """What the time of a launch is made of; times in seconds.

    ``units`` is the time of the busiest multiprocessor, whose busiest unit is ``busiest``; ``alone`` what one warp
    after the other takes by itself; ``levels`` what each level takes that all units share.
    """

    start: float
    units: float
    busiest: str
    alone: float
    levels: tuple[tuple[str, float], ...]
    matrix: float
    rounds: float
    warps_per_unit: int

    @property
    def seconds(self) -> float:
        """Return the time of all, as far as they overlap."""
        together = (hypot(self.units, self.alone), *(each for _, each in self.levels))
        longest = max(together, default=0.0)
        if not longest:
            return self.start + self.matrix
        overlapping = sum((each / longest) ** _TOGETHER for each in together)
        return self.start + longest * float(overlapping ** (1 / _TOGETHER)) + self.matrix

    @property
    def holder(self) -> str:
        """Return what takes longest: a level, waiting (``latency``), the start, or a unit of the multiprocessors."""
        parts = (*self.levels, ("start", self.start), ("latency", self.alone), (self.busiest, self.units))
        return max((*parts, ("matrix units", self.matrix)), key=lambda part: part[1])[0]

    def scaled(self, factors: Factors) -> LaunchTime:
        """Return the time with each part so many times longer."""
        levels = tuple((name, seconds * factors.levels) for name, seconds in self.levels)
        units, alone, matrix = (part * factors.units for part in (self.units, self.alone, self.matrix))
        return replace(self, start=self.start * factors.start, units=units, alone=alone, levels=levels, matrix=matrix)


class _Launch(Struct, frozen=True):
    """A kernel with its launch: what its time follows from."""

    profile: RegionProfile
    target: Target
    requests: tuple[Request, ...]
    occupancy: Occupancy
    moved: MovedByLevel


def launch_time(
    profile: RegionProfile, target: Target, traffic: CacheTraffic, moved: MovedByLevel
) -> tuple[LaunchTime, float, float] | None:
    """Return the parts of the time of a launch, and the ends of its range; None where its counts are not known."""
    if target.machine.gpu is None or traffic.occupancy is None:
        return None
    launch = _Launch(profile, target, traffic.requests, traffic.occupancy, moved)
    least, likely, most = (_at(launch, end) for end in (End.LEAST, End.LIKELY, End.MOST))
    if least is None or likely is None or most is None:
        return None
    return likely, least.scaled(_FASTER).seconds, most.scaled(_SLOWER).seconds


def _at(launch: _Launch, end: End) -> LaunchTime | None:
    """Return the parts of the time with the counts at an end of their range."""
    profile, target, occupancy = launch.profile, launch.target, launch.occupancy
    machine, requests = target.machine, launch.requests
    assert machine.gpu is not None
    blocks = max(1, round(occupancy.waves * occupancy.blocks_per_unit * machine.units.count))
    warps = blocks * max(1, occupancy.warps_per_unit // occupancy.blocks_per_unit)
    shape = Warps(warps, machine.gpu.warp_size, occupancy.active_lanes)
    found = warp_instructions(profile, requests, shape, end)
    if found is None:
        return None
    arrivals = occupancy.barriers * warps * machine.gpu.warp_size / _BARRIER_THREADS
    busy = {
        **_busy(found, unit_cycles(requests, machine.gpu.line_bytes, end, machine.gpu.target or ""), machine),
        "barriers": arrivals,
    }
    busiest = max(busy, key=lambda name: busy[name])
    own = ceil(blocks / machine.unit_count(target.options.cores))
    held = own / occupancy.blocks_per_unit
    rounds = float(ceil(held)) if held <= _IN_STEP else held + 0.5
    one = _BLOCK_CYCLES + _arithmetic(profile, found, warps, machine, end)
    one += waited_cycles(profile, requests, launch.moved.served, machine, warps, end)
    one += shared_update_cycles(profile, requests, _doubled(machine), end) / blocks
    if occupancy.barriers:
        one += occupancy.barriers * _BARRIER_CYCLES + busy[busiest] / blocks
    per_s = machine.clock_hz * machine.scaling.flops
    levels = [*level_seconds(profile, requests, launch.moved, target, end)]
    levels.append(("starting blocks", blocks * _CYCLES_BETWEEN_BLOCKS / machine.clock_hz))
    updates = update_seconds(profile, requests, machine, end)
    return LaunchTime(
        start=_START_S,
        units=own * busy[busiest] / blocks / per_s,
        busiest=busiest,
        alone=rounds * one / per_s,
        levels=(*levels, *([("atomic updates", updates)] if updates else [])),
        matrix=_matrix_seconds(found, machine, target.options.cores),
        rounds=rounds,
        warps_per_unit=occupancy.warps_per_unit,
    )


def _busy(found: WarpInstructions, memory: float, machine: Machine) -> Mapping[str, float]:
    """Return the cycles of each kind of unit, of all multiprocessors together."""
    gpu = machine.gpu
    assert gpu is not None
    lanes, rates = gpu.warp_size, dict(machine.units.flops_per_cycle)
    of_singles = _results(rates, Precision.FP32, machine)
    integers = (gpu.int32_per_cycle or _OTHER_PER_CYCLE) + (gpu.int32_multiply_per_cycle or 0.0)
    return {
        "issue": found.total / (gpu.schedulers_per_unit * gpu.issue_per_scheduler),
        "fp32": found.fp32 * lanes / of_singles,
        "fp64": found.fp64 * lanes / _results(rates, Precision.FP64, machine),
        "fp16": found.fp16 * lanes / max(_results(rates, Precision.FP16, machine) / 2, of_singles / 2),
        "special functions": found.special * lanes / _SPECIAL_PER_CYCLE,
        "integers": found.other * lanes / integers,
        "loads and stores": memory + found.shuffles,
    }


def _results(rates: Mapping[Precision, float], precision: Precision, machine: Machine) -> float:
    """Return the FMAs of one unit in a cycle."""
    stated = rates.get(precision)
    if stated is None:
        peak = machine.peak(precision.value)
        stated = None if peak is None else peak.value / machine.units.count / machine.clock_hz / machine.scaling.flops
    return (stated or 1.0) / 2


def _matrix_seconds(found: WarpInstructions, machine: Machine, cores: int | None) -> float:
    """Return the seconds of products of matrices in units of their own."""
    seconds = 0.0
    for name, flops in found.matrix_flops.items():
        peak = machine.peak_of(name.removeprefix("tensor_"))
        figures = () if peak is None else peak.matrix
        if figures:
            share = machine.unit_count(cores) / machine.units.count * machine.scaling.flops
            seconds += flops / (max(figure.value for figure in figures) * share * _MATRIX_SHARE)
    return seconds


def _arithmetic(profile: RegionProfile, found: WarpInstructions, warps: float, machine: Machine, end: End) -> float:
    """Return the cycles that one warp takes for its instructions by itself."""
    assert machine.gpu is not None
    latency = machine.gpu.arithmetic_latency_cycles or _LATENCY
    lanes, doubled = machine.gpu.warp_size, _doubled(machine)
    entered = [
        (count_at(inner.runs, profile.values, end) or 0.0) * _path(inner, latency, doubled)
        for inner in profile.inner_loops
    ]
    straight = (found.total - found.memory - found.fp64) * latency * _PER_INSTRUCTION + found.fp64 * doubled
    return max(sum(entered) / (lanes * found.active), straight) / warps


def _doubled(machine: Machine) -> float:
    """Return the cycles until the result of an fp64 instruction is there: few lanes take long for a warp."""
    assert machine.gpu is not None
    results = _results(dict(machine.units.flops_per_cycle), Precision.FP64, machine)
    return _FP64_LATENCY + machine.gpu.warp_size / results


def _path(inner: InnerLoop, latency: float, doubled: float) -> float:
    """Return the cycles of the operations of one iteration that wait for one another."""
    iteration = inner.iteration
    each = doubled if iteration.precision is ScalarType.FP64 else latency
    called = _of_call(iteration, latency, doubled)
    return sum(
        called if operation in (Operation.CALL, Operation.DIV, Operation.SQRT) else each
        for operation in iteration.vectorization.longest
    )


def _of_call(iteration: PerIteration, latency: float, doubled: float) -> float:
    """Return the cycles of a division or call, on the average of those of an iteration: one chain of its arithmetic."""
    cycles = number = 0.0
    for key, share in iteration.operations.items():
        row = function_of(key)
        if row is not None:
            number += float(share)
            cycles += float(share) * (row.fp32 * latency + row.fp64 * doubled + row.special * _SPECIAL_LATENCY)
    return cycles / number if number else latency
