"""The second draw of loops, of integers, bytes, conditions and pointers."""

from __future__ import annotations

from .measured_template import MAY_OVERLAP, PARAMETERS, Template, each, rows

_BYTES = PARAMETERS.replace("int *restrict p", "unsigned char *restrict x").replace(
    "int *restrict q", "unsigned char *restrict y"
)
_SHORTS = PARAMETERS.replace("int *restrict p", "short *restrict x").replace("int *restrict q", "short *restrict y")


def _counted(kind: str, body: str, start: str = "0") -> str:
    return f"  {kind} t = {start};\n{each(body)}\n  s += t;"


THIRD: tuple[Template, ...] = (
    Template(
        "integer recurrences",
        "hash_products",
        "q n",
        _counted("unsigned", "t = (t ^ q[i]) * 16777619u;", "2166136261u"),
    ),
    Template("integer recurrences", "hash_33", "q n", _counted("unsigned", "t = t * 33 + q[i];", "5381")),
    Template("integer recurrences", "running_sum", "p n, q n", _counted("int", "{ t += q[i]; p[i] = t; }")),
    Template(
        "integer recurrences",
        "xorshift",
        "q n",
        _counted("unsigned", "{ t ^= t << 13; t ^= t >> 17; t ^= t << 5; q[i] = t & 255; }", "7"),
    ),
    Template(
        "integer recurrences",
        "generator_64",
        "a n",
        _counted(
            "unsigned long",
            "{ t = t * 6364136223846793005ul + 1442695040888963407ul; a[i] = (t >> 11) * 0x1p-53; }",
            "1",
        ),
    ),
    Template("integer recurrences", "fibonacci", "p n", each("p[i] = (p[i-1] + p[i-2]) & 1023;", "2")),
    Template(
        "integer recurrences",
        "checksum",
        "q n",
        "  unsigned t = 1, u = 0;\n"
        + each("{ t = (t + q[i]) % 65521; u = (u + t) % 65521; }")
        + "\n  s += u * 65536.0 + t;",
    ),
    Template(
        "integer recurrences",
        "table_crc",
        "p 256, q n",
        _counted("unsigned", "t = p[(t ^ q[i]) & 255] ^ (t >> 8);", "1"),
    ),
    Template("integer recurrences", "states", "p 256, q n", _counted("int", "t = p[(t * 4 + (q[i] & 3)) & 255];")),
    Template("integer recurrences", "carry", "p n, q n", _counted("int", "{ t = (t >> 1) + q[i]; p[i] = t & 1; }")),
    Template("integer recurrences", "rotated", "q n", _counted("unsigned", "t = ((t << 5) | (t >> 27)) + q[i];")),
    Template("integer recurrences", "gaps", "p n, q n", each("p[i] = q[i] - q[i-1];", "1")),
    Template("divisions", "remainders", "p n, q n", each("p[i] = q[i] % 7;")),
    Template("divisions", "int_quotients", "p n, q n", each("p[i] = 100000 / (q[i] + 1);")),
    Template(
        "divisions", "digits", "q n", _counted("long", "{ int x = q[i]; while (x > 0) { t += x % 10; x /= 10; } }")
    ),
    Template("integers", "differences", "p n, q n", each("p[i] = q[i] > 128 ? q[i] - 128 : 128 - q[i];")),
    Template("integers", "int_dot", "p n, q n", _counted("int", "t += (p[i] & 255) * q[i];")),
    Template("integers", "saturated", "p n, q n", each("p[i] = q[i] + 100 < 255 ? q[i] + 100 : 255;")),
    Template(
        "integers",
        "bits_set",
        "p n, q n",
        each(
            "{ unsigned x = q[i]; x = x - ((x >> 1) & 0x55u); x = (x & 0x33u) + ((x >> 2) & 0x33u); "
            "p[i] = (x + (x >> 4)) & 0x0fu; }"
        ),
    ),
    Template("integers", "parity", "q n", _counted("unsigned", "t ^= q[i];")),
    Template("integers", "number", "p n", each("p[i] = i;")),
    Template(
        "integers",
        "shorts",
        "p n, q n",
        "  for (long i = 0; i < 2*n; i++) x[i] = x[i] / 2 + (y[i] >> 1);",
        parameters=_SHORTS,
    ),
    Template("integers", "plain_ints", "p n, q n", each("p[i] = q[i] * 3 + 1;"), parameters=MAY_OVERLAP),
    Template("conversions", "to_double", "a n, q n", each("a[i] = q[i];")),
    Template("conversions", "to_int", "a n, p n", each("p[i] = a[i] * 100;")),
    Template("conversions", "to_float", "a n, f n", each("f[i] = a[i];")),
    Template("conversions", "from_float", "a n, f n", each("a[i] = f[i];")),
    Template(
        "conversions",
        "byte_to_float",
        "f 4 n, p n",
        "  for (long i = 0; i < 4*n; i++) f[i] = x[i] * (1.0f / 255);",
        parameters=_BYTES,
    ),
    Template(
        "conversions",
        "float_to_byte",
        "f 4 n, p n",
        "  for (long i = 0; i < 4*n; i++) x[i] = f[i] * 100.0f;",
        parameters=_BYTES,
    ),
    Template("conversions", "index_squares", "a n", each("a[i] = s * i * i;")),
    Template(
        "conversions",
        "pi",
        "a n",
        "  double w = 1.0 / n;\n  for (int i = 0; i < n; i++) { double x = (i + 0.5) * w; s += 4.0 / (1.0 + x * x); }",
    ),
    Template(
        "conversions",
        "long_to_double",
        "a n, b n",
        "  long *x = (long *)b;\n" + each("a[i] = (double)(x[i] >> 12) * s;"),
    ),
    Template(
        "bytes", "bytes_add", "p n, q n", "  for (long i = 0; i < 4*n; i++) x[i] = x[i] + y[i];", parameters=_BYTES
    ),
    Template(
        "bytes",
        "bytes_sum",
        "p n",
        "  long t = 0;\n  for (long i = 0; i < 4*n; i++) t += x[i];\n  s += t;",
        parameters=_BYTES,
    ),
    Template(
        "bytes",
        "bytes_count",
        "p n",
        "  long t = 0;\n  for (long i = 0; i < 4*n; i++) if (x[i] == 10) t++;\n  s += t;",
        parameters=_BYTES,
    ),
    Template(
        "bytes",
        "upper_case",
        "p n",
        "  for (long i = 0; i < 4*n; i++) if (x[i] >= 'a' && x[i] <= 'z') x[i] -= 32;",
        parameters=_BYTES,
    ),
    Template(
        "bytes",
        "bytes_blur",
        "p n, q n",
        "  for (long i = 1; i < 4*n - 1; i++) x[i] = (y[i-1] + 2 * y[i] + y[i+1]) >> 2;",
        parameters=_BYTES,
    ),
    Template("bytes", "bytes_invert", "p n", "  for (long i = 0; i < 4*n; i++) x[i] = 255 - x[i];", parameters=_BYTES),
    Template(
        "bytes",
        "bytes_grey",
        "p 3 n, q n",
        "  for (long i = 0; i < 4*n; i++) y[i] = (77 * x[3*i] + 150 * x[3*i+1] + 29 * x[3*i+2]) >> 8;",
        parameters=_BYTES,
    ),
    Template(
        "bytes", "bytes_table", "p n, q 64", "  for (long i = 0; i < 4*n; i++) x[i] = y[x[i]];", parameters=_BYTES
    ),
    Template(
        "bytes",
        "bytes_differ",
        "p n, q n",
        "  long t = 0;\n  for (long i = 0; i < 4*n; i++) t += x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];\n  s += t;",
        parameters=_BYTES,
    ),
    Template("branches", "rare_sum", "a n, b n", each("if (b[i] > 1.98) s += a[i];")),
    Template("branches", "kept", "a n, b n", "  long k = 0;\n" + each("if (b[i] > 1.5) a[k++] = b[i];") + "\n  s = k;"),
    Template(
        "branches",
        "three_ways",
        "a n, b n",
        each("{ if (b[i] > 1.7) a[i] = b[i] * s; else if (b[i] > 1.3) a[i] = b[i] + s; else a[i] = s - b[i]; }"),
    ),
    Template("branches", "costly_if", "a n, b n", each("if (b[i] > 1.5) a[i] = exp(b[i]);")),
    Template("branches", "odd_even", "q n", _counted("unsigned", "if (q[i] & 1) t += q[i] * 3; else t ^= q[i];")),
    Template(
        "branches",
        "cases",
        "q n",
        _counted(
            "long",
            "switch (q[i] & 3) { case 0: t += 5; break; case 1: t ^= q[i]; break; case 2: t -= 3; break; "
            "default: t *= 3; }",
        ),
    ),
    Template("branches", "divided_if", "a n, b n, c n", each("if (c[i] > 1.5) a[i] = b[i] / c[i];")),
    Template("branches", "sum_above", "f n", _counted("float", "if (f[i] > 1.25f) t += f[i];")),
    Template(
        "branches",
        "partition",
        "a n, b n, c n",
        "  long k = 0, l = 0;\n" + each("if (a[i] > 1.5) b[k++] = a[i]; else c[l++] = a[i];") + "\n  s = k - l;",
    ),
    Template(
        "branches",
        "merge",
        "a 2 n, b n, c n",
        "  long k = 0, l = 0;\n  for (long i = 0; i < n; "
        "i++) a[i] = b[k] * (k + 1) < c[l] * (l + 1) ? b[k++] : c[l++];",
    ),
    Template(
        "searches",
        "binary",
        "a 256, b n",
        "  for (long i = 0; i < n; i++) { int k = 0; for (int j = 128; j > 0; "
        "j /= 2) if (a[k + j] < b[i] + 0.01 * j) k += j; s += k; }",
    ),
    Template(
        "searches",
        "descent",
        "a 255, b n",
        "  for (long i = 0; i < n; i++) { int k = 0; for (int j = 0; j < 7; "
        "j++) k = 2 * k + 1 + (a[k] < b[i]); s += k; }",
    ),
    Template(
        "searches",
        "nearest",
        "a 16, b n, p n",
        "  for (long i = 0; i < n; i++) { int k = 0; double t = 10; for (int j = 0; j < 16; j++) { "
        "double x = fabs(a[j] - b[i]); if (x < t) { t = x; k = j; } } p[i] = k; }",
    ),
    Template(
        "chases", "list_of_values", "a 2 n, p n", "  int t = 0;\n" + each("{ s += a[2*t] * a[2*t+1]; t = p[t]; }")
    ),
    Template(
        "chases",
        "four_chases",
        "p n",
        "  int t = 0, u = p[n/4], v = p[n/2], w = p[3*n/4];\n"
        + each("{ t = p[t]; u = p[u]; v = p[v]; w = p[w]; }")
        + "\n  s += t + u + v + w;",
    ),
    Template("chases", "until_zero", "p n", "  long k = 0;\n  for (int t = p[0]; t != 0; t = p[t]) k++;\n  s = k;"),
    Template("no FLOPs", "copy_float", "f n, g n", each("f[i] = g[i];")),
    Template("no FLOPs", "fill_int", "p n", each("p[i] = 7;")),
    Template("no FLOPs", "spread", "a n n, b n", rows("a[i*n+j] = b[j];"), 2),
    Template(
        "no FLOPs",
        "turn_round",
        "a n",
        "  for (long i = 0; i < n / 2; i++) { double t = a[i]; a[i] = a[n-1-i]; a[n-1-i] = t; }",
    ),
    Template("no FLOPs", "permute", "p n, q n", each("q[i] = p[p[i]];")),
    Template("no FLOPs", "transpose_float", "f n n, g n n", rows("f[j*n+i] = g[i*n+j];"), 2),
    Template("no FLOPs", "plain_copy", "a n, b n", each("a[i] = b[i];"), parameters=MAY_OVERLAP),
    Template("no FLOPs", "every_line", "f 16 n", each("f[16*i] = 1.0f;")),
)
