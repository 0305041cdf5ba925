"""Loops that take digits off a number that data give, until none is left.

``while (x) x &= x - 1`` runs once for each bit that is set, and ``while (x > 0) x /= d`` once for each digit to the
base d: at most as often as the largest number of the type of ``x`` has bits, or digits, and never where ``x`` is 0.
"""

from __future__ import annotations

from .....ir.arithmetic import is_unsigned
from .....ir.index import ZERO, BitAnd, Poly, const, single_atom, var
from .....ir.nodes import Compare, Comparison, DataDependent, Strided
from .....ir.types import ScalarType
from ... import logic
from ..closed_forms.induction import geometric_step
from ..context import LoopContext, Recognized
from ..placeholders import Moving
from ..recognition import values_by_count


def digits(context: LoopContext) -> Recognized | None:
    """Return the loop with a trip count from none to the number of digits of the type; None where it takes none off."""
    for item in () if context.test_last else context.candidates():
        end = context.ends[item.name]
        if end is None or item.scalar is None or not item.scalar.is_integer or not _is_positive(context, item):
            continue
        if _follows_iterations(context, item.entry):
            continue  # a trip count that running all of its executions may tell
        most = _most_digits(item.scalar, item.name, end)
        if most is None:
            continue
        is_left = DataDependent(f"L{context.span.line}.left", f"{item.register} has a digit left")
        return Recognized(Strided(ZERO, const(most)), values_by_count(context), takes_place=is_left)
    return None


def _follows_iterations(context: LoopContext, entry: Poly | None) -> bool:
    """Return whether a number follows from the iterators of loops around, and not from data."""
    if entry is None or entry.unknowns():
        return False
    return not entry.names().isdisjoint(loop.iterator for loop in context.loops)


def _is_positive(context: LoopContext, item: Moving) -> bool:
    """Return whether the loop only goes on while a number is not 0."""
    tests = [test for test in logic.conjuncts(context.condition) if isinstance(test, Compare)]
    return any(_is_above_zero(test, item.name) for test in tests)


def _is_above_zero(test: Compare, name: str) -> bool:
    """Return whether a test holds for numbers above 0 alone, of those that are not negative."""
    upwards = test.difference
    limit = (upwards - var(name)).constant
    match test.comparison:
        case Comparison.NE:
            return limit == 0
        case Comparison.GT:
            return limit is not None and limit <= 0
        case Comparison.GE:
            return limit is not None and limit < 0
        case _:
            return False


def _most_digits(scalar: ScalarType, name: str, end: Poly) -> int | None:
    """Return how many digits a number of a type has at most, one of which an iteration takes; None for another end."""
    bits = 8 * scalar.size_bytes
    match single_atom(end):
        case BitAnd(left, right) if {left, right} == {var(name), var(name) - 1}:
            return bits
    step = geometric_step(name, end)
    if step is None or not step.shrinking or step.shift:
        return None
    largest = 2**bits - 1 if is_unsigned(scalar) else 2 ** (bits - 1)  # in magnitude
    return next(number for number in range(bits + 1) if step.factor**number > largest)
