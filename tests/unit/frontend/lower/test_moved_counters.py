"""Numbers that a loop counts: by remainders of its iteration, or sums that are the bound of a loop behind."""

import pytest

from tests.rows import file_report

TWICE = "for (int i = 0; i < n; i++) { %s } for (int k = 0; k < %s; k++) a[k] += 1;"


@pytest.mark.parametrize(
    ("counted", "end", "number"),
    [
        ("if (i % 2 == 0) c++;", "c", 6),  # of 0 to 10
        ("if (i % 3 == 1) c++;", "c", 4),
        ("if (i % 3 != 1) c++;", "c", 7),
        ("if (i & 1) c += 2;", "c", 10),
        ("if (i % 2 == 0) b[c++] = i;", "c", 6),
        ("c += i;", "c", 55),
        ("c += i * i;", "c", 385),
        ("c += i;", "c / 5", 11),
        ("if (i < 4) c++;", "c", 4),
        ("if (i > 7) c += 3;", "c", 9),  # 8, 9 and 10
        ("if (2 * i < 7) c++;", "c", 4),
        ("if (i == 3) c += 5;", "c", 5),
        ("if (i != 3) c++;", "c", 10),
        ("if (i < 40) c++;", "c", 11),
        ("if (i < 3 || ++c > 20) b[i] = 0;", "c", 8),
    ],
)
def test_their_final_value_bounds_a_loop(counted: str, end: str, number: int) -> None:
    text = f"void f(double *a, double *b, int n) {{ int c = 0; {TWICE % (counted, end)} }}"
    found = file_report(text, "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 11}), found.lower.evaluate({"n": 0}), found.is_exact) == (number, 0, True)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("for (int i = 0; i < (m > 5 ? n - 5 : n); i++) a[i] += 1;", 6),
        ("for (int i = 0; i < (m > 50 ? n - 5 : n); i++) a[i] += 1;", 11),
        ("int step = m > 5 ? 2 : 1; for (int i = 0; i < n; i += step) a[i] += 1;", 6),
    ],
)
def test_a_bound_or_a_step_that_sizes_choose_is_known(text: str, number: int) -> None:
    found = file_report(f"void f(double *a, int n, int m) {{ {text} }}", "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 11, "m": 6}), found.is_exact) == (number, True)
