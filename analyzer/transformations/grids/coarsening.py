"""Several results for each thread: the work of some blocks in one, loop for loop, with what they share done once.

What a thread of block ``b`` and of block ``b + 1`` does goes into one thread, as unroll and jam does it: loads and
tiles that do not depend on the number of the block are those of all copies (Volkov, *Better performance at lower
occupancy*, GTC 2010; NVIDIA, *CUTLASS*: tiles of a thread).

It is legal in any kernel of which blocks may run at the same time: no order of the statements of two blocks is
promised, so that theirs may alternate.  Left as they are: kernels in which data decide what a loop or a branch does,
as the copies do not decide alike, and kernels that wait for other blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.index import Number, Poly, var
from ...ir.nodes import Array, Barrier, Exit, Guard, Loop, Node, Statement, Strided
from ...ir.nodes import Mapping as Axis
from ...ir.passes.substitute import bind_nodes
from ...ir.traverse import accesses_in, all_nodes, indices_of, map_accesses, map_bodies, map_statements
from ...ir.values import Access, Load, Opaque, Register, Value, loads_of, map_leaves, walk_values
from .grid import Grid, pushed, settled


def coarsened(grid: Grid, axis: Axis, by: int) -> Grid | None:
    """Return the kernel with the work of ``by`` neighbouring blocks in each; None where that is not legal or no use."""
    name, extent = grid.iterator(axis), grid.extent(axis)
    if name is None or extent < by or not is_plain(grid.body):
        return None
    body = pushed(grid.body)
    blocks = -(-extent // by)
    if not is_idle(settled(body, {**grid.ranges, name: (extent, by * blocks - 1)}), name, none=extent % by == 0):
        return None
    jam = Copies(name, by, dependent_on(body, name))
    if not jam.shares(body):
        return None
    arrays = [each for array in grid.region.arrays if array.name in jam.dependent for each in jam.copies_of(array)]
    if any(None in array.extents for array in arrays):
        return None
    return grid.made(settled(jam.nodes(body), grid.ranges), {axis: blocks}, arrays)


def is_idle(body: Sequence[Node], name: str, *, none: bool) -> bool:
    """Return whether blocks beyond the grid (``none``: there are none) store nothing, and load what others load."""
    return none or not any(
        writes or access.atomic or any(index.names() & {name} for index in access.subscripts)
        for access, writes in accesses_in(body)
        if not access.private and not access.shared
    )


def is_plain(body: Sequence[Node]) -> bool:
    """Return whether counters alone decide what runs, and blocks do not wait for one another."""
    for node in all_nodes(body):
        if isinstance(node, Exit) or any(index.unknowns() for index in indices_of(node)):
            return False
        if isinstance(node, Guard) and node.condition.depends_on_data:
            return False
        if isinstance(node, Loop) and (not isinstance(node.range, Strided) or node.header or node.carried):
            return False
        if isinstance(node, Statement) and (
            node.barrier in (Barrier.DEVICE, Barrier.FENCE)
            or any(isinstance(value, Opaque) for value in walk_values(node.value))
        ):
            return False
    return True


def dependent_on(body: Sequence[Node], name: str) -> frozenset[str]:
    """Return the scalars, and the arrays of a thread or a block, whose values depend on an iterator, with it."""
    found = {name}
    before = 0
    while len(found) > before:
        before = len(found)
        found |= set(_next(body, found, False))
    return frozenset(found)


def _next(nodes: Sequence[Node], found: set[str], inside: bool) -> Iterator[str]:
    """Yield what nodes set that depends on one of some names, or all of it ``inside`` of what does."""
    for node in nodes:
        if isinstance(node, Statement):
            target = node.target
            own = isinstance(target, Register) or (isinstance(target, Access) and (target.private or target.shared))
            if own and (inside or _uses(node) & found):
                assert target is not None
                yield target.name if isinstance(target, Register) else target.array
        elif isinstance(node, Loop | Guard):
            decided = inside or any(index.names() & found for index in indices_of(node))
            yield from _next((*node.body, *(node.orelse if isinstance(node, Guard) else ())), found, decided)


def _uses(statement: Statement) -> set[str]:
    """Return the names of counters, scalars and arrays that a statement uses."""
    names = {value.name for value in walk_values(statement.value) if isinstance(value, Register)}
    names |= {access.array for access in loads_of(statement.value)}
    return names.union(*(index.names() for index in indices_of(statement)))


class Copies(Struct, frozen=True):
    """The copies of what ``by`` blocks along an axis do; ``dependent`` are the names that each has for itself."""

    iterator: str
    by: int
    dependent: frozenset[str]

    def nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Return the nodes of all copies, one after the other in each loop."""
        found: list[Node] = []
        for node in nodes:
            if self._is_common(node):
                found.append(map_bodies(node, self.nodes))
            else:
                found += [self._copy(node, number) for number in range(self.by)]
        return tuple(found)

    def shares(self, body: Sequence[Node]) -> bool:
        """Return whether the copies use an element of memory that is the same in all of them, in a loop."""
        loops = [node for node in body if isinstance(node, Loop)]
        statements = [node for node in all_nodes(loops) if isinstance(node, Statement)]
        return any(not self._is_own(access) for each in statements for access in loads_of(each.value))

    def copies_of(self, array: Array) -> Iterator[Array]:
        """Yield the arrays of all copies but the first."""
        for number in range(1, self.by):
            yield replace(array, name=self._copied(array.name, number))

    def _copied(self, name: str, number: int) -> str:
        """Return the name of a scalar, an array or an iterator in a copy; those along other axes have other names."""
        return f"{name}.{self.iterator[-1]}{number}"

    def _is_own(self, access: Access) -> bool:
        return access.array in self.dependent or any(index.names() & self.dependent for index in access.subscripts)

    def _is_common(self, node: Node) -> bool:
        """Return whether a node is the same in all copies, but for what is in it."""
        if isinstance(node, Statement):
            accesses = node.accesses
            if any(access.atomic for access, _ in accesses):
                return False
            target = node.target
            name = target.name if isinstance(target, Register) else target.array if target is not None else ""
            return name not in self.dependent and not _uses(node) & self.dependent
        return not any(index.names() & self.dependent for index in indices_of(node))

    def _copy(self, node: Node, number: int) -> Node:
        """Return the copy of a node for one of the blocks, with scalars, arrays and iterators of its own."""
        values: dict[str, Poly | Number] = {self.iterator: self.by * var(self.iterator) + number}
        if number:
            loops = [each.iterator for each in all_nodes((node,)) if isinstance(each, Loop)]
            values |= {name: var(self._copied(name, number)) for name in loops}
        (made,) = map_statements(bind_nodes((node,), values), lambda each: self._named(each, number))
        return made

    def _named(self, statement: Statement, number: int) -> Statement:
        """Return a statement of one copy."""
        if not number:
            return statement

        def leaf(value: Value) -> Value:
            if isinstance(value, Register) and value.name in self.dependent:
                return replace(value, name=self._copied(value.name, number))
            return Load(reference(value.access)) if isinstance(value, Load) else value

        def reference(access: Access) -> Access:
            return (
                replace(access, array=self._copied(access.array, number)) if access.array in self.dependent else access
            )

        changed = map_accesses(statement, reference)
        target = changed.target
        if isinstance(target, Register) and target.name in self.dependent:
            target = replace(target, name=self._copied(target.name, number))
        return replace(changed, target=target, value=map_leaves(changed.value, leaf))
