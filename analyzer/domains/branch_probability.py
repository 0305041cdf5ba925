"""How likely the arms of a data-dependent conditional are, from the shape of the code.

Nothing is known of the data, so that an arm has the probability p asked for (1/2), but for one shape: outside of loops,
an arm with the arithmetic against one without any.  There the arithmetic is what the function is for, and the other arm
is the early way out (the *return* and *guard* heuristics of Ball and Larus, *Branch prediction for free*, PLDI 1993):
it is taken only if five coins fall so, (1 - p)^5.  Threads, and loops that go on by so many threads, are no loops in
this sense.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import assert_never

from ..ir import nodes as ir
from ..ir.branches import branch_symbol, is_negated, lines_of_conditions
from ..ir.conditions import share_of
from ..ir.nodes import Condition, Exit, Guard, Loop, Node, Not, Region, Statement, Strided
from ..ir.traverse import fold
from ..ir.values import Apply, Opaque, Value, walk_values
from .singled_out import Single, parts_of

Parts = Sequence[tuple[Condition | Single, Fraction]]

# ``python -m tests.bench.gpu_flops`` holds the FLOPs that follow against those that profilers counted.
_COINS = 5
_LEAST_WORK = 8  # operations
_ITERATIONS = 10  # of a loop of which nothing is known
_WARP_SIZE = 32  # of NVIDIA's GPUs (CUDA C++ Programming Guide)


class Shares:
    """The probabilities of conditionals: those of a run, or given by name (:mod:`..ir.branches`), or of their shape."""

    def __init__(self, region: Region, probability: Fraction, given: Mapping[str, Fraction]) -> None:
        """Start with what is ``given``, and the ``probability`` of all others."""
        self._probability = probability
        self._given = given
        self._lines = lines_of_conditions(region) if given else {}

    def branches(self, guard: Guard, loops: Sequence[Loop]) -> Iterator[tuple[Parts, tuple[Node, ...]]]:
        """Yield the parts of the condition of each branch, with the probability of what data decide, and its nodes."""
        known = self._known(guard)
        share = branch_probability(guard, loops, self._probability) if known is None else known
        for condition, body, each in (
            (guard.condition, guard.body, share),
            (Not(guard.condition), guard.orelse, 1 - share),
        ):
            parts = parts_of(condition, loops) if known is None else (condition,)
            yield [(part, each) for part in parts], body

    def _known(self, guard: Guard) -> Fraction | None:
        """Return the probability of a run, or given, that the first branch is taken; None where there is none."""
        recorded = share_of(guard.condition)
        if recorded is not None:
            return recorded
        given = self._given.get(branch_symbol(guard.condition, guard.span.line, self._lines))
        return 1 - given if given is not None and is_negated(guard.condition) else given


def branch_probability(guard: Guard, loops: Sequence[Loop], probability: Fraction) -> Fraction:
    """Return the estimated share of executions that take the first arm."""
    if any(loop.mapping is ir.Mapping.SEQUENTIAL and not _is_over_threads(loop) for loop in loops):
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
