"""Sizes at which a bound divides by zero: a finding, and a loop that does not run."""

from __future__ import annotations

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import FileProfile
from analyzer.source import Language, SourceFile

LOOP = "for (int i = 0; i < n / (p / g); i++) a[i] += 1;"
REST = "for (int i = 0; i < n % (p - g); i++) a[i] += 1;"


def profile(body: str, **sizes: int) -> FileProfile:
    source = SourceFile("x.c", f"void f(int n, int p, int g, double *a) {{ {body} }}", Language.C)
    (file,) = analyze(source, AnalysisOptions(defines={name: str(size) for name, size in sizes.items()}))
    return file.profile


@pytest.mark.parametrize(("body", "divisor", "g"), [(LOOP, "p/g", 4), (REST, "p - g", 2)])
def test_a_divisor_that_is_zero_is_a_finding(body: str, divisor: str, g: int) -> None:
    sizes = {"n": 10, "p": 2, "g": g}
    found = profile(f"{body} a[0] += 1;", **sizes)
    told = [dict(item.fields)["divisor"] for item in found.diagnostics if item.code == "AI218"]
    assert told == [divisor]
    assert found.regions[0].work.flops.estimate.evaluate(sizes) == 1


def test_what_a_condition_keeps_from_running_is_none() -> None:
    sizes = {"n": 10, "p": 2, "g": 4}
    found = profile(f"if (p >= g) {{ {LOOP} }} else a[0] += 1;", **sizes)
    assert "AI218" not in {item.code for item in found.diagnostics}
    assert found.regions[0].work.flops.estimate.evaluate(sizes) == 1


def test_formulas_of_quotients_of_quotients_are_shown_without_sizes() -> None:
    (region,) = profile(f"{LOOP} for (int i = 0; i < p / (g / n); i++) a[i] += 1;").regions
    assert "n/(p/g)" in str(region.work.flops.estimate)
