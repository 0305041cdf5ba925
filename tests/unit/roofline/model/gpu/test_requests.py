"""Kernels on GPUs: shared memory as a level, requests mended, one GPU out of several."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyzer.frontend.launches.given import parse_launch
from analyzer.ir.nodes import MemorySpace
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile
from analyzer.traffic.options import CacheOptions
from analyzer.traffic.results import RegionTraffic
from roofline import estimate, source_text
from roofline.catalog import find_machine
from roofline.machine.figures import BandwidthFigure, Basis, FigureKind
from roofline.model.advice.advising import advice_for
from roofline.model.gpu.requests import (
    coalesced,
    is_conflicting,
    path_bytes,
    shared_bandwidth,
    shared_bytes,
    transaction_bytes,
    without_conflicts,
)
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from roofline.report.json.counted import request_form
from tests.projected import project

V100, A100 = find_machine("v100"), find_machine("a100-40")
COLUMNS = """
__global__ void columns(const float *a, float *b) {
  __shared__ float tile[32][%d];
  tile[threadIdx.y][threadIdx.x] = a[1024*(32*blockIdx.y + threadIdx.y) + 32*blockIdx.x + threadIdx.x];
  __syncthreads();
  b[1024*(32*blockIdx.x + threadIdx.y) + 32*blockIdx.y + threadIdx.x] = 2.0f*tile[threadIdx.x][threadIdx.y];
}
"""
APART = """
__global__ void apart(const float *a, float *b) {
  int i = threadIdx.x*1024 + blockIdx.x;
  b[i] = 2.0f*a[i];
}
"""


def analyzed(text: str, launch: str, machines=(V100,)) -> tuple[RegionProfile, RegionTraffic]:
    hierarchies = tuple(hierarchy_of(machine) for machine in machines)
    options = AnalysisOptions(launches=(parse_launch(launch),), cache=CacheOptions(hierarchies=hierarchies))
    (file,) = analyze(SourceFile("kernel.cu", text, Language.CUDA), options)
    return file.regions[0], file.traffic[0]


def columns(width: int = 32, machine=V100) -> tuple[RegionProfile, RegionTraffic]:
    return analyzed(COLUMNS % width, "columns:grid=32x32,block=32x32", (machine,))


def value(quantity) -> int:
    return int(quantity.estimate.evaluate({}))


def test_shared_bytes_are_all_banks_in_every_pass():
    warps = 32 * 32 * 32
    plain, padded = (columns(width)[1].models[0].requests for width in (32, 33))
    assert value(shared_bytes(plain, V100)) == warps * (1 + 32) * 128
    assert value(shared_bytes(padded, V100)) == warps * 2 * 128
    assert int(shared_bytes(padded, V100).lower.evaluate({})) == warps * 2 * 128
    assert shared_bytes(plain, find_machine("haswell")).is_zero


BROADCAST = """
__global__ void rows(const float *a, float *b) {
  float s = 0;
  for (int k = 0; k < 64; k++) s += a[64*blockIdx.x + k] * b[32*k + threadIdx.x];
  b[64*32 + 32*blockIdx.x + threadIdx.x] = s;
}
"""


def test_a_request_is_a_wavefront_of_l1_however_few_bytes_it_asks_for():
    """Of 64 iterations a broadcast and 128 bytes, and a store: a warp has 129 wavefronts of 128 bytes."""
    _, traffic = analyzed(BROADCAST, "rows:grid=512,block=32")
    found = path_bytes(traffic.models[0].requests, V100)
    assert value(found) == int(found.lower.evaluate({})) == 512 * 129 * 128


def test_l1_and_shared_memory_have_one_path():
    """A load and a store of 4 sectors each, and 33 cycles of the banks."""
    requests = columns()[1].models[0].requests
    assert value(path_bytes(requests, V100)) == 32 * 32 * 32 * (1 + 33 + 1) * 128
    assert path_bytes(requests, find_machine("mi250x")).is_zero


@pytest.mark.parametrize(("basis", "bytes_per_s"), [(Basis.THEORETICAL, 14e12), (Basis.SUSTAINED, 12e12)])
def test_the_stated_bandwidth_of_shared_memory_is_that_of_the_basis(basis: Basis, bytes_per_s: float):
    assert V100.gpu is not None
    figures = [
        BandwidthFigure(value=14e12, kind=FigureKind.THEORETICAL, source="made"),
        BandwidthFigure(value=12e12, kind=FigureKind.MEASURED, source="made", sustained=True),
    ]
    for stated in (figures, figures[::-1]):
        gpu = replace(V100.gpu, shared_bandwidths=tuple(stated))
        found = shared_bandwidth(replace(V100, gpu=gpu), basis, None)
        assert found is not None
        assert found.rate.value == pytest.approx(bytes_per_s)


def test_shared_bandwidth_is_a_pass_in_a_cycle_of_each_multiprocessor():
    found = shared_bandwidth(V100, Basis.THEORETICAL, None)
    assert found is not None
    assert found.rate.value == pytest.approx(80 * 128 * V100.clock_hz)
    half = shared_bandwidth(V100, Basis.THEORETICAL, 40)
    assert half is not None
    assert half.rate.value == pytest.approx(found.rate.value / 2)
    assert shared_bandwidth(find_machine("haswell"), Basis.THEORETICAL, None) is None


@pytest.mark.parametrize(("step", "poor"), [(1, False), (2, False), (3, True), (32, True)])
def test_less_than_half_of_what_is_moved_is_little(step: int, poor: bool):
    """Every other float of a sector is half of it, every third less."""
    text = f"__global__ void k(const float *a, float *b) {{ b[threadIdx.x] = a[{step}*threadIdx.x]; }}"
    _, traffic = analyzed(text, "k:grid=1,block=32")
    (load,) = [request for request in traffic.models[0].requests if not request.write]
    assert load.is_uncoalesced is poor


def test_transactions():
    assert transaction_bytes(V100, "L1") == 32
    assert transaction_bytes(V100, "shared") == 128
    assert transaction_bytes(find_machine("haswell"), "L1") is None


def test_padding_cures_bank_conflicts_and_gains_what_is_said():
    (profile, traffic), (_, padded) = columns(machine=A100), columns(33, A100)
    (own,), (other,) = traffic.models, padded.models
    conflicts = [request for request in own.requests if is_conflicting(request)]
    assert [(request.array, request.conflict_ways) for request in conflicts] == [("tile", 32)]
    assert not any(is_conflicting(request) for request in other.requests)
    projection = project(profile, A100, traffic=traffic)
    given = advice_for(profile, traffic, projection.moved, [projection], ProjectionOptions())
    (found,) = [each for each in given if each.code == "AI407"]
    cured = project(profile, A100, traffic=padded)
    assert projection.expected is not None
    assert cured.expected is not None
    assert found.gain == pytest.approx(projection.expected.time.value / cured.expected.time.value)
    mended = without_conflicts(own, profile.values)
    assert value(shared_bytes(mended.requests, A100)) == value(shared_bytes(other.requests, A100))


def test_coalescing_leaves_the_sectors_that_are_used():
    profile, traffic = analyzed(APART, "apart:grid=1024,block=256")
    (own,) = traffic.models
    assert all(request.is_uncoalesced for request in own.requests)
    mended = coalesced(own, profile.values)
    assert [request.sectors_per_request for request in own.requests] == [32, 32]
    assert [request.sectors_per_request for request in mended.requests] == [4, 4]
    before, after = (value(found.levels[0].read_bytes) for found in (own, mended))
    assert before == 8 * after == 1024 * 256 * 32


def test_every_gpu_has_its_own_occupancy():
    _, traffic = analyzed(APART, "apart:grid=1024,block=1024,regs=64", (find_machine("rtx3080"), A100))
    small, large = (found.occupancy for found in traffic.models)
    assert small is not None
    assert large is not None
    assert (small.blocks_per_unit, large.blocks_per_unit) == (1, 1)
    assert (small.waves, large.waves) == (1024 / 68, 1024 / 108)
    _, less = analyzed(APART, "apart:grid=1024,block=1024", (find_machine("rtx3080"), A100))
    assert [found.occupancy.blocks_per_unit for found in less.models if found.occupancy] == [1, 2]


def test_the_time_is_that_of_what_is_certain():
    profile, traffic = columns(33)
    (own,) = traffic.models
    projection = project(profile, V100, traffic=traffic)
    assert projection.time is not None
    certain = [float(level.bytes.lower.evaluate({})) / level.bandwidth.rate.value for level in projection.levels]
    assert projection.time.value == pytest.approx(max(certain))
    guessed = tuple(
        replace(each, is_certain=False) if each.space is MemorySpace.SHARED else each for each in own.requests
    )
    other = replace(traffic, models=(replace(own, requests=guessed),))
    (shared,) = [level for level in project(profile, V100, traffic=other).levels if level.level == "shared"]
    assert shared.bytes.lower.is_zero


def test_what_shared_memory_serves_is_as_much_when_caches_are_warm():
    """Of 1,000 blocks 8 warps load a float in 25,600 iterations, each in two passes of 128 bytes: every second bank."""
    text = """__global__ void k(float *y, const float *x) {
      __shared__ float t[256]; t[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x]; __syncthreads();
      float s = 0; for (int r = 0; r < 100; r++) for (int i = 0; i < 256; i++) s += t[(2 * threadIdx.x + i) % 256];
      y[blockIdx.x * 256 + threadIdx.x] = s; }"""
    source = source_text(text, "x.cu")
    cold, warm = (
        estimate(source, "v100", launches=("k:grid=1000,block=256",), warm=each).regions[0].projections[0].time.value
        for each in (False, True)
    )
    assert warm == pytest.approx(cold, rel=0.01)
    assert cold == pytest.approx(1000 * 8 * 25_600 * 2 * 128 / (80 * 128 * 1.53e9), rel=0.01)


def test_a_copy_of_a_pack_is_one_request_of_all_its_bytes():
    text = """struct alignas(16) P { short v[8]; };
__global__ void k(P *y, const P *x) { y[threadIdx.x] = x[threadIdx.x]; }"""
    _, traffic = analyzed(text, "k:grid=1,block=32")
    found = [(request.write, request.sectors, request.efficiency) for request in traffic.models[0].requests]
    assert found == [(False, 32 * 16 / 32, 1.0), (True, 32 * 16 / 32, 1.0)]


GUARDED = "__global__ void half(int n, float *a) { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }"


@pytest.mark.parametrize(("n", "exactness"), [(1000, "exact"), (3000005, "estimate")])
def test_requests_of_a_launch_that_is_too_large_to_be_enumerated_are_called_estimates(n, exactness):
    """One thread of the last warp runs where n is 3000005: 93751 requests, of which sampled blocks have no part."""
    _, traffic = analyzed(GUARDED, f"half:grid={-(-n // 256)},block=256,n={n}", (A100,))
    (model,) = traffic.models
    forms = [request_form(found) for found in model.requests]
    assert {form["exactness"] for form in forms} == {exactness}
    if exactness == "exact":
        assert {form["requests"] for form in forms} == {32}  # 31 full warps, and 8 threads
