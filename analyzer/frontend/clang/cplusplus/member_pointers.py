"""Pointers to members: the position of a member among the fields of its class; to methods, pointers to functions.

``object.*p`` is the member at that position: a choice among the members of its type, one of them where ``p`` is known.
"""

from __future__ import annotations

from ...surface.constructs import construct
from ...surface.nodes import (
    INT,
    Binary,
    Conditional,
    Expression,
    Member,
    Number,
    OpaqueExpression,
    PointerT,
    StructT,
    Unary,
)
from ..binding import Cursor
from ..kinds import BinaryOperator, CursorKind
from ..scope import Scope
from ..types import POSITION

_MOST_MEMBERS = 16
_OF_POINTER = BinaryOperator.MEMBER_OF_POINTER
_ACCESS = frozenset({BinaryOperator.MEMBER_OF_OBJECT, _OF_POINTER})


def is_access(scope: Scope, cursor: Cursor) -> bool:
    """Return whether an expression is ``object.*p`` or ``pointer->*p``."""
    return cursor.kind == CursorKind.BINARY_OPERATOR and scope.library.binary_operator(cursor) in _ACCESS


def position_of(scope: Scope, named: Cursor) -> Expression | None:
    """Return the position that ``&Class::member`` is; None where a name is of no member of an object."""
    if named.kind != CursorKind.DECL_REF_EXPR:
        return None
    field = scope.library.referenced(named)
    if field.kind != CursorKind.FIELD_DECL:
        return None
    owner = scope.types.read(scope.library.type_of(scope.library.semantic_parent(field)))
    names = [each.name for each in owner.fields] if isinstance(owner, StructT) else []
    name = scope.unit.spelling(field)
    return Number(names.index(name), POSITION, scope.span) if name in names else None


def member_at(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``object.*p`` to the member that the position picks."""
    left, right = scope.unit.children(cursor)
    pointer, kind = scope.expression(right), scope.types.of(cursor)
    base = _object(scope, cursor, left)
    declared = scope.library.canonical_type(scope.library.type_of(scope.unit.stripped(right)))
    owner = scope.types.read(scope.library.class_of_member(declared))
    fields = owner.fields if isinstance(owner, StructT) else ()
    fitting = [position for position, field in enumerate(fields) if field.type == kind and not field.reference]
    if isinstance(pointer, Number):
        fitting = [position for position in fitting if position == pointer.value]
    if not 0 < len(fitting) <= _MOST_MEMBERS:
        return OpaqueExpression(construct("operator-not-modelled"), (base, pointer), kind, scope.span)
    *others, last = fitting
    found: Expression = Member(base, fields[last].name, scope.span)
    for position in reversed(others):
        is_here = Binary("==", pointer, Number(position, INT, scope.span), scope.span)
        found = Conditional(is_here, Member(base, fields[position].name, scope.span), found, scope.span)
    return found


def call_of_method(scope: Scope, cursor: Cursor, called: Cursor, arguments: tuple[Expression, ...]) -> Expression:
    """Lower ``(object.*p)(x)``: a call of the function that ``p`` points at, with the address of the object."""
    left, right = scope.unit.children(called)
    given = (scope.address(_object(scope, called, left)), *arguments)
    what = construct("call-through-a-pointer-to-a-member")
    return OpaqueExpression(what, given, scope.types.of(cursor), scope.span, called=scope.expression(right))


def _object(scope: Scope, cursor: Cursor, left: Cursor) -> Expression:
    base = scope.expression(left)
    is_pointer = scope.library.binary_operator(cursor) == _OF_POINTER
    return Unary("*", base, scope.span) if is_pointer and isinstance(scope.static_type(base), PointerT) else base
