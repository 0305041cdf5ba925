"""Values of symbols that are given as a report prints them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analyzer.errors import OptionError
from analyzer.traffic.options import CacheModel
from analyzer.traffic.results import Convention
from roofline.estimation import estimate, source_text
from roofline.report.report import Report

MEMBERS = """
struct grid { int nx, ny; double *u; };
void relax(struct grid *g) { for (int i = 0; i < g->nx; i++) for (int j = 0; j < g->ny; j++) g->u[i*g->ny + j] *= 2; }
"""
SECOND = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n"
BOTH = SECOND + SECOND.replace(" f(", " g(")


def report_of(text: str, name: str = "x.c", **sizes: object) -> Report:
    return estimate(source_text(text, name), cache=CacheModel.COMPULSORY, sizes=sizes)  # type: ignore[arg-type]


def flops(text: str, name: str = "x.c", **sizes: object) -> list[int | None]:
    return [region.flops.value for region in report_of(text, name, **sizes).regions]  # type: ignore[misc]


def test_members_are_given_as_they_are_printed() -> None:
    (region,) = report_of(MEMBERS).regions
    assert set(region.profile.symbols) == {"g->nx", "g->ny"}
    assert flops(MEMBERS, **{"g->nx": 30, "g->ny": 7}) == [210]


def test_containers_and_this_are_given() -> None:
    text = """
    #include <vector>
    struct S { int n; double *p; void go() { for (int i = 0; i < n; i++) p[i] *= 3; } };
    void f(std::vector<double> &x) { for (std::size_t i = 0; i < x.size(); i++) x[i] *= 3; }
    """
    assert flops(text, "x.cpp", **{"this->n": 12, "x.size": 5}) == [12, 5]


def test_a_name_with_a_number_is_one_symbol_and_the_name_without_it_all_of_them() -> None:
    text = (
        "int next(void);\nvoid f(double *a) {\n" + 2 * "  { int n = next(); for (int i = 0; i < n; i++) a[i] += 1; }\n"
    )
    (region,) = report_of(text + "}").regions
    assert set(region.profile.symbols) == {"n", "n.2"}
    assert flops(text + "}", n=5) == [10]
    assert flops(text + "}", **{"n": 5, "n.2": 7}) == [12]


def test_a_value_for_one_function() -> None:
    assert flops(BOTH, n=4) == [4, 4]
    assert flops(BOTH, **{"n": 4, "n@g": 9}) == [4, 9]
    assert flops(BOTH, **{"n@f": 2}) == [2, None]


def test_a_name_that_nothing_uses_is_refused_with_the_nearest_ones() -> None:
    with pytest.raises(OptionError, match="nx: nothing depends") as raised:
        report_of(MEMBERS, nx=3)
    assert raised.value.hint == "did you mean g->nx?"
    with pytest.raises(OptionError, match="m: nothing depends"):
        report_of(SECOND, m=100)
    with pytest.raises(OptionError, match="nothing depends"):
        report_of(SECOND, **{"n@h": 3})
    with pytest.raises(OptionError) as raised:
        report_of(
            "#ifdef LARGE_DATASET\n#define N 100\n#else\n#define N 10\n#endif\nvoid f(double *a) "
            "{ for (int i = 0; i < N; i++) a[i] = 0; }",
            LARGE_DATASTE=1,
        )
    assert raised.value.hint == "did you mean LARGE_DATASET?"


def test_names_for_other_programs_are_passed_over() -> None:
    options = {"defines": {"m": "100", "n": "3"}, "shared_defines": frozenset({"m"})}
    (region,) = estimate(source_text(SECOND), **options).regions  # type: ignore[arg-type]
    assert region.flops.value == 3


def test_a_macro_is_used_where_a_header_mentions_it(tmp_path) -> None:
    (tmp_path / "sizes.h").write_text("#ifndef M\n#define M 10\n#endif\n#define ROWS M\n")
    text = '#include "sizes.h"\nvoid f(double *a) { for (int i = 0; i < ROWS; i++) a[i] += 1; }'
    (region,) = estimate(source_text(text), include_dirs=(str(tmp_path),), sizes={"M": 25}).regions
    assert region.flops.value == 25


@pytest.mark.parametrize("name", ["nx", "count", "size"])
def test_a_member_of_the_name_of_a_size_breaks_no_parse(name: str) -> None:
    text = f"struct in {{ int {name}; }};\nvoid f(struct in s, int {name}, double *a) {{\n"
    text += f"  for (int i = 0; i < {name}; i++) a[i] += s.{name}; }}"
    report = report_of(text, **{name: 8})
    (file,) = report.files
    assert file.profile.frontend == "clang"
    assert [region.flops.value for region in report.regions] == [8]


# --- averages

SPARSE = """
void f(int n, const int *row, const double *a, double *y) {
  for (int i = 0; i < n; i++)
    for (int j = row[i]; j < row[i+1]; j++)
      y[i] += 2 * a[j];
}
"""
TRIANGLE = """
void f(int n, const int *m, double *a) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m[i]; k++)
      for (int l = 0; l < k; l++)
        a[l] += 1;
}
"""


def test_a_trip_count_may_be_an_average() -> None:
    (region,) = report_of(SPARSE, n=10, trip_L4=2.5).regions
    assert region.flops.value == 50
    assert region.profile.work.flops.is_exact
    assert region.profile.averages == {"trip_L4": Fraction(5, 2)}
    (region,) = report_of(SPARSE, n=10, trip_L4=0.25).regions
    assert region.flops.value == 5


def test_counts_that_are_not_affine_in_an_average_are_estimates() -> None:
    """k (k - 1) / 2 of k = 2 and 3, on average 2: of 1 and 4 it would be 3."""
    (region,) = report_of(TRIANGLE, n=10, trip_L4=2.5).regions
    assert region.flops.value == 20
    assert region.profile.work.flops.upper is None
    assert region.profile.work.flops.lower.is_zero


def test_the_bytes_of_caches_are_between_those_of_whole_numbers() -> None:
    def moved(trip: float) -> float:
        sizes = {"n": 4000, "trip_L4": trip}
        (region,) = estimate(source_text(SPARSE, "x.c"), "haswell", sizes=sizes).regions
        assert region.moved.convention is Convention.CACHED
        return float(region.moved.total.estimate.constant or 0)

    assert moved(2.25) == pytest.approx(0.75 * moved(2) + 0.25 * moved(3), rel=1e-9)
    assert moved(2) < moved(2.25) < moved(3)


def test_the_source_may_state_averages_and_members() -> None:
    stated = SPARSE.replace("for (int j", "// ai-estimate: assume trip_L5=2.5, n=10\n    for (int j")
    assert flops(stated) == [50]
    assert flops("// ai-estimate: assume g->nx=30, g->ny=7\n" + MEMBERS) == [210]


def test_a_size_is_whole() -> None:
    with pytest.raises(OptionError, match=r"n=1\.5 is not a whole number"):
        report_of(SECOND, n=1.5)


# --- probabilities of branches

BRANCHES = """
void f(int n, const double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (a[i] > 0)
      b[i] = 2*a[i];
    else
      b[i] = a[i]*a[i]*a[i];
    if (a[i] == 1) continue;
    b[i] += 3;
    if (!(a[i] < 7)) b[i] *= 5;
  }
}
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 225),  # 1.5 + (1 + 0.5) / 2
        ({"prob_L4": 0}, 275),
        ({"prob_L4": 0.9}, 185),
        ({"prob_L4": 1, "prob_L8": 0, "prob_L10": 1}, 200),
        ({"prob_L8@f": 0.75, "prob_L8": 0}, 187.5),
    ],
)
def test_each_branch_has_a_probability(given: dict[str, float], expected: float) -> None:
    (region,) = report_of(BRANCHES, n=100, **given).regions
    assert region.profile.work.flops.estimate.evaluate({"n": 100}) == expected
    assert region.profile.work.flops.lower.evaluate({"n": 100}) == 100, "the interval stays: from never to always"


def test_notes_name_the_symbols() -> None:
    (file,) = report_of(BRANCHES).files
    hints = [found.hint for found in file.profile.diagnostics if found.code == "AI202"]
    assert ["prob_L4" in hints[0], "prob_L8" in hints[1], "prob_L10" in hints[2]] == [True, True, True]
    (file,) = report_of(SPARSE).files
    assert any("-D trip_L4=9" in found.hint for found in file.profile.diagnostics)


def test_a_probability_is_between_0_and_1() -> None:
    with pytest.raises(OptionError, match="prob_L4"):
        report_of(BRANCHES, prob_L4=1.5)
    with pytest.raises(OptionError, match="prob_L5: nothing depends") as raised:
        report_of(BRANCHES, prob_L5=0.5)
    assert raised.value.hint is not None
    assert "prob_L4" in raised.value.hint


SETTLED = """
void f(int n, int m, int deep, double *a) {
  if (deep > 1) { for (int i = 0; i < m; i++) a[i] += 1; return; }
  for (int i = 0; i < n; i++) while (a[i] > 1) a[i] *= .5;
}
"""


def test_a_printed_symbol_is_given_with_others_that_settle_what_runs() -> None:
    assert {"m", "trip_L4"} <= set(report_of(SETTLED).regions[0].profile.symbols)
    assert flops(SETTLED, deep=2, m=7, n=3, trip_L4=5) == [7]
    with pytest.raises(OptionError, match="-D k:"):
        flops(SETTLED, deep=2, m=7, k=3)


def test_a_loop_has_no_more_iterations_than_its_header_allows() -> None:
    loop = "for (int i = 0; i < m && s > x[i]; i += 2) s += x[i];"
    text = f"double f(double *x, int m) {{\n double s = 1;\n {loop}\n return s;\n}}\n"
    assert flops(text, m=9, trip_L3=5) == [5]
    with pytest.raises(OptionError, match=r"-D trip_L3=5.5: the loop in line 3 has 5 iterations at most"):
        flops(text, m=9, trip_L3=5.5)
    assert flops(text, trip_L3=1000) == [1000]
