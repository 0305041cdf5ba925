"""Subscripts beyond their arrays, at known sizes."""

from __future__ import annotations

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

BEGIN = "double A[100][100], x[100], y[100]; struct { double v[8]; int n; } s[50];\nvoid f(int n, int *k) {\n"


def beyond(text: str, **sizes: int) -> list[tuple[int, object, object]]:
    """Line, subscript and extent of what leaves an array."""
    defines = {name: str(value) for name, value in sizes.items()}
    (file,) = analyze(SourceFile("x.c", f"{BEGIN}{text} }}", Language.C), AnalysisOptions(defines=defines))
    found = [(each.span.line, dict(each.fields)) for each in file.profile.diagnostics if each.code == "AI217"]
    return [(line, fields["subscript"], fields["extent"]) for line, fields in found]


@pytest.mark.parametrize(
    "text",
    [
        "for (int i = 0; i < n; i++) x[i] = y[n - 1 - i];",
        "for (int i = 0; i < n; i++) if (i + 1 < 100) x[i + 1] = y[i];",
        "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i][j] = 0;",
        "double *p = &A[0][0]; for (int i = 0; i < n * n; i++) p[i] = 1;",
        "for (int i = 0; i < n; i++) A[3][i + 500] = 1;",
        "for (int i = 0; i < 50; i++) for (int j = 0; j < 8; j++) s[i].v[j] = n;",
        "for (int i = 0; i < 2 * n; i++) if (k[i] > 0) x[i] = 0;",
    ],
)
def test_what_stays_inside_or_may_stay_inside(text: str) -> None:
    assert beyond(text, n=100) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for (int i = 0; i < n; i++) x[i] = 0;", [(3, "i", 100)]),
        ("for (int i = 0; i < 9; i++) x[i] = y[i - 1];", [(3, "i - 1", 100)]),
        ("for (int i = 0; i < 9; i++) for (int j = 0; j < n; j++) A[i][j] = 0;", [(3, "j", 100)]),
        ("double *p = &A[0][0]; for (int i = 0; i <= 10000; i++) p[i] = 1;", [(3, "i", 10000)]),
    ],
)
def test_what_leaves_an_array(text: str, found: list[object]) -> None:
    assert beyond(text, n=101) == found


def test_nothing_is_said_without_sizes() -> None:
    assert beyond("for (int i = 0; i < n; i++) x[i] = 0;") == []


def test_columns_that_threads_share_are_compared_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The difference of the touched elements and those inside took isl minutes; no answer is asked of it."""

    def difference(*_: object) -> None:
        raise AssertionError("isl's difference")

    monkeypatch.setattr("analyzer.domains.isl.sets.Points.__sub__", difference)
    assert beyond("for (int i = 0; i < n; i++) x[i + 1] = y[i];", n=100) == [(3, "i + 1", 100)]
