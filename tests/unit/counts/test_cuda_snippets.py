"""CUDA snippets in policy ``nvidia-sass``: FLOPs of a block, derived by hand (ffma = 2, fadd = fmul = 1)."""

from fractions import Fraction

import pytest

from analyzer.counts.policy import load_policy
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.types import ScalarType
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.source import Language, SourceFile

SASS = load_policy("nvidia-sass")
HEAD = "__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n, double w) {"
INDEX = "int i = threadIdx.x; "


def profiles(text, launch, policy=SASS):
    found = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions())
    assert [item for item in found.diagnostics if item.code in ("AI001", "AI002", "AI003")] == []
    launches, _ = launches_of(found.unit, [parse_launch(launch)], None, {})
    lowered = lower_unit(found.unit, LowerOptions(launches=launches))
    assert [item for item in lowered.diagnostics if item.code in ("AI201", "AI206")] == []
    return [profile_region(region, ProfileOptions(policy=policy)) for region in lowered.regions]


def flops(body, before="", threads=32, head=HEAD, policy=SASS):
    """Estimated FLOPs by precision of all threads, those that are none left out."""
    (profile,) = profiles(before + head + INDEX + body + "}", f"k:grid=1,block={threads}", policy)
    totals = {kind.value: total.estimate.evaluate({}) for kind, total in profile.work.flops_by_precision.items()}
    return {kind: total for kind, total in totals.items() if total}


def singles(body, before="", threads=32, **more):
    """Single-precision FLOPs per thread; there are no others."""
    found = flops(body, before, threads, **more)
    assert set(found) <= {"fp32"}
    return Fraction(found.get("fp32", 0), threads)


# --- constants -----------------------------------------------------------------------------------------------------


def test_a_constant_of_the_file_is_a_literal():
    """1 - 1.85f is computed by the compiler: a product and an FMA are left."""
    before = "const float omega = 1.85f;"
    assert singles("y[i] = x[i]*(1.0f - omega) + omega*y[i];", before) == 3


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("(in ? 1.0f : 0.1f)/(1.4f - 1.0f)", 0),  # 2.5 or 0.25
        ("(in ? 2.0f : 3.0f)*0.5f + (in ? 1.0f : 0.0f)", 0),  # 2 or 1.5
        ("(in ? 2.0f : 3.0f)*0.5f + (x[i] < 2.0f ? 1.0f : 0.0f)", 1),  # of two conditions: a sum is left
        ("(in ? 2.0f : x[i])*0.25f", 1),
    ],
)
def test_an_operation_on_a_choice_between_constants_is_one(value, count):
    assert singles(f"bool in = x[i] < 4.0f; y[i] = {value};") == count


def test_a_step_of_a_grid_is_a_power_of_two():
    """1/(1.0/512) is 512: a product, no division, and nothing in single precision."""
    before = "#define LENGTH 1.0\nconst double dx = LENGTH/512;"
    head = "__global__ void k(const double *x, double *y) {"
    assert flops("y[i] = x[i]/dx;", before, head=head) == {"fp64": 32}


def test_a_variable_of_the_file_is_no_literal():
    assert singles("y[i] = x[i]*(1.0f - omega);", "__device__ float omega = 1.85f;") == 2


def test_functions_of_constants_are_constants():
    """sqrtf(4) - 1 is 1, and a product with 1 is nothing."""
    assert singles("y[i] = x[i]*(sqrtf(4.0f) - 1.0f);") == 0
    assert singles("y[i] = x[i] + logf(2.0f)*powf(2.0f, 3.0f);") == 1


# --- conditions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["(i >= 8) & (i < 24)", "bool(i >= 8) & bool(i < 24)", "!(i < 8 | i >= 24)"])
def test_conditions_without_jumps_are_exact(condition):
    """Threads 8 to 23."""
    assert flops(f"if ({condition}) y[i] = x[i] + 1.0f;") == {"fp32": 16}


def test_the_same_choice_of_an_index_is_the_same_element():
    """A periodic neighbour found twice by a function: one difference, squared."""
    before = """__device__ float step(const float *a, int i) {
      int right = i + 1; if (right > 31) right = 0;
      return a[right] - a[i]; }"""
    assert singles("y[i] = step(x, i)*step(x, i);", before) == 2


# --- overlap -------------------------------------------------------------------------------------------------------


def test_restrict_keeps_values_over_stores():
    """The product and the FMA after the store to y are those before it; only the sum is new."""
    body = "y[i] += 0.3f*x[i] + 0.5f*z[i]; z[i] = 0.3f*x[i] + 0.5f*z[i];"
    apart = "__global__ void k(const float *__restrict__ x, float *__restrict__ y, float *__restrict__ z) {"
    assert singles(body, head=apart) == 4
    assert singles(body, head=apart.replace("__restrict__", "")) == 4 + 3


def test_shared_memory_does_not_overlap_with_global_memory():
    before = "__global__ void k(const float *x, float *y) { __shared__ float t[32];"
    assert singles("t[i] = x[i] + 2.5f; y[i] = (x[i] + 2.5f)*t[31 - i];", head=before) == 2


# --- the library ---------------------------------------------------------------------------------------------------

CUB = "#include <cub/cub.cuh>\n"
REDUCE = (
    "typedef cub::BlockReduce<float, {n}> Reduce; __shared__ typename Reduce::TempStorage t; float s = Reduce(t).{f};"
)


def test_a_sum_over_a_block_is_five_steps_of_its_warps_and_one_of_the_first_thread():
    """Of a warp 31 + 30 + 28 + 24 + 16 lanes add what another lane has; thread 0 adds the seven other warps."""
    body = REDUCE.format(n=256, f="Sum(x[i])") + "if (i == 0) y[0] = s;"
    assert flops(body, CUB, 256) == {"fp32": 8 * 129 + 7}


def test_a_reduction_with_an_operator_of_the_user():
    before = CUB + "struct Both { __device__ float operator()(float a, float b) const { return a*b + 1.0f; } };"
    body = REDUCE.format(n=64, f="Reduce(x[i], Both())") + "if (i == 0) y[0] = s;"
    assert flops(body, before, 64) == {"fp32": 2 * (2 * 129 + 1)}


def test_a_reduction_over_a_tile_is_a_butterfly():
    before = (
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;"
    )
    body = """auto tile = cg::tiled_partition<8>(cg::this_thread_block());
      y[i] = cg::reduce(tile, x[i], cg::plus<float>());"""
    assert flops(body, before) == {"fp32": 32 * 3}


def test_ranks_in_groups_are_affine():
    """Ranks 0 to 2 of the four tiles of eight; tiles 1 to 3 of the four; threads 5 to 31 of the block."""
    before = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;"
    body = """auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<8>(block);
      if (tile.thread_rank() < 3) y[i] = x[i] + 1.0f;
      if (tile.meta_group_rank() > 0) y[i] = x[i] + 2.0f;
      if (block.thread_rank() >= 5) y[i] = x[i] + 3.0f;"""
    assert flops(body, before) == {"fp32": 12 + 24 + 27}


def test_half_precision_functions_compute_in_single_precision():
    """A product for the exponential, another for its scale."""
    head = "#include <cuda_fp16.h>\n__global__ void k(const __half *x, float *y) {"
    assert singles("y[i] = __half2float(hexp(x[i]))*0.3f;", head=head) == 2


# --- where operations end up ---------------------------------------------------------------------------------------


def test_what_one_branch_uses_is_computed_there():
    """Half of the threads divide (10); the product is stored by all."""
    body = "float q = x[i]/w2[i], p = x[i]*0.3f; if (i < 16) y[i] = q; w2[i] = p;"
    head = "__global__ void k(const float *__restrict__ x, float *__restrict__ y, float *__restrict__ w2) {"
    assert flops(body, head=head) == {"fp32": 16 * 10 + 32}


def test_what_both_branches_use_is_computed_before_them():
    body = "float q = x[i]*0.3f; if (i < 16) y[i] = q + 1.0f; else y[i] = q*q; y[i + 64] = q;"
    assert singles(body) == 1 + Fraction(1, 2) * 2 + Fraction(1, 2)


def test_a_test_behind_a_jump_is_not_evaluated_in_vain():
    """The second comparison needs a division and an FMA, and runs where the first one holds: estimated as half."""
    body = """bool c = false; float s = x[i]/x[i + 1];
      if (x[i + 2] > 0.5f && x[i + 3] < s*x[i + 4] + x[i + 5]) c = true; y[i] = c;"""
    assert singles(body) == Fraction(12, 2)


def test_a_clamp_is_part_of_the_sum_that_it_clamps():
    assert singles("y[i] = __saturatef(0.5f*x[i] + 0.25f);") == 2
    assert singles("y[i] = __saturatef(x[i]);") == 1
    assert singles("float s = x[i] + 0.25f; y[i] = __saturatef(s); y[i + 64] = s;") == 2


def test_sine_and_cosine_reduce_their_argument_once():
    """19 + 19 - 7 where both take the same argument; the fast ones share a product."""
    assert singles("y[i] = sinf(x[i]); y[i + 64] = cosf(x[i]);") == 31
    assert singles("y[i] = sinf(x[i]); y[i + 64] = cosf(x[i + 1]);") == 38
    assert singles("y[i] = __sinf(x[i]); y[i + 64] = __cosf(x[i]);") == 1


def test_the_logarithm_of_an_invariant_base_leaves_the_loop():
    """Of 62 FLOPs of a power 39 are its logarithm; ten sums."""
    body = "float s = 0.0f; for (int t = 0; t < 10; t++) s += powf(x[i], y[t]); y[i + 64] = s;"
    assert singles(body) == 39 + 10 * (62 - 39) + 10


# --- odds ----------------------------------------------------------------------------------------------------------

HEAVY = "float s = 0.0f; for (int j = 0; j < 10; j++) s += x[j]; y[i] = s;"


@pytest.mark.parametrize(
    "body",
    [
        f"if (x[i] > 0.5f) {{ {HEAVY} }}",
        f"if (x[i] <= 0.5f) return; {HEAVY}",
        f"if (x[i] <= 0.5f) y[i] = 0.0f; else {{ {HEAVY} }}",
    ],
)
def test_an_early_way_out_is_rarely_taken(body):
    assert singles(body) == 10 * Fraction(31, 32)


def test_two_arms_with_work_are_as_likely():
    assert singles(f"if (x[i] > 0.5f) {{ {HEAVY} }} else y[i] = expf(x[i]);") == Fraction(10 + 10, 2)


def test_conditions_in_loops_are_as_likely():
    assert singles("for (int j = 0; j < 8; j++) if (x[j] > 0.5f) y[j + i] = logf(expf(x[j]/x[i])*x[i + 1]);") == 4 * 45


def test_rounded_quotients_are_computed_in_floating_point():
    """One division for each of the two bounds, and one addition between them."""
    body = (
        "int a = floorf((i*3)/(float)3); int b = ceilf(((i + 1)*3)/(float)3); for (int j = a; j < b; j++) y[j] += x[j];"
    )
    assert singles(body) == 10 + 10 + 1


@pytest.mark.parametrize("rounding", ["(int)ceilf(100.f / n)", "(int)ceilf(x[i] / n)", "ceilf(n / 100.f)"])
def test_a_rounded_quotient_is_a_division_and_a_rounding(rounding):
    assert singles(f"y[i] = {rounding};", policy=load_policy("source")) == 2


def test_a_rounded_quotient_is_rounded_by_an_operation():
    """Of the source: a division, a rounding, and additions, one for each 32 of 100."""
    body = "int m = (int)ceilf(100.f / blockDim.x); for (int j = 0; j < m; j++) y[i] += 1.f;"
    assert singles(body, policy=load_policy("source")) == 1 + 1 + 4


# --- arrays of a thread --------------------------------------------------------------------------------------------


def test_elements_that_are_only_forwarded_need_no_store():
    """t[1] is never loaded: its logarithm is not computed."""
    assert singles("float t[2]; t[0] = x[i] + 1.0f; t[1] = logf(x[i]); y[i] = t[0]*x[i];") == 2


def test_elements_stored_again_before_they_are_loaded():
    body = "float t[2]; t[0] = logf(x[i]); t[1] = x[i]; t[0] = x[i] + 1.0f; "
    assert singles(body + "for (int j = 0; j < 2; j++) y[i + j] = t[j];") == 1


# --- matrix units --------------------------------------------------------------------------------------------------

WMMA = """#include <mma.h>
using namespace nvcuda;
"""
FRAGMENTS = """wmma::fragment<wmma::matrix_a, {m}, {n}, {k}, {t}, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, {m}, {n}, {k}, {t}, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, {m}, {n}, {k}, float> c; wmma::fill_fragment(c, 0.0f);
  wmma::mma_sync(c, a, b, c);"""


@pytest.mark.parametrize(
    ("shape", "factor", "precision"),
    [
        ((16, 16, 16), "half", "tensor_fp16"),
        ((32, 8, 16), "__nv_bfloat16", "tensor_bf16"),
        ((16, 16, 8), "wmma::precision::tf32", "tensor_tf32"),
        ((8, 8, 4), "double", "tensor_fp64"),
    ],
)
def test_products_of_tiles_are_2mnk_apart_from_other_flops(shape, factor, precision):
    """Two warps; the sum of floats beside is no matrix product."""
    m, n, k = shape
    body = FRAGMENTS.format(m=m, n=n, k=k, t=factor) + "y[i] = x[i] + 1.0f;"
    assert flops(body, WMMA, 64) == {precision: 2 * 2 * m * n * k, "fp32": 64}


def test_each_product_of_tiles_is_computed():
    """Three products, the last two of equal factors and sums."""
    body = FRAGMENTS.format(m=16, n=16, k=16, t="half")
    body += "wmma::fragment<wmma::accumulator, 16, 16, 16, float> d, e;"
    body += "wmma::mma_sync(d, a, b, c); wmma::mma_sync(e, a, b, c);"
    body += "wmma::store_matrix_sync(y, d, 16, wmma::mem_row_major);"
    body += "wmma::store_matrix_sync(y + 256, e, 16, wmma::mem_row_major);"
    assert flops(body, WMMA) == {"tensor_fp16": 3 * 8192}


def test_threads_share_the_elements_of_an_accumulator():
    """256 elements, one product each."""
    body = FRAGMENTS.format(m=16, n=16, k=16, t="half") + "for (int e = 0; e < c.num_elements; e++) c.x[e] *= x[e];"
    body += "wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major);"
    assert flops(body, WMMA) == {"tensor_fp16": 8192, "fp32": 256}


def test_tiles_are_loaded_and_stored_element_by_element():
    """A tile of 16 x 16 halves in rows of 20, and one of floats."""
    head = "__global__ void k(const half *x, float *y) {"
    body = """wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; wmma::load_matrix_sync(a, x, 20);
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
      wmma::store_matrix_sync(y, c, 20, wmma::mem_row_major);"""
    (profile,) = profiles(WMMA + head + body + "}", "k:grid=1,block=32")
    assert [part.bytes.estimate.evaluate({}) for part in (profile.loads, profile.stores)] == [512, 1024]


def test_arguments_of_a_launch_are_no_constants():
    """The compiler does not know that n is 4 in this launch: a division, no product with 1/4."""
    text = HEAD + INDEX + "y[i] = x[i]/(float)n; } int main() { float *a, *b; k<<<1, 32>>>(a, b, 4, 0.0); }"
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launches, _ = launches_of(unit, [], None, {})
    (region,) = lower_unit(unit, LowerOptions(launches=launches)).regions
    assert profile_region(region, ProfileOptions(policy=SASS)).work.flops.estimate.evaluate({"n": 4}) == 32 * 10


def test_atomic_sums_of_floats_in_shared_memory_are_additions():
    """The memory itself adds integers there, and floats elsewhere.

    Of the lanes that add to one element one after the other succeeds: 1 + 2 of two lanes, 1 + ... + 32 of a warp.
    """
    assert singles("__shared__ float t[32]; atomicAdd(&t[i], x[i]); y[i] = t[i];") == 1
    assert singles("__shared__ float t[32]; atomicAdd(&t[i/2], x[i]); y[i] = t[i];") == Fraction(3, 2)
    assert singles("__shared__ float s; if (i == 0) s = 0.0f; atomicAdd(&s, x[i]); y[i] = s;") == Fraction(33, 2)
    assert singles("__shared__ int t[32]; atomicAdd(&t[i/2], 1); y[i] = t[i];") == 0
    assert singles("atomicAdd(&y[0], x[i]);") == 0


def bounds(body, threads):
    """Least and most single-precision FLOPs per thread."""
    (profile,) = profiles(HEAD + INDEX + body + "}", f"k:grid=1,block={threads}")
    flops = profile.work.flops_by_precision[ScalarType.FP32]
    return tuple(Fraction(count.evaluate({})) / threads for count in (flops.lower, flops.upper))


def test_warps_that_add_to_one_element_make_each_other_fail():
    """Four warps: at least what each takes alone, at most one failure for each success of another thread."""
    sums = "__shared__ float s; atomicAdd(&s, x[i]); y[i] = s;"
    least, most = bounds(sums, 128)
    assert (least, most) == (Fraction(33, 2), 128)
    assert singles(sums, threads=128) == pytest.approx(16.5 * 4**0.75, rel=1e-3)
    assert bounds("__shared__ float t[8]; atomicAdd(&t[(int)x[i] & 7], 1.0f); y[i] = t[0];", 64) == (1, 64)
    assert bounds("__shared__ float s; if (i % 32 == 0) atomicAdd(&s, x[i]); y[i] = s;", 128)[0] == Fraction(1, 32)


# --- loops that compilers unroll -----------------------------------------------------------------------------------

HALVING = "for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d); "


def test_the_last_sum_of_a_reduction_is_done_where_it_is_needed():
    """Of five additions of a warp all lanes do four, and the first lane the fifth."""
    assert flops("float v = x[i]; " + HALVING + "y[i] = v;")["fp32"] == 5 * 32
    assert flops("float v = x[i]; " + HALVING + "if (i == 0) y[0] = v;")["fp32"] == 4 * 32 + 1
    halving = "for (int d = 16; d > 0; d /= 2) { if (n > 3) v += __shfl_xor_sync(~0u, v, d); } "
    assert singles("float v = x[i]; " + halving.replace("n > 3", "d > 2") + "y[i] = v;") == 3


def test_what_a_loop_around_does_not_change_leaves_it_once_the_inner_loop_is_unrolled():
    """Four sums and exponentials (10 each) leave the outer loop, in which four sums are left."""
    inner = "for (int j = 0; j < 4; j++) s += expf(x[i] + (float)(j + 1)); "
    assert singles(f"float s = 0; for (int k = 0; k < 100; k++) {{ {inner} }} y[i] = s;") == 4 * 100 + 4 * 11
    assert singles("float s = 0; for (int j = 0; j < 3 && j < 2; j++) s += x[i + j]; y[i] = s;") == 2


def test_a_sum_that_starts_with_zero_begins_with_its_first_square():
    """``0 + x*x`` is ``x*x``: a square is not -0; ``0 + x`` is a sum."""
    assert singles("float s = 0; for (int j = 0; j < 2; j++) s += x[i + j] * x[i + j]; y[i] = s;") == 3
    assert singles("float s = 0; for (int j = 0; j < 2; j++) s += x[i + j]; y[i] = s;") == 2


def test_doubles_whose_quotient_is_zero_take_a_second_division():
    text = HEAD + INDEX + "y[i] = (float)(w * (double)x[i] / 3.0);}"
    (profile,) = profiles(text, "k:grid=1,block=32")
    found = profile.work.flops_by_precision[ScalarType.FP64]
    assert [count.evaluate({}) / 32 for count in (found.lower, found.estimate, found.upper)] == [16, 16, 36]
    (profile,) = profiles(text.replace("w * (double)x[i] / 3.0", "2.0 / w"), "k:grid=1,block=32")
    assert profile.work.flops_by_precision[ScalarType.FP64].is_exact


def test_pairs_of_halves_become_floats_and_back():
    body = "__half2 h = ((const __half2*)x)[i]; float2 f = __half22float2(h); ((__half2*)y)[i] = __float22half2_rn(f);"
    (profile,) = profiles("#include <cuda_fp16.h>\n" + HEAD + INDEX + body + "}", "k:grid=1,block=32")
    assert profile.work.not_counted == ()


def test_lanes_that_are_computed_apart_are_stored_together():
    body = "float a = x[i], b = x[i + 32]; ((__half2*)y)[i] = __floats2half2_rn(a*b + a, b + 1.0f);"
    assert flops(body, before="#include <cuda_fp16.h>\n") == {"fp32": 32 * 3}


@pytest.mark.parametrize("last", ["__low2float(h) + __high2float(h)", "__half2float(h.x) + __half2float(h.y)"])
@pytest.mark.parametrize("first", ["= p[i]", "= {p[i].x, p[i].y}", "; h.x = p[i].x; h.y = p[i].y"])
def test_lanes_are_those_of_the_whole_that_was_computed(first, last):
    # 3 FMAs of 2 lanes, and the sum of both lanes
    text = f"const __half2 *p = (const __half2*)x; __half2 h {first};"
    loop = f"for (int k = 1; k < 4; k++) h = __hfma2(h, p[i + k], p[i + 9]); y[i] = {last};"
    assert flops(text + loop, before="#include <cuda_fp16.h>\n") == {"fp16": 32 * 12, "fp32": 32}


@pytest.mark.parametrize(
    ("body", "before_90", "from_90"),
    [
        ("r[i] = a * b;", 2, 1),
        ("r[i] = __hadd(__hmul(a, b), a);", 4, 2),
        ("r[i] = a - b;", 2, 1),
        ("r[i] = __hfma(a, b, a);", 2, 2),
        ("r[i] = -(a * b);", 2, 1),
        ("r2[i] = __hmul2(p[i], p[i + 32]);", 4, 4),
        ("r2[i] = __hadd2(__hmul2(p[i], p[i + 32]), p[i]);", 8, 4),
    ],
)
def test_sums_and_products_of_bfloat16_are_fused_operations(body, before_90, from_90):
    # machine code has HFMA2.BF16 alone before sm_90, and for pairs; from sm_90 on one number has HADD2 and HMUL2
    names = "const __nv_bfloat16 *b1 = (const __nv_bfloat16 *)x; const __nv_bfloat162 *p = (const __nv_bfloat162 *)x;"
    names += (
        "__nv_bfloat16 a = b1[i], b = b1[i + 32], *r = (__nv_bfloat16 *)y; __nv_bfloat162 *r2 = (__nv_bfloat162 *)y;"
    )
    found = [
        flops(names + body, before="#include <cuda_bf16.h>\n", policy=load_policy(f"nvcc-{target}"))
        for target in ("sm_80", "sm_90")
    ]
    assert found == [{"bf16": 32 * before_90}, {"bf16": 32 * from_90}]


# --- constant memory -------------------------------------------------------------------------------------------------


def test_product_of_constant_memory_leaves_the_loop_and_its_condition():
    # 3 * tap[0] once, and an FMA where i + k > 40: sum of 159 + i for the 32 threads
    body = "for (int k = 0; k < 200; k++) if (i + k > 40) y[k * 32 + i] = 3.0f * tap[0] * x[k * 32 + i] + 1.0f;"
    assert singles(body, "__constant__ float tap[4];") * 32 == 32 + 2 * (32 * 159 + 31 * 16)


def test_equal_elements_of_a_table_in_constant_memory_are_different_numbers():
    # the host may set it: c[0] * x and c[1] * x are two products, of which each sum takes one in
    body = "for (int q = 0; q < 2; q++) y[q * 32 + i] = c[q] * x[i] * 3.0f;"
    assert singles(body, "__constant__ int c[2] = {5, 5};") == 4


def test_an_element_of_a_table_that_is_used_twice_is_one_number():
    # t = c[q] * x, t * t: two products for each of two elements, which are equal
    body = "for (int q = 0; q < 2; q++) y[q * 32 + i] = (c[q] * x[i]) * (x[i] * c[q]);"
    assert singles(body, "__constant__ int c[2] = {5, 5};") == 4


# --- unrolled loops ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["if (v >= n) v = 3*n - v;", "if (x[v] > 3.0f) v = n - v;", "v = (int)x[v];"])
def test_what_is_read_at_an_unknown_index_differs_between_iterations(change):
    """Nine differences, the first square, and eight FMAs."""
    step = f"int v = i + d; {change} float e = x[v] - w; s += e*e;"
    body = f"float s = 0; for (int d = 0; d < 9; d++) {{ {step} }} y[i] = s;"
    head = HEAD.replace("double w", "float w")
    assert singles(body, head=head) == 9 + 1 + 2 * 8


OUTSIDE = "float c = x[i]*w;\n#pragma unroll 1\nfor (int k = 0; k < 10; k++) y[i+32*k]"

# --- machine code of nvcc 13.0 for sm_80 -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param("y[i] = x[i]*3*4 + x[i]/8;", 3, id="FMUL.M4(x, 3), FFMA(x, 0.125): the shorter product is taken"),
        pytest.param("float f = x[i], g = x[i+8]; y[i] = f*3*4 + g*5;", 4, id="as long: the first one is taken"),
        pytest.param(
            "float f = x[i], h = x[i+16]; float e = expf(f); y[i] = e*h*4 + h*h*f;",
            14,
            id="a function is a long operand: FFMA(h*h, f) on FMUL.M4(e, h)",
        ),
        pytest.param("float t = 2*x[i]; y[i] = t + x[i+8]; y[i+8] = t - x[i+8];", 3, id="x + x, which no FMA takes in"),
        pytest.param("float t = 3*x[i]; y[i] = t + x[i+8]; y[i+8] = t - x[i+8];", 4, id="two FMAs"),
        pytest.param("y[i] = (x[i] - w)*x[i+1] + (1 - (x[i] - w))*x[i+2];", 6, id="w - x[i] beside x[i] - w"),
        pytest.param("y[i] = (x[i] - w)*x[i+1] + (i - (x[i] - w))*x[i+2];", 6, id="an integer is not -0"),
        pytest.param("y[i] = (x[i] - w)*x[i+1] + (x[i+3] - (x[i] - w))*x[i+2];", 5, id="a number may be -0"),
        pytest.param("float d = x[i] - w; y[i] = d*x[i+1] + (1 - d)*x[i+2];", 5, id="two users of a difference"),
        pytest.param(f"{OUTSIDE} = x[i+32*k] + c;", 20, id="a product from outside of a loop: FFMA in the loop"),
        pytest.param(f"{OUTSIDE} = c - x[i+32*k];", 20, id="and its difference"),
        pytest.param(f"{OUTSIDE} = w*x[i+32*k] + c + x[i+32*k+1];", 31, id="a sum takes in the product of its block"),
        pytest.param(f"{OUTSIDE} = x[i+32*k] + c; y[i+999] = c;", 11, id="one that is stored stays"),
        pytest.param("float c = x[i]*w; y[i] = x[i+1] + c; if (i < 16) y[i+8] = x[i+8] + c;", 3, id="FFMA in both"),
    ],
)
def test_products_and_differences_are_those_of_the_machine_code(body, count):
    assert singles(body, head=HEAD.replace("double w", "float w"), policy=load_policy("nvcc-sm_80")) == count


@pytest.mark.parametrize(
    ("body", "least"),
    [
        ("if (x[i]*x[i] + w > 1) y[i] = expf(x[i]*x[i] + x[i+1]);", 2),
        ("if (x[i]*x[i] + w*w < x[i+1]) y[i] = sqrtf(x[i+1] - x[i]*x[i] - w*w);", 3),
        ("if (x[i]*x[i] + w > 1) y[i] = expf(x[i+1]);", 2),
    ],
)
def test_a_product_that_a_branch_uses_is_a_number_before_it(body, least):
    """Products and a sum where no thread takes the branch: no FMA takes in a product that another block uses."""
    (profile,) = profiles(
        HEAD.replace("double w", "float w") + INDEX + body + "}", "k:grid=1,block=1", load_policy("nvcc-sm_80")
    )
    assert profile.work.flops.lower.evaluate({}) == least


@pytest.mark.parametrize(
    ("number", "least", "most"), [(8, 2 * 32 + 1 + 1, 3 * 32 + 1), (7, 2 * 32 + 1 + 10, 2 * 32 + 1 + 10)]
)
def test_a_quotient_by_a_power_of_two_makes_no_branch_of_its_own(number, least, most):
    """Of three additions of a warp one thread does the last where it divides; beside a product all may do it."""
    sums = "float v = x[i]; for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d); "
    body = sums + f"if (i == 0) y[0] = v / {number}.f;"
    (profile,) = profiles(HEAD + INDEX + body + "}", "k:grid=1,block=32", load_policy("nvcc-sm_80"))
    assert [each.evaluate({}) for each in (profile.work.flops.lower, profile.work.flops.upper)] == [least, most]


@pytest.mark.parametrize(
    ("between", "count"),
    [("", 2), ("y[i+8] = s[i+1];", 2), ("y[i+8] = s[i^1];", 3), ("__syncthreads();", 3), ("__syncwarp();", 3)],
)
def test_what_is_stored_again_in_shared_memory_before_others_may_read_it_is_not_computed(between, count):
    """A product, and an FMA that is stored over it."""
    body = f"s[i] = x[i]*2; {between} s[i] = x[i]*x[i+8] + 1; __syncthreads(); y[i] = s[i^1];"
    assert singles("__shared__ float s[64]; " + body, policy=load_policy("nvcc-sm_80")) == count


# --- numbers of unrolled loops ---------------------------------------------------------------------------------------

NVCC = load_policy("nvcc-sm_80")


def sums(value, kind="float"):
    """FLOPs per thread of a sum of four products: 1 for the first, an FMA each, with what the values cost."""
    body = f"{kind} s = 0; for (int n = 1; n < 5; n++) s += x[i + n] * ({value}); (({kind} *)y)[i] = s;"
    (profile,) = profiles(HEAD + INDEX + body + "}", "k:grid=1,block=32", NVCC)
    (total,) = [total for total in profile.work.flops_by_precision.values() if not total.is_zero]
    return [count.evaluate({}) / 32 for count in (total.lower, total.estimate, total.upper)]


@pytest.mark.parametrize("value", ["sqrtf((float)n)", "1.f / sqrtf((float)n)", "2.f / n"])
def test_roots_and_quotients_of_numbers_are_numbers(value):
    assert sums(value) in ([7, 7, 7], [8, 8, 8])  # with 1 as the first factor, or not


def test_other_functions_of_numbers_are_computed_in_part():
    least, likely, most = sums("logf((float)n)")
    assert least <= 8 < likely < 60 < most  # machine code has 60


def test_the_negative_inverse_of_a_double_is_an_inverse():
    body = "double a = x[i]; ((double *)y)[i] = {}1.0 / a;"
    plus, minus = (flops(body.format(sign), policy=NVCC)["fp64"] / 32 for sign in ("", "-"))
    assert minus == plus + 1  # the sign of what is stored


@pytest.mark.parametrize(
    ("union", "body", "count"),
    [
        ("int i; float f;", "u.i = n & j; s += u.f * u.f * x[0];", 3),  # a product, and an FMA
        ("int i; float f;", "u.f = x[j] * 3.f + 1.f; t ^= u.i >> 3;", 2),
        ("int i; float f;", "u.f = x[j] * x[j + 1]; s += u.f;", 2),  # an FMA: nothing reads the integer
        ("float f; struct { unsigned low : 23, high : 9; } b;", "u.f = x[j] * 3.f + 1.f; t ^= u.b.high;", 2),
        ("float4 v; float f[4];", "u.v = p[j]; for (int c = 0; c < 4; c++) s += u.f[c] * u.f[c];", 8),
        ("float4 v; struct { float a, b, c, d; } w;", "u.v = p[j]; s += u.w.a * u.w.b + u.w.c * u.w.d;", 4),
        ("struct { float a, b; } v; struct { float a, b; } w;", "u.v.a = u.v.b = x[j]; s += u.w.a * u.w.b;", 2),
    ],
)
def test_what_is_stored_to_a_member_of_a_union_is_the_value_of_the_others(union, body, count):
    """Of ten iterations of a loop that is not unrolled, and does not compute the same in each."""
    loop = f"\n#pragma unroll 1\n for (int j = 0; j < 10; j++) {{ U u; {body} }} y[i] = s; q[i] = t;"
    head = "__global__ void k(const float *__restrict__ x, float *__restrict__ y, const float4 *p, int *q, int n) {"
    assert singles(f"float s = 0; int t = 0; {loop}", f"union U {{ {union} }}; ", head=head) == 10 * count


def test_a_store_to_a_member_of_a_union_in_memory_changes_the_others():
    """The square is of another number in each iteration, as the element is stored as an integer before."""
    before = "union U { int i; float f; }; "
    head = "__global__ void k(U *u, float *y, int n) {"
    text = "for (int j = 0; j < 10; j++) { u[i].i = n & j; s += u[i].f * u[i].f * u[i].f; } y[i] = s;"
    assert singles(f"float s = 0; \n#pragma unroll 1\n {text}", before, head=head) == 30


@pytest.mark.parametrize(
    ("base", "count"),
    [
        ("x[i]", 61),
        ("x[i] * x[i]", 59),
        ("x[i] * x[i] + y[i] * y[i]", 61),
        ("1.f + x[i] * x[i]", 60),
        ("x[i] * x[i] * y[i]", 63),
    ],
)
def test_a_power_of_what_cannot_be_negative_does_not_ask_for_an_odd_exponent(base, count):
    """As in the machine code of nvcc 13.0 for sm_86: 61 FLOPs, or 58 of a sum that no square makes negative."""
    assert singles(f"y[i] = powf({base}, (float)w);", policy=load_policy("nvcc-sm_86")) == count


@pytest.mark.parametrize(
    ("function", "count", "each"), [("logf", 8, 12.5), ("logf", 24, 25), ("logf", 32, 25), ("expf", 40, 11)]
)
def test_two_equal_loops_are_one_where_they_are_unrolled(function, count, each):
    """nvcc 13.0 unrolls up to 12 logarithms, or 24 exponentials; PTX and machine code for sm_86, of two equal sums."""
    loop = f"for (int j = 0; j < {count}; j++)"
    text = (
        f"float u = 0, v = 0; {loop} u += {function}(x[j]); q[i] = 1; {loop} v += {function}(x[j]); y[0] = u; y[1] = v;"
    )
    head = "__global__ void k(const float *__restrict__ x, float *__restrict__ y, int *__restrict__ q) {"
    assert singles(text, head=head, policy=load_policy("nvcc-sm_86")) == 2 * count * each


_ARMS = "case 0: v = v*2.f + 1.f; break; case 1: v = v*v; {end} case 2: v = v + 3.f; break; default: v = v*v*v;"


@pytest.mark.parametrize("policy", ["nvidia-sass", "nvcc-sm_86"])
@pytest.mark.parametrize(
    ("arms", "count"),
    [
        (_ARMS.format(end="break;"), (2 + 1 + 1 + 2) * 8),
        (_ARMS.format(end=""), (2 + 2 + 1 + 2) * 8),
        ("case 0: v = v + 1.f; break; case 1: v = v + 2.f; break; case 2: v = v + 3.f;", 3 * 8),
    ],
)
def test_each_thread_computes_its_arm_of_a_switch_alone(arms, count, policy):
    """With three ways or more: machine code of nvcc 13.0 for sm_86, of 32 threads; clang 22 has tables of jumps."""
    body = f"float v = x[i]; switch (i & 3) {{ {arms} }} y[i] = v;"
    assert singles(body, policy=load_policy(policy)) == Fraction(count, 32)


@pytest.mark.parametrize("policy", ["nvidia-sass", "nvcc-sm_86"])
@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("3.f * l", 0),
        ("l / 3.f", 0),
        ("x[i + 2] + 3.f * l", 2),
        ("x[i + 2] + l", 1),
        ("x[i + 2] * l", 1),
    ],
)
@pytest.mark.parametrize("truth", ["x[i] > x[i + 1]", "x[i] > x[i + 1] ? 0 : 1"])
def test_a_literal_times_a_truth_value_is_a_choice_unless_a_sum_takes_it_in(value, count, truth, policy):
    """As in the machine code of nvcc 13.0 and clang 22 for sm_86."""
    assert singles(f"int l = {truth}; y[i] = {value};", policy=load_policy(policy)) == count


@pytest.mark.parametrize(
    ("arms", "count", "most"),
    [
        ("if (g == 0) u = v*2.f; else if (g == 1) u = v*v;", 8 + 8, 2 * 32),
        ("if (g == 0) u = v*2.f; else if (g == 1) u = v*v; else if (g == 2) u = v + 3.f;", 3 * 8, 3 * 32),
        (
            "if (g == 0) u = v*2.f + 1.f; else if (1 == g) u = v*v + 2.f; else u = v*v - 3.f;",
            (2 + 2 + 2) * 8 + 16,
            None,
        ),
        (
            "if (g == 0) u = (v + 3.f)*v; else if (g == 1 || g == 3) { u = v*v; } else u = x[i + 1] - v;",
            16 + 16 + 8,
            None,
        ),
    ],
)
def test_conditionals_on_one_integer_are_jumps_and_may_be_selections_of_nvcc(arms, count, most):
    """Machine code of clang 22 for sm_86, of 32 threads; nvcc 13.0 computes both products of the first for all."""
    body = f"float v = x[i], u = 0.f; int g = i & 3; {arms} y[i] = u;"
    assert singles(body) == Fraction(count, 32)
    if most is not None:
        head = "__global__ void k(const float *__restrict__ x, float *__restrict__ y) {int i = threadIdx.x; "
        (profile,) = profiles(head + body + "}", "k:grid=1,block=32", load_policy("nvcc-sm_86"))
        found = profile.work.flops
        assert (found.lower.evaluate({}), found.most.evaluate({})) == (count, most)


@pytest.mark.parametrize("policy", ["nvidia-sass", "nvcc-sm_86"])
def test_a_switch_of_two_values_is_a_conditional(policy):
    """As in the machine code of clang 22 and nvcc 13.0: both sums for all, or one of them, of 32 threads, for 16."""
    arms = "case 0: u = v*2.f + 1.f; break; case 1: u = v*v + v; break;"
    assert singles(f"float v = x[i], u; switch (i & 1) {{ {arms} }} y[i] = u;", policy=load_policy(policy)) == 2 + 1


@pytest.mark.parametrize("policy", ["nvidia-sass", "nvcc-sm_86"])
@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if (i < 7) v = v + x[i + 32];", 7),
        ("if (i < 7) v = v*2.f + 1.f;", 14),
        ("if (i < 7) v = v*v; if (i > 20) v = v*v;", 7 + 11),
        ("if (i < 7) v = v*v*3.f;", 32 + 7),
    ],
)
def test_the_last_operation_of_a_selection_is_predicated(body, count, policy):
    """As in the machine code of nvcc 13.0 and clang 22 for sm_86, of 32 threads."""
    assert singles(f"float v = x[i]; {body} y[i] = v;", policy=load_policy(policy)) == Fraction(count, 32)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if (i < 7) u = v*v*3.f;", 14),
        ("if (i < 7) u = v*3.f + u;", 14),
        ("if (i < 7) u = v*v*3.f; y[i + 32] = v;", 32 + 7),
        ("if (i < 7) u = v*2.f; else u = v*v;", 32),
    ],
)
def test_clang_loads_in_a_branch_what_it_alone_reads(body, count):
    """As in the machine code of clang 22 for sm_86, of 32 threads; a common factor is taken out of both branches."""
    assert singles(f"float v = x[i], u = x[i + 64]; {body} y[i] = u;") == Fraction(count, 32)


_TWO_LOADS = "float v = x[i], a = x[i + 32], b = x[i + 64], u = 0.f; "


@pytest.mark.parametrize("policy", ["nvidia-sass", "nvcc-sm_86"])
@pytest.mark.parametrize(
    ("body", "each"),
    [
        ("if (i < 7) u = v + a; else u = v - b; y[i] = u;", 1),
        ("u = i < 7 ? a + v : v - b; y[i] = u;", 1),
        ("if (i < 7) u = v - 1.f; else u = v + 2.f; y[i] = u;", 1),
        ("if (i < 7) v += a*b; else v -= a*b; y[i] = v;", 2),
        ("if (i < 7) u = v*a + b; else u = b - v*a; y[i] = u + a + b;", 4),
    ],
)
def test_a_sum_and_a_difference_in_two_branches_are_one_sum(body, each, policy):
    """As in the machine code of nvcc 13.0 and clang 22 for sm_86: ``FSEL R, a, -b; FADD``."""
    assert singles(_TWO_LOADS + body, policy=load_policy(policy)) == each


_SHUFFLED = "for (int o = 4; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o); "
_NESTED = "y[i] = u + a*b;"


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        ("if (i < 7) u = v*a; else if (i > 20) u = v + b; else u = a - b;", 3 * 32),
        ("if (i < 7) u = v*a + b; else if (i > 20) u = v*b - a; else u = a*b + v;", 4 * 32),
        ("u = i < 7 ? v*a*b : i > 20 ? (v + b)*a : (a - b)*v;", 4 * 32),
        ("if ((i & 3) < 1) u = v*a; else if ((i & 3) < 2) u = v + b; else u = a - b;", 3 * 32),
    ],
)
def test_clang_has_no_selection_where_three_values_meet(body, flops):
    """Machine code of clang 19 and 22 for sm_86, of 32 threads: each thread computes its own branch."""
    assert singles(_TWO_LOADS + body + _NESTED) == Fraction(flops, 32)


@pytest.mark.parametrize(
    ("policy", "body", "found"),
    [
        ("nvcc-sm_86", "if ((i & 3) < 1) u = v*2.f; else if ((i & 3) < 2) u = v*v; else u = v + 3.f;", 40),
        ("nvcc-sm_86", "if (i > 2) u = v*2.f + 1.f; else if (i > 1) u = v*v + a; else u = (v - a)*v;", 69),
        ("nvcc-sm_86", "if ((i & 3) != 0) { if ((i & 3) == 1) u = v*2.f; else u = v*v; } else u = v + 3.f;", 40),
        ("nvcc-sm_86", _SHUFFLED + "if (i == 0) y[32] = v;", 96),
        ("nvcc-sm_86", _SHUFFLED + "if (i == 0) { y[32] = v; y[33] = x[i + 96]; }", 65),
        ("nvidia-sass", "if (i < 7) u = v*v; else if (v > 3.f) u = v + b;", 64),
        ("nvidia-sass", "u = v > .5f ? v*v : v + 3.f; if (i > 20) u += x[i + 128];", 32 + 12 + 11),
        ("nvidia-sass", "if (i < 7) v = v*v; u = v;", 7),
        ("nvidia-sass", "if (i < 7) v = v*v; u = v;", 32),
    ],
)
def test_what_may_be_a_selection_is_between_both_readings(policy, body, found):
    """Machine code of 32 threads, of nvcc 13.0 or clang 22 for sm_86; of the last one that of LLVM 18, too.

    The last sum of a reduction by shuffles may move to the branch that stores it.
    """
    end = "}" if body.startswith(_SHUFFLED) else "y[i] = u;}"
    text = HEAD + INDEX + _TWO_LOADS + body + end
    (profile,) = profiles(text, "k:grid=1,block=32,n=32", load_policy(policy))
    flops = profile.work.flops
    assert flops.lower.evaluate({}) <= found <= flops.most.evaluate({})
    assert flops.exactness.value == "interval"


_RESTRICT = "__global__ void k(const float *__restrict__ x, float *__restrict__ y, int *__restrict__ q) {"


@pytest.mark.parametrize(
    ("body", "clang", "nvcc"),
    [
        ("y[i] = v*a; y[i] = v*b;", 1, 1),
        ("y[i] = v*a; __syncthreads(); y[i] = v*b;", 1, 1),
        ("y[i] = v*a; u = y[i + 1]; y[i] = v*b + u;", 2, 2),
        ("y[i] = v*a; u = x[i + 1]; y[i] = v*b + u;", 2, 2),
        ("y[i] = v*a; y[i] += b;", 2, 2),
        ("y[i] = v*a; atomicAdd(&q[0], 1); y[i] = v*b;", 2, 1),
        ("y[i] = v*a; u = y[63 - i]; y[i] = v*b + u;", 3, 3),
    ],
)
def test_a_store_that_the_next_one_overwrites_is_none(body, clang, nvcc):
    """Machine code of clang 22 and nvcc 13.0 for sm_86: the value that nothing reads is not computed."""
    assert singles(_TWO_LOADS + body, head=_RESTRICT) == clang
    assert singles(_TWO_LOADS + body, head=_RESTRICT, policy=load_policy("nvcc-sm_86")) == nvcc


def test_a_store_before_an_exit_is_kept():
    body = "y[i] = v*a; if (i > 7) return; y[i] = v*b;"
    assert singles(_TWO_LOADS + body, head=_RESTRICT) == 1 + Fraction(8, 32)


@pytest.mark.parametrize(
    ("branch", "found"),
    [
        ("y[0] = v;", 64),
        ("y[0] = v; y[1] = a;", 64),
        ("y[0] = v; y[1] = b; y[2] = a;", 2),
        ("y[0] = v; y[1] = x[70];", 2),
    ],
)
def test_what_the_last_branch_alone_uses_may_be_computed_by_one_thread_or_all(branch, found):
    """Machine code (nvcc 13.0, sm_86): all threads run the FMA before one or two stores, thread 0 alone else."""
    body = f"float a = x[i], b = x[i + 64], v = x[i + 32]; v += a*b; if (i == 0) {{ {branch} }}"
    (profile,) = profiles(HEAD + INDEX + body + "}", "k:grid=1,block=32", load_policy("nvcc-sm_86"))
    flops = profile.work.flops
    assert flops.lower.evaluate({}) <= found <= flops.most.evaluate({})
    assert (flops.lower.evaluate({}), flops.most.evaluate({})) == (2, 64)


@pytest.mark.parametrize("header", ["fp16", "bf16"])
def test_comparisons_and_conversions_of_halves_are_no_flops(header):
    half = {"fp16": "__half", "bf16": "__nv_bfloat16"}[header]
    word = {"fp16": "half", "bf16": "bfloat16"}[header]
    head = f"#include <cuda_{header}.h>\n__global__ void k({half} *x, {half}2 *y, int *o) {{"
    body = f"""o[i] = __heq(x[i], x[i + 1]) + __hltu(x[i], x[i + 1]) + __hisnan(x[i]) + __hisinf(x[i])
      + __hbeq2(y[i], y[i + 1]) + __hbneu2(y[i], y[i + 1]) + __{word}2int_ru(x[i]);
    x[i] = __int2{word}_rd(o[i]); y[i] = __hgt2(y[i], __hleu2(y[i], y[i + 1]));"""
    assert flops(body, head=head) == {}
    assert flops("y[i] = __hfma2_sat(y[i], y[i], y[i + 1]);", head=head) == {header: 32 * 4}


def test_words_of_a_double_are_no_work():
    assert flops("y[i] = __hiloint2double(__double2hiint(w), __double2loint(w));") == {}


@pytest.mark.parametrize(
    ("sum_of", "found"),
    [
        ("__hiloint2double(i, n)", 2 * 32),
        ("__longlong_as_double(i)", 2 * 32),
        ("__int2double_rn(i)", 2 * 32),
        ("(double)i", 32),
    ],
)
def test_compilers_do_not_look_into_intrinsics_that_give_real_numbers(sum_of, found):
    """Machine code (nvcc 13.0, sm_80): ``DADD R4, RZ, R2`` stays, as what is added to 0 may be -0; not of a cast."""
    body = f"double v = 0; v += {sum_of}; o[i] = v + 1;"
    head = "__global__ void k(double *o, int n) { int i = threadIdx.x;"
    for policy in ("nvidia-sass", "nvcc-sm_80"):
        (profile,) = profiles(f"{head} {body} }}", "k:grid=1,block=32", load_policy(policy))
        assert profile.work.flops.estimate.evaluate({}) == found


def test_a_number_of_a_function_without_work_is_computed_with():
    body = "for (int i = 0; i < 4; i++) o[i] = omp_get_wtime() * 2 + 1;"
    text = f"double omp_get_wtime(); void f(double *o) {{ {body} }}"
    (profile,) = profiles(text, "k:grid=1,block=1", load_policy("nvidia-sass"))
    assert profile.work.flops.estimate.evaluate({}) == 4 * 2


@pytest.mark.parametrize(("policy", "found"), [("source", 3), ("nvcc-sm_80", 2), ("nvidia-sass", 2)])
def test_machine_code_of_a_kernel_has_no_result_that_is_not_used(policy, found):
    """Machine code (nvcc 13.0, sm_80) of a generator that is called once in advance has one product of the two."""
    draw = "__device__ float draw(unsigned *s) { *s = *s * 1664525u + 1013904223u; return *s * 2.3e-10f; }"
    text = f"{draw} __global__ void k(float *y) {{ unsigned s = threadIdx.x; draw(&s); y[s] = draw(&s) + 1.5f; }}"
    (profile,) = profiles(text, "k:grid=1,block=32", load_policy(policy))
    assert profile.work.flops.estimate.evaluate({}) == found * 32


@pytest.mark.parametrize(
    ("function", "found"), [("sqrtf(v)", 32 + 6), ("expf(v)", 1 + 10), ("sinf(v)", 32 + 18), ("erff(v)", 32 + 16)]
)
def test_a_sum_before_a_branch_that_calls_a_function_is_of_one_thread_or_all(function, found):
    """Machine code (nvcc 13.0, sm_80), with ``found`` FLOPs in 32 threads."""
    text = f"{HEAD} {INDEX} float v = x[i] + x[i + 32]; if (i == 0) y[0] = {function}; }}"
    (profile,) = profiles(text, "k:grid=1,block=32", load_policy("nvcc-sm_80"))
    assert profile.work.flops.lower.evaluate({}) <= found <= profile.work.flops.most.evaluate({})


@pytest.mark.parametrize(
    "flag",
    [
        "bool inside = true; if (i >= n) inside = false; if (j >= 7) inside = false;",
        "int inside = 1; inside &= i < n; inside &= j < 7;",
        "bool outside = false; outside |= i >= n; outside |= j >= 7; bool inside = !outside;",
    ],
)
def test_a_flag_is_the_conditions_that_set_it(flag):
    body = (
        f"int j = threadIdx.y; {flag} for (int k = 0; k < 3; k++) {{ __syncthreads(); if (inside) y[j*n + i] += 2; }}"
    )
    (profile,) = profiles(HEAD + INDEX + body + "}", "k:grid=1,block=32x8,n=20", load_policy("source"))
    assert profile.work.flops.is_exact
    assert profile.work.flops.estimate.evaluate({"n": 20}) == 20 * 7 * 3


def test_parameters_of_a_lambda_in_a_macro_are_its_own():
    """All of a macro has one position; as captures they had the values of the function around: 1 FMA instead of 6."""
    fold = "template <class F> __device__ float fold(const float *x, F f) {"
    body = "float r = x[0]; for (int k = 1; k < 7; k++) r = f(r, x[k]); return r; }"
    macro = f"#define K(...) {HEAD} int i = threadIdx.x; __VA_ARGS__ }}"
    kernel = "K(float s = 2; y[i] = fold(x, [=](float a, float b) { float t = b * s; return a * (float)w + t; });)"
    (profile,) = profiles(f"{fold} {body}\n{macro}\n{kernel}", "k:grid=1,block=1", load_policy("source"))
    assert profile.work.flops.estimate.evaluate({}) == 6 * 3


PRODUCTS = "float a = x[i]*x[99], b = x[i + 32]*x[99], c = x[i + 64]*x[99], d = x[i + 96]*x[99]; "


@pytest.mark.parametrize(
    ("sums", "found"),
    [
        ("y[i] = a + b; y[i + 32] = b + c;", 6),
        ("y[i] = b + a; y[i + 32] = c + b;", 6),
        ("y[i] = a - b; y[i + 32] = b - c;", 5),
        ("y[i] = a + b; y[i + 32] = b + c; y[i + 64] = c + d;", 9),
        ("y[i] = c + d; y[i + 32] = b + c; y[i + 64] = a + b;", 8),
        ("y[i] = (a + b) + (b + c);", 7),
    ],
)
def test_of_two_products_an_addition_takes_the_one_that_is_loaded_first_from_the_last_sum_on(sums, found):
    """Machine code (nvcc 13.0, sm_80)."""
    assert singles(PRODUCTS + sums, policy=load_policy("nvcc-sm_80")) == found


def test_the_sine_and_cosine_of_multiples_of_pi_are_an_interval():
    """Machine code (nvcc 13.0, sm_80) has 22 or 24 FLOPs, by the argument; without a cost they were 1."""
    text = f"{HEAD} {INDEX} float s, c; sincospif(x[i], &s, &c); y[i] = s; y[i + 32] = c; }}"
    (profile,) = profiles(text, "k:grid=1,block=1", load_policy("nvcc-sm_80"))
    assert (profile.work.flops.lower.evaluate({}), profile.work.flops.most.evaluate({})) == (22, 24)


def test_textures_are_bound_without_work():
    calls = (
        "cudaBindTexture(0, t, x, cudaCreateChannelDesc<float>(), 4); cudaUnbindTexture(t); cudaThreadSynchronize();"
    )
    text = f"""texture<float, 1, cudaReadModeElementType> t;
    void f(float *x) {{ for (int i = 0; i < 4; i++) {{ x[i] = 0; {calls} }} }}"""
    assert len(profiles(text, "k:grid=1,block=1")) == 1  # nothing is reported


def test_the_largest_of_a_block_with_its_position():
    """Keys and values are in registers, or in shared memory of a block: each of 32 threads adds one number."""
    body = (
        "typedef cub::KeyValuePair<int, float> pair; typedef cub::BlockReduce<pair, 32> reduce; "
        "__shared__ typename reduce::TempStorage held; cub::ArgMax largest; pair best(0, -1.f), mine; "
        "mine.key = i; mine.value = x[i] + 1.f; best = largest(mine, best); best = reduce(held).Reduce(best, largest); "
        "y[i] = best.value;"
    )
    assert singles(body, "#include <cub/cub.cuh>\n") == 1


def test_sums_of_products_of_bytes_are_integer_work():
    assert singles("int s = __dp4a(i, n, 3); y[i] = x[i] + s;") == 1
