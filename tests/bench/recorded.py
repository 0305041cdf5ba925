"""Values from a run on whole programs: of the loops that ran, how many have a number in the report.

    python -m tests.bench.recorded SOURCE... --profile FILE... [-D NAME=VALUE] [-I DIR] [--all]

A loop of a report has a number where its FLOPs need nothing that is still open.  A line for each file: loops that ran
and that are in the report, those with a number, those of them whose bytes are open (they hold a call of a library that
goes through a string of a length that no line of the program counts), and the symbols that are open by how many loops
they leave so.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from analyzer.coverage.counts import ExecutionCounts
from analyzer.coverage.measured import counts_of, measured
from analyzer.coverage.reading import read_counts
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import ParseOptions
from analyzer.profile import RegionProfile
from analyzer.source import read_source
from roofline import estimate
from roofline.report.report import FileReport

Line = tuple[str, int]
"""A file and the number of a line of it."""


class Loops(Struct, frozen=True):
    """Of a source with its headers: the loops that ran, those in the report, what is open in each of these.

    ``open_symbols`` are those of FLOPs, ``open_in_bytes`` those of bytes where FLOPs have none.  ``within`` are the
    loops that have no row of their own, as they were written out or have nothing to count, in functions whose sums are
    numbers.
    """

    ran: frozenset[Line]
    listed: frozenset[Line]
    open_symbols: dict[Line, frozenset[str]]
    open_in_bytes: dict[Line, frozenset[str]]
    within: frozenset[Line] = frozenset()


class Ran(Struct, frozen=True):
    """The lines of loops that were entered, and the functions and instances of templates that never were."""

    lines: frozenset[Line]
    never: frozenset[str]


def ran(path: str, counts: ExecutionCounts, options: ParseOptions) -> Ran:
    """What ran of a source and of headers whose lines were counted."""
    lines: set[Line] = set()
    calls: Counter[str] = Counter()
    unit = parse_clang(read_source(path), options).unit
    for function in unit.functions.values():
        file = counts.of_file(function.span.path)
        found = None if file is None else counts_of(function, file)
        if found is not None:
            lines |= {(function.span.path, line) for line, _ in measured(function, found[0]).trips}
            calls[function.name] += 1 if found[0].calls is None else found[0].calls
    return Ran(frozenset(lines), frozenset(name for name, number in calls.items() if not number))


def loops_of(report: FileReport, which: Ran) -> Loops:
    """What the report has of these loops, in the rows of their function; of headers in those of any that calls them."""
    lines = which.lines
    listed: set[Line] = set()
    within: set[Line] = set()
    unknown: dict[Line, frozenset[str]] = {}
    in_bytes: dict[Line, frozenset[str]] = {}
    for region in (one for one in report.regions if one.profile.function not in which.never):
        if not any(_missing(region.profile)):
            span = region.profile.span
            within |= {(path, line) for path, line in lines if path == span.path and span.line <= line <= span.end_line}
        for nest in (region, *region.all_nests):
            profile = nest.profile
            work, loads = _missing(profile)
            for loop in profile.loops:
                line = (loop.path, loop.line)
                span = region.profile.span
                is_own = loop.path == span.path == report.profile.path  # which has a row of its function
                if line in lines and (not is_own or span.line <= loop.line <= span.end_line):
                    listed.add(line)
                    if nest is not region or not region.all_nests:
                        unknown[line] = unknown.get(line, frozenset()) | work
                        in_bytes[line] = in_bytes.get(line, frozenset()) | loads
    without = {line: names for line, names in unknown.items() if names}
    bytes_alone = {line: names for line, names in in_bytes.items() if names and line not in without}
    return Loops(lines, frozenset(listed), without, bytes_alone, frozenset(within - listed))


def _missing(profile: RegionProfile) -> tuple[frozenset[str], frozenset[str]]:
    """The symbols without which the work is no number, and those of the loads."""
    work, loads = (each.estimate.bind(profile.values).symbols for each in (profile.work.flops, profile.loads.elements))
    return work, loads


class Read(Struct, frozen=True):
    """The loops of one file of a program, and the CPU seconds of its report."""

    path: str
    loops: Loops
    seconds: float

    @property
    def numbers(self) -> int:
        """How many loops of the report have a number."""
        return len(self.loops.listed) - len(self.loops.open_symbols)

    @property
    def text(self) -> str:
        """One line."""
        found = (self.loops.open_symbols, self.loops.open_in_bytes)
        without = Counter(name for each in found for names in each.values() for name in names)
        return (
            f"{self.path}: {len(self.loops.ran)} loops ran, {len(self.loops.listed)} in the report, "
            f"{self.numbers} with a number ({len(self.loops.open_in_bytes)} of FLOPs alone), "
            f"{len(self.loops.within)} more within one, "
            f"{self.seconds:.1f} s; open: {dict(without.most_common(6))}"
        )

    def details(self, wanted: bool) -> Iterator[str]:
        """A line for each loop without a number or of whose bytes something is open, if wanted."""
        for what, found in (("", self.loops.open_symbols), ("bytes ", self.loops.open_in_bytes)):
            for (path, line), names in sorted(found.items()) if wanted else ():
                yield f"{Path(path).name}:{line}: {what}{', '.join(sorted(names))}"
        for path, line in sorted(self.loops.ran - self.loops.listed - self.loops.within) if wanted else ():
            yield f"{Path(path).name}:{line}: not in the report"


def loops_of_files(
    sources: Iterable[str],
    profile: Sequence[str],
    counts: ExecutionCounts,
    defines: Mapping[str, str],
    folders: tuple[str, ...],
) -> Iterator[Read]:
    """Analyze each file with the counts of a run; those of which no loop ran are left out."""
    for path in sources:
        which = ran(path, counts, ParseOptions(dict(defines), folders))
        if not which.lines:
            continue
        since = time.process_time()
        (report,) = estimate(
            path,
            profile=tuple(profile),
            defines=dict(defines),
            shared_defines=frozenset(defines),
            include_dirs=folders,
            cache="compulsory",
        ).files
        yield Read(path, loops_of(report, which), time.process_time() - since)


def main(arguments: Sequence[str]) -> int:
    """Print a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--profile", nargs="+", required=True)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("-I", dest="folders", action="append", default=[])
    parser.add_argument("--all", action="store_true", help="a line for each loop without a number")
    options = parser.parse_args(arguments)
    defines = {name: value or "1" for name, _, value in (text.partition("=") for text in options.defines)}
    counts = read_counts(options.profile)
    for read in loops_of_files(options.sources, options.profile, counts, defines, tuple(options.folders)):
        print(read.text, *read.details(options.all), sep="\n    ", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
