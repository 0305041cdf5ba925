"""Values of constant expressions: a surface expression to a number, with C's integer division and shifts."""

from __future__ import annotations

import operator
from collections.abc import Callable

from .nodes import Binary, Cast, Conditional, Expression, Number, Unary

_MAX_SHIFT = 63


def constant_value(expression: Expression | None) -> int | float | None:
    """The value of an expression of literals, or None where it is not constant."""
    match expression:
        case Number(value=value):
            return value
        case Unary(operator=sign, operand=inner):
            return _unary(sign, constant_value(inner))
        case Binary(operator=sign, left=left, right=right):
            first, second = constant_value(left), constant_value(right)
            return None if first is None or second is None else _binary(sign, first, second)
        case Conditional(condition=condition, then=then, orelse=orelse):
            chosen = constant_value(condition)
            return None if chosen is None else constant_value(then if chosen else orelse)
        case Cast(operand=inner):
            return constant_value(inner)
        case _:
            return None


def constant_integer(expression: Expression | None) -> int | None:
    """The value of a constant integer expression, or None."""
    value = constant_value(expression)
    return value if isinstance(value, int) else None


def _unary(sign: str, value: int | float | None) -> int | float | None:
    if value is None:
        return None
    match sign:
        case "-":
            return -value
        case "+":
            return value
        case "!":
            return int(not value)
        case "~" if isinstance(value, int):
            return ~value
        case _:
            return None


_ARITHMETIC: dict[str, Callable[[int | float, int | float], int | float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "&&": lambda a, b: bool(a) and bool(b), "||": lambda a, b: bool(a) or bool(b),
}  # fmt: skip
_BITS: dict[str, Callable[[int, int], int]] = {
    "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def _binary(sign: str, left: int | float, right: int | float) -> int | float | None:
    if sign in _ARITHMETIC:
        try:
            result = _ARITHMETIC[sign](left, right)
        except OverflowError:
            return None
        return int(result) if isinstance(result, bool) else result
    if isinstance(left, int) and isinstance(right, int):
        return _integer(sign, left, right)
    if sign == "/" and right != 0:
        try:
            return left / right
        except OverflowError:
            return None
    return None


def _integer(sign: str, left: int, right: int) -> int | None:
    if sign in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if sign == "/" else left - quotient * right
    if sign in ("<<", ">>") and not 0 <= right <= _MAX_SHIFT:
        return None
    return _BITS[sign](left, right) if sign in _BITS else None
