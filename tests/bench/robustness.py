"""The analysis of whole code bases: what is exact, what is not and why, what it costs, and that nothing breaks.

    python -m tests.bench.robustness NAME=FOLDER... [-j 2] [--timeout 120] [--limit FILES] [--json FILE] [--slow 5]

Every C, C++ and CUDA source below a folder is analyzed as ``ai-estimate FOLDER --machine ...`` would, each file in a
process that ends after ``--timeout`` seconds of CPU time.  The table is Markdown.  A region is *exact* where its FLOPs
and its loads and stores are known as formulas of its symbols, an *interval* where data decide and bounds are given,
and *unknown* where the count depends on a trip count that no one can tell from the source.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import signal
import statistics
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from analyzer.errors import AnalyzerError
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.poly.quantity import Quantity
from analyzer.profile import FileProfile, RegionProfile
from analyzer.source import language_of, read_source
from analyzer.traffic.options import CacheOptions
from cli.selection import select
from roofline.caches import hierarchy_of
from roofline.catalog import find_machine

_CPU, _GPU = "haswell", "v100"
_UNKNOWN_TRIP = "trip_"


@dataclass
class FileResult:
    """What one file gave; ``trouble`` is a traceback, ``timeout``, ``crash`` or an error that is told."""

    path: str
    cpu_s: float = 0.0
    exact: int = 0
    interval: int = 0
    unknown: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    trouble: str = ""
    kind: str = ""


def analyze_file(path: str, beside: Sequence[str], defines: dict[str, str]) -> FileResult:
    """Analyze one file as the command would."""
    found = FileResult(path)
    began = time.process_time()
    try:
        machine = find_machine(_GPU if language_of(path).value == "cuda" else _CPU)
        hierarchy = hierarchy_of(machine)
        cache = CacheOptions(hierarchies=() if hierarchy is None else (hierarchy,), conditions_if_unknown=True)
        others = tuple(read_source(other) for other in beside)
        for profile in analyze(read_source(path), AnalysisOptions(defines=defines, beside=others, cache=cache)):
            _add(found, profile)
    except AnalyzerError as error:
        found.kind, found.trouble = "error", str(error)
    except Exception:
        found.kind, found.trouble = "traceback", traceback.format_exc()
    found.cpu_s = time.process_time() - began
    return found


def _add(found: FileResult, profile: FileProfile) -> None:
    codes: Counter[str] = Counter({item.code for item in profile.diagnostics})
    for region in profile.regions:
        codes.update({note.code for note in region.assumptions})
        match _class_of(region):
            case "exact":
                found.exact += 1
            case "interval":
                found.interval += 1
            case _:
                found.unknown += 1
    found.codes = dict(codes)


def _class_of(region: RegionProfile) -> str:
    quantities = (region.work.flops, region.loads.elements, region.stores.elements)
    if any(_is_open(quantity) for quantity in quantities):
        return "unknown"
    return "exact" if all(quantity.is_exact for quantity in quantities) else "interval"


def _is_open(quantity: Quantity) -> bool:
    return any(name.startswith(_UNKNOWN_TRIP) for name in quantity.upper.symbols)


def _in_child(sender: Connection, path: str, beside: Sequence[str], defines: dict[str, str], timeout_s: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (timeout_s, timeout_s))
    with open(os.devnull, "w") as silent:
        os.dup2(silent.fileno(), 2)
    sender.send(analyze_file(path, beside, defines))


def run_file(path: str, beside: Sequence[str], defines: dict[str, str], timeout_s: int) -> FileResult:
    """The same in a process of its own, which the system ends after a time."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=_in_child, args=(sender, path, beside, defines, timeout_s)
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


def run_folder(folder: Path, options: argparse.Namespace) -> Iterator[FileResult]:
    """Every source below a folder, in order."""
    selection = select([str(folder)])
    beside = selection.beside()
    files = [file.path for file in selection.files][: options.limit]
    defines = dict(item.partition("=")[::2] for item in options.defines)
    with ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda path: run_file(path, beside[path], defines, options.timeout), files)


def row(name: str, results: Sequence[FileResult]) -> str:
    """One line of the table."""
    regions = sum(item.exact + item.interval + item.unknown for item in results)
    kinds = Counter(item.kind for item in results)
    codes: Counter[str] = Counter()
    for item in results:
        codes.update({code: number for code, number in item.codes.items() if code.startswith("AI2")})
    parts = [sum(getattr(item, kind) for item in results) for kind in ("exact", "interval", "unknown")]
    shares = [f"{100 * part / regions:.0f} %" if regions else "-" for part in parts]
    times = [item.cpu_s for item in results] or [0.0]
    reasons = ", ".join(f"{code} {number}" for code, number in codes.most_common(4))
    cells = [name, str(len(results)), str(regions), *shares, reasons]
    cells += [f"{statistics.mean(times):.2f}", f"{statistics.median(times):.2f}", f"{max(times):.1f}"]
    cells += [str(kinds[kind]) for kind in ("error", "traceback", "crash", "timeout")]
    return "| " + " | ".join(cells) + " |"


_HEAD = (
    "| code base | files | regions | exact | interval | unknown | reasons (regions) | CPU s/file | median | most "
    "| unusable | tracebacks | crashes | time-outs |\n|" + "---|" * 14
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and what went wrong below it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--limit", type=int, default=None, help="only the first files of each folder")
    parser.add_argument("--slow", type=float, default=10, help="name files that take longer")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    everything: dict[str, list[FileResult]] = {}
    print(_HEAD, flush=True)
    for item in options.folders:
        name, _, folder = item.partition("=")
        everything[name] = list(run_folder(Path(folder), options))
        print(row(name, everything[name]), flush=True)
    for results in everything.values():
        for found in results:
            if found.kind and found.kind != "error":
                print(f"{found.path}: {found.trouble}", file=sys.stderr)
            elif found.cpu_s > options.slow:
                print(f"{found.path}: {found.cpu_s:.1f} s", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps({k: [asdict(r) for r in v] for k, v in everything.items()}, indent=1))
    kinds = {found.kind for results in everything.values() for found in results}
    return 1 if kinds & {"traceback", "crash", "timeout"} else 0


if __name__ == "__main__":
    sys.exit(main())
