"""Instructions of divisions and mathematical functions on a GPU, by the unit that runs them.

    python -m tests.bench.gpu_instructions [--arch sm_86] [--write]

Makes ``roofline/model/expectation/gpu/gpu_functions.toml`` (else it prints it): the cases of :mod:`.sass_policy`,
compiled by nvcc and run by the interpreter of machine code on drawn arguments, less the code around the call; means
over the arguments, rounded to halves.  Rows of the file that no case makes stay as they are.
"""

from __future__ import annotations

import argparse
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from roofline.model.expectation import gpu
from tests.oracle.sass.kernels import run_once
from tests.oracle.sass.listing import Code
from tests.oracle.sass.state import NotModelled
from tests.oracle.sass.tallies import kinds
from tests.oracle.sass.toolchain import MISSING, Toolchain, toolchain

from .sass_policy import Case, cases, source_of

FILE = Path(str(gpu.__file__)).parent / "gpu_functions.toml"
DRAWS = 12
_UNITS = ("fp32", "fp64", "special")
_PRECISIONS = {"float": "fp32", "double": "fp64"}


def means_of(case: Case, code: Code) -> Counter[str]:
    """The instructions of one thread by unit, as the mean over drawn arguments."""
    drawing = random.Random(case.name)
    found: Counter[str] = Counter()
    for _ in range(DRAWS):
        ran, _ = run_once(code, [[drawing.uniform(low, high)] for low, high in case.arguments], case.element)
        for kind, number in kinds(ran).items():
            found[kind if kind in _UNITS else "other"] += number
    return Counter({kind: number / DRAWS for kind, number in found.items()})


def rows(tools: Toolchain, arch: str) -> Iterator[tuple[str, str, list[float]]]:
    """Name, precision and instructions of each case."""
    around = [Case("", element, text, ((0.2, 8.0),) * count) for element in _PRECISIONS for text, count in _AROUND]
    called = [case for case in cases() if case.element in _PRECISIONS and ":" not in case.name]
    listed = [*around, *called]
    codes = tools.compiled_text(source_of(listed), arch).codes
    found = [_tried(case, codes[f"k{number}"]) for number, case in enumerate(listed)]
    bases = {
        (case.element, len(case.arguments)): means
        for case, means in zip(around, found[: len(around)], strict=True)
        if means is not None
    }
    for (element, count), means in bases.items():
        means[_PRECISIONS[element]] -= count - 1
    for case, means in zip(called, found[len(around) :], strict=True):
        if means is not None:
            base = bases[case.element, len(case.arguments)]
            yield (
                case.name,
                _PRECISIONS[case.element],
                [max(0.0, round(2 * (means[unit] - base[unit])) / 2) for unit in (*_UNITS, "other")],
            )


_AROUND = (("a", 1), ("a + b", 2))  # the sum is taken off again


def _tried(case: Case, code: Code) -> Counter[str] | None:
    try:
        return means_of(case, code)
    except NotModelled as reason:
        print(f"{case.name} of {case.element} is not modelled: {reason}", file=sys.stderr)
        return None


def text_of(made: Mapping[str, Mapping[str, list[float]]], heading: str) -> str:
    """The file as TOML, with its heading."""
    lines = [heading]
    for name, by_precision in sorted(made.items()):
        parts = (f"{kind} = [{', '.join(f'{one:g}' for one in row)}]" for kind, row in sorted(by_precision.items()))
        lines.append(f"{name} = {{ {', '.join(parts)} }}\n")
    return "".join(lines)


def main() -> int:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", default="sm_86")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    tools = toolchain()
    if tools is None:
        print(MISSING, file=sys.stderr)
        return 2
    before = FILE.read_text()
    made: dict[str, dict[str, list[float]]] = tomllib.loads(before)
    for name, precision, row in rows(tools, options.arch):
        if "." not in name:
            made.setdefault(name, {})[precision] = row
    text = text_of(made, before[: before.index("\n\n") + 2])
    if options.write:
        FILE.write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
