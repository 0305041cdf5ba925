"""CUDA snippets in policy ``nvidia-sass``: FLOPs of a block, derived by hand (ffma = 2, fadd = fmul = 1)."""

from fractions import Fraction

import pytest

from analyzer.counts.policy import load_policy
from analyzer.frontend.clang_parse import parse_clang
from analyzer.frontend.launches import launches_of, parse_launch
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.profile import ProfileOptions, profile_region
from analyzer.source import Language, SourceFile

SASS = load_policy("nvidia-sass")
HEAD = "__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n, double w) {"
INDEX = "int i = threadIdx.x; "


def profiles(text, launch):
    found = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions())
    assert [item for item in found.diagnostics if item.code in ("AI001", "AI002", "AI003")] == []
    launches, _ = launches_of(found.unit, [parse_launch(launch)], None, {})
    lowered = lower_unit(found.unit, LowerOptions(launches=launches))
    assert [item for item in lowered.diagnostics if item.code in ("AI201", "AI206")] == []
    return [profile_region(region, ProfileOptions(policy=SASS)) for region in lowered.regions]


def flops(body, before="", threads=32, head=HEAD):
    """Estimated FLOPs by precision of all threads, those that are none left out."""
    (profile,) = profiles(before + head + INDEX + body + "}", f"k:grid=1,block={threads}")
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
      float s = cg::reduce(tile, x[i], cg::plus<float>()); if (tile.thread_rank() == 0) y[i] = s*0.3f;"""
    assert flops(body, before) == {"fp32": 32 * 3 + 4}


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
