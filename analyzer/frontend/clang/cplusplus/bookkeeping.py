"""Functions of the C++ library that work on texts, files, trees of keys, clocks and random numbers.

What they do there is neither arithmetic nor memory of the loops of the source: such a call is one of ``BOOKKEEPING``,
which has a result and side effects, but no work.  That of containers of numbers, which are copied, is work.
"""

from __future__ import annotations

from ...known_functions import table
from ...surface.nodes import (
    BOOKKEEPING,
    Call,
    CType,
    Expression,
    OpaqueExpression,
    PointerT,
    StructT,
)
from ...surface.types import CHAR, type_of
from ..binding import Cursor
from ..kinds import REFERENCE_TYPES, CursorKind
from ..scope import Scope

_CALLED = "operator()"
_FUNCTIONS = frozenset({CursorKind.FUNCTION_DECL})


def bookkeeping(
    scope: Scope, callee: Cursor, name: str, arguments: tuple[Expression, ...], kind: CType
) -> Expression | None:
    """Return the call of a function without a body as one without work; None where it may have some."""
    if not scope.types.is_standard(callee):
        return None
    if any(_holds_numbers(scope.static_type(argument)) or _is_function(argument) for argument in arguments):
        return None
    is_text = callee.kind not in _FUNCTIONS and bool(arguments) and _is_text(scope.static_type(arguments[0]))
    if not is_text and not _is_of_these_classes(scope, callee):
        return None
    if name == _CALLED:  # a random number: what it costs depends on its distribution
        name = scope.unit.spelling(scope.library.semantic_parent(callee))
    return Call(BOOKKEEPING, name, arguments, kind, scope.span)


def _is_of_these_classes(scope: Scope, callee: Cursor) -> bool:
    """Return whether a method is one of such a class, or another function takes or gives an object of one."""
    library, classes = scope.library, table().bookkeeping
    if callee.kind not in _FUNCTIONS:
        return scope.unit.spelling(library.semantic_parent(callee)) in classes
    kinds = [library.type_of(parameter) for parameter in scope.unit.arguments(callee)]
    for kind in (*kinds, library.result_type(library.type_of(callee))):
        canonical = library.canonical_type(kind)
        if canonical.kind in REFERENCE_TYPES:
            canonical = library.canonical_type(library.pointee(canonical))
        declaration = library.declaration(canonical)
        if scope.unit.spelling(declaration) in classes and scope.types.is_standard(declaration):
            return True
    return False


def _holds_numbers(kind: CType) -> bool:
    """Return whether an object has a container of numbers, or of objects with one: to copy it is work."""
    match kind:
        case StructT(fields=fields):
            return any(_holds_numbers(field.type) for field in fields)
        case PointerT(owns=True):
            return not _is_text(kind) and not (isinstance(kind.target, PointerT) and _is_text(kind.target))
        case _:
            return False


def _is_text(kind: CType) -> bool:
    return isinstance(kind, PointerT) and kind.target == CHAR


def _is_function(argument: Expression) -> bool:
    """Return whether an argument is a function of the program, which the library would call."""
    if isinstance(argument, OpaqueExpression):
        return bool(argument.function)
    return isinstance(kind := type_of(argument), StructT) and kind.name == "lambda"
