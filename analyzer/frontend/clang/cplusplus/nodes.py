"""Statements and expressions that C does not have: ``this``, casts, lambdas, range-for, exceptions."""

from __future__ import annotations

from ...surface.constructs import construct
from ...surface.designation import is_designator
from ...surface.nodes import (
    BEHIND,
    THROW,
    VOID,
    Block,
    Call,
    Cast,
    Declare,
    Expression,
    Goto,
    InitializerList,
    Name,
    Number,
    PointerT,
    ScalarT,
    Skippable,
    Statement,
    Storage,
    StructT,
    Unary,
    Variable,
)
from ..binding import Cursor
from ..kinds import CursorKind
from ..scope import Handler, Scope
from ..statements.statements import Reader, StatementReader, declare
from ..types import is_expression
from .closures import lower_lambda
from .ranges.range_for import BOOL, COUNTER, decomposed, range_for
from .virtual_methods import classes_of


def _this(scope: Scope, cursor: Cursor) -> Expression:
    if scope.this is None:
        return scope.opaque(cursor, construct("this-outside-a-method"))
    return Name(scope.this, scope.span)


def _cast(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``T(x)``, ``static_cast<T>(x)`` and the others; of a class it is only the value that constructs it."""
    children = scope.unit.children(cursor)
    kind = scope.types.declared(cursor)
    if not children or not is_expression(children[-1]):
        return (
            Number(0, kind, scope.span)
            if isinstance(kind, ScalarT)
            else InitializerList(kind, (), scope.span, clears=True)
        )
    inner = scope.unit.stripped(children[-1])
    operand = scope.expression(inner)
    if isinstance(kind, PointerT) and kind.owns and _is_to_reference(scope, cursor, inner, of_values=False):
        return operand  # a cast of the whole container is one that may be moved from
    if isinstance(kind, ScalarT) and _is_to_reference(scope, cursor, inner):
        if scope.static_type(operand) == kind or not is_designator(operand):
            return operand
        return Unary("*", Cast(PointerT(kind), scope.address(operand), scope.span), scope.span)
    if isinstance(kind, ScalarT | PointerT) and not _is_constructed(scope, inner):
        is_checked = cursor.kind == CursorKind.CXX_DYNAMIC_CAST_EXPR and isinstance(kind, PointerT)
        return Cast(kind, operand, scope.span, checked=classes_of(scope, cursor) if is_checked else ())
    held = scope.static_type(operand)
    if isinstance(kind, StructT) and isinstance(held, StructT) and held != kind and is_designator(operand):
        pointer = Cast(PointerT(kind), scope.address(operand), scope.span)  # to a class that is derived, or a base
        return Unary("*", pointer, scope.span)
    return operand


def _is_to_reference(scope: Scope, cast: Cursor, operand: Cursor, *, of_values: bool = True) -> bool:
    """Return whether a conversion is spelled with ``&``: libclang gives the type of what it refers to.

    Those with ``&&`` count where they are ``of_values``.
    """
    start, end = scope.unit.extent(cast)[0], scope.unit.extent(operand)[0]
    text = scope.unit.contents(start.path)[start.offset : end.offset]
    return b"&" in text and (of_values or b"&&" not in text)


def _is_constructed(scope: Scope, cursor: Cursor) -> bool:
    return cursor.kind == CursorKind.CALL_EXPR and scope.library.referenced(cursor).kind == CursorKind.CONSTRUCTOR


def _described_type(scope: Scope, cursor: Cursor) -> Expression:
    """Return the object that ``typeid(T)`` names: memory that nothing computes; its operand is not evaluated."""
    return Name(Variable("typeid", scope.types.of(cursor), Storage.GLOBAL, scope.span), scope.span)


def _boolean(scope: Scope, cursor: Cursor) -> Expression:
    value = scope.unit.evaluate(cursor)
    return Number(int(value or 0), BOOL, scope.span)


def _null(scope: Scope, _cursor: Cursor) -> Expression:
    return Cast(PointerT(VOID), Number(0, COUNTER, scope.span), scope.span)


def _throw(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``throw x``: a call with the number that it throws; of objects nothing is followed."""
    thrown = [scope.expression(child) for child in scope.unit.children(cursor)[:1]]
    kinds = [scope.static_type(each) for each in thrown]
    numbers = tuple(each for each, kind in zip(thrown, kinds, strict=True) if isinstance(kind, ScalarT))
    return Call(THROW, THROW, numbers, kinds[0] if numbers else VOID, scope.span)


def _try(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    """Lower the guarded statements; a handler runs where a ``throw`` of the program leads to it.

    Which of several handlers does is not known, and what the library throws is not followed.
    """
    scope, children = reader.scope, reader.scope.unit.children(cursor)
    if not children:
        return []
    caught = f"{THROW} {scope.span.line}"
    behind = f"{BEHIND} {scope.span.line}"
    guarded = reader.nested(children[0])
    declared: list[Declare] = []
    if len(children) == 2:
        *variable, body = scope.unit.children(children[1])
        declared = [declare(scope, each) for each in variable if each.kind == CursorKind.VAR_DECL]
        handler: list[Statement] = [reader.single(body)]
    else:
        handler = reader.opaque(construct("handlers"))
    inside = Block((*guarded, Goto(behind, scope.span)), scope.span)
    caught_by_value = (one.variable for one in declared if not one.variable.reference)
    names = [Name(one, scope.span) for one in caught_by_value if isinstance(one.type, ScalarT)]
    guard = Skippable(caught, inside, scope.span, names[0] if names else None)
    return [Skippable(behind, Block((*declared, guard, *handler), scope.span), scope.span)]


def _structured_binding(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    """Lower ``auto [x, y] = object``: a variable without a name, whose members the names stand for."""
    scope = reader.scope
    values = [child for child in scope.unit.children(cursor) if is_expression(child)]
    bound = decomposed(scope, cursor) if len(values) == 1 else None
    if bound is None:
        return reader.opaque(construct("structured-binding"))
    return [Declare(bound, scope.expression(values[0]), scope.span)]


HANDLERS: dict[int, Handler] = {
    CursorKind.GNU_NULL_EXPR: _null,
    CursorKind.CXX_STATIC_CAST_EXPR: _cast,
    CursorKind.CXX_DYNAMIC_CAST_EXPR: _cast,
    CursorKind.CXX_REINTERPRET_CAST_EXPR: _cast,
    CursorKind.CXX_CONST_CAST_EXPR: _cast,
    CursorKind.CXX_FUNCTIONAL_CAST_EXPR: _cast,
    CursorKind.CXX_TYPEID_EXPR: _described_type,
    CursorKind.CXX_BOOL_LITERAL_EXPR: _boolean,
    CursorKind.CXX_NULL_PTR_LITERAL_EXPR: _null,
    CursorKind.CXX_THIS_EXPR: _this,
    CursorKind.CXX_THROW_EXPR: _throw,
    CursorKind.LAMBDA_EXPR: lower_lambda,
}
READERS: dict[int, Reader] = {
    CursorKind.UNEXPOSED_DECL: _structured_binding,
    CursorKind.CXX_TRY_STMT: _try,
    CursorKind.CXX_FOR_RANGE_STMT: range_for,
}
