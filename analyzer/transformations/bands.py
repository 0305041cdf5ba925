"""Bands: loops that stand directly inside one another, down to an innermost one, found or made in a nest.

Where statements stand between two loops, the outer one is split: each part of its body gets a loop of its own.  A
scalar that goes from one part to another becomes an element for each iteration.  It is legal where no part needs what
a later part does in an earlier iteration (Allen, Kennedy, *Optimizing compilers for modern architectures*, 2001,
sections 5.2 and 5.3: distribution and scalar expansion).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..ir.index import Poly, const, var
from ..ir.names import numbered, source_name
from ..ir.nodes import Array, Exit, Loop, Mapping, Node, Statement, Strided
from ..ir.passes.substitute import bind_nodes
from ..ir.scalars import carried_scalars
from ..ir.traverse import all_nodes, indices_of, map_statements
from ..ir.values import Access, Apply, Load, Opaque, Operation, Register, Value, map_leaves, walk_values
from .dependences import allows_split, vectors_between
from .kinds import Split

_SPLIT = 900  # numbers of iterators that the source does not have


class Band(Struct, frozen=True):
    """A nest with a band in it: ``loops`` outermost first, each but the last holding nothing but the next.

    ``arrays`` are those that scalars became where one of the loops was ``split``.
    """

    nest: Loop
    loops: tuple[Loop, ...]
    arrays: tuple[Array, ...] = ()
    split: tuple[Split, ...] = ()

    def with_loops(self, outermost: Loop) -> Loop:
        """Return the nest with other loops in place of the band."""
        return _replaced(self.nest, self.loops[0].iterator, (outermost,))


def bands_of(nest: Loop, outside: Sequence[Node]) -> Iterator[Band]:
    """Yield the bands of a nest of two loops or more, and those that splitting one loop makes.

    ``outside`` are the nodes of the region: what reads a scalar after the nest keeps it from being expanded.
    """
    for path in _paths(nest, ()):
        start = len(path) - 1
        while start and _holds_only(path[start - 1], path[start]) and may_move(path[start - 1]):
            start -= 1
        if not may_move(path[-1]):
            continue
        if len(path) - start > 1:
            yield Band(nest, path[start:])
        if start and may_move(path[start - 1]):
            band = _with_split(nest, path[: start + 1], outside)
            if band is not None:
                yield band


def chain_of(loop: Loop) -> tuple[Loop, ...]:
    """Return a loop and those that stand directly inside one another in it."""
    found = [loop]
    while len(found[-1].body) == 1 and isinstance(found[-1].body[0], Loop):
        found.append(found[-1].body[0])
    return tuple(found)


def _paths(loop: Loop, outer: tuple[Loop, ...]) -> Iterator[tuple[Loop, ...]]:
    """Yield the loops around and including each innermost loop."""
    inner = [node for node in loop.body if isinstance(node, Loop)]
    for each in inner:
        yield from _paths(each, (*outer, loop))
    if not any(isinstance(node, Loop) for node in all_nodes(loop.body)):
        yield (*outer, loop)


def _holds_only(outer: Loop, inner: Loop) -> bool:
    return len(outer.body) == 1 and outer.body[0] is inner


def may_move(loop: Loop) -> bool:
    """Return whether a loop is a plain counted one, without exits and operations that are not understood."""
    if not isinstance(loop.range, Strided) or loop.header or loop.mapping not in (Mapping.SEQUENTIAL, Mapping.SIMD):
        return False
    return all(_is_plain(node) for node in all_nodes(loop.body))


def _is_plain(node: Node) -> bool:
    match node:
        case Exit():
            return False
        case Statement():
            return not any(isinstance(value, Opaque) or _is_call(value) for value in walk_values(node.value))
        case _:
            return True


def _is_call(value: Value) -> bool:
    return isinstance(value, Apply) and value.operation is Operation.CALL and not value.function


def _with_split(nest: Loop, path: Sequence[Loop], outside: Sequence[Node]) -> Band | None:
    """Return the nest with the last loop but one of a path split, so that it holds nothing but the last one."""
    loop, inner = path[-2], path[-1]
    parts = loop.body
    position = next(number for number, node in enumerate(parts) if node is inner)
    if any(isinstance(node, Loop) for node in (*parts[:position], *parts[position + 1 :])) or carried_scalars(parts):
        return None
    groups = [group for group in (parts[:position], (inner,), parts[position + 1 :]) if group]
    names = _passed(groups)
    if names is None or names & _read_elsewhere(outside, loop):
        return None
    assert isinstance(loop.range, Strided)
    arrays = {name: _row(name, loop, groups) for name in sorted(names)}
    if any(array is None for array in arrays.values()):
        return None
    rows = {name: array for name, array in arrays.items() if array is not None}
    groups = [_expanded(group, rows, loop.iterator) for group in groups]
    for number, group in enumerate(groups):
        for later in groups[number + 1 :]:
            vectors = vectors_between([loop], group, later)
            if vectors is None or not allows_split(vectors):
                return None
    made, main = [], loop
    for number, group in enumerate(groups):
        if any(isinstance(node, Loop) for node in group):
            main = replace(loop, body=group)
            made.append(main)
            continue
        iterator = numbered(loop.iterator, _SPLIT + number)
        made.append(replace(loop, iterator=iterator, body=bind_nodes(group, {loop.iterator: var(iterator)})))
    lines = tuple(node.span.line for node in parts if not isinstance(node, Loop))
    changed = _replaced(nest, loop.iterator, tuple(made)) if loop is not nest else None
    if changed is None:  # the nest itself becomes several
        return None
    step = Split(source_name(loop.iterator), tuple(dict.fromkeys(lines)), tuple(map(source_name, rows)))
    return Band(changed, chain_of(main), tuple(rows.values()), (step,))


def _passed(groups: Sequence[Sequence[Node]]) -> frozenset[str] | None:
    """Return the scalars that one part sets and another one uses; None where one is an index."""
    sets = [frozenset(_set(group)) for group in groups]
    reads = [frozenset(_used(group)) for group in groups]
    passed = {
        name
        for one in range(len(groups))
        for other in range(len(groups))
        for name in sets[one] & (reads[other] | sets[other])
        if one != other
    }
    indices = {
        name for group in groups for node in all_nodes(group) for index in indices_of(node) for name in index.names()
    }
    return None if passed & indices else frozenset(passed)


def _set(nodes: Sequence[Node]) -> Iterator[str]:
    for node in all_nodes(nodes):
        if isinstance(node, Statement) and isinstance(node.target, Register):
            yield node.target.name


def _used(nodes: Sequence[Node]) -> Iterator[str]:
    for node in all_nodes(nodes):
        if isinstance(node, Statement):
            yield from (value.name for value in walk_values(node.value) if isinstance(value, Register))


def _read_elsewhere(outside: Sequence[Node], loop: Loop) -> frozenset[str]:
    """Return the scalars that are read outside of a loop."""
    own = {id(node) for node in all_nodes(loop.body)}
    return frozenset(name for node in all_nodes(outside) if id(node) not in own for name in _used_here(node))


def _used_here(node: Node) -> Iterator[str]:
    return _used((node,)) if isinstance(node, Statement) else iter(())


def _row(name: str, loop: Loop, groups: Sequence[Sequence[Node]]) -> Array | None:
    """Return the array with an element of a scalar for each iteration."""
    types = {
        node.target.type
        for group in groups
        for node in all_nodes(group)
        if isinstance(node, Statement) and isinstance(node.target, Register) and node.target.name == name
    }
    assert isinstance(loop.range, Strided)
    if len(types) != 1 or loop.range.step != 1:
        return None
    (type_,) = types
    return Array(f"{name}_row", type_, type_.size_bytes, (loop.range.stop,), local=True)


def _expanded(nodes: tuple[Node, ...], rows: dict[str, Array], iterator: str) -> tuple[Node, ...]:
    def element(register: Register) -> Access | Register:
        array = rows.get(register.name)
        if array is None:
            return register
        strides: tuple[Poly | None, ...] = (const(array.element_bytes),)
        return Access(array.name, (var(iterator),), strides, register.type, unaliased=True, private=True)

    def leaf(value: Value) -> Value:
        found = element(value) if isinstance(value, Register) else value
        return Load(found) if isinstance(found, Access) else found

    def changed(statement: Statement) -> Statement:
        target = element(statement.target) if isinstance(statement.target, Register) else statement.target
        return replace(statement, target=target, value=map_leaves(statement.value, leaf))

    return map_statements(nodes, changed) if rows else nodes


def _replaced(node: Loop, iterator: str, made: tuple[Node, ...]) -> Loop:
    """Return a loop with the loop over an iterator inside replaced; the loop itself by a single one."""
    if node.iterator == iterator:
        (only,) = made
        assert isinstance(only, Loop)
        return only
    body: list[Node] = []
    for child in node.body:
        if isinstance(child, Loop) and child.iterator == iterator:
            body.extend(made)
        elif isinstance(child, Loop):
            body.append(_replaced(child, iterator, made))
        else:
            body.append(child)
    return replace(node, body=tuple(body))
