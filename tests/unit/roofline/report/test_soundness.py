"""Figures that cannot be are left unknown, with a finding, and what follows from them as well."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.quantities.quantity import ZERO, Exactness, Quantity, exact
from analyzer.quantities.quasipolynomial import fixed
from analyzer.source import Language, SourceFile
from analyzer.traffic.options import CacheModel, CacheOptions
from roofline.catalog import find_machine
from roofline.model.level_bytes import ProjectionOptions, target_of
from roofline.model.projection import Bound
from roofline.report.regions import FileReport, file_report
from roofline.report.soundness import UNKNOWN, sound, with_sound_rates

TEXT = """
static double a[4000], b[4000];
void f(void) {
    for (int i = 0; i < 4000; i++) a[i] = b[i] + 1;
    for (int i = 0; i < 4000; i++) a[i] += 2 * b[i];
}
"""
TARGET = target_of(find_machine("haswell"), ProjectionOptions())


@pytest.fixture(autouse=True)
def contradictions_are_wanted(contradictions: list[str]) -> Iterator[None]:
    """Let reports contradict themselves in these tests."""
    yield
    contradictions.clear()


@pytest.fixture(scope="module")
def analyzed() -> AnalyzedFile:
    assert TARGET.hierarchy is not None
    caches = CacheOptions(CacheModel.ANALYTIC, (TARGET.hierarchy,))
    (file,) = analyze(SourceFile("x.c", TEXT, Language.C), AnalysisOptions(cache=caches))
    return file


def reported(file: AnalyzedFile) -> FileReport:
    """The report, made as it is made for users: without what the tests add."""
    checked = [sound(*pair) for pair in file.regions_with_traffic]
    kept = replace(
        file,
        profile=replace(file.profile, regions=tuple(each.profile for each in checked)),
        traffic=tuple(each.traffic for each in checked),
    )
    report = file_report(kept, [TARGET], ProjectionOptions())
    return replace(report, profile=replace(report.profile, diagnostics=sum((x.diagnostics for x in checked), ())))


def with_flops(file: AnalyzedFile, flops: Quantity) -> AnalyzedFile:
    """The file with other FLOPs in the first nest."""
    (region,) = file.profile.regions
    first, second = region.nests
    first = replace(first, work=replace(first.work, flops=flops))
    region = replace(region, nests=(first, second))
    return replace(file, profile=replace(file.profile, regions=(region,)))


def test_figures_that_hold_are_the_same_objects(analyzed: AnalyzedFile) -> None:
    ((profile, traffic),) = analyzed.regions_with_traffic
    answer = sound(profile, traffic)
    assert answer.profile is profile
    assert answer.traffic is traffic
    assert answer.diagnostics == ()


@pytest.mark.parametrize(
    "flops",
    [
        exact(fixed(-4000)),
        Quantity(fixed(4000), fixed(5000), fixed(6000), Exactness.INTERVAL),
        Quantity(fixed(4000), fixed(0), fixed(3000), Exactness.UPPER),
    ],
)
def test_counts_that_cannot_be_are_unknown(analyzed: AnalyzedFile, flops: Quantity) -> None:
    report = reported(with_flops(analyzed, flops))
    (region,) = report.regions
    assert region.nests[0].profile.work.flops == UNKNOWN
    assert region.nests[0].profile.loads.elements.is_exact
    assert region.nests[1].profile.work.flops.is_exact
    assert next((found.code, dict(found.fields)["name"]) for found in report.profile.diagnostics) == ("AI216", "f:4")


def test_a_region_that_is_not_the_sum_of_its_nests_is_unknown(analyzed: AnalyzedFile) -> None:
    (region,) = reported(with_flops(analyzed, exact(fixed(4001)))).regions
    assert region.profile.work.flops == UNKNOWN
    assert region.nests[0].profile.work.flops.estimate.evaluate({}) == 4001


def test_a_cache_that_asks_for_more_than_the_one_inside_it(analyzed: AnalyzedFile) -> None:
    ((profile, traffic),) = analyzed.regions_with_traffic
    (caches,) = traffic.nests[0].models
    *inner, last = caches.levels
    more = replace(last, read_bytes=exact(fixed(10**7)))
    wrong = replace(traffic.nests[0], models=(replace(caches, levels=(*inner, more)),))
    answer = sound(profile, replace(traffic, models=(), nests=(wrong, traffic.nests[1])))
    assert [found.code for found in answer.diagnostics] == ["AI216"]
    (found,) = answer.traffic.nests[0].models
    assert all(level.read_bytes == UNKNOWN for level in found.levels)
    assert answer.traffic.nests[1] is traffic.nests[1]


@pytest.mark.parametrize("direction", ["read_bytes", "write_bytes"])
def test_memory_that_moves_less_than_what_is_touched_first(analyzed: AnalyzedFile, direction: str) -> None:
    """32 kB are read and 32 kB are written in the first nest: 30 kB cannot be."""
    ((profile, traffic),) = analyzed.regions_with_traffic
    (caches,) = traffic.nests[0].models
    fewer = replace(caches.levels[-1], write_allocate_bytes=exact(fixed(0)), **{direction: exact(fixed(30_000))})
    levels = (*caches.levels[:-1], fewer)
    wrong = replace(traffic.nests[0], models=(replace(caches, levels=levels),))
    answer = sound(profile, replace(traffic, models=(), nests=(wrong, traffic.nests[1])))
    assert [found.code for found in answer.diagnostics] == ["AI216"]
    warm = replace(wrong, models=(replace(caches, levels=levels, warm=True),))
    assert not sound(profile, replace(traffic, models=(), nests=(warm, traffic.nests[1]))).diagnostics


def test_bytes_of_a_function_are_those_of_its_nests(analyzed: AnalyzedFile) -> None:
    """A nest under no column of the model has none, as if it were exact; the function has them."""
    ((profile, traffic),) = analyzed.regions_with_traffic
    (caches,) = traffic.models
    first, *outer = caches.levels
    fewer = tuple(replace(level, read_bytes=ZERO, write_allocate_bytes=ZERO) for level in outer)
    wrong = replace(traffic, models=(replace(caches, levels=(first, *fewer)),))
    answer = sound(profile, wrong)
    assert [found.code for found in answer.diagnostics] == ["AI216"]
    assert all(level.read_bytes == UNKNOWN for level in answer.traffic.models[0].levels)


KERNELS = """
__global__ void add(float *a, const float *b) { int i = blockIdx.x * 256 + threadIdx.x; a[i] = b[i] + 1; }
int main() { float *a, *b; cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20); add<<<1024, 256>>>(a, b); }
"""


@pytest.mark.parametrize("direction", ["read_bytes", "write_bytes"])
@pytest.mark.parametrize("number", [1, 2])
def test_what_a_kernel_asks_for_has_moved(direction: str, number: int) -> None:
    """A kernel whose nest is under no column of the model has 0 bytes of L2 and DRAM, though its warps ask for 1 MB."""
    hierarchy = target_of(find_machine("a100"), ProjectionOptions()).hierarchy
    assert hierarchy is not None
    options = AnalysisOptions(cache=CacheOptions(CacheModel.ANALYTIC, (hierarchy,)))
    (file,) = analyze(SourceFile("x.cu", KERNELS, Language.CUDA), options)
    ((profile, traffic),) = file.regions_with_traffic
    assert not sound(profile, traffic).diagnostics
    (caches,) = traffic.models
    levels = list(caches.levels)
    levels[number] = replace(levels[number], **{direction: ZERO})
    answer = sound(profile, replace(traffic, models=(replace(caches, levels=tuple(levels)),), nests=()))
    assert [found.code for found in answer.diagnostics] == ["AI216"]
    warm = replace(caches, levels=tuple(levels), warm=True)
    assert bool(sound(profile, replace(traffic, models=(warm,), nests=())).diagnostics) is (number == 1)


def test_a_rate_of_nothing_is_not_said(analyzed: AnalyzedFile) -> None:
    (region,) = reported(analyzed).regions
    (projection,) = region.nests[0].projections
    assert with_sound_rates(projection) is projection
    assert projection.time is not None
    wrong = with_sound_rates(replace(projection, time=replace(projection.time, value=-1.0)))
    assert (wrong.time, wrong.attainable, wrong.bound) == (None, None, Bound.UNKNOWN)
