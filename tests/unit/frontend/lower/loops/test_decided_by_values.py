"""Control flow that the values of a launch decide: loops without a closed form, beginnings, conversions."""

import pytest

from analyzer.counts.policy import load_policy
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.nodes import SymbolOrigin
from analyzer.ir.written.text import region_text
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.source import Language, SourceFile

HEAD = "#include <cmath>\n__global__ void k(float *y, int m, int odd) { __shared__ float s[256]; int t = threadIdx.x; "
SOURCE = load_policy("source")


def region(body, arguments="0, 101, 1"):
    text = HEAD + body + "}\nint main(int argc, char **argv) { k<<<1, 100>>>(" + arguments + "); }"
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launches, _ = launches_of(unit)
    (found,) = lower_unit(unit, LowerOptions(launches=launches)).regions
    return found


def flops(body, arguments="0, 101, 1"):
    """FLOPs of 100 threads, which are exact."""
    profile = profile_region(region(body, arguments), ProfileOptions(policy=SOURCE))
    assert profile.work.flops.is_exact
    return profile.work.flops.estimate.evaluate(profile.values)


HALVE = "int n = blockDim.x; while (n > 1) { int h = (n + 1) / 2; if (t < n / 2) s[t] += s[t + h]; n = h; }"
ODD = """for (int k = m / 2; k > 0; k /= 2) {
  if (t < k) s[t] += s[t + k];
  if (k % 2 == 1 && k > 1 && t == 0) s[0] += s[k - 1];
}"""
REPEATED = " for (int i = 0; i < d; i++) y[t] *= 2.f;"
COUNT = "int l = 0; for (int n = m; n > 1; n >>= 1) l++; for (int i = 0; i < l; i++) y[t] *= 2.f;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (HALVE, 99),  # 100 numbers are added up
        ("int d = 0; for (int i = 2; i <= 64; i *= 2) if (m >= i) d = i;" + REPEATED, 100 * 64),
        ("int d = 0; for (int i = 1; i < 20; i++) if (i * i <= m) d = i;" + REPEATED, 100 * 10),
        (ODD, 50 + (25 + 1) + 12 + 6 + (3 + 1) + 1),
        ("int r = (int)sqrtf(m); for (int i = 0; i < r; i++) y[t] *= 2.f;", 100 * (10 + 1)),
        ("int r = (int)ceil(sqrt((double)m)); for (int i = 0; i < r; i++) y[t] *= 2.f;", 100 * (11 + 2)),
        (  # 4 operations of the bounds of each thread, and sum(ceil(2.5*(t + 1)) - floor(2.5*t) for t < 100) = 300
            "int a = (int)floor(t * 2.5), b = (int)ceil((t + 1) * 2.5); for (int i = a; i < b; i++) y[t] += 1.f;",
            100 * 4 + 300,
        ),
        ("int e = t * 0.75 - 2; for (int i = -3; i < e; i++) y[t] += 1.f;", 200 + 3777),
        ("int i; if (odd) i = 1; else i = 0; for (; i < m; i += 2) y[t] += y[i];", 100 * 50),
        ("int i = 0; if (m % 2) { y[t] += 1.f; i++; } for (; i < m; i += 2) y[t] += y[i] * y[i + 1];", 100 * 101),
        ("int i = 0; if (m % 2) { i++; odd++; } for (; i < 99 && odd < m; i += 2, odd += 2) y[t] += y[i];", 100 * 49),
        (COUNT, 100 * 6),  # 101, 50, 25, 12, 6, 3
        (
            "int a = m, b = 36; while (b != 0) { int r = a % b; a = b; b = r; y[t] += 1.f; }",
            100 * 4,
        ),  # remainders 29, 7, 1, 0
        ("int n = 1 << odd; for (int i = 0; i < n; i++) y[t] += 1.f;", 100 * 2),
        ("for (int s = m >> odd; s > 0; s >>= 2) y[t] += 1.f;", 100 * 3),  # 50, 12, 3
        ("int n = m; do { n = n / 3; y[t] += 1.f; } while (n > 0);", 100 * 5),  # 33, 11, 3, 1, 0
    ],
)
def test_what_runs_is_counted(body, expected):
    assert flops(body) == expected


@pytest.mark.parametrize(
    ("body", "trip"),
    [
        ("int n = m; while (n > 1) { n = (n + 1) / 2; y[t] += 1.f; }", None),
        ("int n = 100; while (n > 1) { if (y[n] > 0.f) break; n = (n + 1) / 2; }", 7),
        ("int n = 100; while (n > 1) { n = y[n] > 0.f ? n - 1 : n / 2; y[t] += 1.f; }", None),
    ],
    ids=["argument", "break", "data"],
)
def test_what_is_open_stays_a_symbol(body, trip):
    found = region(body, "0, argc, 1")
    assert [item.value for item in found.symbols if item.origin is SymbolOrigin.TRIP_COUNT] == [trip]


def test_a_long_loop_stays_a_symbol():
    found = region("int n = 27; while (n > 1) { n = n % 2 ? 3 * n + 1 : n / 2; y[t] += 1.f; }")  # 111 iterations
    assert [item.value for item in found.symbols if item.origin is SymbolOrigin.TRIP_COUNT] == [None]


def test_a_pointer_that_walks_over_rows_of_so_many_bytes_is_affine():
    """Rows of 400 bytes are 100 floats; of 402 bytes there is no element."""
    body = "float *c = y + t; for (int i = 0; i < 9; i++) { *c = 1.f; c = (float *)((char *)c + m); }"
    back = body.replace("+ m", "- m").replace("y + t", "y + t + 900")
    assert "y[i*(m/4) + threadIdx.x] := 1.0" in region_text(region(body, "0, 400, 1"))
    assert "y[threadIdx.x - i*(m/4) + 900] := 1.0" in region_text(region(back, "0, 400, 1"))
    assert "?{c}" in region_text(region(body, "0, 402, 1"))


@pytest.mark.parametrize(
    ("expression", "is_formula"),
    [
        ("(int)(0.75 * m)", True),
        ("(int)floor(m * 2.5)", True),
        ("(int)(0.75f * m)", False),  # 2^24 + 1 is no number of 24 bits
        ("(int)(0.1 * m)", False),
        ("(int)(0.5 * (double)(1LL * m * m))", False),
        ("(int)(0.5 * (double)m * (double)m)", False),
    ],
)
def test_a_rounded_fraction_has_a_formula_where_nothing_is_rounded_before(expression, is_formula):
    found = region(f"int n = {expression}; for (int i = 0; i < n; i++) y[t] += 1.f;", "0, atoi(argv[1]), 1")
    assert is_formula is not any(item.origin is SymbolOrigin.TRIP_COUNT for item in found.symbols)
