"""What instructions cost where a machine does not state it, and accesses that cross lines.

Constants of cores, each with its source, and two functions of :mod:`.cycles` that need nothing of a loop.
"""

from __future__ import annotations

from msgspec.structs import replace

from analyzer.counts.results import Step
from analyzer.ir.values import Operation

from ....machine.figures import Precision
from ....machine.hardware import Core
from ....machine.machine import Machine

_INTEL = "Intel"
ALLOCATED_BYTES = 16  # what ``malloc`` aligns to
_AVX512_BITS = 512  # of Zen 5, and of Zen 4 with units of half of it
_USUAL_ARITHMETIC = 4.0  # cycles of an addition, a product, or both: Skylake (Fog, Instruction tables)
# Cycles of a quotient of one fp64 number, or of two in a vector; a root takes half as long again (Skylake: Fog).
_DIVIDED, _ROOT = 4.0, 1.5
# Elements of a vector gathered in a cycle: Ice Lake 8 in 5 (Fog), Zen 5 8 in 8 (tests.bench.measured).
_GATHERED, _GATHERED_OF = 1.6, {"AMD": 1.0}
# Elements scattered in a cycle: clang's loops of one such store took 1.5 to 1.9 cycles on a Granite Rapids, in vectors
# of four; elsewhere as those gathered.
_SCATTERED_OF = {"Intel": 1 / 1.5}
USUAL_WINDOW = 224  # instructions, of cores that do not state theirs: Skylake's reorder buffer
EACH_GATHERED = 5.0  # instructions of an element (Fog, Zen 4: vgatherqpd)
# Cycles of a store of some elements of a vector without registers of masks (Fog, Zen 3: vmaskmovpd, one in 6; Intel:
# one a cycle).
MASKED_STORE = {"AMD": 6.0}
# Cycles of a store that crosses a line; elsewhere it is two stores (a Granite Rapids: 3.0 in vectors of 128 and 256
# bits, 2.5 in those of 512).
_SPLIT_STORE = {"Intel": 3.0}
# Bytes of the blocks that a store takes a cycle more to cross, elsewhere lines (a Zen 3: stores of 32 bytes take one
# cycle at multiples of 32 and two at others, those of 16 as long at all multiples of 16; AMD, 55723: Zen).
_STORE_BYTES_OF = {"AMD": 32}
# Cycles of a branch that was not predicted: of Zen 4 (Fog); Intel 15 to 20 (Fog; conditions that hold at random in half
# of 35,000 to 200,000 iterations: 16 to 19 on a Granite Rapids).
_MISPREDICTED, _MISPREDICTED_OF = 13.0, {"Intel": 18.0}
# Cycles in which a second predictor, that knows a long history, corrects the first one, which knows the last branches:
# a condition that holds at random in half of 2,000 to 8,000 iterations that come again and again (Zen 3); on a Granite
# Rapids such loops of 250 to 5,000 took 3.5, 3.5 and 2.1 cycles (a sum, positions, either of two stores).
_CORRECTED, _CORRECTED_OF = 2.4, {"Intel": 3.0}
# Branches on data that a predictor knows when they come again: Zen 5 (tests.bench.measured; Zen 2 5,000: Lemire 2019);
# of a Granite Rapids all of 4,000 to 6,000, none of 12,000 (the same three loops).
_LEARNT, _LEARNT_OF = 1 << 15, {"Intel": 6000}
# Issues a cycle of Intel's cores that take an operation and its load apart before where the address has an index, which
# compilers make (Intel, Optimization Reference Manual, "un-lamination"; uops.info: of VEX instructions with a third
# operand on Haswell to Skylake); in the four a cycle of wider ones it is (tests.bench.measured).
_SPLIT_WIDTH = 4
# Instructions of an approximation with one step of Newton's method (``vrcpps``, ``vrsqrtps``), as gcc 12 makes them.
APPROXIMATED = {Operation.DIV: 4.0, Operation.SQRT: 5.0}
# Instructions of a selection: one, or a comparison and a blend (minsd, andpd; cmpsd and blendvpd).
CHOICES = {
    **dict.fromkeys((Operation.MIN, Operation.MAX, Operation.ABS), 1.0),
    Operation.COMPARE: 2.0,
}
# Cycles of a minimum or maximum of floating-point numbers in a chain; elsewhere those of an addition (Fog, Zen 1 to 3).
EXTREME_LATENCY = {"AMD": 1.0}
# The same where Intel has adders of two cycles with its multipliers, which take minima (Golden Cove and Redwood Cove:
# OSACA, and measured).
_FAST_ADDER, _EXTREME_WITH_IT = 2.0, 4.0
# Instructions of an operation on integers: a quotient by a constant is a product, shifts and a sign (Granlund,
# Montgomery, PLDI 1994).
INTEGERS = {
    **dict.fromkeys((Operation.ADD, Operation.SUB, Operation.MUL, Operation.BITWISE, Operation.SHIFT), 1.0),
    Operation.DIV: 4.0,
    Operation.REM: 6.0,
}
# Cycles of these in a chain, others one: a product 3 (Fog, Zen 4 and Skylake); a quotient a product and a shift, a
# remainder also a product and a difference; a minimum a comparison and a selection.
INTEGER_LATENCIES = {
    Operation.MUL: 3.0,
    Operation.DIV: 4.0,
    Operation.REM: 8.0,
    Operation.MIN: 2.0,
    Operation.MAX: 2.0,
}


def approximates(core: Core) -> bool:
    """Return whether compilers take approximations of quotients and roots (``-mrecip`` of x86: GCC manual)."""
    return "AVX" in core.isa or "SSE" in core.isa


def mispredicted_cycles(machine: Machine) -> float:
    """Return the cycles of a branch that was not predicted."""
    return _MISPREDICTED_OF.get(machine.vendor, _MISPREDICTED)


def corrected_cycles(machine: Machine) -> float:
    """Return the cycles in which a branch is predicted from a long history, against its last times."""
    return _CORRECTED_OF.get(machine.vendor, _CORRECTED)


def splits_indexed(machine: Machine) -> bool:
    """Return whether an operation takes an issue of its own beside its load, whose address has an index."""
    core = machine.core
    return machine.vendor == _INTEL and core is not None and (core.issue_width or _SPLIT_WIDTH + 1) <= _SPLIT_WIDTH


def learnt_branches(machine: Machine) -> int:
    """Return how many branches on data are predicted when they come again."""
    return _LEARNT_OF.get(machine.vendor, _LEARNT)


def gathered_per_cycle(machine: Machine) -> float:
    """Return how many elements of vectors are gathered in a cycle."""
    return _GATHERED_OF.get(machine.vendor, _GATHERED)


def scattered_per_cycle(machine: Machine) -> float:
    """Return how many elements of vectors are scattered in a cycle."""
    return _SCATTERED_OF.get(machine.vendor, gathered_per_cycle(machine))


def store_cycles(machine: Machine, whole: float, split: float, per_cycle: float) -> float:
    """Return the cycles of stores, of which some are ``split``: they cross a line."""
    cycles = _SPLIT_STORE.get(machine.vendor, 2 / per_cycle)
    return (whole - split) / per_cycle + split * max(cycles, 2 / per_cycle)


def joined_conversions(machine: Machine, parts: float) -> float:
    """Return how many times as long conversions take whose wider vectors are ``parts`` of a narrower one.

    Intel takes the narrower one apart, or puts it together, on the port that its conversions need too.

    >>> from ....catalog import find_machine
    >>> joined_conversions(find_machine("icelake"), 2), joined_conversions(find_machine("zen4"), 2)
    (1.5, 1.0)
    """
    return 1 + (parts - 1) / parts if machine.vendor == _INTEL else 1.0


def with_usual_costs(core: Core) -> Core:
    """Return a core with the latencies, quotients and roots that it does not state: as Skylake has them (Fog)."""
    lanes = core.lanes_of(Precision.FP64)
    divided = core.div_cycles or max(_DIVIDED, _DIVIDED / 2 * lanes)
    alone = core.div_scalar_cycles or (None if core.div_cycles else _DIVIDED)
    return replace(
        core,
        div_cycles=divided,
        div_scalar_cycles=alone,
        sqrt_cycles=core.sqrt_cycles or _ROOT * divided,
        sqrt_scalar_cycles=core.sqrt_scalar_cycles if core.sqrt_cycles or alone is None else _ROOT * alone,
        fma_latency_cycles=core.fma_latency_cycles or _USUAL_ARITHMETIC,
        add_latency_cycles=core.add_latency_cycles or _USUAL_ARITHMETIC,
        mul_latency_cycles=core.mul_latency_cycles or _USUAL_ARITHMETIC,
    )


def extreme_latency(machine: Machine) -> float | None:
    """Return the cycles of a minimum in a chain, where they differ from those of an addition."""
    core = machine.core
    if core is None:
        return None
    if machine.vendor == _INTEL:
        return _EXTREME_WITH_IT if (core.add_latency_cycles or _USUAL_ARITHMETIC) <= _FAST_ADDER else None
    return EXTREME_LATENCY.get(machine.vendor) if core.simd_bits < _AVX512_BITS else None


def crossing(step: Step, size: float, machine: Machine) -> float:
    """Return the share of the vectors of ``size`` bytes that cross a line: the mean over where an array may start.

    Stores of AMD's cores go into halves of a line.

    Variables start at a line, what is behind a pointer at a multiple of 16 bytes, as ``malloc`` gives it (glibc manual,
    *Malloc Examples*).
    """
    line_bytes = _STORE_BYTES_OF.get(machine.vendor, machine.line_bytes) if step.is_store else machine.line_bytes
    most = min(1.0, size / line_bytes)
    if step.start_bytes is None:
        return most * (1 - step.size_bytes / size)
    starts = range(0, 1 if step.is_aligned else line_bytes, ALLOCATED_BYTES)
    return most * sum(bool((step.start_bytes + start) % size) for start in starts) / len(starts)
