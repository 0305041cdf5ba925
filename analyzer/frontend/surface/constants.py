"""Values of constant expressions: from a surface expression to a number, with C's integer division and shifts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from .nodes import Binary, Cast, Conditional, Expression, Number, Unary
from .traverse import Tree, fold

Constant = int | float
_MAX_SHIFT = 63  # bits: a shift by more is undefined for every integer type


def constant_value(expression: Expression | None) -> Constant | None:
    """Return the value of an expression of literals, or None where it is not constant."""
    return None if expression is None else fold(expression, _value)


def _value(node: Tree, operands: Sequence[Constant | None]) -> Constant | None:
    match node, operands:
        case Number(value=value), _:
            return value
        case Unary(operator=sign), (operand,):
            return _unary(sign, operand)
        case Binary(operator=sign), (left, right):
            return None if left is None or right is None else _binary(sign, left, right)
        case Conditional(), (condition, then, orelse):
            return None if condition is None else then if condition else orelse
        case Cast(), (operand,):
            return operand
        case _:
            return None


def constant_integer(expression: Expression | None) -> int | None:
    """Return the value of a constant integer expression, or None."""
    value = constant_value(expression)
    return value if isinstance(value, int) else None


def _unary(sign: str, value: Constant | None) -> Constant | None:
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


_ARITHMETIC: dict[str, Callable[[Constant, Constant], Constant]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "&&": lambda a, b: bool(a) and bool(b), "||": lambda a, b: bool(a) or bool(b),
}  # fmt: skip
_BITS: dict[str, Callable[[int, int], int]] = {
    "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def _binary(sign: str, left: Constant, right: Constant) -> Constant | None:
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
