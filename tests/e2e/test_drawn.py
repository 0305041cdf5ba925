"""Drawn C and C++ functions against what instrumented runs of them counted, at several sizes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from functools import cache

import pytest

from analyzer.profile import RegionProfile
from tests.bench.drawn import AT_ONCE, DRAWN, Texts, disagreement
from tests.bench.figures import figures_of

TRUTHS = {language: json.loads(drawing.truth.read_text("utf-8")) for language, drawing in DRAWN.items()}
NAMES = [(language, name) for language, truths in TRUTHS.items() for name in truths]
SIZE = {"n": 7, "m": 5}


def batched(names: Iterable[str]) -> list[list[str]]:
    """Return names in parts that a file has time for."""
    every = list(names)
    return [every[first : first + AT_ONCE] for first in range(0, len(every), AT_ONCE)]


def drawn(language: str, names: list[str]) -> dict[str, Texts]:
    return DRAWN[language].functions(int(name.removeprefix("drawn_")) for name in names)


@cache
def regions(language: str) -> dict[str, RegionProfile]:
    drawing = DRAWN[language]
    if language == "c":
        return drawing.analyzed(drawing.source.read_text("utf-8"))
    found: dict[str, RegionProfile] = {}
    for names in batched(TRUTHS[language]):
        functions = drawn(language, names).values()
        found |= drawing.analyzed(drawing.unit(functions), drawing.unit(functions, 1))
    return found


@pytest.mark.parametrize(("language", "name"), NAMES)
def test_counts_hold_what_every_run_counted(language: str, name: str) -> None:
    others = DRAWN[language].has_others(drawn(language, [name])[name])
    assert disagreement(regions(language)[name], TRUTHS[language][name], others=others) == {}


@pytest.mark.parametrize(("language", "share"), [("c", 0.5), ("cxx", 0.8)])
def test_most_counts_are_exact(language: str, share: float) -> None:
    found = regions(language)
    figures = [figure for name in TRUTHS[language] for figure in figures_of(found[name], SIZE).values()]
    assert sum(figure.is_exact for figure in figures) > share * len(figures)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("language", DRAWN)
def test_what_is_drawn_is_run_again_with_the_same_counts(language: str) -> None:
    functions = drawn(language, list(TRUTHS[language])[:5])
    if language == "c":
        assert DRAWN[language].source.read_text("utf-8").startswith(DRAWN[language].unit(functions.values()))
    assert DRAWN[language].run(functions) == {name: TRUTHS[language][name] for name in functions}
