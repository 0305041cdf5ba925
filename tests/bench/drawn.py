"""Drawn C and C++ functions, run under instrumentation at several sizes and held against the analysis.

    python -m tests.bench.drawn [--language c] [--first 0] [--count 200]        (needs g++)
    python -m tests.bench.drawn --first 0 --count 60 --write     the functions and truths of tests/data/drawn.c, .json
    python -m tests.bench.drawn --language cxx --first 0 --count 60 --write     the truths of tests/data/drawn.cpp.json

    python -m tests.bench.drawn --language cxx --alone --count 330     each kind of statement in a function of its own

A count that the analysis calls exact must be the one of every run, any other must hold it between its bounds.  What
disagrees is printed with its source; the exit code is 1 then.  Each function runs on several data: what some of them
count differently hangs on data, and is apart from what is not exact for want of better.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile

from ..oracle.drawn_c import PRELUDE, ROW, function_of_seed
from ..oracle.drawn_cxx import CXX_PRELUDE, DECIDED_BY_DATA, cxx_function_of_one_way, cxx_function_of_seed
from ..oracle.drawn_objects import OTHERS_IN_MEMORY
from ..oracle.sources import ROOT
from .counted import run_counted
from .figures import Counts, figures_of, misfits

SIZES = ({"n": 7, "m": 5}, {"n": 12, "m": 9}, {"n": 2, "m": 3}, {"n": 0, "m": 1}, {"n": 1, "m": 6}, {"n": 10, "m": 4})
AT_ONCE = 20  # a file has 30 s
_ROOM = 1 << 15
_TYPES = "typedef float real;\ntypedef int whole;\n"
_COUNTING = "typedef Counted real;\ntypedef Whole whole;\n"
_DRAWN = """static unsigned state;
static float scale, shift;
static void start(int data_set)
{
    static const float scales[] = {1, 1, 0, 0, -2}, shifts[] = {0, 0, 50, -50, 1};
    state = 12345 + 77 * data_set; scale = scales[data_set]; shift = shifts[data_set];
}
static float drawn() { return scale * (((state = state * 1103515245u + 12345u) >> 20) % 97 / 9.0f - 4) + shift; }
static float scalar(int data_set) { static const float values[] = {1.5f, 3, 0.5f, -2, 1}; return values[data_set]; }
"""
_MAIN = f"""
static real data[3][2 * {_ROOM}], rows[{ROW} * 16][ROW];
static struct cell cells[{_ROOM}];
static whole places[{_ROOM}];

{_DRAWN}
static void fill(int data_set)
{{
    start(data_set);
    for (auto& array : data) for (real& value : array) value = drawn();
    for (auto& row : rows) for (real& value : row) value = drawn();
    for (struct cell& one : cells) {{ one.mass = 2; one.at[0] = -1; one.at[1] = 0; one.at[2] = 3; one.kind = 1; }}
    for (int i = 0; i < {_ROOM}; i++) places[i] = i * 7 % 31;
}}
#define RUN(name, data_set, n, m) \\
    fill(data_set); counting::reset(); \\
    name(n, m, data[0] + {_ROOM}, data[1] + {_ROOM}, data[2] + {_ROOM}, rows + {ROW} * 8, \\
         cells + {_ROOM} / 2, places + {_ROOM} / 2, scalar(data_set)); \\
    counting::print(#name);
"""
_CXX_MAIN = f"""
static real data[3][2 * {_ROOM}];
{_DRAWN}
static void fill(int data_set)
{{
    start(data_set);
    for (auto& array : data) for (real& value : array) value = drawn();
}}
#define RUN(number, data_set, size, other) \\
    fill(data_set); counting::reset(); \\
    n##number::drawn_##number(size, other, data[0] + {_ROOM}, data[1] + {_ROOM}, data[2] + {_ROOM}, \\
                              scalar(data_set)); \\
    counting::print("drawn_" #number);
"""


Texts = tuple[str, str]
"""What two files of a program have for one function: the function, and bodies of what it calls."""


class Drawing(Struct, frozen=True, kw_only=True):
    """A language: its functions by seed, what stands before them, and the program that runs them.

    ``data`` marks statements of a function whose values decide what runs; ``data_sets`` are what the arrays hold:
    the first is that of the committed truths, the others tell what hangs on data.
    """

    language: Language
    source: Path
    function: Callable[[int], Texts]
    prelude: str
    main: str
    memory: tuple[str, ...]
    data: str = ""
    data_sets: int = 1

    @property
    def truth(self) -> Path:
        """The file of what runs counted."""
        return self.source.with_name(f"{self.source.name}.json")

    def leaves_to_data(self, function: Texts) -> bool:
        """Return whether a drawn function says that data decide what it runs."""
        return bool(self.data) and any(self.data in text.partition("void drawn_")[2] for text in function)

    def has_others(self, function: Texts) -> bool:
        """Return whether a drawn function says that it has numbers in memory that runs do not count."""
        return any(OTHERS_IN_MEMORY in text for text in function)

    def functions(self, seeds: Iterable[int]) -> dict[str, Texts]:
        """The drawn functions of some seeds, with what they call, by name."""
        return {f"drawn_{seed}": self.function(seed) for seed in seeds}

    def unit(self, functions: Iterable[Texts], file: int = 0) -> str:
        """Functions as the text of one of the two files; empty where they have nothing there."""
        parts = [texts[file] for texts in functions]
        return f"{_TYPES}{self.prelude}\n" + "\n".join(parts) if any(parts) else ""

    def run(self, functions: Mapping[str, Texts], data_sets: int = 1) -> dict[str, list[Counts]]:
        """What the runs of each function count, one for each of the sizes with the first data, then with the others."""
        kept = "".join(f"    {call}\n" for call in self.memory)
        names = [name if self.language is Language.C else name.removeprefix("drawn_") for name in functions]
        runs = "".join(
            f"    RUN({name}, {data}, {size['n']}, {size['m']})\n"
            for name in names
            for data in range(data_sets)
            for size in SIZES
        )
        first, second = (
            f'#include "counted.hpp"\n{self.unit(functions.values(), file).replace(_TYPES, _COUNTING)}'
            for file in (0, 1)
        )
        return run_counted(f"{first}{self.main}int main() {{\n{kept}{runs}    return 0;\n}}\n", elsewhere=second)

    def analyzed(self, text: str, elsewhere: str = "") -> dict[str, RegionProfile]:
        """What the analysis says of the functions that it lists: those with loops."""
        other = (SourceFile("elsewhere.cpp", elsewhere, self.language),) if elsewhere else ()
        options = AnalysisOptions(companions=other, in_full=False)
        profiles = analyze(SourceFile(self.source.name, text, self.language), options)
        found = (one for profile in profiles for one in profile.regions)
        return {one.function: one for one in found if one.function.startswith("drawn_")}


DRAWN = {
    "c": Drawing(
        language=Language.C,
        source=ROOT / "tests" / "data" / "drawn.c",
        function=lambda seed: (function_of_seed(seed), ""),
        prelude=PRELUDE,
        main=_MAIN,
        memory=tuple(f"counting::in_memory({name}, sizeof {name});" for name in ("data", "rows", "cells", "places")),
    ),
    "cxx": Drawing(
        language=Language.CXX,
        source=ROOT / "tests" / "data" / "drawn.cpp",
        function=cxx_function_of_seed,
        prelude=CXX_PRELUDE,
        main=_CXX_MAIN,
        memory=("counting::all_but_the_stack();",),
        data=DECIDED_BY_DATA,
        data_sets=5,
    ),
}


def is_closed(region: RegionProfile) -> bool:
    """Whether the sizes tell everything: no trip count is a symbol, and counting took no longer than it may."""
    counted = (*region.work.operations.values(), region.loads.elements, region.stores.elements)
    bounds = (bound for count in counted for bound in (count.lower, count.upper) if bound is not None)
    return all(bound.symbols <= SIZES[0].keys() for bound in bounds)


def disagreement(region: RegionProfile, truths: Sequence[Counts], *, others: bool = False) -> Mapping[str, str]:
    """What is wrong at the first sizes at which anything is, by count.

    With ``others`` in memory than numbers that count, a run counts no more loads and stores than there are.
    """
    for size, truth in zip(SIZES, truths, strict=True):
        figures = figures_of(region, size)
        if others:
            figures |= {name: replace(figures[name], low=Fraction(0)) for name in ("loads", "stores")}
        wrong = misfits(figures, [truth])
        if wrong:
            return {"sizes": str(size), **wrong}
    return {}


def verdict(drawing: Drawing, function: Texts, region: RegionProfile | None, truths: Sequence[Counts]) -> str:
    """What the analysis is worth for a function, whose runs with all data are given."""
    if region is None:
        return "not listed"
    part = len(SIZES)
    by_data = [truths[first : first + part] for first in range(0, len(truths), part)]
    others = drawing.has_others(function)
    if is_closed(region) and any(disagreement(region, counts, others=others) for counts in by_data):
        return "wrong"
    if is_closed(region) and all(figure.is_exact for figure in figures_of(region, SIZES[0]).values()):
        return "exact"
    hangs = drawing.leaves_to_data(function) or any(counts != by_data[0] for counts in by_data[1:])
    kind = "within bounds" if is_closed(region) else "with a symbol"
    return f"{kind} where data decide" if hangs else kind


def inexact(region: RegionProfile) -> str:
    """Return the figures that are not exact, at the first sizes."""
    if not is_closed(region):
        bounds = (
            one
            for count in (*region.work.operations.values(), region.loads.elements, region.stores.elements)
            for one in (count.lower, count.upper)
            if one is not None
        )
        return "symbols " + " ".join(sorted({name for one in bounds for name in one.symbols - SIZES[0].keys()}))
    figures = figures_of(region, SIZES[0])
    return " ".join(f"{name} {one.low}..{one.high}" for name, one in figures.items() if not one.is_exact)


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through the seeds and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=DRAWN, default="c")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--alone", action="store_true", help="one kind of statement for each function, in turn")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    drawing = DRAWN[options.language]
    if options.alone:
        drawing = replace(drawing, function=cxx_function_of_one_way)
    last = options.first + options.count
    seen: Counter[str] = Counter()
    written: dict[str, tuple[Texts, list[Counts]]] = {}
    for first in range(options.first, last, AT_ONCE):
        drawn = drawing.functions(range(first, min(first + AT_ONCE, last)))
        regions = drawing.analyzed(*(drawing.unit(drawn.values(), file) for file in (0, 1)))
        closed = {name: drawn[name] for name, region in regions.items() if is_closed(region)}
        truths = drawing.run(drawn if drawing.data_sets > 1 else closed, drawing.data_sets)  # others of C may not end
        for name, texts in drawn.items():
            region = regions.get(name)
            found = verdict(drawing, texts, region, truths.get(name, []))
            seen[found] += 1
            if region is not None and is_closed(region):
                written[name] = texts, truths[name][: len(SIZES)]
            report(drawing, name, found, region, truths.get(name, []))
    if options.write:
        write(drawing, written)
    print(", ".join(f"{number} {what}" for what, number in sorted(seen.items())))
    decided = sum(number for what, number in seen.items() if not what.endswith("where data decide"))
    print(f"{seen['exact'] / max(decided, 1):.1%} of {decided} exact where no data decide")
    return 1 if seen["wrong"] else 0


def report(drawing: Drawing, name: str, found: str, region: RegionProfile | None, truths: Sequence[Counts]) -> None:
    """Print what is not exact; of what is wrong the source and the figures."""
    if found == "wrong" and region is not None:
        part = len(SIZES)
        texts = drawing.function(int(name.removeprefix("drawn_")))
        others = drawing.has_others(texts)
        runs = (truths[first : first + part] for first in range(0, len(truths), part))
        wrongs = (disagreement(region, run, others=others) for run in runs)
        print("\n".join((*texts, f"{name}: wrong {next(filter(None, wrongs), {})}", "")), flush=True)
    elif found != "exact":
        print(f"{name}: {found}: {inexact(region) if region else ''}", flush=True)


def write(drawing: Drawing, written: Mapping[str, tuple[Texts, list[Counts]]]) -> None:
    """Write the functions and truths of the tests."""
    if drawing.language is Language.C:
        drawing.source.write_text(drawing.unit(texts for texts, _ in written.values()), "utf-8")
    lines = (f" {json.dumps(name)}: {json.dumps(counts)}" for name, (_, counts) in written.items())
    drawing.truth.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
