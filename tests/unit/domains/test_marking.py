"""Counting by visiting points, against sets that barvinok counts at once and against enumeration in Python."""

from __future__ import annotations

from unittest.mock import patch

import islpy as isl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.domains.isl import marking
from analyzer.domains.isl.marking import number_of_points
from analyzer.domains.isl.repeated_runs import Runs, number_covered


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("{ [i] : 0 <= i < 10 }", 10),
        ("{ [i, j] : 0 <= i < 10 and 0 <= j <= i }", 55),
        ("{ [i] : exists a : i = 3a and 0 <= i < 100 }", 34),
        ("{ [i] : (0 <= i < 10) or (5 <= i < 20) }", 20),
        ("{ [i] : 3 <= i < 3 }", 0),
        ("{ [] : }", 1),
        ("{ [u] : exists i, j : u = 4i + 6j and 0 <= i < 5 and 0 <= j < 3 }", 13),  # even, 0 to 28, but 2 and 26
        ("{ [i, j] : i = 1000000 and -5 <= j < 0 }", 5),
    ],
)
def test_points(text: str, number: int) -> None:
    assert number_of_points(isl.Set(text)) == number


@pytest.mark.parametrize("text", ["{ [i] : i >= 0 }", "{ [i, j, k] : 0 <= i, j, k < 100000 }"])
def test_without_bounds_or_too_large(text: str) -> None:
    assert number_of_points(isl.Set(text)) is None


def test_long_runs_are_not_visited_point_by_point() -> None:
    """Rows of 1,000 that begin every 700 bytes, 100,000 of them, as three nested loops and a shift list them."""
    rows = isl.Set("{ [u] : exists i, j : 0 <= i < 500 and 0 <= j < 200 and 0 <= u - 700i - 350000j < 1000 }")
    assert number_of_points(rows) == 700 * (100_000 - 1) + 1000


def test_numbers_that_machine_integers_do_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    points = isl.Set("{ [u] : exists i, j : u = 6i + 10j and 0 <= i, j < 10 }")
    assert number_of_points(points) is not None
    monkeypatch.setattr(marking, "_LARGEST", 100)
    assert number_of_points(points) is None


def test_too_many_to_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marking, "_MOST_VISITED", 50)
    assert number_of_points(isl.Set("{ [i, j, k] : 0 <= i, j, k < 10 }")) is None


def test_every_second_point_of_a_grid_by_address() -> None:
    """Half of 62^3 elements of 8 bytes, which barvinok counts in 25 s."""
    inside = " and ".join(f"0 < {name} <= 62" for name in "ijk")
    address = "u - 8 < 32768i + 512j + 8k <= u"
    odd = isl.Set(f"{{ [u] : exists i, j, k, h : {inside} and i + j + k = 2h + 1 and {address} }}")
    assert number_of_points(odd) == 62**3 // 2 * 8


_ROWS = st.tuples(*[st.integers(-5, 5)] * 3)


@given(_ROWS, _ROWS, st.integers(1, 4), st.integers(0, 3))
@settings(deadline=None)
def test_images_equal_enumeration(first: tuple[int, ...], second: tuple[int, ...], period: int, rest: int) -> None:
    def of(row: tuple[int, ...], i: int, j: int) -> int:
        return row[0] * i + row[1] * j + row[2]

    expected = {
        (of(first, i, j), of(second, i, j)) for i in range(7) for j in range(i, 9) if (i + 2 * j) % period == rest
    }
    text = [f"{row[0]}i + {row[1]}j + {row[2]}" for row in (first, second)]
    points = isl.Set(
        f"{{ [u, v] : exists i, j : u = {text[0]} and v = {text[1]} and 0 <= i < 7 and i <= j < 9"
        f" and (i + 2j) mod {period} = {rest} }}"
    )
    assert number_of_points(points) == len(expected)


def test_runs_that_repeat_are_not_visited_one_by_one() -> None:
    """10,000 threads with up to 10,000 rows of 64 before each, 4,096 apart: all that the last 8 threads read.

    Thread i reads row r <= i of its own column i mod 8: rows 0 to 9992 + c of column c, so 8*9993 + 28 of them.
    """
    window = "0 <= u - 4096r - 64c < 64"
    rows = isl.Set(
        f"{{ [u] : exists i, r, c : 0 <= i < 10000 and i mod 8 = c and 0 <= c < 8 and 0 <= r <= i and {window} }}"
    )
    assert number_of_points(rows) == (8 * 9993 + 28) * 64


@given(
    st.lists(st.tuples(*[st.integers(0, 9)] * 2, st.integers(1, 12), st.integers(1, 5)), min_size=1, max_size=4),
    st.integers(1, 9),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_repeated_runs_are_those_of_enumeration(
    shapes: list[tuple[int, int, int, int]], step: int, backwards: bool
) -> None:
    """Windows of a length that move by a step, forwards or backwards, in one of two rows each, overlapping or not."""
    texts, numbers = [], set()
    sign = -1 if backwards else 1
    for start, row, length, times in shapes:
        moved = f"u - {start} {'+' if backwards else '-'} {step}k"
        texts.append(f"(exists k : b = {row % 2} and 0 <= k < {times} and 0 <= {moved} < {length})")
        numbers |= {(row % 2, start + sign * step * k + u) for k in range(times) for u in range(length)}
    points = isl.Set("{ [b, u] : " + " or ".join(texts) + " }")
    with patch.object(marking, "_MOST_VISITED", 2):  # both rows, and no witness beside them
        assert number_of_points(points) in (len(numbers), None)  # isl may find other conditions: u mod 2 = 0


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(1, 15), st.integers(1, 5), st.booleans()), min_size=1, max_size=6
    ),
    st.integers(1, 9),
)
def test_numbers_in_runs_that_repeat(shapes: list[tuple[int, int, int, bool]], step: int) -> None:
    """Runs as long as the step and longer are one; those that do not repeat lie among the others."""
    every = [
        Runs(*(np.array([number]) for number in (begin, begin + length, times if again else 1)), step if again else 0)
        for begin, length, times, again in shapes
    ]
    numbers = {
        begin + k * step + inside
        for begin, length, times, again in shapes
        for k in range(times if again else 1)
        for inside in range(length)
    }
    assert number_covered(every) == len(numbers)


def test_runs_that_repeat_at_several_distances_are_not_counted() -> None:
    one = np.array([1])
    assert number_covered([Runs(one, one + 1, one, 3), Runs(one, one + 1, one, 5)]) is None
