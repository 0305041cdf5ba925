"""The cycles in which a core fetches the instructions of an iteration: lines of code, and branches that are taken.

Input: the instructions of an iteration, and how many branches inside it are taken.  Output: cycles.

A core fetches from its cache of decoded instructions what one line of 64 bytes of code has, up to a taken branch, in
each cycle (AMD, *Software Optimization Guide for the AMD Zen 3 Microarchitecture*, 56665: an entry ends with its
line; timed on a Zen 3, loops of 4 to 7 instructions that start at each multiple of 8 bytes: one cycle an
iteration in a line, two across a line).  So a loop of one cycle takes two where it lies across lines.  Where a loop
lies is not known: compilers start it at a multiple of 16 bytes (GCC manual, ``-falign-loops``: ``znver3`` and
``generic``), and the mean over the four starts in a line is expected.  Zen 1 and 2 take a branch in every other cycle.
Intel's cores hold small loops behind the front end, but not those of Skylake, whose loop buffer is switched off (Intel,
erratum SKL150): these take what a block of 32 bytes has in a cycle.  Sandy and Ivy Bridge do not issue the end of an
iteration with the start of the next.  Of branches that are taken one goes in a cycle (all of this: Fog, The
microarchitecture of Intel, AMD and VIA CPUs).
"""

from __future__ import annotations

from math import ceil

from ....machine.machine import Machine
from .compiled import CONTROL

_LINE_BYTES, _START_BYTES = 64, 16  # of code, see above
_INSTRUCTION_BYTES = 4.5  # with an address of two registers (the loops of tests.bench.measured: 4 to 5 at -O2)
_CONTROL_BYTES = 9  # an addition of 1 (4), a comparison (3), a branch (2): Intel SDM
_TWO_LINES = 8  # instructions a cycle of cores that fetch two lines (Zen 5: 58455)
_HELD = 28  # instructions of the loop buffer of Sandy and Ivy Bridge (Fog)


def _fetched_bytes(machine: Machine) -> int | None:
    """Return the bytes of the block of code that a core fetches in a cycle; None where loops are held or run ahead."""
    core = machine.core
    if core is None:
        return None
    is_line = machine.vendor == "AMD" and (core.issue_width or 0) < _TWO_LINES
    return _LINE_BYTES if is_line else core.fetch_bytes


def fetched_cycles(machine: Machine, busiest: float, instructions: float, taken: float) -> float:
    """Return the cycles of one round of a loop that is otherwise ``busiest``: the mean over where it may lie.

    ``instructions`` are without those that control the loop, ``taken`` the branches inside it that are taken.
    """
    core, block = machine.core, _fetched_bytes(machine)
    if core is None:
        return busiest
    if core.loops_restart_issue and core.issue_width and instructions <= _HELD:
        busiest = max(busiest, ceil((instructions + CONTROL) / core.issue_width))
    if core.taken_branch_cycles:
        busiest = max(busiest, (taken + 1) * core.taken_branch_cycles)
    if machine.vendor == "Intel" and taken:
        busiest = max(busiest, taken + 1)
    if block is None:
        return busiest
    size = instructions * _INSTRUCTION_BYTES + _CONTROL_BYTES
    starts = range(0, block, _START_BYTES)
    return sum(max(busiest, taken + ceil((start + size) / block)) for start in starts) / len(starts)
