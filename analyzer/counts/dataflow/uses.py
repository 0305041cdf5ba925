"""Who uses a value, and where: a value that only one branch of a conditional uses is computed there.

``value graph -> users, locations``.  Sinking (LLVM's InstCombine): an operation whose users are all in one branch of a
conditional right below it is moved there.  Calls that branch or loop inside stay where they are.  nvcc moves what has
one user: intrinsic functions into any branch, arithmetic only into branches with control flow of their own, loops or
quotients (nvcc 13.0; other branches of up to 16 products have it before them).  Into others it may move or not.  Into
what ends the kernel, which other threads leave before: the last sum of a reduction did where the branch has a
load, and did not where it had a store alone; of ``v += a*b; if (i == 0) { y[0] = v; ... }`` the product did with
three stores, and did not with one or two.  Into branches that call functions: a sum did before ``sqrt``, ``expf``,
``logf``, ``powf`` and ``tanhf``, and did not before ``sqrtf``, ``sinf``, ``erff``, ``exp``, ``log`` and ``pow``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...domains.domain import Iteration, Schedule, StatementDomain
from ...ir.nodes import Mapping as LoopMapping
from ...ir.values import SIGNED, Apply, Operation, is_atomic
from ..policy import Compiler
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


def sunk(
    graph: ValueGraph,
    users: Users,
    rooted: frozenset[str],
    statements: Sequence[StatementDomain],
    compiler: Compiler,
    *,
    is_most: bool,
) -> tuple[dict[Node, StatementDomain], bool]:
    """Return where operations move to that are used in one branch only; calls of ``rooted`` functions do not move.

    And whether any of them may move or not; where ``is_most`` none of these does.
    """
    moved: dict[Node, StatementDomain] = {}
    is_open = False
    is_nvcc = compiler is Compiler.NVCC
    branching = set(_branching(graph, statements, _QUOTIENTS)) if is_nvcc else set()
    either = {*_ends(statements), *_branching(graph, statements, _FUNCTIONS)} - branching if is_nvcc else set()
    for node in users_first(graph):
        if not _may_sink(node, rooted) or node.depth != len(node.statement.loops):
            continue
        if is_nvcc and len(set(users[node])) > 1:
            continue
        locations = [*graph.locations.get(node, ())]
        locations += [moved.get(user, user.statement) for user in users[node] if user is not None]
        block = node.statement.schedule[:-1]
        inner = {location.schedule[:-1] for location in locations}
        if len(inner) != 1 or not _is_branch_of(block, branch := next(iter(inner))):
            continue
        if is_nvcc and node.operation in _ARITHMETIC and branch not in branching:
            is_open = is_open or branch in either
            if branch not in either or is_most:
                continue
        moved[node] = locations[0]
    return moved, is_open


def _ends(statements: Sequence[StatementDomain]) -> Iterator[Schedule]:
    """Yield the branches that end the kernel."""
    for statement in statements[-1:]:
        threads = sum(loop.mapping is not LoopMapping.SEQUENTIAL for loop in statement.loops)
        for position in range(2, len(statement.schedule)):
            if sum(isinstance(step, Iteration) for step in statement.schedule[:position]) <= threads:
                yield statement.schedule[:position]


def _branching(
    graph: ValueGraph, statements: Sequence[StatementDomain], slow: frozenset[Operation]
) -> Iterator[Schedule]:
    """Yield the branches that have loops, or operations with slow paths: ``x / 8`` is a product."""
    slow_at = {node.statement.schedule for node in live_nodes(graph) if node.operation in slow}
    for statement in statements:
        steps = statement.schedule
        loops = [position for position, step in enumerate(steps) if isinstance(step, Iteration)]
        last = len(steps) - 1 if steps in slow_at else loops[-1] if loops else 0
        yield from (steps[:position] for position in range(2, last + 1))


_QUOTIENTS = frozenset({Operation.DIV, Operation.REM})
_FUNCTIONS = frozenset({Operation.CALL, Operation.SQRT})
_ARITHMETIC = frozenset(
    {Operation.ADD, Operation.SUB, Operation.MUL, Operation.NEG, Operation.CONVERT, Operation.SELECT}
)


def _may_sink(node: Node, rooted: frozenset[str]) -> bool:
    if not isinstance(node.value, Apply) or node.value.operation in _CONVERGENT:
        return False
    return node.value.function not in rooted and not is_atomic(node.value.function)


def _is_branch_of(block: Sequence[object], inner: Sequence[object]) -> bool:
    """Return whether ``inner`` is a branch of a conditional that stands in ``block`` itself."""
    is_below = len(inner) == len(block) + 2 and inner[: len(block)] == block
    return is_below and isinstance(inner[-1], int)


def users_first(graph: ValueGraph) -> list[Node]:
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


def is_negated(node: Node, users: Users) -> bool:
    """Return whether all uses of a value are negative, or products and quotients of which all uses are."""
    return all(
        user is not None and (user.operation is Operation.NEG or (user.operation in SIGNED and is_negated(user, users)))
        for user in users.get(node, ())
    )
