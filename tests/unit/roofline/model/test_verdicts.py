"""Verdicts without sizes, or with some: figures derived by hand; small sources in ``tests/data/verdicts``."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from roofline import estimate
from roofline.report.regions import RegionReport

_SOURCES = Path(__file__).parents[3] / "data" / "verdicts"


def region(file: str, function: str, machine: str = "haswell", **options: object) -> RegionReport:
    return next(found for found in _all(file, machine, tuple(options.items())) if found.profile.function == function)


@cache
def _all(file: str, machine: str, options: tuple[tuple[str, object], ...]) -> tuple[RegionReport, ...]:
    given = {name: dict(value) if isinstance(value, tuple) else value for name, value in options}
    return tuple(estimate(_SOURCES / file, machine, **given).regions)


def test_a_stencil_over_ranges_moves_its_extents():
    """3 FLOPs and 24 B a point, and a border that only adds bytes: at most 1/8 F/B, 6.25 GFLOP/s of 50 GB/s."""
    found = region("clover.c", "sten")
    (projection,) = found.projections
    assert found.intensity.number == Fraction(1, 8)
    assert found.intensity.holds_for_all
    assert projection.attainable.giga == pytest.approx(6.25)
    assert not projection.for_large_sizes


def test_some_sizes_are_put_into_an_intensity():
    """2*m*n FLOPs over 8*m + 8*n B is m*n/(4*m + 4*n); with m = 100 the limit for large n is 25 F/B."""
    assert region("mix.c", "qk").intensity.formula == "m*n/(4*m + 4*n)"
    some = region("mix.c", "qk", sizes=(("m", 100),)).intensity
    assert (some.number, some.most) == (25, 25)
    assert some.holds_for_all


def test_repetitions_grow_and_sizes_do_not():
    """6*(n - 2)*steps FLOPs over 32*(n - 1) B: the steps alone grow."""
    intensity = region("d.c", "k").intensity
    assert (intensity.formula, intensity.symbols) == ("3*steps/16", ("steps",))


def test_cycles_are_the_sum_over_inner_loops():
    """A sum waits 5 cycles, the update takes 1.5 for 3 loads of 8 lanes: 4*m*n FLOPs in 5.1875*m*n cycles."""
    core = region("mix.c", "both").projections[0].core
    assert core.per_core.giga == pytest.approx(4 / 5.1875 * 2.3)
    assert core.share == pytest.approx(5 / 5.1875)
    assert core.line == 16
    alone = region("mix.c", "qk").projections[0].core
    assert (alone.share, alone.per_core.giga) == (1.0, pytest.approx(2 / 5 * 2.3))


@pytest.mark.parametrize("function", ["a", "c", "d"])
def test_the_rest_of_an_unrolled_loop_runs_the_remainder(function):
    """One FLOP and 12 B for each of n mod 4 elements."""
    rest = region("rem.c", function).nests[1]
    assert (str(rest.flops), str(rest.bytes)) == ("n mod 4", "12*(n mod 4)")
    assert [rest.flops.at(n=size) for size in (8, 9, 10, 11, 12)] == [0, 1, 2, 3, 0]
    assert rest.intensity.number == Fraction(1, 12)
    assert region("rem.c", function).intensity.number == 0  # of 12*n bytes


def test_a_guard_on_a_remainder_leaves_the_kernel():
    """With and without ``if (n % 8 != 0) return;`` the same sum waits 5 cycles for 2 FLOPs on each of 14 cores."""
    for function in ("a", "b"):
        (projection,) = region("guard.c", function).projections
        assert projection.attainable.giga == pytest.approx(14 * 2 / 5 * 2.3)
    guarded = region("guard.c", "a").flops
    assert str(guarded) == "2*n^2 if n mod 8 = 0; else 0"
    assert (guarded.at(n=16), guarded.at(n=17)) == (512, 0)


def test_a_choice_between_elements_that_were_compared_reads_them():
    """a and b are read once, a is written; the whole matrix is read and written in place."""
    assert str(region("fw.c", "one").bytes) == "24*n"
    assert region("fw.c", "one").bytes.upper is region("fw.c", "one").bytes.lower
    assert str(region("fw.c", "k").bytes) == "8*n^2"
