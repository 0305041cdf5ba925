"""A nest with directives as the kernel that it is on a GPU: loops over blocks and threads around one thread's work.

A thread does what it would do in a CUDA kernel for the same loop: its number in the grid is its first iteration, the
number of all threads the step to its next one.  Where the number of iterations is not known the shared loops are those
over threads.  Statements outside of loops that threads of a block share are executed by its first thread.  What a
reduction leaves is needed behind the loop, though no thread stores it: its last statement names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ..frontend.surface.constructs import construct
from ..ir.index import ONE, ZERO, Number, Poly, const, floor_div, floor_mod, var
from ..ir.nodes import LIBRARIES, Compare, Comparison, Guard, Loop, Mapping, Node, Offload, Statement, Strided
from ..ir.passes.substitute import bind_nodes
from ..ir.scalars import carried_scalars
from ..ir.traverse import all_nodes, map_bodies
from ..ir.values import Opaque, Register, Value
from ..source import Span
from .nests import OffloadedNest, SharedLoops, collapsed
from .runtime import Gpu, Shape, shared_by_all, shared_by_blocks, shared_by_threads

_BLOCK, _THREAD = "blockIdx.x", "threadIdx.x"
_AXES = (Mapping.THREAD_X, Mapping.THREAD_Y, Mapping.THREAD_Z)


def shape_of(nest: OffloadedNest, offload: Offload, gpu: Gpu) -> Shape | None:
    """Return the launch of a nest; None where its number of iterations is not known."""
    iterations = nest.shared.total.constant
    if iterations is None:
        return None
    if not nest.is_flat:
        return shared_by_blocks(offload.model, gpu, iterations, offload.teams, offload.size)
    if not offload.blocks:
        return shared_by_threads(offload.model, gpu, offload.size) if offload.threads else Shape(1, 1)
    return shared_by_all(offload.model, gpu, iterations, offload.teams, offload.size)


def kernel_body(nest: OffloadedNest, offload: Offload, shape: Shape | None, span: Span) -> tuple[Node, ...]:
    """Return the nest as loops over blocks and threads, with a launch of numbers where there is a shape."""
    if shape is None:
        return _of_symbols(nest, offload)
    first = var(_BLOCK) if shape.blocks > 1 else ZERO
    if nest.is_flat:
        first = first * shape.threads + (var(_THREAD) if shape.threads > 1 else ZERO)
        body = shared(nest.shared, first, shape.blocks * shape.threads)
    else:
        inner = _within_block(nest.shared.body, nest.threads, shape.threads)
        loops = (*nest.shared.loops[:-1], replace(nest.shared.loops[-1], body=inner))
        body = shared(replace(nest.shared, loops=loops), first, shape.blocks)
    body = (*body, *_results(nest.shared.loops[0], offload))
    for name, extent, mapping in ((_THREAD, shape.threads, Mapping.THREAD_X), (_BLOCK, shape.blocks, Mapping.BLOCK_X)):
        if extent > 1:
            body = (Loop(name, Strided(ZERO, const(extent)), body, span, mapping),)
    return body


def _results(loop: Loop, offload: Offload) -> Iterator[Statement]:
    """Yield statements that need the scalars which the iterations of a loop hand on.

    How a library makes one of those of its threads is its own: work that is not counted.
    """
    carried = carried_scalars(loop.body)
    found = (node.target for node in all_nodes(loop.body) if isinstance(node, Statement))
    registers = {target.name: target for target in found if isinstance(target, Register)}
    for name in carried:
        if name in registers:
            result: Value = registers[name]
            if offload.model in LIBRARIES:
                combined = construct("call", function=f"{offload.model.value}::combine")
                result = Opaque(combined, registers[name].type, (result,), has_work=True)
            yield Statement(None, result, loop.span)


def shared(loops: SharedLoops, first: Poly, step: int) -> tuple[Node, ...]:
    """Return the iterations that one of ``step`` executors takes: its ``first``, and each ``step``-th after it."""
    outer, total = loops.loops[0], loops.total
    if total.constant is not None and total.constant <= step:
        body = bind_nodes(loops.body, _counters(loops, first))
        if total.constant == step:
            return body
        return (Guard(Compare(Comparison.LT, first, total), body, (), outer.span),)
    name = outer.iterator if len(loops.loops) == 1 else f"{outer.iterator}.collapsed"
    plain = replace(outer, mapping=Mapping.SEQUENTIAL, threads=None, offload=None)
    if len(loops.loops) == 1 and isinstance(outer.range, Strided):
        start, by = outer.range.start, outer.range.step
        return (replace(plain, range=Strided(start + first * by, outer.range.stop, step * by)),)
    body = bind_nodes(loops.body, _counters(loops, var(name)))
    return (replace(plain, iterator=name, range=Strided(first, total, step), body=body),)


def _counters(loops: SharedLoops, number: Poly) -> dict[str, Poly | Number]:
    """Return the counters of collapsed loops in the iteration with this number."""
    found: dict[str, Poly | Number] = {}
    inside = ONE
    for depth in reversed(range(len(loops.loops))):
        loop, trips = loops.loops[depth], loops.trips[depth]
        own = number if inside == ONE else floor_div(number, inside)
        if depth:
            own = floor_mod(own, trips)
        assert isinstance(loop.range, Strided)
        found[loop.iterator] = loop.range.start + own * loop.range.step
        inside = inside * trips
    return found


def _within_block(nodes: Sequence[Node], threads: Sequence[Loop], size: int) -> tuple[Node, ...]:
    """Return what a block does: loops of threads in parts, everything else by the first thread alone."""
    found: list[Node] = []
    alone: list[Node] = []

    def close() -> None:
        if alone:
            first = Compare(Comparison.EQ, var(_THREAD), ZERO)
            found.append(Guard(first, tuple(alone), (), alone[0].span) if size > 1 else alone[0])
            alone.clear()

    for node in nodes:
        if isinstance(node, Loop) and any(node is loop for loop in threads):
            close()
            found.extend(_by_threads(node, size))
        elif any(inner is loop for inner in all_nodes((node,)) for loop in threads):
            close()
            found.append(map_bodies(_sequential(node), lambda body: _within_block(body, threads, size)))
        else:
            alone.append(_sequential(node))
    close()
    return tuple(found)


def _by_threads(loop: Loop, size: int) -> tuple[Node, ...]:
    """Return a loop whose iterations the threads of a block share, nested ones with the same mapping as one."""
    nested, inner = 1, loop.body
    while len(inner) == 1 and isinstance(inner[0], Loop) and inner[0].mapping is loop.mapping:
        nested, inner = nested + 1, inner[0].body
    found = collapsed(loop, nested, {})
    assert found is not None
    return shared(found, var(_THREAD) if size > 1 else ZERO, size)


def _sequential(node: Node) -> Node:
    return replace(node, mapping=Mapping.SEQUENTIAL, threads=None) if isinstance(node, Loop) else node


def _of_symbols(nest: OffloadedNest, offload: Offload) -> tuple[Node, ...]:
    """Return the shared loops as loops over the threads of an unknown launch, the innermost along x."""
    if not nest.is_flat and nest.threads:
        chosen = {id(loop): Mapping.THREAD_X for loop in nest.threads}
        chosen |= {id(loop): Mapping.BLOCK_X for loop in nest.shared.loops}
    else:
        axes = dict(enumerate(reversed(nest.shared.loops)))
        chosen = {id(loop): _AXES[depth] if depth < len(_AXES) else Mapping.BLOCK_X for depth, loop in axes.items()}

    def mapped(node: Node) -> Node:
        inner = map_bodies(node, lambda body: tuple(map(mapped, body)))
        if node is nest.shared.loops[-1] and isinstance(inner, Loop) and nest.is_flat:
            inner = replace(inner, body=(*inner.body, *_results(nest.shared.loops[0], offload)))
        if not isinstance(inner, Loop):
            return inner
        mapping = chosen.get(id(node), Mapping.SEQUENTIAL)
        return replace(inner, mapping=mapping, threads=None, offload=None)

    return (mapped(nest.shared.loops[0]),)
