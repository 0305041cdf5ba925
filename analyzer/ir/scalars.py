"""The scalars that an iteration of a loop takes from an earlier one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .conditions import is_any_true, negated
from .nodes import And, Condition, Exit, Guard, Loop, Node, Statement
from .values import Access, IndexValue, Load, Register, walk_values


def carried_scalars(body: Sequence[Node]) -> list[str]:
    """Return the scalars that a body reads before it has surely set them, and sets, in the order of the reads.

    >>> from .types import FP64
    >>> from ..source import Span
    >>> s, t = Register("s", FP64), Register("t", FP64)
    >>> carried_scalars([Statement(t, s, Span("f.c", 1, 1)), Statement(s, t, Span("f.c", 2, 2))])
    ['s']
    """
    found = _Scalars()
    found.follow(body, (), frozenset(), {})
    return [name for name in found.exposed if name in found.written]


class _Scalars:
    """The scalars of a body: those that are ``written``, and those ``exposed`` to reads before they are surely set."""

    def __init__(self) -> None:
        self.written: set[str] = set()
        self.exposed: dict[str, None] = {}

    def follow(
        self, nodes: Sequence[Node], path: _Path, surely: frozenset[str], partly: Mapping[str, _Path]
    ) -> tuple[frozenset[str], Mapping[str, _Path]]:
        """Note the scalars of some nodes; return those set afterwards: surely, and under which conditions."""
        for node in nodes:
            match node:
                case Statement():
                    for name in _read(node):
                        if name not in surely and not _is_set(partly.get(name, ()), path):
                            self.exposed[name] = None
                    if isinstance(node.target, Register):
                        self.written.add(node.target.name)
                        surely = surely | {node.target.name}
                case Loop():
                    self.follow((*node.header, *node.body), path, surely, partly)
                case Guard():
                    one, first = self.follow(node.body, (*path, node.condition), surely, partly)
                    opposite = (*path, negated(node.condition))
                    other, second = self.follow(node.orelse, opposite, surely, partly)
                    partly = _joined(first, second)
                    for names, conditions in ((one - other, (*path, node.condition)), (other - one, opposite)):
                        partly = {**partly, **{name: (*partly.get(name, ()), And(conditions)) for name in names}}
                    surely = one & other
                case Exit():
                    pass
        return surely, partly


_Path = tuple[Condition, ...]


def _joined(one: Mapping[str, _Path], other: Mapping[str, _Path]) -> Mapping[str, _Path]:
    if one is other:
        return one
    return {name: tuple(dict.fromkeys((*one.get(name, ()), *other.get(name, ())))) for name in {**one, **other}}


def _is_set(conditions: _Path, path: _Path) -> bool:
    """Return whether one of the conditions under which a scalar is set holds wherever those of a path do."""
    return bool(conditions) and is_any_true((*conditions, *map(negated, path)))


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
