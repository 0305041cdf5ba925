"""Other axes and other blocks for the same threads: x and y exchanged, and blocks of another shape.

Both are legal in kernels whose threads share nothing: no barrier, no shared memory, no exchange within a warp.  Blocks
of another shape also need that every index is one of the grid, ``blockIdx.x * blockDim.x + threadIdx.x``.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ...ir.index import var
from ...ir.nodes import Mapping as Axis
from ...ir.nodes import MemorySpace, Node, Statement
from ...ir.passes.substitute import bind_nodes
from ...ir.traverse import all_nodes, names_in
from ...ir.values import Apply, Operation, walk_values
from ..kinds import Exchange, Reshape
from .coarsening import is_idle
from .grid import Grid, settled

_OTHER = {
    Axis.BLOCK_X: Axis.BLOCK_Y,
    Axis.BLOCK_Y: Axis.BLOCK_X,
    Axis.THREAD_X: Axis.THREAD_Y,
    Axis.THREAD_Y: Axis.THREAD_X,
}
_INWARDS = (Axis.BLOCK_Z, Axis.BLOCK_Y, Axis.BLOCK_X, Axis.THREAD_Z, Axis.THREAD_Y, Axis.THREAD_X)
_PAIRS = ((Axis.BLOCK_X, Axis.THREAD_X), (Axis.BLOCK_Y, Axis.THREAD_Y))


def exchanged(grid: Grid) -> tuple[Exchange, Grid] | None:
    """Return the kernel with x and y exchanged, in the launch too; None where threads share something."""
    if not is_apart(grid):
        return None
    extents = {other: grid.extent(axis) for axis, other in _OTHER.items()}
    axes = [replace(loop, mapping=_OTHER.get(loop.mapping, loop.mapping)) for loop in grid.axes]
    axes.sort(key=lambda loop: _INWARDS.index(loop.mapping))
    turned = replace(grid, axes=tuple(axes))
    return Exchange(grid.region.span.line), turned.made(grid.body, extents)


def reshaped(grid: Grid, block: tuple[int, int]) -> tuple[Reshape, Grid] | None:
    """Return the kernel in blocks of so many threads along x and y; None where a thread knows its block."""
    body, extents = grid.body, dict[Axis, int]()
    if not is_apart(grid):
        return None
    for (blocks, threads), size in zip(_PAIRS, block, strict=True):
        number, thread = grid.iterator(blocks), grid.iterator(threads)
        total = grid.extent(blocks) * grid.extent(threads)
        if number is None or thread is None:
            if size > 1 or total > 1:
                return None
            continue
        indexed = by_index(grid, body, number, thread)
        if indexed is None:
            return None
        body = indexed
        count = -(-total // size)
        beyond = settled(body, {**grid.ranges, thread: (total, count * size - 1)})
        if not is_idle(beyond, thread, none=total % size == 0):
            return None
        body = bind_nodes(body, {thread: var(thread) + size * var(number)})
        extents |= {blocks: count, threads: size}
    made = grid.made(body, extents)
    return Reshape(block, grid.region.span.line), replace(made, body=settled(made.body, made.ranges))


def by_index(grid: Grid, body: tuple[Node, ...], number: str, thread: str) -> tuple[Node, ...] | None:
    """Return nodes with ``thread`` as index in the grid, of blocks with a ``number``; None where others are left."""
    width = next(grid.extent(loop.mapping) for loop in grid.axes if loop.iterator == thread)
    made = bind_nodes(body, {thread: var(thread) - width * var(number)})
    return None if number in names_in(made) else made


def is_apart(grid: Grid) -> bool:
    """Return whether the threads of a block share nothing but global memory."""
    if any(array.space is MemorySpace.SHARED for array in grid.region.arrays):
        return False
    return not any(node.barrier is not None or _is_of_warp(node) for node in _statements(grid.body))


def _statements(nodes: Sequence[Node]) -> list[Statement]:
    return [node for node in all_nodes(nodes) if isinstance(node, Statement)]


def _is_of_warp(statement: Statement) -> bool:
    values = walk_values(statement.value)
    return any(isinstance(each, Apply) and each.operation is Operation.SHUFFLE and each.function for each in values)
