"""Which of many points of a roofline plot are named."""

from __future__ import annotations

from msgspec.structs import replace

from cli.render.plot.layout import listed_points
from cli.render.plot_data.roofline import Point, hottest


def points(seconds: list[float]) -> list[Point]:
    return [
        Point(number, f"f{number}", 0, 0.5, 1e9, (), "memory", seconds=each) for number, each in enumerate(seconds, 1)
    ]


def test_few_points_keep_their_numbers() -> None:
    few = points([1.0, 3.0, 2.0])
    assert hottest(few, 3) == few


def test_the_hottest_of_many_are_named_and_the_rest_counted() -> None:
    found = hottest(points([0.0, 3.0, 1.0, 2.0, 0.5]), 2)
    assert [(point.number, point.label) for point in found] == [(1, "f2"), (2, "f4"), (0, "f1"), (0, "f3"), (0, "f5")]
    assert [number for number, _ in listed_points(found)] == ["1", "2", ""]
    assert listed_points(found)[-1][1].startswith("and 3 more")


def test_what_has_no_mark_comes_after_what_has_one() -> None:
    one, two, three = points([1.0, 2.0, 9.0])
    found = hottest([one, two, replace(three, intensity=None)], 2)
    assert [(point.number, point.label) for point in found] == [(1, "f2"), (2, "f1"), (0, "f3")]


def test_without_times_the_first_are_named() -> None:
    assert [point.label for point in hottest(points([0.0] * 4), 2) if point.number] == ["f1", "f2"]


def placed(number: int, machine: int, intensity: float | None) -> Point:
    return Point(
        number, "f:1", machine, intensity, intensity and 1e9 * (machine + 1), (), "memory", "no FLOPs: 5", "none"
    )


def test_each_machine_is_listed_with_its_own_intensity() -> None:
    """With a write-allocate on the second machine, of 32 bytes instead of 24: 2/24 and 2/32 FLOP/byte."""
    assert listed_points([placed(1, 0, 2 / 24), placed(1, 1, 2 / 32)]) == [
        ("1", "f:1: 0.08333 FLOP/byte, 1 GFLOP/s | 0.0625 FLOP/byte, 2 GFLOP/s")
    ]
    assert listed_points([placed(1, 0, 0.25), placed(1, 1, 0.25)]) == [
        ("1", "f:1: 0.25 FLOP/byte, 1 GFLOP/s | 2 GFLOP/s")
    ]
    assert listed_points([placed(1, 0, None), placed(1, 1, 0.25)])[0][1].endswith(
        "0.25 FLOP/byte, no FLOPs: 5 | 2 GFLOP/s"
    )
    many = [placed(1, machine, 0.25 / (machine + 1)) for machine in range(5)]
    assert listed_points(many)[0][1] == "f:1: 0.05 to 0.25 FLOP/byte, 1 GFLOP/s to 5 GFLOP/s"
