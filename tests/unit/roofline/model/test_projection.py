"""Projections against numbers worked out by hand; machines are the founding documents' or written here."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile
from analyzer.traffic.results import Convention
from roofline.catalog import find_machine
from roofline.machine.figures import Basis
from roofline.machine.machine import Machine
from roofline.model.projection import Bound, Projection, ProjectionOptions, moved_bytes
from roofline.model.verdicts.reasons import AgainstRidge, IntensityGrows
from roofline.report.sentences import reason_text
from tests.projected import project

DEVICE = """
id = "device"
name = "A device"
vendor = "none"
kind = "cpu"
clock.nominal_ghz = {{ value = 1.0, kind = "theoretical", source = "made" }}
units = {{ name = "core", count = 1, source = "made" }}
[peaks.fp64]
fma_gflops = {{ value = {fma}, kind = "theoretical", source = "made" }}
no_fma_gflops = {{ value = {no_fma}, kind = "theoretical", source = "made" }}
[peaks.fp32]
fma_gflops = {{ value = {fp32}, kind = "theoretical", source = "made" }}
no_fma_gflops = {{ value = {fp32}, kind = "theoretical", source = "made" }}
[memory]
technology = "unknown"
bandwidth_gbs = [
  {{ value = {bandwidth}, kind = "theoretical", source = "made" }},
  {{ value = {sustained}, kind = "measured", source = "made", sustained = true }},
  {{ value = {copied}, kind = "{kind}", source = "made", pattern = "copy", counts_write_allocate = true }},
]
[write_allocate]
policy = "{policy}"
text = "stated here"
source = "made"
[sources.made]
title = "Made up"
kind = "notes"
"""


@pytest.fixture
def device(tmp_path: Path) -> object:
    def make(**figures: object) -> Machine:
        defaults = {"fma": 4, "no_fma": 4, "fp32": 8, "bandwidth": 10, "sustained": 10}
        defaults |= {"copied": 10, "kind": "measured", "policy": "none"}
        path = tmp_path / "device.toml"
        path.write_text(DEVICE.format(**{**defaults, **figures}))
        return find_machine(str(path))

    return make


def profile(text: str, **defines: int) -> RegionProfile:
    options = AnalysisOptions(defines={name: str(value) for name, value in defines.items()})
    (found,) = analyze(SourceFile("k.c", text, Language.C), options)
    return found.regions[0]


def giga(found: Projection) -> float:
    assert found.attainable is not None
    return found.attainable.giga


DAXPY = "for (i = 0; i < N; i++) y[i] = a*x[i] + y[i];"
SQUARED = "for (i = 0; i < N; i++) y[i] = a*x[i] + y[i] + x[i]*x[i];"
SUM = "for (i = 0; i < N; i++) s += a[i]*a[i];"
TRIAD = "for (i = 0; i < N; i++) A[i] = B[i] + C[i]*D[i];"
MATMUL = (
    "for (i = 0; i < N; i++) for (j = 0; j < N; j++) for (k = 0; k < N; k++) c[i*N + j] += a[i*N + k] * b[k*N + j];"
)


@pytest.mark.parametrize(("text", "gflops"), [(DAXPY, 2.4), (SQUARED, 4.8)])
def test_blue_gene_q(text: str, gflops: float) -> None:
    """28.8 GB/s * 1/12 and 1/6 FLOP/byte."""
    found = project(profile(text), find_machine("bgq"))
    assert (found.bound, found.level) == (Bound.MEMORY, "DRAM")
    assert giga(found) == pytest.approx(gflops, rel=1e-9)


def test_sum_of_squares(device) -> None:
    """min(4, 10 GB/s * 1/4) = 2.5 GFLOP/s."""
    assert giga(project(profile(SUM), device())) == pytest.approx(2.5)
    assert giga(project(profile(SUM), device(fma=2, no_fma=2))) == pytest.approx(2.0), "the peak binds"


def test_triad_on_haswell_with_write_allocate() -> None:
    """50 GB/s over 40 bytes for 2 FLOP: 2.5 GFLOP/s; without the write-allocate 3.125."""
    haswell = find_machine("haswell")
    assert giga(project(profile(TRIAD), haswell)) == pytest.approx(2.5)
    assert giga(project(profile(TRIAD), haswell, ProjectionOptions(nontemporal=True))) == pytest.approx(3.125)
    assert giga(project(profile(TRIAD), haswell, ProjectionOptions(write_allocate=False))) == pytest.approx(3.125)


def test_conventions_by_hand() -> None:
    """The triad reads B, C, D and writes A: 32, with write-allocate 40 bytes an iteration; N = 1000."""
    found = profile(TRIAD, N=1000)

    def total(convention: Convention | None, machine: Machine | None = None) -> object:
        moved = moved_bytes(found, ProjectionOptions(convention=convention), machine)
        return moved.total.estimate.evaluate(found.values)

    assert total(None) == total(Convention.COMPULSORY) == total(Convention.REGISTER) == 32_000
    assert total(Convention.WRITE_ALLOCATE) == total(None, find_machine("haswell")) == 40_000
    assert total(None, find_machine("v100")) == 32_000
    daxpy = profile(DAXPY, N=1000)
    once = moved_bytes(daxpy, ProjectionOptions(convention=Convention.TOUCHED_ONCE))
    assert once.total.estimate.evaluate(daxpy.values) == 16_000


def test_partial_fma(device) -> None:
    """3 FMA in 5 instructions: (2*0.6 + 0.4)/2 = 80 % of the peak, where the no-FMA peak is half of it."""
    text = (
        "for (i = 0; i < N; i++) { t = a[i]; t = t*x + y; t = t*x + y; t = t*x + y; t = t + x; t = t + y; a[i] = t; }"
    )
    found = project(profile(text), device(fma=100, no_fma=50, fp32=200, bandwidth=10_000, sustained=10_000))
    assert found.ceiling is not None
    assert found.ceiling.name == "partial FMA"
    assert found.ceiling.rate.giga == pytest.approx(80)
    assert (found.bound, giga(found)) == (Bound.COMPUTE, pytest.approx(80))


def test_repeated_flops_take_no_time(device) -> None:
    """Of 3 FLOPs 2 are needed, no FMA: 3/2 of the peak without; of ``t*(x - y) + y`` in a loop one FMA of 3 FLOPs."""
    machine = device(fma=100, no_fma=50, fp32=200, bandwidth=10_000, sustained=10_000)
    for text, rate in (
        ("for (i = 0; i < N; i++) { b[i] = (a[i] - x)*(a[i] - x); }", 75),
        ("for (i = 0; i < N; i++) { b[i] = a[i]*(x - y) + y; }", 150),
    ):
        found = project(profile(text), machine)
        assert found.ceiling is not None
        assert found.ceiling.name == "needed FLOPs"
        assert found.ceiling.rate.giga == pytest.approx(rate)


def test_precisions_mix_by_time(device) -> None:
    """One fp64 add at 4 and one fp32 add at 8 GFLOP/s: 2 / (1/4 + 1/8) = 16/3 GFLOP/s."""
    text = (
        "void f(int n, double *a, float *b) { for (int i = 0; i < n; i++) { a[i] = a[i] + 1.0; b[i] = b[i] + 1.0f; } }"
    )
    found = project(profile(text), device(bandwidth=10_000, sustained=10_000))
    assert giga(found) == pytest.approx(16 / 3)


def test_precisions_mix_by_their_flops(device) -> None:
    """One fp64 add at 4 and three fp32 adds at 8 GFLOP/s: 4 / (1/4 + 3/8) = 6.4 GFLOP/s."""
    text = (
        "void f(int n, double *a, float *b) { for (int i = 0; i < n; i++)"
        " { a[i] = a[i] + 1.0; b[i] = b[i] + 1.0f + b[i + n] + b[i + 2*n]; } }"
    )
    assert giga(project(profile(text), device(bandwidth=10_000, sustained=10_000))) == pytest.approx(6.4)


def test_a_copy_that_an_ideal_cache_holds_goes_through_the_innermost_one() -> None:
    """10,000 doubles copied 1,000 times: 240 kB of memory, and 160 MB between the core and L1, two loads a store.

    An L1 measured with loads alone stores as many bytes at the same time as it has store ports for: here half as many.
    """
    copies = profile("for (t = 0; t < 1000; t++) for (i = 0; i < N; i++) y[i] = x[i];", N=10_000)
    found = project(copies, find_machine("haswell"))
    loads = find_machine("haswell").bandwidth("L1", Basis.SUSTAINED, None)
    assert next(level.bandwidth.rate.value for level in found.levels) == pytest.approx(1.5 * loads.rate.value)
    assert found.time is not None
    assert found.time.value == pytest.approx(1e7 / 4 / 14 / 2.3e9), (
        "one store of four lanes a cycle on each of 14 cores"
    )
    assert found.bound is Bound.ISSUE


def test_iterations_take_as_long_as_their_flops(device) -> None:
    """10 GB/s over 24 bytes, two FLOPs each."""
    found = project(profile(DAXPY), device())
    assert found.attainable is not None
    assert found.iterations_per_s == pytest.approx(10e9 / 24)
    assert found.attainable.value == pytest.approx(2 * 10e9 / 24)


@pytest.mark.parametrize(("measured", "close"), [(3.9, False), (2, True)])
def test_what_binds_is_undecided_within_the_spread_of_the_peaks(tmp_path: Path, measured: float, close: bool) -> None:
    """2.5 GFLOP/s of memory against a peak of 4 GFLOP/s, or of what was measured."""
    figures = {"fma": 4, "no_fma": 4, "fp32": 8, "bandwidth": 10, "sustained": 10, "policy": "none"}
    figures |= {"copied": 10, "kind": "measured"}
    text = DEVICE.format(**figures)
    for name in ("fma", "no_fma"):
        one = '{ value = 4, kind = "theoretical", source = "made" }'
        two = f'{{ value = {measured}, kind = "measured", source = "made", sustained = true }}'
        text = text.replace(f"{name}_gflops = {one}", f"{name}_gflops = [{one}, {two}]", 1)
    path = tmp_path / "device.toml"
    path.write_text(text)
    found = project(profile(SUM), find_machine(str(path)), ProjectionOptions(basis=Basis.THEORETICAL))
    assert (giga(found), found.close_call) == (pytest.approx(2.5), close)


def test_a_region_without_flops(device) -> None:
    """A copy of 16 bytes an iteration at 10 GB/s: 625 million iterations a second; 1000 of them take 1.6 us."""
    found = project(profile("for (i = 0; i < N; i++) y[i] = x[i];", N=1000), device())
    assert (found.bound, found.attainable) == (Bound.MEMORY, None)
    assert found.bandwidth_rate is not None
    assert found.bandwidth_rate.giga == 10
    assert found.iterations_per_s == pytest.approx(625e6)
    assert found.time is not None
    assert found.time.value == pytest.approx(1.6e-6)


def test_what_if(device) -> None:
    """Twice the bandwidth doubles what is memory-bound, twice the peak what is compute-bound, and not the other."""
    memory, compute = profile(DAXPY), profile("for (i = 0; i < N; i++) s += x[i]*x[i]*x[i]*x[i]*x[i]*x[i]*x[i]*x[i];")
    for found, grows in ((memory, "bandwidth"), (compute, "flops")):
        before = giga(project(found, device()))
        for what in ("bandwidth", "flops"):
            after = giga(project(found, device().scaled(**{what: 2.0})))
            assert after == pytest.approx(before * (2 if what == grows else 1))


def test_time_is_work_over_rate(device) -> None:
    found = project(profile(SUM, N=10**6), device())
    assert found.time is not None
    assert found.time.value == pytest.approx(2e6 / 2.5e9)
    assert project(profile(SUM), device()).time is None


def test_limits_for_unknown_sizes(device) -> None:
    """(N - 2) FLOP * 2 over 8*(N - 2) + 8*N bytes tends to 1/8."""
    found = project(profile("for (i = 1; i < N - 1; i++) y[i] = x[i - 1] + x[i] + x[i + 1];"), device())
    assert found.intensity.number == Fraction(1, 8)


def test_matmul_without_a_size(device) -> None:
    """I = 2N^3 / 32N^2 = N/16; the ridge of 4 GFLOP/s over 10 GB/s, 0.4, is crossed at N = 6.4."""
    found = project(profile(MATMUL), device())
    assert (found.intensity.value, found.intensity.power) == (Fraction(1, 16), 1)
    assert found.intensity.number is None
    assert isinstance(found.reason, IntensityGrows)
    assert (found.reason.symbol, found.reason.factor, found.reason.power) == ("N", 1 / 16, 1)
    assert found.reason.threshold == pytest.approx(6.4)
    assert "0.0625*N" in reason_text(found.reason)
    assert "N = 6," in reason_text(found.reason)


def test_matmul_with_sizes(device) -> None:
    small, large = (project(profile(MATMUL, N=size), device()) for size in (4, 64))
    assert (small.bound, large.bound) == (Bound.MEMORY, Bound.COMPUTE)
    assert giga(small) == pytest.approx(10 * 4 / 16)
    assert giga(large) == pytest.approx(4)


def test_an_interval_of_intensities(device) -> None:
    """x[idx[i]] loads between nothing and 8 bytes: 20 to 28 bytes for 2 FLOP."""
    found = project(profile("for (i = 0; i < N; i++) y[i] = a*x[idx[i]] + y[i];"), device())
    assert found.attainable_range is not None
    low, high = (rate.giga for rate in found.attainable_range)
    assert (low, high) == (pytest.approx(10 * 2 / 28), pytest.approx(10 * 2 / 20))


@pytest.mark.parametrize(
    ("copied", "kind", "close"),
    [(10, "measured", False), (15, "measured", False), (17, "measured", True), (40, "theoretical", False)],
)
def test_too_close_to_call(device, copied: float, kind: str, close: bool) -> None:
    """I * b = 2.5 GFLOP/s is 1.6 times below the peak: within measured figures that differ by 1.7, but not by 1.5.

    A data sheet does not make a measured figure less certain.
    """
    found = project(profile(SUM), device(bandwidth=40, copied=copied, kind=kind))
    assert found.bound is Bound.MEMORY
    assert found.close_call is close
    assert isinstance(found.reason, AgainstRidge)
    assert (found.reason.spread is not None) is close
    assert ("too close" in reason_text(found.reason)) is close


def test_cores_and_kinds_are_told() -> None:
    v100 = find_machine("v100")
    reason = reason_text(project(profile(DAXPY), v100).reason)
    assert "828.8 GB/s, measured" in reason
    reason = reason_text(project(profile(DAXPY), v100, ProjectionOptions(basis=Basis.THEORETICAL)).reason)
    assert "900 GB/s, theoretical" in reason
    half = project(profile(DAXPY), v100, ProjectionOptions(cores=40))
    assert half.ceilings[0].rate.giga == pytest.approx(7068.86 / 2)


def test_ceilings_and_ridges_agree() -> None:
    for name in ("haswell", "v100", "epyc-7763", "a64fx"):
        found = project(profile(TRIAD), find_machine(name))
        rates = [ceiling.rate.value for ceiling in found.ceilings]
        assert rates == sorted(rates, reverse=True)
        outer = found.levels[-1].bandwidth.rate.value
        for ceiling in found.ceilings:
            assert ceiling.ridge is not None
            assert math.isclose(ceiling.ridge.value, ceiling.rate.value / outer)


def test_only_additions_have_their_own_ceiling() -> None:
    """Haswell has one add port of two FMA ports: a quarter of the FMA peak, 515.2 / 4 GFLOP/s."""
    found = project(profile("for (i = 0; i < N; i++) c[i] = a[i] + b[i];"), find_machine("haswell"))
    by_name = {ceiling.name: ceiling.rate.giga for ceiling in found.ceilings}
    assert by_name["add only"] == pytest.approx(515.2 / 4)
    assert by_name["FMA"] == pytest.approx(515.2)


@pytest.mark.parametrize("size", [None, 0, 1, 1000])
def test_flops_that_may_never_run(device, size: int | None) -> None:
    """With no iteration at all, or no odds of the branch, nothing is divided by a rate of nothing."""
    text = "for (i = 0; i < N; i++) if (x[i] > 0) y[i] = 2 * x[i];"
    defines = {} if size is None else {"N": str(size)}
    options = AnalysisOptions(defines=defines, branch_probability=Fraction(0))
    (found,) = analyze(SourceFile("k.c", text, Language.C), options)
    projected = project(found.regions[0], device())
    assert projected.attainable is None
    assert projected.bound in (Bound.MEMORY, Bound.NOTHING, Bound.UNKNOWN)
