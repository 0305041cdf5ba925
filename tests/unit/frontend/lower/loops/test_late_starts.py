"""Loops that go on where data have left a counter: the rest of a merge, a partition, a search."""

import pytest

from roofline import estimate, source_text

MERGES = {
    "if": "if (a[i] <= b[j]) out[k++] = a[i++]; else out[k++] = b[j++];",
    "?:": "out[k++] = a[i] <= b[j] ? a[i++] : b[j++];",
    "both": "if (a[i] < b[j]) out[k++] = a[i++]; else if (a[i] > b[j]) out[k++] = b[j++]; "
    "else { out[k++] = a[i++]; j++; }",
}
MERGE = """void merge(const double *a, int n, const double *b, int m, double *out) {{
  int i = 0, j = 0, k = 0;
  while (i < n && j < m) {{ {step} }}
  while (i < n) {{ out[k++] = 2.0 * a[i]; i++; }}
  while (j < m) {{ out[k++] = 2.0 * b[j]; j++; }}
}}"""


@pytest.mark.parametrize("kind", MERGES)
def test_the_rest_of_a_merge_has_any_part_of_a_range(kind):
    """What is left of either is anything from nothing to all of it; a FLOP for each."""
    text = MERGE.format(step=MERGES[kind])
    region = estimate(source_text(text), sizes={"n": 30, "m": 50}).regions[-1]
    _, rest, other = region.nests
    assert [(nest.flops.lower, nest.flops.upper) for nest in (rest, other)] == [(0, 30), (0, 50)]


@pytest.mark.parametrize(
    "step",
    [
        "if (a[i] <= b[j]) i++; else { j++; i--; }",
        "if (a[i] <= b[j]) i++; else j++; if (a[i] < 0) { i -= 2; break; }",
    ],
)
def test_a_counter_that_also_falls_is_not_followed(step):
    text = MERGE.format(step=step)
    region = estimate(source_text(text)).regions[-1]
    assert "i" in str(region.nests[1].flops)


def test_the_number_of_iterations_can_be_given():
    """3 of 30 elements are left."""
    text = MERGE.format(step=MERGES["if"])
    region = estimate(source_text(text), sizes={"n": 30, "m": 50, "trip_L4": 3, "trip_L5": 0}).regions[-1]
    assert [nest.flops.at() for nest in region.nests[1:]] == [3, 0]
