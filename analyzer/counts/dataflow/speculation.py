"""Conditionals that become selections: both branches are computed, rather than jumped over, where they are cheap.

``conditional -> whether its branches are computed in any case``.  *clang* (LLVM's SimplifyCFG) takes up to four
operations in all, two where they are the rest of a test (``&&``); ``python -m tests.bench.gpu_flops`` holds the FLOPs
that follow against those that profilers counted.

*nvcc* takes up to three operations of one branch and five of the other, or five of the only one, and calls no
intrinsic function in vain: minima, magnitudes, fused operations, quotients and conversions to integers are some.
Integers that are computed with are among the operations; where parts of them may be known before, so that it is open
whether the branches are selections, they are branches here: the interval of a condition holds for both.
``if (c) r = A; else r = B;`` and ``c ? A : B`` take three of A; where the branches end in a store that is
:mod:`merged <.merging>` they are taken in the other order, three of B.  The numbers are those of nvcc 13.0 for sm_75
to sm_90, found by compiling branches of 0 to 8 operations; ``python -m tests.bench.sass`` holds what follows against
machine code.
"""

from __future__ import annotations

from collections.abc import Collection

from ...ir.index import FloorDiv, Poly, TruncDiv
from ...ir.names import is_temporary
from ...ir.nodes import Jumps
from ...ir.types import TypeClass
from ...ir.values import Access, Apply, IndexValue, Load, Opaque, Operation, Register, Value, is_atomic, walk_values
from ..policy import Compiler
from .branches import CONDITIONS, Branches, is_copy

_PLAIN = frozenset(
    {
        Operation.ADD,
        Operation.SUB,
        Operation.MUL,
        Operation.NEG,
        Operation.SELECT,
        Operation.CONVERT,
        Operation.SHIFT,
        *CONDITIONS,
    }
)
_ARITHMETIC = frozenset({Operation.ADD, Operation.SUB, Operation.MUL, Operation.FMA, Operation.DIV})
_CHEAP = _PLAIN | {Operation.FMA, Operation.ABS, Operation.MIN, Operation.MAX}
_MOST_BY_CLANG, _MOST_BEFORE_A_TEST = 4, 2  # operations, see above: clang
_MOST_OF_ONE, _MOST_OF_OTHER = 3, 5  # operations, see above: nvcc


def is_selection(
    entry: Branches, known: Collection[Access], compiler: Compiler, *, is_end_merged: bool = False
) -> bool:
    """Return whether it only assigns registers from registers and known elements, by few and cheap operations.

    So may conditionals in it: ``if (x > 1) x = 1; else if (x < -1) x = -1;`` is two selections.
    """
    if entry.loop is not None or _is_table(entry, compiler):
        return False
    costs = [_cost(entry, branch, known, compiler) for branch in (0, 1)]
    if any(cost is None for cost in costs):
        return False
    then, other = (cost or 0 for cost in costs)
    if compiler is Compiler.CLANG or _is_test(entry):
        return then + other <= (_MOST_BEFORE_A_TEST if _is_test(entry) else _MOST_BY_CLANG)
    if is_end_merged:
        then, other = other, then
    return max(then, other) <= _MOST_OF_OTHER and (then <= _MOST_OF_ONE or other == 0)


def may_be_selection(
    entry: Branches, known: Collection[Access], compiler: Compiler, *, is_last_in_branch: bool, is_in_open: bool
) -> bool:
    """Return whether it is open if a conditional is a selection, or each thread computes its own branch.

    That is so of conditionals with others inside of them, of those that end a branch of another one, whose values meet
    others in one place, and of those inside of one that ``is_in_open``.
    """
    if entry.loop is not None or _is_table(entry, compiler) or not _computes(entry):
        return False
    if not (entry.nested or is_last_in_branch or is_in_open):
        return False
    if compiler is Compiler.CLANG:
        return is_selection(entry, known, compiler)
    return all(_cost(entry, branch, known, compiler, has_limit=False) is not None for branch in (0, 1))


def is_jump(entry: Branches, compiler: Compiler, *, is_last_in_branch: bool) -> bool:
    """Return whether clang has no selection of two branches where values of more than two meet.

    That is in ``if (c) v = A; else if (d) v = B; else v = C;`` (LLVM's SimplifyCFG has joined both ends before it looks
    for selections; clang 19 and 22, 54 kernels).
    """
    if compiler is not Compiler.CLANG or not _computes(entry):
        return False
    lists = ([part for part in body if not is_copy(part)] for body in entry.bodies.values())
    ends = [body[-1] for body in lists if body]
    inside = any(isinstance(each, Branches) and _has_both(each) for each in ends)
    return inside or (is_last_in_branch and _has_both(entry))


def _computes(entry: Branches) -> bool:
    """Return whether a conditional has floating-point arithmetic: only then FLOPs depend on what it becomes."""
    return any(
        isinstance(part, Apply) and part.operation in _ARITHMETIC and part.type.scalar.type_class is TypeClass.FLOAT
        for statement in entry.statements
        for part in walk_values(statement.node.value)
    )


def _has_both(entry: Branches) -> bool:
    return entry.loop is None and entry.bodies.keys() == {0, 1}


def _is_table(entry: Branches, compiler: Compiler) -> bool:
    return entry.jumps is Jumps.TABLE or (entry.jumps is Jumps.CHAIN and compiler is Compiler.CLANG)


def _cost(
    entry: Branches, branch: int, known: Collection[Access], compiler: Compiler, *, has_limit: bool = True
) -> int | None:
    """Return the operations of a branch; None where some may not be computed in vain.

    Conditionals in it are selections, which where it ``has_limit`` have few operations themselves.
    """
    cost = 0
    for part in entry.bodies.get(branch, ()):
        if isinstance(part, Branches):
            inner = [_cost(part, each, known, compiler, has_limit=has_limit) for each in (0, 1)]
            if part.loop is not None or None in inner or (has_limit and not is_selection(part, known, compiler)):
                return None
            if compiler is Compiler.NVCC:
                cost += len(part.defined) + sum(each or 0 for each in inner)
            continue
        if not isinstance(part.node.target, Register):
            return None
        values = list(walk_values(part.node.value))
        if not all(_is_speculated(value, known, compiler) for value in values):
            return None
        cost += sum(isinstance(value, Apply) for value in values) + part.node.index_operations
        if compiler is Compiler.NVCC:
            cost += sum(_integer_operations(value.index) for value in values if isinstance(value, IndexValue))
    return cost


def _integer_operations(index: Poly) -> int:
    """Return the operations that an integer takes, at the most: parts of it may be known; a remainder is one."""
    for form in index.forms:
        if isinstance(form, FloorDiv | TruncDiv):
            multiple = Poly({(form,): 1}) * form.denominator
            if index + multiple == form.numerator:
                return 1 + _integer_operations(form.numerator)
    products = sum(len(atoms) - 1 + (abs(number) != 1) for atoms, number in index.terms.items() if atoms)
    inside = sum(1 + sum(map(_integer_operations, form.operands)) for form in index.forms)
    return max(len(index.terms) - 1, 0) + products + inside


def _is_speculated(part: Value, known: Collection[Access], compiler: Compiler) -> bool:
    """Return whether a value may be computed in vain."""
    match part:
        case Apply() if compiler is Compiler.NVCC:
            is_intrinsic = part.operation is Operation.CONVERT and _is_rounded_to_integer(part)
            return part.operation in _PLAIN and not is_intrinsic and not is_atomic(part.function)
        case Apply():
            return part.operation in _CHEAP and not is_atomic(part.function)
        case Load(access):
            return access in known and not access.atomic
        case _:
            return not isinstance(part, Opaque)


def _is_rounded_to_integer(part: Apply) -> bool:
    return part.type.scalar.is_integer and any(
        isinstance(operand, Apply | Register | Load) and operand.type.scalar.type_class is TypeClass.FLOAT
        for operand in part.operands
    )


def _is_test(entry: Branches) -> bool:
    """Return whether it evaluates what follows ``&&`` or ``||``: what is assigned last is a condition."""
    names = [each.node.target.name for each in entry.statements if isinstance(each.node.target, Register)]
    value = entry.statements[-1].node.value if entry.statements else None
    return names[-1:] != [] and is_temporary(names[-1]) and isinstance(value, Apply) and value.operation in CONDITIONS
