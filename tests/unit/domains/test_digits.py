"""Dimensions that are digits of another one: sets without them have as many points."""

import random

import islpy as isl
import pytest

from analyzer.domains.isl.digits import without_digits

SHARED = "(i - t - 256b) mod 110592 = 0 and 0 <= b < 432 and 0 <= t < 256 and 256b + t <= i"


def number(points: isl.Set, n: int) -> int:
    return int(points.fix_val(isl.dim_type.param, 0, n).count_val().to_python())


def test_a_loop_that_all_threads_share_is_its_range() -> None:
    found = without_digits(isl.Set(f"[n] -> {{ [b, t, i] : {SHARED} and i < n }}"))
    assert found.is_equal(isl.Set("[n] -> { [i] : 0 <= i < n }"))


@pytest.mark.parametrize(
    "left",
    [
        "i < n and t < n",  # not all threads of a block
        "i < n and b <= t",
        "i + t < n",  # the end differs by thread
    ],
)
def test_what_depends_on_the_thread_otherwise_stays(left: str) -> None:
    points = isl.Set(f"[n] -> {{ [b, t, i] : {SHARED} and {left} }}")
    assert without_digits(points) is points


def test_drawn_sets_keep_their_number_of_points() -> None:
    draw = random.Random(1)
    fewer = 0
    for _ in range(60):
        threads, blocks, first, last = (
            draw.choice([2, 3, 4]),
            draw.choice([2, 3, 5]),
            draw.randint(-9, 9),
            draw.randint(0, 60),
        )
        rest = draw.choice(["i", "i + n", "2i + 1", "i - 3"])
        more = draw.choice(["j = 0", "0 <= j < 4 and j <= i", "j = 0 and 3i < 2n"])
        points = isl.Set(
            f"[n] -> {{ [b, j, t, i] : ({rest} - t - {threads}b) mod {threads * blocks} = 0 and 0 <= b < {blocks} and "
            f"0 <= t < {threads} and {first} <= {rest} - t - {threads}b <= {last} and -20 <= i < n and {more} }}"
        )
        found = without_digits(points)
        fewer += found.dim(isl.dim_type.set) == 2
        assert [number(found, n) for n in (0, 1, 17, 40)] == [number(points, n) for n in (0, 1, 17, 40)]
    assert fewer > 20
