"""Adjacent loops that may become one: a sequence of nodes to the arrays that such pairs share.

Two loops may be fused here where nothing but scalar statements stands between them, both count through the same values,
neither is left early, no scalar goes from one to the other, and every element of an array that one of them writes is
touched by the same iteration of the outermost loop in both.  That is sufficient, not necessary (Kennedy and Allen,
*Optimizing Compilers for Modern Architectures*, 2001, section 8.6).  Subscripts of linearised rows are assumed to stay
inside their rows, and pointers not to overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from ..ir.index import Poly, var
from ..ir.nodes import Exit, Guard, Loop, Node, Statement, Strided
from ..ir.traverse import accesses
from ..ir.values import Access, Register, walk_values
from ..ir.walk import Visit, walk_nodes

_MOST_ACCESSES = 2000  # of two loops; with more, as in generated code, they are not compared


def fusible_pairs(nodes: Sequence[Node]) -> Mapping[str, tuple[str, ...]]:
    """Return what one loop would read once of each loop that may be fused with the one before it, by its iterator."""
    pairs = ((second.iterator, read_once(first, between, second)) for first, between, second in neighbours(nodes))
    return {iterator: again for iterator, again in pairs if again}


def read_once(first: Loop, between: Sequence[Statement], second: Loop) -> tuple[str, ...]:
    """Return the arrays that one loop would read once; () where there are none, or two loops may not become one."""
    shared = _shared(first, second)
    if not shared or not _may_fuse(first, between, second, shared):
        return ()
    touched = [*_accesses(first), *_accesses(second)]
    return tuple(array for array in shared if _same_iteration(touched, array))  # others are read twice by one loop too


def neighbours(nodes: Sequence[Node]) -> Iterator[tuple[Loop, list[Statement], Loop]]:
    """Yield loops that follow one another, with the scalar statements between."""
    last: Loop | None = None
    between: list[Statement] = []
    for node in nodes:
        match node:
            case Loop():
                if last is not None:
                    yield last, between, node
                last, between = node, []
            case Statement(target=Register()):
                between.append(node)
            case _:
                last = None
                if isinstance(node, Guard):
                    for part in (node.body, node.orelse):
                        yield from neighbours(part)


def _shared(first: Loop, second: Loop) -> tuple[str, ...]:
    own = dict.fromkeys(access.array for access, _, _ in _accesses(second))
    return tuple(dict.fromkeys(access.array for access, _, _ in _accesses(first) if access.array in own))


def _accesses(loop: Loop) -> Iterator[tuple[Access, bool, Visit]]:
    for visit in walk_nodes((loop,)):
        if isinstance(visit.node, Statement):
            yield from ((access, write, visit) for access, write in accesses(visit.node))


def _may_fuse(first: Loop, between: Sequence[Statement], second: Loop, shared: Sequence[str]) -> bool:
    if not isinstance(first.range, Strided) or first.range != second.range or first.mapping is not second.mapping:
        return False
    if any(isinstance(visit.node, Exit) for visit in walk_nodes((first, second))) or _passes_scalars(
        first, between, second
    ):
        return False
    loaded = {access.array for statement in between for access, _ in accesses(statement)}
    found = [*_accesses(first), *_accesses(second)]
    if len(found) > _MOST_ACCESSES:
        return False
    written = {access.array for access, write, _ in found if write}
    return loaded.isdisjoint(written) and all(_same_iteration(found, array) for array in shared if array in written)


def _passes_scalars(first: Loop, between: Sequence[Statement], second: Loop) -> bool:
    """Return whether the second loop, or a statement between, reads a scalar that was set before it in another loop."""
    names = [visit.node for visit in walk_nodes((first,)) if isinstance(visit.node, Statement)]
    inside = {statement.target.name for statement in names if isinstance(statement.target, Register)}
    if any(name in inside for statement in between for name in _read(statement)):
        return True
    set_before = inside | {statement.target.name for statement in between if isinstance(statement.target, Register)}
    return _left_after((second,), frozenset(set_before)) is None


def _left_after(nodes: Sequence[Node], names: frozenset[str]) -> frozenset[str] | None:
    """Return which of some scalars nodes do not set on every way; None where they read one before setting it."""
    left = names
    for node in nodes:
        match node:
            case Statement():
                if not left.isdisjoint(_read(node)):
                    return None
                if isinstance(node.target, Register):
                    left -= {node.target.name}
            case Loop():  # whose body may not run at all
                if _left_after((*node.header, *node.body), left) is None:
                    return None
            case Guard():
                arms = [_left_after(arm, left) for arm in (node.body, node.orelse)]
                if None in arms:
                    return None
                left = frozenset().union(*(arm for arm in arms if arm is not None))
            case Exit():
                pass
            case _:
                assert_never(node)
    return left


def _read(statement: Statement) -> Iterator[str]:
    return (value.name for value in walk_values(statement.value) if isinstance(value, Register))


def _same_iteration(found: Sequence[tuple[Access, bool, Visit]], array: str) -> bool:
    """Return whether each element belongs to one iteration of the outermost loop: one or all subscripts agree."""
    first, *others = (_by_depth(access, visit.loops) for access, _, visit in found if access.array == array)
    if any(len(subscripts) != len(first) for subscripts in others):
        return False
    same = [all(subscripts[index] == mine for subscripts in others) for index, mine in enumerate(first)]
    outermost = _iterator_at(0)
    if any(agree and (mine - outermost).constant is not None for agree, mine in zip(same, first, strict=True)):
        return True
    return all(same) and any(outermost.names() <= mine.names() for mine in first)


def _by_depth(access: Access, loops: Sequence[Loop]) -> tuple[Poly, ...]:
    """Return the subscripts in terms of the depths of loops, so that those of different nests can be compared."""
    numbered = {loop.iterator: _iterator_at(depth) for depth, loop in enumerate(loops)}
    return tuple(subscript.substitute(numbered) for subscript in access.subscripts)


def _iterator_at(depth: int) -> Poly:
    """Return a variable that stands for the iterator at a depth in any nest; no name in a source equals it."""
    return var(f"#{depth}")
