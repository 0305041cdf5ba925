"""The code of a region that no condition on data skips: the bytes that it moves are the fewest of the region.

Left out are conditionals on data, with both arms.  Early exits are taken not to happen, as the report says (AI306): the
bytes and the time of a loop that may end early are those of all its iterations.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...ir.conditions import leaves
from ...ir.nodes import Compare, Condition, DataDependent, Guard, Loop, Node, Region, Truth
from ...ir.traverse import children_of, map_bodies


def certain_part(region: Region) -> tuple[Region, int] | None:
    """Return a region without the code that data may skip, and the position of the first node that has some of it.

    Nodes keep their positions.  None where there is no such code.
    """
    body = tuple(map(_certain, region.body))
    since = next((at for at, (one, other) in enumerate(zip(body, region.body, strict=True)) if one is not other), None)
    return None if since is None else (replace(region, body=body), since)


def _certain(node: Node) -> Node:
    """Return a node without what data may skip, itself where there is nothing."""
    match node:
        case Guard() if not _is_decided(node.condition):
            return Guard(Truth(True), (), (), node.span)
        case Loop() | Guard():
            inner = children_of(node)
            kept = {id(each): _certain(each) for each in inner}
            if all(kept[id(each)] is each for each in inner):
                return node
            return map_bodies(node, lambda body: tuple(kept[id(each)] for each in body))
        case _:
            return node


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
