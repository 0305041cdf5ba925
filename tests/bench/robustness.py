"""The analysis of whole code bases: what is exact, what is not and why, what it costs, and that nothing breaks.

    python -m tests.bench.robustness NAME=FOLDERS... [-j 2] [--timeout 120] [--sample FILES] [--json FILE] [--slow 5]

``FOLDERS`` is a folder or a pattern of folders.  Every C, C++ and CUDA source below is analyzed as ``ai-estimate FOLDER
--machine ...`` would, each file in a process that ends after ``--timeout`` seconds of CPU time.  The tables are
Markdown.  The class of a region is the weakest exactness of its FLOPs, loads and stores: *exact* where these are
formulas of its symbols, an *interval* where data decide and bounds are given, *lower* where something that it calls or
does is not counted, and *unknown* where there is neither a bound.  A trip count that no one can tell from the source
is a symbol like others, which ``-D`` gives; *by trip counts* says how many of the regions that are exact or an
interval have one.  A region may have several reasons.  *Lost* are functions that did not parse whole.
"""

from __future__ import annotations

import argparse
import glob
import multiprocessing
import os
import random
import resource
import signal
import statistics
import sys
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
from msgspec import Struct, field

from analyzer.diagnostics import Diagnostic, catalog
from analyzer.errors import AnalyzerError
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import FileProfile, RegionProfile
from analyzer.quantities.quantity import Exactness
from analyzer.source import language_of, read_source
from analyzer.traffic.options import CacheOptions
from cli.files.companions import companions_of
from cli.files.selection import select
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of

_CPU, _GPU = "haswell", "v100"
_TRIP = "trip_"
_CLASSES = ("exact", "interval", "lower", "unknown")
_LOST = "is left out"
_REASONS = frozenset({"AI201", "AI202", "AI203", "AI204", "AI206", "AI207", "AI212"})
_NOT_COUNTED = "counting this exactly takes too long"
_LONGEST_FORMULA = 2_000


class RegionResult(Struct):
    """What is known of one function or kernel, and the codes of what keeps it from being exact."""

    name: str
    line: int
    known: str
    reasons: list[str]
    flops: str = ""
    loads: str = ""
    stores: str = ""
    by_trips: bool = False
    missing: list[str] = field(default_factory=list)


class FileResult(Struct):
    """What one file gave; ``trouble`` is a traceback, a time-out, a crash or an error that is told."""

    path: str
    cpu_s: float = 0.0
    regions: list[RegionResult] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    lost: int = 0
    trouble: str = ""
    kind: str = ""


def analyze_file(path: str, companions: Sequence[str], defines: dict[str, str]) -> FileResult:
    """Analyze one file as the command would."""
    found = FileResult(path)
    began = _cpu_s()
    try:
        machine = find_machine(_GPU if language_of(path).value == "cuda" else _CPU)
        hierarchy = hierarchy_of(machine)
        cache = CacheOptions(hierarchies=() if hierarchy is None else (hierarchy,), conditions_if_unknown=True)
        others = tuple(read_source(other) for other in companions if other != path)
        options = AnalysisOptions(defines=defines, companions=others, cache=cache)
        for file in analyze(read_source(path), options):
            _add(found, file.profile)
    except AnalyzerError as error:
        found.kind, found.trouble = "error", str(error)
    except Exception:
        found.kind, found.trouble = "traceback", traceback.format_exc()
    found.cpu_s = _cpu_s() - began
    return found


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _add(found: FileResult, profile: FileProfile) -> None:
    found.told += [f"{item.code} {item.span.line}: {item.message}" for item in profile.diagnostics]
    found.lost += sum(_LOST in item.message for item in profile.diagnostics)
    found.regions += [_region(region, profile.diagnostics) for region in profile.regions]


def _region(region: RegionProfile, diagnostics: Sequence[Diagnostic]) -> RegionResult:
    known = _class_of(region)
    lines = {(line.path, line.line) for line in region.lines}  # those of inlined functions too
    reasons = {item.code for item in diagnostics if _is_in(item, region, lines) and item.code in _REASONS}
    reasons |= {note.code for note in region.assumptions if note.code in _REASONS}
    reasons |= {_why(str(found.what)) for found in region.work.not_counted}
    reasons |= {"AI208" for note in region.assumptions if note.text.startswith(_NOT_COUNTED)}
    if region.work.not_located:  # what the called functions leave open
        elsewhere = {item.code for item in diagnostics if item.span.path != region.span.path}
        reasons |= elsewhere & _REASONS if known == "interval" else set()
    quantities = (region.work.flops, region.loads.elements, region.stores.elements)
    texts = [str(quantity.estimate)[:_LONGEST_FORMULA] for quantity in quantities]
    return RegionResult(
        region.name,
        region.span.line,
        known,
        [] if known == "exact" else sorted(reasons),
        *texts,
        by_trips=any(name.startswith(_TRIP) for quantity in quantities for name in quantity.estimate.symbols),
        missing=sorted({str(found.what) for found in region.work.not_counted}),
    )


def _why(what: str) -> str:
    """The code of a thing that is not counted."""
    return "AI201" if what.startswith("call of ") else "AI207" if what.startswith("inner call of ") else "AI206"


def _is_in(item: Diagnostic, region: RegionProfile, lines: Container[tuple[str, int]]) -> bool:
    if (item.span.path, item.span.line) in lines:
        return True
    return item.span.path == region.span.path and region.span.line <= item.span.line <= region.span.end_line


def _class_of(region: RegionProfile) -> str:
    """Return the weakest class; where something is counted, what has no upper bound is a lower one."""
    kinds = {quantity.exactness for quantity in (region.work.flops, region.loads.elements, region.stores.elements)}
    if Exactness.LOWER in kinds or (Exactness.UNKNOWN in kinds and kinds - {Exactness.UNKNOWN}):
        return "lower"
    if Exactness.UNKNOWN in kinds:
        return "unknown"
    return "exact" if kinds == {Exactness.EXACT} else "interval"


def _in_child(
    sender: Connection, path: str, companions: Sequence[str], defines: dict[str, str], timeout_s: int
) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (timeout_s, timeout_s))
    with open(os.devnull, "w") as silent:
        os.dup2(silent.fileno(), 2)
    sender.send(analyze_file(path, companions, defines))


def run_file(path: str, companions: Sequence[str], defines: dict[str, str], timeout_s: int) -> FileResult:
    """The same in a process of its own, which the system ends after a time."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=_in_child, args=(sender, path, companions, defines, timeout_s)
    )
    child.start()
    sender.close()
    try:
        found: FileResult | None = receiver.recv()
    except EOFError:
        found = None
    child.join()
    if found is not None:
        return found
    if child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL):
        return FileResult(path, timeout_s, kind="timeout", trouble=f"more than {timeout_s} s")
    return FileResult(path, kind="crash", trouble=f"ended with {child.exitcode}")


def run_folders(pattern: str, options: argparse.Namespace) -> Iterator[FileResult]:
    """Every source below some folders, or a sample that is the same in every run, in order."""
    selection = select(sorted(glob.glob(pattern)))
    companions = companions_of(selection, ())
    files = [file.path for file in selection.files]
    if options.sample is not None and options.sample < len(files):
        files = sorted(random.Random(options.seed).sample(files, options.sample))
    if options.half is not None:
        files = [path for path in files if _half_of(path, pattern) == options.half]
    defines = dict(item.partition("=")[::2] for item in options.defines)
    with ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda path: run_file(path, companions.get(path, ()), defines, options.timeout), files)


def _half_of(path: str, folder: str) -> int:
    """Return which of two halves a file is in: the files that repairs are worked out with, or those put aside."""
    return zlib.crc32(os.path.relpath(path, folder).encode()) % 2


def row(name: str, results: Sequence[FileResult]) -> str:
    """One line of the table of results."""
    kinds = Counter(item.kind for item in results)
    known = Counter(region.known for item in results for region in item.regions)
    times = [item.cpu_s for item in results] or [0.0]
    cells = [name, str(len(results)), str(known.total())]
    cells += shares([region for item in results for region in item.regions])
    cells += [str(sum(item.lost for item in results)), str(kinds["error"])]
    cells += [f"{statistics.mean(times):.2f}", f"{statistics.median(times):.2f}", f"{max(times):.1f}"]
    cells += [str(kinds[kind]) for kind in ("traceback", "crash", "timeout")]
    return as_cells(cells)


_HEAD = (
    "| code base | files | regions | exact | interval | lower | unknown | by trip counts | functions lost "
    "| files without C | CPU s/file | median | most | tracebacks | crashes | time-outs |\n|" + "---|" * 16
)


def shares(regions: Sequence[RegionResult]) -> list[str]:
    """Return the share of each class of regions, and of those exact or an interval that have trip counts as symbols."""
    if not regions:
        return ["-"] * (len(_CLASSES) + 1)
    found = [sum(region.known == kind for region in regions) for kind in _CLASSES]
    found.append(sum(region.by_trips and region.known in _CLASSES[:2] for region in regions))
    return [f"{100 * number / len(regions):.0f} %" for number in found]


def reasons(everything: dict[str, list[FileResult]]) -> Iterator[str]:
    """The table of reasons: of all regions that are not exact how many have each reason."""
    regions = {name: [r for item in results for r in item.regions] for name, results in everything.items()}
    counts = {name: Counter((r.known, code) for r in found for code in r.reasons) for name, found in regions.items()}
    codes = sorted({code for count in counts.values() for _, code in count})
    yield as_cells(["code base", *(f"{code} {catalog()[code].title}" for code in codes)])
    yield "|" + "---|" * (1 + len(codes))
    for name, count in counts.items():
        yield as_cells([name, *(" + ".join(str(count[kind, code]) for kind in _CLASSES[1:]) for code in codes)])


def as_cells(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def write_results(path: Path, everything: dict[str, list[FileResult]]) -> None:
    """Write all results as JSON; the file is whole at any time."""
    new = path.with_suffix(".new")
    new.write_bytes(msgspec.json.encode(everything))
    new.replace(path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, and what went wrong below them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDERS")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--sample", type=int, default=None, help="only so many files of each code base, by chance")
    parser.add_argument("--seed", type=int, default=1, help="another sample")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only files of this half, by crc32 of their paths")
    parser.add_argument("--slow", type=float, default=10, help="name files that take longer")
    parser.add_argument("--json", type=Path, help="everything found, written after each file")
    options = parser.parse_args(arguments)
    everything: dict[str, list[FileResult]] = {}
    print(_HEAD, flush=True)
    for item in options.folders:
        name, _, pattern = item.partition("=")
        everything[name] = []
        for result in run_folders(pattern, options):
            everything[name].append(result)
            if options.json:
                write_results(options.json, everything)
        print(row(name, everything[name]), flush=True)
    print("\nReasons, each for regions that are interval + lower + unknown.\n")
    print("\n".join(reasons(everything)), flush=True)
    for results in everything.values():
        for found in results:
            if found.kind and found.kind != "error":
                print(f"{found.path}: {found.trouble}", file=sys.stderr)
            elif found.cpu_s > options.slow:
                print(f"{found.path}: {found.cpu_s:.1f} s", file=sys.stderr)
    kinds = {found.kind for results in everything.values() for found in results}
    return 1 if kinds & {"traceback", "crash", "timeout"} else 0


if __name__ == "__main__":
    sys.exit(main())
