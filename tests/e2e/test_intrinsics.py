"""Vector instructions: what each computes, loads and stores is that of Intel's and Arm's definitions."""

import pytest

from analyzer.counts.results import PerIteration
from analyzer.ir.values import Operation as Op
from roofline.machine.machine import Machine
from roofline.model.core.incore import Unit, core_bound
from tests.checked import report_of
from tests.rows import codes, file_report, operations, rows

X86 = "#include <immintrin.h>\n"
NEON = "#include <arm_neon.h>\n"
F32, F64, I16, I32, I64 = "fp32", "fp64", "int16", "int32", "int64"

# The type of a, b, c, an expression of that type, and what it computes.
ONE_EACH = {
    "_mm256_add_pd(a, b)": ("__m256d", {(Op.ADD, F64): 4}),
    "_mm_sub_ps(a, b)": ("__m128", {(Op.SUB, F32): 4}),
    "_mm512_mul_ps(a, b)": ("__m512", {(Op.MUL, F32): 16}),
    "_mm512_div_pd(a, b)": ("__m512d", {(Op.DIV, F64): 8}),
    "_mm256_sqrt_ps(a)": ("__m256", {(Op.SQRT, F32): 8}),
    "_mm_min_pd(a, b)": ("__m128d", {(Op.MIN, F64): 2}),
    "_mm256_max_ps(a, b)": ("__m256", {(Op.MAX, F32): 8}),
    "_mm256_fmadd_pd(a, b, c)": ("__m256d", {(Op.FMA, F64): 4}),
    "_mm512_fnmadd_ps(a, b, c)": ("__m512", {(Op.FMA, F32): 16, (Op.NEG, F32): 16}),
    "_mm_fmsub_pd(a, b, c)": ("__m128d", {(Op.FMA, F64): 2, (Op.NEG, F64): 2}),
    "_mm_add_sd(a, b)": ("__m128d", {(Op.ADD, F64): 1}),
    "_mm_mul_ss(a, b)": ("__m128", {(Op.MUL, F32): 1}),
    "_mm_sqrt_ss(a)": ("__m128", {(Op.SQRT, F32): 1}),
    "_mm256_hadd_ps(a, b)": ("__m256", {(Op.ADD, F32): 8}),
    "_mm_dp_ps(a, b, 255)": ("__m128", {(Op.MUL, F32): 4, (Op.ADD, F32): 3}),
    "_mm256_rsqrt_ps(a)": ("__m256", {(Op.CALL, F32): 8}),
    "_mm256_cmp_pd(a, b, _CMP_LT_OQ)": ("__m256d", {(Op.COMPARE, F64): 4}),
    "_mm256_blendv_pd(a, b, c)": ("__m256d", {(Op.SELECT, F64): 4}),
    "_mm256_and_ps(a, b)": ("__m256", {(Op.BITWISE, F32): 8}),
    "_mm256_permute2f128_pd(a, b, 1)": ("__m256d", {}),
    "_mm_cvtepi32_ps(_mm_castps_si128(a))": ("__m128", {(Op.CONVERT, F32): 4}),
    "_mm512_mask_add_pd(a, k, b, c)": ("__m512d", {(Op.ADD, F64): 8, (Op.SELECT, F64): 8}),
    "_mm512_set1_pd(_mm512_reduce_add_pd(a))": ("__m512d", {(Op.ADD, F64): 7}),
    "_mm256_add_epi32(a, b)": ("__m256i", {(Op.ADD, I32): 8}),
    "_mm256_mullo_epi16(a, b)": ("__m256i", {(Op.MUL, I16): 16}),
    "_mm_slli_epi64(a, 3)": ("__m128i", {(Op.SHIFT, I64): 2}),
    "_mm256_xor_si256(a, b)": ("__m256i", {(Op.BITWISE, I64): 4}),
    "_mm256_madd_epi16(a, b)": ("__m256i", {(Op.MUL, I16): 16, (Op.ADD, I32): 8}),
    "vfmaq_f32(a, b, c)": ("float32x4_t", {(Op.FMA, F32): 4}),
    "vmlaq_f32(a, b, c)": ("float32x4_t", {(Op.MUL, F32): 4, (Op.ADD, F32): 4}),
    "vdivq_f64(a, b)": ("float64x2_t", {(Op.DIV, F64): 2}),
    "vabsq_f32(a)": ("float32x4_t", {(Op.ABS, F32): 4}),
    "vpaddq_f32(a, b)": ("float32x4_t", {(Op.ADD, F32): 4}),
    "vdupq_n_f32(vaddvq_f32(a))": ("float32x4_t", {(Op.ADD, F32): 3}),
    "vaddq_s16(a, b)": ("int16x8_t", {(Op.ADD, I16): 8}),
    "vmaxq_f32(vmulq_n_f32(a, 2.0f), b)": ("float32x4_t", {(Op.MUL, F32): 4, (Op.MAX, F32): 4}),
}


def _functions(header, names):
    parameters = "const {0} *x, {0} *o, __attribute__((unused)) int k, int n"
    body = "{{ for (int i = 0; i < n; i++) {{ {0} a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2]; o[i] = {1}; }} }}"
    lines = (
        f"void f{place}({parameters.format(ONE_EACH[name][0])}) {body.format(ONE_EACH[name][0], name)}\n"
        for place, name in enumerate(names)
    )
    return header + "".join(lines)


@pytest.mark.parametrize(("header", "first", "name"), [(X86, "_", "x.c"), (NEON, "v", "x.c"), (X86, "_", "x.cpp")])
def test_each_instruction_has_its_operations(header, first, name):
    names = [expression for expression in ONE_EACH if expression.startswith(first)]
    found = operations(_functions(header, names), name, size=1)
    lanewise = {
        expression: {key: number for key, number in found[f"f{place}"].items() if key[0] is not Op.SHUFFLE}
        for place, expression in enumerate(names)
    }
    assert lanewise == {expression: ONE_EACH[expression][1] for expression in names}


LOOPS = """
void triad(int n, double *a, const double *b, const double *c) {
  __m256d k = _mm256_set1_pd(3.0);
  for (int i = 0; i < n; i += 4)
    _mm256_storeu_pd(a + i, _mm256_fmadd_pd(k, _mm256_loadu_pd(c + i), _mm256_loadu_pd(b + i)));
}
void pointers(const double *x, double *y, int n) {
  for (int i = 0; i < n / 4; i++) { __m256d v = ((const __m256d *)x)[i]; ((__m256d *)y)[i] = v * v; }
}
void broadcast(float *y, const float *x, int n) {
  for (int i = 0; i < n; i += 8) _mm256_storeu_ps(y + i, _mm256_broadcast_ss(x + i));
}
double sum(const double *x, int n) {
  __m256d s = _mm256_setzero_pd();
  for (int i = 0; i < n; i += 4) s = _mm256_add_pd(s, _mm256_loadu_pd(x + i));
  __m128d low = _mm256_castpd256_pd128(s), high = _mm256_extractf128_pd(s, 1);
  low = _mm_add_pd(low, high);
  return _mm_cvtsd_f64(_mm_add_sd(low, _mm_unpackhi_pd(low, low)));
}
void gather(const double *x, const int *at, double *y, int n) {
  for (int i = 0; i < n; i += 4)
    _mm256_storeu_pd(y + i, _mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)(at + i)), 8));
}
void masked(float *a, const float *b, int n, __mmask16 k) {
  for (int i = 0; i < n; i += 16) {
    __m512 v = _mm512_maskz_loadu_ps(k, b + i);
    _mm512_mask_storeu_ps(a + i, k, _mm512_mul_ps(v, v));
  }
}
void lanes(const __m128 *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = x[i][1] * x[i][2]; }
"""


def test_loads_and_stores_move_whole_vectors():
    found = {name: row[:5] for name, row in rows(X86 + LOOPS, "x.c", size=1_600).items()}
    double, single = 8 * 1_600, 4 * 1_600
    assert found["triad"] == (3_200, 2 * double, double, 2 * double, double)
    assert found["pointers"] == (1_600, double, double, double, double)
    assert found["broadcast"] == (0, single / 8, single, single / 8, single)
    assert found["sum"] == (1_603, double, 0, double, 0)
    assert found["gather"][1:3] == (double + single, double)
    assert found["lanes"][:4] == (1_600, 2 * single, single, 2 * single)


def test_masks_give_bounds():
    (region,) = (one for one in file_report(X86 + LOOPS, "x.c").regions if one.profile.name == "masked")
    loads = region.profile.loads.bytes
    assert loads.upper is not None
    assert [float(count.evaluate({"n": 160, "k": 3})) for count in (loads.lower, loads.upper)] == [0, 640]


@pytest.mark.parametrize(
    ("header", "vector", "name"), [(X86, "__m256", "_mm256_fancy_ps"), (NEON, "float32x4_t", "vfancyq_f32")]
)
def test_an_unknown_instruction_is_named_and_makes_bounds(header, vector, name):
    text = f"{header}void f({vector} *a, int n) {{ for (int i = 0; i < n; i++) a[i] = {name}(a[i]) * a[i]; }}"
    row = rows(text, "x.c")["f"]
    assert not row.exact
    assert row.flops > 0
    assert codes(text, "x.c") == [("AI201", 2)]
    assert not rows(text.replace("#include", "\n#include"), "x.cpp")["f"].exact


def _cycles(text: str) -> dict[str, dict[Unit, float]]:
    """Return the cycles of each resource of a Haswell core, by function."""
    (report,) = report_of(text, "haswell", cache=False).files
    found = {}
    for region in report.regions:
        iteration, machine = region.profile.per_iteration, region.projections[0].machine
        assert isinstance(iteration, PerIteration)
        assert isinstance(machine, Machine)
        bound = core_bound(iteration, machine)
        assert bound is not None
        found[region.profile.name] = {resource.unit: cycles for resource, cycles in bound.cycles_by_resource}
    return found


def test_the_core_runs_vectors_as_they_are_written():
    text = f"""{X86}#define SQUARE(W, S, p) _mm##W##_mul_##S(_mm##W##_loadu_##S(p), _mm##W##_loadu_##S(p))
    void wide(int n, double *a, const double *b) {{
      for (int i = 0; i < n; i += 4) _mm256_storeu_pd(a + i, SQUARE(256, pd, b + i));
    }}
    void half(int n, double *a, const double *b) {{
      for (int i = 0; i < n; i += 2) _mm_storeu_pd(a + i, SQUARE(, pd, b + i));
    }}
    void twice(int n, double *a, const double *b) {{
      for (int i = 0; i < n; i += 8) _mm512_storeu_pd(a + i, SQUARE(512, pd, b + i));
    }}
    double chain(int n, const double *b) {{
      __m256d s = _mm256_setzero_pd();
      for (int i = 0; i < n; i += 4) s = _mm256_fmadd_pd(_mm256_loadu_pd(b + i), _mm256_loadu_pd(b + i), s);
      return _mm256_cvtsd_f64(s);
    }}"""
    found = _cycles(text)
    assert (found["wide"][Unit.STORES], found["wide"][Unit.MULTIPLICATIONS]) == (1, 0.5)
    assert (found["half"][Unit.STORES], found["half"][Unit.MULTIPLICATIONS]) == (1, 0.5)
    assert (found["twice"][Unit.STORES], found["twice"][Unit.MULTIPLICATIONS]) == (2, 1)
    # the sum is an operand of the addition, which is the shorter way through a multiplication and an addition
    assert (found["chain"][Unit.LATENCY], found["chain"][Unit.MULTIPLICATIONS]) == (3, 0.5)


def test_a_fused_operation_counts_on_each_lane():
    text = "typedef double v4 __attribute__((vector_size(32)));\n"
    text += "void f(v4 *a, const v4 *b, int n) { for (int i = 0; i < n; i++) a[i] = a[i] * b[i] + b[i]; }"
    (region,) = file_report(text, "x.c").regions
    work = region.profile.work
    assert [float(count.estimate.evaluate({"n": 10})) for count in (work.fma_instructions, work.flop_instructions)] == [
        40,
        40,
    ]


def test_a_non_temporal_store_allocates_nothing():
    text = X86 + "void f(double *a, __m256d v, int n) { for (int i = 0; i < n; i += 4) _mm256_stream_pd(a + i, v); }"
    (region,) = file_report(text, "x.c").regions
    assert region.profile.assumptions == ()
    assert region.profile.compulsory_traffic.write_allocate_bytes.is_zero
    assert rows(text, "x.c", size=1_600)["f"].stores == 8 * 1_600


def test_vectors_that_overlap_share_their_elements():
    text = """void f(double *restrict b, const double *restrict a, int n) {
  for (int i = 4; i < n - 4; i += 4) {
    __m256d around = _mm256_add_pd(_mm256_loadu_pd(a + i - 1), _mm256_loadu_pd(a + i + 1));
    _mm256_storeu_pd(b + i, _mm256_add_pd(around, _mm256_loadu_pd(a + i)));
  }
}"""
    row = rows(X86 + text, "x.c", size=1_000)["f"]
    assert (row.loads, row.read, row.written) == (8 * 992 * 3, 8 * 994, 8 * 992)
