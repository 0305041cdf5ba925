"""Operations that no iteration of an innermost loop changes, which a compiler computes once before it.

Input: the statements in the body of one loop, in order.  Output: the same statements, with a register in place of each
value that is made of constants, of registers that the body does not write, and of elements that stay where they are
(loop-invariant code motion; Allen, Kennedy, *Optimizing compilers for modern architectures*, 2001, chapter 12).
Divisions are not replaced by products, and sums keep their order: ``2*x[i]/(h*h)`` still divides in each iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from msgspec.structs import replace

from ...domains.domain import StatementDomain
from ...ir.nodes import Loop
from ...ir.values import (
    Access,
    Apply,
    Constant,
    IndexValue,
    Load,
    Opaque,
    Operation,
    Register,
    Value,
    operands_of,
)

_NAME = "$before"
_NEVER = frozenset({Operation.CALL, Operation.TENSOR})  # may do more than return a value


def without_invariants(
    loop: Loop, members: Sequence[StatementDomain], invariant: Set[Access]
) -> Iterator[StatementDomain]:
    """Yield the statements of a body without the operations that run before it; ``invariant`` loads stay the same."""
    written = {statement.node.target.name for statement in members if isinstance(statement.node.target, Register)}
    known = _Known(loop.iterator, written, invariant)
    for statement in members:
        value = known.reduced(statement.node.value)
        yield (
            statement
            if value is statement.node.value
            else replace(statement, node=replace(statement.node, value=value))
        )


class _Known:
    """What stays the same in all iterations of a loop."""

    def __init__(self, iterator: str, written: Set[str], invariant: Set[Access]) -> None:
        self._iterator = iterator
        self._written = written
        self._invariant = invariant

    def reduced(self, value: Value) -> Value:
        """Return a value with a register in place of each operation that stays the same."""
        if isinstance(value, Apply) and self._stays(value):
            return Register(_NAME, value.type)
        if not operands_of(value) or not isinstance(value, Apply | Opaque):
            return value
        operands = tuple(map(self.reduced, value.operands))
        same = all(new is old for new, old in zip(operands, value.operands, strict=True))
        return value if same else replace(value, operands=operands)

    def _stays(self, value: Value) -> bool:
        match value:
            case Constant():
                return True
            case Register(name):
                return name not in self._written
            case IndexValue(index):
                return self._iterator not in index.names()
            case Load(access):
                return access in self._invariant
            case Apply(operation, _, operands):
                return operation not in _NEVER and all(map(self._stays, operands))
            case Opaque():
                return False
