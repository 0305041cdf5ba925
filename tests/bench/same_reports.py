"""Whether two editions report the same numbers: the JSON of many sources, stored, and compared value by value.

    python -m tests.bench.same_reports write FOLDER [--checkout DIR] [--polybench CHECKOUT] [--public FOLDER...]
                                             [--sample 10] [--largest 20000] [--seed 1] [--only NAME] [--budget 60s]
    python -m tests.bench.same_reports compare BEFORE AFTER [--shown 10]

``write`` runs the edition in ``--checkout`` (default: this one) on each C, C++ and CUDA file of ``corpus/``, on the
kernels of PolyBench/C, symbolic and with sizes (``v100`` and ``haswell``), and on a sample of the files below each of
the ``--public`` folders (each file alone; CUDA on ``v100``, others on ``haswell``), and stores what each run prints,
with its exit code.  ``compare`` lists every value that differs, and exits with 1 where one does.

Answers that a budget of time cuts short may differ between two runs of one edition: such files are listed as bounded by
time, and their differences with them.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from .process import TOOL

_ROOT = Path(__file__).parents[2]
_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cu", ".cxx"})
_CPU, _GPU = "haswell", "v100"
_BY_TIME = frozenset({"AI208", "AI213"})  # bounds for lack of time, and parts that are left out
_POLYBENCH_MACRO = "POLYBENCH_USE_SCALAR_LB"


class Run(Struct, frozen=True):
    """One call of the command, by the name of the file that keeps what it prints."""

    name: str
    arguments: Sequence[str]


def runs(polybench: Path | None, public: Sequence[Path], sample: int, largest: int, seed: int) -> Iterator[Run]:
    """Yield all calls, in order."""
    for path in _sources(_ROOT / "corpus"):
        yield Run(f"corpus/{path.relative_to(_ROOT / 'corpus')}", _call(path))
    if polybench is not None:
        include = ("-I", str(polybench / "utilities"))
        macros = (*include, "-D", _POLYBENCH_MACRO)
        for name in sorted((polybench / "utilities" / "benchmark_list").read_text().split()):
            path = (polybench / name).resolve()
            yield Run(f"polybench/symbolic/{path.name}", [str(path), "--machine", _GPU, *include])
            yield Run(f"polybench/macros/{path.name}", [str(path), "--machine", _GPU, *macros])
            yield Run(f"polybench/sizes/{path.name}", [str(path), "--machine", _CPU, *macros])
    for folder in public:
        files = [path for path in _sources(folder) if path.stat().st_size <= largest]
        for path in sorted(random.Random(seed).sample(files, min(sample, len(files)))):
            yield Run(f"public/{folder.name}/{path.relative_to(folder.resolve())}", _call(path))


def _sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.resolve().rglob("*") if path.suffix in _SUFFIXES and path.is_file())


def _call(path: Path) -> list[str]:
    return [str(path), "--machine", _GPU if path.suffix == ".cu" else _CPU]


def write(run: Run, folder: Path, checkout: Path, budget: str) -> None:
    """Store what a run prints: the exit code, the messages, and the JSON document."""
    command = [*TOOL, *run.arguments, "--format", "json", "--no-cache", "-j", "1", "--budget", budget]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    target = folder / f"{run.name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    document = json.loads(done.stdout) if done.stdout else None
    target.write_text(json.dumps({"code": done.returncode, "messages": done.stderr, "report": document}))


def differences(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield each value that two documents differ in, with the keys and positions that lead to it.

    >>> list(differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}))
    [('/a/1/b', 2, 3)]
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from differences(before.get(key), after.get(key), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for position, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{path}/{position}")
    elif before != after or type(before) is not type(after):
        yield path, before, after


def compare(before: Path, after: Path, shown: int) -> bool:
    """Print what differs by file, and a summary; return whether all is equal."""
    names = sorted({str(path.relative_to(folder)) for folder in (before, after) for path in folder.rglob("*.json")})
    differing = values = 0
    for name in names:
        documents = [json.loads(path.read_text()) if path.exists() else None for path in (before / name, after / name)]
        values += _count(documents[0])
        found = list(differences(*documents))
        if found:
            differing += 1
            by_time = " (bounded by time)" if any(map(_is_by_time, documents)) else ""
            print(f"{name}: {len(found)} values differ{by_time}")
            for path, one, other in found[:shown]:
                print(f"  {path}: {_short(one)} -> {_short(other)}")
    print(f"{len(names)} runs, {values} values: {differing} runs differ")
    return not differing


def _count(document: Any) -> int:
    parts: Iterable[Any] = document.values() if isinstance(document, dict) else document
    return sum(map(_count, parts)) if isinstance(document, (dict, list)) else 1


def _is_by_time(document: Any) -> bool:
    if isinstance(document, dict):
        return document.get("code") in _BY_TIME or any(map(_is_by_time, document.values()))
    return isinstance(document, list) and any(map(_is_by_time, document))


def _short(value: Any, most: int = 100) -> str:
    text = json.dumps(value)
    return text if len(text) <= most else f"{text[:most]}..."


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or compare; exit code 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    doing = parser.add_subparsers(dest="doing", required=True)
    writing = doing.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--checkout", type=Path, default=_ROOT)
    writing.add_argument("--polybench", type=Path)
    writing.add_argument("--public", type=Path, nargs="*", default=[])
    writing.add_argument("--sample", type=int, default=10)
    writing.add_argument("--largest", type=int, default=20_000, help="bytes of a file: larger ones take minutes")
    writing.add_argument("--seed", type=int, default=1)
    writing.add_argument("--only", default="", help="runs whose name holds this text")
    writing.add_argument("--budget", default="60s")
    comparing = doing.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--shown", type=int, default=10)
    options = parser.parse_args(arguments)
    if options.doing == "compare":
        return 0 if compare(options.before, options.after, options.shown) else 1
    for run in runs(options.polybench, options.public, options.sample, options.largest, options.seed):
        if options.only in run.name:
            write(run, options.folder, options.checkout, options.budget)
    return 0


if __name__ == "__main__":
    sys.exit(main())
