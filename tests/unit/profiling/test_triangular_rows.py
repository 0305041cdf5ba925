"""Packed triangles: each element counts once, in rows of its own, where the columns stay within their rows."""

from __future__ import annotations

import pytest

from analyzer.domains import triangular_rows
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.quantities.quantity import Quantity
from analyzer.source import Language, SourceFile

LOWER = "for (long i = 0; i < n; i++) for (long j = 0; j <= i; j++)"
UPPER = "for (long i = 0; i < n; i++) for (long j = i; j < n; j++)"
COLUMNS = "for (long j = 0; j < n; j++) for (long i = j; i < n; i++)"


def written(body: str) -> Quantity:
    """Return the distinct elements of ``a`` that are written."""
    text = f"void f(long n, double *restrict a) {{ {body} }}"
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions())
    (region,) = file.profile.regions
    assert region.distinct is not None
    return region.distinct.footprint.written.elements


@pytest.mark.parametrize(
    ("body", "at_seven"),
    [
        (f"{LOWER} a[i*(i+1)/2 + j] = 1;", 28),
        (f"{LOWER} a[(i*(i+1) >> 1) + j] = 1;", 28),
        (f"{LOWER} a[2*(i*(i+1)/2 + j) + 1] = 1;", 28),
        ("for (long i = 1; i < n; i++) for (long j = 0; j < i; j++) a[i*(i-1)/2 + j] = 1;", 21),
        ("for (long i = n; i-- > 0;) for (long j = 0; j <= i; j++) a[i*(i+1)/2 + j] = 1;", 28),
        ("for (long i = 0; i < n; i++) for (long j = 0; j < n - i; j++) a[(n-1-i)*(n-i)/2 + j] = 1;", 28),
        (f"{UPPER} a[i*n - i*(i-1)/2 + j - i] = 1;", 28),
        (f"{UPPER} a[i*(2*n-i+1)/2 + (j - i)] = 1;", 28),
        (f"{COLUMNS} a[i + j*(2*n-j-1)/2] = 1;", 28),
        ("for (long i = 0; i < n; i++) for (long j = i+1; j < n; j++) a[n*i - i*(i+1)/2 + j - i - 1] = 1;", 21),
        ("for (long l = 0; l < n; l++) for (long m = -l; m <= l; m++) a[l*l + l + m] = 1;", 49),
        (f"{LOWER} {{ a[i*(i+1)/2 + j] = 1; a[(i+1)*(i+2)/2 + j] = 2; }}", 35),  # rows 0 to 7 without the corner
        ("for (long i = 0; i < n; i++) for (long k = i; k < n; k++) a[k*(k+1)/2 + i] = a[i*(i+1)/2 + i];", 28),
        ("for (long i = 0; i < n; i++) a[i*(i+1)/2] = 1;", 7),
    ],
)
def test_elements_of_packed_triangles_count_once(body: str, at_seven: int) -> None:
    found = written(body)
    assert found.is_exact
    assert found.estimate.evaluate({"n": 7}) == at_seven


@pytest.mark.parametrize(
    ("body", "at_seven"),
    [
        ("for (long i = 0; i < n; i++) for (long j = 0; j <= 2*i; j++) a[i*(i+1)/2 + j] = 1;", 34),  # rows overlap
        (f"{LOWER} a[i*i/2 + j] = 1;", 25),  # 0, 0 1, 2 3 4, 4 5 6 7, 8 .. 12, 12 .. 17, 18 .. 24
        (f"{LOWER} a[i*(i+1)/2 + j] = 1; for (long k = 0; k < n*(n+1)/2; k++) a[k] = 0;", 28),
        (f"{LOWER} a[i*(i+1)/2 + j] = 1; {UPPER} a[i*n - i*(i-1)/2 + j - i] = 1;", 28),  # two triangles in one
    ],
)
def test_rows_that_overlap_are_no_triangle(body: str, at_seven: int) -> None:
    found = written(body)
    assert not found.is_exact
    assert found.lower.evaluate({"n": 7}) <= at_seven
    assert found.upper is None or at_seven <= found.upper.evaluate({"n": 7})


@pytest.mark.parametrize("index", ["i*i*i + j", "(i*i*i) % n + j"])
def test_equal_nests_choose_as_many_elements_each(index: str) -> None:
    nest = f"for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) a[{index}{{}}] = 1;"
    found = written(nest.format("") + nest.format(" + 1"))
    assert found.upper is not None
    assert found.upper.evaluate({"n": 7}) == 2 * 49


def test_what_takes_isl_too_many_operations_is_no_triangle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is one of operations, of which a machine under load does as many."""
    assert written(f"{LOWER} a[i*(i+1)/2 + j] = 1;").is_exact
    monkeypatch.setattr(triangular_rows, "_MOST_OPERATIONS", 10)
    assert not written(f"{LOWER} a[i*(i+1)/2 + j] = 1;").is_exact
