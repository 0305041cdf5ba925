"""Nests behind tests of two sizes for equality: what they do when these are equal, not the nothing of most sizes."""

import pytest

from roofline import estimate, source_text

BODY = "for (int i = 0; i < n; i++) {{ {0}x[i] *= 2; }}"


def nest_of(head: str, inner: str = "", sizes: dict[str, int] | None = None):
    text = f"int f(int n, int s, int t, double *x) {{ {head} {BODY.format(inner)} return 0; }}"
    (region,) = estimate(source_text(text), "haswell", sizes=sizes or {}).regions
    return region.nests[-1]


@pytest.mark.parametrize(
    ("head", "when"),
    [
        ("if (n != s) return 1;", ("n = s",)),
        ("if (s != n) return 1;", ("s = n",)),
        ("if (n != s || s + 1 != t) return 1;", ("n = s", "s + 1 = t")),
        ("if (!(n == s && !(s + 1 != t))) return 1;", ("n = s", "s + 1 = t")),
        ("if (n == s)", ("n = s",)),
        ("if (n != s) x[0] = 1; else", ("n = s",)),
    ],
)
def test_what_runs_for_equal_sizes_is_told_for_these(head, when):
    nest = nest_of(head)
    assert nest.profile.when == when
    assert nest.flops.at(n=100) == nest.flops.at(n=100, s=100) == 100
    assert nest.flops.at(n=100, s=90) == 0
    assert nest.bytes.at(n=100) == 1600


def test_what_may_end_early_is_told_for_equal_sizes():
    nest = nest_of("if (n != s) return 1;", "if (x[i] < 0) return 2; ")
    assert nest.profile.when == ("n = s",)
    assert nest.flops.at(n=100) == 100


def test_one_size_stands_for_the_other():
    text = """int f(int r, int c, int s, int t, double *a, double *b) {
      if (r != s || c != t) return -1;
      for (int i = 0; i < r; i++) for (int j = 0; j < c; j++) a[i * c + j] += b[i * t + j];
      return 0;
    }"""
    (region,) = estimate(source_text(text), "haswell").regions
    assert region.nests[0].flops.at(r=10, c=20) == 200


def test_a_size_that_has_to_be_a_number_is_that_number():
    assert nest_of("if (n != 512) return 1;").flops.at() == 512


def test_what_runs_for_nearly_all_sizes_needs_no_condition():
    text = """void f(int n, double *x) {
      if (n == 0) return;
      if (n == 4) { for (int i = 0; i < n; i++) x[i] += 1; return; }
      for (int i = 0; i < n; i++) x[i] *= 2;
    }"""
    (region,) = estimate(source_text(text), "haswell").regions
    special, usual = region.nests
    assert (special.profile.when, special.flops.at(n=4)) == (("n = 4",), 4)
    assert (usual.profile.when, usual.flops.at(n=100)) == ((), 100)
    assert region.flops.at(n=100) == 100


@pytest.mark.parametrize(("s", "flops"), [(100, 100), (90, 0)])
def test_given_sizes_decide(s, flops):
    nest = nest_of("if (n != s) return 1;", sizes={"n": 100, "s": s})
    assert (nest.profile.when, nest.flops.at()) == ((), flops)
