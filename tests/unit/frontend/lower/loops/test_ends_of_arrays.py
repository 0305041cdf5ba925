"""Loops that data end before the end of an array that they go along."""

import pytest

from roofline import estimate, source_text

DECLARED = "double a[1000], w[500]; extern void fill(char *);"


@pytest.mark.parametrize(
    ("loop", "most"),
    [
        ("int i = 0; while (a[i] != key) i++;", 8_000),  # every element is tested
        ("int i = 999; while (a[i] > key) i--;", 8_000),
        ("int i = 0; while (a[i] < key) i += 4;", 2_000),
        ("for (int i = 0;; i++) { if (a[i] < 0) break; s += a[i]*w[i]; }", 8 * (501 + 500)),  # the test comes once more
        ("static char text[64]; fill(text); for (char *p = text; *p; p++) s += 1;", 64),
        ("static char text[64]; fill(text); int n = 3; while (text[n]) n++;", 61),
    ],
)
def test_a_loop_ends_before_the_array_does(loop, most):
    region = estimate(source_text(f"{DECLARED} double f(double key) {{ double s = 0; {loop} return s; }}")).regions[-1]
    assert region.nests[0].bytes.upper == most


@pytest.mark.parametrize(
    "loop",
    [
        "int i = k; while (a[i] != key) i++;",  # from an element that is not known
        "int i = 0; while (p[i] != key) i++;",  # an array of unknown size
        "int i = 0; while (a[0] != key) i++;",  # always the same element
        "while (a[i0[0]] != key) key += 1;",
    ],
)
def test_the_number_is_open_elsewhere(loop):
    text = f"{DECLARED} double f(double key, int k, const double *p, const int *i0) {{ {loop} return key; }}"
    region = estimate(source_text(text)).regions[-1]
    assert any("trip_L1" in symbol for symbol in region.profile.symbols)


QUEUES = {
    "malloc": "int *q = (int *)malloc(n * sizeof(int));",
    "calloc": "int *q = (int *)calloc(n, sizeof(int));",
    "new": "int *q = new int[n];",
    "vector": "std::vector<int> q(n);",
    "several": "int *q = new int[n]; if (n > 9) q = new int[2 * n];",
}


@pytest.mark.parametrize("kind", QUEUES)
def test_a_queue_gives_each_of_its_elements_once(kind):
    """Of n elements that are pushed, each is taken once, and is 1 FLOP: a search by breadth."""
    step = "for (int e = p[v]; e < p[v + 1]; e++) if (d[c[e]] < 0) { d[c[e]] = d[v] + 1; q[tail++] = c[e]; }"
    loop = f"while (head < tail) {{ int v = q[head++]; s += 1; {step} }}"
    head = "double f(int n, const int *p, const int *c, int *d) { double s = 0; int head = 0, tail = 0;"
    text = f"#include <cstdlib>\n#include <vector>\n{head} {QUEUES[kind]} q[tail++] = 0; {loop} return s; }}"
    flops = estimate(source_text(text, name="x.cpp")).regions[-1].profile.work.flops
    if kind == "several":
        assert str(flops.upper) == "q.size"
    else:
        assert (flops.lower.evaluate({"n": 9}), flops.upper.evaluate({"n": 9})) == (0, 9)
