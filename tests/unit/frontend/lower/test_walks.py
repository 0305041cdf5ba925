"""Loops that come to the end of one of several ranges on a way that data choose: of the shortest and the longest."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile


def region_of(text):
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions())
    (region,) = file.profile.regions
    return region


def trips(moves, start):
    """Return the fewest and the most iterations of all ways, by trying them."""
    if min(start) <= 0:
        return (0, 0)
    ends = [trips(moves, tuple(d - m for d, m in zip(start, move, strict=True))) for move in moves]
    return (1 + min(few for few, _ in ends), 1 + max(many for _, many in ends))


WALKS = [
    ("int i = 0, j = 0; while (i < n && j < m) { s += 1; if (a[i] < b[j]) i++; else j++; }", [(1, 0), (0, 1)]),
    (
        "int i = n, j = m; while (i > 0 && j > 0) { s += 1;\n"
        "if (a[i] == 1) { i--; j--; } else if (a[i] > b[j]) i--; else j--; }",
        [(1, 1), (1, 0), (0, 1)],
    ),
    (
        "for (int i = 0, j = 0; i < n && j < m;) { s += 1; if (a[i] < b[j]) i += 2; else { i++; j += 3; } }",
        [(2, 0), (1, 3)],
    ),
    ("int i = 0; while (i < n) { s += 1; if (a[i] < 0) { i += 3; continue; } i++; }", [(3,), (1,)]),
]


@pytest.mark.parametrize(("loop", "moves"), WALKS)
@pytest.mark.parametrize("sizes", [(1, 1), (6, 3), (4, 9), (7, 7)])
def test_a_walk_takes_as_many_iterations_as_its_shortest_and_longest_way(loop, moves, sizes):
    text = f"double f(const double *a, const double *b, int n, int m) {{ double s = 0; {loop} return s; }}"
    flops = region_of(text).work.flops
    n, m = sizes
    few, many = trips(moves, sizes[: len(moves[0])])
    lower, upper = (count.evaluate({"n": n, "m": m}) for count in (flops.lower, flops.upper))
    assert lower == few  # one way alone has the fewest
    assert (
        many <= upper <= many + (2 if (2, 0) in moves else 0)
    )  # a way that takes little of one range takes more of all


@pytest.mark.parametrize(
    "loop",
    [
        "int i = 0, j = 0; while (i < n && j < m) { s += 1; if (a[i] < b[j]) i++; else j--; }",
        "int i = 0, j = 0; while (i < n) { s += 1; if (a[i] < j) i++; else j++; }",
    ],
)
def test_a_loop_that_may_stay_where_it_is_has_no_known_trip_count(loop):
    region = region_of(f"double f(const double *a, const double *b, int n, int m) {{ double s = 0; {loop} return s; }}")
    assert any(name.startswith("trip_") for name in region.symbols)


@pytest.mark.parametrize(
    "loop",
    [
        "int i = 0, j = 0; while (i < n && j < m) { s += 1; if (a[i] < b[j]) i++; else s *= 1; }",
        "int i = 0; while (i != n) { s += 1; if (a[i] < 0) i++; else i += 2; }",
    ],
)
def test_a_loop_that_ends_has_no_iteration_that_stays_where_it_is(loop):
    """One that changes nothing is repeated for ever, and one that passes its end does not come back."""
    region = region_of(f"double f(const double *a, const double *b, int n, int m) {{ double s = 0; {loop} return s; }}")
    flops = region.work.flops
    assert flops.lower.evaluate({"n": 9, "m": 5}) <= 1
    assert 9 <= flops.upper.evaluate({"n": 9, "m": 5}) <= 18  # also where each iteration multiplies


def test_the_trip_count_that_is_given_counts():
    loop, _ = WALKS[0]
    text = f"double f(const double *a, const double *b, int n, int m) {{ double s = 0; {loop} return s; }}"
    (file,) = analyze(SourceFile("a.cpp", text, Language.CXX), AnalysisOptions(defines={"trip_L1": "12"}))
    (region,) = file.profile.regions
    assert region.work.flops.estimate.evaluate({"trip_L1": 12}) == 12
