"""Overloaded operators: a call where the body is known, the built-in operator where the type is modelled.

Iterators and smart pointers are pointers here and complex numbers scalars, so their operators are the built-in ones;
``operator[]`` of a container is ``Index``.  What is left (a map, a stream, an array expression) is opaque.
"""

from __future__ import annotations

from ...surface.constructs import construct
from ...surface.nodes import (
    INT,
    LIST,
    ArrayT,
    Assign,
    Binary,
    Call,
    Comma,
    CType,
    Expression,
    Index,
    InitializerList,
    Member,
    OpaqueExpression,
    PointerT,
    ScalarT,
    StructT,
    Unary,
)
from ...surface.types import CHAR
from ..binding import Cursor
from ..kinds import CursorKind, TypeKind
from ..library_classes import is_function_object
from ..scope import Scope
from .bookkeeping import bookkeeping
from .texts import assigned_text
from .virtual_methods import method_call

_METHOD, _CALL = CursorKind.CXX_METHOD, CursorKind.CALL_EXPR
_BINARY = frozenset({"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"})
_UNARY = frozenset({"-", "+", "!", "~", "*", "&"})
_ORDER = frozenset({"<", "<=", ">", ">="})
_COMPARISONS = _ORDER | {"==", "!="}
_STREAMS = frozenset({"<<", ">>"})
_OUTPUT, _INPUT = "std::ostream::operator<<", "std::istream::operator>>"


def lower_operator(scope: Scope, cursor: Cursor, callee: Cursor, sign: str) -> Expression:
    """Lower a use of an overloaded operator; its operands are the arguments of the call in libclang's terms."""
    operands = scope.unit.arguments(cursor)
    if sign in _ORDER and operands:
        operands = _compared(scope, operands)
    key = scope.function_key(callee)
    if key is None and sign in _STREAMS and _is_stream(scope, cursor):
        return _stream(scope, cursor, sign)
    values = tuple(scope.expression(operand) for operand in operands)
    if values and callee.kind == _METHOD:
        called = method_call(scope, callee, f"operator{sign}", values[0], values[1:], qualified=False)
        if called is not None:
            return called
    elif values and key is not None:
        return scope.call(key, f"operator{sign}", values, callee)
    if sign == "==" and len(values) == 2 and scope.library.is_defaulted_method(scope.library.definition(callee)):
        equal = equal_members(scope, *values)
        if equal is not None:
            return equal
    if sign == "()" and values and is_function_object(scope.types.of(operands[0])):
        what = construct("call-of-a-function-object")
        return OpaqueExpression(what, values[1:], scope.types.of(cursor), scope.span, called=values[0])
    if sign == "=" and len(values) == 2 and scope.types.owns_elements(operands[0]):
        given = scope.library.type_of(scope.library.argument(callee, 0)).kind
        is_made = given == TypeKind.RVALUE_REFERENCE or (isinstance(values[1], Call) and values[1].name == "new")
        if scope.on_host and not is_made:
            return OpaqueExpression(construct("copy-of-a-container"), values, scope.types.of(cursor), scope.span)
        value = values[1]
        if isinstance(value, InitializerList) and isinstance(kind := scope.static_type(values[0]), PointerT):
            value = Call(LIST, LIST, value.items, kind, scope.span)
        elif not scope.on_host and is_text(scope, values[0]):
            value = assigned_text(scope, values[0], value)
        return Assign("", values[0], value, scope.span)
    if sign == "+=" and len(values) == 2 and scope.types.owns_elements(operands[0]) and is_text(scope, values[0]):
        is_character = isinstance(scope.static_type(values[1]), ScalarT) and not scope.on_host
        name = "push_back" if is_character else "append"
        return Call(name, name, values, scope.types.of(cursor), scope.span)
    if values:
        kinds = [scope.types.of(scope.unit.stripped(operand)) for operand in operands]
        if scope.is_in_header(callee) and scope.types.held_by(kinds[0]) is not None:
            values = (scope.as_container(values[0]), *values[1:])
            kinds[0] = scope.static_type(values[0])
        found = _built_in(scope, sign, values, kinds, scope.types.of(cursor), scope.is_in_header(callee))
        if found is not None:
            return found
    kind = scope.types.of(cursor)
    is_followed = scope.on_host and sign != "+"  # by the constant propagation, where the sum of texts is a call
    found = None if is_followed else bookkeeping(scope, callee, f"operator{sign}", values, kind)
    return found or OpaqueExpression(construct("operator", sign=sign), values, scope.types.of(cursor), scope.span)


def equal_members(scope: Scope, left: Expression, right: Expression) -> Expression | None:
    """Return ``left == right`` where the compiler writes it: member by member; None where that is not modelled."""
    kind = scope.static_type(left)
    if isinstance(kind, ScalarT | PointerT):
        return Binary("==", left, right, scope.span)
    if not isinstance(kind, StructT) or not kind.fields:
        return None
    found: Expression | None = None
    for field in kind.fields:
        parts = (Member(side, field.name, scope.span) for side in (left, right))
        equal = None if field.reference else equal_members(scope, *parts)
        if equal is None:
            return None
        found = equal if found is None else Binary("&&", found, equal, scope.span)
    return found


def is_text(scope: Scope, container: Expression) -> bool:
    """Return whether the elements of a container are characters."""
    kind = scope.static_type(container)
    return isinstance(kind, PointerT) and kind.target == CHAR


def _is_owned_text(kind: CType) -> bool:
    """Return whether a type is that of a text, no iterator over one."""
    return isinstance(kind, PointerT) and kind.target == CHAR and kind.owns


def _compared(scope: Scope, operands: list[Cursor]) -> list[Cursor]:
    """Return the operands of ``a < b`` where C++20 rewrites it to ``(a <=> b) < 0``."""
    first = scope.unit.stripped(operands[0])
    if first.kind == _CALL and scope.unit.spelling(first) == "operator<=>":
        return [scope.library.argument(first, 0), scope.library.argument(first, 1)]
    return operands


def _built_in(
    scope: Scope, sign: str, values: tuple[Expression, ...], kinds: list[CType], result: CType, is_standard: bool
) -> Expression | None:
    modelled = any(isinstance(kind, ScalarT | PointerT | ArrayT) for kind in kinds)
    if sign == "[]" and len(values) == 2:
        return Index(values[0], values[1], scope.span) if modelled and not _is_struct(kinds[0], is_standard) else None
    if sign == "=" and len(values) == 2:
        return Assign("", values[0], values[1], scope.span)
    if sign == "->":
        return values[0]
    if not modelled or any(isinstance(kind, StructT) for kind in kinds):
        return None
    # Texts are compared by their characters; on the host constant propagation follows them.
    is_of_text = sign == "+" or (sign in _COMPARISONS and not scope.on_host)
    if _is_array_expression(sign, kinds, result) or (is_of_text and any(map(_is_owned_text, kinds))):
        return None
    if len(values) == 1:
        is_value = sign == "*" and isinstance(kinds[0], ScalarT)  # of a counter or an optional
        return values[0] if is_value else _unary(scope, sign, values[0])
    if len(values) != 2:
        return None
    if sign in ("++", "--"):
        return Unary(f"x{sign}", values[0], scope.span)
    if sign in _BINARY:
        return Binary(sign, values[0], values[1], scope.span)
    if sign == ",":
        return Comma(values[0], values[1], scope.span)
    return Assign(sign[:-1], values[0], values[1], scope.span) if sign.endswith("=") else None


def _unary(scope: Scope, sign: str, value: Expression) -> Expression | None:
    if sign in ("++", "--"):
        return Unary(f"{sign}x", value, scope.span)
    if sign == "+":
        return value
    return Unary(sign, value, scope.span) if sign in _UNARY else None


def _is_struct(kind: CType, is_standard: bool) -> bool:
    """Return True for a map and the like; a class of the user without a visible body is indexed like an array."""
    return isinstance(kind, StructT) and is_standard


def _is_array_expression(sign: str, kinds: list[CType], result: CType) -> bool:
    """Return True for arithmetic on whole arrays: pointers only add integers, subtract and compare."""
    pointers = sum(isinstance(kind, PointerT | ArrayT) for kind in kinds)
    if not pointers or sign in ("==", "!=", "<", "<=", ">", ">=", "++", "--", "!"):
        return False
    if len(kinds) == 1:
        return sign != "*"
    if sign == "-" and pointers == 2:
        return not isinstance(result, ScalarT)
    integer = [k for k in kinds if isinstance(k, ScalarT) and k.element.scalar.is_integer]
    return sign not in ("+", "-", "+=", "-=") or not integer


def _is_stream(scope: Scope, cursor: Cursor) -> bool:
    return "stream" in scope.unit.type_text(scope.library.canonical_type(scope.library.type_of(cursor)))


def _stream(scope: Scope, cursor: Cursor, sign: str) -> Expression:
    """Lower ``cout << a << b`` to one silent call over everything that is written, and the stream.

    An operator with a body ends the chain: its result is the stream.
    """
    operands: list[Expression] = []
    while True:
        arguments = scope.unit.arguments(cursor)
        if len(arguments) != 2:
            break
        value = scope.unit.stripped(arguments[1])
        kind = scope.types.of(value)
        if isinstance(kind, ScalarT | PointerT) or (scope.on_host and isinstance(kind, ArrayT)):
            operand = scope.expression(value)
            operands.append(operand if sign == "<<" else scope.address(operand))
        cursor = scope.unit.stripped(arguments[0])
        if cursor.kind != _CALL or not scope.unit.spelling(cursor).startswith(f"operator{sign}"):
            break
        if scope.function_key(scope.library.referenced(cursor)) is not None:
            break
    name = _OUTPUT if sign == "<<" else _INPUT
    written = Call(name, name, tuple(reversed(operands)), INT, scope.span)
    return Comma(written, scope.expression(cursor), scope.span)
