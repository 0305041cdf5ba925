"""Sizes that no integer holds: an error of one line, and formulas with powers of two that are shown without sizes."""

from __future__ import annotations

import pytest

from analyzer.errors import OptionError
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

TEXT = """
void f(int n, double *a) {
  long m = 1L << 2 * n;
  for (long i = 0; i < m * m; i++) for (long j = 0; j < (1L << n / 2); j++) a[i] += 1;
}"""
SOURCE = SourceFile("x.c", TEXT, Language.C)


@pytest.mark.parametrize("n", ["65", "400", "1000"])
def test_a_bound_beyond_any_integer_is_an_error(n: str) -> None:
    with pytest.raises(OptionError, match=r"x\.c:4: a number of more than 256 bits"):
        list(analyze(SOURCE, AnalysisOptions(defines={"n": n})))


def test_exponents_are_no_large_sizes() -> None:
    (file,) = analyze(SOURCE, AnalysisOptions())
    (region,) = file.profile.regions
    assert region.work.flops.estimate.exponents == {"n"}
