"""Values as people write them, for names of conditions and of divisors: close to C, and cut where they get long.

>>> from ..types import FP64
>>> a, b = Register("a", FP64), Register("b", FP64)
>>> label_of(Apply(Operation.MUL, FP64, (Apply(Operation.ADD, FP64, (a, b)), Constant(2.0, FP64))))
'(a + b)*2.0'
>>> label_of(Apply(Operation.COMPARE, FP64, (a, Apply(Operation.SQRT, FP64, (b,)))), ">")
'a > sqrt(b)'
>>> label_of(Apply(Operation.COMPARE, FP64, (Register("$1", FP64), b)), ">", {"$1": "a >= 0.0 ? a : -a"})
'(a >= 0.0 ? a : -a) > b'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from ..nodes import Compare, Condition, DataDependent
from ..values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from .text import access_text, condition_text

_INFIX = {
    Operation.ADD: (" + ", 1), Operation.SUB: (" - ", 1), Operation.MUL: ("*", 2), Operation.DIV: ("/", 2),
    Operation.REM: (" % ", 2),
}  # fmt: skip
_LEAST, _SUM, _PREFIX, _ATOM = 0, 1, 3, 4
_DEEPEST = 6
_CUT = "..."


def label_of(value: Value, operator: str = "", meanings: Mapping[str, Value | str] = MappingProxyType({})) -> str:
    """Return a value; an ``operator`` is written between the two operands of the outermost operation.

    ``meanings`` has what registers hold that the source does not name.
    """
    label = _Label(meanings)
    if operator and isinstance(value, Apply) and len(value.operands) == 2:
        left, right = (label.bound(operand, _SUM, 0) for operand in value.operands)
        return f"{left} {operator} {right}"
    return label.of(value, 0)[0]


def choice_label(condition: Condition, then: Value, orelse: Value, meanings: Mapping[str, Value | str]) -> str:
    """Return ``c ? a : b``."""
    text = _CUT
    match condition:
        case DataDependent() if condition.text:
            text = condition.text
        case Compare():
            text = condition_text(condition)
        case _:
            pass
    return f"{text} ? {label_of(then, meanings=meanings)} : {label_of(orelse, meanings=meanings)}"


class _Label(Struct, frozen=True):
    """Writes values."""

    meanings: Mapping[str, Value | str]

    def of(self, value: Value, depth: int) -> tuple[str, int]:
        """Return the text of a value and how tightly it binds."""
        if depth > _DEEPEST:
            return _CUT, _ATOM
        match value:
            case Constant():
                return (_CUT if value.number is None else repr(value.number)), _ATOM
            case Register():
                meaning = self.meanings.get(value.name, value)
                if isinstance(meaning, str):
                    return meaning, _LEAST
                return (value.name, _ATOM) if isinstance(meaning, Register) else self.of(meaning, depth + 1)
            case IndexValue():
                plain = value.index.as_name is not None or value.index.constant is not None
                return str(value.index), _ATOM if plain else _SUM
            case Load():
                return access_text(value.access), _ATOM
            case Apply():
                return self._operation(value, depth)
            case Opaque():
                called = dict(value.what.fields).get("function")
                operands = self._arguments(value.operands, depth) or _CUT
                return (f"{called}({operands})" if called else str(value.what)), _ATOM

    def bound(self, value: Value, tightness: int, depth: int) -> str:
        """Return an operand, in parentheses where it binds less tightly than that."""
        text, own = self.of(value, depth + 1)
        return text if own >= tightness else f"({text})"

    def _operation(self, value: Apply, depth: int) -> tuple[str, int]:
        if value.operation is Operation.CONVERT and len(value.operands) == 1:
            return self.of(value.operands[0], depth)
        if value.operation is Operation.NEG:
            return f"-{self.bound(value.operands[0], _PREFIX, depth)}", _PREFIX
        if value.operation is Operation.SELECT and len(value.operands) == 3:
            condition, then, orelse = (self.bound(operand, _SUM, depth) for operand in value.operands)
            return f"{condition} ? {then} : {orelse}", _LEAST
        infix = _INFIX.get(value.operation)
        if infix is None or len(value.operands) != 2:
            return f"{value.function or value.operation.value}({self._arguments(value.operands, depth)})", _ATOM
        sign, tightness = infix
        left, right = value.operands
        return f"{self.bound(left, tightness, depth)}{sign}{self.bound(right, tightness + 1, depth)}", tightness

    def _arguments(self, operands: tuple[Value, ...], depth: int) -> str:
        return ", ".join(self.of(operand, depth + 1)[0] for operand in operands)
