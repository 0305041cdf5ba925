"""Files that a program can do without (surface tree to surface tree).

A program that reads its sizes from a file, and gives them values of its own where there is no such file
(``if ((f = fopen("mg.input", "r"))) fscanf(f, "%d", &n); else n = 256;``), runs with its own values where nothing
else is known.  The opening of such a file becomes a call of :data:`~.surface.nodes.MISSING`, a null pointer, so that
everything behind reads it as any other.  A file whose absence ends the program, or only gives a message, is there.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from .known_functions import table
from .surface.constants import constant_integer
from .surface.designation import without_casts
from .surface.nodes import (
    MISSING,
    Assign,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Declare,
    Evaluate,
    Expression,
    Goto,
    If,
    Name,
    Return,
    Statement,
    Text,
    Unary,
    Variable,
)
from .surface.traverse import Tree, map_children, walk

OPENING = "fopen"


def without_optional_files(body: Block) -> Block:
    """Return the body of a function, with a null pointer for each file to read that it can do without."""
    missing = {id(call) for call in _optional(body)}

    def rewritten(tree: Tree) -> Tree:
        if id(tree) in missing and isinstance(tree, Call):
            return replace(tree, function=MISSING, name=MISSING, arguments=tree.arguments[:1])
        return map_children(tree, rewritten)

    return map_children(body, rewritten) if missing else body


def _optional(body: Block) -> Iterator[Call]:
    """Yield the calls whose result a variable holds until a conditional tests it that gives values in its absence."""
    opened: dict[Variable, Call] = {}
    for node in walk(body):
        match node:
            case If(condition=condition):
                tested, null_when = _null_test(condition)
                if isinstance(tested, Assign):
                    _note(opened, tested.target, tested.value)
                    tested = tested.target
                call = opened.pop(tested.variable, None) if isinstance(tested, Name) else None
                if call is not None and _gives_values(node.then if null_when else node.orelse):
                    yield call
            case Assign(operator="", target=target, value=value):
                _note(opened, target, value)
            case Declare(variable=variable, initial=initial) if initial is not None:
                _note(opened, Name(variable, node.span), initial)
            case _:
                pass


def _note(opened: dict[Variable, Call], target: Expression, value: Expression) -> None:
    """Note that a variable holds a file that is opened to read, by a name that the program itself has."""
    if not isinstance(target, Name):
        return
    opened.pop(target.variable, None)
    match without_casts(value):
        case Call(name=name, arguments=(file, mode)) as call if name.removeprefix("std::") == OPENING:
            file, mode = without_casts(file), without_casts(mode)
            if isinstance(file, Text) and isinstance(mode, Text) and mode.text.startswith("r"):
                opened[target.variable] = call
        case _:
            pass


def _null_test(condition: Expression) -> tuple[Expression, bool]:
    """Return what is tested, and whether the condition holds where it is null."""
    match without_casts(condition):
        case Unary(operator="!", operand=operand):
            tested, null_when = _null_test(operand)
            return tested, not null_when
        case Binary(operator="==" | "!=" as operator, left=left, right=right) if _is_null(right):
            return without_casts(left), operator == "=="
        case Binary(operator="==" | "!=" as operator, left=left, right=right) if _is_null(left):
            return without_casts(right), operator == "=="
        case tested:
            return tested, False


def _is_null(expression: Expression) -> bool:
    return constant_integer(without_casts(expression)) == 0


def _gives_values(arm: Statement | None) -> bool:
    """Return whether statements assign to something, and the program goes on behind them."""
    return arm is not None and not _ends(arm) and any(isinstance(node, Assign) for node in walk(arm))


def _ends(statement: Statement) -> bool:
    match statement:
        case Block(statements=statements):
            return any(map(_ends, statements))
        case Evaluate(expression=Call() as call):
            return call.ends or table().is_end(call.name) or table().may_be_end(call.name)
        case _:
            return isinstance(statement, Return | Break | Continue | Goto)
