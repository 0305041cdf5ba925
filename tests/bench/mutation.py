"""Mutation testing: how many small changes to the product the fast tests of its package catch.

    python -m tests.bench.mutation PACKAGE... [--sample 120] [--seed 1] [--jobs 1] [--limit 120] [--only FILE:LINE...]
                                   [--wider]

``PACKAGE`` is a folder or a file, such as ``analyzer/counts``; the sample has as many mutants of each.  Every mutant is
applied in a copy of the tree, in which the tests of its package run, the fastest file first, up to the first failure.
``--wider`` runs all fast tests against what survives these.  It prints a table, and each survivor with its diff.

*Caught*: a test fails.  *Timed out*: the tests took ``--limit`` CPU seconds, or ten times as many as without a change.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import ceil
from pathlib import Path
from queue import SimpleQueue

from msgspec import Struct

from .mutants import Mutant, mutants_in

_ROOT = Path(__file__).parents[2]
_COPIED = ("analyzer", "cli", "corpus", "roofline", "tests", "README.md", "pyproject.toml")
_TESTS = {
    "analyzer/counts": ("tests/unit/counts", "tests/unit/test_invariants.py", "tests/unit/test_access_patterns.py"),
    "analyzer/traffic": ("tests/unit/traffic", "tests/property/test_traffic.py", "tests/unit/test_invariants.py"),
    "roofline/model": ("tests/unit/roofline/model", "tests/unit/test_launched.py"),
}
_WIDER = ("tests/unit", "tests/parity", "tests/property")
_PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider")
_TIMES_AS_LONG = 10
_WALL_TIMES = 10  # the limit of CPU time, after which a run hangs
_LARGEST_BYTES = 8 << 30
_CAUGHT, _SURVIVED, _TIMED_OUT = "caught", "survived", "timed out"


class Suite(Struct, frozen=True):
    """Files of tests, the fastest first, and the seconds that they may take."""

    files: tuple[str, ...]
    limit_s: float


class Tree:
    """A copy of the product and its tests, in which one mutant at a time is applied."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._written_s = time.time()
        for name in _COPIED:
            source = _ROOT / name
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
            else:
                shutil.copy(source, root / name)

    def outcome(self, mutant: Mutant, suite: Suite) -> str:
        """Run tests against a mutant, and undo it."""
        original = (self.root / mutant.path).read_text()
        self._write(mutant.path, mutant.source(self.root))
        try:
            code = self.run(suite.files, suite.limit_s)
        finally:
            self._write(mutant.path, original)
        return _TIMED_OUT if code is None else _CAUGHT if code else _SURVIVED

    def run(self, files: Sequence[str], limit_s: float, *options: str) -> int | None:
        """Return the exit status of pytest; None where it took too long."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": ""}
        command = (*_PYTEST, *options, *files)
        with subprocess.Popen(
            command,
            cwd=self.root,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=partial(_limit, limit_s),
        ) as process:
            try:
                code = process.wait(_WALL_TIMES * limit_s)
                return None if code == -signal.SIGXCPU else code
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None

    def _write(self, path: str, source: str) -> None:
        """Write a file with a time of its own, by which Python tells that its compiled form is old."""
        self._written_s += 2
        (self.root / path).write_text(source)
        os.utime(self.root / path, (self._written_s, self._written_s))


def _limit(cpu_s: float) -> None:
    """Limit a process; by CPU seconds, as others may keep the machine busy."""
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(cpu_s), ceil(cpu_s) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_LARGEST_BYTES, _LARGEST_BYTES))


def suite_of(tree: Tree, tests: Sequence[str], limit_s: float) -> Suite:
    """Run tests without a mutant, and order their files by the time that they take."""
    report = tree.root / "tests.xml"
    started = _children_s()
    if tree.run(tests, 1200, f"--junit-xml={report}", "-o", "junit_family=xunit1") != 0:
        raise SystemExit(f"{' '.join(tests)} fail without a mutant")
    taken = _children_s() - started
    seconds: dict[str, float] = {}
    for case in ET.parse(report).iter("testcase"):
        file = case.attrib["file"]
        seconds[file] = seconds.get(file, 0) + float(case.attrib["time"])
    return Suite(tuple(sorted(seconds, key=lambda file: seconds[file])), min(limit_s, max(20, _TIMES_AS_LONG * taken)))


def _children_s() -> float:
    """Return the CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def drawn(packages: Sequence[str], sample: int, seed: int) -> list[Mutant]:
    """Draw as many mutants of each package, all where it has fewer."""
    found = []
    for package in packages:
        mutants = mutants_in(_ROOT, [package])
        found += random.Random(seed).sample(mutants, min(len(mutants), sample // len(packages)))
    return found


def outcomes(
    mutants: Sequence[Mutant], trees: Sequence[Tree], suite_for: Callable[[Mutant], Suite]
) -> Iterator[tuple[Mutant, str]]:
    """Yield what the tests make of each mutant, one at a time in each tree."""
    free: SimpleQueue[Tree] = SimpleQueue()
    for tree in trees:
        free.put(tree)

    def outcome(mutant: Mutant) -> tuple[Mutant, str]:
        tree = free.get()
        try:
            return mutant, tree.outcome(mutant, suite_for(mutant))
        finally:
            free.put(tree)

    with ThreadPoolExecutor(len(trees)) as pool:
        yield from pool.map(outcome, mutants)


def table(found: Mapping[Mutant, str], packages: Sequence[str]) -> Iterator[str]:
    """Yield the rows of a Markdown table, and the survivors."""
    yield f"| package | mutants | {_CAUGHT} | {_TIMED_OUT} | {_SURVIVED} | score |"
    yield "|---|---|---|---|---|---|"
    for package in packages:
        counts = Counter(outcome for mutant, outcome in found.items() if mutant.path.startswith(package))
        ended = counts[_CAUGHT] + counts[_TIMED_OUT]
        score = f"{ended / counts.total():.0%}" if counts else "-"
        numbers = (counts.total(), counts[_CAUGHT], counts[_TIMED_OUT], counts[_SURVIVED])
        yield f"| {package} | {' | '.join(map(str, numbers))} | {score} |"
    for mutant, outcome in found.items():
        if outcome == _SURVIVED:
            yield f"\n{mutant.path}:{mutant.line}\n{mutant.diff(_ROOT)}"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutation", description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE")
    parser.add_argument("--sample", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS")
    parser.add_argument("--only", nargs="+", default=(), metavar="FILE:LINE")
    parser.add_argument("--wider", action="store_true")
    return parser.parse_args(arguments)


def _tests_of(path: str) -> tuple[str, ...]:
    return next((tests for package, tests in _TESTS.items() if path.startswith(package)), ("tests/unit",))


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw, run and print."""
    options = _options(arguments)
    packages = [package.rstrip("/") for package in options.packages]
    mutants = drawn(packages, options.sample, options.seed)
    mutants = [each for each in mutants if not options.only or f"{each.path}:{each.line}" in options.only]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees = [Tree(Path(folder, str(number))) for number in range(options.jobs)]
        names = {tests for mutant in mutants for tests in [_tests_of(mutant.path)]}
        suites = {tests: suite_of(trees[0], tests, options.limit) for tests in sorted(names)}
        found = dict(_shown(outcomes(mutants, trees, lambda mutant: suites[_tests_of(mutant.path)])))
        survivors = [mutant for mutant, outcome in found.items() if outcome == _SURVIVED]
        if options.wider and survivors:
            suite = suite_of(trees[0], _WIDER, 10 * options.limit)
            found |= dict(_shown(outcomes(survivors, trees, lambda _: suite)))
    print("\n".join(table(found, packages)))


def _shown(found: Iterator[tuple[Mutant, str]]) -> Iterator[tuple[Mutant, str]]:
    """Yield the outcomes, and report them on standard error while they come."""
    for mutant, outcome in found:
        print(f"{outcome:10} {mutant.path}:{mutant.line}", file=sys.stderr, flush=True)
        yield mutant, outcome


if __name__ == "__main__":
    main()
