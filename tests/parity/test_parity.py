"""Both readers, one IR: each snippet, as a whole function, gives the same canonical text through either of them."""

import re
from pathlib import Path

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.fragment.reader import parse_fragment
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.written.text import region_text
from analyzer.source import Language, SourceFile

PARAMETERS = "int n, int m, double a[n], double b[n], double A[n][m], float *x, float *y, int *p, double s, float t"
STRUCTS = "struct point { double x, y, z; int id; }; struct cell { struct point at[2]; float w[4]; };\n"


def text_of(parse, source):
    """The canonical text of all regions of a source."""
    parsed = parse(SourceFile("x.c", source, Language.C), ParseOptions())
    assert [d for d in parsed.diagnostics if d.code in ("AI001", "AI003", "AI301")] == []
    options = LowerOptions(functions=frozenset(parsed.unit.functions))
    return "\n".join(region_text(region) for region in lower_unit(parsed.unit, options).regions)


def same(source):
    clang, fragment = text_of(parse_clang, source), text_of(parse_fragment, source)
    assert clang == fragment
    return clang


LOOP = "for (int i = 0; i < n; i++) "
NEST = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "
BODIES = {
    "copy": LOOP + "a[i] = b[i];",
    "triad": LOOP + "a[i] = b[i] + s * a[i];",
    "update": LOOP + "a[i] += b[i];",
    "mixed precision": LOOP + "x[i] = a[i] * t + x[i] * 2.0f;",
    "float literal": LOOP + "x[i] = 0.5f * x[i] + 0.5 * y[i];",
    "integer arithmetic": LOOP + "p[i] = (p[i] * 3 + i) % 7;",
    "unsigned": "for (unsigned i = 0; i < 10u; i++) p[i] = i >> 1;",
    "long counter": "for (long i = 0; i < n; ++i) a[i] = i * 0.5;",
    "size_t counter": "for (unsigned long i = 0; i < n; ++i) a[i] = 1;",
    "reduction": LOOP + "s += a[i] * b[i]; a[0] = s;",
    "max reduction": LOOP + "if (a[i] > s) s = a[i]; a[0] = s;",
    "product reduction": LOOP + "s *= a[i]; a[0] = s;",
    "stencil 1d": "for (int i = 1; i < n - 1; i++) a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3.0;",
    "down": "for (int i = n - 1; i >= 0; i--) a[i] = b[i];",
    "stride": "for (int i = 0; i < n; i += 4) a[i] = 0;",
    "not equal": "for (int i = 0; i != n; i++) a[i] = 0;",
    "less or equal": "for (int i = 0; i <= n - 1; ++i) a[i] = 0;",
    "geometric": "for (int i = 1; i < n; i *= 2) a[i] = 0;",
    "two dimensions": NEST + "A[i][j] = A[i][j] * s;",
    "transposed": NEST + "A[i][j] = A[j][i];",
    "linearised": NEST + "a[i * m + j] = b[j * n + i];",
    "triangle": "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i][j] = 0;",
    "upper triangle": "for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) A[i][j] = a[j];",
    "imperfect nest": LOOP + "{ s = 0; for (int j = 0; j < m; j++) s += A[i][j]; a[i] = s; }",
    "matrix vector": NEST + "a[i] += A[i][j] * b[j];",
    "tiles": "for (int ii = 0; ii < n; ii += 8) for (int i = ii; i < (ii + 8 < n ? ii + 8 : n); i++) a[i] = 0;",
    "guard on an iterator": LOOP + "if (i > 3) a[i] = 0; else b[i] = 1;",
    "guard with modulus": LOOP + "if (i % 2 == 0) a[i] = 0;",
    "guard with and": NEST + "if (i > 0 && j > 0 && i < n - 1) A[i][j] = 0;",
    "guard with or and not": LOOP + "if (!(i == 0) || m > 3) a[i] = 0;",
    "guard on data": LOOP + "if (a[i] > 0) b[i] = a[i];",
    "select": LOOP + "a[i] = i < m ? b[i] : 0.0;",
    "select on data": LOOP + "a[i] = b[i] > s ? b[i] : s;",
    "gather": LOOP + "a[i] = b[p[i]];",
    "scatter": LOOP + "a[p[i]] += b[i];",
    "sparse rows": LOOP + "for (int k = p[i]; k < p[i + 1]; k++) a[i] += b[k];",
    "while": "int i = 0; while (i < n) { a[i] = 0; i++; }",
    "do while": "int i = 0; do { a[i] = 0; i++; } while (i < n);",
    "data dependent while": "while (s > 0.001) { s = s * 0.5; a[0] += s; }",
    "break": LOOP + "{ if (a[i] == s) break; b[i] = 0; }",
    "continue": LOOP + "{ if (i == 3) continue; b[i] = 0; }",
    "return": LOOP + "{ if (a[i] < 0) return; b[i] = 0; }",
    "comma header": "int i, j; for (i = 0, j = n; i < j; i++, j--) a[i] = b[j];",
    "empty header": "int i = 0; for (;;) { if (i >= n) break; a[i] = 0; i++; }",
    "declared outside": "int i; for (i = 0; i < n; i++) a[i] = 0; b[0] = i;",
    "pointer walk": "double *q = a; " + LOOP + "*q++ = b[i];",
    "pointer with offset": "double *q = a + 4; " + LOOP + "q[i] = *(b + i);",
    "address of an element": "double *q = &a[m]; " + LOOP + "q[i] = 0;",
    "pointer cast": "double (*Q)[m] = (double (*)[m])a; " + NEST + "Q[i][j] = 0;",
    "row pointer": LOOP + "{ double *row = A[i]; for (int j = 0; j < m; j++) row[j] = 0; }",
    "local array": "double v[8]; for (int i = 0; i < 8; i++) v[i] = b[i]; a[0] = v[3];",
    "local table": "double v[3] = {1, 2, 3}; " + LOOP + "a[i] = v[i % 3];",
    "variable-length array": "double v[n][m]; " + NEST + "v[i][j] = A[i][j];",
    "scalar temporaries": LOOP + "{ double u = a[i], v = u * u; b[i] = u + v; }",
    "casts": LOOP + "x[i] = (float)(a[i] * (double)t) + (int)s;",
    "bit operations": LOOP + "p[i] = (p[i] & 7) | (i << 2) ^ ~p[i];",
    "logical values": LOOP + "p[i] = i < m && p[i] != 0;",
    "increments": LOOP + "{ p[i]++; --p[i]; }",
    "division": LOOP + "a[i] = b[i] / s + 1 / a[i];",
    "integer division": "for (int i = 0; i < n / 2; i++) a[2 * i + 1] = b[i];",
    "negation": LOOP + "a[i] = -b[i] - -s;",
    "nested assignment": LOOP + "a[i] = b[i] = s;",
    "comma": LOOP + "a[i] = (s += 1, s);",
    "switch": LOOP + "switch (p[i]) { case 0: a[i] = 0; break; case 1: case 2: a[i] = 1; break; default: s = 2; }",
    "switch that falls through": LOOP + "switch (i) { case 0: a[i] = 0; case 1: b[i] = 1; }",
    "openmp": "\n#pragma omp parallel for schedule(static)\n" + LOOP + "a[i] = 0;\n",
    "openmp collapse": "\n#pragma omp parallel for collapse(2) reduction(+:s)\n" + NEST + "s += A[i][j];\n a[0] = s;",
    "openmp tasks": "\n#pragma omp single\nfor (int k = 0; k < m; k++)\n"
    + LOOP
    + "{\n#pragma omp task firstprivate(i)\n{ a[i] = 0; }\n}\n",
    "openmp tasks that are waited for": "for (int k = 0; k < m; k++) {\n"
    + LOOP
    + "\n#pragma omp task\na[i] = k;\n#pragma omp taskwait\n}\n",
    "simd": "\n#pragma omp simd\n" + LOOP + "a[i] = b[i];\n",
    "sizeof": LOOP + "a[i] = sizeof(double) * i + sizeof a[0];",
    "character": LOOP + "p[i] = p[i] - '0';",
    "hexadecimal": "for (int i = 0x10; i < 0x20; i++) a[i] = 010;",
    "constant extent": "const int N = 16; for (int i = 0; i < N; i++) a[i] = 0;",
    "enumerators": "enum { W = 4, H }; for (int i = 0; i < W * H; i++) a[i] = 0;",
    "typedef": "typedef float real; real z = t; " + LOOP + "x[i] = z;",
    "static": "static double v[64]; for (int i = 0; i < 64; i++) v[i] = i;",
    "long double": LOOP + "{ long double u = a[i]; b[i] = u * u; }",
    "struct member": "struct point q[4]; for (int i = 0; i < 4; i++) { q[i].x = a[i]; q[i].id = i; } a[0] = q[1].x;",
    "struct in a struct": "struct cell *c = (struct cell *)a; " + LOOP + "c[i].at[1].y += c[i].w[2];",
    "struct pointer": "struct point *q = (struct point *)a; " + LOOP + "{ (q + i)->z = q->x; }",
    "struct copy": "struct point *q = (struct point *)a; " + LOOP + "q[i] = q[0];",
    "triple nest": NEST + "for (int k = 0; k < m; k++) A[i][j] += A[i][k] * A[k][j];",
    "block without braces": "for (int i = 0; i < n; i++)\n  if (i & 1)\n    a[i] = 1;\n  else\n    a[i] = 2;",
}  # fmt: skip
GAPS = {"static": "the snippet reader takes a static local array for a private one"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=GAPS[name])) if name in GAPS else name
        for name in BODIES
    ],
)
def test_statements(name):
    same(f"{STRUCTS}void f({PARAMETERS}) {{ {BODIES[name]} }}")


def sections():
    """The functions of ``functions.c`` by the comment above each."""
    parts = re.split(r"^// (.+)\n", (Path(__file__).parent / "functions.c").read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


FUNCTIONS = sections()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=GAPS[name])) if name in GAPS else name
        for name in FUNCTIONS
    ],
)
def test_functions(name):
    same(FUNCTIONS[name])
