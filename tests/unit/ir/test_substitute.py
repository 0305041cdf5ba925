"""Numbers for symbols: what becomes of loops whose counter multiplies, and of exits in them."""

from analyzer.ir.index import const, var
from analyzer.ir.nodes import Compare, Comparison, Exit, Geometric, Loop
from analyzer.ir.passes.substitute import bind
from analyzer.source import NO_SPAN
from tests.nests import TICK, N, guard, loop, region

SEVERAL = Geometric(const(1), N, 2, False, "trip")


def doubling(*body):
    return Loop("i", SEVERAL, body, NO_SPAN)


def leave(iterator):
    return guard(Compare(Comparison.EQ, var(iterator), const(2)), Exit(iterator, NO_SPAN))


def test_each_turn_of_known_value_becomes_a_loop():
    found = bind(region(doubling(TICK)), {"N": 8})
    assert [turn.iterator for turn in found.body] == ["i.at1", "i.at2", "i.at4"]


def test_turns_that_an_exit_may_end_stay_one_loop():
    (found,) = bind(region(doubling(leave("i"), TICK)), {"N": 8}).body
    assert found.iterator == "i"


def test_exits_follow_their_renamed_loop():
    first, *_ = bind(region(doubling(loop("j", 0, N, leave("j"), TICK))), {"N": 8}).body
    (inner,) = first.body
    assert inner.body[0].body == (Exit("j.at1", NO_SPAN),)


def test_iterations_are_told_apart_from_other_loops_over_the_same_counter():
    again = loop("i.2", 0, N, TICK)
    names = [found.iterator for found in bind(region(doubling(TICK), again), {"N": 8}).body]
    assert len(set(names)) == 4
