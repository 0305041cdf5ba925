"""Verdicts without sizes, or with some: figures derived by hand; small sources in ``tests/data/verdicts``."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from roofline import estimate, source_text
from roofline.model.verdicts.reasons import CoreHolds, HeldUntil, IntensityGrows
from roofline.report.regions import RegionReport

_SOURCES = Path(__file__).parents[3] / "data" / "verdicts"


def region(file: str, function: str, machine: str = "haswell", **options: object) -> RegionReport:
    return next(found for found in _all(file, machine, tuple(options.items())) if found.profile.function == function)


@cache
def _all(file: str, machine: str, options: tuple[tuple[str, object], ...]) -> tuple[RegionReport, ...]:
    given = {name: dict(value) if isinstance(value, tuple) else value for name, value in options}
    return tuple(estimate(_SOURCES / file, machine, **given).regions)


def test_a_stencil_over_ranges_moves_its_extents():
    """3 FLOPs and 24 B a point, and a border that only adds bytes: at most 1/8 FLOP/byte, 6.25 GFLOP/s of 50 GB/s."""
    found = region("clover.c", "sten")
    (projection,) = found.projections
    assert found.intensity.number == Fraction(1, 8)
    assert found.intensity.holds_for_all
    assert projection.attainable.giga == pytest.approx(6.25)
    assert not projection.for_large_sizes


def test_some_sizes_are_put_into_an_intensity():
    """2*m*n FLOPs over 8*m + 8*n B is m*n/(4*m + 4*n); with m = 100 the limit for large n is 25 FLOP/byte."""
    assert region("mix.c", "qk").intensity.formula == "m*n/(4*m + 4*n)"
    some = region("mix.c", "qk", sizes=(("m", 100),)).intensity
    assert (some.number, some.most) == (25, 25)
    assert some.holds_for_all


def test_repetitions_grow_and_sizes_do_not():
    """6*(n - 2)*steps FLOPs over 32*(n - 1) B: the steps alone grow."""
    intensity = region("d.c", "k").intensity
    assert (intensity.formula, intensity.symbols) == ("3*steps/16", ("steps",))


def test_cycles_are_the_sum_over_inner_loops():
    """A sum waits 3 cycles, the update takes 1.5 for 3 loads of 8 lanes: 4*m*n FLOPs in 3.1875*m*n cycles."""
    core = region("mix.c", "both").projections[0].core
    assert core.per_core.giga == pytest.approx(4 / 3.1875 * 2.3)
    assert core.share == pytest.approx(3 / 3.1875)
    assert core.line == 16
    alone = region("mix.c", "qk").projections[0].core
    assert (alone.share, alone.per_core.giga) == (1.0, pytest.approx(2 / 3 * 2.3))


@pytest.mark.parametrize("function", ["a", "c", "d"])
def test_the_rest_of_an_unrolled_loop_runs_the_remainder(function):
    """One FLOP and 12 B for each of n mod 4 elements."""
    rest = region("rem.c", function).nests[1]
    assert (str(rest.flops), str(rest.bytes)) == ("n mod 4", "12*(n mod 4)")
    assert [rest.flops.at(n=size) for size in (8, 9, 10, 11, 12)] == [0, 1, 2, 3, 0]
    assert rest.intensity.number == Fraction(1, 12)
    assert region("rem.c", function).intensity.number == 0  # of 12*n bytes


def test_a_guard_on_a_remainder_leaves_the_kernel():
    """With and without ``if (n % 8 != 0) return;`` the same sum waits 3 cycles for 2 FLOPs, on one core."""
    for function in ("a", "b"):
        (projection,) = region("guard.c", function).projections
        assert projection.attainable.giga == pytest.approx(2 / 3 * 2.3)
    guarded = region("guard.c", "a").flops
    assert str(guarded) == "2*n^2 if n mod 8 = 0; else 0"
    assert (guarded.at(n=16), guarded.at(n=17)) == (512, 0)


def test_a_choice_between_elements_that_were_compared_reads_them():
    """a and b are read once, a is written; the whole matrix is read and written in place."""
    assert str(region("fw.c", "one").bytes) == "24*n"
    assert region("fw.c", "one").bytes.upper is region("fw.c", "one").bytes.lower
    assert str(region("fw.c", "k").bytes) == "8*n^2"


def test_a_parameter_that_only_guards_does_not_grow():
    """2 FLOPs and 24 B an element where dir is 1, 3 where it is 2, nothing else: each nest as it is when it runs."""
    whole = region("dir.c", "advec")
    rows = {row.profile.span.line: row for row in whole.nests}
    assert {line: row.profile.when for line, row in rows.items()} == {3: ("dir = 1",), 5: ("dir = 2",)}
    assert [rows[line].intensity.number for line in (3, 5)] == [Fraction(1, 12), Fraction(1, 8)]
    assert [rows[line].projections[0].attainable.giga for line in (3, 5)] == pytest.approx([50 / 12, 6.25])
    assert [rows[line].flops.at(n=100) for line in (3, 5)] == [200, 300]
    assert [whole.flops.at(n=100, dir=value) for value in (1, 2, 3)] == [200, 300, 0]
    assert whole.profile.when == ("dir = 2",)
    assert [(other.when, str(other.flops.estimate)) for other in whole.alternatives] == [
        (("dir = 0",), "0"),
        (("dir = 1",), "2*n"),
    ]
    assert "unknown" not in {row.bound.value for row in (whole, *whole.nests)}


def test_a_flag_with_a_value_is_a_number():
    """With dir = 1 and sizes one nest runs, for 240 MB over 61.82 GB/s; with dir = 3 none."""
    whole = region("dir.c", "advec", sizes=(("n", 10**7), ("dir", 1)))
    assert (whole.flops.value, whole.profile.when) == (2 * 10**7, ())
    assert whole.time == pytest.approx(0.24 / 61.82, rel=0.06)
    assert region("dir.c", "advec", sizes=(("dir", 3),)).bound.value == "nothing"


def test_nests_under_flags_have_caches():
    """240 MB each, whichever runs; the whole is the one with the most work."""
    whole = region("dir.c", "advec", sizes=(("n", 10**7),))
    assert [row.bytes.value for row in (whole, *whole.nests)] == pytest.approx([24e7] * 3)
    assert [row.time for row in (whole, *whole.nests)] == pytest.approx([0.24 / 61.82] * 3, rel=0.06)


def test_a_flag_in_a_kernel():
    """2 FLOPs and 8 B for each thread where causal is 1."""
    found = region("flag.cu", "k", "v100")
    assert found.profile.when == ("causal = 1",)
    assert found.intensity.number == Fraction(1, 4)
    (other,) = found.alternatives
    assert other.is_nothing


def test_a_boolean_has_two_alternatives():
    """1 FLOP where it is set, 2 where not; 24 B in both."""
    whole = region("clover.c", "arms")
    assert [row.profile.when for row in whole.nests] == [("predict = 1",), ("predict = 0",)]
    assert [row.flops.at(n=100) for row in whole.nests] == [100, 200]
    assert [row.bytes.at(n=100) for row in whole.nests] == [2400, 2400]
    assert [len(row.alternatives) for row in whole.nests] == [1, 1]  # not set is one case, whatever the number is


def test_two_branches_are_never_halves():
    """Either loop does 2 FLOPs for 32 B an element, so the function does: exactly, symbolic or not."""
    whole = region("w.c", "waxpby")
    for row in (whole, *whole.nests):
        assert (row.flops.at(n=1000), row.bytes.quantity.is_exact) == (2000, True)
        assert row.intensity.number == Fraction(1, 16)
    assert [row.profile.when for row in whole.nests] == [("al == 1.0",), ("not (al == 1.0)",)]
    known = region("w.c", "waxpby", sizes=(("n", 10**7),))
    assert [row.time for row in (known, *known.nests)] == pytest.approx([0.32 / 61.82] * 3, rel=0.06)
    assert [row.bytes.value for row in (known, *known.nests)] == pytest.approx([32e7] * 3)


def test_time_steps_have_two_regimes():
    """Once 16*n bytes are more than 35 MiB each sweep moves 24 B a point for 3 FLOPs; else 32*n B for all steps."""
    (projection,) = region("d.c", "k").projections
    reason = projection.reason
    assert isinstance(reason, HeldUntil)
    assert reason.intensity == pytest.approx(3 / 24)
    assert [condition.threshold for condition in reason.conditions] == [35 * 2**20 // 16 - 4]  # and a few elements
    assert isinstance(reason.otherwise, IntensityGrows)
    assert (projection.bound.value, projection.level) == ("memory", "DRAM")
    assert projection.attainable.giga == pytest.approx(6.25)
    assert projection.for_large_sizes
    large = region("d.c", "k", sizes=(("n", 10**7), ("steps", 10)))
    assert large.intensity.number == pytest.approx(3 / 24, rel=1e-3)
    small = region("d.c", "k", sizes=(("n", 10**5), ("steps", 10**4)))
    assert small.bound.value == "compute" or small.projections[0].level != "DRAM"


def test_a_matrix_that_no_cache_holds_is_read_for_each_row():
    """2*n^3 FLOPs; 8*n^3 B of the second matrix once its 8*n^2 bytes are more than 35 MiB."""
    (found,) = estimate(source_text(MATMUL), "haswell").regions
    reason = found.projections[0].reason
    assert isinstance(reason, HeldUntil)
    assert reason.intensity == pytest.approx(2 / 8)
    assert reason.conditions[0].threshold == pytest.approx((35 * 2**20 / 8) ** 0.5, rel=0.01)


def test_cores_stop_helping_where_memory_binds_large_sizes():
    """1/4 FLOP/byte of 50 GB/s is 12.5 GFLOP/s; a core waits 3 cycles for a sum, 1.53 GFLOP/s: 9 of them reach it."""
    (found,) = estimate(source_text(MATMUL), "haswell").regions
    scaling = found.projections[0].scaling
    assert (scaling.points[-1].rate.giga, scaling.points[-1].bound) == (pytest.approx(12.5), "DRAM")
    assert scaling.saturation_cores == 9


def test_repeated_sweeps_without_flops_wait_for_the_core_until_a_cache_is_full():
    """2 loads and a store of 9 B an iteration that L3 serves while 5*n B fit; beyond, DRAM: 50 GB/s over 9 B."""
    (found,) = estimate(source_text(MARKS), "haswell").regions
    (projection,) = found.projections
    reason = projection.reason
    assert isinstance(reason, HeldUntil)
    assert isinstance(reason.otherwise, CoreHolds)
    assert reason.conditions[0].threshold == pytest.approx(35 * 2**20 / 5, rel=0.01)
    assert (projection.bound.value, projection.level, projection.for_large_sizes) == ("memory", "DRAM", True)
    assert projection.iterations_per_s == pytest.approx(50e9 / 9)
    (once,) = estimate(source_text(MARKS.replace("t < m", "t < 1")), "haswell").regions
    assert not isinstance(once.projections[0].reason, HeldUntil)


MARKS = """void f(int n, int m, const unsigned char *restrict a, int *restrict c) {
  for (int t = 0; t < m; t++) for (int i = 0; i < n; i++) c[i] ^= a[i] + t;
}"""
MATMUL = """void mm(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) C[i][j] += A[i][k]*B[k][j];
}"""


def test_a_nest_after_another_of_the_same_array_is_faster_while_a_cache_holds_it():
    """With n = 16 the second nest finds all of b in a cache: its 8*n B of b are not its bytes."""
    text = """void f(int n, double *restrict a, double *restrict b, double *restrict c) {
      for (int i = 0; i < n; i++) b[i] = 2*a[i];
      for (int i = 0; i < n; i++) c[i] = b[i] + 1;
    }"""
    (whole,) = estimate(source_text(text), "haswell").regions
    first, second = whole.nests
    assert first.intensity.holds_for_all
    assert not first.projections[0].for_large_sizes
    assert second.projections[0].for_large_sizes
    assert whole.projections[0].for_large_sizes
    (small,) = estimate(source_text(text), "haswell", sizes={"n": 16}).regions
    assert small.nests[1].projections[0].attainable > second.projections[0].attainable


def test_advice_is_for_the_regime_of_the_headline():
    """Beyond n = 2140 b and c move for each i: 12.5 GFLOP/s, and no order of sums gains anything, but reuse does.

    Below a run waits for the core: fewer bytes gain nothing, but vectors of columns of c do.
    """
    text = """void mm(int n, double *restrict a, const double *restrict b, const double *restrict c) {
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        double s = 0;
        for (int k = 0; k < n; k++) s += b[i*n+k]*c[k*n+j];
        a[i*n+j] = s;
      }
    }"""
    (whole,) = estimate(source_text(text), "haswell").regions
    assert isinstance(whole.projections[0].reason, HeldUntil)
    assert [(found.code, round(found.gain, 2)) for found in whole.advice] == [("AI402", round(21.47 / 12.5, 2))]
    (small,) = estimate(source_text(text), "haswell", sizes={"n": 300}).regions
    assert [found.code for found in small.advice] == ["AI403"]


def test_what_is_not_counted_has_no_most():
    """The calls may compute anything: 1/8 FLOP/byte of what is counted bounds nothing; without them it does."""
    text = """double w(double); void f(int n, int m, double *restrict a, const double *restrict x) {
      for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*m + j] = a[i*m + j]*x[j] + CALL;
    }"""
    (known,) = estimate(source_text(text.replace("CALL", "1")), "haswell").regions
    (open_one,) = estimate(source_text(text.replace("CALL", "w(x[j])")), "haswell").regions
    assert known.intensity.holds_for_all
    assert open_one.profile.work.not_counted
    assert open_one.intensity.most is None
    assert not open_one.intensity.holds_for_all


_SHIFT = """void f(int n, char **words, int wanted) {
    for (int i = 0; i < n; i++)
        if ((long)words[i] == wanted) { for (int j = i; j < n - 1; j++) words[j] = words[j + 1]; break; }
}
"""


def test_a_loop_that_data_end_has_no_time_before_its_sizes_are_known():
    """At least none of its iterations run, for any n: that takes 0 s, which is no estimate."""
    (found,) = estimate(source_text(_SHIFT), "haswell").regions
    assert found.projections[0].estimated_time is None
    (found,) = estimate(source_text(_SHIFT), "haswell", sizes={"n": 1000}).regions
    assert found.projections[0].estimated_time is not None


def test_no_flops_have_the_intensity_0_whatever_the_bytes_are():
    (found,) = estimate(source_text(_SHIFT), "haswell").regions
    assert not found.profile.distinct.traffic.read_bytes.is_exact
    assert (found.intensity.number, found.intensity.lower, found.intensity.upper) == (0, None, None)


def test_what_a_region_does_outside_of_its_loops_is_in_its_expected_time():
    """The line that ``r[0] = s`` moves is in the bound of the region, so that nothing shorter is to be expected."""
    text = "void f(long n, float *restrict a, float *restrict b, float s, float *restrict r) {"
    text += " for (long i = 0; i < n; i++) a[i] = b[i]; r[0] = s; }"
    (found,) = estimate(source_text(text), "apple-m4", sizes={"n": 100}).regions
    region, nest = found.projections[0], found.nests[0].projections[0]
    assert region.expected.time >= region.time > nest.time
