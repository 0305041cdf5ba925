"""Each rule on a case that it is made for, and on one that it has to leave alone.

The kernel is a[i] = b[i] + s*c[i], N = 2^24: 2N FLOPs of which N FMAs; 24N bytes, and 8N more where stores read first.
"""

import pytest

from cli.render.text.comparison import verdict_text
from roofline.comparison.compare import CompareOptions, compare
from roofline.comparison.quantities import Verdict
from roofline.comparison.reasons.codes import Code
from roofline.comparison.reasons.sentences import _SENTENCES, reason_text
from roofline.comparison.tolerance import Tolerance
from roofline.measured.results import DRAM, Fact, LevelBytes, Reading, Sample
from roofline.options import EstimateOptions
from tests.compared import FLOPS, USEFUL, N, predict

TRIAD = "void triad(int n, double *restrict a, const double *restrict b, const double *restrict c, double s) {\n"
TRIAD += "  for (int i = 0; i < n; i++) a[i] = b[i] + s * c[i];\n}\n"
DIVISION = "void f(int n, double *restrict a, const double *restrict b) {\n"
DIVISION += "  for (int i = 0; i < n; i++) a[i] = 1.0 / b[i] + b[i];\n}\n"
ALLOCATED = 32 * N
ONE_CORE = EstimateOptions(cores=1)


@pytest.fixture(scope="module")
def triad():
    return predict(TRIAD, n=N)


def compared(report, *, policies=None, tolerance=None, name="triad", **measured):
    levels = tuple(
        LevelBytes(level, *((sum(size), "", *size) if isinstance(size, tuple) else (size, "")))
        for level, size in measured.pop("levels", {}).items()
    )
    sample = Sample(name=name, line=1, levels=levels, **measured)
    options = CompareOptions(tolerance or Tolerance())
    chosen = (lambda prediction: policies) if policies else (lambda prediction: {})
    (kernel,) = compare(report, [Reading("m.csv", "csv", (sample,))], options, policies=chosen).kernels
    return kernel


def codes(kernel):
    assert all(reason_text(reason) for reason in kernel.reasons)
    return [(reason.code.value, reason.level) for reason in kernel.reasons]


def test_agreement_needs_no_reason(triad):
    kernel = compared(triad, flops=FLOPS, levels={DRAM: ALLOCATED, "L1": USEFUL}, seconds=5.5e-3)
    assert kernel.verdict is Verdict.AGREES
    assert codes(kernel) == []


def test_tolerance_decides(triad):
    measured = {"flops": 1.04 * FLOPS, "levels": {DRAM: ALLOCATED}}
    assert compared(triad, **measured).verdict is Verdict.AGREES
    tight = compared(triad, **measured, tolerance=Tolerance(0.1, {"flops": 0.03}))
    assert (tight.rows[0].quantity, tight.rows[0].verdict) == ("flops", Verdict.DIFFERS)


@pytest.mark.parametrize("times", [2, 100])
def test_repetitions(triad, times):
    kernel = compared(triad, flops=times * FLOPS, levels={DRAM: times * ALLOCATED})
    assert codes(kernel) == [("repetitions", "")]
    assert kernel.reasons[0].evidence["executions"] == times
    assert kernel.verdict is Verdict.DIFFERS


def test_repetitions_with_warm_caches_leave_another_reason():
    report = predict(TRIAD, n=2**16)  # 1.5 MiB fit L3
    kernel = compared(report, flops=10 * 2**17, levels={"L1": 10 * 24 * 2**16, DRAM: 24 * 2**16})
    assert codes(kernel) == [("repetitions", ""), ("warm caches", DRAM)]


def test_a_factor_of_flops_alone_is_no_repetition(triad):
    assert ("repetitions", "") not in codes(compared(triad, flops=2 * FLOPS, levels={DRAM: ALLOCATED}))


def test_another_size(triad):
    kernel = compared(triad, flops=0.37 * FLOPS, levels={DRAM: 0.37 * ALLOCATED, "L1": 0.37 * USEFUL})
    assert codes(kernel) == [("other size", "")]
    assert kernel.reasons[0].evidence["ratio"] == pytest.approx(0.37)


def test_nearly_a_whole_factor_is_another_size(triad):
    assert codes(compared(triad, flops=2.1 * FLOPS, levels={DRAM: 2.1 * ALLOCATED})) == [("other size", "")]


def test_fma_counted_once(triad):
    kernel = compared(triad, flops=N)
    assert codes(kernel) == [("FMA counted once", "")]
    assert codes(compared(triad, flops=1.3 * N)) == []


def test_fma_counted_twice_over(triad):
    assert codes(compared(triad, flops=4 * N)) == [("FMA counted twice", "")]


def test_expansion_of_divisions():
    report = predict(DIVISION, None, n=64)
    kernel = compared(report, name="f", flops=64 * 11, policies={"nvidia-sass": 64 * 11})
    assert codes(kernel) == [("expansion", "")]
    assert "div" in reason_text(kernel.reasons[0])
    assert codes(compared(report, name="f", flops=64 * 9, policies={"nvidia-sass": 64 * 11})) == []


def test_flops_of_another_precision(triad):
    kernel = compared(triad, flops=1.5 * FLOPS, flops_by_precision={"fp64": FLOPS, "fp32": 0.5 * FLOPS})
    assert ("other precision", "") in codes(kernel)


def test_work_that_is_not_counted():
    calls = "double g(double x);\n" + TRIAD.replace("s * c[i]", "s * g(c[i])")
    report = predict(calls, n=N)
    kernel = compared(report, flops=3.7 * FLOPS)
    assert ("not counted", "") in codes(kernel)
    assert "call of g" in next(reason_text(found) for found in kernel.reasons if found.code.value == "not counted")
    assert codes(compared(report, flops=0.7 * FLOPS)) == []


def test_precision_that_was_not_measured_is_not_compared(triad):
    kernel = compared(triad, flops=0.0, flops_by_precision={"fp32": 0.0}, levels={DRAM: ALLOCATED})
    assert [row.verdict for row in kernel.rows if row.quantity == "flops"] == [Verdict.NOT_COMPARABLE]
    assert kernel.verdict is Verdict.AGREES  # by its bytes


def test_no_write_allocate(triad):
    assert codes(compared(triad, levels={DRAM: USEFUL})) == [("no write-allocate", DRAM)]
    assert codes(compared(triad, levels={DRAM: (16 * N, 8 * N)})) == [("no write-allocate", DRAM)]
    assert codes(compared(triad, levels={DRAM: 28 * N})) == [("cache reuse", DRAM)]


def test_write_allocate_that_was_not_predicted():
    report = predict(TRIAD, n=N, options=EstimateOptions(write_allocate=False))
    kernel = compared(report, levels={DRAM: (24 * N, 8 * N)})
    assert codes(kernel) == [("write-allocate", DRAM)]
    assert kernel.reasons[0].evidence["stored_bytes"] == 8 * N


@pytest.mark.parametrize("channels", [2, 6])
def test_some_memory_channels(triad, channels):
    kernel = compared(triad, levels={DRAM: (24 * N / channels, 8 * N / channels)})
    assert codes(kernel) == [("some channels", DRAM)]
    assert kernel.reasons[0].evidence == {"channels": channels}


def test_elements_for_lines():
    strided = "void f(int n, double *a) {\n  for (int i = 0; i < n; i++) a[16 * i] = 2.0 * a[16 * i] + 1.0;\n}\n"
    report = predict(strided, n=2**20)
    assert codes(compared(report, name="f", levels={DRAM: 16 * 2**20})) == [("granularity", DRAM)]
    assert compared(report, name="f", levels={DRAM: 128 * 2**20}).verdict is Verdict.AGREES


def test_every_reference_goes_to_memory():
    sums = "void f(int n, double *a, const double *b) {\n  for (int j = 0; j < n; j++)\n"
    sums += "    for (int i = 0; i < n; i++)\n      a[j] += b[i];\n}\n"
    report = predict(sums, n=512)
    kernel = compared(report, name="f", levels={"L1": 3 * 8 * 512 * 512})
    assert codes(kernel) == [("every reference", "L1")]


def test_warm_caches():
    report = predict(TRIAD, n=2**16)
    kernel = compared(report, levels={DRAM: 1000.0})
    assert codes(kernel) == [("warm caches", DRAM)]
    assert kernel.reasons[0].evidence["footprint_bytes"] == 24 * 2**16


def test_caches_are_not_warm_with_more_than_they_hold(triad):
    assert codes(compared(triad, levels={DRAM: 10 * N})) == [("cache reuse", DRAM)]


def test_reuse_that_the_model_does_not_see(triad):
    kernel = compared(triad, levels={"L2": 20 * N, "L1": USEFUL})
    assert codes(kernel) == [("cache reuse", "L2")]
    assert kernel.reasons[0].evidence["L1_ratio"] == 1
    assert codes(compared(triad, levels={DRAM: 50 * N})) == [("less cache reuse", DRAM)]


def test_spills(triad):
    kernel = compared(triad, levels={"L1": USEFUL}, facts={Fact.LOCAL_BYTES: 0.25 * USEFUL})
    assert codes(kernel) == [("spills", "L1")]
    assert kernel.reasons[0].evidence["share_of_L1"] == 0.25
    assert codes(compared(triad, levels={"L1": USEFUL}, facts={Fact.LOCAL_BYTES: 0.0})) == []


def test_not_vectorised(triad):
    slow = {"flops": FLOPS, "levels": {DRAM: ALLOCATED}, "seconds": 1.0}
    assert codes(compared(triad, **slow, facts={Fact.SCALAR_SHARE: 0.9})) == [("not vectorised", "")]
    assert codes(compared(triad, **slow, facts={Fact.SCALAR_SHARE: 0.2})) == []
    fast = {**slow, "seconds": 4.5e-3}  # memory-bound at full speed: vectors would not help
    assert codes(compared(triad, **fast, facts={Fact.SCALAR_SHARE: 0.9})) == []


def test_part_of_the_machine(triad):
    slow = {"flops": FLOPS, "levels": {DRAM: ALLOCATED}, "seconds": 1.0}
    kernel = compared(triad, **slow, facts={Fact.THREADS: 2.0})
    assert codes(kernel) == [("part of the machine", "")]
    assert kernel.reasons[0].evidence == {"threads": 2, "units": 20}
    assert reason_text(kernel.reasons[0]).startswith("measured with 2 threads, the bound is for 20 x ")
    (alone,) = compared(triad, **slow, facts={Fact.THREADS: 1.0}).reasons
    assert reason_text(alone).startswith("measured with 1 thread, the bound is for 20 x ")
    assert codes(compared(triad, **slow, facts={Fact.THREADS: 20.0})) == []


def test_above_the_roof(triad):
    kernel = compared(triad, flops=FLOPS, levels={DRAM: ALLOCATED}, seconds=2e-3)  # 268 GB/s of 120.64
    assert kernel.verdict is Verdict.DIFFERS
    assert codes(kernel) == [("above the roof", DRAM)]
    assert kernel.reasons[0].evidence["DRAM_bytes_per_s"] == pytest.approx(ALLOCATED / 2e-3)
    assert kernel.performance.efficiency == pytest.approx(ALLOCATED / 2e-3 / 120.64e9)


def test_above_the_roof_by_its_clock(triad):
    kernel = compared(triad, flops=FLOPS, levels={DRAM: ALLOCATED}, seconds=4e-3, facts={Fact.CLOCK_HZ: 3.1e9})
    assert kernel.reasons[0].evidence["clock_hz"] == 3.1e9


def test_above_the_roof_of_another_device(triad):
    kernel = compared(triad, flops=FLOPS, seconds=1e-3, device="Tesla V100-SXM2-16GB (0)")
    assert "measured on Tesla V100-SXM2-16GB (0), the bound is of Intel Xeon Gold 6148" in reason_text(
        kernel.reasons[0]
    )


def test_efficiency_is_against_the_measured_intensity(triad):
    kernel = compared(triad, flops=FLOPS, levels={DRAM: USEFUL}, seconds=10e-3)
    assert kernel.performance.bound == pytest.approx(120.64e9 * FLOPS / USEFUL)
    assert kernel.performance.predicted == pytest.approx(120.64e9 / 16)
    assert (kernel.performance.level, kernel.performance.predicted_level) == (DRAM, DRAM)


def test_time_is_checked_where_it_was_asked_for(triad):
    measured = {"flops": FLOPS, "levels": {DRAM: ALLOCATED}, "seconds": 10e-3}
    assert compared(triad, **measured).verdict is Verdict.WITHIN
    assert compared(triad, **measured, tolerance=Tolerance(0.1, {"time": 0.5})).verdict is Verdict.DIFFERS
    assert compared(triad, **measured, tolerance=Tolerance(0.1, {"time": 2.0})).verdict is Verdict.AGREES


@pytest.mark.parametrize(
    ("seconds", "verdict", "words"),
    [
        (5.2e-3, Verdict.AGREES, "agrees, time 1.00 times the expected one"),
        (10.6e-3, Verdict.WITHIN, "counts agree, time 2.04 times the expected one"),
        (52e-3, Verdict.WITHIN, "counts agree, time 10.0 times the expected one"),
    ],
)
def test_counts_that_agree_are_not_all(triad, seconds, verdict, words):
    """5.2 ms are expected, of a bound of 4.45 ms: what takes ten times as long does not agree."""
    kernel = compared(triad, flops=FLOPS, levels={DRAM: ALLOCATED}, seconds=seconds)
    assert kernel.verdict is verdict
    assert verdict_text(kernel) == words


def test_a_kernel_that_differs_says_in_what(triad):
    kernel = compared(triad, flops=2 * FLOPS, levels={DRAM: ALLOCATED}, seconds=5.2e-3)
    assert verdict_text(kernel) == "differs: flops 2.00 times the predicted"  # intensities and rates follow from these


def test_time_alone_takes_the_predicted_flops(triad):
    kernel = compared(triad, seconds=10e-3)
    assert kernel.performance.rate == pytest.approx(FLOPS / 10e-3)
    assert kernel.performance.estimated
    assert kernel.verdict is Verdict.WITHIN
    assert compared(triad, seconds=4.6e-3).verdict is Verdict.AGREES  # the bound is 4.45 ms


def test_a_time_below_the_bound_is_that_of_warm_caches():
    report = predict(TRIAD, n=100_000)  # 2.4 MB fit the L2 of 20 cores
    kernel = compared(report, seconds=10e-6)
    assert kernel.verdict is Verdict.DIFFERS
    assert [(reason.code, reason.names["cache"]) for reason in kernel.reasons] == [(Code.WARM_CACHES, "L2")]
    assert Code.ABOVE_THE_ROOF in {reason.code for reason in compared(report, seconds=1e-8).reasons}


def test_warm_caches_are_thought_of_where_an_inner_level_is_the_bound():
    """3*32 KiB fit the L2 of a core; without FLOPs the time that L1 and L2 take is what is held against."""
    report = predict(TRIAD, options=ONE_CORE, n=4096)
    assert codes(compared(report, seconds=1.5e-6)) == [("warm caches", DRAM)]
    fill = "void fill(int n, double *restrict a) {\n  for (int i = 0; i < n; i++) a[i] = 0;\n}\n"
    assert codes(compared(predict(fill, options=ONE_CORE, n=4096), name="fill", seconds=0.4e-6)) == [
        ("warm caches", DRAM)
    ]


def test_a_sum_that_did_not_wait_was_taken_in_another_order():
    dot = "double dot(int n, const double *a, const double *b) {\n  double s = 0;\n"
    dot += "  for (int i = 0; i < n; i++) s += a[i]*b[i];\n  return s;\n}\n"
    report = predict(dot, options=ONE_CORE, n=4096)
    (region,) = report.regions
    least = region.projections[0].time.value
    kernel = compared(report, name="dot", seconds=least / 2)
    assert codes(kernel)[0] == ("reordered sums", "")
    assert kernel.performance.bound_name == "latency (core throughput)"
    assert ("reordered sums", "") not in codes(compared(report, name="dot", seconds=least / 1000))


def test_a_kernel_without_flops_is_judged_by_its_predicted_bytes():
    copy = "void copy(int n, double *restrict a, const double *restrict b) {\n"
    copy += "  for (int i = 0; i < n; i++) a[i] = b[i];\n}\n"
    kernel = compared(predict(copy, n=N), name="copy", seconds=100e-3)
    assert kernel.performance.estimated
    assert kernel.performance.rate == pytest.approx(24 * N / 100e-3)
    assert kernel.verdict is Verdict.WITHIN


def test_a_kernel_without_flops_is_judged_by_its_bandwidth():
    copy = "void copy(int n, double *restrict a, const double *restrict b) {\n"
    copy += "  for (int i = 0; i < n; i++) a[i] = b[i];\n}\n"
    report = predict(copy, n=N)
    kernel = compared(report, name="copy", flops=0.0, levels={DRAM: 24 * N}, seconds=4e-3)
    assert (kernel.performance.unit, kernel.performance.level) == ("B/s", DRAM)
    assert kernel.performance.efficiency == pytest.approx(24 * N / 4e-3 / 120.64e9)
    assert kernel.verdict is Verdict.AGREES


def test_unknown_sizes_are_not_comparable():
    kernel = compared(predict(TRIAD), flops=FLOPS, levels={DRAM: ALLOCATED})
    flops, size, *_ = kernel.rows
    assert (flops.verdict, flops.why) == (Verdict.NOT_COMPARABLE, "n not known (-D)")
    assert size.verdict is Verdict.NOT_COMPARABLE
    assert [row.verdict for row in kernel.rows if row.quantity == "intensity"] == [Verdict.AGREES]  # its limit is known


def test_an_interval_is_agreed_with_at_its_ends():
    guarded = "void f(int n, double *a, const double *b) {\n"
    guarded += "  for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = 2.0 * b[i];\n}\n"
    report = predict(guarded, None, n=1000)
    verdicts = [compared(report, name="f", flops=flops).rows[0].verdict for flops in (0.0, 400.0, 1000.0, 1200.0)]
    assert verdicts == [Verdict.AGREES] * 3 + [Verdict.DIFFERS]


def test_every_reason_has_a_sentence() -> None:
    assert set(_SENTENCES) == set(Code)
