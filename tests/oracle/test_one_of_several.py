"""Pointers to one of several arrays: rows of a program against exact caches, which follow the addresses of its run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from analyzer.quantities.quantity import Quantity
from analyzer.source import Language, SourceFile
from roofline.estimation import estimate
from roofline.report.report import RegionReport
from tests.oracle.traced import Traced, total, traced

PROGRAM = Path(__file__).parent.parent / "data" / "one_of_several" / "c.c"
KIB_AND_WAYS = ((16, 4), (64, 8), (256, 8))
NESTS = {20: (21,), 27: (28,), 34: (35, 36), 38: (39,), 41: (41,), 6: (6,), 44: (45,)}
"""The lines of statements in a run, by the first line of their nest."""
SIZES = {"argc": 2}
CLOSE = 0.02


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Traced]:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    caches = ",".join(f"{kib}/{ways}" for kib, ways in KIB_AND_WAYS)
    return traced(PROGRAM, tmp_path_factory.mktemp("run"), None, caches)


@pytest.fixture(scope="module")
def rows() -> dict[int, RegionReport]:
    """The nests that run, by their first lines."""
    text = SourceFile(PROGRAM.name, PROGRAM.read_text("utf-8"), Language.C)
    hierarchy = ",".join(f"L{n}:{kib}KiB/{ways}" for n, (kib, ways) in enumerate(KIB_AND_WAYS, 1))
    (report,) = estimate(text, "haswell", sizes=SIZES, hierarchy=hierarchy).files
    (region,) = (region for region in report.regions if region.profile.function == "main")
    return {
        nest.profile.span.line: nest
        for nest in region.all_nests
        if nest.profile.stores.elements.estimate.evaluate(SIZES)
    }


@pytest.mark.parametrize("line", NESTS)
def test_references_are_counted(line: int, run: dict[int, Traced], rows: dict[int, RegionReport]) -> None:
    wanted, profile = total([run[each] for each in NESTS[line]]), rows[line].profile
    within(profile.loads.elements, wanted.loads)
    within(profile.stores.elements, wanted.stores)


@pytest.mark.parametrize("line", NESTS)
def test_bytes_of_the_caches_are_within_their_bounds(
    line: int, run: dict[int, Traced], rows: dict[int, RegionReport]
) -> None:
    wanted, row = total([run[each] for each in NESTS[line]]), rows[line]
    for fetched, written, (_, moved) in zip(wanted.fetched, wanted.written, row.served[1:], strict=True):
        within(moved.total, fetched + written)


def within(found: Quantity, wanted: int) -> None:
    low, high = (None if count is None else float(count.evaluate(SIZES)) for count in (found.lower, found.upper))
    assert low is not None
    assert low * (1 - CLOSE) <= wanted
    assert high is None or wanted <= high * (1 + CLOSE)
    if found.is_exact:
        assert float(found.estimate.evaluate(SIZES)) == wanted
