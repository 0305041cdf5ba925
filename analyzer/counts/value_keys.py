"""Keys of value numbering: values of equal keys are equal (Allen, Kennedy, *Optimizing compilers*, 2001, section 12.1).

What a register or an element holds depends on the stores before it, which those who number values know.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..ir.values import Apply, Constant, IndexValue, Operation

COMMUTATIVE = frozenset({Operation.ADD, Operation.MUL, Operation.MIN, Operation.MAX, Operation.LOGICAL})
"""The operations whose operands may be swapped."""


def key_of(value: Apply | Constant | IndexValue, operands: Sequence[Hashable] = ()) -> Hashable:
    """Return the key of a value; ``operands`` are what identifies the values of its operands.

    >>> from analyzer.ir.types import ElementType, ScalarType
    >>> double = ElementType(ScalarType.FP64)
    >>> key_of(Apply(Operation.MUL, double, ()), (1, 2)) == key_of(Apply(Operation.MUL, double, ()), (2, 1))
    True
    >>> key_of(Constant(0.0, double)) == key_of(Constant(-0.0, double))
    False
    """
    match value:
        case Apply(operation):
            ordered = sorted(operands, key=str) if operation in COMMUTATIVE else operands
            return operation, value.type, value.function, *ordered
        case Constant(number):
            return "constant", repr(number), value.type
        case IndexValue(index, element=element):
            return index, value.type, element
