"""C kernels that advice is applied to and timed on, each with what the advice makes of it where no patch does.

The first eleven are from the literature; of the 21 that were drawn then ten were put aside at first;
the last three are for longer rows and for single precision.
"""

from __future__ import annotations

from msgspec import Struct

_HEAD = "void f(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], "
_HEAD += "double *restrict x, double *restrict y) {\n"
_LOOPS = "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
_MVT = f"{_LOOPS}      x[i] += a[j][i] * y[j];\n"
_DEEP = f"{_LOOPS}      for (int k = 0; k < n; k++)\n"
_VECTORS = "void f(int n, double *restrict a, double *restrict b, double *restrict c, "
_VECTORS += "double *restrict x, double *restrict y) {\n"


class Kernel(Struct, frozen=True):
    """The body of a function of ``n``, matrices a, b, c and vectors x, y; ``by_hand`` is what advice makes of it.

    ``elements`` are those of a matrix, n*n where none are given; ``head`` begins a function with other types, and
    ``head_by_hand`` one with another layout, which gives other sums.
    """

    name: str
    size: int
    body: str
    by_hand: str = ""
    elements: int = 0
    head: str = _HEAD
    head_by_hand: str = ""


_SWEEP = """    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        {0}[i][j] = 0.2 * ({1}[i][j] + {1}[i][j - 1] + {1}[i][j + 1] + {1}[i + 1][j] + {1}[i - 1][j]);
"""
_STEPS = 20


def _stepped(sweep: str) -> str:
    """Return a pair of sweeps, there and back, in a loop over time steps."""
    return f"  for (int t = 0; t < {_STEPS}; t++) {{\n{sweep.format('b', 'a')}{sweep.format('a', 'b')}  }}\n"


def _between(loop: str, side: int, shift: str) -> str:
    """Return the header of a loop over one side of a tile that moves by ``shift``."""
    first, last = f"{loop}{loop} - {shift}", f"{loop}{loop} + {side} - {shift}"
    return f"for (int {loop} = {first} > 1 ? {first} : 1; {loop} < ({last} < n - 1 ? {last} : n - 1); {loop}++)\n"


def _tiled(sweep: str, loops: str, side: int) -> str:
    """Return a pair of sweeps in tiles that move by two in each step, the second one behind the first by one."""
    around = "".join(f"  for (int {i}{i} = 1; {i}{i} < n + {2 * _STEPS}; {i}{i} += {side})\n" for i in loops)
    text = f"{around}  for (int t = 0; t < {_STEPS}; t++) {{\n"
    for names, shift in ((("b", "a"), "2 * t"), (("a", "b"), "(2 * t + 1)")):
        part = sweep.format(*names)
        for i in loops:
            part = part.replace(f"for (int {i} = 1; {i} < n - 1; {i}++)\n", _between(i, side, shift))
        text += part
    return f"{text}  }}\n"


_CUBES = "void f(int n, double a[restrict n][n][n], double b[restrict n][n][n], double *c, double *x, double *y) {\n"
_AROUND = ("[i+1][j][k]", "[i-1][j][k]", "[i][j+1][k]", "[i][j-1][k]", "[i][j][k+1]", "[i][j][k-1]")
_ROW = (
    "        for (int k = 1; k < n - 1; k++)\n"
    "          {0}[i][j][k] = 0.25 * {1}[i][j][k] + 0.125 * (" + " + ".join("{1}" + each for each in _AROUND) + ");\n"
)
_CUBE = f"    for (int i = 1; i < n - 1; i++)\n      for (int j = 1; j < n - 1; j++)\n{_ROW}"


def _diamonds(row: str, side: int) -> str:
    """Return pairs of sweeps in diamonds of ``i + s`` and ``s - i``, swept along ``j + s``, of the sweeps ``s``."""
    far, sweeps = f"{side - 1}", 2 * _STEPS
    return f"""#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
  for (int u = 0; u < n + {sweeps}; u += {side})
    for (int v = -(n / {side} + 1) * {side}; v < {sweeps}; v += {side})
      for (int w = 1; w < n - 1 + {sweeps}; w++) {{
        int first = MAX((u + v) / 2, MAX(0, w - n + 2)), last = MIN((u + v) / 2 + {far}, MIN({sweeps - 1}, w - 1));
        for (int s = first; s <= last; s++) {{
          int j = w - s, least = MAX(1, MAX(u - s, s - v - {far})), most = MIN(n - 2, MIN(u + {far} - s, s - v));
          for (int i = least; i <= most; i++)
            if (s % 2) {{
{row.format("a", "b")}            }} else {{
{row.format("b", "a")}            }}
        }}
      }}
"""


KERNELS = (
    Kernel("gemm", 1000, f"{_DEEP}        c[i][j] += a[i][k] * b[k][j];\n"),
    Kernel(
        "2mm",
        1000,
        f"{_LOOPS}    {{\n      c[i][j] = 0;\n"
        "      for (int k = 0; k < n; k++)\n        c[i][j] += a[i][k] * b[k][j];\n    }\n",
        "  for (int i = 0; i < n; i++) {\n    for (int j = 0; j < n; j++) c[i][j] = 0;\n"
        "    for (int k = 0; k < n; k++)\n      for (int j = 0; j < n; j++)\n"
        "        c[i][j] += a[i][k] * b[k][j];\n  }\n",
    ),
    Kernel(
        "syrk",
        1000,
        "  for (int i = 0; i < n; i++)\n    for (int k = 0; k < n; k++)\n"
        "      for (int j = 0; j <= i; j++)\n        c[i][j] += a[i][k] * a[j][k];\n",
        "  for (int i = 0; i < n; i++) {\n    int k = 0;\n    for (; k + 3 < n; k += 4)\n"
        "      for (int j = 0; j <= i; j++) {\n"
        + "".join(f"        c[i][j] += a[i][k + {copy}] * a[j][k + {copy}];\n" for copy in range(4))
        + "      }\n    for (; k < n; k++)\n      for (int j = 0; j <= i; j++) c[i][j] += a[i][k] * a[j][k];\n  }\n",
    ),
    Kernel("transpose", 4000, f"{_LOOPS}      b[j][i] = a[i][j];\n"),
    Kernel("mvt, second half", 1500, _MVT),
    Kernel("mvt, page walks", 4000, _MVT),  # more pages in a column than the TLB holds: not modelled
    Kernel(
        "mvt, first half",
        1000,
        "  for (int i = 0; i < n; i++) {\n    double s = 0;\n"
        "    for (int j = 0; j < n; j++)\n      s += a[i][j] * y[j];\n    x[i] = s;\n  }\n",
        "  for (int i = 0; i < n; i++) {\n    double s = 0;\n#pragma omp simd reduction(+:s)\n"
        "    for (int j = 0; j < n; j++)\n      s += a[i][j] * y[j];\n    x[i] = s;\n  }\n",
    ),
    Kernel("jacobi-2d", 2500, _stepped(_SWEEP), _tiled(_SWEEP, "ij", 128)),
    Kernel("heat-3d", 160, _stepped(_CUBE), _diamonds(_ROW, 14), elements=160**3, head=_CUBES),
    Kernel(
        "add",
        4000,
        f"{_LOOPS}      c[i][j] = a[i][j] + 2.0 * b[i][j];\n",
        "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j += 4)\n"
        "      __builtin_ia32_movntpd256(&c[i][j], *(V *)&a[i][j] + 2.0 * *(V *)&b[i][j]);\n",
        head_by_hand=f"typedef double V __attribute__((vector_size(32)));\n{_HEAD}",
    ),
    Kernel(
        "drift",
        2000,
        "  for (int i = 0; i < n * n / 8; i++) a[i].x += 0.5 * a[i].vx;\n",
        "  for (int i = 0; i < n * n / 8; i++) b[i] += 0.5 * c[i];\n",
        head="struct P { double x, y, z, vx, vy, vz, m, q; };\nvoid f(int n, struct P *restrict a) {\n",
        head_by_hand="void f(int n, void *a, double *restrict b, double *restrict c) {\n",
    ),
    Kernel(
        "column sums",
        1200,
        ("  for (int j = 0; j < n; j++)\n    for (int i = 0; i < n; i++)\n      x[j] += a[i][j];\n"),
    ),
    Kernel(
        "cube reversed",
        150,
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      for (int k = 0; k < n; k++)\n"
            "        a[k][j][i] = 0.5 * a[k][j][i] + 0.25 * b[k][j][i];\n"
        ),
        elements=150**3,
        head=_CUBES,
    ),
    Kernel(
        "two sweeps",
        2000,
        (
            "  for (int i = 0; i < n * n; i++)\n"
            "    c[i] = a[i] + 0.5 * b[i];\n"
            "  for (int i = 0; i < n * n; i++)\n"
            "    b[i] = c[i] * 0.25 + a[i];\n"
        ),
        ("  for (int i = 0; i < n * n; i++) {\n    c[i] = a[i] + 0.5 * b[i];\n    b[i] = c[i] * 0.25 + a[i];\n  }\n"),
        head=_VECTORS,
    ),
    Kernel(
        "rows divided",
        200,
        ("  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n      a[i][j] = a[i][j] / x[i];\n"),
        (
            "  for (int i = 0; i < n; i++) {\n"
            "    double s = 1 / x[i];\n"
            "    for (int j = 0; j < n; j++) a[i][j] = a[i][j] * s;\n"
            "  }\n"
        ),
    ),
    Kernel(
        "dot of matrices",
        180,
        (
            "  double s = 0;\n"
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      s += a[i][j] * b[i][j];\n"
            "  x[0] = s;\n"
        ),
        (
            "  double s = 0;\n"
            "  for (int i = 0; i < n; i++)\n"
            "#pragma omp simd reduction(+:s)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      s += a[i][j] * b[i][j];\n"
            "  x[0] = s;\n"
        ),
    ),
    Kernel(
        "tmm small",
        140,
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      for (int k = 0; k < n; k++)\n"
            "        c[i][j] += a[k][i] * b[k][j];\n"
        ),
    ),
    Kernel(
        "tmm",
        700,
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      for (int k = 0; k < n; k++)\n"
            "        c[i][j] += a[k][i] * b[k][j];\n"
        ),
    ),
    Kernel(
        "covariance",
        300,
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = i; j < n; j++) {\n"
            "      c[i][j] = 0;\n"
            "      for (int k = 0; k < n; k++)\n"
            "        c[i][j] += a[k][i] * a[k][j];\n"
            "      c[i][j] /= n - 1.0;\n"
            "      c[j][i] = c[i][j];\n"
            "    }\n"
        ),
        (
            "  for (int i = 0; i < n; i++) {\n"
            "    for (int j = i; j < n; j++) c[i][j] = 0;\n"
            "    for (int k = 0; k < n; k++)\n"
            "      for (int j = i; j < n; j++) c[i][j] += a[k][i] * a[k][j];\n"
            "    for (int j = i; j < n; j++) {\n"
            "      c[i][j] /= n - 1.0;\n"
            "      c[j][i] = c[i][j];\n"
            "    }\n"
            "  }\n"
        ),
    ),
    Kernel(
        "scale out of place",
        3000,
        ("  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n      b[i][j] = 2.0 * a[i][j];\n"),
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j += 4)\n"
            "      __builtin_ia32_movntpd256(&b[i][j], 2.0 * *(V *)&a[i][j]);\n"
        ),
        head_by_hand=(
            "typedef double V __attribute__((vector_size(32)));\n"
            "void f(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], double "
            "*restrict x, double *restrict y) {\n"
        ),
    ),
    Kernel(
        "soa floats",
        1500,
        "  for (int i = 0; i < n * n / 4; i++) a[i].x += 0.5f * a[i].vx;\n",
        "  for (int i = 0; i < n * n / 4; i++) b[i] += 0.5f * c[i];\n",
        head=("struct P { float x, y, z, w, vx, vy, vz, m; };\nvoid f(int n, struct P *restrict a) {\n"),
        head_by_hand="void f(int n, void *a, float *restrict b, float *restrict c) {\n",
    ),
    Kernel(
        "maximum",
        180,
        (
            "  double m = a[0][0];\n"
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      if (a[i][j] > m) m = a[i][j];\n"
            "  x[0] = m;\n"
        ),
        (
            "  double m = a[0][0];\n"
            "  for (int i = 0; i < n; i++)\n"
            "#pragma omp simd reduction(max:m)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      if (a[i][j] > m) m = a[i][j];\n"
            "  x[0] = m;\n"
        ),
    ),
    Kernel(
        "flat gemm",
        500,
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      for (int k = 0; k < n; k++)\n"
            "        c[i * n + j] += a[i * n + k] * b[k * n + j];\n"
        ),
        head=_VECTORS,
    ),
    Kernel(
        "add transposed",
        2000,
        ("  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n      c[i][j] = a[i][j] + b[j][i];\n"),
    ),
    Kernel(
        "sum of planes",
        140,
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      for (int k = 0; k < n; k++)\n"
            "        c[i * n + j] += a[k][i][j];\n"
        ),
        elements=140**3,
        head=_CUBES,
    ),
    Kernel(
        "three sweeps",
        2000,
        (
            "  for (int i = 0; i < n * n; i++)\n"
            "    b[i] = a[i] * 1.5;\n"
            "  for (int i = 0; i < n * n; i++)\n"
            "    c[i] += b[i];\n"
            "  for (int i = 0; i < n * n; i++)\n"
            "    a[i] = a[i] + 0.5 * c[i];\n"
        ),
        head=_VECTORS,
    ),
    Kernel(
        "float norm",
        400,
        ("  float s = 0;\n  for (int i = 0; i < n * n; i++) s += a[i] * a[i];\n  b[0] = s;\n"),
        (
            "  float s = 0;\n"
            "#pragma omp simd reduction(+:s)\n"
            "  for (int i = 0; i < n * n; i++) s += a[i] * a[i];\n"
            "  b[0] = s;\n"
        ),
        head="void f(int n, const float *a, float *b) {\n",
    ),
    Kernel(
        "all divided",
        200,
        (
            "  double s = y[1];\n"
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      a[i][j] = (a[i][j] - b[i][j]) / s;\n"
        ),
        (
            "  double s = 1 / y[1];\n"
            "  for (int i = 0; i < n; i++)\n"
            "    for (int j = 0; j < n; j++)\n"
            "      a[i][j] = (a[i][j] - b[i][j]) * s;\n"
        ),
    ),
    Kernel(
        "cells",
        1500,
        "  for (int i = 0; i < n * n / 6; i++) a[i].e = 2.5 * a[i].p;\n",
        "  for (int i = 0; i < n * n / 6; i++) b[i] = 2.5 * c[i];\n",
        head=("struct Cell { double rho, u, v, w, p, e; };\nvoid f(int n, struct Cell *restrict a) {\n"),
        head_by_hand="void f(int n, void *a, double *restrict b, double *restrict c) {\n",
    ),
    Kernel(
        "triad of floats",
        3000,
        "  for (int i = 0; i < n * n; i++) c[i] = a[i] + 3.0f * b[i];\n",
        (
            "  for (int i = 0; i < n * n; i += 8)\n"
            "      __builtin_ia32_movntps256(&c[i], *(V *)&a[i] + 3.0f * *(V *)&b[i]);\n"
        ),
        head="void f(int n, float *restrict a, float *restrict b, float *restrict c) {\n",
        head_by_hand=(
            "typedef float V __attribute__((vector_size(32)));\n"
            "void f(int n, float *restrict a, float *restrict b, float *restrict c) {\n"
        ),
    ),
    Kernel(
        "columns by vector",
        3000,
        ("  for (int j = 0; j < n; j++)\n    for (int i = 0; i < n; i++)\n      x[j] += y[i] * a[i][j];\n"),
    ),
    Kernel(
        "polynomials",
        400,
        (
            "  for (int i = 0; i < n; i++) {\n"
            "    double p = 0;\n"
            "    for (int k = 0; k < n; k++)\n"
            "      p = p * x[i] + y[k];\n"
            "    a[0][i] = p;\n"
            "  }\n"
        ),
        (
            "  for (int i = 0; i + 3 < n; i += 4) {\n"
            "    double p = 0, q = 0, r = 0, s = 0;\n"
            "    for (int k = 0; k < n; k++) {\n"
            "      p = p * x[i] + y[k];\n"
            "      q = q * x[i + 1] + y[k];\n"
            "      r = r * x[i + 2] + y[k];\n"
            "      s = s * x[i + 3] + y[k];\n"
            "    }\n"
            "    a[0][i] = p, a[0][i + 1] = q, a[0][i + 2] = r, a[0][i + 3] = s;\n"
            "  }\n"
        ),
    ),
    Kernel(
        "blocks of a column",
        1024,
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int k = 0; k < 16; k++)\n"
            "      for (int j = 0; j < 64; j++)\n"
            "        x[i] += a[j][i] * a[j][k];\n"
        ),
        (
            "  for (int i = 0; i < n; i++)\n"
            "    for (int k = 0; k < 16; k++)\n"
            "      for (int j = 0; j < 64; j++)\n"
            "        x[i] += a[j][i] * a[j][k];\n"
        ),
        elements=1024 * 1032,
        head_by_hand=_HEAD.replace("[n]", "[n + 8]"),
    ),
    Kernel(
        "update in double",
        5000,
        "  for (int i = 0; i < n * n; i++) a[i] = 0.5 * a[i] + 0.25 * b[i];\n",
        "  for (int i = 0; i < n * n; i++) a[i] = 0.5f * a[i] + 0.25f * b[i];\n",
        head=_VECTORS,
        head_by_hand=_VECTORS.replace("double", "float"),
    ),
    Kernel(
        "series in double",
        60,
        (
            "  for (int i = 0; i < n * n; i++)\n"
            "    a[i] = 1 + b[i] * (0.5 + b[i] * (0.125 + b[i] * (0.25 + b[i] * (0.5 + b[i] * (0.75 + b[i])))));\n"
        ),
        (
            "  for (int i = 0; i < n * n; i++)\n"
            "    a[i] = 1 + b[i] * (0.5f + b[i] * (0.125f + b[i] * (0.25f + b[i] * (0.5f + b[i] * (0.75f + b[i])))));\n"
        ),
        head=_VECTORS,
        head_by_hand=_VECTORS.replace("double", "float"),
    ),
)
