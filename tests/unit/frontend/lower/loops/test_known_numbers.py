"""Programs whose whole numbers are all known: their loops run step by step, against hand counts."""

import pytest

from tests.rows import file_report

FUNCTIONS = """
static int collatz(int v) { int s = 0; while (true) { if (v == 1) return s; v = v % 2 ? 3 * v + 1 : v / 2; s++; } }
static int gcd(int p, int q) { for (;;) { if (q == 0) break; int t = p % q; p = q; q = t; } return p; }
static bool is_prime(int v) { for (int d = 2; d * d <= v; d++) if (v % d == 0) return false; return v > 1; }
static int digits(unsigned v) { int d = 1; while (v >= 10) { v /= 10; d++; } return d; }
struct Generator { unsigned s; unsigned next() { s = (s * 5 + 3) % 16; return s; } };
"""


def work_of(text, **sizes):
    report = file_report(text, defines={name: str(value) for name, value in sizes.items()})
    return next(each.profile.work.flops for each in report.regions if each.profile.function == "f")


ADD = "for (int i = 0; i < k; i++) a[i] += 1;"


@pytest.mark.parametrize(
    ("body", "additions"),
    [
        ("int k = collatz(6);" + ADD, 8),
        ("int k = collatz(27);" + ADD, 111),
        ("int k = gcd(84, 36);" + ADD, 12),
        ("for (int i = 0; i < digits(1234); i++) a[i] += 1;", 4),
        ("for (int i = 0; i < 20; i++) if (is_prime(i)) a[i] += 1;", 8),
        (
            "int v = 6; for (int s = 0; s < 9; s++) { if (v < 2) return; v = v % 2 ? 3 * v + 1 : v / 2; a[s] += 1; }",
            8,
        ),
        ("int v = 9, k = 0; for (;;) { k++; if (k % 2) continue; if (--v < 5) break; }" + ADD, 10),
        ("int k = 0; for (int i = 0; i < 12; i++) for (int j = 0; j < i; j++) k += (i + j) % 2 == 0;" + ADD, 30),
        ("int t[3] = {}, k; for (int i = 0; i < 10; i++) t[i % 3]++; k = t[0];" + ADD, 4),
        ("Generator g{1}; int k = 0; for (int i = 0; i < 16; i++) if (g.next() % 4 == 0) k++;" + ADD, 4),
        ("int k = 0; for (int i = 0; i < 5; i++) { a[i] += 1; if (i % 3 == 1) k += 2; }" + ADD, 5 + 4),
        (
            "bool s[30] = {}; int k = 0; for (int p = 2; p < 30; p++) if (!s[p]) { k++;"
            " for (int q = p * p; q < 30; q += p) s[q] = true; }" + ADD,
            10,
        ),
        (
            "int t[6] = {3, 1, 5, 2, 4, 0}, k = 0; for (int i = 1; i < 6; i++) { int v = t[i], j = i;"
            " while (j > 0 && t[j - 1] > v) { t[j] = t[j - 1]; j--; k++; } t[j] = v; }" + ADD,
            9,
        ),
    ],
)
def test_loops_over_known_numbers_run_step_by_step(body, additions):
    """What they leave in whole numbers is known: inversions, primes, steps of Collatz's numbers."""
    flops = work_of(f"{FUNCTIONS} void f(double *a) {{ {body} }}")
    assert flops.is_exact
    assert flops.estimate.evaluate({}) == additions


@pytest.mark.parametrize(
    "body",
    [
        "int k = 0; for (int i = 0; i < 9; i++) if (a[i] > 0) k++;",  # data decide
        "int v = n, k = 0; for (;;) { if (v == 1) break; v = v % 2 ? 3 * v + 1 : v / 2; k++; }",  # a size does
        "int v = 1, k = 0; for (;;) { if (v == 0) break; v += 2; k++; }",  # longer than what is tried
    ],
)
def test_loops_that_data_and_sizes_decide_are_open(body):
    assert work_of(f"{FUNCTIONS} void f(double *a, int n) {{ {body} {ADD} }}").estimate.symbols - {"n"}


def test_given_sizes_decide_conditions_of_a_loop_that_runs_step_by_step():
    """6, 3, 10, 5, 16, 8, 4, 2, 1: two of the steps are odd."""
    body = "int v = n; while (v != 1) { if (v % 2) { v = 3 * v + 1; a[v] += 1; } else v /= 2; }"
    flops = work_of(f"void f(double *a, int n) {{ {body} }}", n=6)
    assert flops.is_exact
    assert flops.estimate.evaluate({}) == 2


@pytest.mark.parametrize(
    ("declaration", "size", "number"),
    [
        ("constexpr float fs = 48000;", "int(fs) * 2", 96_000),
        ("const double h = 2.75;", "(int)h", 2),
        ("const float tenth = 0.1f;", "static_cast<int>(tenth)", 0),
    ],
)
def test_a_real_constant_of_the_function_makes_whole_numbers(declaration, size, number):
    text = f"void f(double *a, double *b) {{ {declaration} for (int i = 0; i < {size}; i++) a[i] += b[i]; }}"
    flops = work_of(text)
    assert (flops.lower.evaluate({}), flops.is_exact) == (number, True)


def test_what_is_computed_with_a_real_constant_of_the_function_is_work():
    text = "void f(double *a) { const double h = 0.5; for (int i = 0; i < 10; i++) a[i] = 2.0 * h; }"
    assert work_of(text).lower.evaluate({}) == 10


def test_a_counter_that_ends_at_a_given_size_is_known_without_its_iterations(monkeypatch):
    """``n`` is first used by the loop: its 40 iterations were lowered to tell that ``i`` is n after it."""
    monkeypatch.setattr("analyzer.frontend.lower.loops.stepwise.run_stepwise", None)
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += a[j];"
    outside = f"int i; {loops.replace('int i', 'i')} a[i] += 1;"
    text = f"void f(int n, double *a) {{ {loops} }} void g(int n, double *a) {{ {outside} }}"
    assert work_of(text, n=40).estimate.evaluate({"n": 40}) == 1600
