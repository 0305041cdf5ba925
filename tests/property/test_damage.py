"""Whatever is in a file: an answer, or an error that says where and why; never a traceback."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import AnalyzerError
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.source import SourceFile, language_of
from analyzer.traffic.options import CacheOptions
from cli.render.table.table import render_table
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from tests.projected import make_report

from ..fuzz.targets import TARGETS, attempt
from .damage import damaged

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = sorted(CORPUS.glob("*/kernel.c*"))


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # a time limit inside a callback of tools
@given(file=st.sampled_from(FILES), seed=st.integers(0, 10**9))
def test_sources(file: Path, seed: int) -> None:
    text = damaged(file.read_text("utf-8"), random.Random(seed))
    machine = find_machine("v100" if file.suffix == ".cu" else "haswell")
    cache = CacheOptions(hierarchies=(hierarchy_of(machine),), conditions_if_unknown=True)
    options = AnalysisOptions(cache=cache, budget_s=1)
    profiles: tuple[AnalyzedFile, ...] = ()
    with suppress(AnalyzerError):
        profiles = analyze(SourceFile(str(file), text, language_of(str(file))), options)
    report = make_report(profiles, [machine], ProjectionOptions(), version="0", options={})
    assert len(report.to_primitive()["files"]) == len(profiles)
    assert bool(render_table(report).strip()) == bool(profiles)


@pytest.mark.parametrize("name", ["haswell-e5-2695v3", "v100"])
@given(seed=st.integers(0, 10**9))
def test_machine_files(tmp_path_factory: pytest.TempPathFactory, name: str, seed: int) -> None:
    text = (CORPUS.parent / "roofline" / "machines" / f"{name}.toml").read_text("utf-8")
    path = tmp_path_factory.mktemp("machines") / "m.toml"
    path.write_bytes(damaged(text, random.Random(seed)).encode("utf-8", "replace"))
    told = str(path)
    try:
        find_machine(str(path))
    except AnalyzerError as error:
        told = str(error)
    assert str(path) in told


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # a time limit inside a callback of tools
@pytest.mark.parametrize("name", ["fragment", "policy", "configuration", "baseline", "build", "measured", "kept"])
@given(number=st.integers(0, 10**9), seed=st.integers(0, 10**9))
def test_everything_else_that_is_read(name: str, number: int, seed: int) -> None:
    seeds = _seeds(name)
    text = seeds[number % len(seeds)].decode("latin-1")
    attempt(TARGETS[name], damaged(text, random.Random(seed)).encode("latin-1", "replace"))


@cache
def _seeds(name: str) -> tuple[bytes, ...]:
    return tuple(TARGETS[name].seeds())
