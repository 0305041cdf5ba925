"""Registers of a thread, as ``ptxas`` is likely to allocate them.

Input: a kernel lowered without a launch.  Output: :class:`~..ir.launches.Registers`, or None where nothing can be said.

The most registers that live values take (:mod:`.liveness`), and a few that every kernel has.  ptxas puts loads early as
long as that takes no more than 32 registers, with which any kernel has all threads of a multiprocessor resident; beyond
it keeps the order of the source, and uses whole portions of 8.  It unrolls loops further while there is room.

The constants are those of nvcc 13.0 for sm_80, chosen on one half of public programs (``python -m
tests.bench.gpu_registers``); the interval is what 90 of 100 kernels of that half were in.
"""

from __future__ import annotations

from math import ceil, floor

from msgspec.structs import replace

from ..ir.launches import Launch, Registers
from ..ir.nodes import Region, Statement
from ..ir.passes.unrolled import unrolled
from ..ir.traverse import all_nodes
from ..ir.values import Apply, Operation, walk_values
from ..traffic.register_arrays import with_register_arrays
from .liveness import most_live
from .schedule import scheduled
from .scopes import TooLargeError
from .selection import Selection, Unrolling

_OF_EVERY_KERNEL = 4  # the stack pointer, pairs that must be aligned, values that overlap by an instruction
_LEAST = 8
_MOST = 255
_FREE = 32  # 65536 registers of 2048 threads
_KEPT_AT_FREE = 37  # up to here they fit into 32: of 676 kernels 31 have 32, and none has 33 to 37
_TOGETHER = 8
_OF_CALL = 24  # what the calling convention takes of a kernel that calls a function: 24 of `printf` alone
_UNROLLED = Unrolling(4, 60)
_UNROLLED_FURTHER = Unrolling(16, 120)  # by ptxas itself, as far as it goes with 32 registers
_LOW, _HIGH = 0.69, 1.68  # of the prediction: 5 and 95 of 100 kernels


def predicted_registers(kernel: Region) -> Registers | None:
    """Return the registers of a thread; None for kernels with products of matrices, and for very large ones."""
    if not kernel.body or _has_tensors(kernel):
        return None
    body = with_register_arrays(unrolled(kernel))
    try:
        likely = _likely(body)
    except TooLargeError:
        return None
    return Registers(likely, max(_LEAST, floor(_LOW * likely)), min(_MOST, ceil(_HIGH * likely)))


def with_prediction(region: Region, found: Registers | None) -> Region:
    """Return a kernel with the registers that are predicted, where the user does not give them."""
    launch: Launch | None = region.launch
    if launch is None or launch.registers is not None or found is None:
        return region
    return replace(region, launch=replace(launch, predicted_registers=found))


def _likely(kernel: Region) -> int:
    first = Selection(kernel, _UNROLLED)
    code = first.code_of(kernel.body)
    live = most_live(scheduled(code))
    if first.streams and live + _OF_EVERY_KERNEL < _FREE:
        live = max(live, min(_FREE - _OF_EVERY_KERNEL, _further(kernel)))
    found = live + _OF_EVERY_KERNEL
    if found > _FREE:
        found = max(_FREE, most_live(code) + _OF_EVERY_KERNEL)
    if _FREE < found <= _KEPT_AT_FREE:
        found = _FREE
    if found > _FREE:
        found = _TOGETHER * floor((found + _TOGETHER - 3) / _TOGETHER)
    return min(_MOST, max(found, _LEAST, _OF_CALL if first.calls else 0))


def _further(kernel: Region) -> int:
    try:
        return most_live(scheduled(Selection(kernel, _UNROLLED_FURTHER).code_of(kernel.body)))
    except TooLargeError:
        return _FREE


def _has_tensors(kernel: Region) -> bool:
    nodes = (node for node in all_nodes(kernel.body) if isinstance(node, Statement))
    parts = (part for node in nodes for part in walk_values(node.value) if isinstance(part, Apply))
    return any(part.operation is Operation.TENSOR for part in parts)
