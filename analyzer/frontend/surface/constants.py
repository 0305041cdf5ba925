"""Values of constant expressions: a surface expression to a number, by C's arithmetic on the types of its parts."""

from __future__ import annotations

from ...ir.arithmetic import applied, applied_unary, cast
from ...ir.values import Constant
from .nodes import Binary, Cast, Conditional, Expression, Number, ScalarT, Unary


def constant_value(expression: Expression | None) -> int | float | None:
    """Return the value of an expression of literals, or None where it is not constant."""
    constant = _constant(expression)
    return None if constant is None else constant.number


def constant_integer(expression: Expression | None) -> int | None:
    """Return the value of a constant integer expression, or None."""
    value = constant_value(expression)
    return value if isinstance(value, int) else None


def _constant(expression: Expression | None) -> Constant | None:
    match expression:
        case Number(value=value, type=kind):
            return Constant(value, kind.element)
        case Unary(operator=sign, operand=inner):
            operand = _constant(inner)
            return None if operand is None else applied_unary(sign, operand)
        case Binary(operator=sign, left=left, right=right):
            first, second = _constant(left), _constant(right)
            return None if first is None or second is None else applied(sign, first, second)
        case Conditional(condition=condition, then=then, orelse=orelse):
            chosen = constant_value(condition)
            return None if chosen is None else _constant(then if chosen else orelse)
        case Cast(operand=inner, type=kind):
            operand = _constant(inner)
            return cast(operand, kind.element) if operand is not None and isinstance(kind, ScalarT) else operand
        case _:
            return None
