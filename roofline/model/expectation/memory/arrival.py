"""How long data take to arrive: bytes at the bandwidth of their pattern, loads that wait for loads, misses in flight.

Input: a profile, a target, and the bytes of every level.  Output: seconds, of each kind.

* The bytes that a level serves, and no level inside it does, move at the bandwidth that was measured with the pattern
  most like the loop (:meth:`~roofline.machine.machine.Machine.bandwidth_of_mix`).  Such a figure has the transfers
  through the levels inside in it, so that the times of the levels add up.
* A load that waits for the load before it takes the latency of the level that serves it.
* Of elements that data choose, no prefetcher knows the next: as many lines are on their way as a core has buffers for
  misses (Little's law: latency times lines over the lines in flight).  Lines of such elements are those that a level
  serves and that no element in order asks for.
* Nor does a prefetcher follow a reference that jumps by pages (:mod:`.jumps`): its lines overlap as far as the reorder
  buffer reaches, which in short pieces of rows is no further than the next piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd, inf

from msgspec import Struct

from analyzer.counts.results import InnerLoop
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity

from ....machine.machine import Machine
from ...compilers import Compiler
from ...intensity import value_of
from ...level_bytes import LevelBytes, MovedBytes, Target
from ..code.costs import USUAL_WINDOW
from .jumps import Jump, Stream

# Cycles to extend the sign of an int, and to scale it in an address (Fog, The microarchitecture of ...); loads of Intel
# extend signs (a chain through ints: 6 cycles on a Granite Rapids, one through pointers 5).
_INDEXED_CYCLES, _INDEXED_CYCLES_OF = 2.0, {"Intel": 1.0}
_IN_FLIGHT = 12  # lines: Skylake's line fill buffers (Intel 64 and IA-32 Architectures Optimization Reference Manual)
_IN_FLIGHT_OF = {"AMD": 24}  # of L1 (Software Optimization Guide for the AMD Zen 4 Microarchitecture, 57647)
# Stores that wait for their lines, in order: Skylake (Intel optimization manual), Zen 3 (Software Optimization Guide
# for the AMD Family 19h Processors, 56665).
_STORES, _STORES_OF = 56, {"AMD": 64}
# Times as long that a buffer is taken, where a line on its way is asked for again, or replaces others of its set (a
# Zen 3: 32 rows side by side in memory, each line once or for all of its elements: 1.9 to 2.4 times; 256 lines, 4,096
# or 8,192 bytes apart over as many 64 further: 2.1 times from L2, 2.6 from L3, 2.0 from memory).
_AGAIN_OF = {"AMD": 2.0}
# Of the latency of L2, at least, that a line takes that replaces others of its set (1.5 ns from L2, 2.7 ns from L3).
_REPLACED = 0.5
# Of the latency of L2, that a store to a line takes which others of its set have replaced, since it was asked for when
# the store was issued (the same lines on a Zen 3: 7 ns from L2, 5.1 ns from L3, over 4.1 ns of L2).
_STORED_AGAIN = 1.4


class Served(Struct, frozen=True):
    """What one level serves and no level inside it does: lines that are read, read or stored to, and scattered."""

    level: str
    seconds: float
    read_lines: float
    lines: float
    scattered_lines: float


def served_by_level(profile: RegionProfile, target: Target, served: LevelBytes) -> list[Served] | None:
    """Return what each level outside of the innermost one serves; None where bytes are not known."""
    line_bytes = target.machine.line_bytes
    in_order = sum(_bytes_in_order(inner, profile, line_bytes) for inner in profile.inner_loops)
    found: list[Served] = []
    outside = [*served[1:], None]
    for here, beyond in zip(served[1:], outside[1:], strict=True):
        name, moved = here
        parts = [_value(part, profile) for part in (moved.read, moved.write_allocate, moved.write)]
        further = 0.0 if beyond is None else _value(beyond[1].total, profile)
        read_beyond = 0.0 if beyond is None else _value(beyond[1].read, profile) or 0.0
        lines = _scattered(moved, profile, in_order) / line_bytes
        lines_beyond = 0.0 if beyond is None else _scattered(beyond[1], profile, in_order) / line_bytes
        if further is None or any(part is None for part in parts):
            return None
        read, allocated, written = (part or 0.0 for part in parts)
        seconds = _seconds(target, name, (read, allocated, written), further)
        own = max(0.0, read - read_beyond) / line_bytes
        come = 0.0 if beyond is None else read_beyond + (_value(beyond[1].write_allocate, profile) or 0.0)
        all_own = max(0.0, read + allocated - come) / line_bytes
        found.append(Served(name, seconds, own, all_own, max(0.0, lines - lines_beyond)))
    return found


def waiting(profile: RegionProfile, target: Target, served: list[Served], walk_s: float = 0.0) -> tuple[float, float]:
    """Return the seconds of loads that wait for loads, and those of lines that data choose, as far as these overlap.

    A load that the first cache does not serve takes ``walk_s`` longer for the translation of its address, in the mean.
    The least element so far is loaded again and again by gcc, as a selection moves its position; LLVM holds it.
    """
    machine, loads_again = target.machine, target.options.code.compiler is Compiler.GCC
    lines = sum(each.scattered_lines for each in served)
    loads = sum(_scattered_loads(inner, profile) for inner in profile.inner_loops)
    outside = sum(each.scattered_lines * _latency(machine, each.level) for each in served)
    translated = lines * walk_s
    innermost = _latency(machine, machine.levels[0].name) if machine.levels else 0.0
    mean = (outside + translated + max(0.0, loads - lines) * innermost) / max(loads, lines) if loads else innermost
    indexed = _INDEXED_CYCLES_OF.get(machine.vendor, _INDEXED_CYCLES) / machine.clock_hz
    chained = sum(
        _runs(inner, profile) * max((each.loads * (mean + indexed * each.is_indexed) for each in pursued), default=0.0)
        for inner in profile.inner_loops
        for pursued in ([each for each in inner.iteration.vectorization.pursuits if loads_again or not each.is_chosen],)
    )
    return chained, outside / in_flight(machine)


def gathered_seconds(machine: Machine, levels: list[Served], together: float) -> float:
    """Return the seconds in which lines arrive that gathers wait for, so many together."""
    waited = sum(each.read_lines * _latency(machine, each.level) for each in levels)
    return waited / min(together, in_flight(machine))


def jumped_seconds(
    machine: Machine, levels: Sequence[Served], jumps: Sequence[Jump], streams: Sequence[Stream], code: Reach
) -> float:
    """Return how much longer than at their bandwidth the lines take that no prefetcher brings.

    The ``jumps`` have the lines of each level that the ``streams`` do not ask for.  As many of them are on their way as
    the ``code`` reaches, the iterations that one line is for at a time; those of jumps in step come together.
    """
    longer = 0.0
    for level in levels:
        if not level.lines:
            continue
        capacity = _capacity_inside(machine, level.level)
        lines = _lines_of_jumps(level.lines, capacity, len(jumps), streams, machine.line_bytes)
        latency, own_s = _latency(machine, level.level), level.seconds / level.lines
        for jump in jumps:
            in_step = sum(other.per_line == jump.per_line for other in jumps)
            buffers = in_flight(machine) / _times_as_long(jump, machine)
            together = max(1.0, min(buffers, in_step * _lines_reached(jump, code.iterations(machine))))
            waited = _replaced_s(jump, machine, latency / together)
            longer += jump.lines_alone * lines * max(0.0, waited - own_s)
    return longer


class Reach(Struct, frozen=True):
    """What the iterations of the innermost loops take of the buffers of a core: instructions, and stores among them."""

    instructions: float
    stores: float

    def iterations(self, machine: Machine) -> float:
        """Return how many iterations are on their way at once."""
        assert machine.core is not None
        window = machine.core.out_of_order_window or USUAL_WINDOW
        stores = _STORES_OF.get(machine.vendor, _STORES)
        return min(window / self.instructions, stores / self.stores if self.stores else inf)


def _lines_reached(jump: Jump, iterations: float) -> float:
    """Return the new lines of so many iterations: all of a turn at its start, then none until the last visit."""
    reached = iterations / jump.per_line
    return max(min(reached, jump.in_turn), reached / jump.visits)


def _capacity_inside(machine: Machine, name: str) -> int:
    """Return the bytes of the cache inside a level, or inside memory."""
    names = [level.name for level in machine.levels]
    return machine.levels[(names.index(name) if name in names else len(names)) - 1].capacity_bytes


def _lines_of_jumps(lines: float, capacity: int, jumps: int, streams: Sequence[Stream], line_bytes: int) -> float:
    """Return those of the ``lines`` of a level that one of the jumps asks for, where the cache inside holds so much.

    Of a stream that the cache inside holds, each line comes once.
    """
    of_streams = sum(min(s.lines, s.extent_bytes / line_bytes if s.extent_bytes <= capacity else inf) for s in streams)
    return max(0.0, lines - of_streams) / jumps


def _times_as_long(jump: Jump, machine: Machine) -> float:
    """Return how many times as long as a line that is asked for once a line of a jump has a buffer for misses."""
    again = jump.visits > 1 or _in_one_set(jump, machine)
    return _AGAIN_OF.get(machine.vendor, 1.0) if again else 1.0


def _replaced_s(jump: Jump, machine: Machine, waited_s: float) -> float:
    """Return the seconds of a line that waits so long, where those on their way replace others of its set.

    A store whose line others have replaced before its turn comes waits for it again.
    """
    if not _in_one_set(jump, machine) or len(machine.levels) < 2:
        return waited_s
    again = _latency(machine, machine.levels[1].name)
    if jump.is_stored_only:
        return max(waited_s, _STORED_AGAIN * again)
    return max(waited_s, _REPLACED * again) + jump.is_stored * _STORED_AGAIN * again


def _in_one_set(jump: Jump, machine: Machine) -> bool:
    """Return whether the lines on their way are more than the sets of the first cache hold that they fall in."""
    first = machine.levels[0]
    if not first.ways or jump.step_bytes % machine.line_bytes:
        return False
    sets = first.capacity_bytes // first.ways // machine.line_bytes
    held = sets // gcd(sets, int(jump.step_bytes) // machine.line_bytes) * first.ways
    return held < min(jump.in_turn, in_flight(machine))


def in_flight(machine: Machine) -> float:
    """Return the lines that a core may have on their way."""
    return _IN_FLIGHT_OF.get(machine.vendor, _IN_FLIGHT)


def _latency(machine: Machine, name: str) -> float:
    """Return the seconds of a load from a level; where it states none, those of the level inside it."""
    found = 0.0
    for level in machine.levels:
        found = machine.latency_s(level.name) or found
        if level.name == name:
            return found
    return machine.latency_s(machine.memory.name) or found


def _seconds(target: Target, name: str, mix: tuple[float, float, float], further: float) -> float:
    """Return the seconds of the bytes of a level without those that come from further outside."""
    machine, cores, total = target.machine, target.options.cores, sum(mix)
    past = target.options.nontemporal and name == machine.memory.name
    if not total:
        return 0.0
    chosen = machine.bandwidth_of_mix(name, mix, cores, past_caches=past) or machine.bandwidth(name, cores=cores)
    return 0.0 if chosen is None else max(0.0, total - further) / chosen.rate.value


def _scattered(moved: MovedBytes, profile: RegionProfile, in_order: float) -> float:
    """Return the bytes of the lines that a level serves for loads of elements that data choose."""
    if not any(step.is_indirect for inner in profile.inner_loops for step in inner.iteration.steps):
        return 0.0
    read = sum(_value(part, profile) or 0.0 for part in (moved.read, moved.write_allocate))
    return max(0.0, read - in_order)


def _bytes_in_order(inner: InnerLoop, profile: RegionProfile, line_bytes: int) -> float:
    """Return the bytes that a loop goes through in the order of its iterations."""
    steps = [step for step in inner.iteration.steps if not step.is_indirect]
    width = sum(float(step.runs) * min(abs(step.stride_bytes or 0), line_bytes) for step in steps)
    return _runs(inner, profile) * width


def _scattered_loads(inner: InnerLoop, profile: RegionProfile) -> float:
    steps: Iterator[float] = (float(step.runs) for step in inner.iteration.steps if step.is_indirect)
    return _runs(inner, profile) * sum(steps)


def _runs(inner: InnerLoop, profile: RegionProfile) -> float:
    return value_of(inner.runs.estimate, profile.values) or 0.0


def _value(found: Quantity, profile: RegionProfile) -> float | None:
    return value_of(found.estimate, profile.values)
