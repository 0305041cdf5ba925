"""Drawn C functions against what instrumented runs of them counted, at several sizes."""

from __future__ import annotations

import json
import shutil
from functools import cache

import pytest

from analyzer.profile import RegionProfile
from tests.bench.drawn import SOURCE, TRUTH, analyzed, disagreement, functions_of, run_drawn, unit_of
from tests.bench.figures import figures_of

TRUTHS = json.loads(TRUTH.read_text("utf-8"))
SIZE = {"n": 7, "m": 5}


@cache
def regions() -> dict[str, RegionProfile]:
    return analyzed(SOURCE.read_text("utf-8"))


@pytest.mark.parametrize("name", TRUTHS)
def test_counts_hold_what_every_run_counted(name: str) -> None:
    assert disagreement(regions()[name], TRUTHS[name]) == {}


def test_most_counts_are_exact() -> None:
    figures = [figure for name in TRUTHS for figure in figures_of(regions()[name], SIZE).values()]
    assert sum(figure.is_exact for figure in figures) > 0.5 * len(figures)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_what_is_drawn_is_run_again_with_the_same_counts() -> None:
    drawn = functions_of(int(name.removeprefix("drawn_")) for name in list(TRUTHS)[:5])
    assert SOURCE.read_text("utf-8").startswith(unit_of(drawn.values()))
    assert run_drawn(drawn) == {name: TRUTHS[name] for name in drawn}
