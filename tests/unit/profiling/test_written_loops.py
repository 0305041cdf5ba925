"""Short loops inside of others, as a compiler of the host writes them out."""

from __future__ import annotations

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile


@pytest.mark.parametrize(
    ("bound", "written"), [("4", True), ("16", True), ("17", False), ("18446744073709551615UL", False)]
)
def test_loops_of_few_iterations_are_written_out(bound: str, written: bool) -> None:
    loops = f"for (int i = 0; i < n; i++) for (unsigned long j = 0; j < {bound}; j++) a[i] += j;"
    text = f"void f(int n, double *a) {{ {loops} }}"
    (file,) = analyze(SourceFile("f.c", text, Language.C))
    (nest,) = file.regions[0].nests
    assert bool(nest.written_loops) == written


def test_calls_of_one_function_in_a_loop_that_repeats_them_have_their_own_loops() -> None:
    text = (
        "static double a[100], b[100]; void f(double *x, int n) { for (int i = 0; i < n; i++) x[i] *= 2; }\n"
        "void g() { for (int k = 0; k < 9; k++) { f(a, 100); f(b, 4); } }"
    )
    (file,) = analyze(SourceFile("f.c", text, Language.C))
    (driver,) = next(region for region in file.regions if region.function == "g").nests
    runs = [
        [inner.runs.estimate.evaluate({}) for inner in nest.written_loops or nest.inner_loops] for nest in driver.nests
    ]
    assert runs == [[900], [36]]
