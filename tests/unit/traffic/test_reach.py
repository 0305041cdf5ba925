"""The range of an index that data decide."""

from analyzer.ir.index import const, floor_mod, unknown
from analyzer.traffic.program.addresses.reach import reach_of


def test_the_outer_one_of_two_masks_is_the_range():
    """``(t + (q & 3)) & 255``: taken apart from inside, ``t`` would be left with a quotient of both."""
    inner = floor_mod(unknown("q"), const(4))
    assert reach_of(floor_mod(unknown("t") + inner, const(256)), []) == (0, 255)
