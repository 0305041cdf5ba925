"""Lambdas: objects with a member for each variable that they capture by copy, and for ``this``.

The call operator takes the address of its object, and declares its members by the names of the variables::

    [k, &s](int i) { s += k * i; }        operator()(closure, i):  auto &k = closure->k;  s += k * i;

What is captured by reference keeps its name: it is the variable of the function around the lambda.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...surface.constructs import construct
from ...surface.nodes import (
    Cast,
    CType,
    Declare,
    Expression,
    InitializerList,
    Member,
    Name,
    OpaqueExpression,
    PointerT,
    Statement,
    Storage,
    Unary,
    Variable,
)
from ..binding import Cursor
from ..callees import is_lambda
from ..captures import Capture
from ..kinds import CursorKind
from ..scope import Scope
from ..types import is_expression

_CALLED = "ai_call"


def lower_lambda(scope: Scope, cursor: Cursor) -> Expression:
    """Lower a lambda expression: an object with the values of what it captures by copy."""
    declaration = scope.library.declaration(scope.library.type_of(cursor))
    closure = scope.types.closures.of(declaration)
    scope.closures[declaration.identity] = (scope.this, dict(scope.renamed))
    items = tuple(_captured(scope, capture) for capture in closure.captures)
    return InitializerList(closure.type, items, scope.span)


def _captured(scope: Scope, capture: Capture) -> Expression:
    """Return what a member of a closure starts with."""
    unknown = OpaqueExpression(construct("initializer"), (), capture.field.type, scope.span)
    if capture.declaration is None:
        here = unknown if scope.this is None else Name(scope.this, scope.span)
        return Unary("*", here, scope.span) if capture.whole else here
    if not capture.made:
        return Name(scope.variable(capture.declaration), scope.span)
    initial = scope.library.initializer(capture.declaration)
    value = scope.expression(initial) if is_expression(initial) else unknown
    return scope.address(value) if capture.field.reference else value


@contextmanager
def members_of_closure(scope: Scope, definition: Cursor) -> Iterator[tuple[Variable, list[Statement]]]:
    """Name the members of a closure like its variables in the body of the ``with`` statement.

    Yield the parameter with the address of the object, and the declarations of the members.
    """
    owner = scope.library.semantic_parent(definition)
    closure = scope.types.closures.of(owner)
    scope.this, names = scope.closures.get(owner.identity, (None, {}))
    held = Variable("closure", PointerT(closure.type), Storage.PARAMETER, scope.span)
    whole = Unary("*", Name(held, scope.span), scope.span)
    declared: list[Statement] = []
    for capture in closure.captures:
        here = Member(whole, capture.field.name, scope.span)
        if capture.declaration is None:
            scope.this = _this(scope, capture)
            declared.append(Declare(scope.this, Unary("&", here, scope.span) if capture.whole else here, scope.span))
        else:
            variable = _named(scope, capture)
            names = {**names, capture.declaration.identity: variable}
            declared.append(
                Declare(variable, Unary("*", here, scope.span) if capture.field.reference else here, scope.span)
            )
    outer, scope.renamed = scope.renamed, names
    yield held, declared
    scope.renamed = outer


def _this(scope: Scope, capture: Capture) -> Variable:
    kind = PointerT(capture.field.type) if capture.whole else capture.field.type
    return Variable("this", kind, Storage.LOCAL, scope.span, constant=True)


def _named(scope: Scope, capture: Capture) -> Variable:
    kind = capture.field.type
    shown = kind.target if capture.field.reference and isinstance(kind, PointerT) else kind
    return Variable(capture.field.name, shown, Storage.LOCAL, scope.span, reference=True)


def as_pointer(scope: Scope, conversion: Cursor, closure: Expression, kind: CType) -> Expression | None:
    """Lower the conversion of a lambda to a pointer to a function; None for other conversions."""
    if not is_lambda(scope.unit, conversion) or not isinstance(kind, PointerT):
        return None
    return value_of_closure(scope, scope.library.semantic_parent(conversion), closure, kind)


def value_of_closure(scope: Scope, owner: Cursor, closure: Expression, kind: CType) -> Expression | None:
    """Return the function that calls an object of the class of a lambda; None for a generic one."""
    for method in scope.unit.children(owner):
        key = scope.function_key(method) if scope.unit.spelling(method) == "operator()" else None
        if key is not None:
            what = construct("function-value", name="lambda")
            return OpaqueExpression(what, (closure,), kind, scope.span, key)
    return None


def function_object(scope: Scope, constructor: Cursor, arguments: tuple[Expression, ...], kind: PointerT) -> Expression:
    """Lower a ``std::function`` that is made of something that can be called: the function that calls it, and it."""
    if isinstance(arguments[0], Cast):  # nullptr
        return arguments[0]
    waiting = [scope.library.definition(constructor)]
    while waiting:
        cursor = waiting.pop()
        if cursor.kind == CursorKind.DECL_REF_EXPR and scope.unit.spelling(cursor) == _CALLED:
            key = scope.function_key(scope.library.referenced(cursor))
            if key is not None:
                what = construct("function-value", name=scope.unit.spelling(constructor))
                return OpaqueExpression(what, arguments[:1], kind, scope.span, key)
        waiting += scope.unit.children(cursor)
    return OpaqueExpression(construct("function-object"), arguments, kind, scope.span)
