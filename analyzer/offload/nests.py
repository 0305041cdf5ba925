"""Which loops of a nest with directives are shared by the blocks of a GPU, and which by the threads of one.

* All threads share the iterations of ``teams distribute parallel for``, ``teams loop``, ``acc loop gang vector`` and of
  ``acc parallel loop`` without loops inside; those of ``collapse`` loops are one, the innermost counter fastest.
* Blocks share those of ``teams distribute`` and ``acc loop gang``, and the threads of a block those of loops inside
  that are ``parallel for``, ``loop vector`` or ``loop worker``.  OpenACC leaves it to the compiler where directives
  name none: the innermost loops of independent iterations, or that only sum, as nvc does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..ir.index import ONE, Poly, const, floor_div
from ..ir.nodes import Array, Guard, Loop, Node, OffloadModel, Strided
from ..ir.nodes import Mapping as LoopMapping
from ..ir.traverse import all_nodes
from ..parallelism import Ground
from ..profiling.parallel_loops import iterations_of

_SHARED = (LoopMapping.THREADS, LoopMapping.GANG, LoopMapping.SIMD)
_INDEPENDENT = (Ground.INDEPENDENT, Ground.REDUCTION)


class SharedLoops(Struct, frozen=True):
    """Perfectly nested loops whose iterations are shared as one, and what each does; ``trips`` are those of each."""

    loops: tuple[Loop, ...]
    trips: tuple[Poly, ...]

    @property
    def body(self) -> tuple[Node, ...]:
        """Return what one iteration does."""
        return self.loops[-1].body

    @property
    def total(self) -> Poly:
        """Return the number of iterations."""
        found = ONE
        for trips in self.trips:
            found *= trips
        return found


class OffloadedNest(Struct, frozen=True):
    """A nest on a GPU: the loops that blocks share, or all threads where none inside are those of ``threads``."""

    shared: SharedLoops
    threads: tuple[Loop, ...]
    is_flat: bool
    by_compiler: bool = False


def nest_of(loop: Loop, arrays: Sequence[Array], values: Mapping[str, int]) -> OffloadedNest | None:
    """Return how a loop with directives is shared; None where its number of iterations has no expression."""
    offload = loop.offload
    shared = None if offload is None else collapsed(loop, offload.loops, values)
    if offload is None or shared is None:
        return None
    if offload.blocks and not offload.threads:
        stated = tuple(_stated(shared.body))
        if stated or offload.model is OffloadModel.OPENMP:
            return OffloadedNest(shared, stated, is_flat=False)
        found = tuple(_vectorised(shared.body, arrays, values))
        return OffloadedNest(shared, found, is_flat=not found and offload.by_compiler, by_compiler=bool(found))
    return OffloadedNest(shared, (), is_flat=True)


def collapsed(loop: Loop, count: int, values: Mapping[str, int]) -> SharedLoops | None:
    """Return so many perfectly nested loops, fewer where the bounds of one depend on another."""
    loops: list[Loop] = []
    trips: list[Poly] = []
    inner: Node = loop
    while isinstance(inner, Loop) and len(loops) < count:
        length = _trips(inner, values)
        if length is None or inner.header or length.names() & {outer.iterator for outer in loops}:
            break
        loops.append(inner)
        trips.append(length)
        if len(inner.body) != 1:
            break
        inner = inner.body[0]
    return SharedLoops(tuple(loops), tuple(trips)) if loops else None


def _trips(loop: Loop, values: Mapping[str, int]) -> Poly | None:
    if not isinstance(loop.range, Strided):
        return None
    start, stop, step = (loop.range.start, loop.range.stop, loop.range.step)
    distance = (stop - start if step > 0 else start - stop).substitute(values)
    number = distance.constant
    if number is not None:
        return const(max(-(-number // abs(step)), 0))
    return distance if abs(step) == 1 else floor_div(distance + (abs(step) - 1), abs(step))


def _stated(nodes: Sequence[Node]) -> Iterator[Loop]:
    """Yield the outermost loops inside that directives share among threads; vectors come before workers around them."""
    for node in nodes:
        if isinstance(node, Loop) and node.mapping in _SHARED and isinstance(node.range, Strided):
            vectors = [*_stated(node.body)] if node.mapping is LoopMapping.GANG else []
            yield from vectors or (node,)
        elif isinstance(node, Loop):
            yield from _stated(node.body)
        elif isinstance(node, Guard):
            yield from _stated((*node.body, *node.orelse))


def _vectorised(nodes: Sequence[Node], arrays: Sequence[Array], values: Mapping[str, int]) -> Iterator[Loop]:
    """Yield the innermost loops inside whose iterations may run at the same time."""
    for node in nodes:
        if isinstance(node, Guard):
            yield from _vectorised((*node.body, *node.orelse), arrays, values)
        elif isinstance(node, Loop):
            if any(isinstance(inner, Loop) for inner in all_nodes(node.body)):
                yield from _vectorised(node.body, arrays, values)
            elif isinstance(node.range, Strided) and iterations_of(node, arrays, values).ground in _INDEPENDENT:
                yield node
