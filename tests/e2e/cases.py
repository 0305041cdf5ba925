"""The cases of ``corpus/``: how they are written, run through the public command, and compared.

A ``case.toml`` holds ``[[run]]`` tables: ``options`` of the command, ``region`` (a function, else the first region),
``printed`` and ``exact`` numbers and ``why`` they differ.  Keys are paths into the region of the JSON report; a list is
entered by position or by ``[name=VALUE]``.  ``printed`` values are text, rounded as the document rounds them.
``[[relation]]`` tables compare two runs.
"""

from __future__ import annotations

import io
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..in_process import analyzing_here
from ..oracle.sources import CORPUS

_STEP = re.compile(r"([^.\[\]]+)(?:\[(?:(\d+)|(\w+)=([^\]]+))\])?(?:\.|$)")


class Run(Struct, frozen=True):
    """One invocation of the command on one kernel."""

    case: str
    name: str
    file: Path
    region: str | None
    options: tuple[str, ...]
    printed: Mapping[str, str]
    exact: Mapping[str, Any]
    why: Mapping[str, str]

    def report(self) -> dict[str, Any]:
        """The region's part of the JSON report."""
        regions = [region for file in command(self.file, *self.options)["files"] for region in file["regions"]]
        return next(r for r in regions if self.region in (None, r["function"]))

    def __str__(self) -> str:
        return f"{self.case}-{self.name}"


class Relation(Struct, frozen=True):
    """``of`` is ``times`` the value of ``to``; both are a run and a path."""

    case: str
    of: tuple[Run, str]
    times: Fraction
    to: tuple[Run, str]

    def __str__(self) -> str:
        return f"{self.case}-{self.of[0].name}-{self.to[0].name}-{self.of[1]}"


@cache
def command(file: Path, *options: str) -> dict[str, Any]:
    """The JSON report of the public command; fails where the command does."""
    from cli.main import main

    out, err = io.StringIO(), io.StringIO()
    with analyzing_here(), redirect_stdout(out), redirect_stderr(err):
        code = main([str(file), "--format", "json", *options])
    assert code == 0, f"exit code {code}: {err.getvalue()}"
    return json.loads(out.getvalue())


def runs() -> Iterator[Run]:
    """Every run of every case."""
    for path, case in _cases():
        yield from _runs(path, case)


def relations() -> Iterator[Relation]:
    """Every relation of every case."""
    for path, case in _cases():
        by_name = {run.name: run for run in _runs(path, case)}
        for found in case.get("relation", ()):
            of, to = ((by_name[name], key) for name, key in (found["of"], found["to"]))
            yield Relation(path.parent.name, of, Fraction(found["times"]), to)


def look_up(report: Any, path: str) -> Any:
    """The value at a path."""
    for name, position, key, wanted in _STEP.findall(path):
        report = report[name]
        if position:
            report = report[int(position)]
        elif key:
            report = next(entry for entry in report if entry[key] == wanted)
    return report


def rounds_to(value: Any, printed: str) -> bool:
    """Whether a number, shown with as many digits as a printed one, is that one; a fraction must be equal."""
    if value is None:
        return False
    if "/" in printed:
        return Fraction(str(value)) == Fraction(printed)
    shown = Decimal(printed)
    half = Decimal(1).scaleb(int(shown.as_tuple().exponent)) / 2
    return abs(Decimal(str(value)) - shown) <= half


def _cases() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(CORPUS.glob("*/case.toml")):
        yield path, tomllib.loads(path.read_text("utf-8"))


def _runs(path: Path, case: Mapping[str, Any]) -> Iterator[Run]:
    folder = path.parent
    for number, run in enumerate(case["run"], 1):
        yield Run(
            folder.name,
            run.get("name", str(number)),
            folder / case.get("file", "kernel.c"),
            run.get("region"),
            tuple(option.format(folder=folder) for option in run.get("options", ())),
            run.get("printed", {}),
            run.get("exact", {}),
            run.get("why", {}),
        )
