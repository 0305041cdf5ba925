"""Kernels without FLOPs whose bytes are an estimate."""

from __future__ import annotations

from roofline import estimate, source_text
from roofline.model.verdicts.projected import Bound

COPY = """void copy(int n, double *a, const double *b) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom: a[0:n*n]) map(to: b[0:n*n])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      a[i * n + j] = b[i * n + j];
}
"""


def test_a_copy_with_indices_divided_by_its_length_is_bound_by_its_bytes() -> None:
    """2 x 33.5 MB take 48 us at 1.38 TB/s, its instructions 4 us: bytes that are not certain bind all the same."""
    (region,) = estimate(source_text(COPY, "c"), machines="a100", sizes={"n": 2048}).regions
    assert (region.bound, region.projections[0].level) == (Bound.MEMORY, "DRAM")
