"""Roofline pictures of hard cases: nothing is dropped, nothing is cut off, everything is large enough to read."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from msgspec.structs import replace

from analyzer.ir.index import var
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.source import Language, SourceFile
from analyzer.traffic.results import Condition
from cli.render.plot.roofline import drawn, drawn_sweep, render_plot, render_sweep
from cli.render.plot_data.paths import paths_of
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of
from roofline.model.projection import ProjectionOptions
from roofline.report.report import Report
from roofline.report.sweep import Breakpoint, Sweep, rebound, sweep_point
from tests.caches import Level, with_caches
from tests.projected import make_report

COPY = "void {}(int n, double *a, double *b) {{ for (int i = 0; i < n; i++) a[i] = b[i]; }}\n"
SCALE = "void {}(int n, double *a, double *b) {{ for (int i = 0; i < n; i++) a[i] = {}; }}\n"
MATMUL = (
    "void mm(int n, double *a, double *b, double *c) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
    " for (int k = 0; k < n; k++) c[i*n + j] += a[i*n + k] * b[k*n + j]; }\n"
)
THREE = ("v100", "a100-40", "haswell")
SIZES = (100, 1000, 10000)
LEVELS: list[Level] = [(8e9, 0, 1e9), (2e9, 0, 1e8), (2e9, 0, 1e8), (1e6, 0, 1e5)]


def swept(texts: list[str], *names: str, sizes: tuple[int, ...] = SIZES) -> tuple[Report, Sweep]:
    """The files ``0.c``, ``1.c``, ... at each size of ``n``."""
    sources = [SourceFile(f"{number}.c", text, Language.C) for number, text in enumerate(texts)]
    profiles = [profile for source in sources for profile in analyze(source, AnalysisOptions())]
    machines, options = [find_machine(name) for name in names], ProjectionOptions()
    report = make_report(profiles, machines, options)
    points = (sweep_point([rebound(profile, "n", size) for profile in profiles], report, size) for size in sizes)
    return report, Sweep("n", tuple(points))


def report(text: str, *names: str) -> Report:
    return swept([text], *names)[0]


def scales(number: int, factors: int = 1) -> str:
    """``number`` functions, of ``factors`` more multiplications each."""
    return "".join(SCALE.format(f"f{index}", "*".join(["b[i]"] * (2 + factors * index))) for index in range(number))


def texts_of(figure: Figure) -> list[Text]:
    """What is written around the axes and in them; ticks beyond the limits are not drawn."""
    written = [*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())]
    return written + [text for axes in figure.axes for text in (*axes.texts, axes.title) if text.get_text()]


def extent(figure: Figure, text: Text) -> Any:
    return text.get_window_extent(figure.canvas.get_renderer())  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_bytes_of_the_right_kind_and_the_same_twice(suffix: str, start: bytes) -> None:
    found = report(scales(3), "v100")
    first, second = render_plot(found, suffix), render_plot(found, suffix)
    assert first.startswith(start)
    assert first == second
    ranges = swept([MATMUL], "haswell")
    assert render_sweep(*ranges, suffix) == render_sweep(*ranges, suffix)


def test_an_svg_has_no_date() -> None:
    assert b"dc:date" not in render_plot(report(scales(1), "v100"), "svg")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "machines"), [(1, ("v100",)), (8, THREE), (30, ("v100",)), (30, THREE)])
def test_texts_are_legible_and_within_the_picture(number: int, machines: tuple[str, ...]) -> None:
    figure = drawn(report(scales(number), *machines))
    figure.canvas.draw()
    width, height = figure.canvas.get_width_height()
    for text in texts_of(figure):
        box = extent(figure, text)
        assert text.get_fontsize() >= 8, text
        assert box.x0 >= 0, text
        assert box.x1 <= width, text
        assert box.y0 >= 0, text
        assert box.y1 <= height, text


@pytest.mark.slow
def test_labels_of_thirty_points_keep_apart() -> None:
    figure = drawn(report(scales(30), "v100"))
    figure.canvas.draw()
    (axes,) = figure.axes
    labels = [text for text in axes.texts if text.get_text() and not text.get_rotation()]
    numbers = {part for text in labels for part in text.get_text().replace("-", ", ").split(", ")}
    assert {"1", "2", "3"} <= numbers
    for one, other in itertools.combinations(labels, 2):
        assert not extent(figure, one).overlaps(extent(figure, other)), f"{one} lies on {other}"


def test_every_loop_without_flops_is_named() -> None:
    names = [f"a_function_that_copies_with_a_long_name_{index}" for index in range(7)]
    found = render_plot(report("".join(map(COPY.format, names)) + scales(1), "haswell"), "svg").decode()
    for line, name in enumerate(names, 1):
        assert f"{name[-10:]}:{line} (no FLOPs" in found
    assert found.count("(no FLOPs") == len(names)


def test_what_a_range_cannot_show_is_named() -> None:
    found = render_sweep(*swept([MATMUL + COPY.format("copy")], "v100"), "svg").decode()
    assert "not shown: copy:2 (no FLOPs)" in found
    assert "copy:2 (no FLOPs)" in render_sweep(*swept([MATMUL + COPY.format("copy")]), "svg").decode()


def test_names_that_share_a_point_are_all_listed() -> None:
    names = [f"a_function_with_a_long_name_{index}" for index in range(8)]
    found = render_plot(report("".join(SCALE.format(name, "2*b[i]") for name in names), "v100"), "svg").decode()
    for name in names:
        assert name in found
    assert ">1-8<" in found


def test_functions_of_one_name_in_two_files_have_a_path_each() -> None:
    paths = paths_of(swept([SCALE.format("f", "2*b[i]"), SCALE.format("f", "2*b[i]*b[i]")], "v100")[1])
    assert [path.label for path in paths] == ["0.c: f:1", "1.c: f:1"]
    assert [len(path.steps) for path in paths] == [len(SIZES)] * 2


def test_many_paths_are_numbered() -> None:
    figure = drawn_sweep(*swept([scales(30)], "v100"))
    assert {text.get_text() for text in figure.texts} >= {"30", "f0:1: 0.0625 FLOP/byte"}
    assert all(axes.get_position().height > 0.5 for axes in figure.axes)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(100, 1000, 10000), (100, 150, 200)])
def test_the_axes_of_a_range_have_labels(sizes: tuple[int, ...]) -> None:
    figure = drawn_sweep(*swept([MATMUL], "haswell", sizes=sizes))
    figure.canvas.draw()
    for axis in (figure.axes[-1].xaxis, figure.axes[-1].yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = axis.get_major_ticks() + axis.get_minor_ticks()
        assert [tick for tick in ticks if low <= tick.get_loc() <= high and tick.label1.get_text()]


def test_the_ridge_is_named() -> None:
    """7068.86 GFLOP/s over 828.758 GB/s."""
    assert "ridge 8.529" in render_plot(report(scales(1), "v100"), "svg").decode()
    assert "ridge 8.529" in render_plot(report(scales(1), *THREE), "svg").decode()


def test_a_range_over_caches_has_levels_and_breakpoints() -> None:
    found, sweep = swept([MATMUL], "haswell")
    haswell = find_machine("haswell")
    hierarchy = hierarchy_of(haswell)
    assert hierarchy is not None
    points = tuple(
        sweep_point(
            [
                AnalyzedFile(
                    file.profile, tuple(with_caches(r.profile, hierarchy, LEVELS, warm=True) for r in file.regions)
                )
                for file in point.files
            ],
            found,
            point.value,
        )
        for point in sweep.points
    )
    condition = Condition(
        level="L1",
        array="a",
        loop="i.2",
        carried=True,
        working_set=var("n") * 16,
        parameters=("n",),
        threshold=1300,
        capacity_bytes=20_800,
    )
    passed = Breakpoint(value=1300, arrays=("a",), condition=condition, path="0.c", region="mm", line=1)
    assert len(drawn_sweep(found, replace(sweep, breakpoints=(passed,))).axes) == 2, (
        "without caches there are no levels"
    )
    figure = drawn_sweep(found, replace(sweep, points=points, breakpoints=(passed,)))
    _, rates, levels = figure.axes
    for axes in (rates, levels):
        assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"] == [1300]
    assert [text.get_text() for text in levels.texts] == ["[1] L1"]
    assert [text.get_text() for text in levels.get_legend().get_texts()] == ["L1", "L2", "L3", "DRAM"]
    sentence = "[1] L1 holds a for the next iteration of i (16*n bytes) while n <= 1300"
    assert any(sentence in text.get_text() for text in figure.texts)
    assert {text.get_text() for text in rates.texts} & {"compute", "L2", "L3", "DRAM"}
