"""What destructors of objects by value do: their bodies, then those of members and of base classes.

A destructor that only gives memory and handles back does no work, and is passed over.  Elements of containers and what
``unique_ptr`` owns are destroyed as well: where that is work, it is not modelled, and reported.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...surface.constructs import construct
from ...surface.nodes import (
    VOID,
    Call,
    Comma,
    Evaluate,
    Expression,
    Member,
    Name,
    OpaqueExpression,
    OpaqueStatement,
    Statement,
    Unary,
    Variable,
)
from ..binding import Cursor, Type
from ..kinds import ARRAY_TYPES, CLASS_TEMPLATES, BinaryOperator, CursorKind
from ..scope import Scope
from ..types import innermost_element, is_reference
from .classes import bases_of
from .templates import DESTRUCTOR

_DESTRUCTOR = CursorKind.DESTRUCTOR
_NOTHING = frozenset({CursorKind.CXX_DELETE_EXPR, CursorKind.NULL_STMT})
_VIEWS = frozenset({"span", "initializer_list", "weak_ptr", "reference_wrapper"})
"""Classes of the library with an argument that they do not own."""


def ends_of_life(scope: Scope, declared: Mapping[Variable, Cursor]) -> dict[Variable, list[Statement]]:
    """Return what the destructors of local variables and parameters do, of those for which that is work."""
    found: dict[Variable, list[Statement]] = {}
    for variable, declaration in declared.items():
        kind = scope.library.canonical_type(scope.library.type_of(declaration))
        if variable.reference or scope.is_static(declaration) or not is_destroyed(scope, kind):
            continue
        scope.span = variable.span
        found[variable] = destruction(scope, kind, Name(variable, variable.span))
    return found


def is_destroyed(scope: Scope, kind: Type) -> bool:
    """Return whether the end of an object is work: its own destructor, or one of what it holds by value."""
    kind = innermost_element(scope.library, kind)
    owner = scope.library.definition(scope.library.declaration(kind))
    if not owner.identity:
        return False
    if owner.identity not in scope.destroyed:
        scope.destroyed[owner.identity] = False  # a class that holds itself through containers
        scope.destroyed[owner.identity] = _is_work(scope, kind, owner)
    return scope.destroyed[owner.identity]


def _is_work(scope: Scope, kind: Type, owner: Cursor) -> bool:
    if scope.is_in_header(owner):
        return scope.unit.spelling(owner) not in _VIEWS and any(
            is_destroyed(scope, each) for each in _arguments(scope, kind)
        )
    own = _declared(scope, owner)
    if own is not None and not _only_releases(scope, own):
        return True
    fields = (scope.library.type_of(field) for field in scope.unit.fields(kind))
    return any(is_destroyed(scope, each) for each in fields) or any(
        is_destroyed(scope, scope.library.type_of(base)) for base in bases_of(scope, owner)
    )


def _arguments(scope: Scope, kind: Type) -> list[Type]:
    count = max(0, scope.library.template_argument_count(kind))
    return [scope.library.template_argument(kind, number) for number in range(count)]


def _declared(scope: Scope, owner: Cursor) -> Cursor | None:
    """Return the body of the destructor that a class, or the template that makes it, declares."""
    template = scope.library.template_of(owner)
    pattern = scope.library.definition(template) if template.kind in CLASS_TEMPLATES else owner
    for child in scope.unit.children(pattern):
        if child.kind == _DESTRUCTOR:
            definition = scope.library.definition(child)
            return scope.body_of(definition) if definition.identity else None
    return None


def _only_releases(scope: Scope, cursor: Cursor) -> bool:
    """Return whether a statement gives something back and does nothing else: memory, a handle of the library."""
    cursor = scope.unit.stripped(cursor)
    if cursor.kind in _NOTHING:
        return True
    children = scope.unit.children(cursor)
    if cursor.kind == CursorKind.COMPOUND_STMT:
        return all(_only_releases(scope, child) for child in children)
    if cursor.kind == CursorKind.IF_STMT:
        return all(_only_releases(scope, child) for child in children[1:])
    if cursor.kind == CursorKind.CALL_EXPR:
        called = scope.library.referenced(cursor)
        return bool(called.identity) and scope.is_in_header(called)
    if cursor.kind == CursorKind.BINARY_OPERATOR and children:
        is_assignment = scope.library.binary_operator(cursor) == BinaryOperator.ASSIGN
        return (
            is_assignment
            and scope.unit.stripped(children[0]).kind == CursorKind.MEMBER_REF_EXPR
            and (
                scope.unit.stripped(children[1]).kind
                in (CursorKind.INTEGER_LITERAL, CursorKind.CXX_NULL_PTR_LITERAL_EXPR)
            )
        )
    return False


def destruction(scope: Scope, kind: Type, target: Expression) -> list[Statement]:
    """Return the end of an object: the body of its destructor, its members from the last, its base classes."""
    kind = scope.library.canonical_type(kind)
    if not is_destroyed(scope, kind):
        return []
    owner = scope.library.definition(scope.library.declaration(kind))
    if kind.kind in ARRAY_TYPES or scope.is_in_header(owner):
        return [_not_modelled(scope, kind)]
    found: list[Statement] = []
    body = _declared(scope, owner)
    if body is not None and not _only_releases(scope, body):
        key = _key(scope, kind, owner)
        if key is None:
            return [_not_modelled(scope, kind)]
        name = DESTRUCTOR + scope.unit.spelling(owner)
        found.append(Evaluate(Call(key, name, (scope.address(target),), VOID, scope.span), scope.span))
    for field in reversed(scope.unit.fields(kind)):
        of = scope.library.type_of(field)
        if not is_reference(scope.library, of):
            found += destruction(scope, of, Member(target, scope.unit.spelling(field), scope.span))
    for base in reversed(bases_of(scope, owner)):
        found += destruction(scope, scope.library.type_of(base), target)
    return found


def deleted(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``delete p``: end of the object, whose static class is assumed to be its own, before its memory goes."""
    operands = tuple(map(scope.expression, scope.unit.operands(cursor)[:1]))
    freed: Expression = Call("free", "free", operands, VOID, scope.span)
    pointers = [scope.library.canonical_type(scope.library.type_of(each)) for each in scope.unit.operands(cursor)[:1]]
    kind = scope.library.pointee(pointers[0]) if pointers else None
    if kind is None or not is_destroyed(scope, kind):
        return freed
    ends = destruction(scope, kind, Unary("*", operands[0], scope.span))
    is_array = scope.unit.source_of(cursor).removeprefix("delete").lstrip().startswith("[")
    for end in reversed(ends):
        if is_array or not isinstance(end, Evaluate):
            what = construct("destructor", type=scope.unit.type_text(kind))
            return OpaqueExpression(what, operands, VOID, scope.span)
        freed = Comma(end.expression, freed, scope.span)
    return freed


def _key(scope: Scope, kind: Type, owner: Cursor) -> str | None:
    """Return the key of the body of a destructor; that of an instance of a template is noted where nothing names it."""
    named = (member for name, member in scope.instances.get(owner.identity, ()) if name == DESTRUCTOR)
    for child in (*scope.unit.children(owner), *named):
        key = scope.function_key(child) if child.kind == _DESTRUCTOR else None
        if key is not None:
            return key
    if not scope.is_nameless(kind):
        scope.without_destructor.add(scope.unit.type_text(kind))
    return None


def _not_modelled(scope: Scope, kind: Type) -> Statement:
    return OpaqueStatement(construct("destructor", type=scope.unit.type_text(kind)), scope.span)
