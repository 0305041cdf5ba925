"""Statements of a snippet: the parser's nodes to the surface tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pycparser import c_ast

from ...source import Span
from ..surface.constructs import construct
from ..surface.nodes import (
    Block,
    Break,
    Call,
    Case,
    Continue,
    CType,
    Declare,
    Evaluate,
    Expression,
    For,
    Goto,
    If,
    Label,
    OpaqueStatement,
    Return,
    Statement,
    Storage,
    Switch,
    UnknownT,
    Variable,
    While,
)
from ..surface.switch import Section, arm, entered
from ..surface.types import type_of
from ..text.pragmas import Pragmas
from .expressions import ExpressionReader
from .names import Names, TypeName
from .prepare import ASM_CALL
from .types import is_auto, is_constant


class StatementReader:
    """Reads statements and declarations; ``pragmas`` are those of the text by the line below them."""

    def __init__(
        self,
        names: Names,
        expressions: ExpressionReader,
        pragmas: Mapping[int, tuple[str, ...]],
        span: Callable[[Any], Span],
    ) -> None:
        """Start in the scopes of ``names``; ``span`` gives the span of a node, to the end of its statement."""
        self._names = names
        self._expressions = expressions
        self._pragmas = Pragmas(pragmas)
        self._loops = 0
        self._span = span
        self.has_labels = False

    # --- declarations ---

    def declare(self, node: Any, storage: Storage) -> Iterator[tuple[Variable, Expression | None]]:
        """Declare a variable in scope; yields the variable that it declares, if it declares one."""
        ctype = self._expressions.types.resolve(node.type)
        if isinstance(node, c_ast.Typedef):
            self._names.declare(node.name, TypeName(ctype))
            return
        if isinstance(node.type, c_ast.FuncDecl):
            self._names.functions[node.name] = self._expressions.types.resolve(node.type.type)
            return
        if node.name is None:
            return
        if is_auto(ctype):
            ctype = UnknownT("auto") if node.init is None else type_of(self._expressions.read(node.init))
        yield self._variable(node, ctype, storage)

    def _variable(self, node: Any, ctype: CType, storage: Storage) -> tuple[Variable, Expression | None]:
        constant, span = is_constant(node.type), self._span(node)
        variable = Variable(node.name, ctype, storage, span, constant=constant)
        self._names.declare(node.name, variable)  # C lets an initialiser name its variable: malloc(n * sizeof *p)
        initial = None if node.init is None else self._expressions.initial(node.init, ctype)
        if constant and storage is Storage.GLOBAL and initial is not None:
            variable = Variable(node.name, ctype, storage, span, constant=True, initial=initial)
            self._names.declare(node.name, variable)
        return variable, initial

    # --- statements ---

    def read(self, node: Any) -> Iterator[Statement]:
        """Yield the statements of one node: none for a ``typedef``, one for most."""
        span = self._span(node)
        match node:
            case c_ast.Decl() | c_ast.Typedef():
                for variable, initial in self.declare(node, Storage.LOCAL):
                    yield Declare(variable, initial, span)
            case c_ast.DeclList(decls=items):
                for item in items:
                    yield from self.read(item)
            case c_ast.Label(name=name, stmt=inner):
                self.has_labels = True
                yield Label(name, span)
                yield from self.read(inner)
            case c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.StaticAssert() | None:
                return
            case _:
                yield self._statement(node, span)

    def block(self, nodes: Any, span: Span) -> Block:
        """Read statements in a scope of their own."""
        self._names.push()
        statements = tuple(statement for node in nodes or () for statement in self.read(node))
        self._names.pop()
        return Block(statements, span)

    def _statement(self, node: Any, span: Span) -> Statement:
        match node:
            case c_ast.Compound(block_items=items):
                return self.block(items, span)
            case c_ast.For():
                return self._for(node, span)
            case c_ast.While(cond=condition, stmt=body):
                pragmas = self._take_pragmas(span)
                return While(self._value(condition), self._body(body), False, span, pragmas)
            case c_ast.DoWhile(cond=condition, stmt=body):
                pragmas = self._take_pragmas(span)
                return While(self._value(condition), self._body(body), True, span, pragmas)
            case c_ast.If(cond=condition, iftrue=then, iffalse=orelse):
                other = None if orelse is None else self._body(orelse)
                return If(self._value(condition), self._body(then), other, span)
            case c_ast.Switch(cond=subject, stmt=body):
                return self._switch(subject, body, span)
            case c_ast.Return(expr=value):
                return Return(None if value is None else self._value(value), span)
            case c_ast.Break():
                return Break(span)
            case c_ast.Continue():
                return Continue(span)
            case c_ast.Goto(name=label):
                return Goto(label, span)
            case c_ast.FuncDef():
                return OpaqueStatement(construct("nested-function"), span)
            case c_ast.Case() | c_ast.Default():
                return OpaqueStatement(construct("case-outside-the-block-of-its-switch"), span)
        value = self._value(node)
        if isinstance(value, Call) and value.name == ASM_CALL:
            return OpaqueStatement(construct("inline-assembly"), span)
        return Evaluate(value, span)

    def _value(self, node: Any) -> Expression:
        return self._expressions.read(node)

    def _body(self, node: Any) -> Statement:
        span = self._span(node)
        if isinstance(node, c_ast.Compound):
            return self.block(node.block_items, span)
        statements = tuple(self.read(node))
        return statements[0] if len(statements) == 1 else Block(statements, span)

    def _for(self, node: Any, span: Span) -> For:
        pragmas = self._take_pragmas(span)
        self._names.push()
        start = tuple(self.read(node.init))
        initial = None if not start else start[0] if len(start) == 1 else Block(start, start[0].span)
        condition = None if node.cond is None else self._value(node.cond)
        advance = None if node.next is None else self._value(node.next)
        body = self._body(node.stmt)
        self._names.pop()
        return For(initial=initial, condition=condition, advance=advance, body=body, span=span, pragmas=pragmas)

    def _take_pragmas(self, span: Span) -> tuple[str, ...]:
        self._loops += 1
        return self._pragmas.of_loop(span.line, span.end_line, self._loops)

    # --- switch ---

    def _switch(self, subject: Any, body: Any, span: Span) -> Statement:
        if not isinstance(body, c_ast.Compound):
            return OpaqueStatement(construct("switch-without-a-block"), span)
        value = self._value(subject)
        self._names.push()
        cases: list[Case] = []
        labels: list[Expression | None] = []
        for item in body.block_items or ():
            if not isinstance(item, c_ast.Case | c_ast.Default):
                tuple(self.read(item))  # a declaration above the first label; brings its names into scope
                continue
            labels.append(self._value(item.expr) if isinstance(item, c_ast.Case) else None)
            if not item.stmts:
                continue
            if len(item.stmts) == 1 and (loop := self._entered(labels, item.stmts[0])) is not None:
                cases += [arm(*section) for section in loop]
                labels = []
                continue
            cases.append(arm(labels, [statement for node in item.stmts for statement in self.read(node)]))
            labels = []
        if labels:
            cases.append(arm(labels, ()))
        self._names.pop()
        return Switch(value, tuple(cases), span)

    def _entered(self, labels: list[Expression | None], node: Any) -> list[Section] | None:
        """Return the arms of a ``do`` loop in whose body there are cases; None for any other statement."""
        items = (node.stmt.block_items or ()) if isinstance(node, c_ast.DoWhile) else ()
        if not any(isinstance(item, c_ast.Case | c_ast.Default) for item in items):
            return None
        sections: list[Section] = [([], [])]
        for item in items:
            is_labelled = isinstance(item, c_ast.Case | c_ast.Default)
            if is_labelled:
                sections.append(([self._value(item.expr) if isinstance(item, c_ast.Case) else None], []))
            for inner in (item.stmts or ()) if is_labelled else (item,):
                sections[-1][1].extend(self.read(inner))
        pragmas = self._take_pragmas(self._span(node))
        loop = While(self._value(node.cond), Block((), self._span(node)), True, self._span(node), pragmas)
        return entered(labels, sections, loop)
