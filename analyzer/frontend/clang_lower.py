"""Cursors of one translation unit -> the surface tree.

Starts from the functions of the main file and follows calls into the user's other files; headers are not walked.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..diagnostics import Diagnostic
from ..source import SourceFile
from . import clang_calls, clang_expressions, clang_statements
from .clang_binding import Cursor
from .clang_scope import Scope
from .clang_unit import TranslationUnit
from .pragmas import collect_pragmas
from .syntax import Function, FunctionKind, Unit

_FUNCTION, _VARIABLE, _LINKAGE, _NAMESPACE = 8, 9, 23, 22
_RECURSION_LIMIT = 60_000
HANDLERS = clang_expressions.HANDLERS | clang_calls.HANDLERS | clang_statements.HANDLERS


def lower(unit: TranslationUnit, source: SourceFile) -> tuple[Unit, list[Diagnostic]]:
    """Lower every function of the main file and what they call."""
    scope = Scope(unit, source.path, source.first_line, HANDLERS)
    reader = clang_statements.StatementReader(scope, collect_pragmas(source.text, first_line=source.first_line))
    functions: dict[str, Function] = {}
    with _deep_recursion():
        for cursor in _main_file(unit, unit.cursor):
            if cursor.kind == _VARIABLE:
                scope.variable(cursor)
            else:
                scope.function_key(cursor)
        while scope.waiting:
            key, definition, body = scope.waiting.popleft()
            if key not in functions:
                functions[key] = _function(scope, reader, key, definition, body)
    ordered = sorted(functions.values(), key=lambda f: (f.span.path != source.path, f.span.path, f.span.line))
    return Unit(source.path, {function.key: function for function in ordered}, tuple(scope.globals)), scope.diagnostics


def _main_file(unit: TranslationUnit, parent: Cursor) -> Iterator[Cursor]:
    for cursor in unit.children(parent):
        if cursor.kind not in (_FUNCTION, _VARIABLE, _LINKAGE, _NAMESPACE):
            continue
        if not unit.library.is_in_main_file(unit.library.location(cursor)):
            continue
        if cursor.kind in (_LINKAGE, _NAMESPACE):
            yield from _main_file(unit, cursor)
        else:
            yield cursor


def _function(
    scope: Scope, reader: clang_statements.StatementReader, key: str, definition: Cursor, body: Cursor
) -> Function:
    scope.span = scope.span_of(definition)
    span = scope.span
    count = max(0, scope.library.argument_count(definition))
    declared = [scope.library.argument(definition, position) for position in range(count)]
    parameters = tuple(scope.variable(parameter) for parameter in declared)
    return Function(
        key=key,
        name=scope.unit.spelling(definition),
        parameters=parameters,
        result=scope.types.read(scope.library.result_type(scope.library.type_of(definition))),
        body=reader.block(body),
        kind=FunctionKind.HOST,
        span=span,
        listed=span.path == scope.path,
    )


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Nested expressions and else-if chains of generated code go deeper than Python's default."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
