"""Every symbol that a report prints can be given back, and the value is that of the formula."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import cycle
from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile, RegionProfile
from analyzer.quantities.quantity import Quantity
from analyzer.traffic.options import CacheModel
from roofline.estimation import Source, analyze_here, estimate
from roofline.report.report import Report
from tests.night import of_day

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "corpus", ROOT / "tests" / "data" / "everyday")
SOURCES = sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.suffix in (".c", ".cpp"))
PRIMES = (37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)


def in_part(sources: Sequence[Source], options: AnalysisOptions) -> Sequence[AnalyzedFile]:
    """Analyze without cache lines and the data of several nests together, which none of these formulas is of."""
    return analyze_here(sources, replace(options, in_full=False))


def report_of(path: Path, sizes: dict[str, int]) -> Report:
    return estimate(path, cache=CacheModel.COMPULSORY, sizes=sizes, analyze=in_part)


def open_symbols(region: RegionProfile) -> list[str]:
    return [name for name in region.symbols if name not in region.values]


@pytest.mark.parametrize("path", of_day(SOURCES, 4), ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.slow
def test_what_is_printed_can_be_given(path: Path) -> None:
    before = report_of(path, {})
    names = dict.fromkeys((name, one.profile.function) for one in before.regions for name in open_symbols(one.profile))
    given = {f"{name}@{function}": value for (name, function), value in zip(names, cycle(PRIMES), strict=False)}
    if not given:
        return
    after = report_of(path, given)
    assert [file.profile.frontend for file in after.files] == [file.profile.frontend for file in before.files]
    assert len(after.regions) == len(before.regions)
    for one, other in zip(before.regions, after.regions, strict=True):
        values = {name: given[f"{name}@{one.profile.function}"] for name in open_symbols(one.profile)}
        found = other.profile.values
        assert {name: found[name] for name in values if name in other.profile.symbols}.items() <= values.items()
        pairs = (
            (one.profile.work.flops, other.profile.work.flops),
            (one.profile.loads.bytes, other.profile.loads.bytes),
            (one.profile.stores.bytes, other.profile.stores.bytes),
        )
        for formula, number in pairs:
            assert agree(formula, {**one.profile.values, **values}, number, found)


def agree(formula: Quantity, values: dict[str, int], number: Quantity, found: dict[str, int]) -> bool:
    """Whether a number is that of the formula, or within its bounds where the formula is none."""
    known = number.estimate.evaluate(found)
    if formula.is_exact:
        return Fraction(known) == formula.estimate.evaluate(values)
    within = formula.upper is None or known <= formula.upper.evaluate(values)
    return within and formula.lower.evaluate(values) <= known
