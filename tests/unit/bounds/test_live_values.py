"""Values that one step hands on to the next one: closed forms, and orders that would refute more."""

import random

import pytest

from ...oracle.reordered import in_flight, loads, operations, reordered
from .test_lower_bound import bound_of, region_of

LOOPS = {
    # All n values of b are needed by the first a, and used by all others, which the next b[1] needs.
    "there and back": """double a[n], b[n]; for (t = 0; t < n; t++) {
        for (i = 1; i < n; i++) b[i] = b[i - 1] * a[i];
        for (i = n - 2; i >= 0; i--) a[i] = a[i + 1] * b[i]; }""",
    # The sum of step k needs all k values of y, and each of these is changed by what follows from the sum.
    "a sum of all that changes": """double r[n], y[n], z[n], s, c; for (k = 1; k < n; k++) {
        s = 0; for (i = 0; i < k; i++) s += r[k - i] * y[i];
        c = r[k] - s; for (i = 0; i < k; i++) z[i] = y[i] * c;
        for (i = 0; i < k; i++) y[i] = z[i]; y[k] = c; }""",
}
LARGE, CACHE = 10**7, 10**3
LEADING = {"there and back": LARGE**2, "a sum of all that changes": LARGE**2 / 2}


@pytest.mark.parametrize("name", LOOPS)
def test_leading_terms(name):
    loaded = bound_of(region_of(LOOPS[name])).load_bytes({"n": LARGE}, CACHE * 8) / 8
    assert loaded == pytest.approx(LEADING[name], rel=1e-3)


@pytest.mark.parametrize("name", LOOPS)
def test_no_legal_order_is_below(name):
    region, sizes, chance, capacity = region_of(LOOPS[name]), {"n": 40}, random.Random(5), 6
    some = operations(region, sizes)
    least = bound_of(region).load_bytes(sizes, 8 * (capacity + in_flight(some))) // 8
    made = [loads(reordered(some, chance) if number else some, capacity) for number in range(20)]
    assert 0 < least <= min(made) < 5 * least


def test_steps_that_need_only_a_part_of_the_last_one_have_none():
    text = """double A[n], B[n]; for (t = 0; t < n; t++) {
        for (i = 1; i < n - 1; i++) B[i] = A[i - 1] + A[i] + A[i + 1];
        for (i = 1; i < n - 1; i++) A[i] = B[i - 1] + B[i] + B[i + 1]; }"""
    assert bound_of(region_of(text)).live == ()


def test_a_sum_may_be_taken_in_any_order_so_that_its_statement_is_no_step():
    """One at a time, from the last summand on, nothing but s and one element is live."""
    text = """double a[n], s; for (t = 0; t < n; t++) { s = 0;
        for (i = 0; i < n; i++) s += a[i]; }"""
    assert bound_of(region_of(text)).live == ()
