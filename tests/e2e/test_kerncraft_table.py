"""The kernels of kerncraft in our own text: FLOPs by kind and bytes as its table has them, or the reason why not."""

from __future__ import annotations

import tomllib
from fractions import Fraction

import pytest

from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.source import read_source

from ..bench.kerncraft import FOLDER, LEVELS, analytic, difference, kernels, packed_arrays, region_of
from ..oracle.interpreter import Execution, run
from .cases import command, rounds_to

KERNELS = tomllib.loads((FOLDER / "table.toml").read_text("utf-8"))["kernel"]
LINE_BYTES = 64
CLOSE = 0.02
OPEN = 0.15
SLOW = {"stencil_3d_long_range"}

each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])


def report(kernel, *options):
    (file,) = command(FOLDER / f"{kernel['name']}.c", *options)["files"]
    (region,) = file["regions"]
    return region


@each_kernel
def test_flops_per_iteration_by_kind(kernel):
    iteration = report(kernel)["per_iteration"]
    assert {found["operation"]: found["count"] for found in iteration["operations"]} == kernel["flops"]
    assert iteration["flops"] == sum(kernel["flops"].values())


@each_kernel
def test_intensity_of_one_iteration(kernel):
    assert report(kernel, "--convention", "register")["intensity"]["fraction"] == kernel["register"]


@pytest.mark.parametrize("kernel", [k for k in KERNELS if "line_intensity" in k], ids=lambda kernel: kernel["name"])
def test_intensity_of_one_line_of_iterations(kernel):
    intensity = line_intensity(execution(kernel), sum(kernel["flops"].values()))
    assert rounds_to(float(intensity), kernel["line_intensity"]) is ("why" not in kernel)


each_kernel_warm = pytest.mark.parametrize(
    "kernel",
    [pytest.param(k, marks=pytest.mark.slow if k["name"] in SLOW else ()) for k in KERNELS],
    ids=lambda kernel: kernel["name"],
)


@each_kernel_warm
def test_bytes_at_every_level_when_warm(kernel):
    (chosen,) = (found for found in kernels(FOLDER) if found.name == kernel["name"])
    with packed_arrays():
        ours = dict(zip(LEVELS, analytic(region_of(chosen)), strict=True))
    simulator = dict(zip(LEVELS, kernel["simulator"], strict=True))
    truth = kernel.get("truth", {})
    for level in LEVELS:
        tolerance = OPEN if level in kernel.get("open", {}) else CLOSE
        assert abs(difference(ours[level], truth.get(level, simulator[level]))) <= tolerance


def test_figures_depend_on_where_the_arrays_lie():
    (chosen,) = (found for found in kernels(FOLDER) if found.name == "stencil_3d_27pt")
    (fact,) = (kernel for kernel in KERNELS if kernel["name"] == "stencil_3d_27pt")
    on_pages = analytic(region_of(chosen))[0]
    assert difference(on_pages, fact["simulator"][0]) < -5 * CLOSE


def test_every_kernel_is_in_the_table():
    assert {path.stem for path in FOLDER.glob("*.c")} == {kernel["name"] for kernel in KERNELS}


def execution(kernel) -> Execution:
    parsed = read(read_source(str(FOLDER / f"{kernel['name']}.c")), ParseOptions())
    (region,) = lower_unit(parsed.unit, LowerOptions()).regions
    return run(region, {symbol.name: 20 for symbol in region.symbols})


def line_intensity(found: Execution, flops: int) -> Fraction:
    """FLOPs per byte of the elements that the iterations on one cache line load and store, each once."""
    size = found.references[0].size_bytes
    iterations = LINE_BYTES // size
    references = found.references[: len(found.references) // max(found.executions) * iterations]
    elements = {(reference.storage, reference.offset, reference.write) for reference in references}
    return Fraction(flops * iterations, len(elements) * size)
