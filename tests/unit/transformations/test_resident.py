"""Tiles of sums that stay in a cache: the same operations, in an order that comes close to the bound."""

from collections import Counter

import pytest
from msgspec.structs import replace

from analyzer.ir.passes.substitute import bind
from analyzer.transformations.bands import bands_of
from analyzer.transformations.resident import resident_blocks
from roofline import estimate, source_text

from ...lowering import lower
from ...oracle.reordered import operations

PRODUCT = "for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];"
SYMMETRIC = "for (i = 0; i < n; i++) for (j = 0; j <= i; j++) for (k = 0; k < n; k++) C[i][j] += A[i][k] * A[j][k];"
SUM = "for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) C[i][j] += C[i][k] * B[k][j];"
ARRAYS = "double A[n][n], B[n][n], C[n][n]; "
CODE = "void f(int n, double A[n][n], double B[n][n], double C[n][n]) { int i, j, k; %s }"


def blocked(loops, n, capacity_bytes):
    (region,) = lower(ARRAYS + loops).regions
    bound = bind(region, {"n": n})
    return bound, [
        (steps, replace(bound, body=(made.nest,)))
        for band in bands_of(bound.body[0], bound.body)
        for steps, made in resident_blocks(band, capacity_bytes)
    ]


@pytest.mark.parametrize("loops", [PRODUCT, SYMMETRIC])
def test_every_operation_is_made_once(loops):
    region, found = blocked(loops, 21, 8 * 100)
    assert found

    def made(each):
        return Counter((tuple(one.reads), tuple(one.writes)) for one in operations(each, {}))

    for steps, other in found:
        assert [type(step).__name__ for step in steps] == ["Interchange", "Cut", "Cut"]
        assert made(other) == made(region)


def test_sums_that_read_what_others_sum_stay():
    assert blocked(SUM, 21, 8 * 100)[1] == []


def test_a_cache_that_holds_nearly_all_is_not_filled():
    assert blocked(PRODUCT, 15, 8 * 100)[1] == []


@pytest.mark.slow
@pytest.mark.parametrize(("loops", "factor"), [(PRODUCT, 1.6), (SYMMETRIC, 2.2)])
def test_the_search_comes_close_to_the_bound(loops, factor):
    """At this size edges cost some 30 %; half a product is sqrt(2) away, as all square tiles are (Beaumont et al.)."""
    report = estimate(source_text(CODE % loops, "c"), hierarchy="L2:64KiB", sizes={"n": 500}, advise=True)
    (level,) = report.regions[0].nests[0].best
    assert level.least_bytes <= level.reached_bytes < factor * level.least_bytes
