"""Loops over tiles of a size that is a symbol, and over the numbers of a tile: as often as by hand."""

import pytest

from roofline.estimation import estimate, source_text
from roofline.options import EstimateOptions

SIZES = [(n, size) for n in (1, 2, 7, 8, 9, 30) for size in (1, 2, 4, 7, 31)]


def flops(loops):
    source = f"void f(int n, int m, int B, int C, double *a) {{ {loops} a[0] *= 2; }}"
    (report,) = estimate(source_text(source, "x.c"), (), EstimateOptions()).files
    return report.regions[0].profile.work.flops


TILES = "for (int ii = 0; ii < n; ii += B) "
INSIDE = "for (int i = ii; i < (ii + B < n ? ii + B : n); i++) "


def test_tiles_have_all_numbers_of_the_range():
    found = flops(TILES + INSIDE)
    assert found.exactness.value == "exact"
    assert [found.estimate.evaluate({"n": n, "B": size}) for n, size in SIZES] == [n for n, _ in SIZES]


def test_what_depends_on_the_number_alone_is_counted_over_the_range():
    found = flops(TILES + INSIDE + "for (int j = 0; j <= i; j++)")
    assert [found.estimate.evaluate({"n": n, "B": size}) for n, size in SIZES] == [n * (n + 1) // 2 for n, _ in SIZES]


def test_tiles_of_several_ranges_one_of_which_starts_later():
    deep = "for (int kk = 3; kk < m; kk += C) " + INSIDE + "for (int k = kk; k < kk + C && k < m; k++)"
    found = flops(TILES + deep)
    assert found.estimate.evaluate({"n": 10, "m": 20, "B": 4, "C": 6}) == 10 * 17


def test_tiles_whose_size_doubles_have_the_range_each_time():
    """n numbers in each of ceil(log2(n)) passes."""
    found = flops(
        "for (int w = 1; w < n; w = 2 * w) for (int ii = 0; ii < n; ii += 2 * w) "
        "for (int i = ii; i < (ii + 2 * w < n ? ii + 2 * w : n); i++)"
    )
    assert [found.estimate.evaluate({"n": n}) for n in (1, 2, 3, 8, 9)] == [0, 2, 3 * 2, 8 * 3, 9 * 4]


@pytest.mark.parametrize(
    "loops",
    [
        TILES + INSIDE + "for (int j = ii; j <= i; j++)",  # asks where the tile starts
        TILES + INSIDE.replace("n ?", "n + 1 ?").replace(": n", ": n + 1"),  # one number more
        TILES + INSIDE.replace("ii + B", "ii + B + 1"),  # tiles that overlap
    ],
)
def test_what_asks_for_the_tile_is_not_taken_for_the_range(loops):
    assert flops(loops).estimate.symbols - {"n", "B"}
