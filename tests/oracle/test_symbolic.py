"""A report without sizes against reports with random ones: no formula, intensity or "at most" contradicts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline import estimate, source_text
from tests.symbolic import compared

_SOURCES = sorted((Path(__file__).parents[1] / "data" / "verdicts").iterdir())
_VECTORS = 3


@pytest.mark.slow
@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: source.name)
def test_sizes_never_contradict_what_is_said_without_them(source: Path) -> None:
    found = compared(source, "v100" if source.suffix == ".cu" else "haswell", _VECTORS)
    assert found.rows
    assert found.figures
    assert not found.wrong, "\n".join(found.wrong)


def test_work_outside_of_the_inner_loop_is_faster_for_small_sizes() -> None:
    """The quotient of a row costs the core no cycles here: more FLOPs for each iteration of the sum with a small m."""
    text = """void f(int n, int m, double *restrict a, double *restrict b, double *restrict s) {
      for (int i = 0; i < n; i++) { double t = 0; for (int j = 0; j < m; j++) t += a[j] * b[j]; s[i] = t * t * t / 3; }
    }"""
    (region,) = estimate(source_text(text), "haswell").regions
    assert region.projections[0].for_large_sizes
    assert not compared(source_text(text), "haswell", _VECTORS).wrong
