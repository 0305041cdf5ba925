"""Traversals of conditions."""

from __future__ import annotations

from analyzer.ir.conditions import leaves
from analyzer.ir.nodes import And, DataDependent, Not, Or


def test_leaves_of_a_long_chain_of_exclusions_come_from_left_to_right() -> None:
    first, second, last = map(DataDependent, "abc")
    condition = Or((first, And((Not(second), last))))
    for _ in range(5000):
        condition = Not(And((condition,)))
    assert list(leaves(condition)) == [first, second, last]
