"""Loops inside of another that move one counter: they run as often together as that can move."""

import pytest

from analyzer.frontend.lower.loops.shared.paths import paths
from analyzer.frontend.lower.names.symbols import LeftBy, Symbols
from analyzer.ir.index import unknown
from roofline import estimate, source_text
from tests.lowering import body, codes
from tests.rows import file_report

N, M = 24, 15
ARGUMENTS = "int n, int m, double *a, double *b, double *out, int *w"
IS_SPACE = "static int space(double x) { return x == 0 || x == 2; }\n"
BOUNDED = {
    "tokens": (
        "int i = 0; while (i < n) { while (i < n && space(a[i])) { i++; out[0] += 1; } "
        "while (i < n && !space(a[i])) { i++; out[1] += a[i]; } }",
        (0, 2 * N),
    ),
    "runs": (
        "for (int i = 0; i < n;) { int j = i + 1; while (j < n && a[j] == a[i]) { out[1] += 1; j++; } "
        "out[0] *= 2; i = j; }",
        (1, N - 1 + N),
    ),
    "runs from their first element": (
        "int i = 0; while (i < n) { int j = i; for (; j < n && a[j] == a[i]; j++) out[1] += 1; out[0] *= 2; i = j; }",
        (1, 2 * N),
    ),
    "what a run has": (
        "int i = 0; while (i < n) { int e = i + 1; while (e < n && a[e] == a[i]) e++; "
        "for (int q = i; q < e; q++) out[0] += a[q]; i = e; }",
        (0, N),
    ),
    "numbers": (
        "int i = 0; while (i < n) { if (a[i] > 0) { while (i < n && a[i] > 0) { out[0] += a[i]; i++; } } else i++; }",
        (0, N),
    ),
    "numbers with a fraction": (
        "int i = 0; while (i < n) { while (i < n && a[i] > 1) { out[0] += 1; i++; } if (i < n && a[i] == 1) { i++; "
        "while (i < n && a[i] != 0) { out[1] += 1; i++; } } i++; }",
        (0, 2 * N),
    ),
    "downwards": (
        "int i = n; while (i > 0) { while (i > 0 && a[i - 1] == 0) { out[0] += 1; i--; } "
        "while (i > 0 && a[i - 1] != 0) { out[1] += 1; i--; } }",
        (0, 2 * N),
    ),
    "three loops": (
        "int i = 0; while (i < n) { while (i < n && a[i] != 3) { while (i < n && a[i] == 0) { out[0] += 1; i++; } "
        "while (i < n && a[i] != 0 && a[i] != 3) i++; } if (i < n) i++; }",
        (0, N),
    ),
    "a stack": (
        "int top = 0; for (int i = 0; i < n; i++) { while (top > 0 && a[w[top - 1]] >= a[i]) { out[0] += 1; top--; } "
        "w[top++] = i; }",
        (0, N),
    ),
    "a stack that two elements are pushed on": (
        "int top = 0; for (int i = 0; i < n; i++) { if (a[i] > 1) while (top > 0 && a[w[top - 1]] > 0) "
        "{ out[0] += 1; top--; } w[top++] = i; w[top++] = i; }",
        (0, 2 * N),
    ),
    "parentheses": (
        "int top = 0; for (int i = 0; i < n; i++) { if (a[i] == 0) w[top++] = i; else if (a[i] == 1) { "
        "while (top > 0 && a[w[top - 1]] != 1) { top--; out[0] += 1; } if (top > 0) top--; } else w[top++] = i; }",
        (0, N),
    ),
    "a deque": (
        "int first = 0, last = -1; for (int i = 0; i < n; i++) { while (last >= first && a[w[last]] <= a[i]) "
        "{ out[0] += 1; last--; } w[++last] = i; if (w[first] <= i - m) first++; }",
        (0, N),
    ),
    "two ranges": (
        "int j = 0; for (int i = 0; i < n; i++) { while (j < m && b[j] < a[i]) { out[0] += 1; j++; } out[1] *= 2; }",
        (N, N + M),
    ),
    "a window": (
        "double s = 0; int l = 0; for (int r = 0; r < n; r++) { s += a[r]; "
        "while (l <= r && s > 4) { s -= a[l]; l++; } }",
        (N, 2 * N),
    ),
}
BOUNDED |= {
    "a stack that is emptied": (
        "int top = 0; for (int i = 0; i < n; i++) { w[top++] = i; "
        "if (a[i] > 1) { while (top > 0) out[0] += a[w[--top]]; } }",
        (0, N),
    ),
    "a buffer that is flushed": (
        "int k = 0; for (int i = 0; i < n; i++) { w[k++] = i; "
        "if (a[i] > 1) { for (int q = 0; q < k; q++) out[0] += a[w[q]]; k = 0; } }",
        (0, N),
    ),
    "what a segment has": (
        "int s = 0; for (int i = 0; i < n; i++) { if (a[i] > 1) { for (int q = s; q <= i; q++) out[0] += a[q]; "
        "s = i + 1; } }",
        (0, N),
    ),
    "a range that catches up": (
        "int l = 0; for (int r = 1; r < n; r++) { if (a[r] > 1) continue; for (; l < r; l++) out[0] += a[l]; }",
        (0, N - 1),
    ),
    "a test on data around": (
        "int i = 0; while (i < n && a[i] < 9) { while (i < n && a[i] == 0) i++; i++; out[0] += 1; }",
        (0, N),
    ),
}
OPEN = {
    "a buffer that is not flushed": "int k = 0; for (int i = 0; i < n; i++) { k++; "
    "for (int q = 0; q < k; q++) out[0] += 1; if (a[i] > 1) k = 0; }",
    "the counter starts again": "int j = 0; for (int i = 0; i < n; i++) { while (j < m && b[j] < a[i]) "
    "{ out[0] += 1; j++; } if (a[i] == 3) j = 0; }",
    "the counter stays where data say": "int j = 0; for (int i = 0; i < n; i++) { int k = j; "
    "while (k < m && b[k] < a[i]) { out[0] += 1; k++; } if (a[i] == 3) j = k; }",
    "an iteration may stay": "int i = 0, s = 0; while (i < n) { if (s == 0) { if (a[i] == 0) s = 1; else i++; } "
    "else { s = 0; while (i < n && a[i] == 0) { out[0] += 1; i++; } } out[1] *= 2; }",
    "an array of the tests changes": "int i = 0; while (i < n) { while (i < n && a[i] == 0) { out[0] += 1; i++; } "
    "a[i] = 0; while (i < n && a[i] != 0) { out[0] += 1; i++; } out[1] *= 2; }",
    "a variable of the tests changes": "int i = 0; while (i < n) { while (i < n && a[i] == m) { out[0] += 1; i++; } "
    "m++; while (i < n && a[i] != m) { out[0] += 1; i++; } out[1] *= 2; }",
}


def flops_of(text: str, **sizes: int):
    report = estimate(source_text(f"{IS_SPACE}void f({ARGUMENTS}) {{ {text} }}"), sizes=sizes)
    return report.regions[-1].profile.work.flops


def bounds(text: str) -> tuple[int, int]:
    flops, sizes = flops_of(text), {"n": N, "m": M}
    return flops.lower.evaluate(sizes), flops.upper.evaluate(sizes)


@pytest.mark.parametrize("kind", BOUNDED)
def test_the_loops_inside_run_at_most_as_often_as_the_counter_moves(kind):
    """What each counts is 1 FLOP: at most as many as elements are taken, or pushed."""
    text, expected = BOUNDED[kind]
    assert bounds(text) == expected


@pytest.mark.parametrize("kind", OPEN)
def test_what_is_not_shown_stays_a_symbol(kind):
    assert "trip_L" in str(flops_of(OPEN[kind]).upper)


def test_a_failure_function_is_assumed_to_fall():
    """In each of n iterations the position rises by 1 at most."""
    text = (
        "int k = 0; for (int i = 0; i < n; i++) { while (k > 0 && p[k] != t[i]) k = f[k - 1]; if (p[k] == t[i]) k++; }"
    )
    report = estimate(source_text(f"void find(const char *t, int n, const char *p, const int *f) {{ {text} }}"))
    (assumed,) = (item for item in report.regions[0].profile.assumptions if item.code == "AI304")
    assert ("element", "f[k - 1]") in assumed.fields


def test_elements_of_an_array_are_subtracted_from_a_window_once():
    """That the window ends where the array does is assumed: nothing else bounds its first element."""
    text = "double s = 0; int l = 0; for (int r = 0; r < n; r++) { s += a[r]; while (s > 4) s -= a[l++]; }"
    assert bounds(text) == (N, 2 * N)


def test_a_partition_takes_each_element_once():
    """Each of both sides moves at most over all elements, as is assumed, and at most n of them swap."""
    text = (
        "int i = 0, j = n - 1; while (i <= j) { while (a[i] < 0) { out[0] += 1; i++; } while (a[j] > 0) "
        "{ out[1] += 1; j--; } if (i <= j) { double t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } }"
    )
    assert bounds(text) == (0, 2 * N)


def test_the_mean_of_a_trip_count_can_be_given():
    """3 iterations in each of 10."""
    text = "int top = 0; for (int i = 0; i < n; i++) { while (top > 0 && a[top] > 0) { out[0] += 1; top--; } top++; }"
    assert flops_of(text, n=10, trip_L2=3).upper.evaluate({"n": 10, "trip_L2": 3}) == 30
    assert codes(f"void f({ARGUMENTS}) {{ {text} }}").count("AI203") == 0


def test_the_subscripts_are_those_of_the_counter_at_its_slowest():
    text = "int i = 0; while (i < n) { int j = i; while (j < n && a[j] == a[i]) j++; b[i] = a[j - 1]; i = j; }"
    lines = [line.strip() for line in body(text)]
    assert lines[:2] == ["for i in 0 .. n", "for j in i .. min(i + 1, n)"]
    assert "b[i] := a[i] (1 index)" in lines


CONTAINERS = {
    "vector": "std::vector<int> s; for (int i = 0; i < n; i++) { while (!s.empty() && a[s.back()] >= a[i]) "
    "{ out[0] += 1; s.pop_back(); } s.push_back(i); }",
    "stack": "std::stack<int> s; for (int i = 0; i < n; i++) { while (!s.empty() && a[s.top()] >= a[i]) "
    "{ out[0] += 1; s.pop(); } s.push(i); }",
    "deque": "std::deque<int> s; for (int i = 0; i < n; i++) { while (!s.empty() && a[s.back()] <= a[i]) "
    "{ out[0] += 1; s.pop_back(); } s.push_back(i); if (s.front() <= i - m) s.pop_front(); }",
    "iterators": "std::vector<double> v(n); for (auto p = v.begin(); p != v.end();) { auto q = p; "
    "while (q != v.end() && *q == *p) { out[0] += 1; ++q; } p = q; }",
    "a method": "Lexer l{a, n, 0}; while (l.at < l.n) { l.blanks(); out[0] += l.word(); }",
}
LEXER = """struct Lexer { double *s; int n, at;
  void blanks() { while (at < n && s[at] == 0) at++; }
  int word() { int first = at; while (at < n && s[at] != 0) at++; return at - first; } };"""


@pytest.mark.parametrize("kind", CONTAINERS)
def test_sizes_of_containers_and_members_are_counters(kind):
    """At most n elements are pushed, and taken: 1 FLOP each."""
    headers = "".join(f"#include <{name}>\n" for name in ("vector", "stack", "deque"))
    text = f"{headers}{LEXER} void f({ARGUMENTS}) {{ {CONTAINERS[kind]} }}"
    flops = file_report(text).regions[-1].profile.work.flops
    assert (flops.lower.evaluate({"n": N, "m": M}), flops.upper.evaluate({"n": N, "m": M})) == (kind == "a method", N)


def test_a_queue_starts_empty():
    """Each of n elements that are pushed is taken."""
    text = "#include <queue>\n#include <stack>\n"
    text += "double f(int n) { std::queue<double> q; std::stack<double> t; double s = 0; "
    text += "for (int i = 0; i < n; i++) { q.push(i); t.push(i); }"
    text += "while (!q.empty()) { s += q.front() + t.top(); q.pop(); t.pop(); } return s; }"
    flops = file_report(text).regions[-1].profile.work.flops
    assert (flops.is_exact, flops.lower.evaluate({"n": N})) == (True, 2 * N)


def test_the_test_of_a_loop_that_is_counted_from_0_is_that_of_its_counter():
    """It is tested at ``k - 1`` from the value of ``k`` on that data give."""
    text = "for (int i = 0; i < n; i++) { int k = w[i]; while (k > 0 && a[k - 1] > 0) k--; w[i] = k; }"
    (line,) = (line.strip() for line in body(text) if "test $1" in line)
    assert line.startswith("test $1 := compare.fp64(a[?{w[i]#0} - k - 1], 0.0)")


def test_a_value_that_a_loop_leaves_and_begins_with_has_no_paths() -> None:
    """The members of an object in a kernel that is inlined several times: the search went round for 20 s."""
    symbols, left = Symbols({}, {}, {}), unknown("x", set())
    symbols.left_by["x"] = LeftBy("i", left + 1, 0, None)
    assert paths(left, symbols) == []
    symbols.left_by["x"] = LeftBy("i", unknown("y", set()), 0, None)
    symbols.left_by["y"] = LeftBy("j", left, 0, None)
    assert paths(left, symbols) == []
