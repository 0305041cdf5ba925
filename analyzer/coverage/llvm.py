"""Counts from ``llvm-cov export`` (format ``llvm.coverage.json.export``, versions 2 and 3).

``functions`` have ``regions`` [line, column, end line, end column, count, file, expanded file, kind] of the files that
``filenames`` lists, and ``branches`` with the same fields but for the two counts, true and false, of a condition
(LLVM, CoverageExporterJson.cpp).  Kind 0 is code; regions of other kinds are gaps, skipped text and macros.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..data_files.documents import parse_json
from ..data_files.values import Value
from ..errors import OptionError
from .counts import CodeRegion, Decision, FileCounts, FunctionCounts

KIND = "llvm.coverage.json.export"
_MOST = 10**18
_CODE = 0
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
    for region in entries["regions"].items():
        line, column, end_line, end_column, count, file, _, kind = _numbers(region, 8)
        if kind == _CODE and file < len(files):
            regions.setdefault(file, []).append(CodeRegion(line, column, end_line, end_column, count))
    decisions: dict[int, dict[int, list[Decision]]] = {}
    for branch in sorted(_numbers(item, 9) for item in entries["branches"].items()) if "branches" in entries else ():
        line, _, _, _, true, false, file, *_ = branch
        decisions.setdefault(file, {}).setdefault(line, []).append(Decision(true, false))
    for number, own in regions.items():
        counts = FunctionCounts(
            name=name.rpartition(":")[2],
            line=min(own).line,
            end_line=max(region.end_line for region in own),
            calls=calls,
            regions=tuple(sorted(own)),
            decisions={line: tuple(found) for line, found in decisions.get(number, {}).items()},
        )
        yield FileCounts(files[number], (path,), (counts,))


def _numbers(item: Value, fields: int) -> list[int]:
    values = item.items()
    if len(values) < fields:
        raise item.wrong(f"a list of {fields} numbers", "export it with llvm-cov 12 or later")
    return [value.integer(0, _MOST) for value in values[:fields]]
