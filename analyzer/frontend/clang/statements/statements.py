"""Statements: clang's cursors -> the surface tree.

A handler returns a list: a declaration of three variables is three statements, ``;`` is none.  Statement expressions
``({ ... })`` are hoisted in front of the statement that holds them, where that does not change how often they run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from ....diagnostics import Phrase
from ....python.regex import regex
from ...surface.constructs import construct
from ...surface.nodes import (
    VOID,
    Binary,
    Block,
    Break,
    Call,
    Cast,
    Conditional,
    Continue,
    Declare,
    Evaluate,
    Expression,
    For,
    Goto,
    If,
    InitializerList,
    Label,
    Name,
    OpaqueStatement,
    Return,
    ScalarT,
    Statement,
    Storage,
    StructT,
    Unary,
    Variable,
    While,
)
from ...surface.objects.constructions import has_array
from ...surface.objects.elements import constructed
from ...text.pragmas import Pragmas, collect_pragmas
from ..binding import Cursor
from ..callees import takes_own_type
from ..kinds import FUNCTIONS, STATEMENTS, CursorKind
from ..scope import Handler, Scope
from ..types import is_expression, is_reference
from .loop_headers import header_parts
from .switch import declared_in_header, lower_switch
from .timed_loops import is_timed_condition, timed_loop

_COMPOUND, _VARIABLE = CursorKind.COMPOUND_STMT, CursorKind.VAR_DECL
_CONSTEXPR = regex(rb"if\s+constexpr\b")
_VOLATILE = "__ai_volatile"
"""A call behind a store to a volatile variable: other threads see what was stored, and may have changed the rest."""

Lines = Mapping[int, tuple[str, ...]]
Reader = Callable[["StatementReader", Cursor], list[Statement]]


class StatementReader:
    """Lowers the statements of function bodies; ``pragmas`` are those of the main file by the line below them.

    Those of other files are looked for where a function of theirs has a loop.
    """

    def __init__(
        self,
        scope: Scope,
        pragmas: Lines,
        readers: Mapping[int, Reader],
        macros: Mapping[str, str],
        headers: Sequence[str] = (),
    ) -> None:
        """Start a reader for all functions of a unit; ``readers`` are the handlers by kind of statement.

        ``macros`` are those of the command line, ``headers`` the texts of files that may define macros with pragmas.
        """
        self.scope = scope
        self.readers = readers
        self._pragmas = {scope.path: Pragmas(pragmas)}
        self._macros, self._headers = macros, headers

    def block(self, cursor: Cursor) -> Block:
        """Lower a statement to a block."""
        span = self.scope.span_of(cursor)
        return Block(tuple(self.statements(cursor)), span)

    def statements(self, cursor: Cursor) -> list[Statement]:
        """Lower a cursor to statements; those of a compound statement come without its braces."""
        if cursor.kind == _COMPOUND:
            return [found for child in self.scope.unit.children(cursor) for found in self.nested(child)]
        return self.nested(cursor)

    def nested(self, cursor: Cursor) -> list[Statement]:
        """Lower one statement, with what is hoisted in front of it."""
        outer_span, outer_hoisted = self.scope.span, self.scope.hoisted
        self.scope.span, self.scope.hoisted = self.scope.span_of(cursor), []
        try:
            reader = self.readers.get(cursor.kind)
            if reader is not None:
                found = reader(self, cursor)
            elif cursor.kind in STATEMENTS:
                found = self.opaque(construct("statement-not-modelled"))
            else:
                found = [Evaluate(_discarded(self.scope.expression(cursor)), self.scope.span)]
                if self.scope.unit.library.is_volatile(self.scope.unit.library.type_of(cursor)):
                    call = Call(_VOLATILE, _VOLATILE, (), VOID, self.scope.span)
                    found.append(Evaluate(call, self.scope.span))
            return self.scope.hoisted + found if self.scope.hoisted else found
        finally:
            self.scope.span, self.scope.hoisted = outer_span, outer_hoisted

    def single(self, cursor: Cursor) -> Statement:
        """Lower the body of a loop or a branch."""
        found = self.statements(cursor)
        if len(found) == 1 and cursor.kind != _COMPOUND and not isinstance(found[0], Declare):
            return found[0]
        return Block(tuple(found), self.scope.span_of(cursor))

    def opaque(self, what: Phrase) -> list[Statement]:
        """Return a statement that is not modelled; the lowering reports it."""
        return [OpaqueStatement(what, self.scope.span)]

    def repeated(self, cursor: Cursor) -> Expression:
        """Lower an expression that runs once per iteration, so that nothing may be hoisted out of it."""
        outer, self.scope.hoisted = self.scope.hoisted, None
        try:
            return self.scope.expression(cursor)
        finally:
            self.scope.hoisted = outer

    def pragmas_of(self, cursor: Cursor) -> tuple[str, ...]:
        """Return the pragmas of a loop; each use of a macro has loops of its own."""
        unit, span = self.scope.unit, self.scope.span
        path = unit.extent(cursor)[0].path
        if path not in self._pragmas:
            text = unit.contents(path).decode("utf-8", "replace")
            self._pragmas[path] = Pragmas(collect_pragmas(text, macros=self._macros, headers=self._headers))
        return self._pragmas[path].of_loop(span.line, span.end_line, unit.library.extent(cursor).begin)


def _discarded(expression: Expression) -> Expression:
    """Return an expression without the load of a reference that nothing reads."""
    if isinstance(expression, Unary) and expression.operator == "*" and isinstance(expression.operand, Call):
        return expression.operand
    return expression


def _compound(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    return [reader.block(cursor)]


def _declarations(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    children = reader.scope.unit.children(cursor)
    found: list[Statement] = []
    for child in children:
        if child.kind == _VARIABLE:
            found += constructed(declare(reader.scope, child))
        elif child.kind == CursorKind.UNEXPOSED_DECL:
            found += reader.readers[child.kind](reader, child)
    return found


def declare(scope: Scope, cursor: Cursor) -> Declare:
    """Lower one local variable with its initialiser."""
    initial = scope.library.initializer(cursor)
    variable = scope.variable(cursor)
    value = scope.initial_value(initial, scope.library.type_of(cursor)) if is_expression(initial) else None
    if isinstance(value, InitializerList) and not (value.items or value.clears) and isinstance(value.type, StructT):
        value = None  # constructed by default
    scope.declared[variable] = cursor
    return Declare(variable, value, scope.span)


def _if(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    children = reader.scope.unit.children(cursor)
    first: list[Statement] = []
    while children and (children[0].kind in STATEMENTS or children[0].kind == _VARIABLE):
        first += _opening(reader, children.pop(0))
    if len(children) < 2:
        return [*first, *reader.opaque(construct("if-without-a-condition-that-parsed"))]
    if len(first) == 0 and _is_constexpr(reader.scope, cursor):
        value = reader.scope.unit.evaluate(children[0])
        if value is not None:
            live = children[1] if value else children[2] if len(children) > 2 else None
            return [] if live is None else [reader.single(live)]
    condition = reader.scope.expression(children[0])
    hoisted, reader.scope.hoisted = reader.scope.hoisted, []
    orelse = reader.single(children[2]) if len(children) > 2 else None
    branch: Statement = If(condition, reader.single(children[1]), orelse, reader.scope.span)
    reader.scope.hoisted = hoisted
    return [Block((*first, branch), reader.scope.span)] if first else [branch]


def _opening(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    """Lower what the header of an ``if`` or ``switch`` declares, or does first."""
    return [declare(reader.scope, cursor)] if cursor.kind == _VARIABLE else reader.nested(cursor)


def _is_constexpr(scope: Scope, cursor: Cursor) -> bool:
    start = scope.unit.extent(cursor)[0]
    return _CONSTEXPR.match(scope.unit.contents(start.path), start.offset) is not None


def _for(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    scope = reader.scope
    start, end = scope.unit.extent(cursor)
    pragmas = reader.pragmas_of(cursor)
    *header, body = scope.unit.children(cursor)
    initial, condition, advance = header_parts(scope, header, start, end)
    opening: Statement | None = None
    if initial is not None:
        found = reader.nested(initial)
        opening = found[0] if len(found) == 1 else Block(tuple(found), scope.span) if found else None
    test = None if condition is None else reader.repeated(condition)
    step = None if advance is None else reader.repeated(advance)
    inner = reader.single(body)
    return [For(initial=opening, condition=test, advance=step, body=inner, span=scope.span, pragmas=pragmas)]


def _while(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    pragmas = reader.pragmas_of(cursor)
    *condition, body = reader.scope.unit.children(cursor)
    if len(condition) != 1:
        return reader.opaque(construct("while-with-a-declaration-as-its-condition"))
    if is_timed_condition(reader.scope, condition[0]):
        return timed_loop(reader.scope, reader.single(body), pragmas)
    test = reader.repeated(condition[0])
    return [While(test, reader.single(body), False, reader.scope.span, pragmas)]


def _do(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    pragmas = reader.pragmas_of(cursor)
    body, condition = reader.scope.unit.children(cursor)
    inner = reader.single(body)
    return [While(reader.repeated(condition), inner, True, reader.scope.span, pragmas)]


def _switch(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    *opening, subject, body = reader.scope.unit.children(cursor)
    first = [statement for child in opening for statement in _opening(reader, child)]
    first = first or _not_shown(reader, cursor, subject, body)
    value = reader.scope.expression(subject)
    found = lower_switch(reader.scope, reader.nested, value, body)
    return [Block((*first, found), reader.scope.span)] if first else [found]


def _not_shown(reader: StatementReader, cursor: Cursor, subject: Cursor, body: Cursor) -> list[Statement]:
    found = declared_in_header(reader.scope, cursor, subject, body)
    if found is None:
        return reader.opaque(construct("statement-not-modelled"))
    return [declare(reader.scope, each) for each in found]


def _return(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    children = reader.scope.unit.children(cursor)
    value = reader.scope.expression(_returned(reader.scope, children[0])) if children else None
    if value is not None and reader.scope.returns_reference:
        value = reader.scope.address(value)
    if isinstance(value, InitializerList) and has_array(value.type):  # the object of the caller, not a copy
        made = Variable("returned", value.type, Storage.LOCAL, reader.scope.span)
        return [Declare(made, value, reader.scope.span), Return(Name(made, reader.scope.span), reader.scope.span)]
    return [Return(value, reader.scope.span)]


def _returned(scope: Scope, cursor: Cursor) -> Cursor:
    """Return the local variable that is returned, without the copy that its caller does not see made."""
    made = scope.unit.stripped(cursor)
    given = scope.unit.arguments(made) if made.kind == CursorKind.CALL_EXPR else []
    constructor = scope.library.referenced(made)
    if len(given) != 1 or constructor.kind != CursorKind.CONSTRUCTOR or not takes_own_type(scope.unit, constructor):
        return cursor
    name = scope.unit.stripped(given[0])
    variable = scope.library.referenced(name)
    if name.kind != CursorKind.DECL_REF_EXPR or variable.kind != _VARIABLE or scope.is_static(variable):
        return cursor
    is_local = scope.library.semantic_parent(variable).kind in FUNCTIONS
    return name if is_local and not is_reference(scope.library, scope.library.type_of(variable)) else cursor


def _last_child(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    """Lower the statement behind an attribute."""
    children = reader.scope.unit.children(cursor)
    return reader.nested(children[-1]) if children else []


def _label(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    reader.scope.has_labels = True
    return [Label(reader.scope.unit.spelling(cursor), reader.scope.span), *_last_child(reader, cursor)]


def _goto(reader: StatementReader, cursor: Cursor) -> list[Statement]:
    labels = [child for child in reader.scope.unit.children(cursor) if child.kind == CursorKind.LABEL_REF]
    return (
        [Goto(reader.scope.unit.spelling(labels[0]), reader.scope.span)]
        if labels
        else reader.opaque(construct("goto-statement"))
    )


def _statement_expression(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``({ ...; value; })``: all but the value goes in front of the statement around it."""
    children = scope.unit.children(scope.unit.children(cursor)[0])
    if not children or children[-1].kind in STATEMENTS:
        return scope.opaque(cursor, construct("statement-expression"))
    if scope.hoisted is None:
        return _replaced_names(scope, cursor, children)
    reader = StatementReader(scope, {}, READERS, {})
    for child in children[:-1]:
        scope.hoisted += reader.nested(child)
    return scope.expression(children[-1])


def _replaced_names(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expression:
    """Lower a statement expression that only names whole numbers, ``({ int _x = (x); ... })``."""
    values: dict[Variable, Expression] = {}
    for child in children[:-1]:
        for declared in scope.unit.children(child):
            if child.kind != CursorKind.DECL_STMT or declared.kind != _VARIABLE:
                return scope.opaque(cursor, construct("statement-expression"))
            statement = declare(scope, declared)
            kind = statement.variable.type
            is_whole = isinstance(kind, ScalarT) and kind.element.scalar.is_integer
            if statement.initial is None or not is_whole:
                return scope.opaque(cursor, construct("statement-expression"))
            values[statement.variable] = _with_values(statement.initial, values)
    return _with_values(scope.expression(children[-1]), values)


def _with_values(expression: Expression, values: Mapping[Variable, Expression]) -> Expression:
    """Return an expression of numbers with the values of names in place of these."""
    match expression:
        case Name(variable=variable):
            return values.get(variable, expression)
        case Unary(operand=operand) | Cast(operand=operand):
            return replace(expression, operand=_with_values(operand, values))
        case Binary():
            left, right = _with_values(expression.left, values), _with_values(expression.right, values)
            return replace(expression, left=left, right=right)
        case Conditional(condition, then, orelse):
            condition, then = _with_values(condition, values), _with_values(then, values)
            return Conditional(condition, then, _with_values(orelse, values), expression.span)
        case _:
            return expression


READERS: dict[int, Reader] = {
    CursorKind.UNEXPOSED_STMT: _last_child,
    CursorKind.LABEL_STMT: _label,
    CursorKind.COMPOUND_STMT: _compound,
    CursorKind.IF_STMT: _if,
    CursorKind.SWITCH_STMT: _switch,
    CursorKind.WHILE_STMT: _while,
    CursorKind.DO_STMT: _do,
    CursorKind.FOR_STMT: _for,
    CursorKind.GOTO_STMT: _goto,
    CursorKind.INDIRECT_GOTO_STMT: lambda reader, _: reader.opaque(construct("computed-goto")),
    CursorKind.CONTINUE_STMT: lambda reader, _: [Continue(reader.scope.span)],
    CursorKind.BREAK_STMT: lambda reader, _: [Break(reader.scope.span)],
    CursorKind.RETURN_STMT: _return,
    CursorKind.ASM_STMT: lambda reader, _: reader.opaque(construct("inline-assembly")),
    CursorKind.MS_ASM_STMT: lambda reader, _: reader.opaque(construct("inline-assembly")),
    CursorKind.NULL_STMT: lambda _reader, _cursor: [],
    CursorKind.DECL_STMT: _declarations,
}
HANDLERS: dict[int, Handler] = {CursorKind.STMT_EXPR: _statement_expression}
