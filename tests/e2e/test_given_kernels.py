"""Kernels whose index arrays are given, against a walk through their warps in plain Python."""

from collections import OrderedDict

import numpy as np
import pytest

from roofline import estimate, source_text
from tests.bench.given_data import compressed
from tests.bench.sparse_matrices import PUT_ASIDE, WORKED_WITH

BLOCK, WARP, SECTOR, PAGE, HEADER = 128, 32, 32, 4096, 16
MATRICES = {**WORKED_WITH, **PUT_ASIDE}
PARAMETERS = "int n, const int *rowptr, const int *col, const double *val, const double *x, double *y"
KERNELS = {
    "scalar": """
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    double s = 0.0;
    for (int j = rowptr[row]; j < rowptr[row + 1]; j++)
      s += val[j] * x[col[j]];
    y[row] = s;
  }""",
    "warp": """
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row < n) {
    double s = 0.0;
    for (int j = rowptr[row] + lane; j < rowptr[row + 1]; j += 32)
      s += val[j] * x[col[j]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) y[row] = s;
  }""",
}


def walked(kind, rows, pointer, column):
    """Yield, for each statement of each step of all blocks, the array and for each warp the elements of its lanes."""
    per_row = WARP if kind == "warp" else 1
    blocks = -(-rows * per_row // BLOCK)
    threads = np.arange(blocks * BLOCK).reshape(blocks, BLOCK // WARP, WARP)
    row = threads // per_row
    lane = threads % per_row if kind == "warp" else np.zeros_like(threads)
    runs = row < rows
    start = np.where(runs, pointer[np.minimum(row, rows - 1)] + lane, 0)
    stop = np.where(runs, pointer[np.minimum(row, rows - 1) + 1], 0)
    yield "rowptr", row, runs, False
    for step in range(int(np.diff(pointer).max()) if kind == "scalar" else -(-int(np.diff(pointer).max()) // WARP)):
        position = start + step * per_row
        active = runs & (position < stop)
        safe = np.minimum(position, len(column) - 1)
        if step == 0:
            yield "rowptr", row + 1, active, False
        yield "col", safe, active, False
        yield "val", safe, active, False
        yield "x", column[safe], active, False
    yield "y", row, runs & (lane == 0), True


def simulated(kind, pattern, model):
    """Return sectors by array, and bytes that leave L1 and L2, of caches as the report has them."""
    rows, pointer, column = compressed(pattern)
    sizes = {"rowptr": 4 * (rows + 1), "col": 4 * len(column), "val": 8 * len(column), "x": 8 * rows, "y": 8 * rows}
    starts, free = {}, PAGE
    for name, size in sizes.items():
        starts[name], free = free, free + -(-(size + HEADER) // PAGE) * PAGE
    first, second = model.hierarchy.levels
    room = (first.capacity_bytes // model.occupancy.blocks_at_once // SECTOR, second.capacity_bytes // SECTOR)
    assert model.occupancy.waves <= 1
    inner, outer, sectors = {}, OrderedDict(), dict.fromkeys(sizes, 0)
    missed = [0, 0]
    for name, elements, active, is_store in walked(kind, rows, pointer, column):
        size = 4 if name in ("rowptr", "col") else 8
        for block in range(len(elements)):
            own = inner.setdefault(block, OrderedDict())
            for warp in range(BLOCK // WARP):
                lanes = elements[block, warp][active[block, warp]]
                asked = sorted({(starts[name] + size * int(element)) // SECTOR for element in lanes})
                sectors[name] += len(asked)
                for sector in asked:
                    if not is_store and sector in own:
                        own.move_to_end(sector)
                        continue
                    missed[0] += not is_store
                    if not is_store:
                        own[sector] = None
                        if len(own) > room[0]:
                            own.popitem(last=False)
                    missed[1] += not is_store and sector not in outer
                    outer[sector] = None
                    outer.move_to_end(sector)
                    if len(outer) > room[1]:
                        outer.popitem(last=False)
    return sectors, [SECTOR * many for many in missed]


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("matrix", ["random", "five-point", "power-law", "27-point"])
def test_sectors_and_misses_are_those_of_the_warps(kind, matrix):
    pattern = MATRICES[matrix](512)
    rows, pointer, column = compressed(pattern)
    source = source_text(f"__global__ void {kind}({PARAMETERS}) {{{KERNELS[kind]}\n}}\n", "spmv.cu")
    blocks = -(-rows * (WARP if kind == "warp" else 1) // BLOCK)
    report = estimate(
        source,
        "v100",
        launches=(f"{kind}:grid={blocks},block={BLOCK}",),
        arrays={"rowptr": pointer, "col": column},
        sizes={"n": rows},
    )
    (region,) = report.regions
    (model,) = region.traffic.models
    sectors, missed = simulated(kind, pattern, model)
    found = dict.fromkeys(sectors, 0)
    for request in model.requests:
        found[request.array] += request.sectors
    assert found == sectors
    read = [level.read_bytes.estimate.evaluate({}) for level in model.levels[1:]]
    assert read == missed


def test_work_of_a_kernel_is_that_of_all_rows():
    rows, pointer, column = compressed(WORKED_WITH["random"](500))
    source = source_text(f"__global__ void scalar({PARAMETERS}) {{{KERNELS['scalar']}\n}}\n", "spmv.cu")
    launch = (f"scalar:grid={-(-rows // BLOCK)},block={BLOCK}",)
    report = estimate(source, "v100", launches=launch, arrays={"rowptr": pointer, "col": column})
    (region,) = report.regions
    assert region.flops.value == 2 * len(column)
    assert region.profile.values["n"] == rows


def test_too_many_threads_leave_an_interval(monkeypatch):
    monkeypatch.setattr("analyzer.traffic.gpu.given.levels.MOST_EXECUTIONS", 1000)
    rows, pointer, column = compressed(WORKED_WITH["random"](500))
    source = source_text(f"__global__ void scalar({PARAMETERS}) {{{KERNELS['scalar']}\n}}\n", "spmv.cu")
    launch = (f"scalar:grid={-(-rows // BLOCK)},block={BLOCK}",)
    report = estimate(source, "v100", launches=launch, arrays={"rowptr": pointer, "col": column})
    (model,) = report.regions[0].traffic.models
    read = model.levels[-1].read_bytes
    assert read.lower.evaluate({}) < read.estimate.evaluate({}) < read.upper.evaluate({})
    assert any(note.code == "AI320" for note in model.notes)
