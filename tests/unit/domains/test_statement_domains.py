"""Executions of a statement against closed forms derived by hand and against enumeration in Python."""

import pytest

from analyzer.domains import iteration_sets, statement_domains
from analyzer.domains.limits import OverBudget
from analyzer.domains.scope import later
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.ir.index import const, trunc_div, trunc_mod, var
from analyzer.ir.nodes import And, Compare, Comparison, DataDependent, Exit, Geometric, Loop, Not, Or
from analyzer.source import NO_SPAN
from tests.nests import TICK, M, N, guard, loop, region

I, J, K = var("i"), var("j"), var("k")
SIZES = range(9)


def counts(tree, which=-1, *, upper=True, **values):
    domain = statement_domains_of(region(*tree)).statements[which].domain
    return [domain.count(upper=upper).evaluate({"N": n, "M": 3, **values}) for n in SIZES]


def enumerate_pairs(condition):
    return [sum(condition(i, j, n) for i in range(n) for j in range(n)) for n in SIZES]


def test_rectangle_triangle_and_stride():
    assert counts([loop("i", 0, N, loop("j", 0, M, TICK))]) == [3 * n for n in SIZES]
    assert counts([loop("i", 0, N, loop("j", I, N, TICK))]) == [n * (n + 1) // 2 for n in SIZES]
    assert counts([loop("i", 1, N, TICK, step=3)]) == [len(range(1, n, 3)) for n in SIZES]
    assert counts([loop("i", N - 1, -1, TICK, step=-2)]) == [len(range(n - 1, -1, -2)) for n in SIZES]


def test_header_runs_once_more_than_the_body():
    tree = [loop("i", 0, N, loop("j", 0, I, TICK, header=[TICK]))]
    assert counts(tree, 0) == [sum(i + 1 for i in range(n)) for n in SIZES]


def test_header_of_an_empty_loop_runs_once():
    assert counts([loop("i", 5, N, TICK, header=[TICK])], 0) == [max(0, n - 5) + 1 for n in SIZES]


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        (Compare(Comparison.EQ, trunc_mod(I + J, 2), const(0)), lambda i, j, n: (i + j) % 2 == 0),
        (Compare(Comparison.NE, I, J), lambda i, j, n: i != j),
        (Or((Compare(Comparison.LT, I, const(2)), Compare(Comparison.GT, J, I))), lambda i, j, n: i < 2 or j > i),
        (
            Not(And((Compare(Comparison.GE, I, J), Compare(Comparison.LT, J, N - 2)))),
            lambda i, j, n: i < j or j >= n - 2,
        ),
        (Compare(Comparison.EQ, trunc_mod(I - J, 3), const(1)), lambda i, j, n: (i - j) - 3 * int((i - j) / 3) == 1),
    ],
)
def test_affine_conditions_are_exact(condition, truth):
    tree = [loop("i", 0, N, loop("j", 0, N, guard(condition, TICK)))]
    assert counts(tree) == enumerate_pairs(truth)


def test_tiles_count_as_the_points_in_them():
    tiled = loop("ii", 0, N, loop("i", var("ii"), N, guard(Compare(Comparison.LT, I, var("ii") + 4), TICK)), step=4)
    domain = statement_domains_of(region(tiled)).statements[0].domain
    assert str(domain.count()) == "N"


def test_affine_break_ends_the_loop():
    leave = guard(Compare(Comparison.EQ, I, const(4)), Exit("i", NO_SPAN))
    assert counts([loop("i", 0, N, leave, TICK)]) == [min(n, 4) for n in SIZES]
    assert counts([loop("i", 0, N, TICK, leave)]) == [min(n, 5) for n in SIZES]
    assert counts([loop("i", N - 1, -1, leave, TICK, step=-1)]) == [n if n < 5 else n - 5 for n in SIZES]


def test_data_dependent_break_brackets_the_count():
    leave = guard(DataDependent("found"), Exit("i", NO_SPAN))
    tree = [loop("i", 0, N, TICK, leave, TICK)]
    assert counts(tree, 0) == list(SIZES)
    assert counts(tree, 0, upper=False) == [min(n, 1) for n in SIZES]
    assert counts(tree, 1, upper=False) == [0 for _ in SIZES]


def test_data_dependent_guard_brackets_the_count():
    tree = [loop("i", 0, N, guard(And((DataDependent("d"), Compare(Comparison.GT, I, const(0)))), TICK, orelse=[TICK]))]
    assert counts(tree, 0) == [max(0, n - 1) for n in SIZES]
    assert counts(tree, 0, upper=False) == [0 for _ in SIZES]
    assert counts(tree, 1) == list(SIZES)
    assert counts(tree, 1, upper=False) == [min(n, 1) for n in SIZES]


def test_products_of_symbols_are_symbols():
    assert counts([loop("i", 0, N * M, TICK)]) == [3 * n for n in SIZES]


def test_a_bound_that_is_not_affine_becomes_a_trip_count():
    found = statement_domains_of(region(loop("k", 0, N, loop("j", 0, K * N, TICK))))
    assert [uncertain.symbol for uncertain in found.uncertain] == ["trip_L0"]
    assert found.statements[0].domain.count().evaluate({"N": 5, "trip_L0": 7}) == 35


def test_halving_counters_take_their_values():
    tree = Loop("s", Geometric(const(16), const(0), 2, True, "trip"), (loop("t", 0, var("s"), TICK),), NO_SPAN)
    assert statement_domains_of(region(tree)).statements[0].domain.count().constant == 16 + 8 + 4 + 2 + 1


def test_a_product_of_quotients_of_sizes_is_counted():
    """``for (i = 0; i < (N/2)*((M + 4)/2); i++)`` has no trip count of its own; times an iterator it has."""
    product = trunc_div(N, 2) * trunc_div(M + 4, 2)
    assert counts([loop("i", 0, product, TICK)]) == [n // 2 * 3 for n in SIZES]
    assert not statement_domains_of(region(loop("i", 0, product, TICK))).uncertain
    assert statement_domains_of(region(loop("i", 0, N, loop("j", 0, I * product, TICK)))).uncertain


def test_quotients_of_different_sizes_bound_different_loops():
    """``for (i = 0; i < N/2; i++)`` and then ``for (i = 0; i < M/3; i++)``, alone and below such a loop."""
    halves, thirds = (loop("i", 0, trunc_div(size, divisor), TICK) for size, divisor in ((N, 2), (M, 3)))
    assert counts([halves, thirds], 0) == [n // 2 for n in SIZES]
    assert counts([halves, thirds], 1, M=9) == [3 for _ in SIZES]
    below = [loop("i", 0, trunc_div(size, 2), loop("j", 0, trunc_div(I, 2), TICK)) for size in (N, M)]
    assert counts(below, 1, M=9) == [0 + 0 + 1 + 1 for _ in SIZES]


def test_exits_before_statements_are_subtracted_once(monkeypatch):
    """3 exits leave, at 2 the first: what runs behind them under conditions on data has the iterations 0 and 1."""
    made = []
    monkeypatch.setattr(iteration_sets, "later", lambda left, depth: made.append(left) or later(left, depth))
    exits = [guard(Compare(Comparison.EQ, I, const(number)), Exit("i", NO_SPAN)) for number in (4, 2, 6)]
    within = guard(DataDependent("b"), TICK, guard(DataDependent("c"), TICK))
    tree = region(loop("i", 0, N, *exits, TICK, guard(DataDependent("a"), TICK, within)))
    found = statement_domains_of(tree).statements
    assert [each.domain.count().evaluate({"N": 9}) for each in found] == [2, 2, 2, 2]
    assert len(made) == 3 + 3  # behind them, and at the start of the body, where exits of earlier iterations count


def test_conditions_without_an_exit_are_not_searched_for_one(monkeypatch):
    """Each of the nested conditions is looked at once, not once more for each that is around it."""
    asked = []
    under = statement_domains.under
    monkeypatch.setattr(statement_domains, "under", lambda *given: asked.append(given) or under(*given))
    depth, body = 12, (TICK,)
    for number in range(depth):
        body = (guard(Compare(Comparison.LT, I, M + number), *body),)
    statement_domains_of(region(loop("i", 0, N, *body)))
    assert len(asked) == 2 * depth  # both branches of each


def test_an_exit_whose_conditions_are_too_many_for_isl_may_leave_at_any_iteration(monkeypatch):
    points = iteration_sets.IterationSets.points

    def limited(sets, scope, constraints):
        if any("77" in text for text in constraints):
            raise OverBudget
        return points(sets, scope, constraints)

    monkeypatch.setattr(iteration_sets.IterationSets, "points", limited)
    tree = [loop("i", 0, N, guard(Compare(Comparison.EQ, I, const(77)), Exit("i", NO_SPAN)), TICK)]
    assert counts(tree) == list(SIZES)
    assert counts(tree, upper=False) == [0 for _ in SIZES]
