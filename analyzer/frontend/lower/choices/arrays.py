"""The arrays of a finished region: tables of which a pointer may point at several rows become arrays of their own.

Nodes that name arrays and tables -> nodes that name arrays.  A table whose rows are all known is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ....ir.index import Poly, const, exact_quotient, names_in, unknown
from ....ir.nodes import Array, MemorySpace, Node, Statement
from ....ir.traverse import accesses, all_nodes, map_accesses, map_statements
from ....ir.values import Access, byte_offset
from ..names.bindings import BETWEEN
from ..names.memory import Memory


class _Table(Struct, frozen=True):
    """An array whose rows are arrays: by name, its members by the number of their row; one shape for all accesses."""

    name: str
    rows: dict[str, int]
    is_flat: bool
    unaliased: bool
    private: bool


def with_arrays(nodes: Sequence[Node], memory: Memory) -> tuple[Node, ...]:
    """Return nodes without tables, and add the arrays that take their place to the memory."""
    if not memory.tables:
        return tuple(nodes)
    by_number = {number: name for name, number in memory.numbers.items()}

    def single(access: Access) -> Access:
        number = access.subscripts[0].constant if access.array in memory.tables else None
        name = None if number is None else by_number.get(number)
        if name is None:
            return access
        return replace(
            access, array=name, subscripts=access.subscripts[1:], strides_bytes=access.strides_bytes[1:],
            unaliased=name in memory.unaliased, private=memory.arrays[name].local,
        )  # fmt: skip

    nodes = _mapped(nodes, single)
    statements = (node for node in all_nodes(nodes) if isinstance(node, Statement))
    found = [access for statement in statements for access, _ in accesses(statement)]
    tables = _tables(memory, found)
    if not tables:
        return tuple(nodes)
    return _mapped(nodes, lambda access: _in_table(access, tables, memory))


def _mapped(nodes: Iterable[Node], change: Callable[[Access], Access]) -> tuple[Node, ...]:
    return map_statements(nodes, lambda statement: map_accesses(statement, change))


def _tables(memory: Memory, accessed: Sequence[Access]) -> dict[str, _Table]:
    """Return the tables in use by the names of their members, those with a common member united."""
    groups: list[set[str]] = []
    for name in dict.fromkeys(access.array for access in accessed if access.array in memory.tables):
        united = set(memory.tables[name])
        apart = []
        for group in groups:
            if group.isdisjoint(united):
                apart.append(group)
            else:
                united |= group
        groups = [*apart, united]
    found: dict[str, _Table] = {}
    for group in groups:
        table = _table(memory, sorted(group, key=memory.number), accessed)
        found.update(dict.fromkeys(group, table))
    return found


def _table(memory: Memory, members: Sequence[str], found: Sequence[Access]) -> _Table:
    first = memory.number(members[0])
    rows = {name: memory.number(name) - first for name in members}
    name = BETWEEN.join(members)
    shapes = {_inner(memory, access) for access in found if memory.members(access.array) <= rows.keys()}
    is_flat = len(shapes) > 1
    arrays = [memory.arrays[member] for member in members]
    memory.arrays[name] = _array(name, arrays, max(rows.values()) + 1, is_flat=is_flat)
    return _Table(
        name=name,
        rows=rows,
        is_flat=is_flat,
        unaliased=memory.unaliased.issuperset(members),
        private=all(array.local for array in arrays),
    )


def _array(name: str, members: Sequence[Array], rows: int, *, is_flat: bool) -> Array:
    """Return the array of a table; an extent within the rows is that of all members, or their largest number."""
    first = members[0]
    inner: tuple[Poly | None, ...] = (None,)
    if not is_flat and len({len(member.extents) for member in members}) == 1:
        inner = tuple(_extent(extents) for extents in zip(*(member.extents for member in members), strict=True))
    spaces = {member.space for member in members}
    return replace(
        first,
        name=name,
        extents=(const(rows), *inner),
        space=spaces.pop() if len(spaces) == 1 else MemorySpace.GLOBAL,
        local=all(member.local for member in members),
    )


def _extent(extents: Sequence[Poly | None]) -> Poly | None:
    numbers = [None if extent is None else extent.constant for extent in extents]
    if len(set(extents)) == 1:
        return extents[0]
    return None if None in numbers else const(max(number for number in numbers if number is not None))


def _inner(memory: Memory, access: Access) -> tuple[Poly | None, ...]:
    return access.strides_bytes[1:] if access.array in memory.tables else access.strides_bytes


def _in_table(access: Access, tables: dict[str, _Table], memory: Memory) -> Access:
    """Return an access to a member or a table as one to the array of the table."""
    members = memory.members(access.array)
    table = tables.get(next(iter(members)))
    if table is None:
        return access
    if access.array in memory.tables and not access.subscripts:
        row, subscripts, strides = unknown(table.name, ()), access.subscripts, access.strides_bytes
    elif access.array in memory.tables:
        first = min(memory.number(member) for member in table.rows)
        row, subscripts, strides = access.subscripts[0] - first, access.subscripts[1:], access.strides_bytes[1:]
    else:
        row, subscripts, strides = const(table.rows[access.array]), access.subscripts, access.strides_bytes
    offset, member = access.offset_bytes, access.member
    if table.is_flat:
        subscripts, strides, offset, member = (_element(access, subscripts, strides),), (_size(access),), 0, ""
    return replace(
        access,
        array=table.name,
        subscripts=(row, *subscripts),
        strides_bytes=(None, *strides),
        offset_bytes=offset,
        member=member,
        unaliased=table.unaliased,
        private=table.private,
    )


def _size(access: Access) -> Poly:
    return const(access.type.size_bytes or 1)


def _element(access: Access, subscripts: Sequence[Poly], strides: Sequence[Poly | None]) -> Poly:
    """Return the number of an element within its row; unknown where its address is no multiple of its size."""
    offset = byte_offset(subscripts, strides, access.offset_bytes)
    found = None if offset is None else exact_quotient(offset, access.type.size_bytes or 1)
    if found is None:
        return unknown(f"{access.array}[]", names_in(subscripts))
    return found
