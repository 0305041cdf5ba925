"""Conditions: folding, negation and conjunction, so that the tree holds them in one normal form.

Negations are pushed down to data-dependent parts; constants disappear.

>>> from ...ir.index import var
>>> negate(conjunction([Compare(Comparison.LT, var("i"), var("n")), DataDependent("c")]))
Or(operands=(Compare(comparison=<Comparison.GE: '>='>, left=Poly(i), right=Poly(n)), Not(operand=DataDependent(name='c', text='', subject='', share=None, compared=None))))
"""  # noqa: E501 - the doctest shows one value

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import assert_never

from ...ir.conditions import indicator
from ...ir.index import Poly
from ...ir.nodes import And, Compare, Comparison, Condition, DataDependent, Not, Or, Truth

ALWAYS = Truth(True)
NEVER = Truth(False)
_REMEMBERED = 2048  # opposites: each of the paths through a function is asked for again where they meet


def compare(comparison: Comparison, left: Poly, right: Poly) -> Condition:
    """Return a comparison, folded where the difference of the sides is constant."""
    difference = (left - right).constant
    if difference is None:
        return Compare(comparison, left, right)
    match comparison:
        case Comparison.LT:
            return Truth(difference < 0)
        case Comparison.LE:
            return Truth(difference <= 0)
        case Comparison.GT:
            return Truth(difference > 0)
        case Comparison.GE:
            return Truth(difference >= 0)
        case Comparison.EQ:
            return Truth(difference == 0)
        case Comparison.NE:
            return Truth(difference != 0)
    assert_never(comparison)


def negate(condition: Condition) -> Condition:
    """Return the opposite, with negations only in front of data-dependent parts."""
    match condition:
        case Compare():
            return Compare(condition.comparison.opposite, condition.left, condition.right)
        case And() | Or():
            return _negated(condition)
        case Not():
            return condition.operand
        case DataDependent():
            return Not(condition)
        case Truth():
            return Truth(not condition.holds)
    assert_never(condition)


@lru_cache(maxsize=_REMEMBERED)
def _negated(condition: And | Or) -> Condition:
    operands = map(negate, condition.operands)
    return disjunction(operands) if isinstance(condition, And) else conjunction(operands)


def conjunction(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that all of them hold."""
    return _junction(And, conditions, neutral=ALWAYS, decisive=NEVER)


def disjunction(conditions: Iterable[Condition]) -> Condition:
    """Return the condition that at least one of them holds."""
    return _junction(Or, conditions, neutral=NEVER, decisive=ALWAYS)


def _junction(
    kind: type[And] | type[Or], conditions: Iterable[Condition], *, neutral: Condition, decisive: Condition
) -> Condition:
    """Return conditions joined, each once, without what is ``neutral``; one that is ``decisive`` is the whole."""
    flat: dict[Condition, None] = {}
    for condition in conditions:
        if condition == decisive:
            return decisive
        parts = condition.operands if isinstance(condition, kind) else (condition,)
        flat.update(dict.fromkeys(part for part in parts if part != neutral))
    if not flat:
        return neutral
    return next(iter(flat)) if len(flat) == 1 else kind(tuple(flat))


def none_of(paths: Sequence[Sequence[Condition]]) -> Condition:
    """Return the condition that no path holds whole, each the conditions one after another that lead to a place.

    What the paths before a path rule out is not asked again, and conditions that paths begin with are asked once: a
    function that returns early many times over has a condition as long as its returns, not as long as their paths.

    >>> a, b, c = (DataDependent(name) for name in "abc")
    >>> none_of([(a,), (negate(a), b)]) == And((Not(a), Not(b)))
    True
    >>> none_of([(a, b), (a, Not(b), c)]) == Or((Not(a), And((Not(b), Not(c)))))
    True
    """
    known: dict[Condition, None] = {ALWAYS: None}
    left = deque(tuple(part for condition in path for part in conjuncts(condition)) for path in paths)
    while left:
        path = _without(left.popleft(), known)
        if not path:
            return NEVER
        tails = [path[1:]]
        while left and (other := _without(left[0], known))[:1] == path[:1]:
            tails.append(other[1:])
            left.popleft()
        known.update(dict.fromkeys(conjuncts(disjunction((negate(path[0]), none_of(tails))))))
    return conjunction(known)


def _without(path: Sequence[Condition], known: Container[Condition]) -> tuple[Condition, ...]:
    return tuple(part for part in path if part not in known)


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """Return the parts that must all hold."""
    return condition.operands if isinstance(condition, And) else (condition,)


def compared(condition: Condition, known: Mapping[str, Compare]) -> Condition:
    """Return a condition on data as the comparison of unknown values that it is, where that is known."""
    match condition:
        case DataDependent(name=name):
            return known.get(name, condition)
        case Not(operand=DataDependent(name=name)) if name in known:
            return negate(known[name])
        case _:
            return condition


def truth_index(condition: Condition) -> Poly | None:
    """Return 1 where a comparison of indices holds and 0 elsewhere, as an index; None for other conditions.

    >>> from ...ir.index import ZERO, var
    >>> str(truth_index(Compare(Comparison.NE, var("k"), ZERO)))
    'min(1, max(-k, k))'
    """
    if not isinstance(condition, Compare) or (condition.left - condition.right).unknowns():
        return None
    return indicator(condition)
