"""Short loops unrolled in whole, as compilers do: iterations one after the other, each with its counter as a number.

``for (i = 0; i < 4; i++) s += shuffle(s, 8 >> i)`` is four sums, of which the last may be needed in one branch only,
and what no iteration of a loop around changes can be computed before that.  Conditions on the counter are decided.

Loops are unrolled from the inside: those without an exit or a test that reads memory, of a known number of iterations
(or at most that, ``i < min(4, n)``) and few operations in all.  ``#pragma unroll 1`` is obeyed.  On devices functions
are inlined before: for how many operations they count is in ``unrolled_sizes.toml``, which
``python -m tests.bench.gpu_unrolled`` makes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..conditions import map_leaves as map_condition_leaves
from ..conditions import truth_of
from ..index import Extremum, Poly, const
from ..names import is_temporary, iteration_name
from ..nodes import (
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Geometric,
    Guard,
    Loop,
    Node,
    Region,
    Statement,
    Strided,
    progression,
)
from ..nodes import Mapping as LoopMapping
from ..traverse import all_nodes, map_bodies
from ..values import Apply, Constant, IndexValue, Register, Value, map_leaves, walk_values
from .substitute import is_left, iteration_of


class Limits(Struct, frozen=True):
    """The iterations of a loop that is unrolled in whole, and the operations of all of them, at the most.

    ``spare_outermost``: loops that are in no other are left.  ``any_start``: of a loop the number of its iterations
    is known, but not where its counter starts.  ``inlined``: mathematical functions count for what is in them.
    """

    iterations: int
    operations: int
    spare_outermost: bool = False
    any_start: bool = False
    inlined: bool = False


ON_DEVICE = Limits(128, 1200, inlined=True)
"""LLVM unrolls in whole up to 300 instructions, four times that where operations become constants
(``LoopUnrollPass.cpp``: ``UnrollThreshold``, ``UnrollMaxPercentThresholdBoost``)."""
ON_HOST = Limits(16, 300, spare_outermost=True, any_start=True)
"""gcc unrolls up to 16 iterations, and 200 instructions after a third of them has gone (``max-completely-peel-times``,
``max-completely-peeled-insns``, ``estimated_unrolled_size`` of ``tree-ssa-loop-ivcanon.cc``), before it makes vectors;
loops that are in no other it leaves until then (``pass_complete_unrolli``)."""


def unrolled(region: Region, limits: Limits = ON_DEVICE) -> Region:
    """Return the region with the iterations of its short loops in place of these; itself where it has none."""
    body = _Unrolling(limits).nodes(region.body, 0)
    return region if body == region.body else replace(region, body=body)


class _Unrolling:
    """Unrolls the loops of nodes within limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def nodes(self, nodes: tuple[Node, ...], depth: int) -> tuple[Node, ...]:
        """Return nodes that so many loops are around."""
        return tuple(found for node in nodes for found in self._node(node, depth))

    def _node(self, node: Node, depth: int) -> Iterator[Node]:
        inside = depth + isinstance(node, Loop)
        node = map_bodies(node, lambda body: self.nodes(body, inside))
        if isinstance(node, Guard):
            holds = truth_of(node.condition, lambda index: index.constant)
            yield from (node,) if holds is None else node.body if holds else node.orelse
            return
        counters = self._counters(node) if isinstance(node, Loop) and depth >= self._limits.spare_outermost else None
        if not isinstance(node, Loop) or counters is None:
            yield node
            return
        iterations = [self.nodes(_guarded(node, number, counter), depth) for number, counter in counters]
        if any(isinstance(inner, Loop) for body in iterations for inner in all_nodes(body)):
            yield node
            return
        for body in iterations:
            yield from body

    def _counters(self, loop: Loop) -> list[tuple[int, Poly]] | None:
        """Return the numbers of the iterations of a loop that is to be unrolled, and what its counter may be there."""
        if (
            loop.mapping is not LoopMapping.SEQUENTIAL
            or loop.header
            or loop.unroll == 1
            or loop.at_run_time
            or is_left(loop)
        ):
            return None
        match loop.range:
            case Strided(start=start, stop=stop, step=step):
                last = (stop - start).constant if self._limits.any_start else _limit(stop, step)
                first = const(0) if self._limits.any_start else start
                if first.constant is None or last is None:
                    return None
                begin, end = int(first.constant), int(last)
                if -((begin - end) // step) > self._limits.iterations:  # no len() of a range: it may be beyond 64 bits
                    return None
                found = [(counter, start - first + counter) for counter in range(begin, end, step)]
            case Geometric() as geometric:
                values = progression(geometric)
                if values is None or len(values) > self._limits.iterations + 1:
                    return None
                found = [(value, const(value)) for value in values[:-1]]
            case _:
                return None
        operations = sum(_operations(node, self._limits) for node in all_nodes(loop.body))
        return found if len(found) * operations <= self._limits.operations else None


def _guarded(loop: Loop, number: int, counter: Poly) -> tuple[Node, ...]:
    """Return an iteration, under the condition that the loop gets there."""
    body = _iteration(loop, number, counter)
    if not isinstance(loop.range, Strided) or (loop.range.stop - counter).constant is not None:
        return body
    relation = Comparison.LT if loop.range.step > 0 else Comparison.GT
    return (Guard(Compare(relation, counter, loop.range.stop), body, (), loop.span),)


def _limit(stop: Poly, step: int) -> int | None:
    """Return where a loop stops at the latest: a number, or that of ``min(4, n)``."""
    for monomial in stop.terms if len(stop.terms) == 1 else ():
        atom = monomial[0] if len(monomial) == 1 and stop.terms[monomial] == 1 else None
        if isinstance(atom, Extremum) and atom.largest == (step < 0):
            return next((operand.constant for operand in atom.operands if operand.constant is not None), None)
    return stop.constant


def _operations(node: Node, limits: Limits) -> int:
    if not isinstance(node, Statement):
        return 0
    parts = [part for part in walk_values(node.value) if isinstance(part, Apply)]
    return 1 + node.index_operations + sum(_size(part) if limits.inlined else 1 for part in parts)


def _size(part: Apply) -> int:
    """Return for how many operations one counts, with what is inlined for it."""
    name = part.function or part.operation.value
    return _sizes().get(name, {}).get(part.type.scalar.value, 1)


@cache
def _sizes() -> Mapping[str, Mapping[str, int]]:
    found: Mapping[str, Mapping[str, int]] = tomllib.loads(
        Path(__file__).with_name("unrolled_sizes.toml").read_text("utf-8")
    )
    return found


def _iteration(loop: Loop, number: int, counter: Poly) -> tuple[Node, ...]:
    """Return the body of an iteration: its counter has a value, and its conditions on data are its own.

    What is computed with other symbols is not, whose values a compiler does not know.
    """
    statements = [node for node in all_nodes(loop.body) if isinstance(node, Statement)]
    targets = (node.target.name for node in statements if isinstance(node.target, Register))
    names = {name: iteration_name(name, number) for name in targets if is_temporary(name)}

    def leaf(value: Value) -> Value:
        match value:
            case IndexValue(index, kind) if index.constant is None:
                there = index.substitute({loop.iterator: counter}).constant
                return value if there is None else Constant(there, kind)
            case Register(name):
                return replace(value, name=names.get(name, name))
            case _:
                return value

    return iteration_of(replace(loop, body=_changed(loop.body, leaf, names)), number, {}, counter).body


def _changed(nodes: tuple[Node, ...], leaf: Callable[[Value], Value], names: Mapping[str, str]) -> tuple[Node, ...]:
    """Return nodes with the leaves of their values changed, and with other names of registers and conditions."""

    def condition(part: Condition) -> Condition:
        return replace(part, name=names.get(part.name, part.name)) if isinstance(part, DataDependent) else part

    def changed(node: Node) -> Node:
        if isinstance(node, Statement):
            target = node.target
            if isinstance(target, Register):
                target = replace(target, name=names.get(target.name, target.name))
            return replace(node, target=target, value=map_leaves(node.value, leaf))
        if isinstance(node, Guard):
            node = replace(node, condition=map_condition_leaves(node.condition, condition))
        return map_bodies(node, lambda body: _changed(body, leaf, names))

    return tuple(changed(node) for node in nodes)
