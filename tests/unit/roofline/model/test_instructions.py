"""The instruction roofline, against sums by hand and the figures that Ding and Williams (2019) state for a V100."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.model.core.ceilings import CeilingName
from roofline.model.expectation.gpu.instructions import Warps, warp_instructions
from roofline.model.instructions import instruction_roof
from roofline.model.projection import Bound
from tests.projected import project
from tests.unit.roofline.model.gpu.test_requests import V100, analyzed, columns

A100 = find_machine("a100-40")
HASHES = """
__global__ void hash(const unsigned *key, unsigned *out) {
  int i = 256*blockIdx.x + threadIdx.x;
  unsigned x = key[i];
  for (int r = 0; r < %d; r++) { x = (x ^ x >> 16)*0x7feb352du; x = (x ^ x >> 15)*0x846ca68bu; }
  out[i] = x;
}
"""


HALVES = """
#include <cuda_fp16.h>
__global__ void halves(%s *x, %s s) {
  int i = 256*blockIdx.x + threadIdx.x;
  %s t = x[i];
  for (int r = 0; r < 512; r++) t = __hfma2(t, t, s);
  x[i] = t;
}
"""


def hashes(rounds, machine=V100):
    profile, traffic = analyzed(HASHES % rounds, "hash:grid=4096,block=256", (machine,))
    return project(profile, machine, traffic=traffic)


def test_warp_instructions_are_requests_and_arithmetic():
    profile, traffic = columns(33)
    requests = traffic.models[0].requests
    warps = 32 * 32 * 32
    roof = instruction_roof(profile, requests, V100, None)
    assert (roof.mix.total, roof.mix.memory) == pytest.approx((warps * (4 + 1), warps * 4))
    uncertain = instruction_roof(profile, [replace(each, is_certain=False) for each in requests], V100, None)
    assert uncertain.mix.total == pytest.approx(warps)
    assert roof.peak.giga == pytest.approx(489.6, rel=1e-3)


@pytest.mark.parametrize(("pair", "header"), [("__half2", "fp16"), ("__nv_bfloat162", "bf16")])
def test_numbers_of_half_precision_are_two_in_an_instruction(pair, header):
    """Each of 1024*8 warps runs 512 HFMA2 of 4 FLOPs a thread, a load and a store."""
    text = HALVES.replace("fp16", header) % (pair, pair, pair)
    profile, traffic = analyzed(text, "halves:grid=1024,block=256", (A100,))
    roof = instruction_roof(profile, traffic.models[0].requests, A100, None)
    assert roof.mix.floating == 1024 * 8 * 512
    likely = warp_instructions(profile, traffic.models[0].requests, Warps(1024 * 8))
    assert (likely.fp32 + likely.fp16, likely.fp64) == (1024 * 8 * 512, 0)


def test_transactions_are_sectors_at_the_rates_that_the_paper_states():
    """Each of 4096*8 warps loads and stores 4 sectors; 2996.77 and 828.758 GB/s are 93.6 and 25.9 GTXN/s."""
    levels = {level.level: level for level in hashes(1).instructions.transactions}
    assert levels["DRAM"].number == 4096 * 8 * 8
    assert [round(levels[name].rate.giga, 1) for name in ("L2", "DRAM")] == [93.6, 25.9]
    assert levels["DRAM"].intensity == pytest.approx(hashes(1).instructions.mix.total / (4096 * 8 * 8))


def test_rounds_of_a_hash_are_bound_by_integer_units():
    """Two products and two xors are at least 2 + 2/2 instructions, with shifts six; an SM does 128 lanes a cycle."""
    found = hashes(64)
    each = 4096 * 8 * 64 / (80 * 4 * 1.53e9)
    assert found.bound is Bound.COMPUTE
    assert found.reason.ceiling.name is CeilingName.INTEGER
    assert 3 * each <= found.time.value <= 6 * each
    assert hashes(1).bound is Bound.MEMORY


def test_bitwise_operations_have_the_int32_units_alone():
    """Fifteen xors in a row are at least 7.5 instructions, on 64 lanes of each SM."""
    chain = "".join(f" ^ a[{1024 * row} + i]" for row in range(1, 16))
    body = f"int i = 32*blockIdx.x + threadIdx.x; b[i] = a[i]{chain};"
    text = f"__global__ void k(const unsigned *a, unsigned *b) {{ {body} }}"
    profile, traffic = analyzed(text, "k:grid=32,block=32")
    integers, _ = project(profile, V100, traffic=traffic).instructions.ceilings
    assert integers.seconds == pytest.approx(32 * 7.5 / (80 * 2 * 1.53e9))


def test_where_a_kernel_has_flops_too_its_integers_are_a_ceiling():
    text = (HASHES % 64).replace("unsigned *out", "float *out").replace("out[i] = x", "out[i] = 2.0f*x")
    profile, traffic = analyzed(text, "hash:grid=4096,block=256")
    found = project(profile, V100, traffic=traffic)
    assert (found.bound, found.ceiling.name) == (Bound.COMPUTE, CeilingName.INTEGER)
    assert found.time.value >= 4096 * 8 * 64 * 3 / (80 * 4 * 1.53e9)


def test_instructions_of_a_core_fold_loads_into_arithmetic():
    """Four doubles to a vector: one addition that takes a load in, one more load, and a store."""
    machine = find_machine("haswell")
    text = "void f(double *restrict a, double *b, double *c) { for (int i = 0; i < 4000; i++) a[i] = b[i] + c[i]; }"
    (file,) = analyze(SourceFile("sum.c", text, Language.C), AnalysisOptions())
    found = project(file.regions[0], machine).instructions
    assert (found.mix.memory, found.mix.floating, found.mix.integer) == (2000, 1000, 0)
    assert found.peak.giga == pytest.approx(14 * 4 * 2.3)
    assert found.attainable < found.peak


def test_parts_that_run_one_after_the_other_add_up():
    machine = find_machine("haswell")
    text = """void f(double *restrict a, double *b) {
      for (int i = 0; i < 4000; i++) a[i] = b[i];
      for (int i = 0; i < 8000; i++) a[i] += b[i];
    }"""
    (file,) = analyze(SourceFile("parts.c", text, Language.C), AnalysisOptions())
    found = project(file.regions[0], machine)
    assert found.instructions.mix.total == sum(part.instructions.mix.total for part in found.parts)
