"""Calls of functions: by key where the body is known, by name where it is not."""

from __future__ import annotations

from .clang_binding import Cursor
from .clang_expressions import generic_choice
from .clang_scope import Handler, Scope
from .syntax import Call, Expression, UnknownT

_GENERIC, _DECLARATION_REFERENCE = 122, 101
_FUNCTION = 8
_TRANSPARENT = frozenset({"__builtin_expect", "__builtin_assume_aligned", "__builtin_expect_with_probability"})
_BUILTIN = "__builtin_"


def lower_call(scope: Scope, cursor: Cursor) -> Expression:
    """A call of C: the first child is what is called, the others are the arguments."""
    children = scope.unit.children(cursor)
    callee = scope.library.referenced(cursor)
    if callee.kind != _FUNCTION and children:
        callee = _selected(scope, children[0], callee)
    arguments = tuple(scope.expression(child) for child in children[1:])
    if callee.kind != _FUNCTION:
        return _indirect(scope, cursor, arguments)
    name = scope.unit.spelling(callee)
    if name in _TRANSPARENT and arguments:
        return arguments[0]
    key = scope.function_key(callee)
    return Call(key or plain_name(name), plain_name(name), arguments, scope.types.of(cursor), scope.span)


def plain_name(name: str) -> str:
    """The library's name of a compiler builtin: ``__builtin_sqrt`` is ``sqrt``."""
    return name.removeprefix(_BUILTIN)


def _selected(scope: Scope, called: Cursor, otherwise: Cursor) -> Cursor:
    called = scope.strip(called)
    if called.kind == _GENERIC:
        chosen = generic_choice(scope, called)
        if chosen is not None:
            return scope.library.referenced(scope.strip(chosen))
    return otherwise


def _indirect(scope: Scope, cursor: Cursor, arguments: tuple[Expression, ...]) -> Expression:
    name = scope.unit.spelling(cursor) or "function pointer"
    kind = scope.types.of(cursor)
    return Call(name, name, arguments, kind if name else UnknownT(""), scope.span)


HANDLERS: dict[int, Handler] = {103: lower_call}
