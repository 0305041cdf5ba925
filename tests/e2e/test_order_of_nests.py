"""Which nests of a program set it up, which it repeats, and the order of the first screen that follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Run = Callable[..., Outcome]

SOLVER = """
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
double norm(int n, const double *r);
void smooth(int n, double *x, const double *r);

double **make_rows(int n, int m) {
    double **rows = malloc(n * sizeof *rows);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < n; k++) rows[i][j] = i * 0.5 + k;
    return rows;
}
void draw(int n, int m, int k, double *x) {
    for (int i = 0; i < n * m; i++) x[i] = rand() / (double)RAND_MAX;
}
void report(int n, int m, int k, const double *x) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) printf("%g\\n", x[i * m + j] * 2);
}
void scratch(int n, int m, double *x) {
    double *t = malloc(n * sizeof *t);
    for (int i = 0; i < n; i++) t[i] = x[i] * 2;
    free(t);
}
void pack(int n, double *to, const double *from) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}
void solve(int n, int m, double *x, double *r) {
    double left = 1;
    while (left > 1e-9) {
        smooth(n, x, r);
        pack(n, r, x);
        scratch(n, m, x);
        left = norm(n, r);
    }
}
void start(int levels, int n, int m, double ***all) {
    for (int l = 0; l < levels; l++) all[l] = make_rows(n, m);
}
"""
KERNELS = """
double norm(int n, const double *r) {
    double s = 0;
    for (int i = 0; i < n; i++) s += r[i] * r[i];
    return s;
}
void smooth(int n, double *x, const double *r) {
    for (int i = 1; i < n; i++) x[i] = 0.5 * (r[i] + r[i - 1]) - x[i - 1];
}
"""
SET_UP = {"make_rows", "draw", "report"}  # start only repeats make_rows


@pytest.fixture
def screen(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    (tmp_path / "solver.c").write_text(SOLVER)
    (tmp_path / "kernels.c").write_text(KERNELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def lines(*options: str) -> list[str]:
        return run(".", "--machine", "haswell", *options).stdout.splitlines()

    return lines


def _order(lines: list[str]) -> list[str]:
    table = lines[4 : lines.index("", 4)]
    return [line.split(":")[0].split()[0] for line in table]


def test_solver_loops_come_before_set_up(screen: Callable[..., list[str]]) -> None:
    order = _order(screen("--all"))
    assert order.index("set-up,") > max(map(order.index, ("smooth", "norm", "pack", "scratch")))
    assert set(order[order.index("set-up,") + 1 :]) == SET_UP
    assert order.index("pack") > max(order.index("smooth"), order.index("norm"))  # it has no FLOPs


def test_first_screen(screen: Callable[..., list[str]], golden: Callable[[str, str], None]) -> None:
    golden("screens/solver.txt", "\n".join(screen()) + "\n")


def test_set_up_is_folded_and_the_order_is_said(screen: Callable[..., list[str]]) -> None:
    lines = screen()
    assert not SET_UP & set(_order(lines))
    assert any(line.startswith(" order: what loops call") for line in lines)
    assert any("3 of them set-up" in line for line in lines)


def test_random_numbers_that_fill_memory_are_set_up_and_those_that_are_summed_are_not(run: Run, tmp_path: Path) -> None:
    of_each = "std::mt19937 g; std::normal_distribution<double> d; for (int i = 0; i < n; i++)"
    (tmp_path / "x.cpp").write_text(f"""#include <random>
    double mean(int n) {{ double s = 0; {of_each} {{ double x = d(g); s += x * x; }} return s; }}
    void fill(double *v, int n) {{ {of_each} v[i] = d(g); }}
    void grow(double *v, int n) {{ for (int i = 0; i < n; i++) v[i] += 1; }}""")
    order = _order(run(str(tmp_path / "x.cpp"), "--machine", "haswell", "--all").stdout.splitlines())
    assert order[-4:] == ["mean", "grow", "set-up,", "fill"]


def test_a_nest_is_shown_where_the_program_gives_it_the_most_sizes(run: Run, tmp_path: Path) -> None:
    """Alone it has the sizes n, m and trip_L2; in its caller n and m are 5 and 1000."""
    (tmp_path / "x.c").write_text("""void sum(int n, int m, const int *p, double *x) {
        for (int k = 0; k < n; k++) for (int i = 0; i < m; i++) for (int j = 0; j < p[i]; j++) x[j] += 1.0; }
    void all(const int *p, double *x) { sum(5, 1000, p, x); }""")
    (row,) = [
        line for line in run(str(tmp_path / "x.c"), "--machine", "haswell").stdout.splitlines() if "sum:2" in line
    ][:1]
    assert "trip_L2" in row
    assert " n " not in row


def test_times_alone_give_the_order_where_all_sizes_are_known(screen: Callable[..., list[str]]) -> None:
    lines = screen("--function", "make_rows", "--function", "smooth", "-Dn=64", "-Dm=64", "--all")
    assert _order(lines) == ["make_rows", "smooth"]
    assert not any(line.startswith(" order:") for line in lines)
