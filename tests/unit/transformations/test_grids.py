"""Kernels transformed: what they compute, what is legal, and what they ask of memory."""

from __future__ import annotations

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.nodes import Mapping as Axis
from analyzer.ir.nodes import Region
from analyzer.source import Language, SourceFile
from analyzer.transformations.grids.axes import exchanged, reshaped
from analyzer.transformations.grids.coarsening import coarsened
from analyzer.transformations.grids.grid import grid_of
from analyzer.transformations.grids.staging import stages_of
from analyzer.transformations.grids.turning import turned
from analyzer.transformations.grids.widening import widened
from tests.oracle.blocks import memory_after

PLACE = "int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;\n"
PRODUCT = f"""__global__ void f(int n, const float *a, const float *b, float *c) {{
  {PLACE} float s = 0; for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; }}"""
CHECKED = PRODUCT.replace("float s = 0;", "if (i >= n || j >= n) return; float s = 0;")
TRANSPOSED = CHECKED.replace("b[k * n + j]", "b[j * n + k]")
SQUARE = PRODUCT.replace("n + k", "32 + k").replace("n + j", "32 + j")
PAIRS = """__global__ void f(int n, const float *x, const float *y, float *f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
  for (int j = 0; j < n; j++) s += x[j] * (y[j] - x[i]);
  f[i] = s; }"""
NEIGHBOURS = CHECKED.replace("i >= n || j >= n", "j < 1 || j >= n - 1").replace(
    "b[k * n + j]", "(b[k * n + j - 1] + b[k * n + j + 1] + b[(k + 1) * n + j])"
)
MEMBERS = """struct P { float x, y, m; };
__global__ void f(int n, const P *p, float *f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
  for (int j = 0; j < n; j++) s += p[j].m * (p[j].x - p[i].x);
  f[i] = s; }"""


def region_of(text: str, launch: str) -> Region:
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launch, sizes = launch.rsplit(",", 1)
    defines = {"n": int(sizes.removeprefix("n="))}
    launches, _ = launches_of(unit, [parse_launch(launch)], None, defines)
    (region,) = lower_unit(unit, LowerOptions(defines=defines, launches=launches)).regions
    return region


@pytest.mark.parametrize(
    ("text", "launch"),
    [
        (PRODUCT, "f:grid=4x4,block=8x8,n=32"),
        (PRODUCT, "f:grid=2x4,block=16x8,n=32"),
        (PRODUCT, "f:grid=4x2,block=8x16,n=32"),
        (CHECKED, "f:grid=4x4,block=8x8,n=27"),
        (CHECKED, "f:grid=3x3,block=8x8,n=21"),
        (TRANSPOSED, "f:grid=4x4,block=8x8,n=30"),
        (SQUARE, "f:grid=4x4,block=8x8,n=32"),
        (NEIGHBOURS, "f:grid=4x4,block=8x8,n=32"),  # the tile has elements of threads that return
        (NEIGHBOURS, "f:grid=4x4,block=8x8,n=29"),
        (PAIRS, "f:grid=4,block=16,n=64"),
        (MEMBERS, "f:grid=4,block=16,n=64"),
    ],
)
def test_a_transformed_kernel_computes_the_same(text: str, launch: str) -> None:
    """With tiles, with several results in a thread, and with both."""
    region = region_of(text, launch)
    grid = grid_of(region)
    assert grid is not None
    plain = memory_after(grid.region, {})
    assert not any(isinstance(value, str) for value in plain.values())
    (staged,) = [made for _, made in stages_of(grid)]
    made = [staged]
    for start in (grid, staged):
        along_x = coarsened(start, Axis.BLOCK_X, 2)
        assert along_x is not None
        along_y = coarsened(along_x, Axis.BLOCK_Y, 2)
        made += [along_x] if along_y is None else [along_x, along_y]
    for each in made:
        assert memory_after(each.region, {}) == plain


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("s += a[i * n + k] * b[k * n + j];", "{ s += a[i * n + k] * b[k * n + j]; c[i * n + k] = s; }"),  # below
        ("k < n", "k < threadIdx.x + n - 8"),  # threads leave the loop one after the other
        ("s += a", "if (a[k] > s) s += a"),  # stays: see the next test
        (
            "s += a[i * n + k] * b[k * n + j];",
            "{ if (s > 9) break; s += a[i * n + k] * b[k * n + j]; }",
        ),
        ("for (", "if (a[i] > 0) for ("),  # data decide who is in the loop
        ("float s = 0;", "float s = 0; if (a[i] > 0) return;"),
    ],
)
def test_a_barrier_that_a_thread_may_miss_is_not_made(before: str, after: str) -> None:
    assert before in PRODUCT
    grid = grid_of(region_of(PRODUCT.replace(before, after), "f:grid=4x4,block=8x8,n=32"))
    assert grid is not None
    staged = [step.arrays for step, _ in stages_of(grid)]
    if "c[i * n + k]" in after or "a[k]" in after:
        assert staged  # all threads run the loop
    else:
        assert staged == []


@pytest.mark.parametrize("name", ["a", "b"])
def test_what_another_thread_changes_is_in_no_tile(name: str) -> None:
    """The product in place: threads read elements that others have stored, or will store."""
    text = PRODUCT.replace("const float", "float").replace("c[i * n + j] = s", f"{name}[i * n + j] = s")
    grid = grid_of(region_of(text, "f:grid=4x4,block=8x8,n=32"))
    assert grid is not None
    ((step, _),) = stages_of(grid)
    assert [each.array for each in step.arrays] == [{"a": "b", "b": "a"}[name]]


SCALED = """__global__ void f(int n, float *a, const float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) a[i * 40 + j] = b[i * 40 + j] * (i + 2 * j); }"""


@pytest.mark.parametrize("block", [(8, 4), (16, 1), (3, 5)])
def test_other_axes_and_blocks_compute_the_same(block: tuple[int, int]) -> None:
    grid = grid_of(region_of(SCALED, "f:grid=4x4,block=8x8,n=29"))
    assert grid is not None
    turned, shaped = exchanged(grid), reshaped(grid, block)
    assert turned is not None
    assert shaped is not None
    both = reshaped(turned[1], block)
    assert both is not None
    plain = memory_after(grid.region, {})
    assert len(plain) == 29 * 29
    for made in (turned[1], shaped[1], both[1]):
        assert memory_after(made.region, {}) == plain
    loop = next(each for each in turned[1].axes if each.mapping is Axis.THREAD_X)
    assert loop.iterator == "threadIdx.y"  # of the source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("b[i * 40 + j] *", "blockIdx.x *"),  # a thread knows its block
        ("if (i", "__syncthreads(); if (i"),
        ("if (i < n && j < n)", ""),  # more blocks than before would store beyond
    ],
)
def test_blocks_that_mean_something_keep_their_shape(before: str, after: str) -> None:
    grid = grid_of(region_of(SCALED.replace(before, after), "f:grid=4x4,block=8x8,n=29"))
    assert grid is not None
    assert reshaped(grid, (3, 5)) is None
    assert (exchanged(grid) is None) == ("sync" in after)


def test_blocks_that_wait_for_others_stay_apart() -> None:
    waiting = PRODUCT.replace("float s = 0;", "float s = 0; __threadfence();")
    for text in (waiting, PRODUCT.replace("s += a", "if (a[k] > s) s += a")):
        grid = grid_of(region_of(text, "f:grid=4x4,block=8x8,n=32"))
        assert grid is not None
        assert coarsened(grid, Axis.BLOCK_X, 2) is None


def test_blocks_beyond_the_grid_must_be_idle() -> None:
    """Three blocks in pairs are two pairs: the fourth block stores nothing where a check of the source keeps it out."""
    for text, number, is_made in ((PRODUCT, 24, False), (CHECKED, 21, True)):
        grid = grid_of(region_of(text, f"f:grid=3x3,block=8x8,n={number}"))
        assert grid is not None
        assert (coarsened(grid, Axis.BLOCK_X, 2) is not None) == is_made


TRANSPOSE = f"""__global__ void f(int n, float *a, float *c) {{
  {PLACE} if (i < n && j < n) c[j * n + i] = a[i * n + j]; }}"""


@pytest.mark.parametrize(
    ("before", "after", "array"),
    [
        ("i * n", "i * n", "c"),
        ("c[j * n + i] = a[i * n + j]", "c[i * n + j] = a[j * n + i] + a[i * n + j]", "a"),
        ("if (i < n && j < n) c", "if (i >= n || j >= n) return; a[i * n + j] = 2; c", "c"),
        ("if (i < n && j < n) c[", "for (int k = 0; k < 4096; k += 2048) if (i < n && j < n) c[k + ", "c"),
        ("= a[i * n + j]", "= a[i * n + j] * (i + j)", "c"),
    ],
)
@pytest.mark.parametrize(("grid", "block", "n"), [("4x8", "8x4", 32), ("4x4", "8x8", 29), ("5x10", "6x3", 28)])
def test_columns_through_a_tile_compute_the_same(
    before: str, after: str, array: str, grid: str, block: str, n: int
) -> None:
    assert before in TRANSPOSE
    found = grid_of(region_of(TRANSPOSE.replace(before, after), f"f:grid={grid},block={block},n={n}"))
    assert found is not None
    made = turned(found)
    assert made is not None
    assert [each.array for each in made[0].arrays] == [array]
    assert memory_after(made[1].region, {}) == memory_after(found.region, {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if (i", "if (a[i] > 0 && i"),  # data decide which threads come to the barrier
        ("if (i", "if (a[i] > 0) return; if (i"),
        ("if (i", "for (int k = 0; k < threadIdx.x; k++) if (i"),
        ("= a[i * n + j];", "= a[i * n + j]; a[i * n + j] = c[j * n + i];"),  # reads what it has stored
        ("= a[i * n + j]", "+= a[i * n + j]"),
        ("a[i * n + j]", "a[j * n + i]"),  # nothing runs along rows: x and y are exchanged at no cost
    ],
)
def test_columns_that_other_threads_may_not_move_stay(before: str, after: str) -> None:
    assert before in TRANSPOSE
    grid = grid_of(region_of(TRANSPOSE.replace(before, after), "f:grid=4x4,block=8x8,n=32"))
    assert grid is not None
    assert turned(grid) is None


SCALE = """__global__ void f(int n, T *a, const T *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 2 * b[i]; }"""


@pytest.mark.parametrize(
    ("element", "before", "after", "by", "arrays"),
    [
        ("float", "= 2", "= 2", 4, ("a", "b")),
        ("double", "= 2", "+= 2", 2, ("a", "b")),
        ("unsigned char", "if (i < n) a", "if (i >= n) return; T s = b[i]; a", 4, ("a", "b")),
        ("float", "b[i]", "b[i + 1]", 4, ("a",)),  # its vectors are used in part
        ("float", "b[i]", "b[3 * i]", 4, ("a",)),
        ("float", "b[i]", "b[i + 4] * b[i]", 4, ("a", "b")),
        ("float", "a[i] = 2 * b[i]", "for (int k = 0; k < 5; k++) a[i] += k * b[k * n + i]", 4, ("a", "b")),
    ],
)
@pytest.mark.parametrize("n", [64, 60, 52])
def test_vectors_of_neighbours_compute_the_same(
    element: str, before: str, after: str, by: int, arrays: tuple[str, ...], n: int
) -> None:
    assert before in SCALE
    grid = grid_of(region_of(SCALE.replace(before, after).replace("T ", f"{element} "), f"f:grid=8,block=8,n={n}"))
    assert grid is not None
    made = widened(grid)
    assert made is not None
    assert (made[0].by, set(made[0].arrays), made[1].blocks) == (by, set(arrays), 8 // by)
    assert memory_after(made[1].region, {}) == memory_after(grid.region, {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("b[i]", "b[i] * blockIdx.x"),
        ("if (i < n)", "__syncthreads();"),
        ("if (i < n)", "if (b[i] > 0)"),
        ("a[i] = 2 * b[i]", "a[2 * i] = b[2 * i]"),
        ("a[i] = 2 * b[i]", "atomicAdd(&a[i], 2)"),
        ("a[i] = 2 * b[i]", "for (int k = 0; k < n; k++) a[i] += b[k]"),  # several results of a thread share b[k]
    ],
)
def test_what_has_no_whole_vectors_keeps_its_elements(before: str, after: str) -> None:
    assert before in SCALE
    grid = grid_of(region_of(SCALE.replace(before, after).replace("T ", "float "), "f:grid=8,block=8,n=64"))
    assert grid is not None
    assert widened(grid) is None
