"""Lines that data choose: all equally likely, alone and beside another array, from cold and from warm caches."""

from math import exp

import pytest

from analyzer.traffic.reuse.irregular import expected_fills
from roofline import estimate


def test_what_fits_is_filled_once_and_not_at_all_where_caches_are_warm():
    assert expected_fills(1e6, 100, 200, 0.0) == pytest.approx(100)
    assert expected_fills(1e6, 100, 200, 0.0, covered=1.0) == 0


def test_half_of_the_lines_miss_half_of_the_time():
    assert expected_fills(1e6, 1000, 500, 0.0, covered=1.0) == pytest.approx(5e5, rel=1e-6)


def test_arrays_share_the_cache_by_how_often_they_are_accessed():
    """Two alike arrays of 1000 lines have half of 1000 each; of T accesses, 1 - exp(-T/1000) of the lines stay."""
    alike = expected_fills(1e6, 1000, 1000, 0.0, 1.0, [(1000, 1.0)])
    assert alike == pytest.approx(5e5, rel=1e-6)
    rare = expected_fills(1e6, 1000, 1000, 0.0, 1.0, [(1000, 0.1)])
    assert 0 < rare < alike
    assert rare == pytest.approx(1e6 * exp(-_solved(0.1)), rel=1e-3)


def _solved(rate):
    """T/1000 with 1 - exp(-T) + 1 - exp(-rate*T) = 1, by halving."""
    low, high = 0.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 - exp(-middle) - exp(-rate * middle) < 1 else (low, middle)
    return low


TABLES = """typedef struct { float window[512], cosine[512], sine[512]; } Plan;
void spectrum(const Plan *p, const float *x, float *power) {
    for (int k = 0; k < 257; k++) {
        float re = 0, im = 0;
        for (int i = 0; i < 512; i++) {
            int at = (k * i) & 511;
            re += x[i] * p->cosine[at];
            im -= x[i] * p->sine[at];
        }
        power[k] = re * re + im * im;
    }
}
"""


def test_members_at_one_index_are_parts_of_their_own(tmp_path):
    """One odd k reaches all of both tables: x and these are 3 arrays of 512 floats; 257 of power are stored."""
    path = tmp_path / "x.c"
    path.write_text(TABLES)
    (region,) = estimate(str(path), "haswell").regions
    assert region.bytes.value == 3 * 512 * 4 + 2 * 17 * 64
