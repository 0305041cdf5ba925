"""Block sizes that host code asks the runtime for: the most threads in flight on the multiprocessors of the machine.

A multiprocessor holds as many blocks as its threads, block slots and shared memory allow.  Registers of a kernel are
the compiler's: that they do not limit is taken, and reported with the size (AI321).

Reference: ``cuda_occupancy.h`` of the CUDA toolkit (``cudaOccMaxPotentialOccupancyBlockSize``): block sizes from the
largest downwards in steps of a warp; the first with the most threads in flight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...surface import nodes as sx
from ..state import HostState
from ..values import Reference, Value, as_integer
from .devices import properties_known

POTENTIAL = frozenset({"cudaOccupancyMaxPotentialBlockSize", "hipOccupancyMaxPotentialBlockSize"})
ACTIVE = frozenset({"cudaOccupancyMaxActiveBlocksPerMultiprocessor", "hipOccupancyMaxActiveBlocksPerMultiprocessor"})
_THREADS, _SLOTS = "maxThreadsPerMultiProcessor", "maxBlocksPerMultiProcessor"
_SHARED, _UNITS, _WARP = "sharedMemPerMultiprocessor", "multiProcessorCount", "warpSize"


def potential_block_size(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, shared = 0, limit = 0)``."""
    known = properties_known(state, is_cuda=call.name.startswith("cuda"))
    shared, limit = (_argument(values, position) for position in (3, 4))
    found = None
    if shared is not None and limit is not None and _UNITS in known:
        most = min(limit or known.get("maxThreadsPerBlock", 1024), known.get("maxThreadsPerBlock", 1024))
        found = _best(known, most, shared)
    sizes = (None, None) if found is None else (found[1] * known[_UNITS], found[0])
    for value, size in zip(values[:2], sizes, strict=False):
        _store(state, call, value, size)
    return 0


def active_blocks(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, shared)``."""
    known = properties_known(state, is_cuda=call.name.startswith("cuda"))
    threads, shared = (_argument(values, position) for position in (2, 3))
    blocks = None if not threads or shared is None else _resident(known, threads, shared)
    for value in values[:1]:
        _store(state, call, value, blocks)
    return 0


def _argument(values: Sequence[Value], position: int) -> int | None:
    """Return a number that is 0 where it is not given; None where it is not known."""
    return as_integer(values[position]) if position < len(values) else 0


def _best(known: Mapping[str, int], most: int, shared: int) -> tuple[int, int] | None:
    """Return the block size with the most threads in flight, and its blocks; None where the limits are not known."""
    warp = known.get(_WARP, 32)
    best: tuple[int, int] | None = None
    for aligned in range(-(-most // warp) * warp, 0, -warp):
        threads = min(most, aligned)
        blocks = _resident(known, threads, shared)
        if blocks is None:
            return None
        if best is None or threads * blocks > best[0] * best[1]:
            best = threads, blocks
    return best


def _resident(known: Mapping[str, int], threads: int, shared: int) -> int | None:
    """Return the blocks that a multiprocessor holds at once; None where its limits are not known."""
    if not known.keys() >= {_THREADS, _SLOTS, _WARP}:
        return None
    warps = -(-threads // known[_WARP])
    limits = [known[_THREADS] // known[_WARP] // warps, known[_SLOTS]]
    if shared:
        if _SHARED not in known:
            return None
        limits.append(known[_SHARED] // shared)
    return min(limits)


def _store(state: HostState, call: sx.Call, target: Value, size: int | None) -> None:
    if isinstance(target, Reference):
        name = f"{target.variable.name}{target.path}"
        form = "device" if size is None else "occupancy"
        state.put(target, state.unknown(name, form, call, taken=size))
