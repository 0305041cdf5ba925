"""Operations of an innermost loop that a compiler computes once: before the loop, or earlier in the same iteration.

Input: the statements in the body of one loop, in order.  Output: the same statements, with a register in place of each
value that is made of constants, of registers that the body does not write, and of elements that stay where they are
(loop-invariant code motion; Allen, Kennedy, *Optimizing compilers for modern architectures*, 2001, chapter 12), and of
each that was computed before in the iteration from the same operands (value numbering; the same, section 12.1).
Divisions by a power of two are products.  Sums keep their order, and other divisions are products only where
``reciprocals`` may be taken (``-freciprocal-math``): of a divisor that stays (``2*x[i]/(h*h)``), of one that was
divided by before, and in a quotient that is divided again.
A product that a sum takes in stays with it, as an FMA computes it anew.  Functions are called each time, unless they
are assumed to be ``pure``: then those of values that stay are computed before.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set
from typing import TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from ...domains.domain import Domain, StatementDomain
from ...ir.arithmetic import is_exact_divisor
from ...ir.nodes import Loop
from ...ir.values import (
    SUMS,
    Access,
    Apply,
    Constant,
    IndexValue,
    Load,
    Operation,
    Register,
    Value,
    operands_of,
)
from ..value_keys import key_of

_NAME = "$before"
_NEVER = frozenset({Operation.CALL, Operation.TENSOR})  # may do more than return a value


def without_repeated(
    loop: Loop,
    body: Domain,
    members: Sequence[StatementDomain],
    invariant: Set[Access],
    *,
    contract: bool,
    reciprocals: bool = False,
    pure: bool = False,
) -> Iterator[StatementDomain]:
    """Yield the statements of a body without the operations that are computed before.

    ``body`` has the iterations of the loop; ``invariant`` loads stay the same in all; sums take in products where
    compilers may ``contract`` them, and quotients are products where they may take ``reciprocals``; functions with a
    name are assumed to be ``pure``.
    """
    written = {statement.node.target.name for statement in members if isinstance(statement.node.target, Register)}
    known = _Known(loop.iterator, written, invariant, contract=contract, reciprocals=reciprocals, pure=pure)
    for statement in members:
        always = statement.choice is None and statement.domain is body
        value = known.reduced(statement.node.value, None if always else (statement.domain, statement.choice))
        known.write(statement.node.target)
        yield (
            statement
            if value is statement.node.value
            else replace(statement, node=replace(statement.node, value=value))
        )


class _Seen(Struct, frozen=True):
    """A value without what is computed before, its number (equal values have the same), and whether it stays."""

    value: Value
    number: int
    stays: bool


class _Known:
    """What stays the same in all iterations of a loop, and what has been computed in this one."""

    def __init__(
        self, iterator: str, written: Set[str], invariant: Set[Access], *, contract: bool, reciprocals: bool, pure: bool
    ) -> None:
        self._iterator = iterator
        self._written = written
        self._invariant = invariant
        self._contract = contract
        self._reciprocals = reciprocals
        self._pure = pure
        self._divisors: set[tuple[int, Hashable]] = set()
        self._numbers: dict[Hashable, int] = {}
        self._versions: dict[Register | Access | str, int] = {}
        self._computed: set[tuple[int, Hashable]] = set()

    def write(self, target: Register | Access | None) -> None:
        """Take a register or an element to have another value from here on; other elements keep theirs."""
        if target is not None:
            key = target.name if isinstance(target, Register) else target
            self._versions[key] = self._versions.get(key, 0) + 1

    def reduced(self, value: Value, where: Hashable) -> Value:
        """Return a value with a register in place of each operation that is computed before.

        ``where`` is the condition that the statement depends on: what other conditions guard is not computed for it.
        """
        return self._seen(value, where, is_taken_in=False).value

    def _seen(self, value: Value, where: Hashable, *, is_taken_in: bool) -> _Seen:
        if not operands_of(value):
            return self._leaf(value)
        sums = self._contract and isinstance(value, Apply) and value.operation in SUMS
        parts = [self._seen(operand, where, is_taken_in=sums) for operand in operands_of(value)]
        if self._pure and _is_function(value) and all(part.stays for part in parts):
            return _Seen(Register(_NAME, value.type), self._number(object()), stays=True)
        if not isinstance(value, Apply) or value.operation in _NEVER:
            return _Seen(self._of_parts(value, parts), self._number(object()), stays=False)
        number = self._number(key_of(value, [part.number for part in parts]))
        if all(part.stays for part in parts):
            return _Seen(Register(_NAME, value.type), number, stays=True)
        is_product = value.operation is Operation.MUL and value.type.scalar.is_float
        is_known = (number, None) in self._computed or (number, where) in self._computed
        if is_known and not (is_taken_in and is_product):
            return _Seen(Register(_NAME, value.type), number, stays=False)
        self._computed.add((number, where))
        left = self._of_parts(value, parts)
        if _is_quotient(left):
            if _has_exact_inverse(left.operands[1]):
                left = replace(left, operation=Operation.MUL)
            elif self._reciprocals:
                left = self._as_product(left, parts, where)
        return _Seen(left, number, stays=False)

    def _as_product(self, quotient: Apply, parts: Sequence[_Seen], where: Hashable) -> Apply:
        """Return the product that a quotient is where its divisor's reciprocal is there; else remember the divisor."""
        dividend, divisor = parts
        if divisor.stays or not self._divisors.isdisjoint(((divisor.number, None), (divisor.number, where))):
            return replace(quotient, operation=Operation.MUL)
        self._divisors.add((divisor.number, where))
        if _is_quotient(dividend.value):
            return replace(quotient, operands=(replace(dividend.value, operation=Operation.MUL), divisor.value))
        return quotient

    def _of_parts(self, value: Value, parts: Sequence[_Seen]) -> Value:
        operands = tuple(part.value for part in parts)
        same = all(new is old for new, old in zip(operands, operands_of(value), strict=True))
        return value if same else replace(value, operands=operands)

    def _leaf(self, value: Value) -> _Seen:
        match value:
            case Constant():
                return _Seen(value, self._number(key_of(value)), stays=True)
            case Register(name):
                stays = name not in self._written
                return _Seen(value, self._number((name, self._versions.get(name, 0))), stays=stays)
            case IndexValue(index):
                return _Seen(value, self._number(key_of(value)), stays=self._iterator not in index.names())
            case Load(access):
                number = self._number((access, self._versions.get(access, 0)))
                return _Seen(value, number, stays=access in self._invariant)
        return _Seen(value, self._number(object()), stays=False)

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def _is_function(value: Value) -> bool:
    return isinstance(value, Apply) and value.operation is Operation.CALL and bool(value.function)


def _has_exact_inverse(value: Value) -> bool:
    """Return whether a value is a power of two: a quotient by it is a product, which compilers make of it."""
    number = value.number if isinstance(value, Constant) else None
    return number is not None and is_exact_divisor(number)


def _is_quotient(value: Value) -> TypeGuard[Apply]:
    return isinstance(value, Apply) and value.operation is Operation.DIV and value.type.scalar.is_float
