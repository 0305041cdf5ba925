"""Values as people write them, for names of conditions and of divisors: close to C, and cut where they get long.

>>> from .types import FP64
>>> a, b = Register("a", FP64), Register("b", FP64)
>>> label_of(Apply(Operation.MUL, FP64, (Apply(Operation.ADD, FP64, (a, b)), Constant(2.0, FP64))))
'(a + b)*2.0'
>>> label_of(Apply(Operation.COMPARE, FP64, (a, Apply(Operation.SQRT, FP64, (b,)))), ">")
'a > sqrt(b)'
"""

from __future__ import annotations

from .text import access_text
from .values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value

_INFIX = {
    Operation.ADD: (" + ", 1), Operation.SUB: (" - ", 1), Operation.MUL: ("*", 2), Operation.DIV: ("/", 2),
    Operation.REM: (" % ", 2),
}  # fmt: skip
_PREFIX, _ATOM = 3, 4
_DEEPEST = 6
_CUT = "..."


def label_of(value: Value, operator: str = "") -> str:
    """Return a value; an ``operator`` is written between the two operands of the outermost operation."""
    if operator and isinstance(value, Apply) and len(value.operands) == 2:
        left, right = (_label(operand, 1)[0] for operand in value.operands)
        return f"{left} {operator} {right}"
    return _label(value, 0)[0]


def _label(value: Value, depth: int) -> tuple[str, int]:
    """Return the text of a value and how tightly it binds."""
    if depth > _DEEPEST:
        return _CUT, _ATOM
    match value:
        case Constant():
            return (_CUT if value.number is None else repr(value.number)), _ATOM
        case Register():
            return value.name, _ATOM
        case IndexValue():
            plain = value.index.as_name is not None or value.index.constant is not None
            return str(value.index), _ATOM if plain else 0
        case Load():
            return access_text(value.access), _ATOM
        case Apply():
            return _operation(value, depth)
        case Opaque():
            called = dict(value.what.fields).get("function")
            return (f"{called}({_arguments(value.operands, depth) or _CUT})" if called else str(value.what)), _ATOM


def _operation(value: Apply, depth: int) -> tuple[str, int]:
    if value.operation is Operation.CONVERT and len(value.operands) == 1:
        return _label(value.operands[0], depth)
    if value.operation is Operation.NEG:
        return f"-{_bound(value.operands[0], _PREFIX, depth)}", _PREFIX
    infix = _INFIX.get(value.operation)
    if infix is None or len(value.operands) != 2:
        return f"{value.function or value.operation.value}({_arguments(value.operands, depth)})", _ATOM
    sign, tightness = infix
    left, right = value.operands
    return f"{_bound(left, tightness, depth)}{sign}{_bound(right, tightness + 1, depth)}", tightness


def _arguments(operands: tuple[Value, ...], depth: int) -> str:
    return ", ".join(_label(operand, depth + 1)[0] for operand in operands)


def _bound(value: Value, tightness: int, depth: int) -> str:
    text, own = _label(value, depth + 1)
    return text if own >= tightness else f"({text})"
