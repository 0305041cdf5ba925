"""A kernel whose launch and sizes are numbers: its axes, what one thread does, and the same with other axes.

Conditions that hold in every thread are left out, as a bounds check where the blocks divide the size; others are moved
into the loops, so that all threads of a block run these together and may wait for one another in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from ...ir.conditions import map_leaves, truth_of
from ...ir.index import ZERO, const
from ...ir.launches import Launch
from ...ir.nodes import (
    And,
    Array,
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Guard,
    Loop,
    MemorySpace,
    Node,
    Region,
    Statement,
    Strided,
    Truth,
    elements_of,
)
from ...ir.nodes import Mapping as Axis
from ...ir.passes.substitute import bind
from ...ir.traverse import accesses_in, all_nodes, bounds_of, map_bodies
from ...traffic.program.intervals import Interval
from ...traffic.program.intervals import bounds_of as interval_of

BLOCKS = (Axis.BLOCK_X, Axis.BLOCK_Y, Axis.BLOCK_Z)
MOST_SHARED_BYTES = 48 * 1024
"""Of a block that asks for no more (CUDA C++ Programming Guide, technical specifications)."""
THREADS = (Axis.THREAD_X, Axis.THREAD_Y, Axis.THREAD_Z)


class Grid(Struct, frozen=True):
    """A kernel with its ``axes``, outermost first, and the ``body`` of one thread; all its sizes are numbers."""

    region: Region
    axes: tuple[Loop, ...]
    body: tuple[Node, ...]

    def iterator(self, axis: Axis) -> str | None:
        """Return the iterator of an axis; None where the launch has none."""
        return next((loop.iterator for loop in self.axes if loop.mapping is axis), None)

    def extent(self, axis: Axis) -> int:
        """Return the blocks or threads along an axis."""
        return next((_extent(loop) or 1 for loop in self.axes if loop.mapping is axis), 1)

    @property
    def threads(self) -> frozenset[str]:
        """Return the iterators of the threads of a block."""
        return frozenset(loop.iterator for loop in self.axes if loop.mapping in THREADS)

    @property
    def blocks(self) -> int:
        """Return the blocks of the grid."""
        return prod(self.extent(axis) for axis in BLOCKS)

    @property
    def block(self) -> int:
        """Return the threads of a block."""
        return prod(self.extent(axis) for axis in THREADS)

    @property
    def ranges(self) -> Mapping[str, Interval]:
        """Return the least and the largest value of each axis."""
        return {loop.iterator: (0, (_extent(loop) or 1) - 1) for loop in self.axes}

    @property
    def stored(self) -> frozenset[str]:
        """Return the arrays that a thread changes, and all arrays that start at the address of one of them."""
        names = {access.array for access, writes in accesses_in(self.body) if writes}
        launch = self.region.launch
        groups = () if launch is None else launch.same_memory
        return frozenset(names.union(*(group for group in groups if not names.isdisjoint(group))))

    @property
    def shared_bytes(self) -> int | None:
        """Return the shared memory of a block; None where an array of it has no size."""
        total = 0 if self.region.launch is None else self.region.launch.shared_bytes or 0
        for array in self.region.arrays:
            if array.space is MemorySpace.SHARED:
                elements = elements_of(array)
                if elements is None:
                    return None
                total += array.element_bytes * elements
        return total

    def made(
        self, body: tuple[Node, ...], extents: Mapping[Axis, int] | None = None, arrays: Sequence[Array] = ()
    ) -> Grid:
        """Return the kernel with another body, axes of other ``extents``, and more arrays."""
        changed = extents or {}
        axes = tuple(
            replace(loop, range=Strided(ZERO, const(changed[loop.mapping]))) if loop.mapping in changed else loop
            for loop in self.axes
        )
        for loop in reversed(axes):
            body = (replace(loop, body=body),)
        launch = _launched(self.region.launch, changed)
        region = replace(self.region, body=body, arrays=(*self.region.arrays, *arrays), launch=launch)
        grid = grid_of(region)
        assert grid is not None
        return grid


def grid_of(region: Region) -> Grid | None:
    """Return a kernel with its axes apart; None where a size or the launch is not known, or is none of the source."""
    if region.launch is None or region.launch.by_directives:
        return None
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    bound = bind(replace(region, body=_at_run_time(region.body, values.keys())), values)
    nodes = bound.body
    axes: list[Loop] = []
    while len(nodes) == 1 and isinstance(nodes[0], Loop) and nodes[0].mapping.is_of_grid:
        axes.append(nodes[0])
        nodes = nodes[0].body
    if not axes or any(_extent(loop) is None for loop in axes):
        return None
    if any(isinstance(node, Loop) and node.mapping.is_of_grid for node in all_nodes(nodes)):
        return None
    grid = Grid(bound, tuple(axes), nodes)
    return replace(grid, body=settled(nodes, grid.ranges))


def _at_run_time(nodes: Sequence[Node], sizes: Set[str]) -> tuple[Node, ...]:
    """Return nodes whose loops up to one of some sizes are counted at run time: a compiler knows no number for it."""
    return tuple(
        replace(node, body=_at_run_time(node.body, sizes), at_run_time=node.at_run_time or _is_up_to(node, sizes))
        if isinstance(node, Loop)
        else map_bodies(node, lambda body: _at_run_time(body, sizes))
        for node in nodes
    )


def _is_up_to(loop: Loop, sizes: Set[str]) -> bool:
    return any(bound.names() & sizes for bound in bounds_of(loop.range))


def settled(nodes: Sequence[Node], ranges: Mapping[str, Interval]) -> tuple[Node, ...]:
    """Return nodes without the conditions that hold, or never hold, for all values of the names in ``ranges``."""
    found: list[Node] = []
    for node in nodes:
        holds = _truth(node.condition, ranges) if isinstance(node, Guard) else None
        if isinstance(node, Guard) and holds is not None:
            found += settled(node.body if holds else node.orelse, ranges)
        else:
            found.append(map_bodies(node, lambda body: settled(body, ranges)))
    return tuple(found)


def pushed(nodes: Sequence[Node], over: Sequence[Condition] = ()) -> tuple[Node, ...]:
    """Return nodes with the conditions around loops moved into these, where counters alone decide them."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, Guard) and _moves(node):
            found += pushed(node.body, (*over, node.condition))
        elif isinstance(node, Loop) and over and not node.header:
            found.append(replace(node, body=pushed(node.body, over)))
        elif over and not (isinstance(node, Statement) and node.barrier is not None):
            found.append(under(over, (node,)))
        else:
            found.append(map_bodies(node, pushed))
    return tuple(found)


def under(conditions: Sequence[Condition], nodes: tuple[Node, ...]) -> Node:
    """Return nodes that run where all conditions hold."""
    condition = conditions[0] if len(conditions) == 1 else And(tuple(conditions))
    return Guard(condition, nodes, (), nodes[0].span)


def is_uniform(loop: Loop, threads: Set[str]) -> bool:
    """Return whether all threads of a block run the same iterations of a counted loop."""
    if loop.header or not isinstance(loop.range, Strided):
        return False
    return not any(bound.names() & threads or bound.unknowns() for bound in bounds_of(loop.range))


def _moves(guard: Guard) -> bool:
    """Return whether a condition may be asked anew in each iteration of the loops that it is around."""
    has_loops = any(isinstance(node, Loop) for node in all_nodes(guard.body))
    return has_loops and not guard.orelse and not guard.condition.depends_on_data


def _truth(condition: Condition, ranges: Mapping[str, Interval]) -> bool | None:
    """Return whether a condition holds for all values, or for none; None where that is not known."""

    def decided(leaf: Compare | DataDependent | Truth) -> Condition:
        found = _of_comparison(leaf, ranges) if isinstance(leaf, Compare) else None
        return leaf if found is None else Truth(found)

    return truth_of(map_leaves(condition, decided), lambda index: index.constant)


def _of_comparison(leaf: Compare, ranges: Mapping[str, Interval]) -> bool | None:
    found = None if leaf.depends_on_data else interval_of(leaf.difference, ranges)
    if found is None:
        return None
    low, high = found
    if leaf.comparison in (Comparison.EQ, Comparison.NE) and low <= 0 <= high and low < high:
        return None
    ends = {truth_of(Compare(leaf.comparison, const(end), ZERO), lambda index: index.constant) for end in (low, high)}
    return ends.pop() if len(ends) == 1 else None


def _extent(loop: Loop) -> int | None:
    if not isinstance(loop.range, Strided) or loop.range.start.constant != 0 or loop.range.step != 1:
        return None
    return loop.range.stop.constant


def _launched(launch: Launch | None, extents: Mapping[Axis, int]) -> Launch | None:
    """Return a launch with other extents."""
    if launch is None or not extents:
        return launch
    grid, block = (
        tuple(extents.get(axis, size) for axis, size in zip(axes, sizes, strict=True))
        for axes, sizes in ((BLOCKS, launch.grid), (THREADS, launch.block))
    )
    x, y, z = grid
    return replace(launch, grid=(x, y, z), block=(block[0], block[1], block[2]))
