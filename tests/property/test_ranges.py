"""Drawn indices that have a range: what the caches are said to fetch, against exact ones.

Caches are fully associative, so that it does not matter where arrays lie.  An interval may miss the truth by the line
that a function starts in the middle of and the one that it ends in.
"""

from __future__ import annotations

import pytest
from msgspec import Struct

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.options import CacheOptions
from roofline.catalog import find_machine
from roofline.model.level_bytes import ProjectionOptions
from roofline.report.report import RegionReport
from tests.night import BY_NIGHT
from tests.projected import make_report

from ..oracle.cachesim import LINE_BYTES, Cache, hierarchy
from ..oracle.drawn_ranges import Ranged, drawn

CACHES = parse_hierarchy("L1:2KiB,L2:16KiB")
_FEW_LINES = 2
_CLOSE = 0.01
_SEEDS, _MORE = range(12), range(12, 120 if BY_NIGHT else 16)


class Filled(Struct, frozen=True):
    """Bytes that one cache fetches: at least, about, and at most."""

    lower: float
    estimate: float
    upper: float
    is_exact: bool

    def holds(self, truth: int) -> bool:
        """Whether the interval has the truth, but for two lines."""
        slack = _FEW_LINES * LINE_BYTES
        is_inside = self.lower - slack <= truth <= self.upper + slack
        return is_inside and (not self.is_exact or self.is_close(truth))

    def is_close(self, truth: int) -> bool:
        """Whether the estimate is within a line or a hundredth."""
        return abs(self.estimate - truth) <= max(LINE_BYTES, _CLOSE * truth)


def filled(function: Ranged) -> list[Filled]:
    """Return what the report says of each cache."""
    options = AnalysisOptions(cache=CacheOptions(hierarchies=(CACHES,)))
    profiles = analyze(SourceFile("drawn.c", function.text(), Language.C), options)
    projection = ProjectionOptions(hierarchy=CACHES, cores=1)
    report = make_report(profiles, (find_machine("haswell"),), projection, version="0", options={})
    (row,) = report.files[0].regions
    return [_filled(row, level) for level in range(1, 3)]


def fetched(function: Ranged) -> list[int]:
    """Return what exact caches fetch."""
    levels = [Cache(level.capacity_bytes) for level in CACHES.levels]
    top = hierarchy(levels)
    for address, write in function.references():
        (top.store if write else top.load)(address // LINE_BYTES)
    return [level.bytes_from_below for level in levels]


@pytest.mark.parametrize("data", [False, True])
@pytest.mark.parametrize("seed", [*_SEEDS, *(pytest.param(seed, marks=pytest.mark.slow) for seed in _MORE)])
def test_intervals_hold_what_exact_caches_fetch(seed: int, data: bool) -> None:
    function = drawn(seed, data=data)
    for found, truth in zip(filled(function), fetched(function), strict=True):
        assert found.holds(truth), f"{found}, {truth} simulated"


def test_most_figures_of_indices_in_pieces_are_right() -> None:
    functions = [function for seed in range(40) if (function := drawn(seed, data=False)).is_exact]
    pairs = [pair for function in functions for pair in zip(filled(function), fetched(function), strict=True)]
    assert sum(found.is_close(truth) for found, truth in pairs) >= 0.75 * len(pairs)


def test_what_random_data_would_fetch_is_rejected() -> None:
    function = drawn(40, data=False)
    (truth, _) = fetched(function)
    accesses = sum(1 for _ in function.references())
    assert not Filled(accesses * 0.9, accesses * 0.9, accesses * LINE_BYTES, False).is_close(truth)
    assert not Filled(2 * truth, 2 * truth, 2 * truth, False).holds(truth)


def _filled(row: RegionReport, level: int) -> Filled:
    _, moved = row.served[level]
    parts = (moved.read, moved.write_allocate)
    ends = [sum(float(getattr(part, end).evaluate({})) for part in parts) for end in ("lower", "estimate", "upper")]
    return Filled(*ends, all(part.is_exact for part in parts))
