"""The kernels with which OSACA was validated, from C alone: cycles of one iteration in L1, expected against measured.

    python -m tests.bench.osaca_kernels CHECKOUT [--held-out] [--list] [--core SKX] [--kernel triad]

``CHECKOUT`` is one of OSACA (https://github.com/RRZE-HPC/OSACA), for its ``validation/kernels``.  Their cycles were
measured by its authors: the least over lengths of 8 to 1024 elements, for each of four sets of flags of up to three
compilers.  ``tests/data/published/osaca_kernels.csv`` has those 471 of 832 that one of the tables in
``validation/Analysis.ipynb`` has, in any of the versions of April 2021, beside the iterations of one round of the
assembly (``block``), the length of the least, and what OSACA and llvm-mca say of the assembly.  Cores of
``HELD_OUT`` are not looked at while the model is changed.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from analyzer.source import SourceFile
from roofline.catalog import find_machine
from roofline.estimation import estimate, source_text
from roofline.machine.machine import Machine

from ..oracle.sources import ROOT

CYCLES = ROOT / "tests" / "data" / "published" / "osaca_kernels.csv"
MACHINES = {"IVB": "ivb", "SKX": "skx", "ZEN": "zen1", "ZEN2": "zen2", "A64FX": "a64fx"}
"""Our machines by OSACA's names of their cores; the ThunderX2 is not in the catalog."""
HELD_OUT = ("IVB", "ZEN")
_VIOLATION = 0.95
_REPEATS = 10_000
_USUAL_LENGTH = 400
_PLANES = {"2d-5pt": (1, 3), "gs-2d-5pt": (1, 3), "3d-7pt": (3, 3), "3d-27pt": (3, 3), "3d-r3-11pt": (7, 7)}
_LESS = {"2d-5pt": 2, "gs-2d-5pt": 2, "3d-7pt": 2, "3d-27pt": 2, "3d-r3-11pt": 2}
_FAST = "Ofast"


class Row(Struct, frozen=True, kw_only=True):
    """One kernel of one build: cycles of an iteration, measured and said by each tool; ``block`` iterations a round."""

    core: str
    compiler: str
    flags: str
    kernel: str
    cycles: float
    block: int | None
    length: int | None
    osaca: float | None
    llvm_mca: float | None
    expected: float | None = None
    bound: float | None = None


def published() -> Iterator[Row]:
    """Yield every row of the catalog's cores."""
    with CYCLES.open() as stream:
        for line in csv.DictReader(stream):
            numbers = {name: float(line[name]) if line[name] else None for name in ("osaca", "llvm_mca")}
            whole = {name: int(line[name]) if line[name] else None for name in ("block", "length")}
            names = {name: line[name] for name in ("core", "compiler", "flags", "kernel")}
            if line["core"] in MACHINES:
                yield Row(**names, **numbers, **whole, cycles=float(line["cycles"]))


def code_of(row: Row) -> dict[str, Any]:
    """Return the options that say what code the flags of a build ask for (its ``build_and_run.py``, and the manuals).

    gcc vectorises from ``-O3`` on (before gcc 12), clang from ``-O2`` on, and contracts a product and a sum with
    ``-Ofast`` alone (before clang 14); icc computes in any order (``-fp-model fast``), with vectors of 512 bits
    (``-qopt-zmm-usage=high``).  On the A64FX clang was given no SVE, and gcc's vectors of ``znver1`` have 128 bits.
    """
    fast = row.flags == _FAST
    if row.flags == "O1":  # none of them unrolls
        return {"compiler": "gcc", "simd": "scalar", "fma": row.compiler != "clang"}
    simd = "scalar" if row.compiler == "gcc" and row.flags == "O2" else None
    if row.compiler == "clang":
        narrow = "128" if row.core == "A64FX" else None
        return {"compiler": "clang", "simd": narrow, "reassociate": fast, "fma": fast}
    if row.compiler == "icc":
        wide = "512" if row.core == "SKX" else None
        return {"compiler": "icx", "simd": wide, "reassociate": True, "fma": True}
    return {"compiler": "gcc", "simd": simd, "reassociate": fast, "fma": True}


def expected(row: Row, checkout: Path) -> Row:
    """Return a row with what we expect, and with our bound."""
    machine = find_machine(MACHINES[row.core])
    kernels = checkout / "validation" / "kernels"
    length = row.length or _USUAL_LENGTH
    found = estimate(
        [_source(kernels / f"{row.kernel}.c", row), kernels / "dummy.c"],
        machine,
        sizes=_sizes(row.kernel, length),
        functions=("kernel",),
        cores=1,
        warm=True,
        **code_of(row),
    )
    (region,) = found.regions
    (projection,) = region.projections
    times = (None if projection.expected is None else projection.expected.time, projection.time)
    likely, least = (None if time is None else _cycles(time.value, row, length, machine) for time in times)
    names = Row.__struct_fields__
    return Row(**{name: getattr(row, name) for name in names} | {"expected": likely, "bound": least})


def _source(path: Path, row: Row) -> SourceFile:
    """Return a kernel; icc was told that pointers are apart (``-fno-alias``)."""
    text = path.read_text()
    return source_text(text.replace("DTYPE*", "DTYPE* restrict") if row.compiler == "icc" else text, path.name)


def _sizes(kernel: str, length: int) -> dict[str, int]:
    if kernel == "pi":
        return {"slices": length * _REPEATS}
    if kernel not in _PLANES:
        return {"repeat": _REPEATS, "cur_elements": length}
    depth, height = _PLANES[kernel]
    planes = {"cur_elementsz": depth} if depth > 1 else {}
    return {"repeat": _REPEATS, "cur_elementsy": height, "cur_elementsx": length, **planes}


def _cycles(seconds: float, row: Row, length: int, machine: Machine) -> float:
    return seconds * machine.core_hz(1) / (_REPEATS * (length - _LESS.get(row.kernel, 0)))


def error(row: Row, said: float | None) -> float | None:
    """Return the error of a prediction of a row, relative to what was measured."""
    return None if said is None else abs(row.cycles - said) / row.cycles


def _mean(rows: Iterable[Row], tool: str) -> str:
    errors = [found for row in rows if (found := error(row, getattr(row, tool))) is not None]
    return f"{statistics.mean(errors):7.0%}" if errors else "      -"


def table(rows: list[Row]) -> Iterator[str]:
    """Yield the mean errors by core, compiler, flags and kernel."""
    yield f"{'':14}{'rows':>5}{'ours':>8}{'median':>8}{'osaca':>8}{'llvm-mca':>9}{'beaten':>7}"
    for part in ("core", "compiler", "flags", "kernel", None):
        names = sorted({getattr(row, part) for row in rows}) if part else ["all"]
        for name in names:
            own = [row for row in rows if part is None or getattr(row, part) == name]
            errors = [found for row in own if (found := error(row, row.expected)) is not None]
            beaten = sum(row.bound is not None and row.cycles < _VIOLATION * row.bound for row in own)
            yield (
                f"{name:14}{len(own):5} {_mean(own, 'expected')} {statistics.median(errors):7.0%} "
                f"{_mean(own, 'osaca')}  {_mean(own, 'llvm_mca')}{beaten:7}"
            )


def main() -> None:
    """Predict and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--held-out", action="store_true", help="show the cores held out, not those of development")
    parser.add_argument("--list", action="store_true", help="print each row")
    for part in ("core", "kernel", "compiler"):
        parser.add_argument(f"--{part}", help=f"only rows of this {part}")
    arguments = parser.parse_args()
    chosen = [
        expected(row, arguments.checkout)
        for row in published()
        if (row.core in HELD_OUT) is arguments.held_out
        and all(getattr(arguments, part) in (None, getattr(row, part)) for part in ("core", "kernel", "compiler"))
    ]
    if arguments.list:
        for row in sorted(chosen, key=lambda row: (row.core, row.kernel, row.compiler, row.flags)):
            said = ("-" if value is None else f"{value:.2f}" for value in (row.expected, row.bound, row.osaca))
            print(f"{row.core:6}{row.kernel:13}{row.compiler:6}{row.flags:6}{row.block or '-':>4} "
                  f"measured {row.cycles:6.2f}  expected, bound, osaca {'  '.join(said)}")  # fmt: skip
    print("\n".join(table(chosen)))


if __name__ == "__main__":
    main()
