"""Drawn C functions, run under instrumentation at several sizes and held against the analysis.

    python -m tests.bench.drawn [--first 0] [--count 200]        (needs g++)
    python -m tests.bench.drawn --first 0 --count 60 --write     the functions and truths of tests/data/drawn.c, .json

A count that the analysis calls exact must be the one of every run, any other must hold it between its bounds.  What
disagrees is printed with its source; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile

from ..oracle.drawn_c import PRELUDE, ROW, function_of_seed
from ..oracle.sources import ROOT
from .counted import run_counted
from .figures import Counts, figures_of, misfits

SIZES = ({"n": 7, "m": 5}, {"n": 12, "m": 9}, {"n": 2, "m": 3}, {"n": 0, "m": 1}, {"n": 1, "m": 6}, {"n": 10, "m": 4})
SOURCE = ROOT / "tests" / "data" / "drawn.c"
TRUTH = SOURCE.with_suffix(".json")
_AT_ONCE = 100
_ROOM = 1 << 15
_TYPES = "typedef float real;\ntypedef int whole;\n"
_COUNTING = "typedef Counted real;\ntypedef Whole whole;\n"
_MAIN = f"""
static real data[3][2 * {_ROOM}], rows[{ROW} * 16][ROW];
static struct cell cells[{_ROOM}];
static whole places[{_ROOM}];

static unsigned state;
static float drawn() {{ return ((state = state * 1103515245u + 12345u) >> 20) % 97 / 9.0f - 4; }}
static void fill()
{{
    state = 12345;
    for (auto& array : data) for (real& value : array) value = drawn();
    for (auto& row : rows) for (real& value : row) value = drawn();
    for (struct cell& one : cells) {{ one.mass = 2; one.at[0] = -1; one.at[1] = 0; one.at[2] = 3; one.kind = 1; }}
    for (int i = 0; i < {_ROOM}; i++) places[i] = i * 7 % 31;
}}
#define RUN(name, n, m) \\
    fill(); counting::reset(); \\
    name(n, m, data[0] + {_ROOM}, data[1] + {_ROOM}, data[2] + {_ROOM}, rows + {ROW} * 8, \\
         cells + {_ROOM} / 2, places + {_ROOM} / 2, real(1.5)); \\
    counting::print(#name);
"""


def functions_of(seeds: Iterable[int]) -> dict[str, str]:
    """The drawn functions of some seeds, with what they call, by name."""
    return {f"drawn_{seed}": function_of_seed(seed) for seed in seeds}


def unit_of(functions: Iterable[str]) -> str:
    """Functions as one C text."""
    return f"{_TYPES}{PRELUDE}\n" + "\n".join(functions)


def run_drawn(functions: Mapping[str, str]) -> dict[str, list[Counts]]:
    """What the runs of each function count, one for each of the sizes."""
    kept = "".join(f"    counting::in_memory({name}, sizeof {name});\n" for name in ("data", "rows", "cells", "places"))
    runs = "".join(f"    RUN({name}, {size['n']}, {size['m']})\n" for name in functions for size in SIZES)
    text = unit_of(functions.values()).replace(_TYPES, _COUNTING)
    return run_counted(f'#include "counted.hpp"\n{text}{_MAIN}int main() {{\n{kept}{runs}    return 0;\n}}\n')


def analyzed(text: str) -> dict[str, RegionProfile]:
    """What the analysis says of the functions that it lists: those with loops."""
    profiles = analyze(SourceFile("drawn.c", text, Language.C), AnalysisOptions())
    return {one.function: one for profile in profiles for one in profile.regions}


def is_closed(region: RegionProfile) -> bool:
    """Whether the sizes tell everything: no trip count is a symbol, and counting took no longer than it may."""
    counted = (*region.work.operations.values(), region.loads.elements, region.stores.elements)
    return all(bound.symbols <= SIZES[0].keys() for count in counted for bound in (count.lower, count.upper))


def disagreement(region: RegionProfile, truths: Sequence[Counts]) -> Mapping[str, str]:
    """What is wrong at the first sizes at which anything is, by count."""
    for size, truth in zip(SIZES, truths, strict=True):
        wrong = misfits(figures_of(region, size), [truth])
        if wrong:
            return {"sizes": str(size), **wrong}
    return {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through the seeds and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    last = options.first + options.count
    seen: Counter[str] = Counter()
    for first in range(options.first, last, _AT_ONCE):
        drawn = functions_of(range(first, min(first + _AT_ONCE, last)))
        regions = {name: one for name, one in analyzed(unit_of(drawn.values())).items() if is_closed(one)}
        functions = {name: drawn[name] for name in regions}
        truths = run_drawn(functions)
        seen["with a trip count that no one can tell"] += len(drawn) - len(functions)
        for name, region in regions.items():
            found = disagreement(region, truths[name])
            exact = all(figure.is_exact for figure in figures_of(region, SIZES[0]).values())
            seen["wrong" if found else "exact" if exact else "within bounds"] += 1
            if found:
                print(f"{functions[name]}\n{found}\n", flush=True)
        if options.write:
            SOURCE.write_text(unit_of(functions.values()), "utf-8")
            lines = (f" {json.dumps(name)}: {json.dumps(counts)}" for name, counts in truths.items())
            TRUTH.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(", ".join(f"{number} {what}" for what, number in sorted(seen.items())))
    return 1 if seen["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
