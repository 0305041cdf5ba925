"""What can be given of elements that data choose: the arrays that decide, which are not given yet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome

Run = Callable[..., Outcome]

ROWS = """void spmv(int n, const int *ptr, const int *col, const double *val, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int k = ptr[i]; k < ptr[i + 1]; k++) y[i] += val[k] * x[col[k]];
}
"""
MADE = """void f(int n, int *p, const int *q, const double *x, double *y) {
  for (int i = 0; i < n; i++) p[i] = q[i] * q[i];
  for (int i = 0; i < n; i++) y[i] += x[p[i]];
}
"""


@pytest.mark.parametrize(
    ("text", "given", "hint"),
    [
        (ROWS, "", "(give col, ptr with --array)"),
        (ROWS, "col", "(give ptr with --array)"),
        (ROWS, "ptr", "(give col with --array)"),
        (MADE, "", "(read the bytes as the interval that they are)"),  # p is made here: nothing that is given decides
    ],
)
def test_arrays_that_are_still_to_be_given(
    text: str, given: str, hint: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.c").write_text(text)
    Path("ptr.txt").write_text(" ".join(str(7 * row) for row in range(2001)))
    Path("col.txt").write_text(" ".join(str(3 * at % 2000) for at in range(14000)))
    sizes = ("--machine", "haswell", "-D", "n=2000") + (("-D", "trip_L3=7") if text == ROWS and given != "ptr" else ())
    arrays = ("--array", f"{given}={given}.txt") if given else ()
    found = " ".join(run("f.c", *sizes, *arrays, "-v").stdout.split())
    assert f"equally likely elements {hint}" in found or hint in found
