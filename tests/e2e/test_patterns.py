"""Loops of every kind that is hard to count, against what an instrumented run of each counted."""

from __future__ import annotations

import json
import shutil
from functools import cache

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import read_source
from tests.bench.figures import figures_of, misfits
from tests.bench.patterns import SOURCE, TRUTH, names, run_patterns

TRUTHS = json.loads(TRUTH.read_text("utf-8"))
ON_DATA = {
    "both_conditions": {"compare", "loads", "stores", "add"},
    "early_break": {"compare", "loads", "stores", "add", "mul"},
    "goto_by_switch": {"loads", "mul"},
    "goto_out": {"compare", "loads"},
    "goto_past_two": {"compare", "loads", "stores", "add", "mul"},
    "largest": {"loads", "fabs"},
    "packing": {"loads", "stores"},
    "skips": {"loads", "stores", "sqrt", "sub"},
    "three_ways": {"compare", "loads"},
}
"""What is not known without the data, or whether an inner loop was left early, by loop."""


@cache
def regions() -> dict[str, RegionProfile]:
    (profile,) = analyze(read_source(str(SOURCE)), AnalysisOptions())
    return {region.function: region for region in profile.regions}


@pytest.mark.parametrize("name", names())
def test_counts_are_those_of_the_run(name: str) -> None:
    found = figures_of(regions()[name], {})
    assert misfits(found, [TRUTHS[name]]) == {}
    assert {kind for kind, figure in found.items() if not figure.is_exact} == ON_DATA.get(name, set())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_the_truth_is_what_runs_count() -> None:
    assert run_patterns() == TRUTHS
