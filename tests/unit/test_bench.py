"""The benchmark suite: what counts as worse, and the code bases that it generates."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec.structs import replace

from tests.bench.__main__ import Measured, rows_in, worse
from tests.bench.mutants import mutants_in
from tests.bench.sources import write_sources

ROOT = Path(__file__).parents[2]
NOW = Measured(1.0, 50, 0.5, 40, 2.0, 1.25)


def test_worse_by_more_than_the_tolerance() -> None:
    known = {"row": {"cpu_ratio": 2.0, "peak_ratio": 1.25}}
    assert list(worse({"row": replace(NOW, cpu_ratio=2.4), "new": NOW}, known)) == []
    assert list(worse({"row": replace(NOW, cpu_ratio=2.6)}, known)) == [
        "row: CPU is 2.60 times the unit, more than 2.50"
    ]
    assert list(worse({"row": replace(NOW, peak_ratio=1.6)}, known)) == [
        "row: memory is 1.60 times the unit, more than 1.56"
    ]


def test_generated_files_differ(tmp_path: Path) -> None:
    paths = write_sources(tmp_path, 30, per_folder=10)
    assert len({path.read_text() for path in paths}) == 30
    assert sorted({path.suffix for path in paths}) == [".c", ".cpp", ".cu"]
    assert len({path.parent for path in paths}) == 3


def test_every_committed_number_has_a_row(tmp_path: Path) -> None:
    known = json.loads((ROOT / "tests" / "bench" / "numbers.json").read_text())
    checkout = {"PolyBench/C", "CUDA code base"}
    of_checkouts = checkout | {f"{name}, system parse" for name in checkout} | {"PolyBench/C, JSON to the table"}
    assert set(known) == {row.name for row in rows_in(tmp_path, None, ())} | of_checkouts


SOURCE = """\
class Shape(Struct, frozen=True):
    size: int = 3
def trips(low: int, high: int | None) -> int:
    assert low > 0, f"{low + 1}"
    if low < high:
        seen.add(-(-high // low))
    return min(low, high) if low and not high else True
"""
MUTANTS = {
    2: {"(2)", "(4)"},
    5: {"(low <= high)", "(low >= high)", "(not (low < high))"},
    6: {"pass", "(high // low)", "high", "(-(--high // low))"},
    7: {"(True if low and (not high) else min(low, high))", "max", "(low or not high)", "high", "(False)"},
}


def test_mutants_change_one_operator_number_or_call_each(tmp_path: Path) -> None:
    (tmp_path / "shape.py").write_text(SOURCE)
    found: dict[int, set[str]] = {}
    for mutant in mutants_in(tmp_path, ["."]):
        found.setdefault(mutant.line, set()).add(mutant.text)
        assert len(mutant.source(tmp_path).splitlines()) == len(SOURCE.splitlines())
        assert mutant.diff(tmp_path).startswith(f"-{SOURCE.splitlines()[mutant.line - 1]}")
    assert found == MUTANTS
