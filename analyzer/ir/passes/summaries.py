"""Loops that stand for the work of calls: what they touch is not known, so that no nest and no cache is modelled."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from ..nodes import Exit, Guard, Loop, Node, Region, Statement
from ..traverse import all_nodes
from ..values import Opaque

_NEW = "object-of-a-loop"


def is_summary(node: Node) -> bool:
    """Return whether everything in a node is counted without what it touches."""
    statements = [each for each in all_nodes((node,)) if isinstance(each, Statement)]
    return bool(statements) and all(map(_is_counted, statements))


def has_summaries(nodes: Iterable[Node]) -> bool:
    """Return whether anything in some nodes may store what is not known; no object that a loop makes anew does."""
    return any(isinstance(each, Statement) and _is_counted(each) and not _is_new(each) for each in all_nodes(nodes))


def without_summaries(region: Region) -> Region:
    """Return a region without what is counted without what it touches, but for what may leave loops."""
    return replace(region, body=tuple(_kept(region.body)))


def _kept(nodes: Iterable[Node]) -> Iterable[Node]:
    for node in nodes:
        if is_summary(node) and not any(isinstance(each, Exit) for each in all_nodes((node,))):
            continue
        match node:
            case Loop():
                yield replace(node, body=tuple(_kept(node.body)))
            case Guard():
                yield replace(node, body=tuple(_kept(node.body)), orelse=tuple(_kept(node.orelse)))
            case _:
                yield node


def _is_counted(statement: Statement) -> bool:
    value = statement.value
    return statement.target is None and isinstance(value, Opaque) and value.counted is not None


def _is_new(statement: Statement) -> bool:
    value = statement.value
    return isinstance(value, Opaque) and value.what.form == _NEW
