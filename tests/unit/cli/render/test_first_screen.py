"""The first screen of a profile that has no more than it shows is that of a whole one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile
from cli.render.hotspots.costs import costs_of
from cli.render.hotspots.view import View
from cli.render.overview.overview import render_overview
from roofline.estimation import Source, analyze_here, estimate, source_text
from tests.oracle.sources import ROOT

_VIEW = View()
_NESTS = """
void f(int n, int m, double a[n][m], double *x, double *y, int *index)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = x[i] * y[j];
    for (int i = 0; i < n; i++)
        if (index[i] > 0)
            s += a[i][0] * x[index[i]];
    for (int t = 0; t < 10; t++) {
        for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i + 1];
        for (int i = 0; i < n; i++) x[i] = y[i];
    }
    x[0] = s;
}
void g(int flag, int n, double *x) {
    if (flag == 1) for (int i = 0; i < n; i++) x[i] *= 2;
    else for (int i = 0; i < n; i++) x[i] = 1;
    for (int i = 1; i < n; i++) x[i] += x[i - 1];
}
int main(void) { static double a[64][32], x[64], y[64]; static int k[64]; f(64, 32, a, x, y, k); g(1, 64, x); }
"""


def analyze_partly(sources: Sequence[Source], options: AnalysisOptions) -> tuple[AnalyzedFile, ...]:
    return analyze_here(sources, replace(options, in_full=False))


@pytest.mark.parametrize("machine", ["haswell", "v100"])
@pytest.mark.parametrize("name", ["nests.c", "fused", "star9", "cuda_tile", "cuda_reduction"])
def test_the_screen_needs_no_more_than_the_partial_profile(name: str, machine: str) -> None:
    paths = sorted(path for path in Path(ROOT / "corpus" / name).glob("*.c*"))
    sources: list[Source] = [*paths] or [source_text(_NESTS, name)]
    whole, partial = (estimate(sources, machine, analyze=analyze) for analyze in (analyze_here, analyze_partly))
    assert render_overview(partial, View()) == render_overview(whole, View())


def test_several_nests_together_have_distinct_data_only_in_full() -> None:
    (whole,), (partial,) = (
        estimate(source_text(_NESTS), "haswell", functions=("f",), analyze=analyze).regions
        for analyze in (analyze_here, analyze_partly)
    )
    assert whole.profile.distinct is not None
    assert partial.profile.distinct is None
    with pytest.raises(ValueError, match="not counted"):
        _ = partial.profile.footprint
    assert [nest.profile.footprint.touched.bytes.estimate.evaluate({"n": 9, "m": 5}) for nest in partial.nests] == [
        nest.profile.footprint.touched.bytes.estimate.evaluate({"n": 9, "m": 5}) for nest in whole.nests
    ]


def test_without_sizes_a_bound_is_that_of_held_data_and_of_large_sizes() -> None:
    """While L3 holds x and y only 32 n bytes move for 5 n^2 FLOPs; beyond, 16 for 5 in each iteration."""
    text = """void f(int n, const double *restrict x, const double *restrict y, double *restrict z) {
      for (int i = 0; i < n; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += x[j] * y[j] / (1.0 + x[i]);
        z[i] = s;
      } }"""
    screen = render_overview(estimate(source_text(text, "c"), "haswell"), View())
    assert "compute, DRAM if large" in screen
    assert "L1 holds x, y, z for the next iteration of i" in screen


def screen_of(text: str, machine: str = "haswell", view: View = _VIEW, name: str = "c") -> str:
    return render_overview(estimate(source_text(text, name), machine), view)


def test_alternatives_of_a_size_are_not_added_up() -> None:
    """Of 5,000 and 6,000 iterations one of both happens; two loops one after the other are 11,000."""
    loop = "for (int i = 0; i < m; i++) a[i] += 1;"
    one = screen_of(f"void f(double *a, int mode) {{ int m; m = mode ? 5000 : 6000;\n{loop} }}")
    assert " 6 k " in one
    assert "f:2 is shown for mode = 0" in one
    assert " 11 k " in screen_of(
        f"void g(double *a, int m) {{\n{loop} }} void f(double *a) {{ g(a, 5000); g(a, 6000); }}"
    )


def test_a_reason_is_that_of_the_nest_that_it_names() -> None:
    """Figures of one nest are not said of another one that the same bandwidth limits."""
    text = """double a[9000000], b[9000000]; void f(void) {
      for (int i = 0; i < 9000000; i++) a[i] = 1;
      for (int i = 0; i < 9000000; i++) a[i] += 2 * b[i]; }"""
    screen = " ".join(screen_of(text).split())
    assert "f:3: DRAM bandwidth" in screen
    assert "DRAM bandwidth also limits f:2" in screen


@pytest.mark.parametrize(("body", "is_reused"), [("a[i] = b[i] + c[i]", False), ("a[i] = a[i] + c[i]", True)])
def test_repetitions_of_a_measurement_are_counted_and_not_blocked(body: str, is_reused: bool) -> None:
    """Ten times the same work is ten measurements; what one of them reads of the one before is worth reuse."""
    text = f"""#define N 9000000
      double a[N], b[N], c[N]; void k(int r) {{
      for (int i = 0; i < N; i++) {body}; }}
      int main() {{ for (int r = 0; r < 10; r++) k(r); }}"""
    screen = screen_of(text)
    assert "k:3 (x 10) " in screen
    assert ("fusion, blocking" in " ".join(screen.split())) == is_reused


def test_members_of_structures_in_repeated_nests() -> None:
    """Of 128 bytes of a structure 48 are read and 24 written, each once: members apart from the rest spare some."""
    text = """typedef struct { double x, y, z, u, v, w, mass, charge; } body; body p[4000000]; double q[4000000];
      void f(void) { for (int t = 0; t < 20; t++) {
        for (int i = 0; i < 4000000; i++) { p[i].x += p[i].u; p[i].y += p[i].v; p[i].z += p[i].w; }
        for (int i = 0; i < 4000000; i++) q[i] += p[i].x; } }"""
    assert "keep the members of p that are used here apart from the others" in " ".join(screen_of(text).split())


def test_what_is_reached_stands_beside_what_no_order_is_below() -> None:
    text = """void f(double a[2000][2000], double b[2000][2000], double c[2000][2000]) { for (int i = 0; i < 2000; i++)
      for (int j = 0; j < 2000; j++) for (int k = 0; k < 2000; k++) c[i][j] += a[i][k] * b[k][j]; }"""
    report = estimate(source_text(text, "c"), "haswell", cores=1, advise=True)
    said = " ".join(render_overview(report, View()).split())
    assert re.search(r"moves less than .* from L2 \(547 GB now, .* GB if you block the nest", said)


def test_a_bound_that_conditions_on_data_leave_is_not_said() -> None:
    """The pivot of a row may be in any: what is certain to move is next to nothing."""
    text = """void lu(double a[2000][2000], int *piv) { for (int k = 0; k < 2000; k++) {
      int p = k;
      for (int i = k + 1; i < 2000; i++) if (a[i][k] > a[p][k]) p = i;
      piv[k] = p;
      if (p != k) for (int j = 0; j < 2000; j++) { double t = a[p][j]; a[p][j] = a[k][j]; a[k][j] = t; }
      for (int i = k + 1; i < 2000; i++) for (int j = k + 1; j < 2000; j++) a[i][j] -= a[i][k] * a[k][j]; } }"""
    assert "no order moves less" not in screen_of(text)


@pytest.mark.parametrize(("element", "is_said"), [("a[i][j]", True), ("a[j][i]", False)])
def test_other_orders_are_named_where_the_innermost_loop_goes_across_lines(element, is_said):
    """Without sizes bytes are those of lines that stay until their neighbours are used: nothing else says it."""
    text = (
        f"void f(int n, double a[n][n]) {{ for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) {element} *= 2; }}"
    )
    assert ("--advise tries other loop orders" in screen_of(text)) == is_said


def test_the_share_of_the_roof_of_a_loop_that_data_end_is_that_of_what_is_counted() -> None:
    """It is that of the figures in its row: FLOPs over the attainable rate, and that over the expected time."""
    text = """#include <math.h>
    static double a[1000][1000], b[1000][1000];
    int main(void) {
        for (int t = 0; t < 100; t++) {
            for (int i = 1; i < 999; i++)
                for (int j = 1; j < 999; j++)
                    b[i][j] = a[i][j] + 0.1 * (a[i + 1][j] + a[i - 1][j] + a[i][j + 1] + a[i][j - 1]);
            if (fabs(b[500][500] - a[0][0]) < 1e-9) break;
        }
    }
    """
    report = estimate(source_text(text), "haswell")
    machine = costs_of(report).spots[0].machines[0]
    flops = report.regions[0].nests[0].profile.work.flops.estimate.evaluate({})
    at_roof = float(flops) / machine.projection.attainable.value
    assert machine.share_of_roof == pytest.approx(min(1, at_roof / machine.expected))
    assert at_roof > 1.1 * machine.seconds


def test_a_heading_counts_its_own_loop_and_rows_what_differs() -> None:
    """Of 10 steps 2 sum up; each doubles ``a`` 5 times and ``b`` once, and adds 5 times."""
    text = screen_of("""
    static void twice(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }
    static void add(double *a, double *b, int n) { for (int i = 0; i < n; i++) a[i] += b[i]; }
    static double sum(double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
    double f(double *restrict a, double *restrict b) {
      double s = 0;
      for (int t = 0; t < 10; t++) {
        if (t % 5 == 0) s += sum(a, 1000000);
        for (int r = 0; r < 5; r++) { twice(a, 1000000); add(a, b, 1000000); }
        twice(b, 1000000);
      }
      return s;
    }""")
    assert re.search(r"f:\d+-\d+, 10 times$", text, re.MULTILINE)
    assert re.search(r" sum:\d+ \(2 times\) ", text)
    assert re.search(r" twice:\d+ \(x 6\) ", text)
    assert re.search(r" add:\d+ \(x 5\) ", text)


@pytest.mark.parametrize(("term", "is_said"), [("a[i][j]", True), ("x(x(x(x(x(a[i][j])))))", False)])
def test_misses_that_take_no_time_are_not_said(term: str, is_said: bool) -> None:
    """64 lines 8 KiB apart in 8 ways of L1: L2 sends 64 B an element, some ns; each of 15 calls takes more."""
    text = screen_of(f"""
    static double x(double y) {{ return pow(exp(y), sin(y)); }}
    double a[64][1024];
    double f(void) {{
      double s = 0;
      for (int t = 0; t < 10; t++) for (int j = 0; j < 1024; j++) for (int i = 0; i < 64; i++) s += {term};
      return s;
    }}""")
    assert "memory (L" in text or "latency" in text
    assert ("AI404" in text) == is_said


def test_nests_of_special_sizes_are_folded() -> None:
    """Where n is 3 alone a nest does nothing at other sizes."""
    loop = "for (int i = 0; i < %s; i++) a[i + %d] += 2;\n"
    several = "".join(loop % ("n", offset) for offset in range(3))
    text = f"void f(int n, int m, double *a) {{\nif (n == 3)\n{loop % ('m', 3)}else {{\n{several}}} }}"
    assert [int(line) for line in re.findall(r"^ f:(\d+) ", screen_of(text), re.MULTILINE)] == [5, 6, 7]


def test_nests_on_conditions_on_data_are_shown() -> None:
    """Both ways may run, each as likely as not; a path for a special size may not be seen, these are."""
    text = """void f(int n, double al, double *a) {
    if (al == 1.0) for (int i = 0; i < n; i++) a[i] += 2;
    else for (int i = 0; i < n; i++) a[i] = al*a[i] + 2; }"""
    screen = screen_of(text)
    assert re.search(r"^ f:3 ", screen, re.MULTILINE)
    assert "condition on data" in screen


def test_work_in_functions_that_allocate_is_that_of_the_loop_that_calls_them() -> None:
    """A search that makes what it does not find is set-up, but not each call of a loop over the words of a text."""
    text = screen_of("""
    struct entry { int key, count; struct entry *next; };
    static struct entry *table[1024];
    static struct entry *find(int key) {
      for (struct entry *e = table[key & 1023]; e; e = e->next) if (e->key == key) return e;
      struct entry *e = malloc(sizeof *e);
      return table[key & 1023] = e;
    }
    void count(const int *keys, char *seen, int n) {
      for (int i = 0; i < n; i++) {
        seen[i] = 0;
        for (int k = 0; k < 8; k++) seen[i] += (keys[i] >> k) & 1;
        if (keys[i] > 0) find(keys[i])->count++;
      }
    }
    void a(double *x, int m) { for (int i = 0; i < m; i++) x[i] += 1; }
    void b(double *x, int m) { for (int i = 0; i < m; i++) x[i] *= 2; }
    void c(double *x, int m) { for (int i = 0; i < m; i++) x[i] -= 1; }""")
    assert re.search(r"^ count:[\d-]+ ", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("body", "is_set_up"),
    [
        ("s[i] = (a[i] ^ b[i]) + ((a[i] & b[i]) >> 1) * 3 + (a[i] >> 4);", False),
        ("x = x * 1103515245 + 12345; s[i] = (x >> 16) & 255;", True),
        ("s[i] = a[i];", True),
    ],
)
def test_integer_work_in_a_function_that_gives_its_result_in_new_memory(body: str, is_set_up: bool) -> None:
    """What computes with what memory holds is no set-up, as with FLOPs; filling and copying are."""
    text = f"""#include <stdlib.h>
    int *mixed(int n, const int *a, const int *b) {{
      int *s = malloc(n * sizeof(int)); unsigned x = 7;
      for (int i = 0; i < n; i++) {{ {body} }}
      return s; }}
    void other(int n, double *y) {{ for (int i = 0; i < n; i++) y[i] *= 2; }}"""
    assert ("set-up, input, output:" in screen_of(text)) == is_set_up


def test_all_sizes_are_named_with_all_rows() -> None:
    nests = "".join(f"for (int i = 0; i < {size}; i++) a[i] += 1;\n" for size in "bcdeg")
    text = f"void f(int b, int c, int d, int e, int g, double *a) {{\n{nests}}}"
    assert "-D e=1000 and 1 more (--all)" in screen_of(text)
    assert "-D e=1000 -D g=1000\n" in screen_of(text, view=View(top=0))


@pytest.mark.parametrize(("arguments", "moved"), [("u, u", "16 MB"), ("u, v", "32 MB")])
def test_a_function_of_known_sizes_is_shown_as_it_is_called(arguments: str, moved: str) -> None:
    """By itself it reads two arrays of 2 million numbers; called with one array twice it reads that."""
    text = f"""static double u[2000000], v[2000000];
        double dot(const double *a, const double *b) {{
          double s = 0; for (int i = 0; i < 2000000; i++) s += a[i] * b[i]; return s; }}
        double f(void) {{ return dot({arguments}); }}"""
    screen = render_overview(estimate(source_text(text, "c"), "haswell", cores=1), _VIEW)
    assert re.search(rf"dot:3 .* {moved} ", screen)


def test_instances_of_a_template_leave_room_for_other_kernels() -> None:
    """Twenty instances have three rows, the heaviest ones, and a note; all have rows with --all."""
    kernel = "template <int N> __global__ void k(float *a) { for (int i = 0; i < N; i++) a[threadIdx.x] *= a[i]; }\n"
    launches = "".join(f"k<{size}><<<1, 32>>>(a);\n" for size in range(1, 21))
    text = f"{kernel}__global__ void z(float *a) {{ a[0] = 1; }}\nvoid f(float *a) {{\n{launches}z<<<1, 1>>>(a); }}"
    few, every = (screen_of(text, "v100", view, "x.cu") for view in (View(), View(top=0)))
    rows = [re.findall(r"^ ([kz])\S*:\d+  ", screen, re.MULTILINE) for screen in (few, every)]
    assert rows == [["k"] * 3 + ["z"], ["k"] * 20 + ["z"]]
    assert "17 more instances of k (--all)" in few
    assert "more instance" not in every


def test_the_sentence_names_the_same_limit_as_the_column() -> None:
    chain = "void f(int n, double *a) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * 0.5 + 1; }"
    screen = render_overview(estimate(source_text(chain, "chain.c"), "haswell"), View())
    assert "latency limits" in screen
    assert "core throughput limits" not in screen


_EQUAL_LOOPS = """double a[1000000], b[1000000], c[1000000];
void relax(double s) {
  for (int i = 0; i < 1000000; i++) a[i] += s * b[i];
  for (int i = 0; i < 1000000; i++) c[i] = a[i] * a[i];
  for (int i = 0; i < 1000000; i++) a[i] += s * b[i];
  for (int i = 0; i < 1000000; i++) a[i] += s * b[i];
  for (int i = 0; i < 1000000; i++) a[i] += s * b[i];
}
void other(double s) { for (int i = 0; i < 1000000; i++) a[i] += s * b[i]; }
"""


def test_equal_loops_with_equal_figures_take_one_row() -> None:
    """The first one finds no data in a cache, as c has none before it, and the one after it finds a and b in L3."""
    rows = screen_of(_EQUAL_LOOPS).split("\n\n")[1]
    named = re.findall(r"(?:relax|other):\d+(?: \(each of \d alike\))?", rows)
    assert sorted(named) == ["relax:3 (each of 2 alike)", "relax:4", "relax:5 (each of 3 alike)"]
    assert re.search(r"relax:5 \(each of 3 alike\).*\b2 M ", rows)
    every = screen_of(_EQUAL_LOOPS, view=View(top=0)).split("\n\n")[1]
    assert sorted(re.findall(r"relax:\d+", every)) == ["relax:3", "relax:4", "relax:5", "relax:6", "relax:7"]
    assert "alike" not in every


def test_a_kernel_without_a_launch_says_that_it_is_not_coalesced() -> None:
    text = """__global__ void scale(int n, float *y, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) for (int k = 0; k < n; k++) y[ORDER] = 2.0f * x[ORDER];
}"""
    by_rows, by_columns = (
        screen_of(text.replace("ORDER", order), "v100", name="cu") for order in ("i*n + k", "k*n + i")
    )
    assert "neighbouring threads are 4*n bytes apart" in by_rows
    assert "neighbouring threads" not in by_columns
    assert "need a launch, as in --launch 'scale:grid=1024,block=256'" in by_columns


def test_a_driver_whose_iterations_main_runs_one_by_one_needs_no_sizes() -> None:
    """Its nests have times where ``main`` calls it; the loop around them, by itself, asked for sizes of the class."""
    text = """#include <utility>
        #include <vector>
        struct M {
          int n; std::vector<std::vector<double>> g;
          M(int n_) : n(n_), g(3, std::vector<double>(n_, 1.0)) {}
          double sum() const {
            double s = 0; for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) s += g[k][i]; return s; }
          void step() { for (int k = 0; k < 3; k++) { std::vector<double> w(n + 1, 2.0); g[k] = std::move(w); } n++; }
          double run(int times) { double s = 0; for (int t = 0; t < times; t++) { s += sum(); step(); } return s; }
        };
        int main() { M m(1000); return m.run(4) > 1; }"""
    screen = render_overview(estimate(source_text(text, "x.cpp"), "haswell"), View(top=0))
    assert "drivers of those above" not in screen
    assert re.search(r"counted in those above:\n\s+M::run:9 ", screen)


def test_runs_of_a_nest_add_up_with_and_without_sizes():
    """Three calls of one function: the row named three of them and had the formula of one."""
    text = """static void scale(double *a, int n) { for (int i = 0; i < n; i++) a[i] *= 2; }
    void f(double *a, double *b, int n) { BODY scale(a, n); scale(b, n); scale(a, n); }"""
    for sizes, flops in (("", " 3*n "), ("n = 1000;", " 3 k ")):
        screen = screen_of(text.replace("BODY", sizes))
        assert "(x 3)" in screen
        assert flops in screen
