"""Sizes of rows of containers and of containers behind pointers, whether sizes are given or not."""

import pytest

from tests.rows import file_report

HEAD = "#include <memory>\n#include <vector>\nusing namespace std; "


@pytest.mark.parametrize("sizes", [{}, {"n": "6", "m": "4"}])
@pytest.mark.parametrize(
    ("text", "flops"),
    [
        ("vector<vector<double>> g(n, vector<double>(m, 1)); for (auto &r : g) for (auto &v : r) v *= 2;", 24),
        ("vector<vector<double>> g(n); for (auto &r : g) r.resize(m); for (auto &r : g) for (auto &v : r) v += 1;", 24),
        ("vector<vector<double>> g(n); for (int i = 0; i < n; i++) g[i].resize(i); for (auto &v : g[3]) v += m;", 3),
        ("vector<vector<double>> g(2, vector<double>(m, 1)); for (auto &r : g) for (auto &v : r) v *= n;", 8),
        ("vector<vector<double>> g(2); for (auto &r : g) r.resize(n); for (auto &v : g[1]) v *= m;", 6),
        ("vector<vector<double>> g(2); g[1].resize(n); for (auto &r : g) for (auto &v : r) v *= m;", 6),
        (
            "vector<vector<double>> g(2, vector<double>(m, 1)); for (int t = 0; t < n; t++) { "
            "for (size_t i = 1; i + 1 < g[0].size(); i++) g[1][i] = 2 * g[0][i]; g[0].swap(g[1]); }",
            6 * 2,
        ),
        (
            "vector<vector<vector<double>>> g(2, vector<vector<double>>(n, vector<double>(m, 1))); "
            "for (auto &p : g) for (auto &r : p) for (auto &v : r) v *= 2;",
            48,
        ),
        (
            "vector<vector<vector<double>>> g(n); for (int i = 0; i < n; i++) { g[i].resize(m); "
            "for (int j = 0; j < m; j++) g[i][j].resize(i + 1); } "
            "for (auto &p : g) for (auto &r : p) for (auto &v : r) v *= 2;",
            4 * 21,
        ),
        ("auto v = make_shared<vector<double>>(n); auto w = v; for (auto &x : *w) x += m;", 6),
        ("auto v = make_unique<vector<double>>(n); v->push_back(m); for (auto &x : *v) x += 1;", 7),
        ("auto *v = new vector<double>(n, 1.0); v->resize(m); for (auto &x : *v) x += 1; delete v;", 4),
    ],
)
def test_loops_over_them_are_counted(text: str, flops: int, sizes: dict[str, str]) -> None:
    report = file_report(f"{HEAD}void f(int n, int m) {{ {text} }}", "x.cpp", defines=sizes)
    found = report.regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 6, "m": 4}), found.is_exact) == (flops, True)


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("vector<double> v(n, 1.0); v.push_back(m); for (auto &x : v) x = m;", 6),  # moved to more memory
        ("vector<double> v(n, 1.0); v.reserve(n + 1); v.push_back(m); for (auto &x : v) x = m;", 0),
        ("vector<double> v(n, 1.0); v.pop_back(); v.push_back(m); for (auto &x : v) x = m;", 0),
    ],
)
def test_a_full_container_moves_its_elements(text: str, loads: int) -> None:
    report = file_report(f"{HEAD}void f(int n, int m) {{ {text} }}", "x.cpp")
    found = report.regions[0].profile.loads.elements
    assert (found.lower.evaluate({"n": 6, "m": 4}), found.is_exact) == (loads, True)


def test_rows_of_an_earlier_row_are_not_those_that_an_iteration_makes() -> None:
    """They were assumed to have no elements, and the loop over them was left out of figures that were called exact."""
    loop = "for (size_t k = 0; k < g[i - 1][0].size(); k++) g[i - 1][0][k] = 1;"
    body = f"for (int i = 0; i < n; i++) {{ g[i].resize(1); g[i][0].resize(m); if (i > 0) {loop} }}"
    report = file_report(f"{HEAD}void f(int n, int m) {{ vector<vector<vector<double>>> g(n); {body} }}", "x.cpp")
    assert report.regions[0].profile.stores.elements.lower.symbols > {"m", "n"}


ADD = "for (auto &r : g) for (auto &v : r) v += 1;"
MEMBER = "struct M { vector<vector<double>> g; M(int n, int m) { g.resize(n, vector<double>(m, 1)); } }; "


@pytest.mark.parametrize(
    ("text", "flops"),
    [
        (f"for (int i = 0; i < 6; i++) {{ vector<double> w(4, 2.0); g[i] = move(w); }} {ADD}", 24),
        (f"for (int i = 0; i < 5; i++) {{ vector<double> w(8, 2.0); g[i] = move(w); }} {ADD}", 5 * 8 + 4),
        (f"for (int i = 0; i < 5; i++) {{ vector<double> w(8, 2.0); g[i] = w; }} {ADD}", 5 * 8 + 4),
        (f"for (int t = 0; t < 99; t++) {{ vector<double> w(4, 2.0); g[t % 6] = w; }} {ADD}", 24),
        ("for (int t = 0; t < 99; t++) { for (auto &v : a) v += 1; a = b; } for (auto &v : a) v += 1;", 4 + 99 * 8),
        ("for (int t = 0; t < 99; t++) { for (auto &v : p.v) v += 1; p = q; } for (auto &v : p.v) v += 1;", 4 + 99 * 8),
    ],
)
def test_assigned_containers_have_the_elements_of_the_others(text: str, flops: int) -> None:
    """The number of elements that one had before the loop was taken in all iterations and after it, as exact."""
    head = "vector<vector<double>> g(6, vector<double>(4, 1)); vector<double> a(4, 1.0), b(8, 1.0); P p{a}, q{b};"
    report = file_report(f"{HEAD}struct P {{ vector<double> v; }}; void f(int *x) {{ {head} {text} }}")
    found = report.regions[0].profile.work.flops
    assert (found.lower.evaluate({}), found.is_exact) == (flops, True)


@pytest.mark.parametrize("change", ["g[x[t]] = b;", "g[x[t]].resize(8);", "{ auto w = b; g[x[t]] = move(w); }"])
def test_after_assignments_to_rows_that_data_choose_their_numbers_of_elements_are_open(change: str) -> None:
    head = "vector<vector<double>> g(6, vector<double>(4, 1)); vector<double> b(8, 1.0);"
    report = file_report(f"{HEAD}void f(int *x) {{ {head} for (int t = 0; t < 999; t++) {change} {ADD} }}")
    found = report.regions[0].profile.work.flops
    assert not found.is_exact or found.lower.symbols


def test_rows_that_a_constructor_makes_by_resize_have_their_elements() -> None:
    body = "for (int i = 0; i < 6; i++) for (size_t k = 0; k < o.g[i].size(); k++) s += o.g[i][k];"
    report = file_report(f"{HEAD}{MEMBER}double f() {{ M o(6, 4); double s = 0; {body} return s; }}")
    found = report.regions[-1].profile.work.flops
    assert (found.lower.evaluate({}), found.is_exact) == (24, True)
