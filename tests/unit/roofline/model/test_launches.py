"""Many launches: the sum of the times of each, and the rate that is left."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.quantities.blend import blend_of
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.machine.units import FlopRate, Time
from roofline.model.launches import over_launches
from tests.projected import project

GIGA = 1e9
DAXPY = "for (int i = 0; i < n; i++) y[i] = a*x[i] + y[i];"


def projected(size, rate, time_s=0.0, ends=None):
    """A profile of 2 * size FLOPs, with a projection that has these rates."""
    (file,) = analyze(SourceFile("k.c", DAXPY, Language.C), AnalysisOptions(defines={"n": str(size)}))
    interval = None if ends is None else tuple(FlopRate(end * GIGA) for end in ends)
    found = project(file.regions[0], find_machine("haswell"))
    rates = {"attainable": None if rate is None else FlopRate(rate * GIGA), "attainable_range": interval}
    return file.regions[0], replace(found, time=Time(time_s), **rates)


@pytest.mark.parametrize(("ends", "expected"), [((1, 6), (1, 6)), ((3, 6), (2, 6)), ((2.5, 3), (2, 3)), (None, None)])
def test_launches_that_are_slower_apart_lower_the_rate_of_all(ends, expected):
    """200 and 1,800 FLOPs at 0.25 and 9 GFLOP/s take 0.8 and 0.2 us: 2 GFLOP/s."""
    profile, whole = projected(1000, 4, ends=ends)
    launches = [projected(100, 0.25, 1e-6), projected(900, 9, 2e-6)]
    blend = blend_of([(1, 1)] * 2, [Fraction(1)] * 2, (0, 1))
    found = over_launches(whole, profile, blend, launches)
    assert found.attainable.giga == pytest.approx(2)
    assert found.time.value == pytest.approx(3e-6)
    rates = None if found.attainable_range is None else tuple(end.giga for end in found.attainable_range)
    assert rates == (None if expected is None else pytest.approx(expected))


def test_a_launch_without_a_rate_takes_its_time():
    """200 FLOPs in 0.8 us, and 1,800 at 9 GFLOP/s in 0.2 us."""
    profile, whole = projected(1000, 4)
    launches = [projected(100, None, 0.8e-6), projected(900, 9, 0.1e-6)]
    found = over_launches(whole, profile, blend_of([(1, 1)] * 2, [Fraction(1)] * 2, (0, 1)), launches)
    assert found.attainable.giga == pytest.approx(2)


def test_launches_that_are_faster_apart_do_not_raise_it():
    profile, whole = projected(1000, 1)
    found = over_launches(whole, profile, blend_of([(2, 2)], [Fraction(1)], (0,)), [projected(500, 4, 1e-6)])
    assert found.attainable.giga == pytest.approx(1)
    assert found.time.value == pytest.approx(2e-6)
