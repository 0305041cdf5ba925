"""Numbers and conditions that follow from the values that the user or a launch gives.

What follows holds for these values alone: it is taken where no formula would be known otherwise.
"""

from __future__ import annotations

from ...ir.arithmetic import computed
from ...ir.conditions import truth_of
from ...ir.nodes import Condition
from ...ir.values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from .names.symbols import Symbols


def decided(symbols: Symbols, condition: Condition) -> bool | None:
    """Return whether a condition holds; None where that is open."""
    return truth_of(condition, symbols.value_of)


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
