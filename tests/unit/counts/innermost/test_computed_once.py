"""Operations that a compiler computes before: each number by hand."""

import pytest

from analyzer.counts.results import Repeated
from analyzer.ir.types import ScalarType
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile


def repeated(body: str, *, fma: bool = True) -> Repeated:
    text = f"""
    void f(int n, double *restrict a, const double *restrict b, const double *restrict c, double s, double t) {{
      for (int i = 1; i < n - 1; i++) {{ {body} }}
    }}"""
    (profile,) = analyze(SourceFile("k.c", text, Language.C), AnalysisOptions(fma=fma))
    iteration = profile.regions[0].nests[0].per_iteration
    assert iteration is not None
    return iteration.repeated


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("a[i] = (b[i] - s)*(b[i] - s)*(b[i] - s);", 2),
        ("a[i] = (b[i] + s)/(s + b[i]);", 1),
        ("a[i] = (b[i] - s)/(s - b[i]);", 0),
        ("double d = b[i] - c[i]; a[i] = d*d/(b[i] - c[i]);", 1),
        ("a[i] = b[i]*(s - t)*(s + t)*(s - t);", 3),
        ("a[i] = b[i]*(s/t);", 1),
        ("a[i] = (b[i-1] - s)*(b[i] - s)*(b[i+1] - s);", 0),
        ("double x = b[i]; double y = x*s; x = x + t; a[i] = y*(x*s);", 0),
        ("a[i] = a[i]/s; a[i+1] = a[i]/s;", 0),
        ("a[i] = (a[i-1] - s)/t; a[i+1] = (a[i-1] - s)*s;", 1),
        ("if (b[i] > 0) a[i] = b[i]*c[i]; else a[i] = -(b[i]*c[i]);", 0),
        ("if (b[i] > 0) a[i] = (b[i]/c[i])/(b[i]/c[i]);", 0.5),
        ("double x = b[i]/c[i]; if (x > 0) a[i] = b[i]/c[i];", 0.5),
    ],
)
def test_flops_that_are_computed_before(body: str, flops: float) -> None:
    assert repeated(body).flops.get(ScalarType.FP64, 0) == flops


def test_products_that_sums_take_in_stay() -> None:
    """Two FMAs compute ``b*c`` twice, in as many instructions as a product and two sums less one."""
    body = "a[i] = (b[i]*c[i] + s)/(b[i]*c[i] + t);"
    assert not repeated(body).flops
    assert repeated(body, fma=False).flops == {ScalarType.FP64: 1}
