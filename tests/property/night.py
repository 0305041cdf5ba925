"""Thousands of drawn nests: their counts against the interpreter, nest by nest from a seed, without shrinking.

    python -m tests.property.night FIRST COUNT [--deepest 3 | --several]

Every fourth nest is of the same kind; with ``--several`` functions of several nests are drawn instead.  What disagrees
is printed as C, with its seed; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence

from ..oracle.drawn_nests import drawn
from ..oracle.nests import Nest, nest_of_seed
from .agreement import Kind, check_nest
from .several import check_program

_SLOW_S = 10
_BETWEEN_REPORTS = 100


def draw(seed: int, deepest: int) -> tuple[Nest, Kind]:
    """The nest of a seed, and what it is held against."""
    kind = list(Kind)[seed % len(Kind)]
    return nest_of_seed(seed, kind.opacity, deepest), kind


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through the seeds and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--deepest", type=int, default=3)
    parser.add_argument("--several", action="store_true")
    options = parser.parse_args(arguments)
    found: Counter[str] = Counter()
    start = _cpu_s()
    for number in range(options.count):
        seed = options.first + number
        shown, check = _several(seed) if options.several else _one(seed, options.deepest)
        before = _cpu_s()
        try:
            check()
            found["agree"] += 1
        except Exception as error:  # the night goes on with the next nest
            found["wrong"] += 1
            print(f"seed {seed}: {type(error).__name__}: {error}\n{shown}", flush=True)
        if _cpu_s() - before > _SLOW_S:
            found["slow"] += 1
            print(f"seed {seed}: {_cpu_s() - before:.1f} s", flush=True)
        if number % _BETWEEN_REPORTS == _BETWEEN_REPORTS - 1 or number + 1 == options.count:
            print(f"{number + 1} nests, {_cpu_s() - start:.0f} s of CPU: {dict(found)}", flush=True)
    return 1 if found["wrong"] else 0


def _one(seed: int, deepest: int) -> tuple[str, Callable[[], None]]:
    nest, kind = draw(seed, deepest)
    return f"{kind.name}\n{nest}", lambda: check_nest(nest, kind)


def _several(seed: int) -> tuple[str, Callable[[], None]]:
    return drawn(seed).text("tij".__getitem__), lambda: check_program(seed)


def _cpu_s() -> float:
    """CPU time of this process and of the children that counted for it."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    sys.exit(main())
