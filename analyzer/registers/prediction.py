"""Registers of a thread, as ``ptxas`` is likely to allocate them.

Input: a kernel lowered without a launch.  Output: :class:`~..ir.launches.Registers` for each kind of machine, or
none where nothing can be said.

A machine has a number of *free* registers: so many may a thread have with all threads of a multiprocessor resident (32
where 65536 registers are those of 2048 threads, 40 of 1536, 64 of 1024).  ptxas spends them: it unrolls loops, puts
loads early and does not use the registers of a load or a store again at once, as long as that takes no more than the
free ones.  Beyond them it keeps the order of the source.  So the prediction is the most registers that live values take
(:mod:`.liveness`) in one order or the other, and a few that every kernel has.

The constants are those of nvcc 13.0 for sm_86, chosen on one half of public programs (149 kernels of 58; ``python -m
tests.bench.gpu_registers``); the interval is what 95 of 100 kernels of another draw of that half (215 of 57) were in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, floor

from msgspec import Struct
from msgspec.structs import replace

from ..ir.launches import Launch, Registers
from ..ir.nodes import Region, Statement
from ..ir.passes.unrolled import unrolled
from ..ir.traverse import all_nodes
from ..ir.values import Apply, Operation, walk_values
from ..traffic.register_arrays import with_register_arrays
from .liveness import most_live
from .schedule import scheduled, spread_out
from .scopes import TooLargeError
from .selection import Selection
from .unrolling import Unrolling

_OF_EVERY_KERNEL = 4  # the stack pointer, two that ptxas sets aside, one for pairs that must be aligned
_OF_LOOPS = 1  # the next value of a counter, beside that of this iteration
_LEAST = 8
_MOST = 255
_OF_CALL = 24  # what the calling convention takes of a kernel that calls a function: 24 of `printf` alone
_UNROLLED = Unrolling(4, 132)  # by nvcc
_UNROLLED_FURTHER = Unrolling(16, 210)  # by ptxas itself, as far as it goes with the free registers
_LOW, _HIGH = 0.65, 2.0  # of the prediction: 95 of 100 kernels are within


class Pressure(Struct, frozen=True):
    """The registers that live values take at the most: in the order of the source, with loads early, and spread out."""

    ordered: int
    early: int
    spread: int
    loops: bool
    calls: bool


def predicted_registers(kernel: Region, free: Iterable[int]) -> Mapping[int, Registers]:
    """Return the registers of a thread by the free ones.

    There are none for kernels with products of matrices, and for very large ones.
    """
    if not kernel.body or _has_tensors(kernel):
        return {}
    try:
        pressure = _pressure(with_register_arrays(unrolled(kernel)))
    except TooLargeError:
        return {}
    return {each: _with_interval(_likely(pressure, each)) for each in free}


def with_prediction(region: Region, found: Mapping[int, Registers]) -> Region:
    """Return a kernel with the registers that are predicted, where the user does not give them."""
    launch: Launch | None = region.launch
    if launch is None or launch.registers is not None or not found:
        return region
    return replace(region, launch=replace(launch, predicted_registers=tuple(sorted(found.items()))))


def _pressure(kernel: Region) -> Pressure:
    first = Selection(kernel, _UNROLLED)
    code = first.code_of(kernel.body)
    early = scheduled(code)
    spread = most_live(spread_out(early))
    if first.streams:
        spread = max(spread, _further(kernel))
    return Pressure(most_live(code), most_live(early), spread, first.loops, first.calls)


def _likely(pressure: Pressure, free: int) -> int:
    others = _OF_EVERY_KERNEL + (_OF_LOOPS if pressure.loops else 0)
    found = pressure.ordered + others
    if found <= free:
        found = max(found, min(free, max(pressure.early, pressure.spread) + others))
    return min(_MOST, max(found, _LEAST, _OF_CALL if pressure.calls else 0))


def _with_interval(likely: int) -> Registers:
    return Registers(likely, max(_LEAST, floor(_LOW * likely)), min(_MOST, ceil(_HIGH * likely)))


def _further(kernel: Region) -> int:
    try:
        return most_live(spread_out(scheduled(Selection(kernel, _UNROLLED_FURTHER).code_of(kernel.body))))
    except TooLargeError:
        return _MOST


def _has_tensors(kernel: Region) -> bool:
    nodes = (node for node in all_nodes(kernel.body) if isinstance(node, Statement))
    parts = (part for node in nodes for part in walk_values(node.value) if isinstance(part, Apply))
    return any(part.operation is Operation.TENSOR for part in parts)
