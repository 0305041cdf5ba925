"""Values from a run on whole programs: of the loops that ran, how many have a number in the report.

    python -m tests.bench.recorded SOURCE... --profile FILE... [-D NAME=VALUE] [-I DIR] [--all]

A loop of a report has a number where its FLOPs, or its bytes, need nothing that is still open.  A line for each file:
loops that ran and that are in the report, those with a number, and the symbols that are open in the others by how many
loops they leave without one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from analyzer.coverage.counts import ExecutionCounts
from analyzer.coverage.measured import counts_of, measured
from analyzer.coverage.reading import read_counts
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.options import ParseOptions
from analyzer.source import read_source
from roofline import estimate
from roofline.report.report import FileReport


class Loops(Struct, frozen=True):
    """Of one file: the lines of loops that ran, of those in the report, and what is open in each without a number."""

    ran: frozenset[int]
    listed: frozenset[int]
    open_symbols: dict[int, frozenset[str]]


def ran(path: str, counts: ExecutionCounts, options: ParseOptions) -> Iterator[int]:
    """The lines of loops that were entered."""
    unit = parse_clang(read_source(path), options).unit
    for function in unit.functions.values():
        file = counts.of_file(function.span.path)
        found = None if file is None or function.span.path != path else counts_of(function, file)
        if found is not None:
            yield from measured(function, found[0]).trips


def loops_of(report: FileReport, lines: frozenset[int]) -> Loops:
    """What the report has of these loops, in the rows of the function that they stand in."""
    listed: set[int] = set()
    unknown: dict[int, frozenset[str]] = {}
    for region in report.regions:
        for nest in (region, *region.all_nests):
            profile = nest.profile
            counts = (profile.work.flops, profile.loads.elements)
            missing = frozenset[str]().union(*(each.estimate.bind(profile.values).symbols for each in counts))
            for loop in profile.loops:
                inside = region.profile.span.line <= loop.line <= region.profile.span.end_line
                if loop.line in lines and inside:
                    listed.add(loop.line)
                    if nest is not region or not region.all_nests:
                        unknown[loop.line] = unknown.get(loop.line, frozenset()) | missing
    return Loops(lines, frozenset(listed), {line: names for line, names in unknown.items() if names})


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
    for path in options.sources:
        lines = frozenset(ran(path, counts, ParseOptions(defines, tuple(options.folders))))
        if not lines:
            continue
        since = time.process_time()
        (report,) = estimate(
            path,
            profile=tuple(options.profile),
            defines=defines,
            shared_defines=frozenset(defines),
            include_dirs=tuple(options.folders),
            cache="compulsory",
        ).files
        found = loops_of(report, lines)
        without = Counter(name for names in found.open_symbols.values() for name in names)
        numbers = len(found.listed) - len(found.open_symbols)
        print(
            f"{path}: {len(lines)} loops ran, {len(found.listed)} in the report, {numbers} with a number, "
            f"{time.process_time() - since:.1f} s; open: {dict(without.most_common(6))}",
            flush=True,
        )
        for line, names in sorted(found.open_symbols.items()) if options.all else ():
            print(f"    {line}: {', '.join(sorted(names))}")
        for line in sorted(lines - found.listed) if options.all else ():
            print(f"    {line}: not in the report")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
