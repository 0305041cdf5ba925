"""One value of a symbol, nobody knows which: bounds are compared where values differ, and added to what is the same."""

from analyzer.ir.index import var
from analyzer.quantities.chambers import Chamber, Constraint
from analyzer.quantities.choices import one_of
from analyzer.quantities.growth import largest_quotient
from analyzer.quantities.quantity import Exactness, exact
from analyzer.quantities.quasipolynomial import Count, polynomial, total

N, M, CASE = var("n"), var("m"), var("case")


def test_what_is_the_same_for_each_value_is_exact() -> None:
    count = exact(polynomial(N * M))
    assert one_of(count, {"case": (0, 1)}) is count


def test_bounds_differ_by_what_depends_on_the_value() -> None:
    same = Count((Chamber((Constraint(N - 1),), N * M),))
    found = one_of(exact(total([same, polynomial(CASE * N * 4)])), {"case": (0, 1)})
    at = [count.evaluate({"n": 10, "m": 7}) for count in (found.lower, found.estimate, found.most)]
    assert at == [70, 70 + 20, 70 + 40]
    assert found.exactness is Exactness.INTERVAL


def test_counts_that_cannot_be_compared_are_added() -> None:
    found = one_of(exact(polynomial(N * 3 + CASE * N + (1 - CASE) * M)), {"case": (0, 1)})
    assert [str(count) for count in (found.lower, found.most)] == ["0", "m + 7*n"]


def test_a_quotient_over_more_guards_than_are_told_apart_has_the_bound_of_what_always_holds() -> None:
    guarded = (Count((Chamber((Constraint(var(f"s{number}") - 1),), M),)) for number in range(300))
    assert largest_quotient(polynomial(N * 3), total([polynomial(N), *guarded])) == 3
