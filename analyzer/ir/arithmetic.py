"""C's arithmetic on known numbers: what a compiler computes instead of the machine.

Three layers: operators on exact integers and doubles (:func:`binary`, :func:`unary`), conversions to a type
(:func:`converted`, :func:`wrapped`), and operators on typed constants (:func:`applied`), whose operands are
converted as C does.  Unsigned results wrap at their width.  A signed result that its type does not hold is undefined
in C and is given exactly, because sizes that users give for a program may exceed the types of its variables.

Reference: ISO/IEC 9899:2018, 6.3.1 (conversions) and 6.5 (operators), for two's complement and LP64.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Final, TypeVar, Union

from .types import INT32, ElementType, ScalarType, TypeClass
from .values import Apply, Constant, Operation, Value, walk_values

Number = Union[int, float]
_Operand = TypeVar("_Operand", int, float)

_LONGEST_SHIFT: Final = 63
_LARGEST_BITS: Final = 256  # of an integer: products of products of 64-bit numbers end here
_FLOATS = (ScalarType.FP16, ScalarType.BF16, ScalarType.FP32, ScalarType.FP64, ScalarType.FP80)
_INTEGERS = (ScalarType.INT32, ScalarType.UINT32, ScalarType.INT64, ScalarType.UINT64)
_COMPLEX = {ScalarType.FP32: ScalarType.COMPLEX_FP32}
_UNSIGNED = frozenset({ScalarType.UINT8, ScalarType.UINT16, ScalarType.UINT32, ScalarType.UINT64})
SHIFTS: Final = frozenset({"<<", ">>"})
COMPARISONS: Final[dict[str, Callable[[Number, Number], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_LOGIC: dict[str, Callable[[Number, Number], bool]] = {
    "&&": lambda left, right: bool(left) and bool(right),
    "||": lambda left, right: bool(left) or bool(right),
}


def _quotient(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _shift_distance(bits: int) -> int:
    if not 0 <= bits <= _LONGEST_SHIFT:
        raise ValueError
    return bits


_ON_FLOATS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
_ON_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": _quotient, "%": lambda left, right: left - right * _quotient(left, right),
    "<<": lambda left, right: left << _shift_distance(right), ">>": lambda left, right: left >> _shift_distance(right),
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def binary(sign: str, left: Number, right: Number) -> Number | None:
    """Return ``left sign right`` on exact integers and doubles; a truth is 0 or 1.

    None where C gives no number: an integer operator on a float, division by zero, a shift by less than 0 or more than
    63 bits, an overflow of doubles, an integer of more than 256 bits.

    >>> binary("/", -7, 2), binary("%", -7, 2), binary("/", 7, 2.0), binary("%", 7, 0), binary("<", 1, 2)
    (-3, -1, 3.5, None, 1)
    """
    truth = COMPARISONS.get(sign) or _LOGIC.get(sign)
    if truth is not None:
        return int(truth(left, right))
    if isinstance(left, int) and isinstance(right, int):
        result = _operated(_ON_INTEGERS.get(sign), left, right)
        return None if result is None or result.bit_length() > _LARGEST_BITS else result
    number = _operated(_ON_FLOATS.get(sign), left, right)
    is_overflow = number is not None and math.isfinite(left) and math.isfinite(right) and not math.isfinite(number)
    return None if is_overflow else number


def _operated(
    operation: Callable[[_Operand, _Operand], _Operand] | None, left: _Operand, right: _Operand
) -> _Operand | None:
    try:
        return None if operation is None else operation(left, right)
    except (ArithmeticError, ValueError):
        return None


def unary(sign: str, number: Number) -> Number | None:
    """Return ``sign number`` for ``-``, ``+``, ``!`` and ``~``; None for other operators, and for ``~`` of a float.

    >>> unary("-", 3), unary("~", 0), unary("!", 2.5), unary("~", 1.0)
    (-3, -1, 0, None)
    """
    match sign:
        case "-":
            return -number
        case "+":
            return number
        case "!":
            return int(not number)
        case "~" if isinstance(number, int):
            return ~number
        case _:
            return None


# --- types ---------------------------------------------------------------------------------------------------------


def promoted(kind: ElementType) -> ElementType:
    """Return the type after integer promotion, which lanes of vectors do not have."""
    small = kind.scalar.is_integer and kind.scalar not in _INTEGERS and kind.lanes == 1
    return ElementType(ScalarType.INT32) if small else kind


def common_type(left: ElementType, right: ElementType) -> ElementType:
    """Return the type in which C computes with two operands (the usual arithmetic conversions)."""
    left, right = promoted(left), promoted(right)
    lanes = max(left.lanes, right.lanes)
    first, second = left.scalar, right.scalar
    if ScalarType.UNKNOWN in (first, second):
        return ElementType(second if first is ScalarType.UNKNOWN else first, lanes)
    if first is second:
        return ElementType(first, lanes)
    if not (first.is_float or second.is_float):
        if left.lanes != right.lanes:  # a number next to a vector takes the type of its lanes
            return left if left.lanes > right.lanes else right
        ranked = [kind for kind in (first, second) if kind in _INTEGERS]
        widest = max(ranked, key=_INTEGERS.index) if len(ranked) == 2 else first if ranked != [second] else second
        return ElementType(widest, lanes)
    floats = [kind.component for kind in (first, second) if kind.is_float]
    widest = max(floats, key=_FLOATS.index)
    if TypeClass.COMPLEX in (first.type_class, second.type_class):
        widest = _COMPLEX.get(widest, ScalarType.COMPLEX_FP64)
    return ElementType(widest, lanes)


def is_unsigned(scalar: ScalarType) -> bool:
    """Return whether a type is an unsigned integer, whose arithmetic wraps."""
    return scalar in _UNSIGNED


def wrapped(number: int, scalar: ScalarType) -> int:
    """Return an integer as the integer type holds it, in two's complement.

    >>> wrapped(-1, ScalarType.UINT32), wrapped(200, ScalarType.INT8)
    (4294967295, -56)
    """
    if scalar is ScalarType.BOOL:
        return int(number != 0)
    width = 8 * scalar.size_bytes
    low = number & ((1 << width) - 1)
    return low - (1 << width) if scalar not in _UNSIGNED and low >> (width - 1) else low


def converted(number: Number, scalar: ScalarType) -> Number | None:
    """Return a number in a real type before it wraps: truncated where that is an integer, 0 or 1 where a truth.

    None where the type does not hold it: an infinity or a NaN as an integer, an integer beyond all doubles.

    >>> converted(-3.7, ScalarType.INT32), converted(2, ScalarType.FP64), converted(0.5, ScalarType.BOOL)
    (-3, 2.0, 1)
    """
    if scalar is ScalarType.BOOL:
        return int(bool(number))
    try:
        return float(number) if scalar.is_float else int(number)
    except (OverflowError, ValueError):
        return None


# --- constants -----------------------------------------------------------------------------------------------------


def is_exact_divisor(number: float) -> bool:
    """Return whether a quotient by a number is a product with its inverse: a power of two, with either sign."""
    return math.isfinite(number) and abs(math.frexp(number)[0]) == 0.5


def cast(value: Constant, kind: ElementType) -> Constant | None:
    """Return a constant in another type, wrapped at its width; None where that does not hold it."""
    scalar = kind.scalar
    if value.number is None or kind.lanes != 1 or not (scalar.is_integer or scalar.type_class is TypeClass.FLOAT):
        return None
    if scalar is value.type.scalar:
        return value
    number = converted(value.number, scalar)
    if isinstance(number, int):
        return Constant(wrapped(number, scalar), kind)
    return None if number is None else in_type(number, kind)


def applied(sign: str, left: Constant, right: Constant) -> Constant | None:
    """Return ``left sign right`` after C's conversions of the operands; None where it has no number.

    >>> applied("<", Constant(-1, INT32), Constant(0, ElementType(ScalarType.UINT32)))
    Constant(number=0, type=ElementType(scalar=<ScalarType.INT32: 'int32'>, lanes=1))
    """
    if sign in SHIFTS:
        kind = promoted(left.type)
        first, second = cast(left, kind), cast(right, promoted(right.type))
        width = 8 * kind.size_bytes
        if first is None or second is None or second.number is None or not 0 <= second.number < width:
            return None
    else:
        kind = common_type(left.type, right.type)
        first, second = (left, right) if sign in _LOGIC else (cast(left, kind), cast(right, kind))
    if first is None or second is None or first.number is None or second.number is None:
        return None
    number = binary(sign, first.number, second.number)
    return _result_of(number, INT32 if sign in COMPARISONS or sign in _LOGIC else kind)


def applied_unary(sign: str, operand: Constant) -> Constant | None:
    """Return ``sign operand`` after the promotion of the operand; None where it has no number."""
    kind = promoted(operand.type)
    value = cast(operand, kind)
    if value is None or value.number is None:
        return None
    return _result_of(unary(sign, value.number), INT32 if sign == "!" else kind)


def _result_of(number: Number | None, kind: ElementType) -> Constant | None:
    if number is None:
        return None
    if isinstance(number, int):
        return Constant(wrapped(number, kind.scalar) if kind.scalar in _UNSIGNED else number, kind)
    return in_type(number, kind)


# --- operations of the IR ------------------------------------------------------------------------------------------

_SIGNS = {Operation.ADD: "+", Operation.SUB: "-", Operation.MUL: "*", Operation.DIV: "/"}
_CHOICES: dict[Operation, Callable[[float, float], float]] = {Operation.MIN: min, Operation.MAX: max}
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
    """Return the nearest number in single precision.

    >>> rounded(0.1) == 0.1, rounded(0.25) == 0.25
    (False, True)
    """
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def computed(part: Apply, numbers: Sequence[int | float]) -> Constant | None:
    """Return the result of a floating-point operation on known numbers; None where it is none or has no number."""
    if part.type.scalar.type_class is not TypeClass.FLOAT or part.type.lanes > 1:
        return None
    try:
        result = _result(part, [float(number) for number in numbers])
    except (ArithmeticError, ValueError):
        return None
    return None if result is None else in_type(float(result), part.type)


def in_type(number: float, kind: ElementType) -> Constant:
    """Return a number as a constant of a floating-point type."""
    return Constant(rounded(number) if kind.scalar is ScalarType.FP32 else number, kind)


def _result(part: Apply, numbers: list[float]) -> float | None:
    match numbers:
        case [left, right] if part.operation in _SIGNS:
            return binary(_SIGNS[part.operation], left, right)
        case [left, right] if part.operation in _CHOICES:
            return _CHOICES[part.operation](left, right)
        case [value] if part.operation in _UNARY:
            return _UNARY[part.operation](value)
        case _ if part.operation is Operation.CALL and part.function in _FUNCTIONS:
            return _FUNCTIONS[part.function](*numbers)
    return None


def known_number(value: Value) -> int | float | None:
    """Return the number of a tree of operations on constants, or None."""
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
