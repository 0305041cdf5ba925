"""Recorded launches of real CUDA kernels, and the regions that the analysis makes of them.

A checkout is the repository gpuFLOPBench (sources under ``src/``); each row is the first launch of a kernel with what a
profiler recorded, the program's command line and how its files are compiled.
"""

from __future__ import annotations

import json
import re
import shlex
import signal
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from analyzer.errors import AnalyzerError
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import GivenLaunch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.linking import link_device_code
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.lower.kernels.kernel import plain_name
from analyzer.frontend.options import Parsed, ParseOptions
from analyzer.frontend.surface.nodes import FunctionKind, Unit
from analyzer.ir.nodes import Region
from analyzer.source import Language, read_source
from roofline.catalog import find_machine
from roofline.model.gpu.device_properties import device_properties

SECONDS_PER_ROW = 20
_MACHINE = "rtx3080"
MODES = ("given", "discovered")

Row = Mapping[str, Any]
Found = TypeVar("Found")


class OutOfTime(Exception):
    """A row took too long."""


class NoRegion(Exception):
    """A row has no region; the text says why."""


class Checkout:
    """A checkout; sources are parsed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parsed: dict[str, Parsed] = {}

    def parse(self, unit: Row) -> Parsed:
        """One translation unit as the benchmark compiles it."""
        if unit["file"] not in self._parsed:
            defines = dict((*item.split("=", 1), "1")[:2] for item in unit["defines"])
            folders = tuple(str(self.folder / folder) for folder in unit["includes"])
            source = read_source(str(self.folder / unit["file"]), language=Language.CUDA)
            self._parsed[unit["file"]] = parse_clang(source, ParseOptions(defines, folders, unit["std"]))
        return self._parsed[unit["file"]]

    def region(self, row: Row, mode: str) -> Region:
        """The first launch of the row's kernel; grid and block are those of the row where ``mode`` is ``given``.

        Raises :class:`NoRegion`.
        """
        seen = False
        for unit in filter(self._is_there, row["compile"]):
            parsed = self.parse(unit)
            keys = kernel_keys(parsed, row)
            if not keys:
                continue
            seen = True
            others = [self.parse(o).unit for o in row["compile"] if o is not unit and self._is_there(o)]
            names = {o.path: frozenset(item.name for item in o.functions.values()) for o in others}
            linked = link_device_code(parsed.unit, names, {o.path: o for o in others}.get).unit
            parsed = replace(parsed, unit=linked)
            found = _of_unit(parsed, others, keys, row, mode)
            if found is not None:
                return found
        raise NoRegion("no launch" if seen else "no kernel")

    def _is_there(self, unit: Row) -> bool:
        return (self.folder / unit["file"]).exists()


def _of_unit(parsed: Parsed, others: list[Unit], keys: list[str], row: Row, mode: str) -> Region | None:
    arguments = shlex.split(row["exe_args"] or "")
    device = device_properties([find_machine(_MACHINE)])
    launches, _ = launches_of(parsed.unit, (), arguments, {}, others, device)
    own = [launch for launch in launches if launch.kernel in keys]
    sizes = (tuple(row["grid"]), tuple(row["block"]))
    if mode == "given":
        same = [launch for launch in own if (launch.launch.grid, launch.launch.block) == sizes]
        key = (same or own)[0].kernel if own else keys[0]
        given = [GivenLaunch(kernel=parsed.unit.functions[key].name, grid=sizes[0], block=sizes[1])]
        launches, _ = launches_of(parsed.unit, given, arguments, {}, others, device)
        own = same or [launch for launch in launches if launch.kernel == key]
    if not own:
        return None
    lowered = lower_unit(parsed.unit, LowerOptions(functions=frozenset({own[0].kernel}), launches=(own[0],)))
    return lowered.regions[0] if lowered.regions else None


def kernel_keys(parsed: Parsed, row: Row) -> list[str]:
    """Kernels of the row's name, those with its template arguments first."""
    kernels = [item for item in parsed.unit.functions.values() if item.kind is FunctionKind.KERNEL]
    named = [item for item in kernels if plain_name(item.name).rsplit("::", 1)[-1] == row["kernel"]]
    found = re.search(r"<(.*)>\(", row["kernel_demangled"])
    wanted = re.sub(r"\s|\(\w+\)", "", found[1]) if found else ""
    exact = [item.key for item in named if re.sub(r"\s", "", item.name.partition("<")[2].rstrip(">")) == wanted]
    return exact or [item.key for item in named]


def half_of(row: Row) -> int:
    """Return the half that a row's program belongs to."""
    return zlib.crc32(row["target"].encode()) % 2


def rows_of(path: Path, *, text: str = "", half: int | None = None) -> Iterator[Row]:
    """Yield the recorded launches whose id holds a text; those of the programs of one half, where that is given."""
    for row in json.loads(path.read_text("utf-8")):
        if text in row["id"] and half in (None, half_of(row)):
            yield row


def in_time(predict: Callable[[], Found], failed: Callable[[str], Found]) -> Found:
    """What ``predict`` gives, or what ``failed`` makes of the reason why it gives nothing."""
    signal.signal(signal.SIGPROF, _out_of_time)
    signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_ROW)
    try:
        return predict()
    except OutOfTime:
        return failed("out of time")
    except (NoRegion, AnalyzerError) as error:
        return failed(str(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _out_of_time(_signal: int, _frame: object) -> None:
    raise OutOfTime
