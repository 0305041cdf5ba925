"""Hold the reports of two versions of the product against each other, number by number.

``python -m tests.bench.reports save FOLDER [--checkout DIR] [--polybench DIR] [--hecbench DIR] [--rodinia DIR]`` writes
the JSON report of every kernel of ``corpus/``, of PolyBench (symbolic, and at the sizes of ``LARGE_DATASET`` on a
machine) and of 100 CUDA and C++ files of public code, each by a process of its own that runs the version in DIR.
``python -m tests.bench.reports compare BEFORE AFTER`` prints every value that differs, and exits with 1 if one does.

What one version leaves out because the other repeats it is no difference: ``compare`` looks at the values that both
have, and lists the keys that only one of them has, once each.  Sentences that differ are counted apart (``--texts``
shows them).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from msgspec import Struct

ROOT = Path(__file__).parents[2]
_PUBLIC_FILES = {
    "hecbench": (("*-cuda/main.cu", 45), ("*-omp/main.cpp", 25)),
    "rodinia": (("cuda/*/*.cu", 15), ("openmp/*/*.cpp", 15)),
}
_LIMIT_S = 300
_REPORTED_KEYS = ("files", "machines", "machine")
_TEXTS = (".text", ".message", ".reason", ".hint", ".source", ".what")


class Case(Struct, frozen=True):
    """One run of the program: the files and options, relative to ``folder``."""

    name: str
    folder: Path
    arguments: tuple[str, ...]


def corpus_cases() -> Iterator[Case]:
    """Yield one case for each kernel of the corpus and kind of machine."""
    for file in sorted((ROOT / "corpus").rglob("*")):
        if file.suffix in (".c", ".cpp", ".cu", ".md") and file.name != "README.md":
            machines = "v100,rtx4090" if file.suffix == ".cu" else "haswell,xeon-6148"
            name = str(file.relative_to(ROOT)).replace("/", "-")
            yield Case(f"{name}-symbolic", ROOT, (str(file.relative_to(ROOT)),))
            yield Case(
                f"{name}-machines",
                ROOT,
                (str(file.relative_to(ROOT)), "--machine", machines, "-D", "n=1000", "-D", "N=1000"),
            )


def polybench_cases(checkout: Path) -> Iterator[Case]:
    """Yield each kernel of PolyBench twice: symbolic, and at large sizes on a machine."""
    for file in sorted(checkout.glob("*/**/*.c")):
        path = str(file.relative_to(checkout))
        if path.startswith("utilities"):
            continue
        common = (path, "-I", "utilities", "--function", f"kernel_{file.stem.replace('-', '_')}")
        yield Case(f"polybench-{file.stem}-symbolic", checkout, common)
        yield Case(
            f"polybench-{file.stem}-large",
            checkout,
            (path, "-I", "utilities", "-D", "LARGE_DATASET", "--machine", "haswell"),
        )


def public_cases(kind: str, checkout: Path) -> Iterator[Case]:
    """Yield a fixed choice of the files of a code base, drawn by the hash of their names."""
    base = checkout / "src" if kind == "hecbench" else checkout
    for pattern, number in _PUBLIC_FILES[kind]:
        found = sorted(
            base.glob(pattern), key=lambda path: hashlib.sha256(str(path.relative_to(base)).encode()).hexdigest()
        )
        for file in found[:number]:
            machine = "v100" if file.suffix == ".cu" else "haswell"
            path = str(file.relative_to(base))
            yield Case(f"{kind}-{path.replace('/', '-')}", base, (path, "--machine", machine))


def save(cases: Sequence[Case], folder: Path, checkout: Path) -> None:
    """Write the report of each case into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0", "PYTHONSAFEPATH": "1"}

    def run(case: Case) -> None:
        command = [sys.executable, "-m", "cli", *case.arguments, "--format", "json", "--no-cache", "-j", "1", "--quiet"]
        try:
            done = subprocess.run(command, cwd=case.folder, env=environment, capture_output=True, timeout=_LIMIT_S)
        except subprocess.TimeoutExpired:
            print(f"{case.name}: no answer in {_LIMIT_S} s")
            return
        (folder / f"{case.name}.json").write_bytes(done.stdout)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, cases))


def differences(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the paths at which two documents differ, and how; a key of one alone has the kind ``only before|after``."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            if key not in after or key not in before:
                yield f"{path}.{key}", "only " + ("before" if key in before else "after")
            else:
                yield from differences(before[key], after[key], f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield path, f"{len(before)} entries before, {len(after)} after"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{path}[{number}]")
    elif before != after:
        yield path, f"{before!r} before, {after!r} after"


def compare(before: Path, after: Path, *, texts: bool) -> int:
    """Print what differs between two folders of reports; return the number of values that do, without sentences."""
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.json")})
    different, equal, sentences, keys = 0, 0, 0, Counter[str]()
    for name in names:
        documents = []
        for folder in (before, after):
            path = folder / name
            text = path.read_text("utf-8") if path.exists() else ""
            documents.append(json.loads(text) if text.strip() else None)
        reported = [{key: one.get(key) for key in _REPORTED_KEYS} if one else None for one in documents]
        found = []
        for path_, how in differences(*reported):
            if how.startswith("only"):
                general = re.sub(r"\[\d+\]", "[]", path_)
                keys[f"{how}: {general}"] += 1
            elif path_.endswith(_TEXTS):
                sentences += 1
                if texts:
                    print(f"{name}{path_}: {how}")
            else:
                found.append((path_, how))
        equal += not found
        different += len(found)
        for path_, how in found[:20]:
            print(f"{name}{path_}: {how}")
        if len(found) > 20:
            print(f"{name}: {len(found) - 20} more")
    for key, times in sorted(keys.items()):
        print(f"{key} ({times} times)")
    print(f"{equal} of {len(names)} reports equal but for {sentences} sentences, {different} values differ")
    return different


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.reports", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser("save")
    saving.add_argument("folder", type=Path)
    saving.add_argument("--checkout", type=Path, default=ROOT)
    for kind in ("polybench", *_PUBLIC_FILES):
        saving.add_argument(f"--{kind}", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--texts", action="store_true")
    given = parser.parse_args()
    if given.command == "compare":
        return 1 if compare(given.before, given.after, texts=given.texts) else 0
    cases = list(corpus_cases())
    if given.polybench:
        cases += polybench_cases(given.polybench)
    for kind in _PUBLIC_FILES:
        if (checkout := getattr(given, kind)) is not None:
            cases += public_cases(kind, checkout)
    save(cases, given.folder, given.checkout.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
