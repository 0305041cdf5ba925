"""A loop as it is written: its parts, and the variable that most likely counts it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from .....ir.arithmetic import is_unsigned
from .....source import Span
from ....surface import nodes as sx
from ....surface.traverse import walk
from ....surface.types import type_of
from ...functions.effects import Effects
from ...state import State


class LoopSource(Struct, frozen=True, kw_only=True):
    """The parts of any of C's loops; one with a ``label`` is made of gotos."""

    body: sx.Statement
    span: Span
    condition: sx.Expression | None = None
    advance: sx.Expression | None = None
    test_last: bool = False
    pragmas: tuple[str, ...] = ()
    label: str = ""


def tested_inside(source: LoopSource, effects: Callable[[sx.Expression], Effects]) -> LoopSource:
    """Return a loop whose condition has no loops: ``while (i < n && norm(x) > e)`` tests the norm in its body.

    From the first operand on that calls a function with loops, or that changes variables where the one before holds
    (``i < n && k++ < m``), each leaves the loop where it does not hold.
    """
    if source.condition is None or source.test_last:
        return source
    parts = list(_operands(source.condition))
    done = [effects(part) for part in parts]
    inside = (index for index, part in enumerate(done) if part.loops or (index and part.variables))
    first = next(inside, None)
    if first is None:
        return source
    tests = tuple(
        sx.If(sx.Unary("!", part, part.span), sx.Break(source.span), None, source.span) for part in parts[first:]
    )
    before = None
    for part in parts[:first]:
        before = part if before is None else sx.Binary("&&", before, part, part.span)
    return replace(source, condition=before, body=sx.Block((*tests, source.body), source.span))


def may_wrap(source: LoopSource, *, starts_at_number: bool) -> bool:
    """Return whether LLVM does not know how often a loop runs, since its counter might pass the bound and start anew.

    That is so of an unsigned counter or step, other than 1 (``i += blockDim.x``), and where an ``int`` is compared with
    an unsigned bound, unless it ``starts_at_number`` (machine code of nvcc 13.0 for nine loops).
    """
    match source.advance:
        case sx.Assign("+" | "-", target, step) | sx.Assign("", target, sx.Binary("+" | "-", _, step)):
            is_one = isinstance(step, sx.Number) and step.value == 1
            if not is_one and (_is_unsigned(target) or _is_unsigned(step)):
                return True
        case sx.Assign() | None:
            return False
        case _:
            pass
    compared = source.condition
    if starts_at_number or not isinstance(compared, sx.Binary) or compared.operator not in _COMPARISONS:
        return False
    counter = next((name for name in walk(source.advance) if isinstance(name, sx.Name)), None)
    sides = [compared.left, compared.right]
    return counter is not None and not _is_unsigned(counter) and any(map(_is_unsigned, sides))


_COMPARISONS = ("<", "<=", ">", ">=")


def _is_unsigned(expression: sx.Expression) -> bool:
    scalar = type_of(expression)
    return isinstance(scalar, sx.ScalarT) and scalar.element.scalar.is_integer and is_unsigned(scalar.element.scalar)


def _operands(condition: sx.Expression) -> Iterator[sx.Expression]:
    """Yield what ``&&`` puts together."""
    match condition:
        case sx.Binary("&&", left, right):
            yield from _operands(left)
            yield from _operands(right)
        case _:
            yield condition


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
