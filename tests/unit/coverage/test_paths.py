"""What a run did along each path: ways out of loops, operands of conditions, and when that is exact."""

import pytest

from roofline import estimate
from tests.oracle.sources import ROOT

FOLDER = ROOT / "tests" / "data" / "coverage"
# x is 0 to 9.  until: 7 sums of products before 49.  first: 3, 4, 5 and 6 sums.  both: 7 squares of what is above 2, 5
# sums of those below 50, 3 differences of 2, 8 and 9, and 0, 1 and 9 are taken away.  norm: 10 sums of products.
# shrink: the norm is 285, 71.25, 17.8, 4.5, 1.1 and 0.3, with 10 products after each but the last.
FLOPS = {"until": 14, "first": 18 / 4, "both": 18, "norm": 20, "shrink": 6 * 20 + 5 * 10}


@pytest.mark.parametrize("recorded", ["paths.gcov.json", "paths.llvm.json"])
def test_work_is_that_of_the_run_and_exact(recorded):
    found = {
        one.profile.name: one for one in estimate(str(FOLDER / "paths.c"), profile=(str(FOLDER / recorded),)).regions
    }
    whole = 14 + 18 + 1 + 4 * 2 + 18 + 170 + 1  # with what main adds up: once, twice for each k, and once
    assert {name: found[name].flops.value for name in FLOPS} == FLOPS
    assert found["main"].flops.value == whole
    assert all(one.profile.work.flops.is_exact for one in found.values())


@pytest.mark.parametrize("recorded", ["paths.gcov.json", "paths.llvm.json"])
def test_nothing_is_said_to_be_open_that_the_run_decides(recorded):
    report = estimate(str(FOLDER / "paths.c"), profile=(str(FOLDER / recorded),))
    assert not {one.code for one in report.files[0].profile.diagnostics} & {"AI008", "AI202", "AI203", "AI204"}


def test_other_sizes_are_expected_and_not_exact():
    recorded = str(FOLDER / "paths.gcov.json")
    found = estimate(str(FOLDER / "paths.c"), profile=(recorded,), sizes={"n": 20}, functions=("both",)).regions[0]
    assert found.flops.value == 36
    assert not found.profile.work.flops.is_exact


def regions(tmp_path, source, lines):
    (tmp_path / "a.c").write_text(source)
    rows = "".join(f"a.c,{line},{count}\n" for line, count in lines.items())
    (tmp_path / "a.csv").write_text(f"file,line,count\n{rows}")
    report = estimate(str(tmp_path / "a.c"), profile=(str(tmp_path / "a.csv"),))
    return {one.profile.name: one for one in report.regions}


def test_a_function_called_from_two_places_has_its_mean_in_both(tmp_path):
    """32 tests in two calls."""
    source = (
        "static int few(const double *x, double l) {\n  int i = 0;\n  while (x[i] * 2.0 < l)\n    i++;\n"
        "  return i;\n}\nint g(const double *x) {\n  return few(x, 3.0) + few(x, 9.0);\n}\n"
    )
    found = regions(tmp_path, source, {1: 2, 2: 2, 3: 32, 4: 30, 5: 2, 7: 1, 8: 1})
    assert (found["few"].flops.value, found["g"].flops.value) == (16, 32)


def test_lines_that_the_counts_leave_out_are_said(tmp_path):
    """As gcov does with what gcc makes of an OpenMP loop."""
    (tmp_path / "a.c").write_text(
        "void f(int n, double *x) {\n  n++;\n#pragma omp parallel for\n"
        "  for (int i = 0; i < n; i++)\n    x[i] *= 2;\n}\n"
    )
    (tmp_path / "a.info").write_text("TN:\nSF:a.c\nFN:1,f\nFNDA:1,f\nDA:1,1\nDA:2,1\nDA:6,1\nend_of_record\n")
    report = estimate(str(tmp_path / "a.c"), profile=(str(tmp_path / "a.info"),))
    (found,) = (one for one in report.files[0].profile.diagnostics if one.code == "AI008")
    assert found.span.line == 4
    assert found.hint == "build for the counts without -fopenmp"


@pytest.mark.parametrize("algorithm", ["std::for_each(v, v + n, each)", "std::for_each(v, v + n, each), each(v[0])"])
def test_conditions_in_a_lambda_that_an_algorithm_calls_are_those_of_their_lines(tmp_path, algorithm):
    """Of 100 values 49 are above the least: two operations each; and one call more finds its own share of them."""
    (tmp_path / "a.cpp").write_text(
        "#include <algorithm>\ndouble above(const double *v, long n, double least) {\n  double s = 0;\n"
        "  auto each = [&](double x) {\n    if (x > least)\n      s += x * 2;\n  };\n"
        f"  {algorithm};\n  return s;\n}}\n"
    )
    lines = "2,1 3,1 4,100 5,100 6,49 8,1 9,1"
    (tmp_path / "a.csv").write_text("file,line,count\n" + "\n".join(f"a.cpp,{one}" for one in lines.split()) + "\n")
    found = estimate(
        str(tmp_path / "a.cpp"), profile=(str(tmp_path / "a.csv"),), sizes={"n": 100}, functions=("above",)
    ).regions[0]
    calls = 100 + algorithm.count(", each(")
    assert found.flops.value == pytest.approx(calls * 2 * 49 / 100)


def test_a_search_of_a_library_is_named_after_the_line_of_its_call(tmp_path):
    (tmp_path / "a.cpp").write_text(
        "#include <algorithm>\nconst int *f(const int *a, int n) { return std::find(a, a + n, 3); }\n"
    )
    (found,) = (each for each in estimate(str(tmp_path / "a.cpp")).files[0].profile.diagnostics if each.code == "AI204")
    assert "trip_L2=" in found.hint


@pytest.mark.parametrize(("more", "flops"), [("", 7 * 2 + 7), (", std::sort(out.begin(), out.end())", None)])
def test_an_algorithm_runs_as_often_as_the_run_called_its_lambda(tmp_path, more, flops):
    """14 calls in two runs are 7 iterations, as are those over what they made; two loops at once are not told apart."""
    (tmp_path / "a.cpp").write_text(
        "#include <algorithm>\n#include <iterator>\n#include <numeric>\n#include <vector>\n"
        "double sum(const std::vector<double> &x, long first) {\n  std::vector<double> out;\n"
        "  std::transform(x.begin() + first, x.end(), std::back_inserter(out), [](auto &&t) {\n"
        f"    return 2.0 * t + 1.0; }}){more};\n"
        "  return std::accumulate(out.begin(), out.end(), 0.0);\n}\n"
    )
    lines = {5: 2, 6: 2, 7: 2, 8: 14, 9: 2, 10: 2}
    (tmp_path / "a.info").write_text(
        "TN:\nSF:a.cpp\nFN:5,sum\nFNDA:2,sum\nFN:7,sum::{lambda}\nFNDA:14,sum::{lambda}\n"
        + "".join(f"DA:{line},{count}\n" for line, count in lines.items())
        + "end_of_record\n"
    )
    found = estimate(str(tmp_path / "a.cpp"), profile=(str(tmp_path / "a.info"),), functions=("sum",)).regions[0]
    assert found.flops.value == flops
