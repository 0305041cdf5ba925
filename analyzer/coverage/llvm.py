"""Counts from ``llvm-cov export`` (format ``llvm.coverage.json.export``, versions 2 and 3).

``functions`` have ``regions`` [line, column, end line, end column, count, file, expanded file, kind] of the files that
``filenames`` lists, and ``branches`` with the same fields but for the two counts, true and false, of a condition
(LLVM, CoverageExporterJson.cpp).  Kind 0 is code; 1 is the use of a macro, whose text has
a file of its own; others are gaps and skipped text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..data_files.documents import parse_json
from ..data_files.values import Value
from ..errors import OptionError
from .counts import CodeRegion, Decision, FileCounts, FunctionCounts

KIND = "llvm.coverage.json.export"
_MOST = 10**18
_CODE, _EXPANSION = 0, 1
_IF_LARGE = "export it with -skip-expansions, and name the source files after the program"


def read_llvm(text: str, path: str) -> Iterator[FileCounts]:
    """Yield the counts of each function in each of its files; raises ``OptionError``."""
    root = parse_json(text, path, error=OptionError, if_large=_IF_LARGE).entries(("data",))
    for export in root["data"].items():
        entries = export.entries()
        if "functions" not in entries:
            hint = "export it without -summary-only and without -skip-functions"
            raise export.error(f"{export.name} has no functions", hint)
        for function in entries["functions"].items():
            yield from _function(function, path)


def _function(function: Value, path: str) -> Iterator[FileCounts]:
    entries = function.entries(("name", "count", "filenames", "regions"))
    name, calls = entries["name"].text(), entries["count"].integer(0, _MOST)
    files = [file.text() for file in entries["filenames"].items()]
    regions: dict[int, list[CodeRegion]] = {}
    macros: dict[int, list[tuple[int, int, int]]] = {}
    expanded: set[int] = set()
    for region in entries["regions"].items():
        line, column, end_line, end_column, count, file, inner, kind = _numbers(region, 8)
        if file < len(files) and kind in (_CODE, _EXPANSION):
            regions.setdefault(file, []).append(CodeRegion(line, column, end_line, end_column, count))
        if kind == _EXPANSION:
            macros.setdefault(file, []).append((line, column, inner))
            expanded.add(inner)
    decisions: dict[int, list[_Outcome]] = {}
    for branch in map(_branch, entries["branches"].items() if "branches" in entries else ()):
        decisions.setdefault(branch[0], []).append(branch[1])
    for number in regions.keys() - expanded:
        own = regions[number]
        by_line: dict[int, tuple[Decision, ...]] = {}
        for line, _, outcomes in _in_order(number, decisions, macros, frozenset()):
            by_line[line] = (*by_line.get(line, ()), *outcomes)
        counts = FunctionCounts(
            name=name.rpartition(":")[2],
            symbol=name.rpartition(":")[2],
            line=min(own).line,
            end_line=max(region.end_line for region in own),
            calls=calls,
            regions=tuple(sorted(own)),
            decisions={line: outcomes for line, outcomes in by_line.items() if outcomes},
        )
        yield FileCounts(files[number], (path,), (counts,))


_Outcome = tuple[int, int, tuple[Decision, ...]]
"""A line, a column, and the outcomes there."""


def _branch(item: Value) -> tuple[int, _Outcome]:
    """Return the file of a branch, and its outcomes."""
    line, column, _, _, true, false, file, *_ = _numbers(item, 9)
    return file, (line, column, (Decision(true, false),))


def _in_order(
    file: int,
    decisions: Mapping[int, Sequence[_Outcome]],
    macros: Mapping[int, Sequence[tuple[int, int, int]]],
    around: frozenset[int],
) -> list[_Outcome]:
    """Return the outcomes of a file, or of the text of a macro: those of the macros that it uses where it does so."""
    found = list(decisions.get(file, ()))
    for line, column, used in macros.get(file, ()):
        inner = _in_order(used, decisions, macros, around | {file}) if used not in around | {file} else []
        found.append((line, column, tuple(one for _, _, outcomes in inner for one in outcomes)))
    return sorted(found, key=lambda outcome: outcome[:2])


def _numbers(item: Value, fields: int) -> list[int]:
    values = item.items()
    if len(values) < fields:
        raise item.wrong(f"a list of {fields} numbers", "export it with llvm-cov 12 or later")
    return [value.integer(0, _MOST) for value in values[:fields]]
