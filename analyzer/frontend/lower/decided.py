"""Numbers and conditions that follow from the values that the user or a launch gives.

What follows holds for these values alone: it is taken where no formula would be known otherwise.
"""

from __future__ import annotations

from ...ir.arithmetic import computed
from ...ir.conditions import truth_of
from ...ir.index import Poly, logarithm, root
from ...ir.nodes import Condition, Truth
from ...ir.types import FP64
from ...ir.values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from .names.symbols import Symbols


def decided(symbols: Symbols, condition: Condition) -> bool | None:
    """Return whether a condition holds; None where that is open, as where no symbol that it compares has a value."""
    if not isinstance(condition, Truth) and not any(symbols.has_value(name) for name in condition.names):
        return None
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


def rounded_formula(value: Value) -> Poly | None:
    """Return ``(int)sqrt(n)`` and ``(int)log2(n)`` of whole numbers, also rounded up by ``ceil``; None for others.

    In double precision both are exact for numbers of 32 bits.
    """
    match value:
        case Apply(operation=Operation.CONVERT, operands=(Apply() as real,), type=kind) if kind.scalar.is_integer:
            is_up = real.function == "ceil"
            if real.function in ("ceil", "floor") and isinstance(real.operands[0], Apply):
                real = real.operands[0]
            if real.type != FP64 or not real.operands:
                return None
            index = _index_of(real.operands[0])
            if index is None or index.unknowns():
                return None
            if real.operation is Operation.SQRT:
                return root(index - 1) + 1 if is_up else root(index)
            return logarithm(2, index, up=is_up) if real.function == "log2" else None
    return None


def _index_of(value: Value) -> Poly | None:
    match value:
        case IndexValue(index=index) | Apply(operation=Operation.CONVERT, operands=(IndexValue(index=index),)):
            return index
    return None


_LARGEST = 2.0**62
