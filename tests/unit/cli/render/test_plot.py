"""Roofline pictures: what is placed where, labels apart from one another, the same bytes twice."""

from __future__ import annotations

import itertools

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from cli.render.plot.labels import Anchor, Placer
from cli.render.plot.roofline import drawn, render_plot, render_sweep
from cli.render.plot_data.paths import paths_of
from cli.render.plot_data.roofline import points_of, roofs_of
from roofline.catalog import find_machine
from roofline.model.projection import ProjectionOptions
from roofline.report.report import Report
from roofline.report.sweep import Sweep, rebound, sweep_point
from tests.projected import make_report

LOOP = "  for (int i = 0; i < n; i++) a[i] = {};\n"


def report(loops: int, *machines: str) -> Report:
    bodies = "".join(LOOP.format(" + ".join(["b[i]"] * (1 + number % 7))) for number in range(loops))
    return made(f"void f(int n, double *a, double *b)\n{{\n{bodies}}}\n", *machines)


def made(text: str, *machines: str) -> Report:
    profiles = analyze(SourceFile("k.c", text, Language.C), AnalysisOptions())
    return make_report(profiles, [find_machine(n) for n in machines], ProjectionOptions(), version="0", options={})


def test_points_lie_where_the_projection_says() -> None:
    """a[i] = b[i] + b[i] + b[i]: 2 FLOP, 16 bytes, 828.758 GB/s on the V100."""
    points = points_of(report(3, "v100").files)
    third = points[2]
    assert third.label == "f:5"
    assert third.intensity == 1 / 8
    assert third.flop_per_s == pytest.approx(828.758e9 / 8)
    assert points[0].intensity is None
    assert "no FLOPs" in points[0].why


def test_roofs_are_those_of_the_machine() -> None:
    (roofs,) = roofs_of(report(1, "v100"))
    assert roofs.peak == pytest.approx(7068.86e9)
    assert roofs.outermost == pytest.approx(828.758e9)
    assert [slope.label.split()[0] for slope in roofs.slopes] == ["L1", "L2", "DRAM"]
    assert [len(machine.slopes) for machine in roofs_of(report(1, "v100", "haswell"))] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize(("loops", "machines"), [(1, ()), (3, ("v100",)), (30, ("v100",)), (12, ("v100", "haswell"))])
def test_pictures_are_drawn(loops: int, machines: tuple[str, ...]) -> None:
    found = render_plot(report(loops, *machines), "svg").decode()
    for machine in machines:
        assert find_machine(machine).name in found
    if loops == 30:
        assert "f:32: " in found, "the list names every region"
    assert found == render_plot(report(loops, *machines), "svg").decode(), "twice the same"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["png", "pdf"])
def test_other_forms(form: str) -> None:
    assert render_plot(report(2, "bgq"), form)[:4] == {"png": b"\x89PNG", "pdf": b"%PDF"}[form]


def test_names_are_not_formulas() -> None:
    text = "void cost_$x_(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }"
    assert "cost_$x_" in render_plot(made(text, "v100"), "svg").decode()


def test_labels_keep_apart() -> None:
    """Nine letters of 12 pixels are at most 67 wide; with room for 18 labels, 12 do not touch."""
    placer = Placer((0, 0, 600, 400), 1.5)
    around = [Anchor(x, 200 + 14 * step) for x in (200, 300) for step in range(-4, 5)]
    chosen = [placer.choose("region 12", 8, around) for _ in range(12)]
    assert len(set(chosen)) == 12
    for one, other in itertools.combinations(chosen, 2):
        assert abs(one.y - other.y) >= 12 or abs(one.x - other.x) >= 67


def intensities(number: int) -> Report:
    """Loops of many different intensities: 1 to ``number`` multiplications for 16 bytes."""
    bodies = "".join(LOOP.format("*".join(["b[i]"] * (2 + index))) for index in range(number))
    return made(f"void f(int n, double *a, double *b)\n{{\n{bodies}}}\n", "v100", "haswell")


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 8, 30])
def test_drawn_labels_do_not_overlap(number: int) -> None:
    figure = drawn(intensities(number))
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    texts = [text for axes in figure.axes for text in axes.texts if text.get_text() and not text.get_rotation()]
    texts += figure.texts
    assert len(texts) > number
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    for (one, box), (other, another) in itertools.combinations(boxes, 2):
        width = min(box.x1, another.x1) - max(box.x0, another.x0)
        height = min(box.y1, another.y1) - max(box.y0, another.y0)
        assert width <= 1 or height <= 0.25 * min(box.height, another.height), f"{one} lies on {other}"


def test_everything_lies_within_the_axes() -> None:
    (axes,) = drawn(intensities(30)).axes
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for point in points_of(intensities(30).files):
        assert point.intensity is not None
        assert point.flop_per_s is not None
        assert left < point.intensity < right
        assert bottom < point.flop_per_s < top
    for machine in roofs_of(intensities(1)):
        assert left < machine.peak / machine.outermost < right


def test_intensities_that_depend_on_data_have_bars() -> None:
    """x[i] may be one element or n: 2 FLOP over 20 to 28 bytes."""
    text = "void g(int n, int *x, double *a, double *b) { for (int i = 0; i < n; i++) a[i] += 3 * b[x[i]]; }"
    profiles = analyze(SourceFile("k.c", text, Language.C), AnalysisOptions(defines={"n": "1000000"}))
    found = make_report(profiles, [find_machine("v100")], ProjectionOptions(), version="0", options={})
    (point,) = points_of(found.files)
    assert point.interval == pytest.approx((1 / 14, 1 / 10), rel=1e-3)
    assert "leave open" in render_plot(found, "svg").decode()


def test_loops_without_flops_are_told() -> None:
    text = "void copy(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }"
    assert "copy:1 (no FLOPs: 828.8 GB/s)" in render_plot(made(text, "v100"), "svg").decode()


def test_labels_stay_in_the_frame() -> None:
    placer = Placer((0, 0, 100, 100), 1.0)
    assert placer.choose("a name", 8, [Anchor(90, 50), Anchor(90, 50, "right")]).ha == "right"


def swept(*machines: str) -> tuple[Report, Sweep]:
    text = (
        "void f(int n, double *a, double *b, double *c) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        " for (int k = 0; k < n; k++) c[i*n + j] += a[i*n + k] * b[k*n + j]; }"
    )
    profiles = analyze(SourceFile("k.c", text, Language.C), AnalysisOptions())
    found = [find_machine(name) for name in machines]
    options = ProjectionOptions()
    report = make_report(profiles, found, options)
    points = tuple(
        sweep_point([rebound(file, "n", value) for file in profiles], report, value) for value in (10, 100, 1000)
    )
    return report, Sweep("n", points)


def test_paths_follow_the_size() -> None:
    """2n^3 over 32n^2 bytes: n/16."""
    (path,) = paths_of(swept("v100")[1])
    assert [(step.value, step.intensity) for step in path.steps] == [(10, 0.625), (100, 6.25), (1000, 62.5)]


@pytest.mark.parametrize("machines", [(), ("v100",), ("v100", "haswell")])
def test_ranges_are_drawn(machines: tuple[str, ...]) -> None:
    found = render_sweep(*swept(*machines), "svg").decode()
    assert ("n = 1000" in found) is bool(machines)
