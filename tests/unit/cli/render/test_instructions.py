"""The instruction roofline as a table and as a picture; the link to the host as a roof."""

from __future__ import annotations

import pytest

from analyzer.errors import OptionError
from cli.render.plot.roofline import render_instructions
from cli.render.plot_data.instructions import instruction_points_of, instruction_roofs_of
from cli.render.plot_data.roofline import hottest, roofs_of
from cli.render.words.instructions import instructions_text, render_instructions_table
from roofline.estimation import estimate, source_text
from roofline.options import EstimateOptions

KERNEL = """
__global__ void axpy(float a, const float *x, float *y) { int i = 256*blockIdx.x + threadIdx.x; y[i] += a*x[i]; }
int main() { float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20); axpy<<<4096, 256>>>(2, x, y); }
"""


def report(*machines: str):
    return estimate(source_text(KERNEL, "axpy.cu"), machines, EstimateOptions())


def test_a_kernel_is_placed_by_its_instructions_for_each_transaction():
    """Three requests and one FMA of each warp, twelve sectors of memory; 828.758 GB/s are 25.9 GTXN/s."""
    (point,) = instruction_points_of(report("v100").files)
    assert point.intensity == pytest.approx(4 / 12)
    assert point.flop_per_s == pytest.approx(828.758e9 / 32 * 4 / 12)
    (roofs,) = instruction_roofs_of(report("v100"))
    assert roofs.peak == pytest.approx(489.6e9)
    assert [slope.label.split()[0] for slope in roofs.slopes] == ["L1", "L2", "DRAM"]


def test_the_table_has_a_row_for_each_machine():
    text = render_instructions_table(report("v100", "a100-40"), markdown=True)
    rows = [row.split("|")[1:-1] for row in text.splitlines() if row.startswith("| axpy")]
    assert [[cell.strip() for cell in row][1:6] for row in rows] == [
        [machine, "131 k", "0 %", "0.333", "DRAM"] for machine in ("v100", "a100-40")
    ]


def test_the_derivation_has_the_part_of_the_peak():
    (region,) = report("v100").regions
    *_, last = instructions_text(region.projections[0])
    assert last == "instruction roofline: at most 8.633 GIPS, 1.76 % of the peak"


def test_a_picture_is_drawn():
    found = render_instructions(report("v100"), "svg").decode()
    assert "489.6 GIPS" in found
    assert "25.9 GTXN/s" in found
    assert render_instructions(report("v100", "a100-40"), "svg")


def test_a_machine_without_an_issue_rate_has_no_picture():
    with pytest.raises(OptionError, match="how many instructions"):
        render_instructions(report("tpu-v3"), "svg")


def test_the_link_to_the_host_is_a_roof_of_kernels_that_use_it():
    text = KERNEL.replace("cudaMalloc(&x", "cudaMallocHost(&x")
    (roofs,) = roofs_of(estimate(source_text(text, "axpy.cu"), ("v100",), EstimateOptions()))
    assert [slope.level for slope in roofs.slopes] == ["L1", "L2", "DRAM", "host"]
    assert roofs.outermost == pytest.approx(828.758e9)
    assert [slope.level for slope in roofs_of(report("v100"))[0].slopes] == ["L1", "L2", "DRAM"]


def test_the_hottest_of_many_kernels_are_named_by_their_instructions_too():
    """The second launch has 64 times the blocks, and takes longest."""
    text = KERNEL.replace("axpy<<<4096, 256>>>(2, x, y);", "axpy<<<64, 256>>>(2, x, y); axpy<<<4096, 256>>>(2, x, y);")
    points = instruction_points_of(estimate(source_text(text, "axpy.cu"), ("v100",), EstimateOptions()).files)
    (first, *rest) = hottest(points, 1)
    assert first.seconds == max(point.seconds for point in points) > min(point.seconds for point in points) > 0
    assert (first.number, [point.number for point in rest]) == (1, [0])
