"""How often the lines, conditions and functions of a program ran, whatever tool recorded it.

Tools without positions in a line (gcov, LCOV, CSV) count lines and the outcomes of conditions; clang counts regions of
code, from a line and column to another.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from msgspec import Struct, field


class Decision(Struct, frozen=True):
    """How often a condition without ``&&`` and ``||`` was true and false; of a loop, true means another iteration."""

    true: int
    false: int

    def __add__(self, other: Decision) -> Decision:
        """Return the sum of two runs."""
        return Decision(self.true + other.true, self.false + other.false)


class CodeRegion(Struct, frozen=True, order=True):
    """A stretch of code that ran ``count`` times; the end is exclusive, and regions nest."""

    line: int
    column: int
    end_line: int
    end_column: int
    count: int

    def holds(self, line: int, column: int) -> bool:
        """Return whether a position is in the region."""
        return (self.line, self.column) <= (line, column) < (self.end_line, self.end_column)


class FunctionCounts(Struct, frozen=True, kw_only=True):
    """The counts of one function, of one instance of a template, or of lines of a file without a function.

    ``name`` is as the tool prints it, with its parameters where it does so; ``line`` is its first line and
    ``end_line`` the last (0: unknown).  ``symbol`` is what the linker calls it, where the tool states it.
    ``decisions`` are those of a line, of the macros used on it too: in the order of the source, or, ``of_jumps``, in
    the order and the sense of gcc's jumps.
    """

    name: str = ""
    symbol: str = ""
    line: int = 0
    end_line: int = 0
    calls: int | None = None
    lines: Mapping[int, int] = field(default_factory=dict)
    decisions: Mapping[int, tuple[Decision, ...]] = field(default_factory=dict)
    of_jumps: bool = False
    regions: tuple[CodeRegion, ...] = ()


class FileCounts(Struct, frozen=True):
    """The counts of one source file, which was read from ``recorded`` files."""

    path: str
    recorded: tuple[str, ...]
    functions: tuple[FunctionCounts, ...]


class ExecutionCounts(Struct, frozen=True):
    """The counts of a run, or of the sum of several."""

    files: tuple[FileCounts, ...]

    def of_file(self, path: str) -> FileCounts | None:
        """Return the counts of a source file; where it was built elsewhere, those with most folders in common."""
        real = os.path.realpath(path)
        for file in self.files:
            if os.path.realpath(file.path) == real:
                return file
        parts = PurePath(real).parts
        alike = [(_common_end(PurePath(file.path).parts, parts), file) for file in self.files]
        most = max((common for common, _ in alike), default=0)
        best = [file for common, file in alike if common == most]
        return best[0] if most and len(best) == 1 else None


def merged(files: Iterable[FileCounts]) -> ExecutionCounts:
    """Return the sums of the counts of each file."""
    by_path: dict[str, list[FileCounts]] = {}
    for file in files:
        by_path.setdefault(file.path, []).append(file)
    return ExecutionCounts(tuple(_sum(path, parts) for path, parts in sorted(by_path.items())))


def _sum(path: str, parts: list[FileCounts]) -> FileCounts:
    recorded = tuple(dict.fromkeys(name for part in parts for name in part.recorded))
    functions: dict[tuple[str, int], list[FunctionCounts]] = {}
    for part in parts:
        for function in part.functions:
            functions.setdefault((function.symbol or function.name, function.line), []).append(function)
    return FileCounts(path, recorded, tuple(added(same) for same in functions.values()))


def added(functions: Iterable[FunctionCounts]) -> FunctionCounts:
    """Return the sum of the counts of some functions, by line and by region, with the name of the first."""
    found = list(functions)
    lines: Counter[int] = Counter()
    decisions: dict[int, tuple[Decision, ...]] = {}
    regions: dict[tuple[int, int, int, int], int] = {}
    for one in found:
        lines.update(dict(one.lines))
        for line, own in one.decisions.items():
            decisions[line] = _paired(decisions[line], own) if line in decisions else own
        for region in one.regions:
            key = (region.line, region.column, region.end_line, region.end_column)
            regions[key] = regions.get(key, 0) + region.count
    calls = [one.calls for one in found if one.calls is not None]
    return FunctionCounts(
        name=found[0].name,
        symbol=found[0].symbol,
        line=found[0].line,
        end_line=found[0].end_line,
        calls=sum(calls) if calls else None,
        lines=dict(sorted(lines.items())),
        decisions={line: own for line, own in sorted(decisions.items()) if own},
        of_jumps=any(one.of_jumps for one in found),
        regions=tuple(CodeRegion(*key, count) for key, count in sorted(regions.items())),
    )


def _paired(one: tuple[Decision, ...], other: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Return the sums of decisions of one line; () where the line has others in another build."""
    return tuple(a + b for a, b in zip(one, other, strict=True)) if len(one) == len(other) else ()


def _common_end(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    common = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        common += 1
    return common


def whole_number(text: str) -> int:
    """Return a count as a tool writes it; raises ``ValueError`` where it is no number, or below 0."""
    count = int(text)
    if count < 0:
        raise ValueError(text)
    return count
