"""What crosses the surface of a part of a stencil: the inequality, counts by hand, and orders that are not below."""

import random
from itertools import product
from math import factorial, isclose

import pytest
from msgspec.structs import replace

from tests.night import of_day

from ...oracle.reordered import in_flight, moves, operations
from .test_lower_bound import LOOPS, bound_of, region_of

JACOBI = LOOPS["jacobi-1d"].replace("t < n", "t < m")
IN_PLACE = "double A[n]; for (t = 0; t < m; t++) for (i = 1; i < n - 1; i++) A[i] = A[i - 1] + A[i] + A[i + 1];"
ALL_TIMES = """double A[m][n]; for (t = 1; t < m; t++) for (i = 1; i < n - 1; i++)
    A[t][i] = A[t - 1][i - 1] + A[t - 1][i] + A[t - 1][i + 1];"""
COPY_BACK = """double A[n], B[n]; for (t = 0; t < m; t++) {
    for (i = 1; i < n - 1; i++) B[i] = A[i - 1] + A[i] + A[i + 1]; for (i = 1; i < n - 1; i++) A[i] = B[i]; }"""
BY_SCALAR = """double A[m][n], s; for (t = 1; t < m; t++) for (i = 1; i < n - 1; i++) {
    s = A[t - 1][i - 1] + A[t - 1][i] + A[t - 1][i + 1]; A[t][i] = s; }"""
MIXED = COPY_BACK.replace("B[n];", "unused[n]; float B[n];")
HEAT = """double A[n][n][n], B[n][n][n]; for (t = 0; t < m; t++) {
    for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++) for (k = 1; k < n - 1; k++) B[i][j][k] = A[i][j][k]
        + A[i-1][j][k] + A[i+1][j][k] + A[i][j-1][k] + A[i][j+1][k] + A[i][j][k-1] + A[i][j][k+1];
    for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++) for (k = 1; k < n - 1; k++) A[i][j][k] = B[i][j][k]
        + B[i-1][j][k] + B[i+1][j][k] + B[i][j-1][k] + B[i][j+1][k] + B[i][j][k-1] + B[i][j][k+1]; }"""


def surface_of(text):
    (found,) = bound_of(region_of(text)).surfaces
    return found


@pytest.mark.parametrize("dimension", [2, 3])
def test_sums_of_drawn_sets_are_as_large_as_the_theorem_says(dimension):
    chance, corners = random.Random(dimension), list(product((0, 1), repeat=dimension))
    unit = [corner for corner in corners if sum(corner) < 2]
    for _ in range(200):
        some = {tuple(chance.randrange(4) for _ in range(dimension)) for _ in range(chance.randrange(1, 40))}
        other = {*unit, *(tuple(chance.randrange(-1, 3) for _ in range(dimension)) for _ in range(chance.randrange(6)))}
        volume = (len(other) - dimension) / factorial(dimension)
        added = {tuple(a + b for a, b in zip(one, two, strict=True)) for one, two in product(some, other)}
        power = 1 / dimension
        assert len(added) > (len(some) ** power + volume**power) ** dimension - 1e-9


def test_counts_of_two_sweeps_by_hand():
    found, sizes = surface_of(JACOBI), {"n": 50, "m": 10}
    assert found.steps == ((1, 1), (1, 0), (1, -1))
    assert found.volume == 1  # (4 - 2)/2!
    assert found.operations.evaluate(sizes) == 48 * 20
    assert found.inner.evaluate(sizes) == 46 * 18  # without the ends of rows, the first and the last sweep
    assert found.last.evaluate(sizes) == 46  # of the last sweep of B, which the last one of A reads


def test_large_stencils_have_the_formula():
    n, steps, elements = 10**9, 10**8, 10**7
    found = surface_of(HEAT)
    by_hand = 2 * n**3 * steps * 3 * (1 / 6 / elements) ** (1 / 3)  # 8 points of 4 dimensions: (8 - 4)/4!
    for ways, moved in ((1, found.load_bytes), (2, replace(found, layers=None).moved_bytes)):
        assert isclose(moved({"n": n, "m": steps}, 8 * elements) / 8, ways * by_hand, rel_tol=0.05)


def test_stores_are_those_of_values_that_leave_and_of_the_last_ones():
    found, sizes, elements = bound_of(region_of(IN_PLACE)), {"n": 10**5, "m": 10**5}, 100
    moved = 2 * 1e10 * (3 - 2) / 2 / elements  # its neighbours and itself: its own last value may be that of a sum
    assert isclose(found.bytes(sizes, 8 * elements) / 8, moved, rel_tol=0.02)
    assert found.bytes(sizes, 8 * elements) > found.load_bytes(sizes, 8 * elements) + 8 * 10**5


def test_where_all_values_are_stored_anyway_no_store_counts_twice():
    found, sizes = bound_of(region_of(ALL_TIMES)), {"n": 200, "m": 100}
    (surface,) = found.surfaces
    assert found.bytes(sizes, 80) == found.load_bytes(sizes, 80) + 8 * 198 * 99
    assert surface.last.evaluate(sizes) == surface.inner.evaluate(sizes)


@pytest.mark.parametrize(
    "text",
    [
        "double A[n]; for (t = 0; t < m; t++) for (i = 0; i < n; i++) A[i] = 2.0 * A[i];",
        "double A[m][n]; for (t = 1; t < m; t++) for (i = 1; i < n; i++) A[t][i] = A[t - 1][i - 1];",
        LOOPS["gemm"],
    ],
)
def test_steps_that_do_not_span_the_lattice_bound_nothing(text):
    assert bound_of(region_of(text)).surfaces == ()


@pytest.mark.parametrize("text", [COPY_BACK, BY_SCALAR])
def test_values_that_another_statement_passes_on_are_handed_on(text):
    found = surface_of(text)
    assert found.steps == ((1, 1), (1, 0), (1, -1))
    assert len(found.lines) == 1


def test_values_in_between_may_be_the_smallest():
    assert surface_of(MIXED).size_bytes == 4


def test_a_statement_between_that_passes_on_several_is_taken_for_one_of_them():
    """H[i] has E[i] and E[i + 1]; E[i] finds E[i] and E[i - 1] of one step before in H[i] and H[i - 1]."""
    text = """double E[n], H[n]; for (t = 0; t < m; t++) { for (i = 1; i < n; i++) E[i] = H[i] - H[i - 1];
        for (i = 0; i < n - 1; i++) H[i] = 2.0 * E[i] + E[i + 1]; }"""
    assert all(each.volume <= 1 for each in bound_of(region_of(text)).surfaces)


@pytest.mark.parametrize("text", of_day([IN_PLACE, JACOBI, ALL_TIMES, COPY_BACK, BY_SCALAR], 3))
def test_no_skewed_tiles_move_less(text):
    region, sizes = region_of(text), {"n": 48, "m": 20}
    found, some = bound_of(region), operations(region, sizes)
    room, sweeps = in_flight(some), 1 + max(each.statement for each in some)
    for capacity, rows, columns in product((4, 16), (2, 6, 24), (2, 8, 24)):
        order = []
        for each in some:
            at = sweeps * each.iteration[0] + each.statement
            order.append(((at // rows, (each.iteration[1] + at) // columns, at, each.iteration[1]), each))
        loaded, stored = moves([each for _, each in sorted(order, key=lambda item: item[0])], capacity)
        assert 8 * loaded >= found.load_bytes(sizes, 8 * (capacity + room))
        assert 8 * (loaded + stored) >= found.bytes(sizes, 8 * (capacity + room)) > 0


def test_an_order_would_refute_eight_times_the_bound():
    """Diamonds of a one-dimensional stencil: sides of w steps hold w values, and load and store 2 w each for w^2/2."""
    region, sizes, capacity = region_of(ALL_TIMES), {"n": 160, "m": 160}, 12
    some = operations(region, sizes)
    found = bound_of(region).load_bytes(sizes, 8 * (capacity + in_flight(some)))
    at = [(each.iteration[0] + each.iteration[1], each.iteration[0] - each.iteration[1]) for each in some]
    keys = [((a // 8 + b // 8, a // 8), number) for number, (a, b) in enumerate(at)]
    order = [some[number] for _, number in sorted(keys)]
    assert 8 * moves(order, capacity)[0] < 8 * found
