"""Allocations by ``new``: of an object, of an array of objects, and of none where the memory is given."""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.types import ElementType, ScalarType
from ...surface.constants import constant_integer
from ...surface.constructs import construct
from ...surface.nodes import (
    LIST,
    MADE,
    ArrayT,
    Assign,
    Call,
    Cast,
    Comma,
    CType,
    Expression,
    InitializerList,
    PointerT,
    ScalarT,
    StructT,
    Text,
    Unary,
    UnknownT,
)
from ...surface.types import zero_of
from ..binding import Cursor
from ..cplusplus.classes import initial_element
from ..cplusplus.new_types import operands_of_new
from ..kinds import CursorKind
from ..scope import Scope
from .construction import NEW, elements_of, lower_construction

_ADDRESS = PointerT(ScalarT(ElementType(ScalarType.VOID)))
_LONGEST_LIST = 1024  # elements of an array that a list gives values


def lower_new(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``new T(a)``, ``new T[n]`` and ``new (position) T``: a call with what the memory is made of."""
    children = operands_of_new(scope, cursor)
    made = scope.expression(children[0]) if len(children) == 1 and _is_object(scope, children[0]) else None
    if isinstance(made, InitializerList) and not made.items and scope.unit.source_of(cursor).endswith((")", "}")):
        made = replace(made, clears=True)
    is_open = isinstance(made, InitializerList) and not made.items and not made.clears
    is_made = isinstance(made, Call | InitializerList) and not (is_open and _has_members(made.type))
    if made is not None and (is_made or (isinstance(made, Text) and scope.follows_host)):
        return Call(MADE, MADE, (made,), scope.types.of(cursor), scope.span)
    if children and scope.types.of(children[0]) == _ADDRESS:
        return _placed(scope, cursor, children[0], children[1:])
    if len(children) > 1 and not scope.follows_host and isinstance(scope.types.of(children[-1]), ArrayT):
        return _new_array(scope, cursor, *children[-2:])
    values = tuple(scope.expression(child) for child in children if isinstance(scope.types.of(child), ScalarT))
    return Call(NEW, NEW, values[:1], scope.types.of(cursor), scope.span)


def _has_body(scope: Scope, value: Expression) -> bool:
    """Return whether a constructor of the user makes an object, not one that the compiler makes."""
    return isinstance(value, Call) and value.function not in scope.generated


def _new_array(scope: Scope, cursor: Cursor, number: Cursor, initial: Cursor) -> Expression:
    """Lower ``new T[n]{a, b}``, ``new T[n]()`` and ``new T[n]`` of objects with a constructor."""
    kind, count = scope.types.of(cursor), scope.expression(number)
    target = kind.target if isinstance(kind, PointerT) else UnknownT("")
    inner = scope.unit.stripped(initial)
    listed = scope.unit.operands(inner) if inner.kind == CursorKind.INIT_LIST_EXPR else []
    if not listed:
        element = scope.library.canonical_type(scope.library.pointee(scope.library.type_of(cursor)))
        value = initial_element(scope, scope.library.declaration(element), target)
        constructor = scope.library.referenced(inner)
        is_plain = inner.kind == CursorKind.CALL_EXPR and not scope.unit.source_of(cursor).endswith((")", "}"))
        takes_default = value is None or (is_plain and not _has_body(scope, value))
        if takes_default and constructor.kind == CursorKind.CONSTRUCTOR:  # also of an instance of a template
            made = lower_construction(scope, inner, constructor)
            value = replace(made, type=target) if isinstance(made, Call) else value
        return elements_of(scope, kind, count, None if is_plain and not isinstance(value, Call) else value)
    length, zero = constant_integer(count), zero_of(target, scope.span)
    rest = 0 if length is None else length - len(listed)
    if length is None or (rest and zero is None) or length > _LONGEST_LIST:
        return scope.opaque(cursor, construct("initializer"))
    items = (*map(scope.expression, listed), *((zero,) * rest if zero is not None else ()))
    return Call(LIST, LIST, items, kind, scope.span)


def _placed(scope: Scope, cursor: Cursor, position: Cursor, others: list[Cursor]) -> Expression:
    """Lower ``new (position) T(...)``: its object is stored where it says."""
    kind = scope.types.of(cursor)
    here = Cast(kind, scope.expression(position), scope.span)
    if not others:
        return here
    target, given = kind.target if isinstance(kind, PointerT) else None, scope.types.of(others[0])
    if len(others) > 1 or (isinstance(target, StructT) and not isinstance(given, StructT)):  # an array of objects
        return scope.opaque(cursor, construct("operator-not-modelled"))
    if given != target:  # the number of elements of an array
        return here
    stored = Assign("", Unary("*", here, scope.span), scope.expression(others[0]), scope.span)
    return Comma(stored, here, scope.span)


def _is_object(scope: Scope, initial: Cursor) -> bool:
    """Return whether ``new`` makes one object of a class, by a constructor or a list, or one container."""
    kind = scope.types.of(initial)
    return isinstance(kind, StructT) or (isinstance(kind, PointerT) and kind.owns)


def _has_members(kind: CType) -> bool:
    return not isinstance(kind, StructT) or bool(kind.fields)
