"""Unsigned numbers below zero are the largest ones, in comparisons and as counters."""

import pytest

from tests.rows import file_report


@pytest.mark.parametrize(
    ("text", "flops"),
    [
        ("for (unsigned k = 0; k < 6u; k++) if (k - 2u < 3u) a[k] += 1;", 3),
        ("for (unsigned k = 0; k < 6u; k++) if (k - 2u > 2u) a[k] += 1;", 3),  # 0, 1 and 5
        ("for (unsigned k = 0; k < 6u; k++) if (3u > k - 2u) a[k] += 1;", 3),
        ("for (int k = 0; k < 6; k++) if ((unsigned)(k - 2) <= 3u) a[k] += 1;", 4),
        ("for (int k = 0; k < 6; k++) if (k - 2 < 3) a[k] += 1;", 5),  # signed
        ("unsigned k = 0; k -= 1; if (k > 1000u) for (int i = 0; i < n; i++) a[i] += 1;", 10),
        ("unsigned s = n, t = m; if (s - t > 100u) for (int i = 0; i < n; i++) a[i] += 1;", 10),
        ("unsigned s = m, t = n; if (s - t > 100u) for (int i = 0; i < n; i++) a[i] += 1;", 0),
        ("unsigned long k = (unsigned long)-1; if (k == ~0ul) for (int i = 0; i < n; i++) a[i] += 1;", 10),
        ("for (unsigned i = n - 1u; i < (unsigned)n; i--) a[i] += 1;", 10),
        ("for (unsigned char k = 250; k >= 250; k++) a[k - 250] += 1;", 6),
        ("for (unsigned i = 0; i < n - 1u; i++) a[i] += 1;", 9),
        ("for (unsigned i = n; i-- > 0;) a[i] += 1;", 10),
        ("for (int i = 0; i < 6; i++) { unsigned char k = i - 3; if (k > i) a[i] += 1; }", 3),
    ],
)
def test_they_wrap_around(text: str, flops: int) -> None:
    report = file_report(f"void f(double *a, int n, int m) {{ {text} }}", "x.cpp")
    found, sizes = report.regions[0].profile.work.flops, {"n": 10, "m": 12}
    assert (found.lower.evaluate(sizes), found.is_exact) == (flops, True)
