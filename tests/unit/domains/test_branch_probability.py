"""Probabilities of the arms of conditionals, from the shape of the code."""

from fractions import Fraction

from analyzer.domains.branch_probability import branch_probability
from analyzer.ir.nodes import DataDependent
from analyzer.ir.types import FP64
from analyzer.ir.values import Apply, Operation
from tests.nests import SCALAR, TICK, N, add, guard, loop, store

HALF = Fraction(1, 2)
LIKELY = 1 - HALF**5
SUM = store(SCALAR, add(SCALAR, SCALAR))


def first_arm(*body, orelse=(), loops=()):
    return branch_probability(guard(DataDependent("d"), *body, orelse=orelse), loops, HALF)


def test_an_arm_with_arithmetic_is_likely():
    assert first_arm(loop("i", 0, N, SUM), orelse=(TICK,)) == LIKELY
    assert first_arm(TICK, orelse=(loop("i", 0, N, SUM),)) == 1 - LIKELY


def test_little_arithmetic_or_a_loop_around_says_nothing():
    assert first_arm(SUM) == HALF
    assert first_arm(loop("i", 0, N, SUM), loops=(loop("j", 0, N),)) == HALF


def test_arithmetic_in_the_condition_of_a_loop_counts():
    test = store(None, Apply(Operation.COMPARE, FP64, (SCALAR, SCALAR)))
    assert first_arm(loop("i", 0, N, TICK, header=(test,))) == LIKELY
