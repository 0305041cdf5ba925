"""The code of a region that no condition on data skips: the bytes that it moves are the fewest of the region.

Left out are conditionals on data, with both arms; of loops that data may end all iterations but the first one; and what
follows a jump out of the code that it stands in.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ...ir.conditions import leaves
from ...ir.index import maximum, minimum
from ...ir.nodes import Compare, Condition, DataDependent, Exit, Guard, Loop, Node, Region, Strided, Truth
from ...ir.traverse import all_nodes, children_of, map_bodies


def certain_part(region: Region) -> tuple[Region, int] | None:
    """Return a region without the code that data may skip, and the position of the first node that has some of it.

    Nodes keep their positions.  None where there is no such code.
    """
    body = _certain_body(region.body)
    since = next((at for at, (one, other) in enumerate(zip(body, region.body, strict=True)) if one is not other), None)
    return None if since is None else (replace(region, body=body), since)


def _certain_body(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return nodes that follow one another without what data may skip, the same ones where there is nothing."""
    return _reached(nodes, tuple(map(_certain, nodes)))


def _reached(nodes: Sequence[Node], certain: Sequence[Node]) -> tuple[Node, ...]:
    """Return what is certain of nodes that follow one another: nothing behind the first that may leave them."""
    left = next((number for number, node in enumerate(nodes) if _may_leave(node)), len(nodes))
    return (*certain[: left + 1], *map(_nothing, nodes[left + 1 :]))


def _certain(node: Node) -> Node:
    """Return a node without what data may skip, itself where there is nothing."""
    match node:
        case Guard() if not _is_decided(node.condition):
            return _nothing(node)
        case Loop() if any(map(_may_leave, node.body)):
            first = _first_iteration(node)
            return first if isinstance(first, Guard) else map_bodies(first, _certain_body)
        case Loop() | Guard():
            inner = children_of(node)
            kept = {id(each): _certain(each) for each in inner}
            if all(kept[id(each)] is each for each in inner):
                return node
            return map_bodies(node, lambda body: _reached(body, [kept[id(each)] for each in body]))
        case _:
            return node


def _nothing(node: Node) -> Guard:
    return Guard(Truth(True), (), (), node.span)


def _first_iteration(loop: Loop) -> Loop | Guard:
    """Return a loop with its first iteration alone; nothing where it is not known whether that runs."""
    bounds = loop.range
    if not isinstance(bounds, Strided):
        return _nothing(loop)
    ends = (bounds.stop, bounds.start + bounds.step)
    stop = minimum(ends) if bounds.step > 0 else maximum(ends)
    return replace(loop, range=replace(bounds, stop=stop))


def _may_leave(node: Node) -> bool:
    """Return whether a jump leaves the code that a node stands in."""
    inside = [*all_nodes((node,))]
    loops = {each.iterator for each in inside if isinstance(each, Loop)}
    return any(isinstance(each, Exit) and each.loop not in loops for each in inside)


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
