"""Rows of linearised arrays: those of a nest where the nests of a function have none in common."""

from __future__ import annotations

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

TILES = """
  for (i = 0; i < n; i += t) for (j = 0; j < n; j += t)
    for (it = i; it < (n < i + t ? n : i + t); it++) for (jt = j; jt < (n < j + t ? n : j + t); jt++)
      b[jt + n * it] += a[it + n * jt];"""
FILL = "for (j = 0; j < n; j++) for (i = 0; i < n; i++) b[i + n * j] = 0;"


@pytest.mark.parametrize("body", [FILL + TILES, TILES + FILL, FILL])
def test_a_nest_beside_tiles_has_rows_of_its_own(body: str) -> None:
    text = f"void f(long n, long t, double *restrict a, double *restrict b) {{ long i, j, it, jt; {body} }}"
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions())
    (region,) = file.profile.regions
    fill = next(nest for nest in region.nests if nest.work.flops.is_zero)
    assert fill.distinct is not None
    written = fill.distinct.footprint.written.elements
    assert written.is_exact
    assert written.estimate.evaluate({"n": 7}) == 49
    assert "AI303" in {item.code for item in fill.assumptions}
