"""C's usual arithmetic conversions, and operations on values: constants are folded, integers are indices."""

from __future__ import annotations

import math
from collections.abc import Callable

from ....ir.index import Poly, const, floor_div, floor_mod, trunc_div, trunc_mod
from ....ir.types import INT32, ElementType, ScalarType, TypeClass
from ....ir.values import Apply, Constant, IndexValue, Operation, Value

_TRUTH = (Operation.COMPARE, Operation.LOGICAL)
_FLOATS = (ScalarType.FP16, ScalarType.BF16, ScalarType.FP32, ScalarType.FP64, ScalarType.FP80)
_INTEGERS = (ScalarType.INT32, ScalarType.UINT32, ScalarType.INT64, ScalarType.UINT64)
_COMPLEX = {ScalarType.FP32: ScalarType.COMPLEX_FP32}

OPERATIONS = {
    "+": Operation.ADD,
    "-": Operation.SUB,
    "*": Operation.MUL,
    "/": Operation.DIV,
    "%": Operation.REM,
    "<<": Operation.SHIFT,
    ">>": Operation.SHIFT,
    "&": Operation.BITWISE,
    "|": Operation.BITWISE,
    "^": Operation.BITWISE,
}

_FLOAT_FOLD: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else math.nan,
}
_BIT_FOLD: dict[str, Callable[[int, int], int]] = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def type_of(value: Value) -> ElementType:
    """Return the C type of a value: comparisons compute in the type of their operands and give an ``int``."""
    return INT32 if isinstance(value, Apply) and value.operation in _TRUTH else value.type


def promoted(kind: ElementType) -> ElementType:
    """Return the type after integer promotion."""
    small = kind.scalar.is_integer and kind.scalar not in _INTEGERS
    return ElementType(ScalarType.INT32, kind.lanes) if small else kind


def common_type(left: ElementType, right: ElementType) -> ElementType:
    """Return the type in which C computes with two operands."""
    left, right = promoted(left), promoted(right)
    lanes = max(left.lanes, right.lanes)
    first, second = left.scalar, right.scalar
    if ScalarType.UNKNOWN in (first, second):
        return ElementType(second if first is ScalarType.UNKNOWN else first, lanes)
    if first is second:
        return ElementType(first, lanes)
    if not (first.is_float or second.is_float):
        ranked = [kind for kind in (first, second) if kind in _INTEGERS]
        widest = max(ranked, key=_INTEGERS.index) if len(ranked) == 2 else first if ranked != [second] else second
        return ElementType(widest, lanes)
    floats = [kind.component for kind in (first, second) if kind.is_float]
    widest = max(floats, key=_FLOATS.index)
    if TypeClass.COMPLEX in (first.type_class, second.type_class):
        widest = _COMPLEX.get(widest, ScalarType.COMPLEX_FP64)
    return ElementType(widest, lanes)


def convert(value: Value, target: ElementType) -> Value:
    """Return the value in another type: free for constants and between integers, else one conversion."""
    source = type_of(value)
    if source == target or ScalarType.UNKNOWN in (source.scalar, target.scalar):
        return value
    if target.scalar in (ScalarType.VOID, ScalarType.POINTER) or source.scalar is ScalarType.POINTER:
        return value
    if isinstance(value, Constant):
        return Constant(_converted_number(value.number, target), target)
    if not source.scalar.is_float and not target.scalar.is_float:
        return IndexValue(value.index, target) if isinstance(value, IndexValue) else value
    if source.scalar is target.scalar:
        return value
    if target.scalar.type_class is TypeClass.COMPLEX and source.scalar is target.scalar.component:
        return value
    if target.scalar.type_class is TypeClass.COMPLEX and source.scalar.type_class is not TypeClass.COMPLEX:
        target = ElementType(target.scalar.component, target.lanes)
    return Apply(Operation.CONVERT, target, (value,))


def _converted_number(number: int | float | None, target: ElementType) -> int | float | None:
    if number is None:
        return None
    if target.scalar is ScalarType.BOOL:
        return int(bool(number))
    if target.scalar.is_float:
        try:
            return float(number)
        except OverflowError:
            return None
    return int(number) if math.isfinite(number) else None


def index_of(value: Value) -> Poly | None:
    """Return the polynomial of an integer that is known, else None."""
    match value:
        case IndexValue(index=index):
            return index
        case Constant(number=int() as number, type=kind) if kind.scalar.is_integer:
            return const(number)
        case _:
            return None


def index_value(index: Poly, kind: ElementType) -> Value:
    """Return an index as a value; constants are constants."""
    number = index.constant
    return IndexValue(index, kind) if number is None else Constant(number, kind)


def combine(operator: str, left: Value, right: Value) -> tuple[Value, int]:
    """Return ``left operator right`` after the usual conversions, and the number of index operations."""
    kind = common_type(type_of(left), type_of(right))
    if operator in ("<<", ">>"):
        kind = promoted(type_of(left))
    if kind.scalar.is_integer:
        first, second = index_of(left), index_of(right)
        if first is not None and second is not None:
            index = combine_indices(operator, first, second)
            if index is not None:
                both = isinstance(left, Constant) and isinstance(right, Constant)
                return index_value(index, kind), 0 if both else 1
    left, right = _operand(left, kind), _operand(right, kind)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(_fold(operator, left.number, right.number), kind), 0
    return Apply(OPERATIONS[operator], kind, (left, right)), 0


def _operand(value: Value, kind: ElementType) -> Value:
    """Return an operand in the type of the operation; a scalar stays a scalar next to a vector."""
    return convert(value, ElementType(kind.scalar, type_of(value).lanes))


def _fold(operator: str, left: int | float | None, right: int | float | None) -> int | float | None:
    fold = _FLOAT_FOLD.get(operator)
    if fold is None or left is None or right is None:
        return None
    try:
        return fold(left, right)
    except OverflowError:
        return None


def combine_indices(operator: str, left: Poly, right: Poly) -> Poly | None:
    """Return ``left operator right`` of integer expressions, or None where it has no polynomial form."""
    number = right.constant
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right if len(left.terms) * len(right.terms) <= 256 else None
        case "/":
            return trunc_div(left, right)
        case "%":
            return trunc_mod(left, right)
        case "<<" if number is not None and 0 <= number < 63:
            return left * (1 << number)
        case ">>" if number is not None and 0 <= number < 63:
            return floor_div(left, 1 << number)
        case "&" | "|" | "^":
            return _bitwise(operator, left, right)
    return None


def _bitwise(operator: str, left: Poly, right: Poly) -> Poly | None:
    first, second = left.constant, right.constant
    if first is not None and second is not None:
        return const(_BIT_FOLD[operator](first, second))
    if operator != "&":
        return None
    index, mask = (left, second) if second is not None else (right, first)
    if mask is None:
        return None
    if mask >= 0 and (mask + 1) & mask == 0:
        return floor_mod(index, const(mask + 1))
    if mask < 0 and (-mask & (-mask - 1)) == 0:
        return floor_div(index, const(-mask)) * -mask
    if mask > 0 and mask & (mask - 1) == 0:
        return floor_mod(floor_div(index, const(mask)), const(2)) * mask
    return None


def negated(value: Value) -> tuple[Value, int]:
    """Return ``-value``, and the number of index operations."""
    kind = promoted(type_of(value))
    index = index_of(value) if kind.scalar.is_integer else None
    if index is not None:
        return index_value(-index, kind), 0 if isinstance(value, Constant) else 1
    if isinstance(value, Constant):
        return Constant(None if value.number is None else -value.number, kind), 0
    return Apply(Operation.NEG, kind, (value,)), 0
