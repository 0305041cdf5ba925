"""Equal ends of both branches of a conditional, which nvcc takes out of them.

``conditional -> conditional without its ends, and the statement behind it``:

* *Stores* to one element: ``if (c) a[i] = x*y; else a[i] = z*w;`` is ``t = c ? x : z; u = c ? y : w; a[i] = t*u;``.
  From the last one back, operations are merged as long as both are the same, whatever their operands (LLVM's
  SimplifyCFG, ``SinkCommonCodeFromPredecessors``).
* *Registers* that both branches assign: only operations with one operand in common, since of two more selections would
  be left (LLVM's InstCombine, ``FoldSelectOpOp``); ``x + y`` and ``x - z`` are ``x + (c ? y : -z)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...domains.domain import StatementDomain
from ...ir.nodes import Statement
from ...ir.types import TypeClass
from ...ir.values import Access, Apply, Constant, Operation, Register, Value, walk_values
from ..value_keys import COMMUTATIVE, Structures
from .branches import Branches, Entry

_MERGED = frozenset({Operation.ADD, Operation.SUB, Operation.MUL, Operation.NEG, Operation.CONVERT})
_REDUNDANT = frozenset({Operation.ADD, Operation.SUB, Operation.MUL, Operation.NEG})
_PREFERRED = {Operation.SUB: 1, Operation.NEG: 2}
"""Of two different operations the one that both are: a negative is a difference, and a difference a sum."""
_OPPOSITE = {Operation.ADD: Operation.SUB, Operation.SUB: Operation.ADD}
_Ends = tuple[StatementDomain, StatementDomain]
_Pair = tuple[tuple[Value, ...], tuple[Value, ...]]


class Merged(Struct, frozen=True):
    """A conditional without the ends of its branches, and what runs ``behind`` it."""

    entry: Branches
    behind: StatementDomain


def stores_merged(entry: Branches) -> Merged | None:
    """Return a conditional whose branches end in stores to one element without these; None for others."""
    ends = _ends(entry)
    if ends is None or not isinstance(ends[0].node.target, Access) or ends[0].node.target.atomic:
        return None
    first_end, second_end = (replace(end, node=replace(end.node, value=_canonical(end.node.value))) for end in ends)
    ends = (first_end, second_end)
    first, second = (_applied(end.node.value) for end in ends)
    count = next((n for n, pair in enumerate(zip(first, second, strict=False)) if not _is_same(*pair)), None)
    equal = min(len(first), len(second)) if count is None else count
    together = {(id(a), id(b)) for a, b in zip(first[:equal], second[:equal], strict=True)}

    def paired(one: Apply, other: Apply) -> _Pair | None:
        if (id(one), id(other)) not in together:
            return _with_common_term(one, other)
        return (one.operands, other.operands) if one.operation is other.operation else (_terms(one), _terms(other))

    return _merged(entry, ends, paired)


def registers_merged(entry: Branches) -> Merged | None:
    """Return a conditional whose branches end in like operations for one register without these; None for others."""
    ends = _ends(entry)
    if ends is None or not isinstance(ends[0].node.target, Register):
        return None
    first, second = (end.node.value for end in ends)
    canonical = (_canonical(first), _canonical(second))
    first, second = canonical
    if not (isinstance(first, Apply) and isinstance(second, Apply)) or _with_common_operand(first, second) is None:
        return None
    first_end, second_end = (
        replace(end, node=replace(end.node, value=value)) for end, value in zip(ends, canonical, strict=True)
    )
    return _merged(entry, (first_end, second_end), _with_common_operand)


def _ends(entry: Branches) -> _Ends | None:
    """Return the last statements of both branches, if they have the same target."""
    if entry.loop is not None or entry.bodies.keys() != {0, 1}:
        return None
    first, second = (entry.bodies[branch][-1] for branch in (0, 1))
    if isinstance(first, Branches) or isinstance(second, Branches) or first.node.target != second.node.target:
        return None
    return (first, second)


def _applied(value: Value) -> list[Apply]:
    """Return the operations of a value, the last one first."""
    return [part for part in walk_values(value) if isinstance(part, Apply)][::-1]


def _is_same(first: Apply, second: Apply) -> bool:
    """Return whether two operations are the same on other operands, and may be merged; ``-x`` is ``-0.0 - x``."""
    if {first.operation, second.operation} == {Operation.NEG, Operation.SUB}:
        return first.type == second.type and first.type.scalar.type_class is TypeClass.FLOAT
    kinds = ((each.operation, each.type, each.function, len(each.operands)) for each in (first, second))
    return first.operation in _MERGED and len(set(kinds)) == 1


def _terms(value: Apply) -> tuple[Value, ...]:
    """Return the operands of an operation, those of a negative as it is subtracted from -0."""
    return (Constant(-0.0, value.type), *value.operands) if value.operation is Operation.NEG else value.operands


def _canonical(value: Value) -> Value:
    """Return a value as LLVM has it: ``x - 3`` as ``x + -3``, ``x + -y`` as ``x - y``."""
    if not isinstance(value, Apply):
        return value
    operands = tuple(map(_canonical, value.operands))
    last = operands[-1] if operands else None
    if value.operation is Operation.SUB and isinstance(last, Constant) and isinstance(last.number, float):
        return replace(value, operation=Operation.ADD, operands=(operands[0], replace(last, number=-last.number)))
    if value.operation in _OPPOSITE and isinstance(last, Apply) and last.operation is Operation.NEG:
        return replace(value, operation=_OPPOSITE[value.operation], operands=(operands[0], *last.operands))
    return replace(value, operands=operands)


def _with_common_operand(first: Apply, second: Apply) -> _Pair | None:
    """Return the operands of both, in an order in which all but one are equal; None where there is none.

    A negative and a difference have none: LLVM's ``fneg`` is no ``fsub``.
    """
    if first.operation is not second.operation:
        return _with_common_term(first, second)
    if not _is_same(first, second):
        return None
    left, right = first.operands, second.operands
    orders = [right, right[::-1]] if first.operation in COMMUTATIVE else [right]
    return next(((left, order) for order in orders if sum(map(_differ, left, order)) <= 1), None)


def _with_common_term(first: Apply, second: Apply) -> _Pair | None:
    """Return the terms of ``x + y`` and ``x - z``, which is ``x + -z``; None for others (``foldAddSubSelect``)."""
    if {first.operation, second.operation} != {Operation.ADD, Operation.SUB} or first.type != second.type:
        return None
    if first.operation is Operation.SUB:
        pair = _with_common_term(second, first)
        return None if pair is None else pair[::-1]
    common, subtracted = second.operands
    others = [each for each, kept in zip(first.operands, first.operands[::-1], strict=True) if kept == common]
    return ((common, others[0]), (common, _negative(subtracted))) if others else None


def _negative(value: Value) -> Value:
    """Return ``-value``; of a product with a literal that with the negative literal."""
    if isinstance(value, Apply) and value.operation is Operation.MUL:
        literal = next((each for each in value.operands if isinstance(each, Constant)), None)
        if literal is not None and literal.number is not None:
            negative = replace(literal, number=-literal.number)
            return replace(value, operands=tuple(negative if each is literal else each for each in value.operands))
    return Apply(Operation.NEG, value.type, (value,))


def _differ(first: Value, second: Value) -> bool:
    return first != second


class _Merging:
    """Makes one value of two, of registers for what is different in them."""

    def __init__(self, paired: Callable[[Apply, Apply], _Pair | None], name: str) -> None:
        self._paired = paired
        self._name = name
        self.different: list[tuple[Value, Value]] = []

    def value(self, first: Value, second: Value) -> Value:
        if first == second:
            return first
        pair = self._paired(first, second) if isinstance(first, Apply) and isinstance(second, Apply) else None
        if pair is not None and isinstance(first, Apply) and isinstance(second, Apply):
            whole = min(first, second, key=lambda each: _PREFERRED.get(each.operation, 0))
            return replace(whole, operands=tuple(self.value(a, b) for a, b in zip(*pair, strict=True)))
        if (first, second) not in self.different:
            self.different.append((first, second))
        return self.register(self.different.index((first, second)))

    def register(self, position: int) -> Register:
        """Return the register of the branches' different values."""
        return Register(f"{self._name}.{position}", self.different[position][0].type)


def _merged(entry: Branches, ends: _Ends, paired: Callable[[Apply, Apply], _Pair | None]) -> Merged:
    target = ends[0].node.target
    name = target.name if isinstance(target, Register) else target.array if isinstance(target, Access) else ""
    merging = _Merging(paired, f"end of {name}")
    value = merging.value(*(end.node.value for end in ends))
    bodies: dict[int, list[Entry]] = {}
    for branch, end in enumerate(ends):
        assigned = (
            replace(end, node=Statement(merging.register(position), pair[branch], end.node.span))
            for position, pair in enumerate(merging.different)
        )
        bodies[branch] = [*entry.bodies[branch][:-1], *assigned]
    statements = [each for body in bodies.values() for part in body for each in statements_of(part)]
    return Merged(
        Branches(None, statements, bodies, entry.jumps), replace(ends[0], node=replace(ends[0].node, value=value))
    )


def statements_of(part: Entry) -> Sequence[StatementDomain]:
    """Return the statements of an entry."""
    return part.statements if isinstance(part, Branches) else (part,)


def redundant_in(statements: Iterable[StatementDomain], structures: Structures) -> Iterator[tuple[int, Apply]]:
    """Yield arithmetic of statements with its number, an operation before its operands."""
    for statement in statements:
        for number, part in reversed(list(structures.parts(statement.node.value))):
            if isinstance(part, Apply) and part.operation in _REDUNDANT:
                yield number, part
