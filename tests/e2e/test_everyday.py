"""Everyday programs against figures derived by hand or traced: every row of a report, on one core of one Haswell."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from analyzer.quantities.quantity import Quantity
from roofline.report.report import FileReport, RegionReport
from tests.checked import file_report
from tests.night import BY_NIGHT
from tests.oracle.traced import total, traced

PROGRAMS = Path(__file__).parent.parent / "data" / "everyday"
HASWELL = PROGRAMS / "haswell.toml"
DATA: dict[str, Any] = tomllib.loads((PROGRAMS / "figures.toml").read_text("utf-8"))
ROWS: list[dict[str, Any]] = DATA["row"]
FIGURES = ("flops", "bytes", "level", "seconds", "iterations")
RELATIVE = 0.01
BYTES_OF_A_LINE = 64
LONG = {"c/09_fft.c", "c/21_stencil3d.c", "whole/lcs.c", "whole/redblack.c"}
LONGER = {  # by night: transforms, particles, sorts and sweeps, of which others run by day
    *("c/08_life.c", "c/m17_fftrow.c", "cxx/b1.cpp", "cxx/b2.cpp", "cxx/b3.cpp", "whole/fft.c", "whole/kmeans.cpp"),
    *("whole/lbm.c", "whole/nbody.cpp", "whole/sorting.c"),
}
AT_NIGHT = pytest.mark.skipif(not BY_NIGHT, reason="by night; other programs of its kind run by day")


class Figure(Struct, frozen=True):
    """One figure of one row, as it is expected."""

    file: str
    function: str
    line: int | None
    nth: int
    name: str
    expected: Any
    at: Mapping[str, int]

    def __str__(self) -> str:
        """Return the name of the test case."""
        where = "" if self.line is None else f":{self.line}"
        return f"{self.file}-{self.function}{where}{f'.{self.nth}' if self.nth else ''}-{self.name}"

    def row(self) -> RegionReport:
        """Return the row of the report: the function, or the nest that starts in the line, the nth of several."""
        (region,) = (found for found in report_of(self.file).regions if found.profile.function == self.function)
        if self.line is None:
            return region
        return [nest for nest in region.all_nests if nest.profile.span.line == self.line][self.nth]

    def found(self) -> Any:
        """Return what the analysis finds."""
        row = self.row()
        (projection,) = row.projections
        match self.name:
            case "flops":
                return self._value(row.profile.work.flops)
            case "bytes":
                return self._value(row.moved.total)
            case "level":
                return projection.level or projection.bound.value
            case "seconds":
                return projection.time.value if projection.time is not None else None
            case _:
                time, rate = projection.time, projection.iterations_per_s
                return rate * time.value if time is not None and rate is not None else None

    def agrees(self, found: Any) -> bool:
        """Whether what was found is what is expected."""
        if found is None or self.name in ("flops", "level"):
            return bool(found == self.expected)
        least = BYTES_OF_A_LINE if self.name == "bytes" else 0
        return bool(abs(found - self.expected) <= max(least, RELATIVE * self.expected))

    def _value(self, quantity: Quantity) -> float | None:
        values = {**self.row().profile.values, **self.at}
        count = quantity.estimate
        return float(count.evaluate(values)) if count.symbols <= values.keys() else None


@cache
def report_of(file: str) -> FileReport:
    return file_report(PROGRAMS / file, str(HASWELL), cores=1, defines=DATA["given"].get(file, {}))


def figures() -> Iterator[Any]:
    for row in ROWS:
        for name in FIGURES:
            if name in row:
                where = (row["file"], row["function"], row.get("line"), row.get("nth", 0))
                figure = Figure(*where, name, row[name], row.get("at", {}))
                wrong = row.get("wrong", {}).get(name)
                marks = [] if wrong is None else [pytest.mark.xfail(strict=True, reason=wrong)]
                is_long = figure.file in LONG | LONGER or figure.file.startswith("whole/")
                marks += [pytest.mark.slow] if is_long else []
                marks += [AT_NIGHT] if figure.file in LONGER else []
                yield pytest.param(figure, id=str(figure), marks=marks)


@pytest.mark.parametrize("figure", list(figures()))
def test_figure(figure: Figure) -> None:
    found = figure.found()
    assert figure.agrees(found), f"{found} instead of {figure.expected}"


@pytest.mark.parametrize(
    ("file", "function", "line", "name", "printed"),
    [
        ("c/m1_first_row.c", "main", 4, "bytes", 240_001_664),
        ("c/m1_first_row.c", "main", 4, "seconds", 26.88e-3),
        ("c/m13_gettimeofday.c", "main", 8, "bytes", 101e6),
        ("c/m13_gettimeofday.c", "main", 8, "level", "L1"),
        ("c/m13_gettimeofday.c", "main", 8, "seconds", 101e-3),
        ("c/m4b_define.c", "pi", 5, "level", "unknown"),
        ("c/m4b_define.c", "pi", 5, "seconds", None),
        ("c/m3_periodic.c", "f", 5, "bytes", 17.2e9),
        ("c/m7_toggle.c", "f", 5, "bytes", 246e9),
        ("c/m1_first_row.c", "main", 6, "iterations", 15_000_000),
        ("cxx/n2.cpp", "twice", 6, "flops", 6000),
        ("use/b.c", "main", 5, "seconds", 486e-3),
        ("use/rep.c", "main", 11, "seconds", 4.8e-3),
    ],
)
def test_figures_that_were_printed_are_rejected(file: str, function: str, line: int, name: str, printed: Any) -> None:
    (row,) = (row for row in ROWS if (row["file"], row["function"], row.get("line")) == (file, function, line))
    assert not Figure(file, function, line, 0, name, row[name], {}).agrees(printed)


@pytest.mark.parametrize("page", ["README.md", "roofline/ACCURACY.md"])
def test_pages_state_how_many_rows_are_right(page: str) -> None:
    programs, rows = len({row["file"] for row in ROWS}), len(ROWS)
    right = sum("wrong" not in row for row in ROWS)
    text = (PROGRAMS.parents[2] / page).read_text("utf-8")
    assert f"| {programs} whole programs as people write them first, {rows} rows by hand" in text
    assert f"| {right} rows right;" in text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("addr2line") is None, reason="needs gcc")
@pytest.mark.parametrize(
    ("file", "nests"),
    [("c/m1_first_row.c", [(4, 4), (5, 6)]), ("cxx/d2.cpp", [(3, 4)]), ("c/m17_fftrow.c", [(4, 4), (5, 7)])],
)
def test_what_was_traced_is_traced_again(file: str, nests: list[tuple[int, int]], tmp_path: Path) -> None:
    source = tmp_path / Path(file).name
    text = (PROGRAMS / file).read_text("utf-8")
    functions = {row["function"] for row in ROWS if row["file"] == file}
    start = "" if "main" in functions else f"\nint main() {{ {functions.pop()}(); return 0; }}\n"
    source.write_text(text + start, "utf-8")
    lines = traced(source, tmp_path)
    wanted = [row["bytes"] for row in ROWS if row["file"] == file and "line" in row]
    found = [total([each for line, each in lines.items() if a <= line <= b]).moved[-1] for a, b in nests]
    assert found == pytest.approx(wanted, rel=RELATIVE)
