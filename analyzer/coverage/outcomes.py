"""How often the conditions of a function, and the operands of ``&&`` and ``||`` in them, were true and false.

Counts with positions list the outcomes of a line in the order of the source, the true one first, whatever the number of
conditions.  gcc lists those of a line in the order of its jumps, which is that of the source where the line holds one
condition.  Of the two outcomes it names first the one with which it goes on to the next operand, or to the arm; in the
condition of a loop, which it tests behind the body, the one that leads to the body.  C++ that calls functions in a
condition of several operands puts the result into a variable, and tests that last
(``tests/unit/coverage/test_outcomes.py`` holds this against gcc).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from ..frontend.surface.nodes import Binary, Block, Cast, Conditional, Expression, For, If, Name, Number, Unary, While
from ..frontend.surface.traverse import Tree
from .counts import Decision, FunctionCounts

Loop = For | While
Conditioned = Loop | If | Conditional
_BODY, _OTHERWISE = -1, -2
"""Where an outcome leads: to the operand of a number, to the body or the arm of the condition, or past it."""


class Outcomes(Struct, frozen=True):
    """The outcomes of the operands of conditions, by identity of the operand."""

    of_operands: Mapping[int, Decision]

    def of(self, condition: Expression | None) -> Decision | None:
        """Return how often all of a condition was true and false; None where an operand has no counts."""
        match condition:
            case None:
                return None
            case Binary("&&" | "||" as operator, left, right):
                first, second = self.of(left), self.of(right)
                if first is None or second is None:
                    return None
                if operator == "&&":
                    return Decision(second.true, first.false + second.false)
                return Decision(first.true + second.true, second.false)
            case Unary("!", inner) if joint_of(inner):
                found = self.of(inner)
                return None if found is None else Decision(found.false, found.true)
            case _:
                return self.of_operands.get(id(condition))

    def of_each(self, condition: Expression) -> tuple[Decision, ...]:
        """Return the outcomes of the operands in the order of the source; () where one has none."""
        found = [self.of_operands.get(id(operand)) for operand in operands(condition)]
        known = tuple(one for one in found if one is not None)
        return known if len(known) == len(found) else ()


def outcomes_of(nodes: Sequence[Conditioned], counts: FunctionCounts) -> Outcomes:
    """Return the outcomes of statements, which are in the order of the source."""
    found: dict[int, Decision] = {}
    on_line: dict[int, list[Conditioned]] = {}
    for node in nodes:
        for line in header_of(node):
            on_line.setdefault(line, []).append(node)
    for node in nodes:
        lines = header_of(node)
        if all(len(on_line[line]) == 1 for line in lines):
            decisions = [one for line in lines for one in counts.decisions.get(line, ())]
            found |= _of_jumps(node, decisions) if counts.of_jumps else _paired([node], decisions)
    for line, together in on_line.items() if not counts.of_jumps else ():
        if len(together) > 1 and not any(len(header_of(node)) > 1 or _tests_last(node) for node in together):
            found |= _paired(together, counts.decisions.get(line, ()))
    return Outcomes(found)


def _tests_last(node: Conditioned) -> bool:
    return isinstance(node, While) and node.test_last


def _paired(nodes: Iterable[Conditioned], decisions: Sequence[Decision]) -> dict[int, Decision]:
    parts = [part for node in nodes for part in operands(node.condition) if not isinstance(part, Number)]
    return {id(part): own for part, own in zip(parts, decisions, strict=True)} if len(parts) == len(decisions) else {}


def _of_jumps(node: Conditioned, decisions: Sequence[Decision]) -> dict[int, Decision]:
    """Return the outcomes of a condition as gcc jumps, none for ``a ? b : c`` of which it may exchange the arms."""
    condition = node.condition
    if condition is None or (isinstance(node, Conditional) and (is_negated(condition) or _may_exchange(node))):
        return {}
    parts = list(operands(condition))
    is_held = len(decisions) == len(parts) + 1 > 2
    if len(decisions) != len(parts) + is_held:
        return {}
    numbers = {id(part): number for number, part in enumerate(parts)}
    leads = dict(_leads(condition, _BODY, _OTHERWISE, numbers))
    found: dict[int, Decision] = {}
    for number, (part, own) in enumerate(zip(parts, decisions, strict=False)):
        if_true, if_false = leads[id(part)]
        follows = number + 1 if number + 1 < len(parts) else _BODY
        if isinstance(node, Loop) and not is_held and _BODY in (if_true, if_false):
            follows = _BODY
        found[id(part)] = own if if_true == follows else Decision(own.false, own.true)
    return found


def _may_exchange(choice: Conditional) -> bool:
    """Return whether gcc puts the second arm first: a constant goes last, or a variable (``tree_swap_operands_p``)."""
    first, second = _simple(choice.then), _simple(choice.orelse)
    return bool(first) and second != "constant" and not first == second == "variable"


def _simple(value: Expression) -> str:
    """Return what kind of a simple value this is; "" for one that is computed."""
    match value:
        case Number():
            return "constant"
        case Name():
            return "variable"
        case Cast(operand=operand):
            return _simple(operand)
        case Unary("-" | "+" | "~", operand):
            return "constant" if _simple(operand) == "constant" else ""
        case Binary(left=left, right=right):
            return "constant" if _simple(left) == _simple(right) == "constant" else ""
        case _:
            return ""


def _leads(
    condition: Expression, if_true: int, if_false: int, numbers: Mapping[int, int]
) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield where each operand of a condition leads, which leads to one of two blocks."""
    match condition:
        case Binary("&&", left, right):
            yield from _leads(left, numbers[id(next(operands(right)))], if_false, numbers)
            yield from _leads(right, if_true, if_false, numbers)
        case Binary("||", left, right):
            yield from _leads(left, if_true, numbers[id(next(operands(right)))], numbers)
            yield from _leads(right, if_true, if_false, numbers)
        case Unary("!", inner) if joint_of(inner):
            yield from _leads(inner, if_false, if_true, numbers)
        case _:
            yield id(condition), (if_true, if_false)


def operands(condition: Expression | None) -> Iterator[Expression]:
    """Yield what ``&&`` and ``||`` put together, in the order of the source; else the condition itself."""
    match condition:
        case Binary("&&" | "||", left, right):
            yield from operands(left)
            yield from operands(right)
        case Unary("!", inner) if joint_of(inner):
            yield from operands(inner)
        case None:
            pass
        case _:
            yield condition


def joint_of(condition: Tree | None) -> str:
    """Return what puts a condition together, ``&&`` or ``||`` with each ``!`` taken inside; "" for a plain one."""
    match condition:
        case Binary("&&" | "||" as operator):
            return operator
        case Unary("!", inner):
            return {"&&": "||", "||": "&&"}.get(joint_of(inner), "")
        case _:
            return ""


def is_negated(condition: Expression | None) -> bool:
    """Return whether a condition has a ``!`` in front."""
    return isinstance(condition, Unary) and condition.operator == "!"


def header_of(node: Conditioned) -> range:
    """Return the lines on which the condition of a statement may stand."""
    first = node.span.line
    match node:
        case For(body=body) | While(body=body) | If(then=body):
            if isinstance(node, While) and node.test_last:
                return range(node.span.end_line, node.span.end_line + 1)
            return range(first, max(first + 1, body.span.line + isinstance(body, Block)))
        case _:
            return range(first, first + 1)
