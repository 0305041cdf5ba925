"""The first draw of loops: streams to branches, on arrays that do not overlap."""

from __future__ import annotations

from .measured_template import Template, each, matrix, rows

FIRST: tuple[Template, ...] = (
    Template("streams", "copy", "a n, b n", each("a[i] = b[i];")),
    Template("streams", "scale", "a n, b n", each("a[i] = s * b[i];")),
    Template("streams", "add", "a n, b n, c n", each("a[i] = b[i] + c[i];")),
    Template("streams", "triad", "a n, b n, c n", each("a[i] = b[i] + s * c[i];")),
    Template("streams", "triad4", "a n, b n, c n, d n", each("a[i] = b[i] + c[i] * d[i];")),
    Template("streams", "update", "a n", each("a[i] = s * a[i] + 1.0;")),
    Template("streams", "daxpy", "a n, b n", each("a[i] += 1e-9 * b[i];")),
    Template("streams", "saxpy", "f n, g n", each("f[i] += 1e-3f * g[i];")),
    Template("streams", "widen", "a n, p n", each("a[i] = p[i] * s;")),
    Template("stencils", "three", "a n, b n", each("a[i] = s * (b[i-1] + b[i] + b[i+1]);", "1", "n-1")),
    Template("stencils", "five", "a n, b n", each("a[i] = b[i-2] + 2*b[i-1] - b[i+1] + s*b[i+2] + b[i];", "2", "n-2")),
    Template("stencils", "three_float", "f n, g n", each("f[i] = 0.3f*g[i-1] + g[i] + 0.5f*g[i+1];", "1", "n-1")),
    Template(
        "stencils",
        "jacobi",
        "a n n, b n n",
        "  for (long i = 1; i < n-1; i++) for (long j = 1; j < n-1; j++)\n"
        "    a[i*n+j] = 0.25 * (b[i*n+j-1] + b[i*n+j+1] + b[(i-1)*n+j] + b[(i+1)*n+j]);",
        2,
    ),
    Template(
        "stencils",
        "nine",
        "a n n, b n n",
        "  for (long i = 1; i < n-1; i++) for (long j = 1; j < n-1; j++)\n"
        "    a[i*n+j] = s*b[i*n+j] + b[i*n+j-1] + b[i*n+j+1] + b[(i-1)*n+j] + b[(i+1)*n+j]\n"
        "      + 0.1*(b[(i-1)*n+j-1] + b[(i-1)*n+j+1] + b[(i+1)*n+j-1] + b[(i+1)*n+j+1]);",
        2,
    ),
    Template(
        "stencils",
        "seidel",
        "a n n",
        "  for (long i = 1; i < n-1; i++) for (long j = 1; j < n-1; j++)\n"
        "    a[i*n+j] = 0.25 * (a[i*n+j-1] + a[i*n+j+1] + a[(i-1)*n+j] + a[(i+1)*n+j]);",
        2,
    ),
    Template("reductions", "sum", "a n", each("s += a[i];")),
    Template("reductions", "dot", "a n, b n", each("s += a[i] * b[i];")),
    Template("reductions", "sdot", "f n, g n", "  float t = 0;\n" + each("t += f[i] * g[i];") + "\n  s += t;"),
    Template(
        "reductions", "two_sums", "a n", "  double t = 0;\n" + each("{ s += a[i]; t += a[i]*a[i]; }") + " s += t;"
    ),
    Template(
        "reductions",
        "four_sums",
        "a n",
        "  double t = 0, u = 0, v = 0;\n"
        "  for (long i = 0; i < n-3; i += 4) { s += a[i]; t += a[i+1]; u += a[i+2]; v += a[i+3]; } s += t + u + v;",
    ),
    Template("reductions", "maximum", "a n", each("s = a[i] > s ? a[i] : s;")),
    Template("reductions", "distance", "a n, b n", each("s += (a[i]-b[i]) * (a[i]-b[i]);")),
    Template("recurrences", "prefix", "a n, b n", each("{ s += b[i]; a[i] = s; }")),
    Template("recurrences", "linear", "a n, b n", each("a[i] = 0.5 * a[i-1] + b[i];", "1")),
    Template("recurrences", "second", "a n, b n", each("a[i] = 0.5 * a[i-2] + b[i];", "2")),
    Template("recurrences", "eighth", "a n, b n", each("a[i] = 0.5 * a[i-8] + b[i];", "8")),
    Template("recurrences", "thomas", "a n, b n, c n", each("a[i] = (b[i] - 0.5*a[i-1]) * c[i];", "1")),
    Template("recurrences", "logistic", "a n", each("{ s = 0.9 * s * (1 - s) + 0.4; a[i] = s; }")),
    Template("divisions", "quotient", "a n, b n, c n", each("a[i] = b[i] / c[i];")),
    Template("divisions", "reciprocal", "f n, g n", each("f[i] = 1.0f / g[i];")),
    Template("divisions", "root", "a n, b n", each("a[i] = sqrt(b[i]);")),
    Template("divisions", "norm", "a n, b n, c n", each("a[i] = b[i] / sqrt(b[i]*b[i] + c[i]*c[i]);")),
    Template("divisions", "divided_sum", "a n, b n", each("s += a[i] / b[i];")),
    Template("divisions", "fraction", "a n, b n", each("{ s = 1 / (s + b[i]); a[i] = s; }")),
    Template("calls", "exponential", "a n, b n", each("a[i] = exp(b[i]);")),
    Template("calls", "logarithm", "a n, b n", each("a[i] = log(b[i]);")),
    Template("calls", "sine", "a n, b n", each("a[i] = sin(b[i]) + s;")),
    Template("calls", "power", "a n, b n", each("a[i] = pow(b[i], s);")),
    Template("calls", "magnitude", "a n, b n", each("a[i] = fabs(b[i]) + fmin(b[i], s);")),
    Template("calls", "exp_sum", "b n", each("s += exp(-b[i]);")),
    Template("strides", "second_read", "a n, b 2 n", each("a[i] = s * b[2*i];")),
    Template("strides", "fourth", "a 4 n, b 4 n", each("a[4*i] = s * b[4*i];")),
    Template(
        "strides",
        "complex",
        "a 2 n, b 2 n",
        each(
            "{ double x = a[2*i]*b[2*i] - a[2*i+1]*b[2*i+1];"
            " a[2*i+1] = a[2*i]*b[2*i+1] + a[2*i+1]*b[2*i]; a[2*i] = x; }"
        ),
    ),
    Template(
        "strides", "particles", "a 3 n, b n", each("b[i] = a[3*i]*a[3*i] + a[3*i+1]*a[3*i+1] + a[3*i+2]*a[3*i+2];")
    ),
    Template("strides", "columns", "a n n, b n", rows("s += a[j*n+i] * 1.0001;", after="b[i] = s; s = 0;"), 2),
    Template("strides", "column_update", "a n n", rows("a[j*n+i] = s * a[j*n+i] + 1.0;"), 2),
    Template("gathers", "gather_sum", "a n, p n", each("s += a[p[i]];")),
    Template("gathers", "gather", "a n, b n, p n", each("b[i] = s * a[p[i]];")),
    Template("gathers", "pair", "a n, b n, p n, q n", each("b[i] = a[p[i]] + a[q[i]];")),
    Template(
        "gathers",
        "sparse_row",
        "a 5 n, b n, c n, p 5 n",
        "  for (long i = 0; i < n; i++) { double t = 0;\n"
        "    for (long j = 0; j < 5; j++) t += a[5*i+j] * b[p[5*i+j] / 5];\n    c[i] = t; }",
    ),
    Template("scatters", "scatter", "a n, b n, p n", each("a[p[i]] = b[i] * s;")),
    Template("scatters", "histogram", "a 256, q n", each("a[q[i]] += 1.0;")),
    Template("scatters", "scatter_add", "a n, b n, p n", each("a[p[i]] += b[i] * 1e-9;")),
    Template("scatters", "count", "p 256, q n", each("p[q[i]]++;")),
    Template(
        "small",
        "matvec4",
        "a 16 n, b 4 n, c 4 n",
        "  for (long i = 0; i < n; i++) for (int j = 0; j < 4; j++) {\n    double t = 0;\n"
        "    for (int k = 0; k < 4; k++) t += a[16*i+4*j+k] * b[4*i+k];\n    c[4*i+j] = t; }",
    ),
    Template(
        "small",
        "matmul3",
        "a 9 n, b 9 n, c 9 n",
        "  for (long i = 0; i < n; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < 3; k++)\n"
        "    c[9*i+3*j+k] = a[9*i+3*j]*b[9*i+k] + a[9*i+3*j+1]*b[9*i+3+k] + a[9*i+3*j+2]*b[9*i+6+k];",
    ),
    Template(
        "small",
        "rows8",
        "a 8 n, b n",
        "  for (long i = 0; i < n; i++) { double t = 0; for (int j = 0; j < 8; j++) t += a[8*i+j]; b[i] = t; }",
    ),
    Template(
        "small",
        "horner",
        "a n, b n",
        each("{ double x = b[i]; a[i] = 1 + x*(0.5 + x*(0.3 + x*(0.2 + x*(0.1 + x*0.05)))); }"),
    ),
    Template(
        "matrix-vector",
        "mv",
        "a n n, b n, c n",
        rows("t += a[i*n+j] * b[j];", before="double t = 0;", after="c[i] = t;"),
        2,
    ),
    Template(
        "matrix-vector",
        "mv51",
        "a 51 n, b 51, c n",
        rows("t += a[i*51+j] * b[j];", stop="51", before="double t = 0;", after="c[i] = t;"),
    ),
    Template("matrix-vector", "mv_transposed", "a n n, b n, c n", rows("c[j] += a[i*n+j] * 1e-9 * b[i];"), 2),
    Template("matrix-vector", "rank_one", "a n n, b n, c n", rows("a[i*n+j] += 1e-9 * b[i] * c[j];"), 2),
    Template("matrix-vector", "mv_in_memory", "a n n, b n, c n", rows("c[i] += 1e-9 * a[i*n+j] * b[j];"), 2),
    Template(
        "matrix-matrix",
        "ijk",
        "a n n, b n n, c n n",
        matrix("i", "j", "k", "c[i*n+j] += 1e-9 * a[i*n+k] * b[k*n+j];"),
        3,
    ),
    Template(
        "matrix-matrix",
        "ikj",
        "a n n, b n n, c n n",
        matrix("i", "k", "j", "c[i*n+j] += 1e-9 * a[i*n+k] * b[k*n+j];"),
        3,
    ),
    Template(
        "matrix-matrix",
        "ijk_register",
        "a n n, b n n, c n n",
        rows("{ double t = 0; for (long k = 0; k < n; k++) t += a[i*n+k] * b[k*n+j]; c[i*n+j] = t; }"),
        3,
    ),
    Template(
        "matrix-matrix",
        "syrk",
        "a n n, c n n",
        "  for (long i = 0; i < n; i++) for (long k = 0; k < n; k++) for (long j = 0; j <= i; j++)\n"
        "    c[i*n+j] += 1e-9 * a[i*n+k] * a[j*n+k];",
        3,
    ),
    Template("triangular", "solve", "a n n, b n", rows("b[i] -= 1e-9 * a[i*n+j] * b[j];", stop="i"), 2),
    Template(
        "triangular",
        "multiply",
        "a n n, b n, c n",
        rows("t += a[i*n+j] * b[j];", start="i", before="double t = 0;", after="c[i] = t;"),
        2,
    ),
    Template(
        "triangular",
        "lu",
        "a n n",
        "  for (long k = 0; k < n; k++) for (long i = k+1; i < n; i++)\n"
        "    for (long j = k+1; j < n; j++) a[i*n+j] -= 1e-12 * a[i*n+k] * a[k*n+j];",
        3,
    ),
    Template(
        "triangular",
        "symmetric",
        "a n n, b n, c n",
        rows("{ c[i] += 1e-9 * a[i*n+j] * b[j]; c[j] += 1e-9 * a[i*n+j] * b[i]; }", stop="i"),
        2,
    ),
    Template("no FLOPs", "fill", "a n", each("a[i] = s;")),
    Template("no FLOPs", "fill8", "a 8 n", each("a[8*i] = s;")),
    Template("no FLOPs", "reverse", "a n, b n", each("a[i] = b[n-1-i];")),
    Template("no FLOPs", "transpose", "a n n, b n n", rows("a[i*n+j] = b[j*n+i];"), 2),
    Template("no FLOPs", "larger", "a n, b n, c n", each("a[i] = b[i] > c[i] ? b[i] : c[i];")),
    Template("no FLOPs", "shift", "a n", each("a[i] = a[i+1];", stop="n-1")),
    Template("integers", "sum_int", "p n", "  long t = 0;\n" + each("t += p[i];") + "\n  s += t;"),
    Template("integers", "bits", "p n, q n", each("p[i] = ((q[i] << 3) ^ (q[i] >> 5)) & (q[i] + 7);")),
    Template("integers", "multiply_int", "p n, q n", each("p[i] = 3 * q[i] * q[i] + 11;")),
    Template("integers", "longest", "p n, q n", "  int t = 0;\n" + each("{ t = q[i] > t ? q[i] : t + 1; p[i] = t; }")),
    Template("integers", "matches", "p n, q n", "  long t = 0;\n" + each("if (p[i] == q[i]) t++;") + "\n  s += t;"),
    Template(
        "integers",
        "generator",
        "q n",
        "  unsigned t = 7;\n" + each("{ t = t * 1664525u + 1013904223u; q[i] = t & 255; }"),
    ),
    Template("chases", "chase", "p n", "  int t = 0;\n" + each("t = p[t];") + "\n  s += t;"),
    Template(
        "chases",
        "two_chases",
        "p n",
        "  int t = 0, u = p[n/2];\n" + each("{ t = p[t]; u = p[u]; }") + "\n  s += t + u;",
    ),
    Template("chases", "chase_sum", "a n, p n", "  int t = 0;\n" + each("{ s += a[t]; t = p[t]; }")),
    Template("chases", "twice", "a n, p n, q n", each("s += a[p[p[i]]];")),
    Template("branches", "if_sum", "a n, b n", each("if (b[i] > 1.5) s += a[i];")),
    Template("branches", "clip", "a n, b n", each("a[i] = b[i] > 1.9 ? 1.9 : b[i] < 1.1 ? 1.1 : b[i] * s;")),
    Template("branches", "either", "a n, b n", each("{ if (b[i] > 1.5) a[i] = b[i] * s; else a[i] = b[i] + s; }")),
    Template("branches", "if_store", "a n, b n", each("if (b[i] > 1.5) a[i] = s;")),
)
