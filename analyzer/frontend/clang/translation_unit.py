"""Cursors of one translation unit -> the surface tree.

Starts from the functions of the main file, and of what it includes that is no header, and follows calls into the
user's other files; headers are not walked.
Templates are lowered as their instantiations, which the calls lead to; one that nothing instantiates is a finding.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Set
from math import inf

from ...diagnostics import Diagnostic, why_given_up
from ...limits.ending import Ending
from ...limits.hard_limit import GIVEN_UP, cause_of, hard_limit, remaining
from ...limits.recursion import deep_recursion
from ...source import Language, SourceFile
from ..surface.nodes import Function, Unit
from ..surface.objects.constructions import with_placed
from ..text.pragmas import collect_pragmas
from . import expressions as clang_expressions
from .binding import Cursor
from .calls import calls as clang_calls
from .captures import LAMBDA
from .cplusplus import nodes as clang_cplusplus
from .cplusplus.benchmarks import registered_sizes, with_benchmarks
from .cplusplus.ranges.range_loops import Wanted
from .cplusplus.templates import (
    MEMBERS,
    POINTERS,
    declarations_of,
    is_dependent,
    named_bases,
    named_instances,
    named_members,
    report_templates,
)
from .cuda import is_kernel
from .functions import lower_function
from .kinds import CLASSES, FUNCTIONS, NAMESPACES, CursorKind
from .postponed import Pending
from .scope import Scope
from .statements import statements as clang_statements
from .unit import TranslationUnit

_VARIABLE = CursorKind.VAR_DECL
_DECLARATIONS = FUNCTIONS | CLASSES | {_VARIABLE}
_HANDLERS = (
    clang_expressions.HANDLERS | clang_calls.HANDLERS | clang_statements.HANDLERS | clang_cplusplus.HANDLERS
)  # fmt: skip
_RESERVE = 0.3  # of that time, for what comes after the functions
_SHARE = 1 / 4  # of the time that is left for reading
_READERS = clang_statements.READERS | clang_cplusplus.READERS


def lower(
    unit: TranslationUnit, source: SourceFile, undeclared: Set[str], macros: Mapping[str, str]
) -> tuple[Unit, list[Diagnostic], Wanted]:
    """Lower every function of the main file and what they call; return what the reading lacks, too.

    ``undeclared`` names C functions that lack a declaration, ``macros`` are those that the command line defines.
    """
    scope = Scope(unit, source.path, source.first_line, _HANDLERS, undeclared)
    scope.follows_host = source.language is Language.CUDA
    headers = unit.included_texts("_Pragma")
    pragmas = collect_pragmas(source.text, first_line=source.first_line, macros=macros, headers=headers)
    reader = clang_statements.StatementReader(scope, pragmas, _READERS, macros, headers)
    functions: dict[str, Function] = {}
    with deep_recursion():
        found = list(declarations_of(unit, unit.cursor, _DECLARATIONS))
        for cursor in found:
            if cursor.kind == _VARIABLE:
                scope.note_global(cursor)
            scope.types.bases.update(named_bases(unit, cursor))
        for cursor in found:
            for instance in named_instances(unit, cursor):
                scope.function_key(instance)
            for owner, name, member in named_members(unit, cursor):
                scope.instances.setdefault(owner, []).append((name, member))
            if cursor.kind in CLASSES or unit.spelling(cursor).startswith((POINTERS, MEMBERS)):
                continue
            if cursor.kind == _VARIABLE:
                scope.variable(cursor)
            elif not is_dependent(unit, cursor):
                scope.function_key(cursor)
        if source.language is Language.CUDA:
            for cursor in _kernels_of_other_files(scope):
                scope.function_key(cursor)
        sizes = registered_sizes(scope, found)
        left_out: set[str] = set()
        reserve_s = _RESERVE * remaining() if remaining() < inf else 0.0
        while scope.waiting:
            pending = scope.waiting.popleft()
            if pending.key not in functions and pending.key not in left_out:
                found_function = _within_share(scope, reader, pending, reserve_s)
                if found_function is None:
                    left_out.add(pending.key)
                else:
                    functions[pending.key] = found_function
    report_templates(scope)
    functions = with_benchmarks(functions, sizes)
    ordered = sorted(functions.values(), key=lambda f: (f.span.path != source.path, f.span.path, f.span.line))
    every = {function.key: function for function in (*ordered, *scope.generated.values())}
    lowered = Unit(source.path, with_placed(every), tuple(scope.globals))
    wanted = Wanted(
        classes=frozenset(scope.without_members),
        loops=frozenset(scope.over_nameless),
        templates=frozenset(scope.unchosen),
        bases=frozenset(each for each in scope.types.without_bases if LAMBDA not in each[0]),
        methods=frozenset(each for each in scope.types.overriding if LAMBDA not in each[0]),
        destroyed=frozenset(scope.without_destructor),
        constructed=frozenset(scope.without_constructor),
    )
    return lowered, scope.diagnostics, wanted


def _within_share(
    scope: Scope, reader: clang_statements.StatementReader, pending: Pending, reserve_s: float
) -> Function | None:
    """Lower a function; None where it exceeds its share of the time, which costs no other function."""
    left = remaining() - reserve_s
    span = scope.span_of(pending.definition)
    try:
        with hard_limit(max(left * _SHARE, left / (1 + len(scope.waiting))), f"reading {pending.key}"):
            return lower_function(scope, reader, pending)
    except GIVEN_UP as error:
        cause = cause_of(error)
    except ctypes.ArgumentError as error:  # what ctypes makes of a recursion that is too deep
        if RecursionError.__name__ not in str(error):
            raise
        cause = Ending.DEPTH
    scope.span = span
    scope.report("AI213", "left-out", name=scope.unit.spelling(pending.definition), why=why_given_up(cause))
    return None


def _kernels_of_other_files(scope: Scope) -> Iterator[Cursor]:
    """Yield kernels of included files; those of templates are found where they are launched."""
    unit = scope.unit
    waiting = [unit.top_level]
    while waiting:
        for cursor in waiting.pop():
            if unit.is_in_system_header(cursor) or unit.is_in_source(cursor):
                continue
            if cursor.kind in NAMESPACES:
                waiting.append(unit.children(cursor))
            elif is_kernel(scope, cursor):
                yield cursor
