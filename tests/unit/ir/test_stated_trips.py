"""Trip counts that the author states, put into regions."""

from analyzer.ir.index import const, var
from analyzer.ir.nodes import Compare, Comparison, Exit, Not
from analyzer.ir.passes.stated_trips import StatedTrip, state_trip
from analyzer.ir.verify import verify
from analyzer.source import NO_SPAN
from tests.nests import TICK, N, guard, loop, region

FIVE = StatedTrip(iterator="i", trip=const(5), text="5", within=None, span=NO_SPAN)
IS_TWO = Compare(Comparison.EQ, var("i"), const(2))


def with_five_iterations(*body):
    found = state_trip(region(loop("i", 0, N, *body)), FIVE, {})
    verify(found.region)
    (nest,) = found.region.body
    return nest


def test_a_condition_goes_with_the_exit_that_it_guards():
    assert with_five_iterations(guard(IS_TWO, Exit("i", NO_SPAN)), TICK).body == (TICK,)


def test_the_other_arm_of_a_guarded_exit_stays():
    leaving = guard(IS_TWO, Exit("i", NO_SPAN), orelse=(TICK,))
    assert with_five_iterations(leaving, TICK).body == (guard(Not(IS_TWO), TICK), TICK)
