"""Least and greatest values of index expressions, and divisions that are none."""

import pytest

from analyzer.ir.index import floor_div, maximum, trunc_div, unknown, var
from analyzer.traffic.program.intervals import bounds_of, simplified, without_wraps
from analyzer.traffic.program.program import CounterName, affine

T0, T1 = var(CounterName(0)), var(CounterName(1))


@pytest.mark.parametrize(
    ("poly", "bounds"),
    [
        (3 * T0 - 2 * T1 + 1, (-5, 31)),
        (T0 * T1, (0, 30)),
        (floor_div(T0 - 5, 4), (-2, 1)),
        (trunc_div(T0 - 5, 4), (-1, 1)),
        (maximum([T0, T1 + 2]), (2, 10)),
        (T0 + var("n"), None),
        (unknown("x"), None),
    ],
)
def test_bounds(poly, bounds):
    assert bounds_of(poly, {CounterName(0): (0, 10), CounterName(1): (0, 3)}) == bounds


@pytest.mark.parametrize(
    ("poly", "ranges", "simpler"),
    [
        (floor_div(64 * T0 + T1, 64), [(0, 9), (0, 63)], T0),
        (floor_div(T0 + 128, 128), [(0, 127)], T0 * 0 + 1),
        (floor_div(T0 + 1, 2), [(0, 1)], T0),
        (trunc_div(T0 - 8, 4), [(0, 7)], trunc_div(T0 - 8, 4)),
        (maximum([T0, T0 - 3]), [(0, 9)], T0),
        (floor_div(T0, 7), [(0, 99)], floor_div(T0, 7)),
    ],
)
def test_simplified(poly, ranges, simpler):
    assert simplified(poly, ranges) == simpler


def test_wraps_at_the_rim_are_left_out():
    wrapped = T0 + 1 - 1000 * floor_div(T0 + 1, 1000)
    assert without_wraps(wrapped, [(0, 999)]) == T0 + 1
    often = T0 - 10 * floor_div(T0, 10)
    assert without_wraps(often, [(0, 999)]) == often


def test_what_the_source_does_not_tell_stays_in_a_quotient() -> None:
    index = T0 + unknown("s[i]", T0.names())
    assert simplified(floor_div(index, 4), [(0, 15)]) == floor_div(index, 4)


def test_a_name_in_the_source_is_no_counter_however_it_is_spelled():
    assert affine(T0 + 1) is not None
    assert affine(var("t0") + 1) is None
