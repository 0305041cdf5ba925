"""Fair shares of the time of a file."""

from __future__ import annotations

import math
from collections.abc import Callable

from analyzer.limits.ending import Ending
from analyzer.limits.hard_limit import cpu_seconds
from analyzer.limits.shares import GivenUp, Part, in_shares

Run = Callable[[float], tuple[str, bool]]


def part(name: str, run: Run, size: float = 1) -> Part[str]:
    return Part(name, size, run)


def endless(seconds: float) -> tuple[str, bool]:
    while True:
        pass


def quick(seconds: float) -> tuple[str, bool]:
    return "quick", False


def within(seconds: float) -> Callable[[], float]:
    end = cpu_seconds() + seconds
    return lambda: end - cpu_seconds()


def test_one_that_never_ends_costs_no_other():
    found = in_shares([part("a", endless), part("b", quick), part("c", endless), part("d", quick)], within(0.2))
    assert [found[1], found[3]] == ["quick", "quick"]
    assert found[0] == found[2] == GivenUp(Ending.TIME)


def test_all_of_them_end_in_time():
    began = cpu_seconds()
    in_shares([part(str(k), endless) for k in range(40)], within(0.3))
    assert cpu_seconds() - began < 0.4


def test_small_ones_come_first():
    order: list[str] = []

    def noting(name: str) -> Run:
        return lambda seconds: (order.append(name) or name, False)

    parts = [part("a", noting("a"), 3), part("b", noting("b"), 1), part("c", noting("c"), 2)]
    assert in_shares(parts, within(9)) == ["a", "b", "c"]
    assert order == ["b", "c", "a"]


def test_what_could_be_better_has_what_is_left():
    had: list[float] = []

    def weak(seconds: float) -> tuple[str, bool]:
        had.append(seconds)
        return f"try {len(had)}", True

    assert in_shares([part("weak", weak), *(part(str(k), quick, 2) for k in range(20))], within(8))[0] == "try 2"
    assert had[1] > 4 * had[0]


def test_a_weak_answer_stays_where_there_is_no_time_for_a_better_one():
    def weak(seconds: float) -> tuple[str, bool]:
        return "weak", True

    assert in_shares([part("weak", weak)], within(1)) == ["weak"]


def test_what_has_no_time_is_not_begun():
    assert in_shares([part("a", quick)], lambda: -1.0) == [GivenUp(Ending.USED_UP)]


def test_without_a_limit_everything_is_done_once():
    had: list[float] = []

    def weak(seconds: float) -> tuple[str, bool]:
        had.append(seconds)
        return "weak", True

    assert in_shares([part("a", weak), part("b", quick)], lambda: math.inf) == ["weak", "quick"]
    assert had == [math.inf]
