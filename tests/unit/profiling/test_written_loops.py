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
