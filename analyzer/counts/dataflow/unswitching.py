"""What moves out of loops although conditions are around it, and conditions that do so themselves.

Arithmetic is computed ahead of a loop that does not change its operands, whatever condition is around it in there
(LLVM's LICM: ``isSafeToExecuteUnconditionally``).  What may be or may be not:

* Of a condition that neither the loop nor the thread changes a compiler makes two loops (``SimpleLoopUnswitch``), each
  with what runs in it alone, and sinks the arithmetic into its branch.
* Functions that are intrinsic, or made of such, stay in their branch: LLVM computes none in vain.  nvcc 13.0 for sm_86
  leaves logf, powf, cosf, erff and atanf there, and computes tanhf, cbrtf and sqrtf ahead (``ptxas``).
* Those that have branches inside stay in the loop, in part, whatever is around them: of ``cosf(x) * a[k]`` in a loop of
  60 iterations 11 of 18 FLOPs ran in each.

nvcc has these where they are written, clang ahead: profilers saw ``logf`` so in a branch that no thread took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from enum import IntEnum
from fractions import Fraction

from msgspec.structs import replace

from ...domains.domain import Domain, StatementDomain
from ...domains.series.path import Doubt, Step
from ...ir.conditions import leaves
from ...ir.nodes import DataDependent, Loop
from ...ir.nodes import Mapping as LoopMapping
from ...ir.types import ScalarType
from ...ir.values import Apply, Operation, Register
from ..policy import Compiler
from ..tally import enclosing
from .folding import Node

_THREADS = (LoopMapping.THREAD_X, LoopMapping.THREAD_Y, LoopMapping.THREAD_Z)
_SPECULATED = frozenset(
    {Operation.ADD, Operation.SUB, Operation.MUL, Operation.DIV, Operation.NEG, Operation.CONVERT, Operation.SELECT}
)

# Of 60 iterations with the same argument more than twice the FLOPs of one ran in the loop (nvcc 13.0, sm_86).
_IN_BOTH = frozenset(
    {"sin", "cos", "sincos", "tan", "cospi", "tgamma", "lgamma", "erfcx", "y0", "y1", "fmod", "remainder"}
)
_IN_DOUBLE = frozenset(
    (
        *("acos", "asin", "atan", "acosh", "asinh", "atanh", "cosh", "sinh", "tanh", "log", "log2", "log10", "log1p"),
        *("expm1", "cbrt", "rcbrt", "erfc", "erfinv", "normcdf", "j0", "j1"),
    )
)
_STAYS = {ScalarType.FP32: _IN_BOTH, ScalarType.FP64: _IN_BOTH | _IN_DOUBLE}


class Unswitching:
    """Knows what each loop of a region assigns."""

    def __init__(self, statements: Sequence[StatementDomain], compiler: Compiler) -> None:
        self._statements = statements
        self._likely = Fraction(1 if compiler is Compiler.CLANG else 0)
        self._assigned: dict[str, Set[str]] = {}

    def is_open(self, statement: StatementDomain, depth: int) -> bool:
        """Return whether a condition around a statement does not vary in the innermost of its ``depth`` loops."""
        loop = statement.loops[depth - 1] if depth else None
        if loop is None or loop.mapping is not LoopMapping.SEQUENTIAL:
            return False
        return any(not self._varies(step, statement.loops, depth - 1) for step in conditions_in(statement, depth - 1))

    def ahead(self, statement: StatementDomain, depth: int, written: StatementDomain, *, is_arithmetic: bool) -> Domain:
        """Return the iterations of ``depth`` loops in which what has left all others of a statement is computed.

        The statement is ``written`` as a branch where a selection has taken it out of that.  What leaves loops
        ``is_arithmetic`` alone, or has functions in it.
        """
        own = enclosing(statement.domain, depth)
        steps = conditions_in(written, depth)
        if not steps or len(written.bodies) <= depth:
            return own
        around = enclosing(written.bodies[depth], depth)
        if is_arithmetic and all(self._varies(step, written.loops, depth) for step in steps):
            return around
        least = enclosing(written.domain, depth)
        if around.summed is None and around.upper.is_within(least.lower):
            return around
        if around.summed is None or least.summed is None:
            return replace(around, lower=least.lower, weight=self._likely, summed=None)
        return replace(around, weight=self._likely, summed=replace(around.summed, lower=least.summed.lower))

    def _varies(self, step: Step, loops: Sequence[Loop], depth: int) -> bool:
        """Return whether a condition may be another one in each iteration below ``depth`` loops, or in each thread."""
        if isinstance(step, Doubt | Loop):
            return True
        inside = loops[depth:]
        names = {leaf.name for leaf in leaves(step) if isinstance(leaf, DataDependent)}
        if any(names & self._assigned_in(loop) for loop in inside):
            return True
        return bool(step.names & {*(loop.iterator for loop in inside), *_threads_of(loops)})

    def _assigned_in(self, loop: Loop) -> Set[str]:
        if loop.iterator not in self._assigned:
            inside = (each for each in self._statements if any(one.iterator == loop.iterator for one in each.loops))
            names = (each.node.target.name for each in inside if isinstance(each.node.target, Register))
            self._assigned[loop.iterator] = frozenset(names)
        return self._assigned[loop.iterator]


def _threads_of(loops: Sequence[Loop]) -> Set[str]:
    return {loop.iterator for loop in loops if loop.mapping in _THREADS}


class Ahead(IntEnum):
    """What has left loops: arithmetic, functions, or some that nvcc leaves there, since there are branches in them."""

    ARITHMETIC = 0
    FUNCTION = 1
    BRANCHES = 2


def moved_ahead(order: Sequence[Node], compiler: Compiler) -> Mapping[Node, Ahead]:
    """Return what each value that has left a loop is made of there; ``order`` has users before their operands."""
    found: dict[Node, Ahead] = {}
    for node in reversed(order):
        if isinstance(node.value, Apply) and node.depth < len(node.statement.loops):
            own = Ahead.ARITHMETIC if node.operation in _SPECULATED else Ahead.FUNCTION
            stays = _STAYS.get(node.value.type.scalar, frozenset()) if compiler is Compiler.NVCC else frozenset()
            own = Ahead.BRANCHES if node.value.function in stays else own
            found[node] = max(own, *(found.get(each, own) for each in node.operands))
    return found


def conditions_in(statement: StatementDomain, depth: int) -> Sequence[Step]:
    """Return the conditions around a statement that stand in the loop below ``depth`` others."""
    found: list[Step] = []
    loops = 0
    for step in statement.path:
        if isinstance(step, Loop):
            loops += 1
        elif loops > depth:
            found.append(step)
    return found
