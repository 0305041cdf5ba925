"""Axes of blocks and threads split into two or three loops, so that their quotients and remainders are affine.

A kernel that takes a warp as ``threadIdx.x / 32`` and a lane as ``threadIdx.x % 32`` is not affine in the thread.  With
``threadIdx.x = 32*w + l``, a loop over ``l`` inside one over ``w``, it is; the threads keep their order.  A loop is
split where the period of a division divides its extent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from msgspec.structs import replace

from ....ir.index import FloorDiv, TruncDiv, const, var
from ....ir.nodes import Loop, Mapping, Node, Region, Strided
from ....ir.passes.substitute import bind_nodes
from ....ir.traverse import all_nodes, decisive_indices

_MOST_DIGITS = 5  # loops that an axis is split into, which bounds the depth of nests
_AXES = frozenset(mapping for mapping in Mapping if mapping.value.startswith(("block", "thread")))


def with_split_axes(region: Region) -> Region:
    """Return the kernel with its loops over blocks and threads split by the divisions of their iterators."""
    divisions = list(dict.fromkeys(_divisions(region)))
    return replace(region, body=_nodes(region.body, divisions))


def _nodes(nodes: Sequence[Node], divisions: Sequence[FloorDiv | TruncDiv]) -> tuple[Node, ...]:
    return tuple(
        _split(node, divisions) if isinstance(node, Loop) and node.mapping in _AXES else node for node in nodes
    )


def _split(loop: Loop, divisions: Sequence[FloorDiv | TruncDiv]) -> Loop:
    extent = _extent(loop)
    weights = _weights(loop.iterator, extent, divisions) if extent else []
    if not extent or not weights:
        return replace(loop, body=_nodes(loop.body, divisions))
    ends = [*weights, extent]
    names = [loop.iterator, *(f"{loop.iterator}.{weight}" for weight in weights)]
    value = var(names[0])
    for name, weight in zip(names[1:], weights, strict=True):
        value = value + var(name) * weight
    body: tuple[Node, ...] = _nodes(bind_nodes(loop.body, {loop.iterator: value}), divisions)
    lower = 1
    for name, end in zip(names, ends, strict=True):
        trips = Strided(const(0), const(end // lower))
        body = (replace(loop, iterator=name, range=trips, body=body, unrolled_from=loop.source_iterator),)
        lower = end
    (whole,) = body
    assert isinstance(whole, Loop)
    return whole


def _extent(loop: Loop) -> int | None:
    if not isinstance(loop.range, Strided) or loop.range.start.constant != 0 or loop.range.step != 1:
        return None
    return loop.range.stop.constant


def _weights(iterator: str, extent: int, divisions: Sequence[FloorDiv | TruncDiv]) -> list[int]:
    """Return the weights of the digits above the lowest one, each a multiple of the one before."""
    periods = set()
    for atom in divisions:
        divisor, factor = atom.denominator.constant, atom.numerator.coefficient(iterator).constant
        if divisor and factor:
            periods.add(abs(divisor) // gcd(divisor, factor))
    found: list[int] = []
    for period in sorted(periods):
        if 1 < period < extent and not extent % period and not period % (found[-1] if found else 1):
            found.append(period)
    return found[: _MOST_DIGITS - 1]


def _divisions(region: Region) -> Iterator[FloorDiv | TruncDiv]:
    """Yield the divisions in subscripts, bounds and conditions."""
    for node in all_nodes(region.body):
        for index in decisive_indices(node):
            yield from (atom for atom in index.nested_atoms() if isinstance(atom, FloorDiv | TruncDiv))
