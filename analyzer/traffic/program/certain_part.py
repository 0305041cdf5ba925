"""The code of a region that runs whatever the data are: the bytes that it moves are the fewest of the region.

Left out are conditionals on data, with both arms, and loops that may end early, with all that is in them.  A return
outside of loops is taken not to happen, as the report says (AI306).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from ...ir.conditions import leaves
from ...ir.nodes import Compare, Condition, DataDependent, Exit, Guard, Loop, Node, Region, Truth
from ...ir.traverse import children_of, map_bodies


def certain_part(region: Region, skipped: Collection[int] = ()) -> Region | None:
    """Return a region without the code that data may skip, and without the nodes at the positions ``skipped``.

    The others keep their positions.  None where nothing is left out.
    """
    body = tuple(_nothing(node) if position in skipped else _certain(node) for position, node in enumerate(region.body))
    unchanged = all(one is other for one, other in zip(body, region.body, strict=True))
    return None if unchanged else replace(region, body=body)


def may_end_early(loop: Loop) -> bool:
    """Return whether something in a loop ends it, or more than it."""
    return bool(_targets(loop.body))


def leaves_early(node: Node) -> bool:
    """Return whether a node may end what is around it."""
    return bool(_targets((node,)))


def _targets(nodes: Iterable[Node]) -> set[str | None]:
    """Return the iterators of the loops that nodes end, None of the function."""
    found: set[str | None] = set()
    for node in nodes:
        match node:
            case Exit(loop=loop):
                found.add(loop)
            case Loop():
                found |= _targets(node.body) - {node.iterator}
            case _:
                found |= _targets(children_of(node))
    return found


def _certain(node: Node) -> Node:
    """Return a node without what data may skip, itself where there is nothing."""
    match node:
        case Loop() if may_end_early(node):
            return _nothing(node)
        case Guard() if not _is_decided(node.condition):
            return _nothing(node)
        case Loop() | Guard():
            inner = children_of(node)
            kept = {id(each): _certain(each) for each in inner}
            if all(kept[id(each)] is each for each in inner):
                return node
            return map_bodies(node, lambda body: tuple(kept[id(each)] for each in body))
        case _:
            return node


def _nothing(node: Node) -> Node:
    return Guard(Truth(True), (), (), node.span)


def _is_decided(condition: Condition) -> bool:
    """Return whether counters alone decide a condition, in a way that the models follow."""
    for leaf in leaves(condition):
        if isinstance(leaf, DataDependent):
            return False
        if isinstance(leaf, Compare):
            difference = leaf.left - leaf.right
            if difference.unknowns() or any(len(monomial) > 1 for monomial in difference.terms):
                return False
    return True
