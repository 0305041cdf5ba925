"""The expected time, with a range: the code that a compiler is likely to make, and bandwidths of the matching pattern.

Input: a profile, a target, and the bytes of every level.  Output: an :class:`Expected`.  On a GPU it is that of a
launch (:mod:`.gpu.launch`), with the range that held nine of ten measured launches; the rest of it is about CPUs.

The core takes the cycles of :mod:`.code` for all innermost loops.  Meanwhile data arrive (:mod:`.memory`): bytes at the
bandwidth of the matching pattern, loads that wait for loads at the latency of their level, and lines that data choose
as far as misses overlap.  All of these overlap: the longest is expected.  ``most`` is their sum at the upper ends of
the bytes, nothing overlapping (T_nOL of the ECM model, Stengel et al., ICS 2015), ``least`` the bound of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from math import hypot
from typing import TYPE_CHECKING

from msgspec import Struct

from analyzer.counts.results import InnerLoop
from analyzer.profile import RegionProfile
from analyzer.traffic.results import CacheTraffic

from ...machine.figures import Precision
from ...machine.hardware import MachineKind
from ...machine.units import Time
from ..compilers import Compiler, Simd
from ..intensity import value_of
from ..level_bytes import LevelBytes, ProjectionOptions, Target, upper_ends

if TYPE_CHECKING:
    from .gpu.launch import LaunchTime
    from .gpu.memory import MovedByLevel
    from .memory.jumps import Jump


class Holder(Enum):
    """What a nest on a CPU is expected to wait for, beyond its roof."""

    CORE = "the core"
    BYTES = "bandwidth"
    CHAINS = "loads that wait for one another"
    MISSES = "misses in an order that data choose"
    PAGES = "walks through the table of pages, as the next element is in another page"
    JUMPS = "lines that no prefetcher brings, as the next ones are pages away"


class Expected(Struct, frozen=True):
    """The expected time, and the range that it is in.

    ``vectorised`` is whether all innermost loops of a CPU are; ``launch`` has the parts of a kernel on a GPU.
    ``calls`` are the seconds that functions of the library take on a CPU, those ``called``.  ``held_by`` is what takes
    longest there.
    """

    time: Time
    least: Time
    most: Time
    vectorised: bool = False
    launch: LaunchTime | None = None
    calls: float = 0.0
    called: tuple[str, ...] = ()
    held_by: Holder | None = None

    @property
    def share_of_calls(self) -> float:
        """Return the part of the time that functions of the library take."""
        return min(1.0, self.calls / self.time.value) if self.calls else 0.0


def expected_launch(
    profile: RegionProfile, target: Target, traffic: CacheTraffic, moved: MovedByLevel, least: Time | None
) -> Expected | None:
    """Return what a kernel is expected to take on a GPU; None where sizes or the launch are not known."""
    if least is None:
        return None
    from .gpu.launch import launch_time  # here and below, as reports without sizes expect no time

    found = launch_time(profile, target, traffic, moved)
    if found is None:
        return None
    likely, shortest, longest = found
    time = max(likely.seconds, least.value)
    return Expected(Time(time), Time(max(least.value, shortest)), Time(max(time, longest)), launch=likely)


class _Code(Struct, frozen=True):
    """What a core does of all innermost loops: cycles, those that wait for lines too, and those of the library.

    ``instructions`` are those of one iteration of the innermost loops of the source, on average, and ``stores`` those
    to memory; one that a compiler writes out has those of its iterations.  ``awaited`` are the fewest lines that
    gathers wait for together.
    """

    cycles: float
    stalled: float
    calls: float
    called: tuple[str, ...]
    vectorised: bool
    instructions: float
    stores: float
    awaited: float | None


class _Arrival(Struct, frozen=True):
    """The seconds in which data arrive: at their bandwidth, over walks, past the prefetchers, and those of waiting.

    ``chained`` are loads that wait for loads, ``missed`` lines that data choose.
    """

    streamed: float
    walked: float
    jumped: float
    chained: float
    missed: float

    @property
    def moved(self) -> float:
        """Return the seconds of all lines that the addresses tell in advance."""
        return self.streamed + self.walked + self.jumped


def expected_time(profile: RegionProfile, target: Target, served: LevelBytes, least: Time | None) -> Expected | None:
    """Return what a nest is expected to take; None without sizes, and on a machine that is no CPU with core data.

    The range ends where as many bytes move as may: those of the upper ends, where they have one.
    """
    machine, options = target.machine, target.options
    if machine.kind is not MachineKind.CPU or machine.core is None or least is None or not profile.inner_loops:
        return None
    from .memory.pages import jumps_of_nests

    code = _code_of(profile, target)
    if code is None:
        return None
    jumps = jumps_of_nests(profile, machine)
    arrival = _arrival(profile, target, served, code, jumps)
    if arrival is None:
        return None
    per_s = machine.core_hz(options.cores) * machine.scaling.flops * machine.unit_count(options.cores)
    core, split = code.cycles / per_s, code.stalled / per_s
    time = max(split + hypot(core - split, arrival.moved), arrival.chained, arrival.missed, least.value)
    at_most = upper_ends(served)
    last = arrival if at_most == served else _arrival(profile, target, at_most, code, jumps) or arrival
    most = max(time, core + last.moved + last.chained + last.missed)
    return Expected(
        Time(time),
        least,
        Time(most),
        code.vectorised,
        calls=code.calls / per_s,
        called=code.called,
        held_by=_held_by(core, arrival),
    )


def _arrival(
    profile: RegionProfile, target: Target, served: LevelBytes, code: _Code, jumps: Sequence[Jump]
) -> _Arrival | None:
    """Return in how many seconds the data arrive for all cores; None where bytes are not known."""
    from .memory.arrival import Reach, gathered_seconds, jumped_seconds, served_by_level, waiting
    from .memory.jumps import streams_of
    from .memory.pages import walks_of

    machine = target.machine
    levels = served_by_level(profile, target, served)
    if levels is None:
        return None
    units = machine.unit_count(target.options.cores)
    walks = walks_of(profile, machine, sum(each.scattered_lines for each in levels), jumps)
    walked, jumped = walks.strided_s / units, 0.0
    alone = [jump for jump in jumps if jump.lines_alone]
    if alone and code.instructions:
        streams = list(streams_of(profile, machine.line_bytes))
        jumped = jumped_seconds(machine, levels, alone, streams, Reach(code.instructions, code.stores)) / units
    chained, missed = (seconds / units for seconds in waiting(profile, target, levels, walks.each_s))
    missed += walks.scattered_s / units
    if code.awaited is not None:
        missed = max(missed, walked + gathered_seconds(machine, levels, code.awaited) / units)
    return _Arrival(sum(each.seconds for each in levels), walked, jumped, chained, missed)


def _held_by(core: float, arrival: _Arrival) -> Holder:
    """Return what takes longest; of lines that arrive, what holds them longest."""
    parts = {
        Holder.CORE: core,
        Holder.BYTES: arrival.moved,
        Holder.CHAINS: arrival.chained,
        Holder.MISSES: arrival.missed,
    }
    longest = max(parts, key=lambda part: parts[part])
    if longest is not Holder.BYTES or max(arrival.walked, arrival.jumped) <= arrival.streamed:
        return longest
    return Holder.PAGES if arrival.walked > arrival.jumped else Holder.JUMPS


def _code_of(profile: RegionProfile, target: Target) -> _Code | None:
    """Return what the core does of the innermost loops that a compiler leaves; None where a size is missing."""
    from .code.cycles import likely_loop

    cycles = stalled = calls = instructions = stores = 0.0
    called: dict[str, None] = {}
    vectorised, awaited = True, []
    for inner in _likely_loops(profile, target.options):
        runs = value_of(inner.runs.estimate, profile.values)
        if runs is None or inner.iteration.precision.value not in set(Precision):
            return None
        found = likely_loop(inner, target.machine, target.options, profile)
        cycles += runs * found.cycles + _starts(inner, profile) * found.start
        stalled += runs * found.stalled
        calls += runs * found.calls
        instructions += runs * found.instructions
        stores += runs * sum(float(step.runs) for step in inner.iteration.steps if step.is_store)
        called |= dict.fromkeys(found.called)
        vectorised &= found.lanes > 1
        awaited += [] if found.awaited_lines is None else [found.awaited_lines]
    iterations = sum(value_of(inner.runs.estimate, profile.values) or 0.0 for inner in profile.inner_loops)
    return _Code(
        cycles=cycles,
        stalled=stalled,
        calls=calls,
        called=tuple(called),
        vectorised=vectorised,
        instructions=instructions / iterations if iterations else 0.0,
        stores=stores / iterations if iterations else 0.0,
        awaited=min(awaited) if awaited else None,
    )


def _likely_loops(profile: RegionProfile, options: ProjectionOptions) -> tuple[InnerLoop, ...]:
    """Return the innermost loops that a compiler leaves: gcc writes short ones out at ``-O3`` alone."""
    code = options.code
    keeps = code.compiler is Compiler.GCC and code.simd is Simd.SCALAR
    return profile.inner_loops if keeps or not profile.written_loops else profile.written_loops


def _starts(inner: InnerLoop, profile: RegionProfile) -> float:
    """Return how often a loop is entered."""
    starts = value_of(inner.starts.estimate, profile.values)
    return 1.0 if starts is None else starts


def in_sequence(parts: Iterable[tuple[Expected | None, float]]) -> Expected | None:
    """Return the sum of parts that run one after the other, each with its probability; None where one is not known."""
    known = [(part, share) for part, share in parts if share]
    whole = [(part, share) for part, share in known if part is not None]
    if not whole or len(whole) < len(known):
        return None
    return Expected(
        Time(sum(part.time.value * share for part, share in whole)),
        Time(sum(part.least.value * share for part, share in whole)),
        Time(sum(part.most.value * share for part, share in whole)),
        all(part.vectorised for part, _ in whole),
        calls=sum(part.calls * share for part, share in whole),
        called=tuple(dict.fromkeys(name for part, _ in whole for name in part.called)),
        held_by=max(whole, key=lambda pair: pair[0].time.value * pair[1])[0].held_by,
    )
