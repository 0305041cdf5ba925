"""Triangles and column walks behind set-associative caches, against compiled programs: every access is followed."""

import shutil

import pytest

from analyzer.traffic.reuse.analytic import analytic_traffic
from tests.bench import set_conflicts

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc and addr2line")


@pytest.mark.parametrize("seed", [0, 7, 9])
def test_short_streams_are_exact(seed):
    assert set_conflicts.row_of(seed).errors == pytest.approx((0, 0, 0), abs=1e-12)


@pytest.mark.parametrize("seed", [10, 11])
def test_sampled_reuses_are_near_or_noted(seed, monkeypatch):
    """Without the simulation of short streams, so that the pairs that are drawn decide."""
    monkeypatch.setattr(
        set_conflicts,
        "analytic_traffic",
        lambda region, caches, *, warm, short: analytic_traffic(region, caches, warm=warm),
    )
    row = set_conflicts.row_of(seed)
    assert max(map(abs, row.errors)) < 0.03 or "AI209" in row.notes
    assert max(map(abs, row.errors)) < 0.3
