"""Hold reports without sizes against reports with random ones, over files of public code.

    python -m tests.bench.symbolic PATH... [--vectors 20] [--seconds 60] [--with-caches 1] [-j 2] [--json FILE]

A path is a file, or a folder with all its sources, which are one program.  Each file is compared in a process of its
own, for as many random vectors of sizes as fit into its CPU seconds.  The table has for each path the rows with
symbols, the vectors (least to most of its files), the figures compared, the contradictions, the printed symbols that
cannot be given, and the rows without a comparison by reason; contradictions follow.  It ends with 1 if there is one.
What is compared: :mod:`tests.symbolic`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from analyzer.errors import AnalyzerError
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.source import language_of, read_source
from cli.files.companions import companions_of
from cli.files.selection import select
from roofline.estimation import Source

from ..symbolic import Compared, compared
from .robustness import as_cells

_CPU, _GPU = "haswell", "v100"
_HEAD = (
    "| path | files | rows | vectors | figures | contradictions | not given | rows skipped | files without |\n|"
    + "---|" * 9
)


class FileCompared(Struct):
    """What comparing one file gave; ``trouble`` says why there is nothing."""

    path: str
    found: Compared = field(default_factory=Compared)
    trouble: str = ""


def compare_file(path: str, companions: Sequence[str], options: argparse.Namespace) -> FileCompared:
    """Compare one file, as a part of the program of its companions."""
    others = tuple(read_source(other) for other in companions if other != path)

    def linked(sources: Sequence[Source], chosen: AnalysisOptions) -> Sequence[AnalyzedFile]:
        with_others = replace(chosen, companions=others)
        return [file for name in sources for file in analyze(read_source(str(name)), with_others)]

    machine = options.machine or (_GPU if language_of(path).value == "cuda" else _CPU)
    settings = {"seconds": options.seconds, "with_caches": options.with_caches, "analyze": linked}
    try:
        return FileCompared(path, compared(path, machine, options.vectors, options.seed, **settings))
    except AnalyzerError as error:
        return FileCompared(path, trouble=str(error))
    except Exception:
        return FileCompared(path, trouble=traceback.format_exc())


def _in_child(sender: Connection, path: str, companions: Sequence[str], options: argparse.Namespace) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (options.timeout, options.timeout))
    with open(os.devnull, "w") as silent:
        os.dup2(silent.fileno(), 2)
    sender.send(compare_file(path, companions, options))


def run_file(path: str, companions: Sequence[str], options: argparse.Namespace) -> FileCompared:
    """Compare one file in a process of its own, which the system ends after a time."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(sender, path, companions, options))
    child.start()
    sender.close()
    try:
        found: FileCompared = receiver.recv()
    except EOFError:
        found = FileCompared(path, trouble=f"ended within {options.timeout} s")
    child.join()
    return found


def run_path(path: str, options: argparse.Namespace) -> Iterator[FileCompared]:
    """Yield what comparing every source of a path gave, or a sample that is the same in every run."""
    selection = select([path])
    companions = companions_of(selection, ())
    files = [file.path for file in selection.files]
    if options.sample is not None and options.sample < len(files):
        files = sorted(random.Random(options.seed).sample(files, options.sample))
    with ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda file: run_file(file, companions.get(file, ()), options), files)


def row(name: str, results: Sequence[FileCompared]) -> str:
    """Return the line of the table for some files."""
    whole = [file.found for file in results if not file.trouble]
    vectors = [found.vectors for found in whole if found.rows]
    skipped: Counter[str] = sum((Counter(found.skipped) for found in whole), Counter())
    cells = [name, str(len(results)), str(sum(found.rows for found in whole))]
    cells.append(f"{min(vectors, default=0)} to {max(vectors, default=0)}")
    cells += [str(sum(found.figures for found in whole)), str(sum(len(found.wrong) for found in whole))]
    cells += [str(sum(len(found.refused) for found in whole))]
    cells += [", ".join(f"{reason} {count}" for reason, count in skipped.most_common())]
    cells += [str(sum(bool(file.trouble) for file in results))]
    return as_cells(cells)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and the contradictions; return 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--vectors", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60, help="CPU time after which no more vectors are compared")
    parser.add_argument("--timeout", type=int, default=240, help="CPU time after which a file is given up")
    parser.add_argument("--with-caches", type=int, default=1, help="vectors that are also compared with caches")
    parser.add_argument("--machine", help=f"default: {_CPU}, and {_GPU} for CUDA")
    parser.add_argument("--sample", type=int, default=None, help="only so many files of each path, by chance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="everything found, written after each path")
    options = parser.parse_args(arguments)
    everything: dict[str, list[FileCompared]] = {}
    print(_HEAD, flush=True)
    for path in options.paths:
        everything[path] = list(run_path(path, options))
        print(row(Path(path).name, everything[path]), flush=True)
        if options.json:
            options.json.write_bytes(msgspec.json.encode(everything))
    results = [file for files in everything.values() for file in files]
    print(row("all", results))
    for file in results:
        for text in (file.trouble, *file.found.wrong, *file.found.refused.values()):
            if text:
                print(f"{file.path}: {text}")
    return 1 if any(file.found.wrong for file in results) else 0


if __name__ == "__main__":
    raise SystemExit(main())
