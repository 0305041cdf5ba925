"""Values that are not known, and a number: ``i++`` behind a loop that data have ended."""

from __future__ import annotations

from .....ir.index import Poly, Unknown, single_atom
from .....ir.values import Apply, Constant, Operation, Value
from ...names.bindings import Integer, Lvalue, Result, Slot
from ...state import State
from ..conversions import index_of


def note_sum(state: State, location: Lvalue, before: object, operator: str, operand: Result) -> None:
    """Note what a variable has from a value of its own that was not known, where a number is added to that."""
    if not isinstance(before, Integer) or not before.value.unknowns() or operator not in ("+", "-"):
        return
    bound = state.environment.get(location) if isinstance(location, Slot) else None
    atom = single_atom(bound.value) if isinstance(bound, Integer) else None
    step = operand.number if isinstance(operand, Constant) else None
    if isinstance(atom, Unknown) and isinstance(step, int):
        state.symbols.sums[atom.label] = before.value + (step if operator == "+" else -step)


def moved_by_data(state: State, value: Value) -> tuple[Poly, Poly] | None:
    """Return the two indices that data choose from in ``k + (x[i] > t)`` or ``k + (x[i] > t ? 2 : 0)`` of a counter."""
    if not isinstance(value, Apply) or value.operation is not Operation.ADD:
        return None
    for place, moved in (value.operands, value.operands[::-1]):
        start = index_of(place)
        if start is None or start.as_name not in state.symbols.registers or not isinstance(moved, Apply):
            continue
        match moved:
            case Apply(operation=Operation.COMPARE):
                return start + 1, start
            case Apply(
                operation=Operation.SELECT, operands=(_, Constant(number=int(then)), Constant(number=int(orelse)))
            ):
                return start + then, start + orelse
    return None
