"""Iterations of a host loop that only repeat: a counter that the body does not look at, and memory that comes back.

After two iterations (or three, where pointers are swapped) the state of the program is the same but for the counter.
The rest of the loop then makes the same launches again, and the number of iterations left is known from the counter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from ...surface import nodes as sx
from ...surface.traverse import is_variable, mentions
from ..memory import Memory, Parts
from ..values import Fields, Reference, Source, Unknown, Value

LONGEST_PERIOD: Final = 3
_STEPS = {"++x": 1, "x++": 1, "--x": -1, "x--": -1}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


class Counter(Struct, frozen=True):
    """A loop ``for (...; variable comparison bound; variable += step)`` whose body does not name the variable."""

    variable: sx.Variable
    step: int
    comparison: str
    bound: sx.Expression

    def left(self, value: int | float, bound: int | float) -> int | None:
        """Return how many iterations are left; None where the counter never meets the bound.

        >>> from analyzer.source import Span
        >>> at = Span("x.cu", 1, 1)
        >>> i = sx.Variable("i", sx.INT, sx.Storage.LOCAL, at)
        >>> [Counter(i, 3, "<", sx.Name(i, at)).left(value, 10) for value in (0, 9, 10)]
        [4, 1, 0]
        """
        if not isinstance(value, int) or not isinstance(bound, int):
            return None
        step, apart = self.step, bound - value
        if self.comparison in (">", ">="):
            step, apart = -step, -apart
        if self.comparison == "!=":
            return apart // step if apart % step == 0 and apart // step >= 0 else None
        if step < 0:
            return None
        return max(0, (apart + (self.comparison in ("<=", ">="))) + step - 1) // step


def counter_of(loop: sx.Statement) -> Counter | None:
    """Return the counter of a loop that repeats whatever its value is; None for other loops."""
    if not isinstance(loop, sx.For) or not isinstance(loop.condition, sx.Binary) or loop.advance is None:
        return None
    variable, step = advance_of(loop.advance)
    if variable is None or step == 0 or variable.storage is not sx.Storage.LOCAL or variable.reference:
        return None
    comparison, left, right = loop.condition.operator, loop.condition.left, loop.condition.right
    if mentions(right, variable):
        comparison, left, right = _MIRRORED.get(comparison, ""), right, left
    if comparison not in _MIRRORED or not is_variable(left, variable) or mentions(right, variable):
        return None
    return None if mentions(loop.body, variable) else Counter(variable, step, comparison, right)


def advance_of(advance: sx.Expression) -> tuple[sx.Variable | None, int]:
    """Return the variable and its step in ``i++``, ``i += 2``, ``i -= 1``."""
    match advance:
        case sx.Unary(operator=operator, operand=sx.Name(variable=variable)) if operator in _STEPS:
            return variable, _STEPS[operator]
        case sx.Assign(operator="+" | "-" as sign, target=sx.Name(variable=variable), value=sx.Number(value=int(step))):
            return variable, step if sign == "+" else -step
        case _:
            return None, 0


def is_same_state(one: Memory, other: Memory, counter: sx.Variable) -> bool:
    """Return whether two memories hold the same but for the counter, and but for the times at which it was read."""
    variables = {*one.variables(), *other.variables()} - {counter}
    return all(_alike_parts(one.of(variable), other.of(variable)) for variable in variables)


def _alike_parts(one: Parts | None, other: Parts | None) -> bool:
    if one is other:
        return True
    if one is None or other is None:
        return False
    return one == other or _alike_mappings(one, other)


def _alike_mappings(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    return one.keys() == other.keys() and all(_alike(value, other[path]) for path, value in one.items())


def _alike(one: Value, other: Value) -> bool:
    """Return whether two values are the same, or come from the same input read again."""
    match one, other:
        case Unknown(), Unknown():
            return (
                one.operator == other.operator
                and [_origin(source) for source in one.sources] == [_origin(source) for source in other.sources]
                and len(one.operands) == len(other.operands)
                and all(map(_alike, one.operands, other.operands))
            )
        case Fields(), Fields():
            return _alike_mappings(one.parts, other.parts)
        case Reference(), Reference():
            return one.variable is other.variable and one.path == other.path
        case _:
            return type(one) is type(other) and one == other


def _origin(source: Source) -> tuple[object, ...]:
    return source.name, source.origin, source.span
