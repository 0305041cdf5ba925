"""Lines that data choose: all equally likely, alone and beside another array, from cold and from warm caches."""

from math import exp

import pytest

from analyzer.traffic.reuse.irregular import expected_fills
from roofline import estimate, source_text


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


GROW = """#include <vector>
struct Edge { int from, to; float weight; };
void f() { std::vector<Edge> e; e.reserve(2 * 1200 * 1200);
  for (int y = 0; y < 1200; y++) for (int x = 0; x < 1200; x++) { ADD } }
"""
RIGHT, DOWN = "if (x + 1 < 1200) e.push_back({x, y, 1});", "if (y + 1 < 1200) e.push_back({y, x, 2});"


@pytest.mark.parametrize(("add", "edges"), [(RIGHT + DOWN, 2 * 1199 * 1200), (RIGHT, 1199 * 1200)])
def test_what_grows_under_conditions_on_counters_comes_to_each_line_once(add, edges):
    """Each line of 12 bytes an edge comes in and goes back: with all lines equally likely it was 2.7 times as much."""
    (region,) = estimate(source_text(GROW.replace("ADD", add), "cpp"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "DRAM")
    assert float(moved.estimate.evaluate({})) == pytest.approx(2 * 12 * edges, rel=0.03)


def test_elements_far_from_one_another_come_to_a_line_each():
    text = (
        "void f(double *a) { for (int i = 0; i < 4000; i++) for (int k = 0; k < 4000; k++) a[i * k % 16000000] += 1; }"
    )
    (region,) = estimate(source_text(text, "c"), "haswell", cores=1).regions
    moved = next(each.bytes for each in region.projections[0].levels if each.level == "L2")
    assert float(moved.estimate.evaluate({})) > 0.9 * 2 * 64 * 16_000_000
