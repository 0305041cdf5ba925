"""Generic traversals of the loop tree, so that a pass states only what is its own.

* ``children_of`` and ``all_nodes``: what is below a node; ``fold`` combines it from the leaves upwards.
* ``map_bodies`` rebuilds a node with other bodies, ``map_indices`` with other index expressions; ``map_statements``
  rebuilds all statements below, ``map_accesses`` one statement with other references.
* ``bounds_of``, ``accesses``: the index expressions and the references of one node.
* ``walk`` yields every node with the way down to it: loops, guards with polarity, exits passed before.

Those of values stand in :mod:`.values`, those of conditions in :mod:`.conditions`.

>>> from ..source import NO_SPAN
>>> from .index import ZERO, var
>>> from .nodes import Strided
>>> nest = Loop("i", Strided(ZERO, var("N")), (Exit("i", NO_SPAN),), NO_SPAN)
>>> [type(node).__name__ for node in all_nodes([nest])], fold(nest, lambda node, below: 1 + sum(below))
(['Loop', 'Exit'], 2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar, assert_never

from msgspec.structs import replace

from .conditions import condition_indices, map_condition_indices
from .index import Poly
from .nodes import (
    Calls,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Range,
    Statement,
    Stepped,
    Steps,
    Strided,
    Uncounted,
)
from .nodes import all_nodes as all_nodes
from .values import (
    Access,
    IndexValue,
    Load,
    Value,
    access_indices,
    map_access_indices,
    map_leaves,
    walk_values,
)

Found = TypeVar("Found")


def children_of(node: Node) -> tuple[Node, ...]:
    """Return the direct children of a node in source order, those of a loop's header first."""
    match node:
        case Loop():
            return (*node.header, *node.body)
        case Guard():
            return (*node.body, *node.orelse)
        case Statement() | Exit():
            return ()
        case _:
            assert_never(node)


def fold(node: Node, combine: Callable[[Node, Sequence[Found]], Found]) -> Found:
    """Return what ``combine`` makes of a node and of the results of its children."""
    return combine(node, [fold(child, combine) for child in children_of(node)])


def map_bodies(node: Node, change: Callable[[tuple[Node, ...]], tuple[Node, ...]]) -> Node:
    """Return a loop with its body changed, a conditional with both bodies changed, and any other node as it is."""
    match node:
        case Loop():
            return replace(node, body=change(node.body))
        case Guard():
            return replace(node, body=change(node.body), orelse=change(node.orelse))
        case Statement() | Exit():
            return node
        case _:
            assert_never(node)


def bounds_of(range_: Range) -> tuple[Poly, ...]:
    """Return the index expressions at which a loop starts and stops."""
    match range_:
        case Strided() | Geometric():
            return (range_.start, range_.stop)
        case Uncounted(calls=calls):
            return () if calls is None else (calls.start,)
        case _:
            assert_never(range_)


def accesses(statement: Statement) -> tuple[tuple[Access, bool], ...]:
    """Return the memory references of a statement in execution order, each with True where it writes."""
    return statement.accesses


def decisive_indices(node: Node) -> Iterator[Poly]:
    """Yield what decides how often a node runs and which elements it touches: bounds, conditions, and addresses.

    An index that is only computed with (:class:`.values.IndexValue`) decides neither.  Those of children are their own.
    """
    match node:
        case Loop():
            yield from bounds_of(node.range)
        case Guard():
            yield from condition_indices(node.condition)
        case Statement():
            for access, _ in accesses(node):
                yield from access_indices(access)
        case Exit():
            pass
        case _:
            assert_never(node)


def indices_of(node: Node) -> Iterator[Poly]:
    """Yield every index expression of a node itself, those that are only computed with last."""
    yield from decisive_indices(node)
    if isinstance(node, Statement):
        for value in walk_values(node.value):
            if isinstance(value, IndexValue):
                yield from (value.index, *(access_indices(value.element) if value.element is not None else ()))


def names_in(nodes: Iterable[Node]) -> set[str]:
    """Return the names in index expressions anywhere below, with those of trip counts."""
    found: set[str] = set()
    for node in all_nodes(nodes):
        if isinstance(node, Guard):
            found |= node.condition.names
        else:
            found.update(*(index.names() for index in indices_of(node)))
        if isinstance(node, Loop) and isinstance(node.range, Uncounted | Geometric):
            found.add(node.range.trip)
    return found


def accesses_in(nodes: Iterable[Node]) -> Iterator[tuple[Access, bool]]:
    """Yield the accesses of all statements below, and whether each is a store."""
    for node in all_nodes(nodes):
        if isinstance(node, Statement):
            yield from accesses(node)


def array_uses(nodes: Iterable[Node]) -> set[str]:
    """Return the names of the arrays that any reference touches."""
    return {access.array for access, _ in accesses_in(nodes)}


def map_accesses(statement: Statement, change: Callable[[Access], Access]) -> Statement:
    """Return a statement with its memory references changed."""

    def changed(leaf: Value) -> Value:
        return Load(change(leaf.access)) if isinstance(leaf, Load) else leaf

    target = change(statement.target) if isinstance(statement.target, Access) else statement.target
    return replace(statement, target=target, value=map_leaves(statement.value, changed))


def map_statements(nodes: Iterable[Node], change: Callable[[Statement], Statement]) -> tuple[Node, ...]:
    """Return nodes with all statements in them and below changed, those of loop headers included."""

    def changed(node: Node) -> Node:
        match node:
            case Statement():
                return change(node)
            case Loop():
                header = tuple(change(statement) for statement in node.header)
                return replace(node, header=header, body=map_statements(node.body, change))
            case Guard() | Exit():
                return map_bodies(node, lambda body: map_statements(body, change))
            case _:
                assert_never(node)

    return tuple(changed(node) for node in nodes)


def map_bounds(range_: Range, change: Callable[[Poly], Poly]) -> Range:
    """Return a range with its start and its stop changed, or its length."""
    match range_:
        case Strided() | Geometric():
            return replace(range_, start=change(range_.start), stop=change(range_.stop))
        case Uncounted(length=None, calls=None, steps=None):
            return range_
        case Uncounted(length=length, calls=calls, steps=steps):
            return replace(
                range_,
                length=None if length is None else change(length),
                calls=None if calls is None else _map_calls(calls, change),
                steps=None if steps is None else _map_steps(steps, change),
            )
        case _:
            assert_never(range_)


def _map_calls(calls: Calls, change: Callable[[Poly], Poly]) -> Calls:
    inner = tuple((map_condition_indices(condition, change), change(size)) for condition, size in calls.inner)
    return Calls(change(calls.start), inner)


def indices_of_steps(steps: Steps) -> Iterator[Poly]:
    """Yield the values at entry and after an iteration, and what the condition compares."""
    for one in steps.variables:
        yield from (one.start, one.after)
    yield from condition_indices(steps.condition)


def _map_steps(steps: Steps, change: Callable[[Poly], Poly]) -> Steps | None:
    """Return the steps changed; None where a value is not known any more."""
    variables = tuple(Stepped(one.name, change(one.start), change(one.after), one.least) for one in steps.variables)
    condition = map_condition_indices(steps.condition, change)
    changed = Steps(variables, condition, steps.test_last)
    return None if any(poly.unknowns() for poly in indices_of_steps(changed)) else changed


def map_indices(node: Node, change: Callable[[Poly], Poly]) -> Node:
    """Return a node with every index expression of its own and of its header changed; bodies stay as they are."""
    match node:
        case Loop():
            header = tuple(_map_statement_indices(statement, change) for statement in node.header)
            return replace(node, range=map_bounds(node.range, change), header=header)
        case Guard():
            return replace(node, condition=map_condition_indices(node.condition, change))
        case Statement():
            return _map_statement_indices(node, change)
        case Exit():
            return node
        case _:
            assert_never(node)


def _map_statement_indices(statement: Statement, change: Callable[[Poly], Poly]) -> Statement:
    def changed(leaf: Value) -> Value:
        match leaf:
            case Load(access):
                return Load(map_access_indices(access, change))
            case IndexValue(index, element=element):
                element = None if element is None else map_access_indices(element, change)
                return replace(leaf, index=change(index), element=element)
            case _:
                return leaf

    target = statement.target
    moved = map_access_indices(target, change) if isinstance(target, Access) else target
    return replace(statement, target=moved, value=map_leaves(statement.value, changed))
