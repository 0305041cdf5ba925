"""The third draw of loops: small matrices, mixed conversions, early exits, tables, tiles, complex numbers, volumes."""

from __future__ import annotations

from .measured_template import PARAMETERS, Template, each, rows

_BYTES = PARAMETERS.replace("int *restrict p", "unsigned char *restrict x").replace(
    "int *restrict q", "unsigned char *restrict y"
)
_SHORTS = PARAMETERS.replace("int *restrict p", "short *restrict x").replace("int *restrict q", "short *restrict y")


def _counted(kind: str, body: str, start: str = "0") -> str:
    return f"  {kind} t = {start};\n{each(body)}\n  s += t;"


def _points(body: str, start: str = "0", stop: str = "n") -> str:
    heads = "\n".join(f"  for (long {name} = {start}; {name} < {stop}; {name}++)" for name in "ijk")
    return f"{heads}\n    {body}"


FOURTH: tuple[Template, ...] = (
    Template(
        "small",
        "two_by_two",
        "a 4 n, b 4 n, c 4 n",
        "  for (long k = 0; k < n; k++) for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++)\n"
        "    a[4*k+2*i+j] = b[4*k+2*i] * c[4*k+j] + b[4*k+2*i+1] * c[4*k+2+j];",
    ),
    Template(
        "small",
        "rotations",
        "a 3 n, b 9",
        each(
            "{ double x = a[3*i], y = a[3*i+1], z = a[3*i+2]; for (int j = 0; j < 3; j++) "
            "a[3*i+j] = 0.3 * (b[3*j]*x + b[3*j+1]*y + b[3*j+2]*z); }"
        ),
    ),
    Template(
        "small",
        "vectors_of_six",
        "a 6 n, b 6 n",
        each("{ double t = 0; for (int j = 0; j < 6; j++) t += a[6*i+j] * b[6*i+j]; a[6*i] = 0.1 * t; }"),
    ),
    Template(
        "small",
        "two_determinants",
        "a n, b 4 n",
        each("a[i] = b[4*i] * b[4*i+3] - b[4*i+1] * b[4*i+2];"),
    ),
    Template(
        "small",
        "filter_seven",
        "f n, g n, a 7",
        "  float w[7];\n  for (int j = 0; j < 7; j++) w[j] = a[j];\n"
        + each("{ float t = 0; for (int j = 0; j < 7; j++) t += w[j] * g[i+j]; f[i] = t; }", "0", "n - 7"),
    ),
    Template("mixed", "int_times_float", "f n, q n", each("f[i] = q[i] * f[i] * 0.01f;")),
    Template("mixed", "rounded", "a n, p n", each("p[i] = (int)(a[i] * 100.0 + 0.5) & 127;")),
    Template("mixed", "double_of_float_sum", "f n, a n", each("a[i] += (double)f[i] * s;")),
    Template(
        "mixed",
        "short_products",
        "q n, p n, f 2 n",
        "  for (long i = 0; i < 2*n; i++) f[i] = x[i] * y[i];",
        parameters=_SHORTS,
    ),
    Template("conditional", "relu", "f n, g n", each("f[i] = g[i] > 1.5f ? g[i] : 0.0f;")),
    Template(
        "conditional",
        "limited",
        "a n, b n, c n",
        each("{ double x = b[i] - c[i]; if (x < -0.1) x = -0.1; if (x > 0.1) x = 0.1; a[i] = x; }"),
    ),
    Template("conditional", "sign_of", "a n, p n", each("p[i] = (a[i] > 1.6) - (a[i] < 1.4);")),
    Template(
        "conditional",
        "upwind_flux",
        "a n, b n, c n",
        each("a[i] = c[i] > 1.5 ? c[i] * (b[i] - b[i-1]) : c[i] * (b[i+1] - b[i]);", "1", "n - 1"),
    ),
    Template("conditional", "inside", "a n, b n", _counted("long", "if (a[i] * a[i] + b[i] * b[i] < 4.0) t++;")),
    Template(
        "exits",
        "first_beyond",
        "a n",
        "  long i = 0;\n  while (i < n && a[i] < 5.0) i++;\n  s += i;",
    ),
    Template(
        "exits",
        "length_of_string",
        "p n",
        "  long i = 0;\n  for (; i < 4*n - 1; i++) if (x[i] == 0) x[i] = 1;\n  x[4*n-1] = 0;\n"
        "  for (i = 0; x[i] != 0; i++) ;\n  s += i;",
        parameters=_BYTES,
    ),
    Template(
        "exits",
        "equal_prefix",
        "p n, q n",
        "  long i = 0;\n" + each("p[i] = q[i];") + "\n  while (i < n && p[i] == q[i]) i++;\n  s += i;",
    ),
    Template(
        "reductions",
        "least_and_largest",
        "f n",
        "  float t = f[0], u = f[0];\n"
        + each("{ if (f[i] < t) t = f[i]; if (f[i] > u) u = f[i]; }")
        + "\n  s += t + u;",
    ),
    Template("reductions", "largest_int", "q n", _counted("int", "t = q[i] > t ? q[i] : t;")),
    Template(
        "reductions",
        "least_at",
        "f n",
        "  int k = 0;\n" + each("if (f[i] < f[k]) k = i;", "1") + "\n  s += k;",
    ),
    Template(
        "reductions",
        "three_moments",
        "a n",
        "  double t = 0, u = 0, v = 0;\n"
        + each("{ double x = a[i] - 1.5; t += x; u += x * x; v += x * x * x; }")
        + "\n  s += t + u + v;",
    ),
    Template(
        "reductions",
        "sum_by_eight",
        "f n",
        "  float t[8] = {0};\n  for (long i = 0; i + 7 < n; i += 8) for (int j = 0; j < 8; j++) t[j] += f[i+j];\n"
        "  for (int j = 0; j < 8; j++) s += t[j];",
    ),
    Template(
        "recurrences", "prefix_float", "f n, g n", "  float t = 0;\n" + each("{ t = 0.5f * t + g[i]; f[i] = t; }")
    ),
    Template(
        "recurrences",
        "second_order",
        "a n, b n",
        "  double t = 0, u = 0;\n" + each("{ double x = b[i] + 0.5 * t - 0.25 * u; u = t; t = x; a[i] = x; }"),
    ),
    Template("recurrences", "roots_of_roots", "b n", each("s = sqrt(s + b[i]);")),
    Template("recurrences", "every_other", "a n, b n", each("a[i] = 0.5 * a[i-2] + b[i];", "2")),
    Template(
        "polynomials",
        "horner_nine",
        "a n, b n",
        each(
            "{ double x = b[i] - 1.5; a[i] = ((((((((x*0.1 + 0.2)*x + 0.3)*x + 0.4)*x + 0.5)*x + 0.6)*x + 0.7)*x "
            "+ 0.8)*x + 0.9)*x + 1.0; }"
        ),
    ),
    Template(
        "polynomials",
        "horner_coefficients",
        "b n, a 8",
        each("{ double t = a[0]; for (int j = 1; j < 8; j++) t = t * (b[i] - 1.0) + a[j]; b[i] = 1.0 + 1e-9 * t; }"),
    ),
    Template(
        "complex",
        "complex_axpy",
        "a 2 n, b 2 n",
        each(
            "{ double x = b[2*i], y = b[2*i+1]; a[2*i] += 1e-9 * (0.6*x - 0.8*y); a[2*i+1] += 1e-9 * (0.8*x + 0.6*y); }"
        ),
    ),
    Template("complex", "magnitudes", "f 2 n, g n", each("g[i] = sqrtf(f[2*i]*f[2*i] + f[2*i+1]*f[2*i+1]);")),
    Template("divisions", "by_invariant", "a n, b n", each("a[i] = b[i] / (s + 1.0);")),
    Template("divisions", "int_by_invariant", "p n, q n", "  int w = q[0] + 3;\n" + each("p[i] = (q[i] + i) / w;")),
    Template("divisions", "ratio_of_sums", "f n, g n", each("f[i] = (g[i] + 1.0f) / (g[i] + 2.0f);")),
    Template(
        "bits",
        "reversed_bits",
        "p n, q n",
        each(
            "{ unsigned x = q[i]; x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1; "
            "x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2; x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4; "
            "p[i] = x & 255; }"
        ),
    ),
    Template(
        "bits",
        "mixed_hash",
        "p n",
        each(
            "{ unsigned x = i; x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; "
            "x ^= x >> 16; p[i] = x & 1023; }"
        ),
    ),
    Template("tables", "gamma_table", "p n, q n, f 256", each("f[q[i] & 255] = f[p[i & 255] & 255];")),
    Template(
        "tables",
        "interpolated",
        "a n, b n, c 66",
        each("{ double x = (b[i] - 1.0) * 64; int k = x; a[i] = c[k] + (x - k) * (c[k+1] - c[k]); }"),
    ),
    Template("tables", "indirect_update", "a n, p n, b n", each("a[p[i]] = 0.5 * a[p[i]] + b[i];")),
    Template("strides", "third_stored", "a 3 n, b n", each("a[3*i] = b[i] * s;")),
    Template("strides", "split_pairs", "a 2 n, b n, c n", each("{ b[i] = a[2*i]; c[i] = a[2*i+1]; }")),
    Template("strides", "exchanged", "a n, b n", each("{ double t = a[i]; a[i] = b[i]; b[i] = t; }")),
    Template("strides", "sums_of_columns", "a n n, b n", rows("b[j] += 1e-9 * a[i*n+j];"), 2),
    Template("strides", "scaled_columns", "a n n, b n", rows("a[j*n+i] *= 1e-9 * b[j] + 1.0;"), 2),
    Template(
        "triangular",
        "rank_two",
        "a n n, b n, c n",
        rows("a[i*n+j] += 1e-9 * (b[i]*c[j] + c[i]*b[j]);", stop="i + 1"),
        2,
    ),
    Template(
        "tiled",
        "tiled_transpose",
        "a n n, b n n",
        "  for (long i = 0; i + 7 < n; i += 8) for (long j = 0; j + 7 < n; j += 8)\n"
        "    for (long k = i; k < i + 8; k++) for (long l = j; l < j + 8; l++) a[l*n+k] = b[k*n+l];",
        2,
    ),
    Template(
        "volumes",
        "seven_points",
        "a n n n, b n n n",
        _points(
            "a[(i*n+j)*n+k] = 0.4*b[(i*n+j)*n+k] + 0.1*(b[(i*n+j)*n+k-1] + b[(i*n+j)*n+k+1]\n"
            "      + b[(i*n+j-1)*n+k] + b[(i*n+j+1)*n+k] + b[((i-1)*n+j)*n+k] + b[((i+1)*n+j)*n+k]);",
            "1",
            "n - 1",
        ),
        3,
    ),
    Template(
        "volumes",
        "seven_points_float",
        "f n n n, g n n n",
        _points(
            "f[(i*n+j)*n+k] = g[(i*n+j)*n+k+1] - 2.0f*g[(i*n+j)*n+k] + g[(i*n+j)*n+k-1] + 0.5f*g[((i+1)*n+j)*n+k]\n"
            "      - 0.5f*g[((i-1)*n+j)*n+k];",
            "1",
            "n - 1",
        ),
        3,
    ),
    Template("calls", "softmax_part", "a n, b n", each("{ a[i] = exp(b[i] - 2.0); s += a[i]; }")),
    Template("calls", "polar", "a n, b n, c n", each("{ a[i] = c[i] * cos(b[i]); c[i] = 1.0 + 0.1 * sin(b[i]); }")),
    Template("calls", "roots_and_floors", "a n, b n", each("a[i] = floor(sqrt(b[i]) * 8.0) * 0.125;")),
    Template(
        "searches",
        "found_in_list",
        "q n, p 32",
        each("{ int t = -1; for (int j = 0; j < 32; j++) if (p[j] == (q[i] & 31)) { t = j; break; } s += t; }"),
    ),
    Template(
        "searches",
        "sorted_eights",
        "a n",
        "  for (long k = 0; k + 8 <= n; k += 8) for (int i = 1; i < 8; i++) {\n"
        "    double x = a[k+i]; int j = i - 1;\n"
        "    while (j >= 0 && a[k+j] > x) { a[k+j+1] = a[k+j]; j--; }\n    a[k+j+1] = x;\n  }",
    ),
)
