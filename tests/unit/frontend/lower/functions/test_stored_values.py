"""Rows whose starts the function stores itself, against hand counts; a form that is not certain leaves a symbol."""

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

SUM = """
extern void fill(int *p, int n);
extern int scanf(const char *, ...);
double sum(int n, int *p, double *v) {
  double s = 0;
  for (int i = 0; i < n; i++) for (int j = p[i]; j < p[i+1]; j++) s += v[j];
  return s;
}
"""
AT = {"n": 20, "k": 3, "m": 4}
ROWS = "for (int i = 0; i <= n; i++) p[i] = 5*i;"


def flops(body, language=Language.C):
    text = f"{SUM} double f(int n, int k, int m, int *p, double *v, int *c) {{ {body} }}"
    regions = analyze(SourceFile("x.c", text, language))[0].regions
    (found,) = (region for region in regions if region.function == "f")
    return found.work.flops


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{ROWS} return sum(n, p, v);", 100),
        ("p[0] = 0; for (int i = 0; i < n; i++) p[i+1] = p[i] + 7; return sum(n, p, v);", 140),
        ("p[0] = 2; for (int i = 1; i <= n; i++) p[i] = k + p[i-1]; return sum(n, p, v);", 60),
        ("p[n] = 5*n; for (int i = n - 1; i >= 0; i--) p[i] = 5*i; return sum(n, p, v);", 100),
        (
            "int e = 0; for (int i = 0; i < n; i++) { p[i] = e; for (int j = 0; j < 6; j++) { v[e] = 1; e++; } }"
            "p[n] = e; return sum(n, p, v);",
            120,
        ),
        (f"double s = 0; {ROWS} for (int r = 0; r < m; r++) s += sum(n, p, v); return s;", 4 * 101),
        (f'{ROWS} double s = sum(n, p, v); scanf("%d", &c[2]); return s;', 100),
    ],
)
def test_rows_have_the_lengths_that_are_stored(body, expected):
    found = flops(body)
    assert found.is_exact
    assert found.estimate.evaluate(AT) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{ROWS} fill(p, n); return sum(n, p, v);", id="a call that may write them"),
        pytest.param(f"{ROWS} int *q = p; fill(q, n); return sum(n, p, v);", id="by another name"),
        pytest.param(f'{ROWS} scanf("%d", &p[2]); return sum(n, p, v);', id="input"),
        pytest.param(f"{ROWS} p[k] = 3; return sum(n, p, v);", id="one element"),
        pytest.param(f"{ROWS} {ROWS.replace('5', '7')} return sum(n, p, v);", id="two forms"),
        pytest.param(f"double s = sum(n, p, v); {ROWS} return s;", id="later"),
        pytest.param("for (int i = 0; i <= n; i++) if (v[i] > 0) p[i] = 5*i; return sum(n, p, v);", id="a condition"),
        pytest.param("p[0] = 0; for (int i = 0; i < n; i++) p[i+1] = p[i] + c[i]; return sum(n, p, v);", id="data"),
        pytest.param("for (int i = 0; i < n; i++) p[i+1] = p[i] + 7; return sum(n, p, v);", id="no start"),
        pytest.param("p[0] = 0; for (int i = 0; i < n; i++) p[i+1] = p[i] + i; return sum(n, p, v);", id="no line"),
    ],
)
def test_what_is_not_certain_stays_a_symbol(body):
    assert any(name.startswith("trip") for name in flops(body).estimate.symbols)
