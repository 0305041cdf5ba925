"""Lower bounds of whole nests: closed forms, and orders that come close to them or would refute more."""

import random
from math import isclose, sqrt

import pytest

from analyzer.bounds.lower_bound import lower_bound_of
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.profiling.counting.profiler import profile_region

from ...lowering import lower
from ...oracle.reordered import in_flight, loads, operations, reordered

GEMM = "double A[n][n], B[n][n], C[n][n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++)"
LOOPS = {
    "gemm": f"{GEMM} C[i][j] += A[i][k] * B[k][j];",
    "gemm in a scalar": """double A[n][n], B[n][n], C[n][n], s; for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        s = 0; for (k = 0; k < n; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }""",
    "gemm, one row in a scalar": """double A[n][n], B[n][n], C[n][n], a; for (i = 0; i < n; i++)
        for (k = 0; k < n; k++) for (j = 0; j < n; j++) { a = A[i][k]; C[i][j] += a * B[k][j]; }""",
    "syrk": """double A[n][n], C[n][n];
        for (i = 0; i < n; i++) for (j = 0; j <= i; j++) for (k = 0; k < n; k++) C[i][j] += A[i][k] * A[j][k];""",
    "cholesky": """double A[n][n]; for (i = 0; i < n; i++) { for (j = 0; j < i; j++) {
        for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k]; A[i][j] /= A[j][j]; }
        for (k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k]; A[i][i] = sqrt(A[i][i]); }""",
    "lu": """double A[n][n]; for (i = 0; i < n; i++) { for (j = 0; j < i; j++) {
        for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j]; A[i][j] /= A[j][j]; }
        for (j = i; j < n; j++) for (k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }""",
    "floyd-warshall": """double p[n][n]; for (k = 0; k < n; k++) for (i = 0; i < n; i++) for (j = 0; j < n; j++)
        p[i][j] = p[i][j] < p[i][k] + p[k][j] ? p[i][j] : p[i][k] + p[k][j];""",
    "jacobi-1d": """double A[n], B[n]; for (t = 0; t < n; t++) {
        for (i = 1; i < n - 1; i++) B[i] = A[i - 1] + A[i] + A[i + 1];
        for (i = 1; i < n - 1; i++) A[i] = B[i - 1] + B[i] + B[i + 1]; }""",
    "seidel-2d": """double A[n][n]; for (t = 0; t < n; t++) for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++)
        A[i][j] = A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j];""",
    "all pairs": "double x[n], y[n], f[n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) f[i] += x[i] * y[j];",
    "matrix times vector": "double A[n][n], x[n], y[n];"
    " for (i = 0; i < n; i++) for (j = 0; j < n; j++) y[i] += A[i][j] * x[j];",
}
LARGE, CACHE = 10**7, 10**4
# What is loaded for large n, by hand: |V| operations by the exponents of their projections or by what crosses the
# surface of a part (d vectors of n entries: (n - 1) ((d + 1 - n)/n!/S)^(1/(n - 1)) each), or every element once.
LEADING = {
    "gemm": 2 * LARGE**3 / sqrt(CACHE),
    "gemm in a scalar": 2 * LARGE**3 / sqrt(CACHE),
    "gemm, one row in a scalar": 2 * LARGE**3 / sqrt(CACHE),
    "syrk": LARGE**3 / sqrt(2 * CACHE),  # Beaumont et al. (2022), theorem 4.3
    "cholesky": LARGE**3 / (3 * sqrt(2 * CACHE)),  # the same, theorem 4.4
    "lu": 2 * LARGE**3 / (3 * sqrt(CACHE)),
    "floyd-warshall": LARGE**3 / sqrt(CACHE),
    "jacobi-1d": 2 * LARGE**2 / CACHE,  # two sweeps; an operation and its three neighbours, (4 - 2)/2! = 1
    "seidel-2d": (2 * sqrt(1 / 3 / CACHE) + 1 / CACHE) * LARGE**3,  # and four without its own, (5 - 3)/3! = 1/3
    "all pairs": 2 * LARGE**2 / CACHE,  # x[i] and f[i] both
    "matrix times vector": LARGE**2,
}


def region_of(text):
    (found,) = lower(text).regions
    return found


def bound_of(region, values=None):
    return lower_bound_of(statement_domains_of(region).statements, profile_region(region).footprint, values or {})


@pytest.mark.parametrize("name", LOOPS)
def test_leading_terms(name):
    found = bound_of(region_of(LOOPS[name]))
    assert isclose(found.load_bytes({"n": LARGE}, CACHE * 8) / 8, LEADING[name], rel_tol=5e-3)


@pytest.mark.parametrize("name", LOOPS)
def test_no_legal_order_is_below(name):
    region = region_of(LOOPS[name])
    found, sizes, chance = bound_of(region), {"n": 9}, random.Random(3)
    some = operations(region, sizes)
    room = in_flight(some)
    for number in range(6):
        order = reordered(some, chance) if number else some
        for capacity in (6, 20, 60):
            assert loads(order, capacity) >= found.load_bytes(sizes, 8 * (capacity + room)) // 8


def test_an_order_would_refute_a_higher_bound():
    """Blocks of C that fill the cache, k outermost in each: 2 n^3 / b + n^2 with b^2 + 2 b elements."""
    region, n, block = region_of(LOOPS["gemm"]), 24, 12
    capacity = block * block + 2 * block
    found = bound_of(region).load_bytes({"n": n}, 8 * capacity) // 8
    order = sorted(
        operations(region, {"n": n}),
        key=lambda each: (each.iteration[0] // block, each.iteration[1] // block, each.iteration[2], each.iteration),
    )
    assert found <= loads(order, capacity) <= 2 * n**3 // block + n**2 < 1.7 * found


def test_what_the_bound_cannot_follow_is_left_out():
    gathered = region_of("double y[n]; int p[n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) y[p[j]] += 1.0;")
    assert bound_of(gathered).terms == ()
    assert bound_of(region_of("double y[n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) y[i] += f(y);")) is None


def test_conditions_on_data_leave_what_is_certain():
    text = "double A[n][n], B[n][n], C[n][n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++)"
    found = bound_of(region_of(f"{text} if (A[i][k] > 0) C[i][j] += A[i][k] * B[k][j];"))
    assert found.load_bytes({"n": LARGE}, CACHE * 8) == 8 * LARGE**2  # A alone


def test_small_sizes_keep_the_first_uses():
    found = bound_of(region_of(LOOPS["gemm"]))
    assert found.load_bytes({"n": 4}, 1 << 20) == 3 * 16 * 8
    assert found.bytes({"n": 4}, 1 << 20) == 4 * 16 * 8
    assert found.best({"n": 4}, 1 << 20) == ()
