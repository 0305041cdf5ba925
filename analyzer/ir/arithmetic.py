"""Operations on known numbers: what a compiler computes instead of the machine, rounded to the type."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence

from .types import ElementType, ScalarType, TypeClass
from .values import Apply, Constant, Operation, Value, walk_values

_BINARY: dict[Operation, Callable[[float, float], float]] = {
    Operation.ADD: lambda left, right: left + right,
    Operation.SUB: lambda left, right: left - right,
    Operation.MUL: lambda left, right: left * right,
    Operation.DIV: lambda left, right: left / right,
    Operation.MIN: min,
    Operation.MAX: max,
}
_UNARY: dict[Operation, Callable[[float], float]] = {
    Operation.NEG: lambda value: -value,
    Operation.ABS: abs,
    Operation.CONVERT: lambda value: value,
    Operation.SQRT: math.sqrt,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "exp": math.exp, "exp2": lambda value: 2.0**value, "expm1": math.expm1, "log": math.log, "log2": math.log2,
    "log10": math.log10, "log1p": math.log1p, "pow": math.pow,
    "cbrt": lambda value: math.copysign(abs(value) ** (1 / 3), value),
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "erf": math.erf, "erfc": math.erfc,
    "rsqrt": lambda value: 1 / math.sqrt(value), "hypot": math.hypot, "floor": math.floor, "ceil": math.ceil,
    "trunc": math.trunc, "fmod": math.fmod,
}  # fmt: skip


def rounded(number: float) -> float:
    """The nearest number in single precision.

    >>> rounded(0.1) == 0.1, rounded(0.25) == 0.25
    (False, True)
    """
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def computed(part: Apply, numbers: Sequence[int | float]) -> Constant | None:
    """The result of a floating-point operation on known numbers; None where it is none or has no number."""
    if part.type.scalar.type_class is not TypeClass.FLOAT or part.type.lanes > 1:
        return None
    try:
        result = _result(part, [float(number) for number in numbers])
    except (ArithmeticError, ValueError):
        return None
    return None if result is None else in_type(float(result), part.type)


def in_type(number: float, kind: ElementType) -> Constant:
    """A number as a constant of a floating-point type."""
    return Constant(rounded(number) if kind.scalar is ScalarType.FP32 else number, kind)


def _result(part: Apply, numbers: list[float]) -> float | None:
    match numbers:
        case [left, right] if part.operation in _BINARY:
            return _BINARY[part.operation](left, right)
        case [value] if part.operation in _UNARY:
            return _UNARY[part.operation](value)
        case _ if part.operation is Operation.CALL and part.function in _FUNCTIONS:
            return _FUNCTIONS[part.function](*numbers)
    return None


def known_number(value: Value) -> int | float | None:
    """The number that a tree of operations on constants has, or None."""
    stack: list[int | float | None] = []
    for part in walk_values(value):
        match part:
            case Constant(number):
                stack.append(number)
            case Apply():
                first = len(stack) - len(part.operands)
                numbers = stack[first:]
                del stack[first:]
                known = [number for number in numbers if number is not None]
                result = computed(part, known) if len(known) == len(numbers) else None
                stack.append(None if result is None else result.number)
            case _:
                return None
    return stack[-1]
