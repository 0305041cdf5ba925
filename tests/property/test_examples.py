"""Nests that once gave wrong counts, as small as they can be made, held against the interpreter."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyzer.profiling.counting.profiler import profile_region

from ..oracle.sources import region_of_text
from .agreement import check, check_lines

MACROS = "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
PARAMETERS = "int n, int m, int ld, double *a, double *b, double c[][ld]"
SIZES = tuple({"n": n, "m": m, "ld": 50} for n, m in ((6, 3), (1, 4), (0, 0), (12, 7)))


EXAMPLES = [
    "for (int i = 0; i < n; i++) a[i / 2] = b[(i - m) / 2];",
    "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if ((i ^ j) & 1) c[i][j] = a[i]; else c[i][j] = b[j];",
    "for (int i = 0; i < n; i++) { if (i == 2) break; a[i] = 1.0; }",
    "for (int i = 0; i < n; i++) { if (i == 2) return; a[i] = 1.0; } for (int j = 0; j < n; j++) b[j] = 2.0 * a[j];",
    "for (int j = 0; j < n && a[j] > 0.0; j++) { if (j == 3) break; a[j] += 1.0; }",
    "for (int i = 25; i > 2; i /= 2) { b[0] += a[i]; if (2 * i == n) break; }",
    "for (int i = 25; i > 2; i /= 2) c[i][i] = a[0];",
    "for (int i = 2; i < MAX(m, n - 2); i += 4) for (int j = i >> 1; j < MIN(n, i + 4); j++)"
    " for (int k = 0; k < (n + m) / 2; k += 4) if ((j - k) % 3 == 0 && m - j > 1) a[0] += 3.0; else b[0] -= 1.0;",
    "for (int i = 0; i < n; i++) if (i % 2 == 0) { if (i == 4) break; a[i] = b[i]; } else { c[0][i] = 1.0; }",
    "for (int i = n - 1; i >= 0; i--) if (i < m) { if (i == 2) break; a[i] = b[i]; if (i == 1) break; b[i] += 1; }",
    "for (int i = 0; i < n; i++) if (i < 3) { if (a[i] > 0.0) break; b[i] += 1.0; }",
    "for (int i = 0; i < n; i++) { for (int j = 6; j >= i; j--) { if (a[j] > 0.0) break; b[j] += 1.0; }"
    " if (a[i] < 1.0) break; }",
    "for (int i = 2; i < 2; i *= 3) for (int j = 0; j < n; j++) { a[j] = 1.0; if (i + j < m) break; c[i][j] = b[j]; }",
    "for (int j = 0; j < n; j++)"
    " for (int i = 2; i < 6; i *= 3) { if (j > m) { c[j][i] = 1.0; break; } c[i][j] = 2.0; }",
    "for (int j = 0; j < n; j++) for (int i = 2; i < 30; i *= 3) { if (i == m) break; c[i][j] = b[j]; }",
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_counts_agree_with_the_interpreter(text):
    region = region_of_text(f"{MACROS}void nest({PARAMETERS}) {{ {text} }}", "nest", {})
    symbolic = profile_region(region)
    for sizes in SIZES:
        known = tuple(replace(s, value=sizes.get(s.name, s.value)) for s in region.symbols)
        bound = profile_region(replace(region, symbols=known))
        check_lines(bound, region, sizes)
        for profile in (symbolic, bound):
            for choose in (True, False):
                check(profile, region, sizes, choose)
