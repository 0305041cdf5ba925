"""Bytes of arrays that are seen through several types or shapes, against hand counts: each byte counts once."""

import pytest

from analyzer.pipeline import analyze
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile

TYPES = """
typedef struct { float x, y, z, vx, vy, vz; } Body;
typedef struct { double a; float b, c; } Mixed;
typedef union { double d; float f[2]; } Either;
"""
AT = {"n": 20, "m": 30}


def sizes(body, parameters):
    """Return the bytes read first, written and touched of the parameters' arrays, and how exact they are."""
    source = SourceFile("x.c", f"{TYPES}void f({parameters}) {{ {body} }}", Language.C)
    (found,) = analyze(source)[0].regions
    extents = (found.footprint.read, found.footprint.written, found.footprint.touched)
    values = tuple(extent.bytes.estimate.evaluate(AT) for extent in extents)
    return values, {extent.bytes.exactness for extent in extents}


@pytest.mark.parametrize(
    ("parameters", "body", "expected"),
    [
        pytest.param(
            "int n, float *b",
            "Body *p = (Body *)b; for (int i = 0; i < 6*n; i++) b[i] = i; "
            "for (int i = 0; i < n; i++) p[i].x += p[i].vx;",
            (0, 24 * 20, 24 * 20),
            id="floats as structures",
        ),
        pytest.param(
            "int n, double *x",
            "float *y = (float *)x; for (int i = 0; i < n; i++) y[i] += 1; for (int i = 0; i < n; i++) x[i] = 0;",
            (4 * 20, 8 * 20, 8 * 20),
            id="doubles as floats",
        ),
        pytest.param(
            "int n, double _Complex *z",
            "double *p = (double *)z; for (int i = 0; i < n; i++) p[2*i] = 1; "
            "for (int i = 0; i < n; i++) z[i] = z[i] * 2;",
            (8 * 20, 16 * 20, 16 * 20),
            id="complex numbers as parts",
        ),
        pytest.param(
            "int n, Either *u",
            "for (int i = 0; i < n; i++) u[i].d = 1; for (int i = 0; i < n; i++) u[i].f[1] += 1;",
            (0, 8 * 20, 8 * 20),
            id="a union",
        ),
        pytest.param(
            "int n, Mixed *s",
            "char *c = (char *)s; for (int i = 0; i < 8*n; i++) c[i] = 0; for (int i = 0; i < n; i++) s[i].a = s[i].b;",
            (4 * 10, 16 * 10 + 8 * 10, 16 * 10 + 12 * 10),
            id="bytes of the first half",
        ),
        pytest.param(
            "int n, int m, double *a, double *s",
            "for (int k = 0; k < n*m; k++) a[k] = 0; "
            "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[i] += a[i*m+j];",
            (8 * 20, 8 * 620, 8 * 620),
            id="rows of a flat array",
        ),
        pytest.param(
            "int n, int m, double a[n][m], double *s",
            "double *p = a[0]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[i] += a[i][j]; "
            "for (int k = 0; k < n*m; k++) p[k] = 0;",
            (8 * 620, 8 * 620, 8 * 620),
            id="a flat pointer to rows",
        ),
        pytest.param(
            "double a[10][20], double *s",
            "double *p = a[0]; for (int k = 0; k < 50; k++) p[k] = 0; "
            "for (int i = 0; i < 10; i++) for (int j = 0; j < 20; j++) s[i] += a[i][j];",
            (8 * (150 + 10), 8 * (50 + 10), 8 * (200 + 10)),
            id="a flat pointer to some rows of known length",
        ),
        pytest.param(
            "int n, double a[n][n], double *s",
            "float *q = (float *)a[0]; for (int k = 0; k < 2*n*n; k++) q[k] = 0; "
            "for (int i = 0; i < n; i++) a[i][0] += 1;",
            (0, 8 * 400, 8 * 400),
            id="floats of all rows",
        ),
        pytest.param(
            "int n, double a[n][n], double *s",
            "for (int j = 0; j < n; j++) a[0][j] = 0; "
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s[i] += a[i][j];",
            (8 * (380 + 20), 8 * (20 + 20), 8 * (400 + 20)),
            id="the first row",
        ),
        pytest.param(
            "int n, int m",
            "double (*u)[m] = malloc(8*n*m), (*v)[m] = malloc(8*n*m); memset(u, 0, 8*n*m); memset(v, 0, 8*n*m); "
            "for (int t = 0; t < 4; t++) { "
            "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) v[i][j] = u[i][j] + 1; "
            "void *w = u; u = v; v = w; }",
            (0, 8 * 1200, 8 * 1200),
            id="two buffers that change places, each set as a flat one",
        ),
    ],
)
def test_each_byte_counts_once(parameters, body, expected):
    assert sizes(body, parameters) == (expected, {Exactness.EXACT})


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ("for (int k = 0; k < n + 3; k++) p[k] = 0;", 8 * (400 + 23)),
        ("float *q = (float *)p; for (int k = 0; k < 3*n; k++) q[k] = 0;", 8 * 400 + 4 * 60),
    ],
)
def test_what_cannot_be_told_apart_is_an_interval(body, most):
    rest = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = 1;"
    source = SourceFile("x.c", f"void f(int n, double a[n][n]) {{ double *p = a[0]; {body} {rest} }}", Language.C)
    (found,) = analyze(source)[0].regions
    written = found.footprint.written.bytes
    assert written.exactness is Exactness.INTERVAL
    assert [bound.evaluate(AT) for bound in (written.lower, written.estimate, written.most)] == [3200, 3200, most]
