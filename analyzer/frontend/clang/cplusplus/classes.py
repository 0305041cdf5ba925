"""What constructors of host code do beyond their text: members with a default, and what a base class holds."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...surface.constructs import construct
from ...surface.nodes import (
    ArrayT,
    Assign,
    Cast,
    CType,
    Declare,
    Evaluate,
    Expression,
    FieldT,
    InitializerList,
    Member,
    Name,
    OpaqueExpression,
    PointerT,
    Statement,
    Storage,
    StructT,
    Variable,
)
from ...surface.types import type_of
from ..binding import Cursor
from ..kinds import ARRAY_TYPES, CursorKind
from ..scope import Scope

_WHOLE_ARRAYS = frozenset({CursorKind.INIT_LIST_EXPR, CursorKind.STRING_LITERAL})


def initial_object(scope: Scope, constructor: Cursor, kind: StructT) -> Expression:
    """Return an object that the compiler constructs: its members with a default, nothing where none has one."""
    given = dict(_defaults(scope, constructor))
    if not given:
        return InitializerList(kind, (), scope.span)
    return InitializerList(
        kind, tuple(given.get(field.name) or _open(scope, field) for field in kind.fields), scope.span
    )


def _open(scope: Scope, field: FieldT) -> Expression:
    """Return what stands for a member that nothing initialises."""
    if scope.on_host:
        return OpaqueExpression(construct("not-initialised"), (), field.type, scope.span)
    return InitializerList(field.type, (), scope.span)


def default_members(scope: Scope, constructor: Cursor, made: Variable, named: Set[str]) -> list[Statement]:
    """Return assignments of the defaults of members that the constructor itself does not name."""
    return [
        _assigned(scope, Member(Name(made, scope.span), name, scope.span), value)
        for name, value in _defaults(scope, constructor)
        if name not in named
    ]


def base_members(scope: Scope, made: Variable, value: Expression) -> list[Statement]:
    """Return the members that a base class has after its construction; another constructor of the class sets all.

    Containers are moved, as those of the base class are the object's own; arrays stay where they are made.
    """
    kind = type_of(value)
    if not isinstance(kind, StructT) or (not scope.on_host and any(_has_array(field.type) for field in kind.fields)):
        return [Evaluate(value, scope.span)]
    if kind == made.type:
        return [_assigned(scope, Name(made, scope.span), value)]
    base = Variable("base", kind, Storage.LOCAL, scope.span)
    copies = []
    for field in kind.fields:
        held = Member(Name(base, scope.span), field.name, scope.span)
        moved = Cast(field.type, held, scope.span) if isinstance(field.type, PointerT) and field.type.owns else held
        copies.append(_assigned(scope, Member(Name(made, scope.span), field.name, scope.span), moved))
    return [Declare(base, value, scope.span), *copies]


def _has_array(kind: CType) -> bool:
    """Return whether an object of a type has elements in itself."""
    return isinstance(kind, ArrayT) or (
        isinstance(kind, StructT) and any(_has_array(each.type) for each in kind.fields)
    )


def _assigned(scope: Scope, target: Expression, value: Expression) -> Statement:
    return Evaluate(Assign("", target, value, scope.span), scope.span)


def _defaults(scope: Scope, constructor: Cursor) -> Iterator[tuple[str, Expression]]:
    """Yield members of the class of a constructor that are initialised where they are declared."""
    library = scope.library
    record = library.canonical_type(library.type_of(library.semantic_parent(constructor)))
    for field in scope.unit.fields(record):
        if library.is_bit_field(field):
            continue
        children = scope.unit.operands(field)
        is_array = library.canonical_type(library.type_of(field)).kind in ARRAY_TYPES
        if children and (not is_array or scope.unit.stripped(children[-1]).kind in _WHOLE_ARRAYS):
            yield scope.unit.spelling(field), scope.expression(children[-1])
