"""Which arrays a nest streams to memory."""

import pytest

from roofline import estimate, source_text

HEAD = "void f(int n, int m, float *restrict a, float *restrict mean, const float *restrict b)"


@pytest.mark.parametrize(
    ("body", "streams"),
    [
        ("for (int j = 0; j < m; j++) a[i * m + j] = b[i * m + j];", {"a"}),
        ("for (int j = 0; j < m; j++) a[i * m + j] = b[i * m + j]; mean[i] = 0;", {"a"}),  # a line of mean in 16 rows
        ("float s = 0; for (int j = 0; j < 3; j++) s += b[3 * i + j]; mean[i] = s;", {"mean"}),  # a few elements
        ("mean[i] = b[i];", {"mean"}),
    ],
)
def test_a_loop_between_two_stores_of_a_line(body, streams):
    (region,) = estimate(source_text(f"{HEAD} {{ for (int i = 0; i < n; i++) {{ {body} }} }}", "c")).regions
    assert {each.array for each in region.nests[0].profile.stored_streams} == streams
