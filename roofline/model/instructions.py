"""The instruction roofline: how many instructions a region has at least, and how many a machine starts.

``GIPS <= min(peak GIPS, GTXN/s * instruction intensity)`` (Ding and Williams, *An Instruction Roofline Model for GPUs*,
PMBS 2019, equation 3): the peak is units x schedulers x instructions per cycle x clock, of a CPU cores x width of the
front end x clock; a level delivers its bandwidth over the bytes of a transaction (a sector of a GPU, all banks of its
shared memory, a line of a CPU); the intensity is instructions per transaction.  Those of a GPU are of warps.

* Requests to memory, and floating-point and integer instructions over the threads of a warp, or over the lanes of a
  vector; subscripts, branches and divergence come on top: a lower bound.
* The integer ceiling is that of the INT32 units.  Products and additions may also run on units that multiply and add,
  where a machine states them; bitwise operations may not.
* Where instructions of all kinds take no longer than the integers among them, but for a few, the integers are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from analyzer.ir.types import ScalarType
from analyzer.profile import RegionProfile
from analyzer.traffic.results import Request

from ..machine.machine import Machine
from ..machine.units import InstructionRate, TransactionRate
from .core.ceilings import CeilingName, ChainCeiling, InstructionCeiling
from .core.incore import varying
from .core.integers import (
    bitwise_instructions,
    fewest_instructions,
    integers_of,
    integers_per_cycle,
    lanes_of,
    narrowest_bytes,
)
from .core.least_core import instructions_of
from .gpu.requests import transaction_bytes
from .intensity import value_of
from .levels import LevelBound

_HALVES = (ScalarType.FP16, ScalarType.BF16)
OF_PAIR = 2  # halves or bfloats in one register: one instruction is for both (PTX ISA, fma.f16x2)

_A_FEW = 1.05  # times as long: so near the ceiling of integers is named rather than another; a choice of words alone


class InstructionMix(Struct, frozen=True):
    """The fewest instructions of a region: accesses to memory, floating-point and integer arithmetic."""

    memory: float
    floating: float
    integer: float

    @property
    def total(self) -> float:
        """Return all of them."""
        return self.memory + self.floating + self.integer


class LevelTransactions(Struct, frozen=True):
    """Transactions between a level and the next one inside, those that it delivers per second, and what follows.

    ``intensity`` is in instructions per transaction, and ``attainable`` the instructions per second that it allows.
    """

    level: str
    bytes_each: int
    number: float
    rate: TransactionRate
    intensity: float
    attainable: InstructionRate


class InstructionRoof(Struct, frozen=True):
    """The peak of the instruction roofline with a region's instructions, None where they are not known.

    ``ceilings`` are what they need: the integer units, and the start of all instructions.  Of several regions that run
    one after the other, they are those of the longest.
    """

    peak: InstructionRate
    mix: InstructionMix | None
    ceilings: tuple[InstructionCeiling, ...] = ()
    transactions: tuple[LevelTransactions, ...] = ()
    of_warps: bool = False

    @property
    def holding(self) -> InstructionCeiling | None:
        """Return what takes longest; the integer units where all instructions take hardly longer."""
        longest = max(self.ceilings, key=lambda found: found.seconds, default=None)
        if longest is None or not longest.seconds:
            return None
        near = [found for found in self.ceilings if found.seconds * _A_FEW >= longest.seconds]
        integers = [found for found in near if found.name is CeilingName.INTEGER]
        return integers[0] if integers else longest

    @property
    def attainable(self) -> InstructionRate | None:
        """Return the least of the peak and what the transactions of each level allow; None without instructions."""
        if self.mix is None or not self.mix.total:
            return None
        return min((self.peak, *(found.attainable for found in self.transactions)), key=lambda rate: rate.value)


def instruction_roof(
    profile: RegionProfile, requests: Sequence[Request], machine: Machine, cores: int | None
) -> InstructionRoof | None:
    """Return the instruction roofline of a machine; None where it does not state how many instructions it starts."""
    peak = machine.instruction_rate(cores)
    if peak is None:
        return None
    of_warps = machine.gpu is not None
    mix = _of_warps(profile, requests, machine) if of_warps else _of_core(profile, machine)
    if mix is None:
        return InstructionRoof(peak, None, of_warps=of_warps)
    integers = _warp_integers(profile, machine, cores) if of_warps else _core_integers(profile, machine, cores)
    issue = InstructionCeiling(CeilingName.ISSUE, mix.total, peak)
    ceilings = (issue,) if integers is None else (integers, issue)
    return InstructionRoof(peak, mix, ceilings, of_warps=of_warps)


def held_by(roof: InstructionRoof | None, chain: ChainCeiling | None) -> InstructionCeiling | ChainCeiling | None:
    """Return what holds a kernel on a GPU: its instructions, or the longest chain of one thread."""
    instructions = roof.holding if roof is not None and roof.of_warps else None
    known = [each for each in (instructions, chain) if each is not None]
    return max(known, key=lambda each: each.seconds, default=None)


def with_transactions(
    roof: InstructionRoof | None, levels: Sequence[LevelBound], machine: Machine, values: Mapping[str, int]
) -> InstructionRoof | None:
    """Return the roofline with the transactions of each level whose bytes are known numbers."""
    if roof is None or roof.mix is None:
        return roof
    found = []
    for level in levels:
        size, each = value_of(level.bytes.estimate, values), _bytes_each(machine, level.level)
        if size and each:
            rate = level.bandwidth.rate.transactions(each)
            found.append(_transactions(level.level, each, size / each, rate, roof))
    return replace(roof, transactions=tuple(found))


def one_after_another(roofs: Sequence[tuple[InstructionRoof | None, float]]) -> InstructionRoof | None:
    """Return the roofline of parts that run one after the other, each with its share; None where one has none."""
    known = [(roof, roof.mix, share) for roof, share in roofs if roof is not None and roof.mix is not None]
    if not known or len(known) < len(roofs):
        return None
    first, _, _ = known[0]
    memory, floating, integer = (
        sum(share * number for (_, mix, share), number in zip(known, numbers, strict=True))
        for numbers in zip(*((mix.memory, mix.floating, mix.integer) for _, mix, _ in known), strict=True)
    )
    whole = InstructionRoof(first.peak, InstructionMix(memory, floating, integer), of_warps=first.of_warps)
    moved: dict[str, list[tuple[LevelTransactions, float]]] = {}
    for roof, _, share in known:
        for level in roof.transactions:
            moved.setdefault(level.level, []).append((level, share))
    transactions = [
        _transactions(name, parts[0][0].bytes_each, number, parts[0][0].rate, whole)
        for name, parts in moved.items()
        if (number := sum(share * part.number for part, share in parts))
    ]
    return replace(whole, transactions=tuple(transactions))


def _transactions(
    level: str, bytes_each: int, number: float, rate: TransactionRate, roof: InstructionRoof
) -> LevelTransactions:
    intensity = roof.mix.total / number if roof.mix is not None else 0.0
    attainable = InstructionRate(min(roof.peak.value, rate.value * intensity))
    return LevelTransactions(level, bytes_each, number, rate, intensity, attainable)


def _bytes_each(machine: Machine, level: str) -> int | None:
    return machine.transaction_bytes(level) if machine.gpu is None else transaction_bytes(machine, level)


def _of_warps(profile: RegionProfile, requests: Sequence[Request], machine: Machine) -> InstructionMix | None:
    """Return the instructions of warps that a kernel has at least; None where its requests are not known."""
    floating, integer = _fewest_floating(profile), _integers(profile)
    if machine.gpu is None or not requests or floating is None:
        return None
    asked = sum(request.requests / request.iterations for request in requests if request.is_certain)
    lanes = machine.gpu.warp_size
    return InstructionMix(asked, floating / lanes, integer / lanes)


def _fewest_floating(profile: RegionProfile) -> float | None:
    """Return the fewest floating-point instructions of threads: numbers of half precision may be two in one of them."""
    every = value_of(profile.work.flop_instructions.lower, profile.values)
    if every is None:
        return None
    together = 0.0
    for key, number in profile.work.operations.items():
        if key.precision in _HALVES:
            most = None if number.upper is None else value_of(number.upper, profile.values)
            together += every if most is None else most
    return every - min(every, together) / OF_PAIR


def _integers(profile: RegionProfile) -> float:
    """Return the fewest integer instructions of all innermost iterations whose number is known."""
    runs = [(value_of(inner.runs.lower, profile.values), inner.least) for inner in profile.inner_loops]
    return sum(number * fewest_instructions(varying(least)) for number, least in runs if number is not None)


def _warp_integers(profile: RegionProfile, machine: Machine, cores: int | None) -> InstructionCeiling | None:
    """Return what integer operations take: bitwise ones in the INT32 units, all of them there and in multipliers."""
    gpu = machine.gpu
    rate = machine.integer_rate(cores)
    if gpu is None or gpu.int32_per_cycle is None or rate is None:
        return None
    runs = [(value_of(inner.runs.lower, profile.values), inner.least) for inner in profile.inner_loops]
    bits = sum(number * bitwise_instructions(varying(least)) for number, least in runs if number is not None)
    units = gpu.int32_per_cycle + (gpu.int32_multiply_per_cycle or 0.0)
    every = InstructionCeiling(CeilingName.INTEGER, _integers(profile) / gpu.warp_size, rate)
    part = InstructionRate(rate.value * gpu.int32_per_cycle / units)
    alone = InstructionCeiling(CeilingName.INTEGER, bits / gpu.warp_size, part)
    return max(every, alone, key=lambda found: found.seconds)


def _of_core(profile: RegionProfile, machine: Machine) -> InstructionMix | None:
    """Return the instructions of a core for all innermost iterations; None where their number is not known."""
    core = machine.core
    runs = [value_of(inner.runs.lower, profile.values) for inner in profile.inner_loops]
    if core is None or not runs:
        return None
    mix = [0.0, 0.0, 0.0]
    for number, inner in zip(runs, profile.inner_loops, strict=True):
        if number is None:
            return None
        for position, each in enumerate(instructions_of(inner, core)):
            mix[position] += number * each
    return InstructionMix(*mix)


def _core_integers(profile: RegionProfile, machine: Machine, cores: int | None) -> InstructionCeiling | None:
    """Return what the integer units of the cores take; None where a machine does not state them."""
    core, number, cycles = machine.core, 0.0, 0.0
    for inner in profile.inner_loops:
        size, runs = narrowest_bytes(inner.least), value_of(inner.runs.lower, profile.values)
        per_cycle = None if core is None else integers_per_cycle(core, size)
        if core is None or per_cycle is None or runs is None:
            return None
        number += runs * integers_of(inner.least) / lanes_of(core, size)
        cycles += runs * integers_of(inner.least) / per_cycle
    if not cycles:
        return None
    per_s = machine.unit_count(cores) * machine.clock_hz * machine.scaling.flops
    return InstructionCeiling(CeilingName.INTEGER, number, InstructionRate(number / cycles * per_s))
