"""Nests in boxes: the same operations on the same values, and boxes that fill a cache."""

import random

import pytest
from msgspec.structs import replace

from analyzer.ir.nodes import Loop
from analyzer.ir.passes.substitute import bind
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.reuse.working_sets import working_set_traffic
from analyzer.traffic.simulation.simulate import simulate
from analyzer.transformations.box_sizes import best_sides
from analyzer.transformations.boxes import in_boxes
from analyzer.transformations.coordinates import coordinates_of

from ...lowering import lower
from ...oracle.reordered import operations

NESTS = {
    "gemm": """double A[n][n], B[n][n], C[n][n], alpha, beta; for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) C[i][j] *= beta;
        for (k = 0; k < n; k++) for (j = 0; j < n; j++) C[i][j] += alpha * A[i][k] * B[k][j]; }""",
    "2mm": """double A[n][n], B[n][n], t[n][n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        t[i][j] = 0; for (k = 0; k < n; k++) t[i][j] += A[i][k] * B[k][j]; }""",
    "trmm": """double A[n][n], B[n][n], alpha; for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        for (k = i + 1; k < n; k++) B[i][j] += A[k][i] * B[k][j]; B[i][j] = alpha * B[i][j]; }""",
    "lu": """double A[n][n]; for (i = 0; i < n; i++) { for (j = 0; j < i; j++) {
        for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j]; A[i][j] /= A[j][j]; }
        for (j = i; j < n; j++) for (k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j]; }""",
    "cholesky": """double A[n][n]; for (i = 0; i < n; i++) { for (j = 0; j < i; j++) {
        for (k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k]; A[i][j] /= A[j][j]; }
        for (k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k]; A[i][i] = sqrt(A[i][i]); }""",
    "syrk": """double A[n][n], C[n][n], beta; for (i = 0; i < n; i++) {
        for (j = 0; j <= i; j++) C[i][j] *= beta;
        for (k = 0; k < n; k++) for (j = 0; j <= i; j++) C[i][j] += A[i][k] * A[j][k]; }""",
    "jacobi-2d": """double A[n][n], B[n][n]; for (t = 0; t < 5; t++) {
        for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++)
            B[i][j] = A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j];
        for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++)
            A[i][j] = B[i - 1][j] + B[i][j - 1] + B[i][j] + B[i][j + 1] + B[i + 1][j]; }""",
    "seidel-2d": """double A[n][n]; for (t = 0; t < 5; t++) for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++)
        A[i][j] = A[i - 1][j - 1] + A[i - 1][j + 1] + A[i][j] + A[i + 1][j - 1] + A[i + 1][j + 1];""",
    "heat-3d": """double A[n][n][n], B[n][n][n]; for (t = 0; t < 5; t++) {
        for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++) for (k = 1; k < n - 1; k++) B[i][j][k] = A[i-1][j][k]
            + A[i+1][j][k] + A[i][j-1][k] + A[i][j+1][k] + A[i][j][k-1] + A[i][j][k+1] + A[i][j][k];
        for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++) for (k = 1; k < n - 1; k++) A[i][j][k] = B[i-1][j][k]
            + B[i+1][j][k] + B[i][j-1][k] + B[i][j+1][k] + B[i][j][k-1] + B[i][j][k+1] + B[i][j][k]; }""",
    "own scalar": """double A[n][n], B[n][n], s; for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        s = A[i][j] * 2; B[j][i] = s + 1; }""",
}
LEFT_ALONE = {
    "shortest paths": """double p[n][n]; for (k = 0; k < n; k++) for (i = 0; i < n; i++) for (j = 0; j < n; j++)
        p[i][j] = p[i][j] + p[i][k] * p[k][j];""",
    "a sum in a scalar of an outer loop": """double A[n][n], B[n], s; for (i = 0; i < n; i++) {
        s = 0; for (j = 0; j < n; j++) s += A[i][j]; B[i] = s; }""",
    "left early": """double A[n][n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        if (j > 3) break; A[i][j] += 1; }""",
    "shared among threads": """double A[n][n], B[n][n];
        #pragma omp parallel for
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) A[i][j] += B[j][i];""",
    "every second one": """double A[n][n], B[n][n];
        for (i = 0; i < n; i++) for (j = 0; j < n; j += 2) A[i][j] += B[j][i];""",
    "downwards": """double A[n][n], B[n][n];
        for (i = 0; i < n; i++) for (j = n - 1; j >= 0; j--) A[i][j] += B[j][i];""",
    "a recurrence both ways": """double A[n][n]; for (i = 1; i < n; i++) {
        for (j = 1; j < n; j++) A[i][j] += A[i][j - 1]; for (j = n - 2; j > 0; j--) A[i][j] += A[i][j + 1]; }""",
    "gathered": "double A[n], x[n]; int c[n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) x[i] += A[c[j]];",
}
SIZE, SIZE_IN_SPACE = 11, 7  # of planes, and of what has three dimensions
TILES = (1, 2, 3, 5, 8)


def nest_of(text, **sizes):
    (region,) = lower(text).regions
    bound = bind(region, sizes)
    (nest,) = (node for node in bound.body if isinstance(node, Loop))
    return bound, nest


def memory_after(region):
    """What each element holds at the end, as a hash of all that it was made from, and how many operations ran."""
    held: dict[object, int] = {}
    some = operations(region, {})
    for each in some:
        found = hash((tuple((place, held.get(place)) for place in each.reads), tuple(each.writes)))
        held.update(dict.fromkeys(each.writes, found))
    return {place: value for place, value in held.items() if place[1] != (-1,)}, len(some)


@pytest.mark.parametrize("name", NESTS)
def test_boxes_of_any_sides_in_any_order_give_the_same_values(name):
    region, nest = nest_of(NESTS[name], n=SIZE_IN_SPACE if "3d" in name else SIZE)
    found = coordinates_of(region)
    assert found is not None
    whole, chance = memory_after(region), random.Random(name)
    dimensions = (*found.dimensions, *found.backwards)
    for _ in range(6):
        some = chance.sample(dimensions, chance.randint(1, len(dimensions)))
        _, made = in_boxes(nest, [(each, chance.choice(TILES)) for each in some])
        assert memory_after(replace(region, body=(made,))) == whole


def test_stencils_are_skewed_and_their_statements_shifted():
    region, _ = nest_of(NESTS["jacobi-2d"], n=SIZE)
    dimensions = coordinates_of(region).dimensions
    assert [each.loop.iterator for each in dimensions] == ["t", "i", "j"]
    assert [[(place.skew, place.shift) for place in each.of.values()] for each in dimensions] == [
        [(0, 0), (0, 0)],
        [(2, 0), (2, 1)],
        [(2, 0), (2, 1)],
    ]


@pytest.mark.parametrize(("name", "loops"), [("jacobi-2d", ["i", "j"]), ("seidel-2d", []), ("gemm", [])])
def test_loops_that_may_be_cut_both_ways(name, loops):
    """Of seidel-2d what j - 1 makes is read in the same step."""
    region, _ = nest_of(NESTS[name], n=SIZE)
    assert [each.loop.iterator for each in coordinates_of(region).backwards] == loops


def test_a_loop_leans_on_the_one_around_it_where_skewing_is_not_enough():
    """A[i][j] of seidel-2d reads A[i - 1][j + 1] of the same step, and A[i + 1][j + 1] of the one before."""
    region, _ = nest_of(NESTS["seidel-2d"], n=SIZE)
    of = [next(iter(each.of.values())) for each in coordinates_of(region).dimensions]
    assert [(each.skew, each.lean) for each in of] == [(0, 0), (1, 0), (2, 1)]


def test_boxes_have_room_for_neighbours():
    """Two rows and two columns more, and those of the next step: one row, two columns."""
    region, _ = nest_of(NESTS["seidel-2d"].replace("t < 5", "t < 500"), n=2000)
    sides = {dimension.loop.iterator: side for dimension, side in best_sides(coordinates_of(region), 1 << 20)}
    assert 0.9 * (1 << 20) < (sides["i"] + 3) * (sides["j"] + 4) * 8 < 1 << 20


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_no_boxes_are_known_for(name):
    region, _ = nest_of(LEFT_ALONE[name], n=SIZE)
    assert coordinates_of(region) is None


@pytest.mark.parametrize(("name", "sides"), [("gemm", {"i", "j.2", "k"}), ("2mm", {"i", "j", "k"})])
def test_a_square_of_sums_fills_the_cache(name, sides):
    region, _ = nest_of(NESTS[name], n=1000)
    found = {dimension.loop.iterator: side for dimension, side in best_sides(coordinates_of(region), 1 << 20)}
    assert found.keys() == sides
    held = found["i"] * found.get("j.2", found.get("j", 0)) * 8
    assert 0.7 * (1 << 20) < held < 1 << 20


FLAT = """double *A, *B, *C; for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++)
    C[i * n + j] += A[i * n + k] * B[k * n + j];"""
ROWS = """double A[n][n], B[n][n], C[n][n]; for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++)
    C[i][j] += A[i][k] * B[k][j];"""


def sides_of(text, n, capacity_bytes, ways=None):
    region, _ = nest_of(text, n=n)
    found = best_sides(coordinates_of(region), capacity_bytes, ways)
    return {dimension.loop.iterator: side for dimension, side in found}


@pytest.mark.parametrize(("name", "n", "loops"), [("jacobi-2d", 1300, "jji"), ("heat-3d", 120, "iij")])
def test_diamonds_are_swept_across_the_lines_and_fill_the_cache(name, n, loops):
    """The cache holds A and B of a*a/2 points each: 4 bytes for each of a*a, of heat-3d rows of them."""
    region, _ = nest_of(NESTS[name].replace("t < 5", "t < 500"), n=n)
    (first, side), (second, other), (front, one) = best_sides(coordinates_of(region), 1 << 20)
    assert "".join(each.loop.iterator for each in (first, second, front)) == loops
    assert (first.is_backwards, second.is_backwards, side, one) == (False, True, other, 1)
    row = n - 2 if name == "heat-3d" else 1
    assert 0.7 * (1 << 20) < side * side * 8 * row < 1 << 20


@pytest.mark.parametrize("n", [1000, 1003])
def test_flat_subscripts_have_the_boxes_of_rows(n):
    assert sides_of(FLAT, n, 1 << 18) == sides_of(ROWS, n, 1 << 18)


def test_boxes_leave_two_ways_of_each_set():
    whole, part = (sides_of(ROWS, 1000, 1 << 18, ways) for ways in (None, 8))
    assert part["i"] * part["j"] * 8 < 0.75 * (1 << 18) < whole["i"] * whole["j"] * 8


def test_boxes_are_parts_of_a_dimension_that_are_alike():
    sides = sides_of(ROWS, 1000, 1 << 20)
    assert all(-(-1000 // side) * side - 1000 < 16 for name, side in sides.items() if name != "k")


@pytest.mark.parametrize("text", [FLAT, ROWS])
def test_boxes_of_a_product_load_little_more_than_any_order_has_to(text):
    """Exact simulation; at least ``2 n^3 / sqrt(S) - 2 S`` elements (Smith et al., arXiv 1702.02017)."""
    n, capacity = 72, 1 << 13
    region, nest = nest_of(text, n=n)
    _, made = in_boxes(nest, best_sides(coordinates_of(region), capacity))
    found = simulate(lay_out(replace(region, body=(made,))), parse_hierarchy("L1:8KiB"), budget=10**7)
    assert found.exact
    held = capacity // 8
    assert 1 < found.filled[0] * 8 / (2 * n**3 / held**0.5 - 2 * held) < 2.5  # lines of 8 elements, 128 of them


DIAMONDS = {  # n, steps, the loops cut and swept, a cache, and the largest side that it has room for
    "jacobi-2d": (100, 24, ("j", "i"), "L1:17KiB", 36),
    "heat-3d": (30, 10, ("j", "i"), "L1:48KiB", 10),
}


@pytest.mark.parametrize("name", DIAMONDS)
def test_diamonds_move_what_a_simulation_says(name):
    n, steps, (cut, swept), cache, side = DIAMONDS[name]
    region, nest = nest_of(NESTS[name].replace("t < 5", f"t < {steps}"), n=n)
    found, hierarchy = coordinates_of(region), parse_hierarchy(cache)
    (back,) = (each for each in found.backwards if each.loop.iterator == cut)
    of = {each.loop.iterator: each for each in found.dimensions}
    _, made = in_boxes(nest, [(of[cut], side), (back, side), (of[swept], 1)])
    tiled = replace(region, body=(made,))
    model, simulated = (
        working_set_traffic(tiled, hierarchy, warm=False),
        simulate(lay_out(tiled), hierarchy, budget=10**8),
    )
    assert simulated.exact
    assert 0.97 < float((model.read + model.allocate).sum()) / float(simulated.filled[0] * 64) < 1.03
    assert 0.97 < float(model.written.sum()) / float(simulated.written[0].sum() * 64) < 1.03
