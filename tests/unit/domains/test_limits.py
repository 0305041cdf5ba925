"""Deadlines, and the weaker answers beyond them."""

from __future__ import annotations

import islpy as isl
import pytest

from analyzer.domains.isl.counting import _may_hang
from analyzer.domains.isl.sets import points
from analyzer.domains.limits import OverBudget, at_most, check, deadline
from analyzer.ir.index import var
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile
from analyzer.stages.region_traffic import traffic_of
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.options import CacheOptions
from tests.lowering import lower

SOON, _IN_A_CHILD_S = 1e-9, 2
STENCIL = (
    "double a[500][500], b[500][500]; for (int i = 1; i < 499; i++) for (int j = 1; j < 499; j++)"
    " b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j];"
)


def test_no_deadline() -> None:
    check()
    with deadline(0) as limit:
        check()
    assert not limit.over


def test_after_a_deadline() -> None:
    with deadline(SOON) as limit, pytest.raises(OverBudget):
        check()
    assert limit.over
    check()


def test_what_is_done_in_a_child_ends_with_the_deadline() -> None:
    assert at_most(5) == 5
    with deadline(200):
        assert 100 < at_most(500) <= 200
        assert at_most(1) == 1
    with deadline(SOON):
        assert 0 < at_most(5) < 0.01


def test_an_outer_deadline_stays() -> None:
    with deadline(SOON), deadline(1000), pytest.raises(OverBudget):
        check()


def test_footprints_are_bounds_that_hold_the_truth() -> None:
    region = lower(STENCIL).regions[0]
    exact, bound = profile_region(region), profile_region(region, ProfileOptions(seconds=SOON))
    assert exact.work.flops.estimate.evaluate({}) == bound.work.flops.estimate.evaluate({}) == 2 * 498**2
    for part in ("read", "written", "touched"):
        known, found = getattr(exact.footprint, part), getattr(bound.footprint, part)
        assert found.elements.exactness is Exactness.UPPER
        assert found.elements.most.evaluate({}) >= known.elements.estimate.evaluate({})
        assert found.bytes.most.evaluate({}) == 8 * found.elements.most.evaluate({})
        assert found.lines.most.evaluate({}) >= known.lines.estimate.evaluate({})
    assert "AI208" in {note.code for note in bound.assumptions} - {note.code for note in exact.assumptions}


def test_caches_that_take_too_long_are_told() -> None:
    cache = CacheOptions(hierarchies=(parse_hierarchy("L1:32KiB"),))
    region = lower(STENCIL).regions[0]
    found = traffic_of(region, profile_region(region), cache, SOON)
    assert found.models == ()
    assert any(note.text.startswith("modelling the caches takes too long") for note in found.notes)


@pytest.mark.slow
def test_sets_with_many_divisions_are_counted_elsewhere() -> None:
    """Barvinok may take hours for such sets, and cannot be interrupted: they are counted in a child, which is ended."""
    mods = ((2, 3, 5, 7), (3, 4, 6, 9), (5, 8, 11, 13))
    parts = [" + ".join(f"(i + {k}) mod {m}" for k, m in enumerate(each)) + " <= 8" for each in mods]
    found = points("{ [i] : 0 <= i < 300 and (" + " or ".join(parts) + ") }")
    wanted = sum(any(sum((i + k) % m for k, m in enumerate(each)) <= 8 for each in mods) for i in range(300))
    try:
        with deadline(_IN_A_CHILD_S):
            assert found.count({}).evaluate({}) == wanted
    except OverBudget:
        assert _may_hang(found._isl)


@pytest.mark.slow
def test_sets_with_many_bounds_are_counted_elsewhere() -> None:
    """Windows around the points of tiles that end at the border of the image: minutes, where a child is ended."""
    near = " and ".join(f"s <= {side}" for side in ("ti", "tj", "15 - ti", "15 - tj"))
    far = "s <= 16bi + ti and s <= 16bj + tj and s < s0 - 16bi - ti and s < s1 - 16bj - tj and s < s2"
    tile = "0 <= ti <= 15 and 0 <= tj <= 15 and 16bi + ti < s0 and 16bj + tj < s1 and bi < s3 and bj < s4"
    window = f"0 < s and {near} and {far} and -s <= a <= s and -s <= b <= s"
    found = points(
        f"[s0, s1, s2, s3, s4] -> {{ [bi, bj, ti, tj, s, a, b] : 0 <= bi and 0 <= bj and {tile} and {window} }}"
    )
    with deadline(_IN_A_CHILD_S), pytest.raises(OverBudget):
        found.count({f"s{number}": var(f"s{number}") for number in range(5)})


@pytest.mark.parametrize("seconds", [0.0, SOON])
def test_the_budget_of_a_file(seconds: float) -> None:
    """What is beyond it is told, and counts of work are as without."""
    text = "void f(int n, double *a) { for (int t = 0; t < 9; t++) for (int i = 0; i < n; i++) a[i] += 2 * a[i]; }"
    cache = CacheOptions(hierarchies=(parse_hierarchy("L1:32KiB"),), conditions_if_unknown=True)
    source = SourceFile("f.c", text, Language.C)
    (file,) = analyze(source, AnalysisOptions(cache=cache, budget_s=seconds))
    ((region, traffic),) = file.regions_with_traffic
    assert region.work.flops.is_exact
    assert str(region.work.flops.estimate) == "18*n"
    told = {note.text for note in (*region.assumptions, *traffic.notes) if note.code == "AI208"}
    assert bool(told) == (seconds > 0) == (not traffic.reuses)


def test_what_isl_cannot_do_is_a_bound_and_no_error():
    """Its lexmin ends in "affine expression involves some of the domain dimensions" here."""
    text = """void f(int n, double *b, double x) {
        for (int i = n - 2; i >= 0; --i)
            for (int j = n; j > 1; j -= 2) {
                int k = i < j ? i : j;
                for (int l = j; l < n / 2; l++) b[k--] = x / b[k--];
            }
    }"""
    found = profile_region(lower(text).regions[0])
    assert found.footprint.read.elements.exactness is Exactness.UPPER
    assert found.work.flops.is_exact


def test_a_set_with_many_divisions_is_counted_in_a_child() -> None:
    """Barvinok takes minutes for the elements of a tile that the lanes of a warp load in parts."""
    bounds = " and ".join(f"-{7 + k} + i <= {9 + 4 * k}e{k} <= i" for k in range(5))
    assert _may_hang(isl.Set(f"{{ [i] : exists ({', '.join(f'e{k}' for k in range(5))}: {bounds} and 0 <= i < 99) }}"))
