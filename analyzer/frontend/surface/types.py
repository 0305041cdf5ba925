"""Types of surface expressions, as far as a reader needs them: ``sizeof``, ``auto`` and members."""

from __future__ import annotations

from ...ir.arithmetic import SHIFTS, common_type, promoted
from ...ir.types import ElementType, ScalarType, TypeClass
from ...source import Span
from .nodes import (
    DOUBLE,
    INT,
    VOID,
    ArrayT,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    CType,
    Expression,
    Index,
    InitializerList,
    Launch,
    Member,
    Name,
    Number,
    OpaqueExpression,
    PointerT,
    ScalarT,
    StructT,
    Text,
    Unary,
    UnknownT,
)

CHAR = ScalarT(ElementType(ScalarType.INT8))
_ADDRESS_BYTES = 8
_TRUTH = frozenset({"&&", "||", "<", "<=", ">", ">=", "==", "!="})


def may_be_address(ctype: CType) -> bool:
    """Return whether a value of a type may hold an address, which may be cast to a number."""
    scalar = ctype.element.scalar if isinstance(ctype, ScalarT) else None
    return scalar is None or not (scalar.is_float or scalar.size_bytes < _ADDRESS_BYTES)


def type_of(expression: Expression) -> CType:
    """Return the type of an expression; ``UnknownT`` where it depends on something undeclared."""
    match expression:
        case Number(type=scalar):
            return scalar
        case Text():
            return PointerT(CHAR)
        case Name(variable=variable):
            return variable.type
        case Cast(type=ctype) | InitializerList(type=ctype) | OpaqueExpression(type=ctype) | Call(type=ctype):
            return _result(ctype)
        case Launch():
            return VOID
        case Index(base=base):
            return target_of(type_of(base))
        case Member(base=base, name=name):
            return _member(type_of(base), name)
        case Assign(target=target):
            return type_of(target)
        case Comma(right=right):
            return type_of(right)
        case Conditional(then=then, orelse=orelse):
            return common(type_of(then), type_of(orelse))
        case Unary(operator=sign, operand=operand):
            return _unary(sign, type_of(operand))
        case Binary(operator=sign, left=left, right=right):
            return INT if sign in _TRUTH else _arithmetic(sign, left, right)


def target_of(ctype: CType) -> CType:
    """Return the type that indexing or dereferencing a value of the type gives."""
    match ctype:
        case PointerT(target=target):
            return target
        case ArrayT(element=element):
            return element
        case ScalarT(element) if element.lanes > 1:
            return ScalarT(ElementType(element.scalar))
        case _:
            return UnknownT("not a pointer")


def _result(ctype: CType) -> CType:
    # A function that nothing declares is most often one of <math.h>.
    return DOUBLE if isinstance(ctype, UnknownT) else ctype


def _member(base: CType, name: str) -> CType:
    if isinstance(base, StructT):
        for item in base.fields:
            if item.name == name:
                return item.type
    if isinstance(base, ScalarT) and base.element.lanes > 1:
        return ScalarT(ElementType(base.element.scalar))
    return UnknownT(f"member {name}")


def _unary(sign: str, operand: CType) -> CType:
    match sign:
        case "*":
            return target_of(operand)
        case "&":
            return PointerT(operand)
        case "!":
            return INT
        case "-" | "+" | "~" if isinstance(operand, ScalarT):
            return ScalarT(promoted(operand.element))
        case _:
            return operand


def _arithmetic(sign: str, left: Expression, right: Expression) -> CType:
    kind = type_of(left)
    if sign in SHIFTS and isinstance(kind, ScalarT):
        return ScalarT(promoted(kind.element))
    return common(kind, type_of(right))


def common(left: CType, right: CType) -> CType:
    """Return the type in which C computes with two operands; a pointer wins over a number."""
    match left, right:
        case ScalarT(first), ScalarT(second):
            return ScalarT(common_type(first, second))
        case ScalarT(), _:
            return right
        case _:
            return left


def innermost(kind: CType) -> CType:
    """Return the type of the elements of an array, of those of an array of arrays; any other type as it is."""
    while isinstance(kind, ArrayT):
        kind = kind.element
    return kind


def zero_of(kind: CType, span: Span) -> Expression | None:
    """Return what C++ gives an object without a value of its own, of an array each element.

    None for pointers and containers, and for objects with such members.
    """
    match kind:
        case ScalarT(element) if element.lanes == 1 and (element.scalar.is_float or element.scalar.is_integer):
            return Number(0.0 if element.scalar.is_float else 0, kind, span)
        case ScalarT(element) if element.scalar.type_class is TypeClass.COMPLEX:
            return Number(0.0, kind, span)
        case ArrayT(element=element):
            return zero_of(element, span)
        case StructT(fields=fields) if fields and not any(field.reference for field in fields):
            is_plain = all(zero_of(field.type, span) is not None for field in fields)
            return InitializerList(kind, (), span, clears=True) if is_plain else None
        case _:
            return None
