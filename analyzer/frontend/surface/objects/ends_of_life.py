"""Statements that run where a variable goes out of scope: the destructor of an object, on each way out of its block.

``{ Guard g(a); if (c) return x; b(); }`` becomes ``{ Guard g(a); if (c) { returned = x; ~Guard(&g); return returned; }
b(); ~Guard(&g); }``.  A variable that is returned itself is the object of the caller, and lives on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from ..nodes import (
    Block,
    Break,
    Case,
    Continue,
    Declare,
    For,
    Goto,
    If,
    Label,
    Name,
    Number,
    PointerT,
    Return,
    ScalarT,
    Statement,
    Storage,
    Switch,
    Variable,
    While,
)
from ..traverse import STATEMENTS, Root, Tree, map_children, statements_in
from ..types import type_of

Ends = Mapping[Variable, Sequence[Statement]]
_JUMPS = (Return, Break, Continue, Goto)
_RETURNED = "returned"


def with_ends_of_life(body: Block, ends: Ends, parameters: Sequence[Variable] = ()) -> Block:
    """Return the body of a function with what ends the life of its variables; parameters live as long as all."""
    if not ends:
        return body
    statements = _of_block(_within(body, ends).statements, ends)
    for parameter in reversed(parameters):
        if parameter in ends:
            statements = _ended(statements, parameter, ends[parameter])
    return replace(body, statements=tuple(statements))


def _within(tree: Root, ends: Ends) -> Root:
    """Return a tree whose inner blocks end the life of their variables."""

    def inner(part: Tree) -> Tree:
        part = _within(part, ends)
        return replace(part, statements=tuple(_of_block(part.statements, ends))) if isinstance(part, Block) else part

    found = map_children(tree, inner)
    if not isinstance(found, Switch):
        return found
    arms = (replace(case, statements=tuple(_of_block(case.statements, ends))) for case in found.cases)
    return replace(found, cases=tuple(arms))


def _of_block(statements: Sequence[Statement], ends: Ends) -> list[Statement]:
    result = list(statements)
    for position in reversed(range(len(result))):
        declared = result[position]
        if isinstance(declared, Declare) and declared.variable in ends:
            result[position + 1 :] = _ended(result[position + 1 :], declared.variable, ends[declared.variable])
    return result


def _ended(rest: list[Statement], variable: Variable, last: Sequence[Statement]) -> list[Statement]:
    labels = {each.label for statement in rest for each in statements_in(statement) if isinstance(each, Label)}
    way = _Ways(variable, tuple(last), frozenset(labels))
    found = [after for statement in rest for after in way.out_of(statement, breaks=True, continues=True)]
    return found if rest and isinstance(rest[-1], _JUMPS) else [*found, *last]


class _Ways(Struct, frozen=True):
    """The ways out of the block of a variable, whose life these statements end; gotos to its labels stay in it."""

    variable: Variable
    last: tuple[Statement, ...]
    labels: Set[str]

    def out_of(self, statement: Statement, *, breaks: bool, continues: bool) -> list[Statement]:
        """Return what a statement becomes; a loop or ``switch`` in the block has breaks and continues of its own."""
        match statement:
            case Return():
                return self._returned(statement)
            case Break() if breaks:
                return [*self.last, statement]
            case Continue() if continues:
                return [*self.last, statement]
            case Goto(label=label) if label not in self.labels:
                return [*self.last, statement]
            case Block():
                return [replace(statement, statements=self._of_each(statement.statements, breaks, continues))]
            case If():
                then = self._one(statement.then, breaks, continues)
                orelse = None if statement.orelse is None else self._one(statement.orelse, breaks, continues)
                return [replace(statement, then=then, orelse=orelse)]
            case For() | While():
                return [replace(statement, body=self._one(statement.body, breaks=False, continues=False))]
            case Switch():
                return [replace(statement, cases=tuple(self._arm(case, continues) for case in statement.cases))]
            case _:
                return [map_children(statement, lambda part: self._part(part, breaks, continues))]

    def _returned(self, statement: Return) -> list[Statement]:
        value, span = statement.value, statement.span
        if isinstance(value, Name) and value.variable is self.variable:
            return [statement]
        kind = None if value is None else type_of(value)
        is_scalar = isinstance(kind, ScalarT) or (isinstance(kind, PointerT) and not kind.owns)
        is_made = isinstance(value, Number) or (isinstance(value, Name) and value.variable.name == _RETURNED)
        if value is None or kind is None or is_made or not is_scalar:
            return [*self.last, statement]
        made = Variable(_RETURNED, kind, Storage.LOCAL, span)
        return [Declare(made, value, span), *self.last, Return(Name(made, span), span)]

    def _part(self, part: Tree, breaks: bool, continues: bool) -> Tree:
        return self._one(part, breaks, continues) if isinstance(part, STATEMENTS) else part

    def _one(self, statement: Statement, breaks: bool, continues: bool) -> Statement:
        found = self.out_of(statement, breaks=breaks, continues=continues)
        return found[0] if len(found) == 1 else Block(tuple(found), statement.span)

    def _of_each(self, statements: Sequence[Statement], breaks: bool, continues: bool) -> tuple[Statement, ...]:
        return tuple(each for one in statements for each in self.out_of(one, breaks=breaks, continues=continues))

    def _arm(self, case: Case, continues: bool) -> Case:
        return replace(case, statements=self._of_each(case.statements, False, continues))
