"""The scalars that an iteration of a loop takes from an earlier one."""

from __future__ import annotations

from collections.abc import Sequence

from .nodes import Exit, Guard, Loop, Node, Statement
from .values import Register, walk_values


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
                for value in walk_values(node.value):
                    if isinstance(value, Register) and value.name not in surely:
                        exposed[value.name] = None
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
