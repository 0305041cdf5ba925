"""Counts that are a number from some size on."""

import pytest

from analyzer.quantities.saturated import is_saturated
from tests.checked import report_of

ALWAYS = "void f(int n, int m, double *a) {{ {} }}"


@pytest.mark.parametrize(
    ("body", "saturated"),
    [
        ("for (int i = 0; i < 100; i++) if (i < n) a[i] *= 2;", True),
        ("for (int i = 0; i < 100 && i < n; i++) a[i] *= 2;", True),
        ("for (int i = 0; i < 100; i++) if (i > n) a[i] *= 2;", False),  # none for large n
        ("for (int i = 0; i < 100; i++) if (i != n) a[i] *= 2;", True),  # 99 or 100
        ("for (int i = 0; i < 100; i++) if (i == n || i < 50) a[i] *= 2;", False),  # 50 or 51
        ("for (int i = 0; i < n; i++) a[i] *= 2;", False),
        ("for (int i = 0; i < 100; i++) a[i] *= 2;", False),
    ],
)
def test_a_count_is_saturated_where_no_size_has_more(body: str, saturated: bool) -> None:
    (file,) = report_of(ALWAYS.format(body)).files
    (region,) = file.regions
    assert is_saturated(region.profile.work.flops.estimate) is saturated
