"""Whether conditions may hold within ranges, against all values in them."""

from itertools import product

import numpy as np
import pytest

from analyzer.ir.index import Poly, const, floor_div, floor_mod, trunc_div, var
from analyzer.ir.nodes import And, Compare, Comparison, Not, Or
from analyzer.traffic.program.possible import possible
from analyzer.traffic.program.predicates import holds, values_of
from analyzer.traffic.program.program import Affine, Bound, CountedLoop, CounterName

I, J, K = (Poly({(CounterName(depth),): 1}) for depth in range(3))
RANK = 64 * I + 8 * J + K  # of counters below any, 8 and 8
LT, LE, GT, GE, EQ, NE = (Comparison(text) for text in ("<", "<=", ">", ">=", "==", "!="))
CONDITIONS = {
    "remainder without what divides it": Compare(EQ, floor_mod(RANK, 8), const(3)),
    "remainder of one block": Compare(LT, floor_mod(RANK, 64), const(11)),
    "digits": Compare(LE, floor_mod(RANK, 8), floor_mod(floor_div(RANK, 8), 8)),
    "towards zero": Compare(GE, trunc_div(RANK, 8), 8 * I + 6),
    "towards zero of negative ones": Compare(GT, trunc_div(J - 9, 4), const(-2)),
    "products": Compare(GT, I * J - J * K, const(20)),
    "not, and, or": And((Not(Compare(GT, I, J)), Or((Compare(NE, J, K), Compare(LT, I + J, const(2)))))),
}
RANGES = [((2, 2), (3, 3), (1, 5)), ((0, 1), (5, 7), (2, 2)), ((4, 4), (0, 7), (0, 7)), ((1, 3), (1, 1), (0, 0))]


def loops(low):
    return [CountedLoop(depth, "", "", (Bound(Affine(low, ()), 1),), (), (), 0, None) for depth in range(3)]


@pytest.mark.parametrize("name", CONDITIONS)
def test_what_holds_somewhere_is_possible_and_what_is_known_to_hold_nowhere_is_not(name):
    condition = CONDITIONS[name]
    ranges = {depth: np.array([each[depth] for each in RANGES]).T for depth in range(3)}
    expected = [
        any(holds(condition, values_of(each)) for each in product(*(range(low, high + 1) for low, high in box)))
        for box in RANGES
    ]
    assert possible(condition, loops(0))({depth: tuple(pair) for depth, pair in ranges.items()}).tolist() == expected


def test_counters_that_may_be_negative_stay_in_quotients_that_round_towards_zero():
    """``(8*i + j) / 8`` is ``i + 1`` for ``i = -1`` and ``j = 1``, and not ``i``."""
    condition = Compare(EQ, trunc_div(8 * I + J, 8), I + 1)
    assert possible(condition, loops(-1))({0: (np.array([-1]),) * 2, 1: (np.array([1]),) * 2}).tolist() == [True]


def test_of_what_is_unknown_nothing_is_said():
    assert possible(Compare(LT, var("n"), I), loops(0)) is None
