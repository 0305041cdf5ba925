"""Loops over all pairs of two ranges whose conditions test quotient and remainder; exits from several loops."""

import pytest

from tests.rows import file_report

PAIRS = "for (int k = 0; k < n * m; k++)"
BOTH = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"

DOWN = "for (int i = n; i > 0; i--) for (int j = m; j > 0; j--)"


@pytest.mark.parametrize(
    ("text", "flops"),
    [
        (f"{PAIRS} {{ int i = k / m, j = k % m; if (j <= i) a[k] += 1; }}", 1 + 2 + 3 + 4 * 7),
        (f"{PAIRS} {{ int i = k % n; for (int l = 0; l < i; l++) a[k / n] += 1; }}", 4 * 45),
        (f"{PAIRS} {{ if (k % m == 0 || k / m == n - 1) continue; a[k] += 1; }}", 9 * 3),
        ("for (int k = 0; k < n * n; ++k) if (k / n == k % n) a[k] += 1;", 10),
        (f"{BOTH} {{ if (i == 3) return; a[j] += 1; }}", 3 * 4),
        (f"{BOTH} {{ if (i + j > 5) goto out; a[j] += 1; }} out:;", 3 * 4 + 3),
        (f"{BOTH} {{ if (j > i) break; if (i == 5) goto out; a[j] += 1; }} out:;", 1 + 2 + 3 + 4 + 4),
        (f"{BOTH} {{ if (j == 2) break; if (i + j == 6) goto out; a[j] += 1; }} out:;", 2 * 5 + 1),
        (f"{DOWN} {{ if (i + j == 9) goto out; a[j] += 1; }} out:;", 4 + 4 + 3),
    ],
)
def test_they_are_exact(text: str, flops: int) -> None:
    report = file_report(f"void f(double *a, int n, int m) {{ {text} }}", "x.cpp")
    found, sizes = report.regions[0].profile.work.flops, {"n": 10, "m": 4}
    assert (found.lower.evaluate(sizes), found.is_exact) == (flops, True)
