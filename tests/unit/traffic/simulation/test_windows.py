"""What a window of a long stream needs: where in the program it starts, and what was touched before."""

import pytest

from analyzer.ir.index import var
from analyzer.traffic.hierarchy import CacheLevel
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.simulation.reference_counts import ReferenceCounts
from analyzer.traffic.simulation.warmup_bias import WarmupBias
from tests.nests import SCALAR, element, load, loop, region, store

J = var("j")


@pytest.mark.parametrize(
    ("outer", "inner", "offset", "expected"),
    [
        (1, 1000, 500, ((0, 0), (0, 500))),
        (3, 1000, 2999, ((0, 2), (0, 999))),
        (1000, 1, 500, ((0, 500), (0, 0))),
        (4, 5, 0, ((0, 0), (0, 0))),
    ],
)
def test_an_offset_of_the_stream_is_found_in_the_loops(outer, inner, offset, expected):
    program = lay_out(region(loop("i", 0, outer, loop("j", 0, inner, store(element("a", J), SCALAR)))))
    assert ReferenceCounts(program, lambda leaf: 1.0).locate(0, float(offset), 0.5)[:2] == expected


@pytest.mark.parametrize(("capacity", "share"), [(1000, 0), (99, 1)])
def test_lines_of_the_sweep_before_are_there_if_they_fit(capacity, share):
    """800 doubles are 100 lines, swept again and again; lines after the array were never touched."""
    program = lay_out(region(loop("i", 0, 9, loop("j", 0, 800, store(element("a", J), load("a", J))))))
    first = program.arrays["a"].start // 64
    bias = WarmupBias(program, [CacheLevel("L1", 64 * capacity)], warm=False)
    start = ((0, 5), (0, 0))
    assert bias.correct(start, [*range(first, first + 100)], 0, 0)[0] == share
    assert bias.correct(start, [*range(first + 200, first + 300)], 0, 0)[0] == 1
    assert bias.correct(start, [*range(first + 50, first + 150)], 0, 0)[0] == (1 + share) / 2


def test_loops_inside_of_one_that_never_runs_have_no_references():
    """Their lengths are drawn from its iterations, of which there are none."""
    i, k = var("i"), var("k")
    empty = loop("j", 0, i - 100, loop("k", 0, J, loop("l", 0, k, store(element("a", k), SCALAR))))
    program = lay_out(region(loop("i", 0, 50, empty)))
    assert ReferenceCounts(program, lambda leaf: 1.0).of(program.children[0], []) == 0
