"""Tiles in shared memory: what the threads of a block read in some iterations of a loop, loaded by them together.

``for (k...) s += A[i*n + k] * B[k*n + j]`` becomes a loop over tiles: each thread loads its part of the tiles of A and
B, all wait, each uses the tiles for so many iterations of k, and all wait again (NVIDIA, *CUDA C++ Programming Guide*,
section Shared Memory; Volkov, Demmel, *Benchmarking GPUs to tune dense linear algebra*, SC 2008).

It is legal where nothing that the kernel stores is in the arrays, all threads of a block run the same iterations, and
none leaves the loop or the kernel before: a thread that has left would not reach the barrier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from ...ir.index import const, minimum, var
from ...ir.nodes import And, Barrier, Condition, Exit, Guard, Loop, MemorySpace, Node, Statement, Strided
from ...ir.nodes import Mapping as Axis
from ...ir.passes.substitute import bind_nodes
from ...ir.traverse import accesses_in, all_nodes, map_accesses, map_bodies, map_statements
from ...ir.values import Access, Apply, Constant, Operation, Register, Value, walk_values
from ..kinds import Stage, Staged, tiles_of
from ..tiling import trip_of
from .grid import MOST_SHARED_BYTES, THREADS, Grid, is_uniform, pushed, settled, under
from .loading import Loaded, loading
from .tiles import factors_of, tile_of

_LEAST_READS = 2  # of each element of a tile by the threads of a block: fewer save nothing
_WIDEST = 64  # threads along x of a block whose tiles are squares; a wider one has tiles of a row
_LEAST_TILE = 8


def stages_of(grid: Grid) -> Iterator[tuple[Stage, Grid]]:
    """Yield the kernel with the tiles of a loop in shared memory, for each loop whose block reads elements again."""
    if any(isinstance(node, Exit) for node in all_nodes(grid.body)):
        return
    body = pushed(grid.body)
    for loop in _uniform_loops(body, grid.threads):
        tile = _iterations(grid, loop)
        plan = _plan(grid, loop, tile)
        while plan is not None and tile > _LEAST_TILE and not plan.fits:
            tile //= 2
            plan = _plan(grid, loop, tile)
        if plan is not None and plan.fits and tile >= _LEAST_TILE:
            made = settled(_replaced(body, loop.iterator, plan.made()), grid.ranges)
            yield plan.step, grid.made(made, arrays=[each.array for each in plan.loaded])


def _uniform_loops(nodes: Sequence[Node], threads: frozenset[str]) -> Iterator[Loop]:
    """Yield the counted loops of which all threads of a block run the same iterations together."""
    for node in nodes:
        if not isinstance(node, Loop) or not is_uniform(node, threads):
            continue
        if trip_of(node) is not None and isinstance(node.range, Strided) and node.range.step == 1:
            yield node
        yield from _uniform_loops(node.body, threads)


def _iterations(grid: Grid, loop: Loop) -> int:
    """Return the iterations that a tile is for; less than the fewest where the loop has not two tiles."""
    trip = trip_of(loop) or 0
    width = grid.extent(Axis.THREAD_X)
    tile = width if width <= _WIDEST and grid.block > width else min(grid.block, 4 * _WIDEST)
    while tile > trip // 2:
        tile //= 2
    return tile


class _Plan(Struct, frozen=True):
    """The loop of a kernel by ``tile`` iterations, with what its block has ``loaded`` before each of these.

    ``body`` has the iterator counted from the start of a tile.
    """

    grid: Grid
    loop: Loop
    body: tuple[Node, ...]
    tile: int
    loaded: tuple[Loaded, ...]

    @property
    def step(self) -> Stage:
        """Return the transformation."""
        arrays = tuple(Staged(each.tile.array, each.tile.extents) for each in self.loaded)
        return Stage(self.loop.iterator, self.loop.span.line, self.tile, arrays)

    @property
    def fits(self) -> bool:
        """Return whether a block may have so much shared memory."""
        before = self.grid.shared_bytes
        return before is not None and before + sum(each.bytes for each in self.loaded) <= MOST_SHARED_BYTES

    def made(self) -> Node:
        """Return the loop over tiles: loads, a barrier, the iterations of a tile, a barrier."""
        loop, start = self.loop, var(tiles_of(self.loop.iterator))
        assert isinstance(loop.range, Strided)
        positions = {access: other for each in self.loaded for access, other in each.positions.items()}
        body = map_statements(self.body, lambda each: map_accesses(each, lambda access: positions.get(access, access)))
        body = map_statements(body, _without_index_operations)
        conditions, body = _around(body, loop.iterator)
        rest = loop.range.stop - start
        whole = (trip_of(loop) or 0) % self.tile == 0
        stop = const(self.tile) if whole else minimum([const(self.tile), rest])
        inner = replace(loop, range=Strided(const(0), stop), body=body, at_run_time=not whole)
        is_idle = not conditions or _is_unseen(self.grid, loop, body, conditions)
        used: Node = inner if is_idle else under(conditions, (inner,))
        wait = Statement(None, Constant(None, self.loaded[0].array.element), loop.span, barrier=Barrier.BLOCK)
        loads = tuple(
            node for each in self.loaded for node in loading(each, self.grid, conditions, loop, None if whole else rest)
        )
        tiles = replace(loop.range, step=self.tile)
        return replace(
            loop, iterator=tiles_of(loop.iterator), range=tiles, body=(*loads, wait, used, wait), unroll=None
        )


def _plan(grid: Grid, loop: Loop, tile: int) -> _Plan | None:
    """Return the tiles of a loop; None where none are worth it."""
    if tile < _LEAST_TILE:
        return None
    start = var(tiles_of(loop.iterator))
    body = bind_nodes(loop.body, {loop.iterator: start + var(loop.iterator)})
    inner = {node.iterator: trip_of(node) for node in all_nodes(body) if isinstance(node, Loop)}
    known = {name: trip for name, trip in inner.items() if trip is not None}
    threads = {each.iterator: grid.extent(each.mapping) for each in grid.axes if each.mapping in THREADS}
    counters = {**threads, **known, loop.iterator: tile}
    found: list[Loaded] = []
    for accesses in _groups(grid, body, counters):
        made = tile_of(accesses, counters)
        if made is None or made[0].origin.names() & (counters.keys() | inner.keys()):
            continue
        own, positions = made
        used = {name for access in accesses for name, _ in factors_of(access, counters) or ()}
        reads = grid.block * tile * prod(known[name] for name in used & known.keys())
        if loop.iterator in used and reads >= _LEAST_READS * own.elements:
            found.append(Loaded.of(own, positions, grid, len(found)))
    return _Plan(grid, loop, body, tile, tuple(found)) if found else None


def _groups(grid: Grid, body: Sequence[Node], counters: Mapping[str, int]) -> Iterator[tuple[Access, ...]]:
    """Yield the loads of arrays that the kernel does not store, those with equal factors together."""
    spaces = {array.name: array.space for array in grid.region.arrays}
    groups: dict[tuple[object, ...], dict[Access, None]] = {}
    for access, _ in accesses_in(body):
        is_plain = not access.atomic and not access.private and access.array not in grid.stored
        if is_plain and spaces.get(access.array) is MemorySpace.GLOBAL:
            key = (access.array, access.type, factors_of(access, counters))
            groups.setdefault(key, {})[access] = None
    yield from (tuple(group) for group in groups.values())


def _around(body: tuple[Node, ...], iterator: str) -> tuple[tuple[Condition, ...], tuple[Node, ...]]:
    """Return the conditions around a whole body that do not depend on its iterator, and what is inside of them."""
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, Guard) or only.orelse or only.condition.depends_on_data:
        return (), body
    parts = _parts(only.condition)
    if any(iterator in part.names for part in parts):
        return (), body
    conditions, inside = _around(only.body, iterator)
    return (*parts, *conditions), inside


def _is_unseen(grid: Grid, loop: Loop, body: Sequence[Node], conditions: Sequence[Condition]) -> bool:
    """Return whether threads for which the conditions do not hold may run the body, too: nobody sees what they compute.

    It only sets scalars, of elements in shared memory, which no statement reads but under these conditions.
    """
    statements = [node for node in all_nodes(body) if isinstance(node, Statement)]
    if any(not access.shared for each in statements for access, _ in each.accesses):
        return False
    if any(not isinstance(each.target, Register) or _is_exchanged(each.value) for each in statements):
        return False
    names = {each.target.name for each in statements if isinstance(each.target, Register)}
    return not any(
        _registers(statement) & names and not set(conditions) <= over
        for statement, over in _guarded(pushed(grid.body), loop.iterator, frozenset())
    )


def _guarded(
    nodes: Sequence[Node], left_out: str, over: frozenset[Condition]
) -> Iterator[tuple[Statement, frozenset[Condition]]]:
    """Yield the statements outside of a loop, each with the conditions around it."""
    for node in nodes:
        if isinstance(node, Statement):
            yield node, over
        elif isinstance(node, Guard):
            yield from _guarded(node.body, left_out, over | set(_parts(node.condition)))
            yield from _guarded(node.orelse, left_out, over)
        elif isinstance(node, Loop) and node.iterator != left_out:
            yield from _guarded((*node.header, *node.body), left_out, over)


def _registers(statement: Statement) -> set[str]:
    return {value.name for value in walk_values(statement.value) if isinstance(value, Register)}


def _is_exchanged(value: Value) -> bool:
    """Return whether threads of a warp see values of one another."""
    return any(isinstance(each, Apply) and each.operation is Operation.SHUFFLE for each in walk_values(value))


def _parts(condition: Condition) -> tuple[Condition, ...]:
    """Return the conditions that hold together where a condition does."""
    if not isinstance(condition, And):
        return (condition,)
    return tuple(part for operand in condition.operands for part in _parts(operand))


def _without_index_operations(statement: Statement) -> Statement:
    """Return a statement of shared elements: their addresses are constants away from one that stays."""
    shared = all(access.shared or access.private for access, _ in statement.accesses)
    return replace(statement, index_operations=0) if shared else statement


def _replaced(nodes: Sequence[Node], iterator: str, made: Node) -> tuple[Node, ...]:
    """Return nodes with another one in place of a loop."""
    return tuple(
        made
        if isinstance(node, Loop) and node.iterator == iterator
        else map_bodies(node, lambda body: _replaced(body, iterator, made))
        for node in nodes
    )
