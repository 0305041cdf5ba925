"""Numbers and conditions that follow from the values that the user or a launch gives.

What follows holds for these values alone: it is taken where no formula would be known otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from ...ir.arithmetic import computed
from ...ir.nodes import And, Compare, Comparison, Condition, DataDependent, Not, Or, Truth
from ...ir.values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from .names.symbols import Symbols

_RELATIONS: Mapping[Comparison, Callable[[int, int], bool]] = {
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
    Comparison.EQ: operator.eq,
    Comparison.NE: operator.ne,
}


def decided(symbols: Symbols, condition: Condition) -> bool | None:
    """Return whether a condition holds; None where that is open."""
    match condition:
        case Truth(holds=holds):
            return holds
        case Compare(comparison=relation, left=left, right=right):
            numbers = (symbols.value_of(left), symbols.value_of(right))
            return None if numbers[0] is None or numbers[1] is None else _RELATIONS[relation](numbers[0], numbers[1])
        case Not(operand=operand):
            holds_not = decided(symbols, operand)
            return None if holds_not is None else not holds_not
        case And(operands=operands) | Or(operands=operands):
            deciding = isinstance(condition, Or)
            found = [decided(symbols, each) for each in operands]
            return deciding if deciding in found else None if None in found else not deciding
        case DataDependent():
            return None


def decided_number(symbols: Symbols, value: Value) -> int | float | None:
    """Return the number of a value whose operations and symbols are all known; None for others."""
    match value:
        case Constant(number=number):
            return number
        case IndexValue(index=index):
            return symbols.value_of(index)
        case Apply(operation=Operation.CONVERT, operands=(operand,), type=kind) if kind.scalar.is_integer:
            number = decided_number(symbols, operand)
            return None if number is None or abs(number) > _LARGEST else int(number)
        case Apply():
            numbers = [decided_number(symbols, operand) for operand in value.operands]
            known = [number for number in numbers if number is not None]
            result = computed(value, known) if len(known) == len(numbers) else None
            return None if result is None else result.number
        case Register() | Load() | Opaque():
            return None


_LARGEST = 2.0**62
