"""The time to expect, with a range: the code that a compiler is likely to make, and bandwidths of the matching pattern.

Input: a profile, a target, and the bytes of every level.  Output: an :class:`Expected`.

* The core takes, for each innermost loop, the longest of its ports, front end and chains, as in :mod:`.incore`, at the
  width of :class:`~.compilers.Code`; with two instructions of loop control, and calls on top.  A loop inside of
  another costs a misprediction whenever it ends, and iterations one by one that fill no vector.
* The bytes that a level serves, and no level inside it does, move at the bandwidth that was measured with the pattern
  most like the loop (:meth:`~roofline.machine.machine.Machine.bandwidth_of_mix`).  Such a figure has the transfers
  through the levels inside in it, so that the times of the levels add up.
* Both overlap: the longer one is expected.  ``most`` is their sum, nothing overlapping (T_nOL of the ECM model, Stengel
  et al., ICS 2015), ``least`` the bound of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from analyzer.counts.results import InnerLoop, Obstacle, ObstacleKind
from analyzer.domains.quantity import Quantity
from analyzer.ir.values import Operation
from analyzer.profile import RegionProfile

from ..machine.figures import Precision
from ..machine.hardware import Core, MachineKind
from ..machine.units import Time
from .compilers import call_cycles
from .incore import arithmetic_of, division_cycles, latency_of, share_of
from .intensity import value_of
from .least_core import accesses, mean_trip, waited_share
from .level_bytes import LevelBytes, ProjectionOptions, Target

_CONTROL = 2.0  # instructions of an iteration: the counter, and a compare with its branch
_USUAL_WINDOW, _USUAL_WIDTH = 224, 4.0  # of cores that do not state theirs: Skylake's reorder buffer, four instructions
_MISPREDICTED = 13.0  # cycles: of Zen 4 (Agner Fog, The microarchitecture of Intel, AMD and VIA CPUs); Intel 15 to 20
_UNROLLED = 16  # iterations of a loop that is taken to be written out
_INTERLEAVED = 4  # elements: a longer stride is not vectorised
_SUMS = (Operation.ADD, Operation.SUB)
_INTEGERS = (*_SUMS, Operation.MUL, Operation.BITWISE, Operation.SHIFT)


class Expected(Struct, frozen=True):
    """The time to expect, and the range that it is in; ``vectorised`` is whether all innermost loops are."""

    time: Time
    least: Time
    most: Time
    vectorised: bool


def expected_time(profile: RegionProfile, target: Target, served: LevelBytes, least: Time | None) -> Expected | None:
    """Return what a nest is expected to take; None without sizes, and on a machine that is no CPU with core data."""
    machine, options = target.machine, target.options
    if machine.kind is not MachineKind.CPU or machine.core is None or least is None or not profile.inner_loops:
        return None
    cycles = 0.0
    vectorised = True
    for inner in profile.inner_loops:
        runs = value_of(inner.runs.estimate, profile.values)
        found = _Likely(inner, machine.core, options, profile)
        if runs is None or inner.iteration.precision.value not in set(Precision):
            return None
        cycles += runs * found.cycles + _starts(inner, profile) * found.start
        vectorised &= found.lanes > 1
    units = machine.unit_count(options.cores)
    core = cycles / (machine.clock_hz * machine.scaling.flops * units)
    moved = _moving(profile, target, served)
    if moved is None:
        return None
    time = max(core, moved, least.value)
    return Expected(Time(time), least, Time(max(time, core + moved)), vectorised)


def _starts(inner: InnerLoop, profile: RegionProfile) -> float:
    """Return how often a loop inside of another is entered; 0 for one that is alone."""
    starts = value_of(inner.starts.estimate, profile.values)
    return starts if starts is not None and starts > 1 else 0.0


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
    )


def _moving(profile: RegionProfile, target: Target, served: LevelBytes) -> float | None:
    """Return the seconds of all bytes, each at the level that serves it; None where one is not known."""
    machine, cores = target.machine, target.options.cores
    outside = [*served[1:], None]
    seconds = 0.0
    for here, beyond in zip(served[1:], outside[1:], strict=True):
        name, moved = here
        parts = [_value(part, profile) for part in (moved.read, moved.write_allocate, moved.write)]
        further = 0.0 if beyond is None else _value(beyond[1].total, profile)
        if further is None or any(part is None for part in parts):
            return None
        read, allocated, written = (part or 0.0 for part in parts)
        total = read + allocated + written
        if not total:
            continue
        chosen = machine.bandwidth_of_mix(name, (read, allocated, written), cores)
        chosen = chosen or machine.bandwidth(name, cores=cores)
        if chosen is not None:
            seconds += max(0.0, total - further) / chosen.rate.value
    return seconds


def _value(found: Quantity, profile: RegionProfile) -> float | None:
    return value_of(found.estimate, profile.values)


class _Likely:
    """The cycles of one iteration in the code that a compiler is likely to make."""

    def __init__(self, inner: InnerLoop, core: Core, options: ProjectionOptions, profile: RegionProfile) -> None:
        self._core, self._options, self._iteration = core, options, inner.iteration
        self._trip = mean_trip(inner, profile.values)
        bits = options.code.bits(core)
        full = core.lanes_of(inner.iteration.precision.value)
        self.lanes = max(1, full * bits // core.simd_bits)
        if inner.iteration.lanes > 1:
            self.lanes = max(1, int(min(float(inner.iteration.lanes), full)))
        elif self.lanes > 1 and not self._is_vectorised():
            self.lanes = 1
        self._width = core.simd_bits * self.lanes / full

    @property
    def cycles(self) -> float:
        """Return the cycles of the busiest resource, and of calls."""
        return max((*self._ports(), *self._chains()), default=0.0) + self._calls()

    @property
    def start(self) -> float:
        """Return the cycles whenever the loop is entered: its end is mispredicted, and a rest is left of vectors."""
        trip = self._iteration.vectorization.trip
        if trip is not None and trip <= _UNROLLED:
            return 0.0
        rest = 0.0 if self._trip is not None and self._trip % self.lanes == 0 else (self.lanes - 1) / 2
        return _MISPREDICTED + rest * self.lanes * self.cycles

    def _is_vectorised(self) -> bool:
        loop = self._iteration.vectorization
        sums = any(chain.is_reduction and chain.is_floating for chain in loop.chains)
        if sums and not (self._options.reassociate or loop.asserted):
            return False
        return not any(self._hinders(obstacle) for obstacle in loop.obstacles)

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
        core, iteration = self._core, self._iteration
        ports = core.ports(self._width)
        loads, stores = (self._accesses(is_store=is_store) for is_store in (False, True))
        adds, products, total = (float(number) / self.lanes for number in arithmetic_of(iteration))
        for number, per_cycle in (
            (loads, ports.loads_per_cycle),
            (stores, ports.stores_per_cycle),
            (adds, ports.add_per_cycle),
            (products, ports.mul_per_cycle),
            (total, ports.arithmetic_per_cycle),
        ):
            if per_cycle:
                yield number / per_cycle
        yield sum(self._divided(operation) for operation in (Operation.DIV, Operation.SQRT))
        instructions = max(loads, total + self._integers() / self.lanes) + stores + _CONTROL / self.lanes
        yield instructions / (core.issue_width or _USUAL_WIDTH)

    def _accesses(self, *, is_store: bool) -> float:
        """Return the loads or stores of one iteration."""
        steps = [step for step in self._iteration.steps if step.is_store is is_store]
        if self.lanes == 1:
            return sum(float(step.runs) for step in steps)
        whole, single = accesses(steps, self._core)
        return whole * self._core.simd_bits / self._width + single

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
            float(share)
            for key, share in self._iteration.operations.items()
            if key.operation in _INTEGERS and not key.precision.is_float
        )

    def _chains(self) -> Iterator[float]:
        iteration, core = self._iteration, self._core
        instructions = max(1.0, sum(float(step.runs) for step in iteration.steps) + _CONTROL)
        for chain in iteration.vectorization.chains:
            allowed = self._options.reassociate or iteration.vectorization.asserted
            if not chain.is_floating or (allowed and chain.is_reduction):
                continue
            latency = latency_of(chain.operations, chain.addends, core, iteration) / chain.distance
            if chain.restarts:
                latency *= waited_share(self._trip, (core.out_of_order_window or _USUAL_WINDOW) / instructions)
            yield latency

    def _calls(self) -> float:
        vector = self.lanes > 1
        return sum(
            float(share) * call_cycles(key.function, vector=vector)
            for key, share in self._iteration.operations.items()
            if key.operation is Operation.CALL
        )
