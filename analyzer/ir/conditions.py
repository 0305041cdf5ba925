"""What a condition consists of: its comparisons, and the names that they compare."""

from __future__ import annotations

from collections.abc import Iterator

from .nodes import And, Compare, Condition, DataDependent, Not, Or, Truth


def leaves(condition: Condition) -> Iterator[Compare | DataDependent | Truth]:
    """Yield the comparisons and data-dependent parts, left to right."""
    match condition:
        case And() | Or():
            for operand in condition.operands:
                yield from leaves(operand)
        case Not():
            yield from leaves(condition.operand)
        case Compare() | DataDependent() | Truth():
            yield condition


def names_of(condition: Condition) -> set[str]:
    """Return the iterators and symbols that a condition compares."""
    found: set[str] = set()
    for leaf in leaves(condition):
        if isinstance(leaf, Compare):
            found |= leaf.left.names() | leaf.right.names()
    return found
