"""Keys of value numbering: values of equal keys are equal (Allen, Kennedy, *Optimizing compilers*, 2001, section 12.1).

What a register or an element holds depends on the stores before it, which those who number values know.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ..ir.types import ScalarType
from ..ir.values import Apply, Constant, IndexValue, Opaque, Operation, Value, walk_values

COMMUTATIVE = frozenset({Operation.ADD, Operation.MUL, Operation.MIN, Operation.MAX, Operation.LOGICAL})
"""The operations whose operands may be swapped."""
_IN_ASSEMBLY = frozenset({ScalarType.FP16, ScalarType.BF16})
"""Types whose operations nvcc's headers have as inline assembly, of which a compiler knows no rule (nvcc 13.0)."""


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
            is_sorted = operation in COMMUTATIVE and value.type.scalar not in _IN_ASSEMBLY
            ordered = sorted(operands, key=str) if is_sorted else operands
            return operation, value.type, value.function, *ordered
        case Constant(number):
            return "constant", repr(number), value.type
        case IndexValue(index, element=element):
            return index, value.type, element


class Structures:
    """Numbers whole value trees: those of equal numbers are equal where their registers and elements are the same."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def parts(self, value: Value) -> Iterator[tuple[int, Value]]:
        """Yield every part of a value with its number, operands first."""
        stack: list[int] = []
        for part in walk_values(value):
            key: Hashable = part
            if isinstance(part, Apply | Opaque):
                first = len(stack) - len(part.operands)
                own = stack[first:]
                del stack[first:]
                key = key_of(part, own) if isinstance(part, Apply) else ("opaque", part.what, *own)
            elif isinstance(part, Constant | IndexValue):
                key = key_of(part)
            stack.append(self._numbers.setdefault(key, len(self._numbers)))
            yield stack[-1], part
