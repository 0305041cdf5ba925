"""Arguments of a call: those written, those that default, and what a function without a body takes."""

from __future__ import annotations

from ...surface.nodes import Cast, Expression, Number, PointerT, ScalarT, StructT, Unary
from ..binding import Cursor
from ..callees import takes_constant, takes_reference
from ..kinds import CursorKind
from ..scope import Scope

_DEFAULT = CursorKind.UNEXPOSED_EXPR


def as_taken(scope: Scope, callee: Cursor, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Return arguments for a function without a body: containers that it cannot change are values, not objects.

    A number or an object that it may change by a reference is ``*&x``.
    """
    taken = []
    for position, argument in enumerate(arguments):
        kind = scope.static_type(argument)
        is_object = isinstance(kind, StructT) or (isinstance(kind, PointerT) and kind.owns)
        if is_object and takes_constant(scope.unit, callee, position):
            argument = Cast(kind, argument, scope.span)
        elif isinstance(kind, ScalarT | StructT) and takes_reference(scope.unit, callee, position):
            argument = Unary("*", scope.address(argument), scope.span)
        taken.append(argument)
    return tuple(taken)


def arguments_of(scope: Scope, cursor: Cursor, callee: Cursor) -> tuple[Expression, ...]:
    """Return the arguments of a call in order, with those that default."""
    given = scope.unit.arguments(cursor)
    return tuple(_argument(scope, argument, callee, position) for position, argument in enumerate(given))


def _argument(scope: Scope, argument: Cursor, callee: Cursor, position: int) -> Expression:
    inner = scope.unit.stripped(argument)
    if inner.kind == _DEFAULT and not scope.unit.children(inner):
        value = scope.unit.evaluate(inner)
        kind = scope.types.of(inner)
        if value is not None and isinstance(kind, ScalarT):
            return Number(value, kind, scope.span)
        parameter = scope.library.argument(callee, position)
        written = scope.unit.operands(parameter)
        if written:
            return scope.expression(written[-1])
    return scope.expression(inner)
