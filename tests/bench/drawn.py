"""Drawn C and C++ functions, run under instrumentation at several sizes and held against the analysis.

    python -m tests.bench.drawn [--language c] [--first 0] [--count 200]        (needs g++)
    python -m tests.bench.drawn --first 0 --count 60 --write     the functions and truths of tests/data/drawn.c, .json
    python -m tests.bench.drawn --language cxx --first 0 --count 60 --write     the truths of tests/data/drawn.cpp.json

A count that the analysis calls exact must be the one of every run, any other must hold it between its bounds.  What
disagrees is printed with its source; the exit code is 1 then.
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
from ..oracle.drawn_cxx import CXX_PRELUDE, DECIDED_BY_DATA, cxx_function_of_seed
from ..oracle.drawn_objects import OTHERS_IN_MEMORY
from ..oracle.sources import ROOT
from .counted import run_counted
from .figures import Counts, figures_of, misfits

SIZES = ({"n": 7, "m": 5}, {"n": 12, "m": 9}, {"n": 2, "m": 3}, {"n": 0, "m": 1}, {"n": 1, "m": 6}, {"n": 10, "m": 4})
AT_ONCE = 20  # a file has 30 s
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
_CXX_MAIN = f"""
static real data[3][2 * {_ROOM}];
static unsigned state;
static float drawn() {{ return ((state = state * 1103515245u + 12345u) >> 20) % 97 / 9.0f - 4; }}
static void fill() {{ state = 12345; for (auto& array : data) for (real& value : array) value = drawn(); }}
#define RUN(number, size, other) \\
    fill(); counting::reset(); \\
    n##number::drawn_##number(size, other, data[0] + {_ROOM}, data[1] + {_ROOM}, data[2] + {_ROOM}, real(1.5)); \\
    counting::print("drawn_" #number);
"""


Texts = tuple[str, str]
"""What two files of a program have for one function: the function, and bodies of what it calls."""


class Drawing(Struct, frozen=True, kw_only=True):
    """A language: its functions by seed, what stands before them, and the program that runs them.

    ``data`` marks statements of a function whose values decide what runs.
    """

    language: Language
    source: Path
    function: Callable[[int], Texts]
    prelude: str
    main: str
    memory: tuple[str, ...]
    data: str = ""

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

    def run(self, functions: Mapping[str, Texts]) -> dict[str, list[Counts]]:
        """What the runs of each function count, one for each of the sizes."""
        kept = "".join(f"    {call}\n" for call in self.memory)
        names = [name if self.language is Language.C else name.removeprefix("drawn_") for name in functions]
        runs = "".join(f"    RUN({name}, {size['n']}, {size['m']})\n" for name in names for size in SIZES)
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through the seeds and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=DRAWN, default="c")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    drawing = DRAWN[options.language]
    last = options.first + options.count
    seen: Counter[str] = Counter()
    written: dict[str, tuple[Texts, list[Counts]]] = {}
    for first in range(options.first, last, AT_ONCE):
        drawn = drawing.functions(range(first, min(first + AT_ONCE, last)))
        files = (drawing.unit(drawn.values(), file) for file in (0, 1))
        regions = {name: one for name, one in drawing.analyzed(*files).items() if is_closed(one)}
        functions = {name: drawn[name] for name in regions}
        truths = drawing.run(functions)
        seen["with a trip count that no one can tell"] += len(drawn) - len(functions)
        for name, region in regions.items():
            written[name] = functions[name], truths[name]
            found = disagreement(region, truths[name], others=drawing.has_others(drawn[name]))
            exact = all(figure.is_exact for figure in figures_of(region, SIZES[0]).values())
            bounds = "within bounds where data decide" if drawing.leaves_to_data(drawn[name]) else "within bounds"
            seen["wrong" if found else "exact" if exact else bounds] += 1
            if found:
                print("\n".join((*functions[name], str(found), "")), flush=True)
    if options.write:
        if drawing.language is Language.C:
            drawing.source.write_text(drawing.unit(texts for texts, _ in written.values()), "utf-8")
        lines = (f" {json.dumps(name)}: {json.dumps(counts)}" for name, (_, counts) in written.items())
        drawing.truth.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(", ".join(f"{number} {what}" for what, number in sorted(seen.items())))
    return 1 if seen["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
