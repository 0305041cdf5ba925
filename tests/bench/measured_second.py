"""The second draw of loops, of floating-point numbers: streams to triangular, some on arrays that may overlap."""

from __future__ import annotations

from .measured_template import MAY_OVERLAP, PARAMETERS, Template, each, matrix, rows

_BODY = "struct body { double x, y, z, u, v, w; float mass; int kind; };\n"
_PIXEL = "struct pixel { float red, green, blue, alpha; };\n"
_OF_BODIES = PARAMETERS.replace("double *restrict a", "struct body *restrict a")
_OF_PIXELS = PARAMETERS.replace("double *restrict a", "struct pixel *restrict a")

SECOND: tuple[Template, ...] = (
    Template("streams", "axpby", "a n, b n, c n", each("a[i] = s * b[i] + 0.25 * c[i];")),
    Template("streams", "swap", "a n, b n", each("{ double t = a[i]; a[i] = b[i]; b[i] = t; }")),
    Template("streams", "two_outputs", "a n, b n, c n", each("{ a[i] = b[i] + s; c[i] = b[i] - s; }")),
    Template("streams", "plain_triad", "a n, b n, c n", each("a[i] = b[i] + s * c[i];"), parameters=MAY_OVERLAP),
    Template(
        "streams",
        "plain_pair",
        "a n, b n, c n, d n",
        each("{ a[i] = c[i] * d[i]; b[i] = c[i] + s * d[i]; }"),
        parameters=MAY_OVERLAP,
    ),
    Template("streams", "downwards", "a n, b n", "  for (long i = n - 1; i >= 0; i--) a[i] = s * a[i] + b[i];"),
    Template("streams", "mixed_axpy", "a n, f n", each("a[i] += 1e-9 * f[i];")),
    Template("streams", "mixed_scale", "f n, g n", each("f[i] = g[i] * s;")),
    Template("streams", "four_reads", "a n, b n, c n, d n", each("a[i] = (a[i] + b[i]) * 0.3 + c[i] * d[i] * 0.1;")),
    Template("stencils", "upwind", "a n, b n", each("a[i] = b[i] - 0.3 * (b[i] - b[i-1]);", "1")),
    Template(
        "stencils",
        "wave",
        "a n, b n, c n",
        each("a[i] = 2*b[i] - c[i] + 0.1 * (b[i+1] - 2*b[i] + b[i-1]);", "1", "n-1"),
    ),
    Template(
        "stencils",
        "gradient",
        "a n n, b n n, c n n",
        "  for (long i = 1; i < n-1; i++) for (long j = 1; j < n-1; j++) {\n"
        "    a[i*n+j] = c[i*n+j+1] - c[i*n+j-1];\n    b[i*n+j] = c[(i+1)*n+j] - c[(i-1)*n+j]; }",
        2,
    ),
    Template(
        "stencils",
        "seven",
        "a n n n, b n n n",
        "  for (long i = 1; i < n-1; i++) for (long j = 1; j < n-1; j++) for (long k = 1; k < n-1; k++)\n"
        "    a[(i*n+j)*n+k] = 0.4 * b[(i*n+j)*n+k] + 0.1 * (b[(i*n+j)*n+k-1] + b[(i*n+j)*n+k+1] + b[(i*n+j-1)*n+k]\n"
        "      + b[(i*n+j+1)*n+k] + b[((i-1)*n+j)*n+k] + b[((i+1)*n+j)*n+k]);",
        3,
    ),
    Template("stencils", "in_place", "a n", each("a[i] = 0.5 * (a[i] + a[i+1]);", stop="n-1")),
    Template(
        "stencils", "plain_three", "a n, b n", each("a[i] = s * (b[i-1] + b[i+1]);", "1", "n-1"), parameters=MAY_OVERLAP
    ),
    Template("reductions", "norm1", "a n", each("s += fabs(a[i] - 1.5);")),
    Template(
        "reductions",
        "extremes",
        "a n",
        "  double t = a[0];\n" + each("{ if (a[i] > s) s = a[i]; if (a[i] < t) t = a[i]; }") + "\n  s -= t;",
    ),
    Template(
        "reductions",
        "moments",
        "a n",
        "  double t = 0;\n" + each("{ double x = a[i] - 1.5; s += x; t += x * x; }") + "\n  s += t;",
    ),
    Template("reductions", "weighted", "a n, b n, c n", each("s += a[i] * b[i] * c[i];")),
    Template("reductions", "sum_of_floats", "f n", each("s += f[i];")),
    Template(
        "reductions",
        "place_of_largest",
        "a n",
        "  long k = 0;\n" + each("if (a[i] > a[k]) k = i;") + "\n  s = k;",
    ),
    Template("reductions", "first_large", "a n", each("if (a[i] > 3.0) { s = i; break; }")),
    Template("reductions", "differs", "a n, b n", "  long i = 0;\n  while (i < n && a[i] != b[i] + 7) i++;\n  s = i;"),
    Template(
        "reductions", "row_sums", "a n n, b n", rows("t += a[i*n+j];", before="double t = 0;", after="b[i] = t;"), 2
    ),
    Template("reductions", "trace", "a n n", each("s += a[i*n+i];")),
    Template("recurrences", "polynomial", "a n", each("s = s * 0.5 + a[i];")),
    Template("recurrences", "smooth", "a n, b n", each("{ s = 0.9 * s + 0.1 * b[i]; a[i] = s; }")),
    Template(
        "recurrences",
        "third",
        "f n, g n",
        each("f[i] = 0.3f*f[i-1] + 0.2f*f[i-2] + 0.1f*f[i-3] + g[i];", "3"),
    ),
    Template("recurrences", "highest_yet", "a n, b n", each("{ s = a[i] > s ? a[i] : s; b[i] = s; }")),
    Template(
        "recurrences",
        "two_states",
        "a n",
        "  double t = 0;\n" + each("{ s = 0.9 * s + 0.1 * t + a[i]; t = 0.8 * t - 0.05 * s; }") + "\n  s += t;",
    ),
    Template(
        "recurrences",
        "newton",
        "a n, b n",
        each("{ double x = 0.5; for (int k = 0; k < 4; k++) x = x * (2 - a[i] * x); b[i] = x; }"),
    ),
    Template("divisions", "by_scalar", "a n, b n", each("a[i] = b[i] / s;")),
    Template("divisions", "root_sum", "a n", each("s += sqrt(a[i]);")),
    Template("divisions", "harmonic", "a n, b n, c n", each("a[i] = 1 / (b[i] + 1 / c[i]);")),
    Template("divisions", "inverse_root", "f n, g n", each("f[i] = 1.0f / sqrtf(g[i]);")),
    Template("divisions", "continued", "a n", each("s = 1 + a[i] / (1 + s);")),
    Template("calls", "softplus", "a n, b n", each("a[i] = log(1 + exp(b[i]));")),
    Template("calls", "single_exp", "f n, g n", each("f[i] = expf(g[i]);")),
    Template("calls", "cosine_sum", "a n", each("s += cos(a[i]) * 0.1;")),
    Template("calls", "floors", "a n, b n", each("a[i] = b[i] * 8 - floor(b[i] * 8);")),
    Template("calls", "distances", "a n, b n, c n", each("a[i] = hypot(b[i], c[i]);")),
    Template("calls", "tangent", "a n, b n", each("a[i] = tanh(b[i]);")),
    Template("calls", "angles", "a n, b n, c n", each("a[i] = atan2(b[i], c[i]);")),
    Template("calls", "random_numbers", "a n", each("a[i] = rand() * 1e-9;"), before="#include <stdlib.h>\n"),
    Template("calls", "uniform", "a n", each("a[i] = drand48();"), before="#include <stdlib.h>\n"),
    Template(
        "calls",
        "formatted",
        "a n",
        each('s += snprintf(text, 40, "%g", a[i] + s);'),
        before="#include <stdio.h>\nstatic char text[40];\n",
    ),
    Template(
        "calls",
        "own_call",
        "a n, b n",
        each("a[i] = square_of(b[i]) + s;"),
        before="static double square_of(double x) { return x * x - 0.5; }\n",
    ),
    Template("strides", "third_sum", "a 3 n", each("s += a[3*i];")),
    Template("strides", "split", "a n, b n, c 2 n", each("{ a[i] = c[2*i]; b[i] = c[2*i+1] * s; }")),
    Template("strides", "join", "a n, b n, c 2 n", each("{ c[2*i] = a[i] * s; c[2*i+1] = b[i]; }")),
    Template("strides", "sixteenth", "a 16 n, b n", each("b[i] = s * a[16*i];")),
    Template("strides", "dot_second", "a n, b 2 n", each("s += a[i] * b[2*i];")),
    Template("strides", "column_sums", "a n n, b n", rows("b[j] += a[i*n+j] * 1e-9;"), 2),
    Template(
        "structures",
        "move",
        "a 7 n",
        each("{ a[i].x += 1e-9 * a[i].u; a[i].y += 1e-9 * a[i].v; a[i].z += 1e-9 * a[i].w; }"),
        parameters=_OF_BODIES,
        before=_BODY,
    ),
    Template("structures", "total_mass", "a 7 n", each("s += a[i].mass;"), parameters=_OF_BODIES, before=_BODY),
    Template(
        "structures",
        "energy",
        "a 7 n",
        each("s += a[i].mass * (a[i].u*a[i].u + a[i].v*a[i].v + a[i].w*a[i].w);"),
        parameters=_OF_BODIES,
        before=_BODY,
    ),
    Template(
        "structures",
        "grey",
        "a 2 n, f n",
        each("f[i] = 0.3f * a[i].red + 0.6f * a[i].green + 0.1f * a[i].blue;"),
        parameters=_OF_PIXELS,
        before=_PIXEL,
    ),
    Template(
        "structures",
        "brighten",
        "a 2 n",
        each("{ a[i].red *= 1.0001f; a[i].green *= 0.9999f; a[i].blue *= 1.0f; a[i].alpha = 1; }"),
        parameters=_OF_PIXELS,
        before=_PIXEL,
    ),
    Template(
        "structures", "of_kind", "a 7 n", each("if (a[i].kind == 3) s += a[i].x;"), parameters=_OF_BODIES, before=_BODY
    ),
    Template("gathers", "gather_float", "f n, g n, p n", each("f[i] = 2 * g[p[i]];")),
    Template("gathers", "gather_dot", "a n, b n, p n", each("s += a[p[i]] * b[i];")),
    Template(
        "gathers", "gather_rows", "a 4 n, b n, p n", each("b[i] = a[4*p[i]] + a[4*p[i]+1] + a[4*p[i]+2] + a[4*p[i]+3];")
    ),
    Template("gathers", "lookup", "a n, b 256, q n", each("a[i] = b[q[i]] * s;")),
    Template(
        "gathers",
        "tabulated",
        "a n, b 256, c n",
        each("{ double x = (c[i] - 1) * 200; int k = x; a[i] = b[k] + (x - k) * (b[k+1] - b[k]); }"),
    ),
    Template("scatters", "weighted_histogram", "a 256, b n, q n", each("a[q[i]] += b[i] * 1e-9;")),
    Template("scatters", "binned", "p 256, g n", each("p[(int)((g[i] - 1) * 255)]++;")),
    Template("scatters", "scatter_float", "f n, g n, p n", each("f[p[i]] = g[i];")),
    Template("scatters", "forces", "a n, b n, p n", each("{ double x = 1e-9 * b[i]; a[i] += x; a[p[i]] -= x; }")),
    Template(
        "small",
        "cross",
        "a 3 n, b 3 n, c 3 n",
        each(
            "{ c[3*i] = a[3*i+1]*b[3*i+2] - a[3*i+2]*b[3*i+1]; c[3*i+1] = a[3*i+2]*b[3*i] - a[3*i]*b[3*i+2]; "
            "c[3*i+2] = a[3*i]*b[3*i+1] - a[3*i+1]*b[3*i]; }"
        ),
    ),
    Template(
        "small",
        "determinants",
        "a 9 n, b n",
        each(
            "{ double *x = a + 9*i; "
            "b[i] = x[0]*(x[4]*x[8]-x[5]*x[7]) - x[1]*(x[3]*x[8]-x[5]*x[6]) + x[2]*(x[3]*x[7]-x[4]*x[6]); }"
        ),
    ),
    Template(
        "small",
        "matmul4_float",
        "f 16 n, g 16",
        "  for (long i = 0; i < n; i++) { float t[16]; for (int j = 0; j < 4; j++) for (int k = 0; "
        "k < 4; k++) {\n    t[4*j+k] = 0; for (int l = 0; l < 4; "
        "l++) t[4*j+k] += 0.2f * f[16*i+4*j+l] * g[4*l+k]; }\n    for (int j = 0; j < 16; "
        "j++) f[16*i+j] = t[j]; }",
    ),
    Template(
        "small",
        "rows3",
        "a 3 n, b n",
        "  for (long i = 0; i < n; i++) { b[i] = 0; for (int j = 0; j < 3; j++) b[i] += a[3*i+j] * s; }",
    ),
    Template(
        "short",
        "rows17",
        "a 17 n, b n",
        rows("t += a[i*17+j] * a[i*17+j];", stop="17", before="double t = 0;", after="b[i] = t;"),
    ),
    Template("short", "scaled_rows", "a 20 n, b n", rows("a[i*20+j] = a[i*20+j] * 0.5 + b[i];", stop="20")),
    Template(
        "short",
        "uneven",
        "a n, b 255, q n",
        rows("t += b[j];", stop="q[i] % 16", before="double t = 0;", after="a[i] = t;"),
    ),
    Template(
        "short",
        "windows",
        "a n, b n",
        "  for (long i = 0; i < n - 8; i++) { double t = 0; for (long j = i; j < i + 9; j++) t += b[j]; a[i] = t; }",
    ),
    Template("short", "even_rows", "f 32 n, g 32", rows("f[i*32+j] += 1e-3f * g[j];", stop="32")),
    Template(
        "matrix-vector",
        "mv_float",
        "f n n, g n, c n",
        rows("t += f[i*n+j] * g[j];", before="float t = 0;", after="c[i] = t;"),
        2,
    ),
    Template("matrix-vector", "tall", "a 12 n, b 12, c n", rows("c[i] += 1e-9 * a[i*12+j] * b[j];", stop="12")),
    Template(
        "matrix-vector",
        "two_products",
        "a n n, b n, c n, d n",
        "  for (long i = 0; i < n; i++) { double t = 0;\n    for (long j = 0; j < n; j++) { "
        "d[j] += 1e-9 * a[i*n+j] * b[i]; t += a[i*n+j] * c[j]; } s += t; }",
        2,
    ),
    Template(
        "matrix-matrix",
        "ikj_float",
        "f n n, g n n, a n n",
        matrix("i", "k", "j", "f[i*n+j] += 1e-6f * g[k*n+j] * (float)a[i*n+k];"),
        3,
    ),
    Template(
        "matrix-matrix",
        "by_rows",
        "a n n, b n n, c n n",
        rows("{ double t = 0; for (long k = 0; k < n; k++) t += a[i*n+k] * b[j*n+k]; c[i*n+j] = t; }"),
        3,
    ),
    Template(
        "matrix-matrix",
        "plain_ikj",
        "a n n, b n n, c n n",
        matrix("i", "k", "j", "c[i*n+j] += 1e-9 * a[i*n+k] * b[k*n+j];"),
        3,
        parameters=MAY_OVERLAP,
    ),
    Template(
        "triangular",
        "by_columns",
        "a n n, b n",
        "  for (long i = n - 1; i >= 0; i--) for (long j = 0; j < i; j++) b[j] -= 1e-9 * a[i*n+j] * b[i];",
        2,
    ),
    Template(
        "triangular",
        "lower_product",
        "a n n, b n n, c n n",
        "  for (long i = 0; i < n; i++) for (long k = 0; k <= i; k++) for (long j = 0; j < n; "
        "j++)\n    c[i*n+j] += 1e-9 * a[i*n+k] * b[k*n+j];",
        3,
    ),
    Template(
        "triangular",
        "upper_sums",
        "a n n, b n",
        rows("t += a[i*n+j];", start="i + 1", before="double t = 0;", after="b[i] = t;"),
        2,
    ),
    Template("triangular", "mirror", "a n n", rows("a[j*n+i] = a[i*n+j];", stop="i"), 2),
)
