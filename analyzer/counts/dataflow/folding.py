"""Nodes of the value graph, and what an operation on some of them becomes when it is folded: exact in IEEE arithmetic.

Constants, roots of constants, choices between constants, x*1, x*(-1), -(-x), x/1, x-0, x+0 where x is never -0, x/2^k
as x*2^-k, -1/x of doubles as -(1/x), the minimum of c and a maximum with c, and one double operation
on floats that is rounded to float.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Union

from msgspec import Struct, field

from ...domains.domain import StatementDomain
from ...ir.arithmetic import computed, is_exact_divisor, rounded
from ...ir.types import ElementType, ScalarType, TypeClass
from ...ir.values import Apply, Constant, Operation, Value
from ..policy import Compiler


class Node(Struct, frozen=True, eq=False):
    """One computed value: first needed by ``statement``, run once per iteration of its ``depth`` outermost loops.

    Nodes are made in the order of the program: ``number`` grows.
    """

    value: Value
    operands: tuple[Node, ...]
    statement: StatementDomain
    depth: int
    number: int = field(default_factory=count().__next__)

    @property
    def operation(self) -> Operation | None:
        """Return the operation; None for leaves."""
        return self.value.operation if isinstance(self.value, Apply) else None


Folded = Union[Node, Apply, Constant]

_ROUNDED = frozenset({Operation.ADD, Operation.SUB, Operation.MUL, Operation.DIV})
_FOLDED = _ROUNDED | {Operation.NEG, Operation.ABS, Operation.CONVERT}


def folded(part: Apply, operands: tuple[Node, ...], compiler: Compiler) -> tuple[Folded, tuple[Node, ...]]:
    """Return a node that has the value, a constant, or the operation that is left with its operands."""
    if part.type.scalar.type_class is not TypeClass.FLOAT:
        return part, operands
    if compiler is Compiler.NVCC and (root := _root_of_number(part, operands)) is not None:
        return root, ()
    if compiler is Compiler.NVCC and (clamped := _clamped(part, operands)) is not None:
        return Apply(Operation.CALL, part.type, (), "saturate"), (clamped,)
    if compiler is Compiler.NVCC and (limit := _limited(part, operands)) is not None:
        return limit, ()
    if part.operation not in _FOLDED or _is_truth(part, operands):
        return part, operands
    part, operands = _narrowed(part, operands)
    numbers = [number_of(operand) for operand in operands]
    known = [number for number in numbers if number is not None]
    constant = computed(part, known) if len(known) == len(operands) else None
    if constant is not None:
        return constant, ()
    if all(isinstance(operand.value, Constant) for operand in operands):
        return Constant(None, part.type), ()
    choice = _of_each_choice(part, operands)
    if choice:
        return Apply(Operation.SELECT, part.type, ()), choice
    if part.operation is Operation.NEG and operands[0].operation is Operation.NEG:
        return operands[0].operands[0], ()
    if len(operands) == 2:
        return _simplified(part, operands, numbers, compiler)
    return part, operands


def _clamped(part: Apply, operands: tuple[Node, ...]) -> Node | None:
    """Return the float that ``fminf(fmaxf(x, 0), 1)`` clamps: ``FADD.SAT``, or a modifier (nvcc: ``cvt.sat``)."""
    outer = _limit(part.operation, operands)
    if outer is None or part.type != ElementType(ScalarType.FP32):
        return None
    inner = _limit(outer[1].operation, outer[1].operands)
    is_range = inner is not None and {part.operation: outer[0], outer[1].operation: inner[0]} == _CLAMP
    return inner[1] if inner is not None and is_range else None


def _limited(part: Apply, operands: tuple[Node, ...]) -> Node | None:
    """Return ``c`` of ``fmin(fmax(x, c), c)`` or ``fmax(fmin(x, c), c)``, for all x."""
    outer = _limit(part.operation, operands)
    if outer is None or outer[1].operation is part.operation:
        return None
    inner = _limit(outer[1].operation, outer[1].operands)
    is_same = inner is not None and inner[0] == outer[0]
    return next(each for each in operands if number_of(each) is not None) if is_same else None


def _limit(operation: Operation | None, operands: Sequence[Node]) -> tuple[float, Node] | None:
    """Return the number that a value is compared with by a minimum or maximum, and that value."""
    if operation not in _CLAMP or len(operands) != len(_CLAMP):
        return None
    numbers = [number_of(operand) for operand in operands]
    position = next((k for k, number in enumerate(numbers) if number is not None), None)
    return None if position is None else (float(numbers[position] or 0), operands[1 - position])


_CLAMP = {Operation.MAX: 0.0, Operation.MIN: 1.0}


def _root_of_number(part: Apply, operands: tuple[Node, ...]) -> Constant | None:
    """Return the root, or the whole number, of a number; other functions of a library are not folded as a whole."""
    number = number_of(operands[0]) if len(operands) == 1 else None
    if number is None or part.type.lanes > 1 or part.type.scalar not in (ScalarType.FP32, ScalarType.FP64):
        return None
    if part.operation is Operation.SQRT and number >= 0 and part.function in ("", "sqrt"):
        found = math.sqrt(number)
    elif part.operation is Operation.CALL and part.function in _WHOLE:
        found = float(_WHOLE[part.function](number))
    else:
        return None
    return Constant(rounded(found) if part.type.scalar is ScalarType.FP32 else found, part.type)


_WHOLE: Mapping[str, Callable[[float], int]] = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}


def is_reversed(part: Apply, operands: Sequence[Node]) -> bool:
    """Return whether LLVM makes ``c + (y - x)`` of ``c - (x - y)``: no other use of the difference is written.

    ``InstCombineAddSub.cpp``: ``visitFSub``, for a ``c`` that is not -0.  That of nvcc runs before equal values become
    one, so that a difference that is written twice is two; it knows this of literals and integers, not of magnitudes.
    """
    if part.operation is not Operation.SUB or part.type.scalar not in (ScalarType.FP32, ScalarType.FP64):
        return False
    minuend, difference = operands
    is_written = bool(part.operands) and isinstance(part.operands[-1], Apply)
    if not is_written or difference.operation is not Operation.SUB or number_of(difference.operands[1]) is not None:
        return False
    is_converted = minuend.operation is Operation.CONVERT and _is_never_negative_zero(minuend, Compiler.NVCC)
    return is_converted or isinstance(minuend.value, Constant)


def is_scaled_truth(product: Node) -> bool:
    """Return whether a value is a truth value times or by a literal: a choice between two, unless a sum takes it in."""
    if product.operation not in (Operation.MUL, Operation.DIV):
        return False
    numbers = [number_of(operand) for operand in product.operands]
    truths = [isinstance(each.value, Apply) and _is_truth(each.value, each.operands) for each in product.operands]
    return any(truths) and sum(number is not None for number in numbers) == 1


def _is_truth(part: Apply, operands: Sequence[Node]) -> bool:
    """Return whether a number is 1 where a condition holds and else 0: compilers keep it an integer of one bit."""
    if part.operation is not Operation.CONVERT or not operands[0].value.type.scalar.is_integer:
        return False
    (truth,) = operands
    if truth.operation is Operation.SELECT:
        return {number_of(arm) for arm in truth.operands[1:]} == {0, 1}
    return isinstance(truth.value, Constant) and truth.value.number is None


def _of_each_choice(part: Apply, operands: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the operands of the choice between two constants that an operation on one is; () where it is none."""
    choice = next((operand for operand in operands if operand.operation is Operation.SELECT), None)
    if choice is None:
        return ()
    condition, *_ = choice.operands
    arms = []
    for arm in (1, 2):
        chosen = [one.operands[arm] if _is_choice(one, condition) else one for one in operands]
        numbers = [number for one in chosen if (number := number_of(one)) is not None]
        constant = computed(part, numbers) if len(numbers) == len(operands) else None
        if constant is None:
            return ()
        arms.append(Node(constant, (), choice.statement, choice.depth))
    return condition, *arms


def _is_choice(node: Node, condition: Node) -> bool:
    return node.operation is Operation.SELECT and node.operands[0] is condition


def _simplified(
    part: Apply, operands: tuple[Node, ...], numbers: Sequence[int | float | None], compiler: Compiler
) -> tuple[Folded, tuple[Node, ...]]:
    """Return a binary operation of which one operand may be a constant."""
    left, right = operands
    match part.operation:
        case Operation.MUL if 1 in numbers:
            return (right if numbers[0] == 1 else left), ()
        case Operation.MUL if -1 in numbers:
            return Apply(Operation.NEG, part.type, ()), (right if numbers[0] == -1 else left,)
        case Operation.DIV if numbers[1] == 1:
            return left, ()
        case Operation.DIV if numbers[0] == -1 and part.type.scalar is ScalarType.FP64 and compiler is Compiler.NVCC:
            one = Node(Constant(1.0, part.type), (), right.statement, right.depth)
            return Apply(Operation.NEG, part.type, ()), (Node(part, (one, right), right.statement, right.depth),)
        case Operation.DIV if (number := numbers[1]) is not None and is_exact_divisor(number):
            inverse = Node(Constant(1 / number, part.type), (), right.statement, right.depth)
            return Apply(Operation.MUL, part.type, ()), (left, inverse)
        case Operation.SUB if numbers[1] == 0 and math.copysign(1, numbers[1]) > 0:
            return left, ()
        case Operation.ADD if 0 in numbers:
            zero = numbers.index(0)
            number = numbers[zero]
            is_negative = number is not None and math.copysign(1, number) < 0  # -0.0 is false, as 0.0 is
            other = operands[1 - zero]
            return (other if is_negative or _is_never_negative_zero(other, compiler) else part), operands
        case _:
            return part, operands


def _is_never_negative_zero(node: Node, compiler: Compiler) -> bool:
    """Return whether a value cannot be -0 (LLVM: ``cannotBeNegativeZero``; that of nvcc says nothing of squares)."""
    match node.operation:
        case Operation.MUL:
            return node.operands[0] is node.operands[1] and compiler is Compiler.CLANG
        case Operation.ADD:
            return any(_is_never_negative_zero(operand, compiler) for operand in node.operands)
        case Operation.CONVERT if isinstance(node.value, Apply):
            (operand,) = node.operands
            is_integer = operand.value.type.scalar.is_integer and not node.value.function  # an intrinsic has a name
            return is_integer or _is_never_negative_zero(operand, compiler)
        case Operation.ABS:
            return True
        case Operation.CALL if isinstance(node.value, Apply):
            return node.value.function in _NEVER_NEGATIVE_ZERO
        case _:
            number = number_of(node)
            return number is not None and (number != 0 or math.copysign(1, number) > 0)


_NEVER_NEGATIVE_ZERO = frozenset({"exp", "exp2", "exp10"})


def _narrowed(part: Apply, operands: tuple[Node, ...]) -> tuple[Apply, tuple[Node, ...]]:
    """Return a double operation on floats that is rounded to float, done in float.

    With twice the digits and two more, the result is rounded the same.

    Figueroa, *When is double rounding innocuous?*, SIGNUM Newsletter 30 (1995).
    """
    wide = operands[0]
    if part.operation is not Operation.CONVERT or part.type.scalar is not ScalarType.FP32:
        return part, operands
    if wide.operation not in _ROUNDED or wide.value.type.scalar is not ScalarType.FP64:
        return part, operands
    narrow = tuple(node for operand in wide.operands if (node := _as_float(operand, part.type)) is not None)
    if len(narrow) < len(wide.operands):
        return part, operands
    return Apply(wide.operation, part.type, ()), narrow


def _as_float(node: Node, kind: ElementType) -> Node | None:
    """Return the float that a double is known to be."""
    if node.operation is Operation.CONVERT and node.operands[0].value.type == kind:
        return node.operands[0]
    number = number_of(node)
    if number is None or rounded(number) != number:
        return None
    return Node(Constant(number, kind), (), node.statement, node.depth)


def number_of(node: Node) -> int | float | None:
    """Return the value of a constant."""
    return node.value.number if isinstance(node.value, Constant) else None
