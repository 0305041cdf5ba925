"""How likely the arms of a data-dependent conditional are, from the shape of the code.

Nothing is known of the data, so that an arm has the probability p asked for (1/2), but for one shape: outside of loops,
an arm with the arithmetic against one without any.  There the arithmetic is what the function is for, and the other arm
is the early way out (the *return* and *guard* heuristics of Ball and Larus, *Branch prediction for free*, PLDI 1993):
it is taken only if five coins fall so, (1 - p)^5.  Threads, and loops that go on by so many threads, are no loops in
this sense.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from ..ir.nodes import Exit, Guard, Loop, Mapping, Node, Statement, Strided
from ..ir.traverse import fold
from ..ir.values import Apply, Opaque, Value, walk_values

# ``python -m tests.bench.gpu_flops`` holds the FLOPs that follow against those that profilers counted.
_COINS = 5
_LEAST_WORK = 8  # operations
_ITERATIONS = 10  # of a loop of which nothing is known
_WARP_SIZE = 32  # of NVIDIA's GPUs (CUDA C++ Programming Guide)


def branch_probability(guard: Guard, loops: Sequence[Loop], probability: Fraction) -> Fraction:
    """Return the estimated share of executions that take the first arm."""
    if any(loop.mapping is Mapping.SEQUENTIAL and not _is_over_threads(loop) for loop in loops):
        return probability
    first, second = _operations(guard.body), _operations(guard.orelse)
    if first >= _LEAST_WORK and not second:
        return 1 - (1 - probability) ** _COINS
    if second >= _LEAST_WORK and not first:
        return probability**_COINS
    return probability


def _is_over_threads(loop: Loop) -> bool:
    """Return whether each thread goes on by the number of threads: a grid-stride loop."""
    return isinstance(loop.range, Strided) and abs(loop.range.step) >= _WARP_SIZE


def _operations(nodes: Sequence[Node]) -> int:
    """Return the floating-point operations in the text of some nodes, those in loops ten times."""
    return sum(fold(node, _weighted) for node in nodes)


def _in_value(part: Value) -> int:
    match part:
        case Apply():
            return part.type.scalar.is_float
        case Opaque(counted=counted) if counted is not None:
            return sum(number for operation, number in counted.operations if operation.type.scalar.is_float)
        case _:
            return 0


def _weighted(node: Node, below: Sequence[int]) -> int:
    match node:
        case Statement(value=value):
            return sum(map(_in_value, walk_values(value)))
        case Loop():
            return _ITERATIONS * sum(below)
        case Guard() | Exit():
            return sum(below)
        case _:
            assert_never(node)
