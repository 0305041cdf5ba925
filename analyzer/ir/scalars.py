"""The scalars that an iteration of a loop takes from an earlier one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .nodes import Exit, Guard, Loop, Node, Statement
from .values import Access, IndexValue, Load, Register, walk_values


def carried_scalars(body: Sequence[Node]) -> list[str]:
    """Return the scalars that a body reads before it has surely set them, and sets, in the order of the reads.

    >>> from .types import FP64
    >>> from ..source import Span
    >>> s, t = Register("s", FP64), Register("t", FP64)
    >>> carried_scalars([Statement(t, s, Span("f.c", 1, 1)), Statement(s, t, Span("f.c", 2, 2))])
    ['s']
    """
    written: set[str] = set()
    exposed: dict[str, None] = {}
    _follow(body, set(), written, exposed)
    return [name for name in exposed if name in written]


def _follow(nodes: Sequence[Node], surely: set[str], written: set[str], exposed: dict[str, None]) -> set[str]:
    """Note the scalars that are read before they are surely set; return those that are set afterwards."""
    for node in nodes:
        match node:
            case Statement():
                exposed.update(dict.fromkeys(name for name in _read(node) if name not in surely))
                if isinstance(node.target, Register):
                    written.add(node.target.name)
                    surely = surely | {node.target.name}
            case Loop():
                _follow((*node.header, *node.body), surely, written, exposed)
            case Guard():
                one = _follow(node.body, surely, written, exposed)
                surely = one & _follow(node.orelse, surely, written, exposed)
            case Exit():
                pass
    return surely


def _read(statement: Statement) -> Iterator[str]:
    """Yield the names that a statement reads: registers, and those in integer expressions, which hold their values."""
    accesses = [statement.target] if isinstance(statement.target, Access) else []
    for value in walk_values(statement.value):
        if isinstance(value, Register):
            yield value.name
        elif isinstance(value, Load):
            accesses.append(value.access)
        elif isinstance(value, IndexValue):
            yield from (atom.label for atom in value.index.unknowns())
            yield from value.index.names()
    for access in accesses:
        for subscript in access.subscripts:
            yield from (atom.label for atom in subscript.unknowns())
            yield from subscript.names()
