"""Loops of a kernel whose length only a launch determines: compilers do not unroll them in whole.

Input: the region of a launch, and that of the kernel as its compiler sees it, without a launch and given
values.  Output: the former, whose loops have :attr:`~....ir.nodes.Loop.at_run_time` where they have numbers of
iterations in it and none in the latter: ``for (j = 0; j < blockDim.x / 32; j++)``.  A loop is known by its position in
the source.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial
from typing import assert_never

from msgspec.structs import replace

from ....ir.nodes import Geometric, Loop, Node, Range, Region, Strided, Uncounted
from ....ir.nodes import Mapping as LoopMapping
from ....ir.traverse import all_nodes, map_bodies
from ....source import Span


def with_run_time_extents(region: Region, compiled: Callable[[], Region]) -> Region:
    """Return the region with its loops marked; ``compiled`` is asked for where there is a loop to decide on."""
    lengths = {symbol.name for symbol in region.symbols}
    numbers = {loop.span for loop in _sequential(region) if _is_number(loop.range, lengths)}
    if not numbers:
        return region
    seen = compiled()
    lengths = {symbol.name for symbol in seen.symbols}
    found = [(loop.span, _is_number(loop.range, lengths)) for loop in _sequential(seen)]
    known = {span for span, is_number in found if is_number}
    marked = numbers & {span for span, _ in found} - known
    return replace(region, body=_marked(region.body, marked)) if marked else region


def _sequential(region: Region) -> list[Loop]:
    return [
        node for node in all_nodes(region.body) if isinstance(node, Loop) and node.mapping is LoopMapping.SEQUENTIAL
    ]


def _is_number(values: Range, lengths: Set[str]) -> bool:
    """Return whether the iterations of a loop depend on none of these sizes, nor on anything that is not known."""
    match values:
        case Strided():
            bounds = [values.stop - values.start]
        case Geometric():
            bounds = [values.start, values.stop]
        case Uncounted():
            return False
        case _:
            assert_never(values)
    return all(lengths.isdisjoint(bound.names()) and not bound.unknowns() for bound in bounds)


def _marked(nodes: tuple[Node, ...], spans: Set[Span]) -> tuple[Node, ...]:
    found = (map_bodies(node, partial(_marked, spans=spans)) for node in nodes)
    return tuple(
        replace(node, at_run_time=True) if isinstance(node, Loop) and node.span in spans else node for node in found
    )
