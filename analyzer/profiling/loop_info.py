"""The loops of a region as a report lists them: where each is, how deep, and over which range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.nodes import Guard, Loop, Node, Strided
from ..profile import LoopInfo


def loops_of(nodes: Sequence[Node], depth: int = 0) -> Iterator[LoopInfo]:
    """Yield the loops among some nodes, an outer one before those in it."""
    for node in nodes:
        if isinstance(node, Loop) and node.is_condition:
            yield from loops_of(node.body, depth)
        elif isinstance(node, Loop):
            inner = tuple(loops_of(node.body, depth + 1))
            yield LoopInfo(
                iterator=node.iterator,
                line=node.span.line,
                end_line=node.span.end_line,
                depth=depth,
                mapping=node.mapping,
                innermost=not inner,
                trip_text=_range_text(node),
                path=node.span.path,
            )
            yield from inner
        elif isinstance(node, Guard):
            yield from loops_of(node.body, depth)
            yield from loops_of(node.orelse, depth)


def _range_text(loop: Loop) -> str:
    match loop.range:
        case Strided(start, stop, step):
            by = "" if abs(step) == 1 else f", step {step}"
            within, before = ("<=", "<") if step > 0 else (">=", ">")
            return f"{start} {within} {loop.iterator} {before} {stop}{by}"
        case other:
            return f"{loop.iterator}: {other.trip} iterations"
