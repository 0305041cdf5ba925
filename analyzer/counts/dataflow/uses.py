"""Who uses a value, and where: a value that only one branch of a conditional uses is computed there.

``value graph -> users, locations``.  Sinking (LLVM's InstCombine): an operation whose users are all in one branch of a
conditional right below it is moved there.  Calls that branch or loop inside stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...domains.domain import StatementDomain
from ...ir.values import Apply, Operation
from .folding import Node
from .graph import ValueGraph


def live_nodes(graph: ValueGraph) -> Iterator[Node]:
    """Yield every node that something needs, once."""
    seen: set[Node] = set()
    pending = [*graph.stored, *graph.needed]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            pending.extend(node.operands)


_CONVERGENT = frozenset({Operation.TENSOR, Operation.SHUFFLE})
"""What all lanes of a warp do together: no branch takes it in."""

Users = Mapping[Node, Sequence[Node | None]]


def users_of(graph: ValueGraph) -> Users:
    """Return what uses each value: operations on it, and None where it is stored or needed for another reason."""
    users: dict[Node, list[Node | None]] = {}
    for node in (*graph.stored, *graph.needed):
        users.setdefault(node, []).append(None)
    for node in live_nodes(graph):
        for operand in node.operands:
            users.setdefault(operand, []).append(node)
    return users


def sunk(graph: ValueGraph, users: Users, rooted: frozenset[str]) -> dict[Node, StatementDomain]:
    """Return where operations move to that are used in one branch only; calls of ``rooted`` functions do not move."""
    moved: dict[Node, StatementDomain] = {}
    for node in _users_first(graph):
        if not _may_sink(node, rooted) or node.depth != len(node.statement.loops):
            continue
        locations = [*graph.locations.get(node, ())]
        locations += [moved.get(user, user.statement) for user in users[node] if user is not None]
        block = node.statement.schedule[:-1]
        inner = {location.schedule[:-1] for location in locations}
        if len(inner) == 1 and _is_branch_of(block, next(iter(inner))):
            moved[node] = locations[0]
    return moved


def _may_sink(node: Node, rooted: frozenset[str]) -> bool:
    if not isinstance(node.value, Apply) or node.value.operation in _CONVERGENT:
        return False
    return node.value.function not in rooted and not node.value.function.startswith("atomic")


def _is_branch_of(block: Sequence[object], inner: Sequence[object]) -> bool:
    """Return whether ``inner`` is a branch of a conditional that stands in ``block`` itself."""
    is_below = len(inner) == len(block) + 2 and inner[: len(block)] == block
    return is_below and isinstance(inner[-1], int)


def _users_first(graph: ValueGraph) -> list[Node]:
    """Return every live node, users before their operands."""
    order: list[Node] = []
    seen: set[Node] = set()
    pending = [(node, False) for node in (*graph.stored, *graph.needed)]
    while pending:
        node, is_done = pending.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            pending.append((node, True))
            pending.extend((operand, False) for operand in node.operands)
    order.reverse()
    return order
