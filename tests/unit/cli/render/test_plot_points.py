"""Points of a roofline plot by level, with bars and with what was measured; roofs by level and precision."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from analyzer.traffic.options import CacheOptions
from cli.render.plot.layout import LEVEL_COLORS
from cli.render.plot.points import bars_of, gaps_of, reaches_of, spots_of
from cli.render.plot.roofline import drawn, render_plot
from cli.render.plot_data.roofline import Best, Measured, points_of, roofs_of
from roofline import estimate, source_text
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of
from roofline.model.projection import ProjectionOptions
from roofline.report.report import Report
from tests.projected import make_report

MATMUL = (
    "void mm(int n, {0} a[n][n], {0} b[n][n], {0} c[n][n]) {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
    " for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }}\n"
)
GATHER = "void g(int n, int *x, double *a, double *b) { for (int i = 0; i < n; i++) a[i] += 3 * b[x[i]]; }"


def report(text: str, *machines: str, n: int = 2000) -> Report:
    found = [find_machine(name) for name in machines]
    caches = tuple(hierarchy for machine in found if (hierarchy := hierarchy_of(machine)) is not None)
    options = AnalysisOptions(defines={"n": str(n)}, cache=replace(CacheOptions(), hierarchies=caches))
    profiles = analyze(SourceFile("k.c", text, Language.C), options)
    return make_report(profiles, found, ProjectionOptions(), version="0", options={})


def lines_of(axes: Any, marker: str) -> list[Line2D]:
    return [line for line in axes.lines if line.get_marker() == marker]


def at(line: Line2D) -> tuple[float, float]:
    return float(line.get_xdata()[-1]), float(line.get_ydata()[-1])  # type: ignore[index]


def test_levels_are_joined_at_one_rate_in_the_colours_of_their_roofs() -> None:
    made = report(MATMUL.format("double"), "haswell")
    (point,) = points_of(made.files)
    assert [name for name, _ in point.levels] == ["L1", "L2", "L3", "DRAM"]
    (axes,) = drawn(made).axes
    marks = lines_of(axes, "o")
    assert {at(mark)[1] for mark in marks} == {point.flop_per_s}
    colors = {at(mark)[0]: to_hex(mark.get_markeredgecolor()) for mark in marks}
    expected = {value: color.lower() for (_, value), color in zip(point.levels[:-1], LEVEL_COLORS, strict=False)}
    assert {position: colors[position] for position in expected} == expected
    roofs = [to_hex(line.get_color()) for line in axes.lines if line.get_linestyle() == "-"]
    assert set(expected.values()) <= set(roofs)
    (joined,) = (line for line in axes.lines if line.get_linestyle() == ":")
    assert sorted(joined.get_xdata()) == [min(colors), max(colors)]  # type: ignore[arg-type]


def test_several_machines_have_a_colour_each_and_no_levels() -> None:
    made = report(MATMUL.format("double"), "haswell", "v100")
    (axes,) = drawn(made).axes
    assert len(lines_of(axes, "o")) == 1
    assert len(lines_of(axes, "s")) == 1


def test_what_was_measured_is_a_cross_joined_to_its_prediction() -> None:
    made = report(MATMUL.format("double"), "haswell")
    measured = [Measured("k.c", 1, "haswell-e5-2695v3", 3.0, 5e8), Measured("k.c", 1, "v100", 1.0, 1e9)]
    (point,) = points_of(made.files, measured)
    assert point.measured == measured[0]
    assert list(gaps_of([point])) == [((point.intensity, point.flop_per_s), (3.0, 5e8))]
    (axes,) = drawn(made, measured).axes
    assert [at(mark) for mark in lines_of(axes, "X")] == [(3.0, 5e8)]
    assert axes.get_ylim()[0] < 5e8
    assert "crosses:" in render_plot(made, "svg", measured).decode()
    assert not lines_of(drawn(made).axes[0], "X")


def test_bars_reach_from_end_to_end() -> None:
    """2 FLOP over 20 to 28 bytes and over a whole line for each of the gathered elements; 50 GB/s bind."""
    (point,) = points_of(report(GATHER, "haswell", n=10**6).files)
    across, up = bars_of([point])
    assert point.interval is not None
    assert point.rates is not None
    assert (across[0][0], across[1][0]) == point.interval
    assert (up[0][1], up[1][1]) == point.rates
    assert point.rates == pytest.approx([50e9 * end for end in point.interval])
    assert {across[0], up[1]} <= set(spots_of([point], levels=False))
    outside = replace(point, interval=(0.0, float("inf")))
    assert next(bars_of([outside])) == ((point.intensity, point.flop_per_s),) * 2


def test_a_bar_goes_from_the_level_that_limits_to_what_could_be() -> None:
    (point,) = points_of(report(MATMUL.format("double"), "haswell").files)
    assert point.best is not None
    assert point.bound == f"memory ({point.best.level})"
    assert point.best.now == pytest.approx(dict(point.levels)[point.best.level])
    ((start, end),) = reaches_of([point], levels=True)
    assert (start, end) == ((point.best.now, point.flop_per_s), (point.best.most, point.flop_per_s))
    assert end in set(spots_of([point], levels=True))
    assert not list(reaches_of([point], levels=False))  # its marker is not drawn
    assert not list(reaches_of([replace(point, best=Best("L2", 2.0, 1.0))], levels=True))


def test_the_path_to_the_registers_of_a_gpu_is_a_roof_where_it_limits() -> None:
    text = """__global__ void f(const float *a, const float *b, float *c, int n) {
      int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x; float s = 0;
      for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s; }
    int main() { float *a, *b, *c; f<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c, 256); }"""
    found = estimate(source_text(text, "cuda"), "a100-80")
    (machine,) = roofs_of(found)
    (point,) = points_of(found.files)
    assert point.bound == "memory (L1 path)"
    (slope,) = [each for each in machine.slopes if each.level == "L1 path"]
    assert point.flop_per_s == pytest.approx(dict(point.levels)["L1 path"] * slope.bytes_per_s)


def test_ceilings_that_precisions_share_name_both() -> None:
    """Haswell: 16 FLOP of fp64 a cycle with FMA are as many as of fp32 without."""
    (roofs,) = roofs_of(report(MATMUL.format("double") + MATMUL.format("float").replace("mm", "mf"), "haswell"))
    shared = next(flat for flat in roofs.flats if flat.flop_per_s == pytest.approx(515.2e9))
    assert shared.label == "fp64 FMA, fp32 no FMA 515.2 GFLOP/s"
    assert set(shared.precisions) == {"fp32", "fp64"}
    assert len({flat.flop_per_s for flat in roofs.flats}) == len(roofs.flats)
