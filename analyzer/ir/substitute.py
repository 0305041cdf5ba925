"""Put values in for symbols throughout a region."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from msgspec.structs import replace

from .index import Number, Poly, const, var
from .nodes import (
    And,
    Array,
    Compare,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Range,
    Region,
    Statement,
    Strided,
    Truth,
    Uncounted,
    progression,
)
from .values import Access, Apply, Constant, IndexValue, Load, Opaque, Register, Value

Values = Mapping[str, Poly | Number]


def bind(region: Region, values: Values) -> Region:
    """The region with numbers in place of the symbols that have one."""
    arrays = tuple(
        Array(a.name, a.element, a.element_bytes, tuple(_maybe(e, values) for e in a.extents), a.space, a.local)
        for a in region.arrays
    )
    return replace(region, arrays=arrays, body=_nodes(region.body, values))


def bind_nodes(nodes: tuple[Node, ...], values: Values) -> tuple[Node, ...]:
    """Some nodes with polynomials in place of names."""
    return _nodes(nodes, values)


def bind_access(access: Access, values: Values) -> Access:
    """One reference with numbers for symbols."""
    return replace(
        access,
        subscripts=tuple(subscript.substitute(values) for subscript in access.subscripts),
        strides_bytes=tuple(_maybe(stride, values) for stride in access.strides_bytes),
    )


def _nodes(nodes: tuple[Node, ...], values: Values) -> tuple[Node, ...]:
    return tuple(bound for node in nodes for bound in _node(node, values))


def _node(node: Node, values: Values) -> tuple[Node, ...]:
    match node:
        case Statement():
            return (_statement(node, values),)
        case Loop():
            return _loop(node, values)
        case Guard():
            condition = _condition(node.condition, values)
            body, orelse = _nodes(node.body, values), _nodes(node.orelse, values)
            return (replace(node, condition=condition, body=body, orelse=orelse),)
        case Exit():
            name = values.get(node.loop) if node.loop is not None else None
            return (replace(node, loop=str(name)) if isinstance(name, Poly) else node,)
        case _:
            assert_never(node)


def _loop(loop: Loop, values: Values) -> tuple[Node, ...]:
    """A loop; one with a multiplying or halving counter of known values becomes a turn for each of them.

    Not where a turn may be the last: what leaves one does not reach the next.
    """
    range_ = _range(loop.range, values)
    independent = not loop.header and not _leaves(loop.body, loop.iterator)
    turns = progression(range_) if isinstance(range_, Geometric) and independent else None
    if turns is None:
        header = tuple(_statement(statement, values) for statement in loop.header)
        name = values.get(loop.iterator)
        iterator = str(name) if isinstance(name, Poly) else loop.iterator
        return (replace(loop, iterator=iterator, range=range_, header=header, body=_nodes(loop.body, values)),)
    unrolled: list[Node] = []
    for turn in turns[:-1]:
        fresh = {name: var(f"{name}.{turn}") for name in (loop.iterator, *_iterators(loop.body))}
        body = _nodes(loop.body, {**values, **fresh, loop.iterator: turn})
        single = Strided(const(turn), const(turn + 1))
        iterator = str(fresh[loop.iterator])
        unrolled.append(replace(loop, iterator=iterator, range=single, body=body, unrolled_from=loop.source_iterator))
    return tuple(unrolled)


def _iterators(nodes: tuple[Node, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Loop):
            yield node.iterator
            yield from _iterators(node.body)
        elif isinstance(node, Guard):
            yield from _iterators((*node.body, *node.orelse))


def _leaves(nodes: tuple[Node, ...], loop: str) -> bool:
    """Whether an exit of a loop is among the nodes."""
    for node in nodes:
        match node:
            case Exit():
                found = node.loop == loop
            case Loop():
                found = _leaves(node.body, loop)
            case Guard():
                found = _leaves((*node.body, *node.orelse), loop)
            case _:
                found = False
        if found:
            return True
    return False


def _statement(statement: Statement, values: Values) -> Statement:
    target = bind_access(statement.target, values) if isinstance(statement.target, Access) else statement.target
    return replace(statement, target=target, value=_value(statement.value, values))


def _value(value: Value, values: Values) -> Value:
    match value:
        case Load(access):
            return Load(bind_access(access, values))
        case IndexValue(index, type_):
            return IndexValue(index.substitute(values), type_)
        case Apply() | Opaque():
            return replace(value, operands=tuple(_value(operand, values) for operand in value.operands))
        case Constant() | Register():
            return value
        case _:
            assert_never(value)


def _range(range_: Range, values: Values) -> Range:
    match range_:
        case Strided() | Geometric():
            return replace(range_, start=range_.start.substitute(values), stop=range_.stop.substitute(values))
        case Uncounted():
            return range_
        case _:
            assert_never(range_)


def _condition(condition: Condition, values: Values) -> Condition:
    match condition:
        case Compare(comparison, left, right):
            return Compare(comparison, left.substitute(values), right.substitute(values))
        case And(operands):
            return And(tuple(_condition(operand, values) for operand in operands))
        case Or(operands):
            return Or(tuple(_condition(operand, values) for operand in operands))
        case Not(operand):
            return Not(_condition(operand, values))
        case DataDependent() | Truth():
            return condition
        case _:
            assert_never(condition)


def _maybe(poly: Poly | None, values: Values) -> Poly | None:
    return None if poly is None else poly.substitute(values)
