"""Source files to regions, for tests that compare a whole way through the program with something from outside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import Choice, read
from analyzer.ir.nodes import Region
from analyzer.source import SourceFile, language_of

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "corpus"


def region_of(path: Path, function: str, defines: Mapping[str, str], include_dirs: tuple[str, ...] = ()) -> Region:
    """The region of one function of a file."""
    return region_of_text(path.read_text("utf-8"), function, defines, (*include_dirs, str(path.parent)), str(path))


def region_of_text(
    text: str,
    function: str,
    defines: Mapping[str, str],
    include_dirs: tuple[str, ...] = (),
    path: str = "nest.c",
    frontend: Choice = "auto",
) -> Region:
    """The region of one function of a source text."""
    source = SourceFile(path, text, language_of(path))
    parsed = read(source, ParseOptions(defines=defines, include_dirs=include_dirs), frontend)
    numbers = {name: int(value) for name, value in defines.items() if value.lstrip("-").isdigit()}
    lowered = lower_unit(parsed.unit, LowerOptions(defines=numbers, functions=frozenset({function})))
    (region,) = lowered.regions
    return region
