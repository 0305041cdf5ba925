"""Arrays of threads: which are registers, and what the others cost."""

from fractions import Fraction

import pytest

from analyzer.source import Language, SourceFile
from roofline.estimation import estimate

HEAD = "__global__ void k(const float *x, const int *p, float *y, int n) { int i = blockIdx.x * 256 + threadIdx.x; "
MAIN = " } int main() { k<<<4096, 256>>>(0, 0, 0, 16); }"
THREADS = 4096 * 256


def levels(body, declared="float a[16]; "):
    """Bytes read and written at each level of an A100, the estimates."""
    (report,) = estimate(SourceFile("x.cu", HEAD + declared + body + MAIN, Language.CUDA), "a100").files
    (projection,) = report.regions[0].projections
    return {
        level.level: tuple(int(size.estimate.evaluate({})) for size in (level.read_bytes, level.write_bytes))
        for level in projection.traffic.levels
    }


FILL = "for (int k = 0; k < 16; k++) a[k] = x[i];"
ONE_EACH = (THREADS * 4, THREADS * 4)


@pytest.mark.parametrize(
    "body",
    [
        FILL + "y[i] = a[3];",
        FILL + "float s = 0; for (int k = 15; k >= 0; k--) s += a[k] * a[(k + 1) % 16]; y[i] = s;",
        FILL + "float s = 0; for (int r = 0; r < n; r++) for (int k = 0; k < 16; k += 2) s += a[k]; y[i] = s;",
        FILL + "float s = 0; for (int k = 1; k < 16; k *= 2) s += a[k]; y[i] = s;",
    ],
)
def test_constant_indices_are_registers(body):
    assert levels(body) == {"L1": ONE_EACH, "L2": ONE_EACH, "DRAM": ONE_EACH}


SUM = "for (int k = 0; k < n; k++) a[k] = x[i]; float s = 0; for (int k = 0; k < n; k++) s += a[k]; y[i] = s;"


def test_an_index_of_run_time_is_memory_of_the_thread():
    """32 threads have 4 sectors of each word; 16 are stored and loaded: L1 holds those of 2048 threads."""
    found = levels(SUM)
    assert found["L1"] == (THREADS * (4 + 64), THREADS * (4 + 64))
    assert found["L2"] == found["DRAM"] == ONE_EACH


def test_what_the_caches_do_not_hold_goes_to_the_next():
    """256 bytes of 2048 threads: 512 KiB for an L1 of 192, 54 MiB for an L2 of 40."""
    found = levels(SUM, "float a[64]; ")
    of_l1, of_l2 = 1 - Fraction(192, 512), 1 - Fraction(40 * 1024, 512 * 108)
    assert found["L1"] == (THREADS * (4 + 64), THREADS * (4 + 64))
    assert found["L2"] == pytest.approx([THREADS * (4 + 64 * of_l1)] * 2)
    assert found["DRAM"] == pytest.approx([THREADS * (4 + 64 * of_l1 * of_l2)] * 2)


@pytest.mark.parametrize(
    ("loop", "loads"),
    [
        ("for (int j = 0; j < n; j++)", 9 * 16),
        ("\n#pragma unroll\n for (int j = 0; j < n; j++)", 9 * 16),
        ("const int d = n; for (int j = 0; j < d; j++)", 9 * 16),
        ("for (int j = 0; j < n && j < 16; j++)", 9 * 16),
        ("\n#pragma unroll 1\n for (int j = 0; j < 16; j++)", 9 * 16),
        ("for (int j = 0; j < 72; j++)", 9 * 72),
        ("for (int j = 0; j < 16; j++)", 16),
        ("constexpr int d = 4 * 4; for (int j = 0; j < d; j++)", 16),
        ("for (int j = 0; j < 64; j++)", 64),
    ],
)
def test_elements_stay_in_registers_over_a_loop_where_the_compiler_knows_that_they_are_few(loop, loads):
    """Distances of a point to 9 others: nvcc -O3 loads its coordinates once where the inner loop is unrolled whole."""
    summed = loop + " { float t = x[j * 4096 + i] - 1; s += t * t; }"
    body = f"float s = 0; for (int k = 0; k < 9; k++) {{ {summed} }} y[i] = s;"
    assert levels(body)["L1"] == (THREADS * 4 * loads, THREADS * 4)


def test_what_does_not_fit_in_registers_is_memory():
    body = "for (int k = 0; k < 300; k++) a[k] = x[i]; float s = 0; for (int k = 0; k < 300; k++) s += a[k]; y[i] = s;"
    assert levels(body, "float a[300]; ")["L1"] == (THREADS * (4 + 1200), THREADS * (4 + 1200))


def test_constant_memory_is_no_traffic():
    body = "float s = 0; for (int k = 0; k < 16; k++) s += c[k] * x[i]; y[i] = s;"
    assert levels(body, "extern __constant__ float c[16]; ") == {"L1": ONE_EACH, "L2": ONE_EACH, "DRAM": ONE_EACH}
