"""Columns through shared memory: a block stores or loads a tile in the order of its rows, and transposes it there.

``out[x*n + y] = in[y*n + x]`` has neighbouring threads store to different rows.  Each thread puts its value into a tile
in shared memory, all wait, and each stores the value of another thread, so that neighbouring threads store neighbouring
elements; a load in columns is the same the other way round (Ruetsch, Micikevicius, *Optimizing Matrix Transpose in
CUDA*, NVIDIA 2009).  Threads are taken in the order of their numbers, y before x: thread ``x + X*y`` of a block of X
times Y does what belongs to ``x' = number / Y`` and ``y' = number % Y``.

It is legal where

* an array that is loaded so is not stored by the kernel;
* a reference that stores so is the only one to its memory: no thread expects to find there what it has stored itself;
* all threads of a block come to the barriers: no thread leaves the kernel before, and conditions and bounds of loops
  around depend on counters alone.  Conditions on threads are asked before and after each barrier, those of the other
  thread where its element is stored or loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.conditions import map_condition_indices
from ...ir.index import Number, Poly, const, floor_div, floor_mod, var
from ...ir.nodes import Array, Barrier, Condition, Exit, Guard, Loop, MemorySpace, Node, Statement
from ...ir.nodes import Mapping as Axis
from ...ir.traverse import accesses_in, all_nodes, map_accesses
from ...ir.values import Access, Constant, Load
from ..kinds import Staged, Turn
from .grid import MOST_SHARED_BYTES, Grid, is_uniform, pushed, settled, under
from .loading import shared_element
from .tiles import factors_of

_BANKS_BYTES = 128  # of all banks of shared memory (CUDA C++ Programming Guide, compute capabilities)
_INDEX_OPERATIONS = 2  # of an element of a tile, and of its index in the array: a row and a column


def turned(grid: Grid) -> tuple[Turn, Grid] | None:
    """Return the kernel with columns loaded and stored through tiles; None where there are none, or not only these."""
    x, y = grid.iterator(Axis.THREAD_X), grid.iterator(Axis.THREAD_Y)
    if x is None or y is None or any(isinstance(node, Exit) for node in all_nodes(grid.body)):
        return None
    if grid.block != grid.extent(Axis.THREAD_X) * grid.extent(Axis.THREAD_Y):
        return None
    columns = tuple(_columns(grid, x, y))
    if not columns or not any(dict(terms).get(x) == 1 for terms in _terms(grid, x, y)):
        return None  # with all of them in columns, x and y are exchanged at no cost
    work = _Turning(grid, x, y, columns)
    body = work.nodes(pushed(grid.body), ())
    if not work.tiles:
        return None
    made = grid.made(settled(body, grid.ranges), arrays=work.tiles)
    if made.shared_bytes is None or made.shared_bytes > MOST_SHARED_BYTES:
        return None
    extents = grid.extent(Axis.THREAD_Y), grid.extent(Axis.THREAD_X)
    arrays = tuple(dict.fromkeys(access.array for access in columns if access in work.done))
    return Turn(tuple(Staged(array, extents) for array in arrays), grid.region.span.line), made


def _terms(grid: Grid, x: str, y: str) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yield the factors of x and y in the addresses of references to global memory."""
    extents = {x: grid.extent(Axis.THREAD_X), y: grid.extent(Axis.THREAD_Y)}
    spaces = {array.name: array.space for array in grid.region.arrays}
    for access, _ in accesses_in(grid.body):
        found = factors_of(access, extents) if spaces.get(access.array) is MemorySpace.GLOBAL else None
        if found is not None:
            yield found


def _columns(grid: Grid, x: str, y: str) -> Iterator[Access]:
    """Yield the references to global memory with neighbours along y, and rows along x, that may go through a tile."""
    extents = {x: grid.extent(Axis.THREAD_X), y: grid.extent(Axis.THREAD_Y)}
    spaces = {array.name: array.space for array in grid.region.arrays}
    uses = [(access, writes) for access, writes in accesses_in(grid.body) if not access.private]
    groups = () if grid.region.launch is None else grid.region.launch.same_memory
    for access, _ in uses:
        if access.atomic or spaces.get(access.array) is not MemorySpace.GLOBAL:
            continue
        own = next((group for group in groups if access.array in group), (access.array,))
        alone = sum(other.array in own for other, _ in uses) == 1
        terms = dict(factors_of(access, extents) or ())
        if terms.get(y) == 1 and terms.get(x, 0) >= extents[y] and (alone or not {access.array} & grid.stored):
            yield access


class _Turning(Struct):
    """The nodes of one thread with ``columns`` through ``tiles``; ``done`` are the columns that were."""

    grid: Grid
    x: str
    y: str
    columns: tuple[Access, ...]
    tiles: tuple[Array, ...] = ()
    done: tuple[Access, ...] = ()

    def nodes(self, nodes: Sequence[Node], over: tuple[Condition, ...]) -> tuple[Node, ...]:
        """Return nodes under conditions on counters, with these around each part between two barriers."""
        found: list[Node] = []
        plain: list[Node] = []

        def close() -> None:
            found.extend(_under(over, plain))
            plain.clear()

        for node in nodes:
            before = len(self.done)
            made = self._turned(node, over)
            if len(self.done) == before:
                plain.append(node)
            else:
                close()
                found += made
        close()
        return tuple(found)

    def _turned(self, node: Node, over: tuple[Condition, ...]) -> tuple[Node, ...]:
        """Return a node with its columns through tiles, with all conditions around it; as it is without columns."""
        if isinstance(node, Guard) and not node.orelse and not node.condition.depends_on_data:
            return self.nodes(node.body, (*over, node.condition))
        if isinstance(node, Loop) and is_uniform(node, self.grid.threads):
            before = len(self.done)
            body = self.nodes(node.body, over)
            if len(self.done) > before:
                return (replace(node, body=(*body, _barrier(self.tiles[-1], node))),)
        if isinstance(node, Statement):
            own = [access for access, _ in node.accesses if access in self.columns]
            if own and node.barrier is None:
                return self._through(node, own, over)
        return (node,)

    def _through(self, statement: Statement, own: Sequence[Access], over: tuple[Condition, ...]) -> tuple[Node, ...]:
        """Return a statement with references in columns through a tile each, and a barrier between."""
        other = self._other()
        there = tuple(map_condition_indices(each, lambda index: index.substitute(other)) for each in over)
        before: list[Node] = []
        after: list[Node] = []
        for access in dict.fromkeys(own):
            tile, here, moved = self._tile(access, other)
            column = replace(access, subscripts=tuple(index.substitute(other) for index in access.subscripts))
            if access is statement.target or access == statement.target:
                after.append(Statement(column, Load(moved), statement.span, _INDEX_OPERATIONS))
                statement = replace(statement, target=here)
            else:
                before.append(Statement(moved, Load(column), statement.span, _INDEX_OPERATIONS))
                statement = _replaced(statement, access, here)
            self.done = (*self.done, access)
            self.tiles = (*self.tiles, tile)
        wait = _barrier(self.tiles[-1], statement)
        parts = [_under(there, before), _under(over, [statement]), _under(there, after)]
        nodes: list[Node] = []
        for part in filter(None, parts):
            nodes += [wait, *part] if nodes else part
        return tuple(nodes)

    def _other(self) -> Mapping[str, Poly | Number]:
        """Return the indices of the element that a thread stores or loads for another one."""
        across, down = self.grid.extent(Axis.THREAD_X), self.grid.extent(Axis.THREAD_Y)
        x, y = var(self.x), var(self.y)
        if across == down:
            return {self.x: y, self.y: x}
        if across % down == 0:
            return {self.x: floor_div(x, const(down)) + (across // down) * y, self.y: floor_mod(x, const(down))}
        number = x + across * y
        return {self.x: floor_div(number, const(down)), self.y: floor_mod(number, const(down))}

    def _tile(self, access: Access, other: Mapping[str, Poly | Number]) -> tuple[Array, Access, Access]:
        """Return a tile, the element of the thread itself in it, and that of the other one.

        Its rows are so much longer that threads that follow one another down and then across are in other banks.
        """
        across, down = self.grid.extent(Axis.THREAD_X), self.grid.extent(Axis.THREAD_Y)
        size = access.type.size_bytes
        pitch = across + max(1, _BANKS_BYTES // size // down)
        name = f"{access.array}.turned{len(self.tiles)}"
        tile = Array(name, access.type, size, (const(down), const(pitch)), MemorySpace.SHARED)
        here = shared_element(access, name, (var(self.y), var(self.x)), pitch)
        return tile, here, replace(here, subscripts=tuple(each.substitute(other) for each in here.subscripts))


def _replaced(statement: Statement, access: Access, other: Access) -> Statement:
    """Return a statement that loads another element; its target stays."""
    made = map_accesses(statement, lambda each: other if each == access else each)
    return replace(made, target=statement.target)


def _under(conditions: Sequence[Condition], nodes: Sequence[Node]) -> list[Node]:
    """Return nodes that run where all conditions hold."""
    if not nodes or not conditions:
        return [*nodes]
    return [under(conditions, tuple(nodes))]


def _barrier(array: Array, node: Node) -> Statement:
    return Statement(None, Constant(None, array.element), node.span, barrier=Barrier.BLOCK)
