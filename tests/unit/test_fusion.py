"""Loops that may be fused with the one before them."""

import pytest

from analyzer.transformations.fusion import fusible_pairs
from tests.lowering import lower

FIRST = "for (i = 0; i < n; i++) b[i] = a[i];"
SCALAR_FIRST = "for (i = 0; i < n; i++) { s = a[i]; b[i] = s; }"


def pairs(text):
    (region,) = lower(f"double a[100], b[100], c[100], s, t; {text}").regions
    return list(fusible_pairs(region.body).values())


@pytest.mark.parametrize(
    "text",
    [
        FIRST + "for (j = 0; j < n; j++) c[j] = a[j] + b[j];",
        FIRST + "t = 2 * s; for (j = 0; j < n; j++) c[j] = a[j] + b[j];",
        SCALAR_FIRST + "for (j = 0; j < n; j++) { s = a[j] + b[j]; c[j] = s; }",
        SCALAR_FIRST + "for (j = 0; j < n; j++) { if (a[j] > 0) s = 1; else s = 2; c[j] = s * b[j]; }",
        SCALAR_FIRST + "for (j = 0; j < n; j++) for (k = 0; k < 3; k++) { s = a[j] + b[j]; c[j] += s; }",
    ],
)
def test_loops_over_the_same_elements_may_be_fused(text):
    assert pairs(text) == [("a", "b")]


@pytest.mark.parametrize(
    "text",
    [
        FIRST + "s = a[0]; for (j = 0; j < n; j++) c[j] = s * b[j];",  # a scalar that is set between them
        FIRST + "s = b[7]; for (j = 0; j < n; j++) c[j] = a[j];",  # what stands between reads what the first writes
        SCALAR_FIRST + "for (j = 0; j < n; j++) c[j] = s * b[j];",  # a scalar of the first loop
        SCALAR_FIRST + "t = s; for (j = 0; j < n; j++) c[j] = a[j];",
        SCALAR_FIRST + "for (j = 0; j < n; j++) { if (a[j] > 0) s = 1; c[j] = s * b[j]; }",  # set on one way only
        SCALAR_FIRST + "for (j = 0; j < n; j++) { for (k = 0; k < m; k++) s = 1; c[j] = s * a[j] * b[j]; }",
        FIRST + "for (j = 0; j < n; j++) { if (b[j] > 0) break; c[j] = a[j]; }",
    ],
)
def test_loops_between_which_a_value_passes_stay_apart(text):
    assert pairs(text) == []


def test_rows_and_columns_of_one_array_are_not_read_at_the_same_time():
    """One loop over i would read row i and column i: every element twice all the same."""
    text = """double A[n][n], x[n], y[n];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i] += A[i][j];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += A[j][i];"""
    (region,) = lower(text).regions
    assert not fusible_pairs(region.body)
