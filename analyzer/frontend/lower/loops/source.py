"""A loop as it is written: its parts, and the variable that most likely counts it."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from ....source import Span
from ...surface import nodes as sx
from ...surface.traverse import walk
from ..state import State


class LoopSource(Struct, frozen=True, kw_only=True):
    """The parts of any of C's loops; one with a ``label`` is made of gotos."""

    body: sx.Statement
    span: Span
    condition: sx.Expression | None = None
    advance: sx.Expression | None = None
    test_last: bool = False
    pragmas: tuple[str, ...] = ()
    label: str = ""


def guessed_iterator(state: State, source: LoopSource, changed: Collection[sx.Variable]) -> sx.Variable | None:
    """Return the variable that most likely counts the loop: one that the header changes and the condition tests."""
    tested = [item for item in _variables_in(source.condition) if item in changed and _can_count(item)]
    advanced = [item for item in state.effects(source.advance).variables if _can_count(item)]
    for variable in advanced:
        if variable in tested:
            return variable
    return next(iter([*tested, *advanced]), None)


def _can_count(variable: sx.Variable) -> bool:
    match variable.type:
        case sx.ScalarT(element):
            return element.scalar.is_integer and element.lanes == 1
        case ctype:
            return isinstance(ctype, sx.PointerT)


def _variables_in(expression: sx.Expression | None) -> list[sx.Variable]:
    return [node.variable for node in walk(expression) if isinstance(node, sx.Name)]


def header_step(source: LoopSource, variable: sx.Variable) -> int:
    """Return 1 or -1 where the advance expression counts the variable up or down, else 0."""
    parts = [source.advance]
    while parts:
        part = parts.pop()
        match part:
            case sx.Comma():
                parts += [part.left, part.right]
            case sx.Unary(operator="++x" | "x++", operand=sx.Name(variable=stepped)) if stepped is variable:
                return 1
            case sx.Unary(operator="--x" | "x--", operand=sx.Name(variable=stepped)) if stepped is variable:
                return -1
            case sx.Assign(operator="+" | "-" as sign, target=sx.Name(variable=stepped), value=sx.Number(value=step)):
                if stepped is variable and step > 0:
                    return 1 if sign == "+" else -1
            case sx.Assign(operator="", target=sx.Name(variable=stepped),
                           value=sx.Binary("+" | "-" as sign, _, sx.Number(value=step))):  # fmt: skip
                if stepped is variable and step > 0:
                    return 1 if sign == "+" else -1
    return 0
