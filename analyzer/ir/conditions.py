"""Traversals of conditions: their leaves, the index expressions that they compare, and rebuilding."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import assert_never

from msgspec.structs import replace

from .index import ONE, ZERO, Poly, maximum, minimum
from .nodes import And, Compare, Comparison, Condition, DataDependent, Not, Or, Truth

Leaf = Compare | DataDependent | Truth
_Fact = str | Poly | frozenset[Poly]
_MOST_FACTS = 8  # all of whose combinations are tried

_RELATIONS: Mapping[Comparison, Callable[[int, int], bool]] = {
    Comparison.LT: operator.lt,
    Comparison.LE: operator.le,
    Comparison.GT: operator.gt,
    Comparison.GE: operator.ge,
    Comparison.EQ: operator.eq,
    Comparison.NE: operator.ne,
}


def operands_of(condition: Condition) -> tuple[Condition, ...]:
    """Return the direct operands of a condition, () for leaves."""
    match condition:
        case And(operands) | Or(operands):
            return operands
        case Not(operand):
            return (operand,)
        case Compare() | DataDependent() | Truth():
            return ()
        case _:
            assert_never(condition)


def leaves(condition: Condition) -> Iterator[Leaf]:
    """Yield the comparisons and data-dependent parts, left to right."""
    waiting = [condition]
    while waiting:  # not by recursion: of a chain of exclusions a leaf may be hundreds of conditions deep
        match waiting.pop():
            case And(operands) | Or(operands):
                waiting.extend(reversed(operands))
            case Not(operand):
                waiting.append(operand)
            case leaf:
                yield leaf


def is_of_data(condition: Condition) -> bool:
    """Return whether data alone decide a condition."""
    return all(isinstance(leaf, DataDependent) for leaf in leaves(condition))


def map_leaves(condition: Condition, change: Callable[[Leaf], Condition]) -> Condition:
    """Return the condition with each leaf replaced by what ``change`` makes of it; nothing is simplified."""
    match condition:
        case And(operands):
            return And(tuple(map_leaves(operand, change) for operand in operands))
        case Or(operands):
            return Or(tuple(map_leaves(operand, change) for operand in operands))
        case Not(operand):
            return Not(map_leaves(operand, change))
        case Compare() | DataDependent() | Truth():
            return change(condition)
        case _:
            assert_never(condition)


def negated(condition: Condition) -> Condition:
    """Return the opposite of a condition."""
    return condition.operand if isinstance(condition, Not) else Not(condition)


def is_any_true(conditions: Iterable[Condition]) -> bool:
    """Return whether at least one of some conditions holds in any case, whatever their comparisons give.

    False where that takes more than arguments about whole conditions, or there are many of them.

    >>> from .index import var
    >>> low, high = Compare(Comparison.LT, var("i"), ONE), Compare(Comparison.GT, var("i"), ONE)
    >>> above = Compare(Comparison.GE, var("i"), ONE)
    >>> is_any_true([low, And((above, high)), And((above, Not(high)))]), is_any_true([low, high])
    (True, False)
    """
    every = tuple(conditions)
    every_leaf = (leaf for condition in every for leaf in leaves(condition))
    facts = {_fact_of(leaf)[0] for leaf in every_leaf if not isinstance(leaf, Truth)}
    if len(facts) > _MOST_FACTS:
        return False
    given = (dict(zip(facts, values, strict=True)) for values in product((False, True), repeat=len(facts)))
    return all(any(_holds(condition, known) for condition in every) for known in given)


def _holds(condition: Condition, facts: Mapping[_Fact, bool]) -> bool:
    def known(leaf: Leaf) -> Condition:
        if isinstance(leaf, Truth):
            return leaf
        fact, is_same = _fact_of(leaf)
        return Truth(facts[fact] is is_same)

    return truth_of(map_leaves(condition, known), lambda _: None) is True


def _fact_of(leaf: Compare | DataDependent) -> tuple[_Fact, bool]:
    """Return what a leaf is about, alike for opposite comparisons, and whether it says that or the opposite."""
    match leaf:
        case DataDependent(name):
            return name, True
        case Compare(comparison, left, right) if comparison in (Comparison.EQ, Comparison.NE):
            return frozenset((left - right, right - left)), comparison is Comparison.EQ
        case Compare(comparison, left, right):
            is_less = comparison in (Comparison.LT, Comparison.LE)
            below = left - right - (comparison in (Comparison.LE, Comparison.GT))  # which is below 0 if it is less
            other = -1 - below
            swapped = str(other) < str(below)
            return (other if swapped else below), is_less is not swapped
        case _:
            assert_never(leaf)


def condition_indices(condition: Condition) -> Iterator[Poly]:
    """Yield the index expressions that a condition compares, left to right."""
    for leaf in leaves(condition):
        if isinstance(leaf, Compare):
            yield leaf.left
            yield leaf.right


def map_condition_indices(condition: Condition, change: Callable[[Poly], Poly]) -> Condition:
    """Return the condition with the index expressions that it compares changed."""

    def changed(leaf: Leaf) -> Condition:
        match leaf:
            case Compare(comparison, left, right):
                return Compare(comparison, change(left), change(right))
            case DataDependent():
                return with_compared(leaf, change)
            case _:
                return leaf

    return map_leaves(condition, changed)


def with_compared(condition: DataDependent, change: Callable[[Poly], Poly]) -> DataDependent | Compare:
    """Return a condition on data with the formulas that it compares changed: a comparison once these are known."""
    if condition.compared is None:
        return condition
    comparison, left, right = condition.compared.comparison, condition.compared.left, condition.compared.right
    found = Compare(comparison, change(left), change(right))
    return replace(condition, compared=found) if found.depends_on_data else found


def truth_of(condition: Condition, value_of: Callable[[Poly], int | None]) -> bool | None:
    """Return whether a condition holds, with the values of index expressions that are known; None if that is open."""
    match condition:
        case Truth(holds=holds):
            return holds
        case Compare(comparison=relation, left=left, right=right):
            numbers = (value_of(left), value_of(right))
            return None if numbers[0] is None or numbers[1] is None else _RELATIONS[relation](numbers[0], numbers[1])
        case Not(operand=operand):
            holds_not = truth_of(operand, value_of)
            return None if holds_not is None else not holds_not
        case And(operands=operands) | Or(operands=operands):
            deciding = isinstance(condition, Or)
            found = [truth_of(each, value_of) for each in operands]
            return deciding if deciding in found else None if None in found else not deciding
        case DataDependent():
            return None


def share_of(condition: Condition) -> Fraction | None:
    """Return the share of a run in which a condition held, None where it is not known of each part.

    Each operand was evaluated where those before it left it open.
    """
    match condition:
        case Truth(holds):
            return Fraction(holds)
        case DataDependent():
            return condition.share
        case Compare():
            return None
        case Not(operand):
            share = share_of(operand)
            return None if share is None else 1 - share
        case And(operands) | Or(operands):
            shares = [share_of(operand) for operand in operands]
            known = [share for share in shares if share is not None]
            if len(known) < len(shares):
                return None
            return Fraction(prod(known)) if isinstance(condition, And) else 1 - Fraction(prod(1 - one for one in known))


def singled_out(condition: Condition, iterators: Sequence[str]) -> tuple[str, bool] | None:
    """Return the last iterator of which an equality with data holds for one value at most, and whether it holds there.

    Its difference is the iterator, times a number, plus what is the same for all its values.  None of other conditions.

    >>> from .index import unknown, var
    >>> equal = Compare(Comparison.EQ, var("i") * 2, unknown("row[j]", {"j"}))
    >>> singled_out(Not(DataDependent("c", compared=equal)), ["i", "j"])
    ('i', False)
    """
    leaf, holds = condition, True
    while isinstance(leaf, Not):
        leaf, holds = leaf.operand, not holds
    if not isinstance(leaf, DataDependent) or leaf.compared is None or leaf.compared.comparison is not Comparison.EQ:
        return None
    apart = leaf.compared.difference
    found = (name for name in reversed(iterators) if apart.is_linear_in(name) and apart.coefficient(name).constant)
    return next(((name, holds) for name in found), None)


def singles_out(condition: Condition, iterators: Sequence[str]) -> bool:
    """Return whether each operand of a condition holds, or not, for one value of an iterator at most."""
    operands = condition.operands if isinstance(condition, And | Or) else (condition,)
    return all(singled_out(operand, iterators) is not None for operand in operands)


def indicator(condition: Condition) -> Poly | None:
    """Return 1 where comparisons of indices hold together and 0 elsewhere, as an index; None for conditions on data.

    >>> from .index import ZERO, var
    >>> str(indicator(Compare(Comparison.NE, var("k"), ZERO)))
    'min(1, max(-k, k))'
    """
    match condition:
        case Compare():
            return _of_comparison(condition)
        case Not(operand):
            found = indicator(operand)
            return None if found is None else ONE - found
        case And(operands) | Or(operands):
            parts = [indicator(operand) for operand in operands]
            known = [part for part in parts if part is not None]
            if len(known) < len(parts):
                return None
            if isinstance(condition, And):
                return prod(known, start=ONE)
            return ONE - prod((ONE - part for part in known), start=ONE)
        case Truth(holds):
            return ONE if holds else ZERO
        case DataDependent():
            return None


def _of_comparison(condition: Compare) -> Poly:
    rise = condition.right - condition.left
    match condition.comparison:
        case Comparison.LT:
            return minimum([ONE, maximum([ZERO, rise])])
        case Comparison.LE:
            return minimum([ONE, maximum([ZERO, rise + 1])])
        case Comparison.GT:
            return minimum([ONE, maximum([ZERO, -rise])])
        case Comparison.GE:
            return minimum([ONE, maximum([ZERO, 1 - rise])])
        case Comparison.NE:
            return minimum([ONE, maximum([rise, -rise])])
        case Comparison.EQ:
            return maximum([ZERO, minimum([1 + rise, 1 - rise])])
