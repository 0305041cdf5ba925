"""What is known of the loops of whole code bases: one table for checkouts given on the command line.

    python -m tests.bench.codebases CHECKOUT... [-j 2] [--timeout 120] [--sample FILES] [--half 0|1] [--json FILE]

Each checkout is one program, analyzed as ``ai-estimate CHECKOUT --machine ...`` would, each file in a process of its
own.  The class of a region is the weakest exactness of its FLOPs, loads and stores (:mod:`.robustness`): *exact* where
they are formulas of its symbols, an *interval* where data decide and bounds are given, *lower* where something is not
counted (a body that no file has), *unknown* where nothing is certain.  *Lost* are functions that did not parse whole.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from .robustness import FileResult, as_cells, run_folders, shares, write_results

_HEAD = (
    "| code base | files | regions | exact | interval | lower | unknown | by trip counts | functions lost "
    "| files without a region | CPU p50 s | p97 s | worst s | most frequent reasons |\n|" + "---|" * 14
)
_REASONS_SHOWN = 4
_NEARLY_ALL = 0.97


def row(name: str, results: Sequence[FileResult]) -> str:
    """Return one line of the table."""
    regions = [region for found in results for region in found.regions]
    times = sorted(found.cpu_s for found in results) or [0.0]
    reasons = Counter(code for region in regions for code in region.reasons)
    cells = [name, str(len(results)), str(len(regions))]
    cells += shares(regions)
    cells += [str(sum(found.lost for found in results)), str(sum(not found.regions for found in results))]
    nearly_worst = times[min(len(times) - 1, int(_NEARLY_ALL * len(times)))]
    cells += [f"{time:.1f}" for time in (statistics.median(times), nearly_worst, times[-1])]
    cells.append(", ".join(f"{code} {count}" for code, count in reasons.most_common(_REASONS_SHOWN)))
    return as_cells(cells)


def table(everything: dict[str, list[FileResult]]) -> Iterator[str]:
    """Yield the lines of the table, the last of them for all code bases together."""
    yield _HEAD
    for name, results in everything.items():
        yield row(name, results)
    yield row("all", [found for results in everything.values() for found in results])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 where a file ended with a traceback, a crash or by time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--sample", type=int, default=None, help="only so many files of each, by chance")
    parser.add_argument("--seed", type=int, default=1, help="another sample")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only files of this half, by crc32 of their paths")
    parser.add_argument("--json", type=Path, help="everything found, written after each checkout")
    options = parser.parse_args(arguments)
    everything: dict[str, list[FileResult]] = {}
    for checkout in options.checkouts:
        everything[checkout.name] = list(run_folders(str(checkout), options))
        print(checkout.name, file=sys.stderr, flush=True)
        if options.json:
            write_results(options.json, everything)
    print("\n".join(table(everything)))
    bad = [found for results in everything.values() for found in results if found.kind not in ("", "error")]
    for found in bad:
        print(f"{found.path}: {found.trouble}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
