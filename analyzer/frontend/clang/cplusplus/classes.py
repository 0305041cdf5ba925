"""What constructors of host code do beyond their text: members with a default, and what a base class holds."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...surface.constructs import construct
from ...surface.nodes import (
    Assign,
    Declare,
    Evaluate,
    Expression,
    InitializerList,
    Member,
    Name,
    OpaqueExpression,
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
    items = (
        given.get(field.name, OpaqueExpression(construct("not-initialised"), (), field.type, scope.span))
        for field in kind.fields
    )
    return InitializerList(kind, tuple(items), scope.span)


def default_members(scope: Scope, constructor: Cursor, made: Variable, named: Set[str]) -> list[Statement]:
    """Return assignments of the defaults of members that the constructor itself does not name."""
    return [
        _assigned(scope, Member(Name(made, scope.span), name, scope.span), value)
        for name, value in _defaults(scope, constructor)
        if name not in named
    ]


def base_members(scope: Scope, made: Variable, value: Expression) -> list[Statement]:
    """Return the members that a base class has after its construction; another constructor of the class sets all."""
    kind = type_of(value)
    if not isinstance(kind, StructT):
        return [Evaluate(value, scope.span)]
    if kind == made.type:
        return [_assigned(scope, Name(made, scope.span), value)]
    base = Variable("base", kind, Storage.LOCAL, scope.span)
    copies = [
        _assigned(
            scope,
            Member(Name(made, scope.span), field.name, scope.span),
            Member(Name(base, scope.span), field.name, scope.span),
        )
        for field in kind.fields
    ]
    return [Declare(base, value, scope.span), *copies]


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
