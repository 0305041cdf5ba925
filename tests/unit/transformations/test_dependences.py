"""Which orders and tiles dependences allow: each case by hand from its distance vectors."""

from itertools import product

import pytest

from analyzer.ir.nodes import Loop
from analyzer.ir.passes.substitute import bind
from analyzer.ir.written.text import nodes_text
from analyzer.transformations.bands import bands_of
from analyzer.transformations.dependences import _only_solution
from analyzer.transformations.interchange import interchanges
from analyzer.transformations.tiling import cuts_of, jams_around, jams_of, with_cut
from tests.lowering import lower

GEMM = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) C[i][j] += A[i][k]*B[k][j];"
ARRAYS = "double A[200][200], B[200][200], C[200][200], x[200], y[200]; int p[200]; "


def bands(body, n=200):
    (region,) = lower(ARRAYS + body).regions
    region = bind(region, {"n": n})
    loops = [node for node in region.body if isinstance(node, Loop)]
    return [band for loop in loops for band in bands_of(loop, region.body)]


def nest(text):
    return "for (int i = 1; i < 199; i++) for (int j = 1; j < 199; j++) " + text


def orders(body):
    return [step.order for band in bands(body) for step, _ in interchanges(band)]


def test_the_innermost_loop_of_a_matrix_product_goes_along_rows():
    assert orders(GEMM) == [("i", "k", "j")]


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("A[j][i] = B[j][i];", True),
        ("A[j][i] = A[j - 1][i - 1];", True),  # (1, 1) stays positive
        ("A[j][i] = A[j + 1][i - 1];", False),  # (1, -1) turns into (-1, 1)
        ("A[j][i] = A[j][i - 1] + B[j][i];", True),  # (1, 0)
        ("A[p[j]][p[i]] = B[j][i];", False),  # what data choose may be anything
        ("x[i] += A[j][i];", True),  # (0, 1) turns into (1, 0): the order of the sum stays
        ("y[0] = y[0] * 0.5 + A[j][i];", False),  # each iteration needs the one before
    ],
)
def test_an_order_is_offered_where_every_dependence_stays_positive(text, allowed):
    assert bool(orders(nest(text))) is allowed


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("z[200*j + i] = z[200*j + i] * 2.0;", True),
        ("z[200*j + i] = z[200*j + i - 201];", True),  # (1, 1)
        ("z[200*j + i] = z[200*j + i + 199];", False),  # (1, -1)
        ("z[100*j + i] = z[100*j + i] * 2.0;", False),  # rows of 100 overlap
    ],
)
def test_linearised_rows_of_known_length_are_rows(text, allowed):
    assert bool(orders("double z[40000]; " + nest(text))) is allowed


@pytest.mark.parametrize("rest", range(-30, 31, 5))
@pytest.mark.parametrize("terms", [((10, 3), (1, 4)), ((10, 2), (-3, 2), (1, 1)), ((7, 1), (5, 9))])
def test_what_is_solved_is_the_only_solution(terms, rest):
    ranges = [range(-most, most + 1) for _, most in terms]
    solutions = [
        each for each in product(*ranges) if sum(k * factor for k, (factor, _) in zip(each, terms, strict=True)) == rest
    ]
    names = "ijk"[: len(terms)]
    named = [(*term, name) for term, name in zip(terms, names, strict=True)]
    found = _only_solution(named, rest)
    if found is None:
        assert not solutions
    else:
        assert all(dict(zip(names, each, strict=True)).items() >= found.items() for each in solutions)


def test_a_bound_keeps_its_loop_outside():
    assert orders("for (int i = 0; i < 200; i++) for (int j = 0; j <= i; j++) A[j][i] = B[j][i];") == []


def test_a_sum_of_its_own_becomes_a_row():
    body = """for (int i = 0; i < 200; i++) for (int j = 0; j < 200; j++) {
      double s = 0; for (int k = 0; k < 200; k++) s += A[i][k] * B[k][j]; C[i][j] = s; }"""
    (band,) = bands(body)
    assert band.split[0].expanded == ("s",)
    ((step, made),) = interchanges(band)
    assert step.order == ("k", "j")
    text = [line.strip() for line in nodes_text((made.nest,), {})]
    assert "s_row[j] := add.fp64(s_row[j], mul.fp64(A[i][k], B[k][j]))" in text


def test_a_scalar_that_is_used_later_stays_one():
    body = "double s; for (int i = 0; i < 200; i++) for (int j = 0; j < 200; j++) { s = 0; "
    body += "for (int k = 0; k < 200; k++) s += A[i][k] * B[k][j]; C[i][j] = s; } y[0] = s;"
    assert not bands(body)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("A[j][i] = B[i][j];", True),
        ("A[i][j] = A[i - 1][j] + A[i][j - 1];", True),  # (1, 0), (0, 1)
        ("A[i][j] = A[i - 1][j + 1];", False),  # (1, -1)
    ],
)
def test_tiles_and_copies_need_loops_that_can_be_cut_together(text, allowed):
    (band,) = bands(nest(text))
    assert [*cuts_of(band)] == ([(1, 0)] if allowed else [])
    assert [jam.outer for jam, _ in jams_of(band)] == (["i"] if allowed else [])


def test_tiles_cover_all_iterations():
    (band,) = bands(GEMM)
    cut, made = with_cut(band, 2, 0, 64)
    assert (cut.inner, cut.tile, cut.outer) == ("k", 64, "i")
    assert [loop.iterator for loop in made.loops] == ["k.block", "i", "j", "k"]
    assert {inner for inner, _ in cuts_of(made)} == {1, 2}  # neither the loop over tiles nor the tile is cut again
    assert with_cut(band, 2, 0, 128) is None, "two tiles at the least"


def test_elements_that_are_mirrored_let_a_loop_be_split():
    """C[j][i] of the last part is C[i][j] of the first one where j is i in both: the same iteration of j."""
    around = "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) { C[i][j] = 0; %s C[j][i] = C[i][j]; }"
    product_of_columns = "for (int k = 0; k < n; k++) C[i][j] += A[k][i] * A[k][j];"
    assert orders(around % product_of_columns) == [("k", "j")]
    assert orders((around % product_of_columns).replace("C[j][i]", "C[j + 1][i]")) == []


def around(body):
    (region,) = lower(ARRAYS + body).regions
    region = bind(region, {"n": 200})
    nests = [node for node in region.body if isinstance(node, Loop)]
    return [(step, band) for nest in nests for step, band in jams_around(nest)]


def test_sums_of_several_rows_go_side_by_side():
    """Four rows of a matrix have a sum each, and the innermost loop four additions that do not wait for one another."""
    body = (
        "for (int i = 0; i < 200; i++) { double s = 0; for (int j = 0; j < 200; j++) s += A[i][j] * x[j]; y[i] = s; }"
    )
    ((step, band),) = around(body)
    assert (step.outer, step.by) == ("i", 4)
    assert len(band.loops[-1].body) == 4
    assert len({node.target.name for node in band.loops[-1].body}) == 4


@pytest.mark.parametrize(
    "inside",
    [
        "double s = 0; for (int j = 0; j < i; j++) s += A[i][j]; y[i] = s;",  # other lengths
        "double s = y[i - 1]; for (int j = 0; j < 200; j++) s += A[i][j]; y[i] = s;",  # needs the row before
        "for (int j = 0; j < 200; j++) B[i][j] = A[i][j]; y[i] = 0;",  # nothing waits
    ],
)
def test_rows_that_need_one_another_or_do_not_wait_stay(inside):
    assert around("for (int i = 1; i < 200; i++) { " + inside + " }") == []
