"""Conditions on data in a loop: how often they are mispredicted, and whether a compiler makes selections of them.

Input: the statements of a loop's body.  Output: a :class:`~..results.DataBranch` for each condition.  One that holds
with probability p, whatever it was before, is mispredicted with ``min(p, 1 - p)`` at the least.  A new extreme of the
elements so far (``if (a[i] < least) least = a[i]``) is met about ``log(n)`` times among ``n`` in random order: never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...domains.domain import StatementDomain
from ...ir.nodes import And, Condition, DataDependent, Not, Or
from ...ir.values import Access, Apply, Load, Operation, Register, Value, loads_of, walk_values
from ..results import DataBranch

_HALF = Fraction(1, 2)  # how often a condition holds of which nothing is known
_Path = tuple[Condition, ...]
_Names = tuple[str, ...]  # of the values that decide a condition


def data_branches(members: Sequence[StatementDomain]) -> Iterator[DataBranch]:
    """Yield the conditions on data of the statements of a body, in the order of their appearance."""
    shares = {member.choice.path: member.choice.share for member in members if member.choice is not None}
    arms: dict[_Names, dict[_Path, list[StatementDomain]]] = {}
    for member in members:
        path = () if member.choice is None else member.choice.path
        for depth, condition in enumerate(path):
            names = _names(condition)
            if names:
                arms.setdefault(names, {}).setdefault(path[: depth + 1], []).append(member)
    always = {load for member in members if member.choice is None for load in loads_of(member.node.value)}
    for names, found in arms.items():
        path, around = next(iter(found)), _share(next(iter(found))[:-1], shares)
        share = min(_share(path, shares), around)
        compared = _operands_of(names, members)
        is_record = _is_record([member for arm in found.values() for member in arm], compared)
        yield DataBranch(
            missed=Fraction(0) if is_record else min(share, around - share),
            is_cheap=_is_cheap(list(found.values()), compared, always),
            is_speculated=_is_speculated(list(found.values()), always),
            may_trap=any(_may_trap(member.node.value) for arm in found.values() for member in arm),
        )


def _names(condition: Condition) -> _Names:
    """Return the names of the conditions on data in a condition, in order; () of one without data."""
    match condition:
        case Not():
            return _names(condition.operand)
        case DataDependent():
            return (condition.name,)
        case And() | Or():
            return tuple(name for each in condition.operands for name in _names(each))
        case _:
            return ()


def _share(path: _Path, shares: dict[_Path, Fraction]) -> Fraction:
    """Return the probability that all of a path holds: as it is known, else a half of what is known before.

    What follows is added to ``shares``: paths through many tests begin alike.
    """
    if not path:
        return Fraction(1)
    if path not in shares:
        shares[path] = _share(path[:-1], shares) * _HALF
    return shares[path]


def _operands_of(names: _Names, members: Sequence[StatementDomain]) -> tuple[Value, ...]:
    """Return what the comparison compares whose result a condition is; () of a condition of several parts."""
    for member in members:
        target, value = member.node.target, member.node.value
        if isinstance(target, Register) and (target.name,) == names and isinstance(value, Apply):
            return value.operands if value.operation is Operation.COMPARE else ()
    return ()


def _is_record(members: Sequence[StatementDomain], compared: tuple[Value, ...]) -> bool:
    """Return whether an arm holds on to the greater or less of two numbers, in the register of the other one."""
    stored = ((member.node.target, member.node.value) for member in members)
    return any(target in compared and value in compared and target != value for target, value in stored)


def _may_trap(value: Value) -> bool:
    """Return whether a value computes or compares floating-point numbers."""
    applied = (node for node in walk_values(value) if isinstance(node, Apply))
    return any(operand.type.scalar.is_float for node in applied for operand in node.operands)


def _is_cheap(arms: Sequence[Sequence[StatementDomain]], compared: tuple[Value, ...], always: set[Access]) -> bool:
    """Return whether one instruction selects: a minimum, or integers of which each is one operation."""
    values = [[member.node.value for member in arm] for arm in arms]
    every = [value for arm in values for value in arm]
    if any(isinstance(member.node.target, Access) for arm in arms for member in arm):
        return False
    if all(value in compared for value in every):
        return True
    operations = [sum(isinstance(node, Apply) for value in arm for node in walk_values(value)) for arm in values]
    is_integer = not any(value.type.scalar.is_float for value in every)
    return is_integer and max(operations) <= 1 and all(load in always for value in every for load in loads_of(value))


def _is_speculated(arms: Sequence[Sequence[StatementDomain]], always: set[Access]) -> bool:
    """Return whether all arms may be computed and one be selected: each stores the same, and loads what is loaded."""
    stored = [{m.node.target for m in arm if isinstance(m.node.target, Access)} for arm in arms]
    if any(stored) and (len(arms) < 2 or any(each != stored[0] for each in stored)):
        return False
    values = [member.node.value for arm in arms for member in arm]
    costly = (Operation.DIV, Operation.SQRT, Operation.CALL, Operation.REM)
    applied = (node.operation for value in values for node in walk_values(value) if isinstance(node, Apply))
    loaded = (node.access for value in values for node in walk_values(value) if isinstance(node, Load))
    return not any(each in costly for each in applied) and all(access in always for access in loaded)
