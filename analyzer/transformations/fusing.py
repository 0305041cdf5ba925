"""Nests that follow one another as one: nodes to the loops that all of their iterations may share.

What may be fused says :mod:`.fusion`.  As many nests as possible become one; where each holds nothing but a loop, these
become one as well, if they may, and so on inwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..ir.index import var
from ..ir.names import source_name
from ..ir.nodes import Loop, Node, Statement
from ..ir.passes.substitute import bind_nodes
from .bands import chain_of
from .fusion import neighbours, read_once
from .kinds import Fuse


class Fused(Struct, frozen=True):
    """A nest made of those over ``iterators``, and the step that makes it."""

    step: Fuse
    loop: Loop
    iterators: tuple[str, ...]


def fusions(nodes: Sequence[Node]) -> Iterator[Fused]:
    """Yield the nests that several of the nodes may become, each of these in one of them at most."""
    made: Fused | None = None
    for first, between, second in neighbours(nodes):
        if made is not None and made.iterators[-1] != first.iterator:
            yield made
            made = None
        longer = _with(made, first, between, second)
        if longer is None and made is not None:
            yield made
        made = longer
    if made is not None:
        yield made


def _with(made: Fused | None, first: Loop, between: Sequence[Statement], second: Loop) -> Fused | None:
    """Return what was made so far, or the first nest, as one with the second; None where as many loops may not."""
    before = first if made is None else made.loop
    shared = read_once(before, between, second)
    if not shared:
        return None
    loop, depth = _one(before, second)
    loops = tuple(source_name(each.iterator) for each in chain_of(loop)[:depth])
    if made is None:
        made = Fused(Fuse((first.span.line,), loops, ()), first, (first.iterator,))
    if made.step.loops != loops:
        return None
    arrays = tuple(dict.fromkeys((*made.step.arrays, *shared)))
    return Fused(Fuse((*made.step.lines, second.span.line), loops, arrays), loop, (*made.iterators, second.iterator))


def _one(first: Loop, second: Loop) -> tuple[Loop, int]:
    """Return two loops that may be fused as one, and how many loops of them are one now."""
    body = bind_nodes(second.body, {second.iterator: var(first.iterator)})
    inside = [*first.body, *body]
    if len(inside) == 2 and len(body) == 1:
        outer, inner = inside
        if isinstance(outer, Loop) and isinstance(inner, Loop) and read_once(outer, (), inner):
            made, depth = _one(outer, inner)
            return replace(first, body=(made,)), depth + 1
    return replace(first, body=tuple(inside)), 1
