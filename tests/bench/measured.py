"""Bounds and expected times against loops that are compiled and timed on this machine.

    python -m tests.bench.measured [--machine FILE] [--json FILE] [--from FILE] [--held-out] [--list GROUP]
                                   [--polybench CHECKOUT] [--osaca ZEN4]

Small loops (:mod:`.measured_loops`) are compiled with the compilers and flags that are installed, and timed; the
machine is that of ``--machine``, else ``ai-estimate machines measure --cores 1`` describes it.  Printed are, by group,
measured over predicted for the certain bound (*violations* run more than 5 % faster than it allows) and for the
expected time, and the rank correlation (Spearman).  ``--json`` writes the times, and ``--from`` takes them from there,
so that a changed model needs no new timing; where the file of ``--json`` is there, the lesser of both times counts.
The loops held out are shown with ``--held-out`` alone.  ``--polybench`` times the kernels of a checkout of PolyBench/C
as well (:mod:`.measured_polybench`), ``--osaca`` with the name of a microarchitecture runs llvm-mca and OSACA beside
(:mod:`.measured_analyzers`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from roofline.estimation import estimate, source_text
from roofline.machine.machine import Machine
from roofline.machine.schema import load_machine
from roofline.machine.text import machine_text
from roofline.model.verdicts.projected import Projection
from roofline.probe.cpu.measurement import measure_cpu

from .measured_analyzers import analyzed_seconds, analyzers, is_simple, narrow
from .measured_loops import Loop, loops
from .measured_polybench import predicted_kernel, timed_kernels
from .measured_runs import Build, builds, compiled, timed
from .polybench import kernels

_VIOLATION = 0.95
_CLOSE = 1.5
_FILLS = {"L1": 0.4, "L2": 0.4}
_DATASET = "MEDIUM"
_MEMORY_BYTES, _MEMORY_FACTOR = 40 << 20, 1.25


class Row(Struct, frozen=True):
    """One loop: seconds measured, at least (``bound``) and expected (None where nothing is predicted)."""

    build: str
    group: str
    name: str
    held_out: bool
    measured: float
    bound: float | None
    expected: float | None
    kind: str


def targets(machine: Machine) -> list[tuple[str, int]]:
    """Return the bytes of the loops in L1, in L2 and in memory."""
    found = [(level.name, int(_FILLS[level.name] * level.capacity_bytes)) for level in machine.levels[:2]]
    largest = max(level.capacity_bytes // level.shared_by for level in machine.levels)
    return [*found, (machine.memory.name, max(_MEMORY_BYTES, int(_MEMORY_FACTOR * largest)))]


def predicted(loop: Loop, build: Build, machine: Machine) -> tuple[float | None, float | None, str]:
    """Return the bound, the expected time, and the kind of the bound; caches are warm, as the loops are repeated."""
    text = "#include <math.h>\n" + loop.template.source
    sizes = {"n": loop.n} if re.search(r"\bn\b", loop.template.body) else {}
    report = estimate(
        source_text(text), machine, sizes=sizes, cores=1, warm=True, reassociate=build.reassociate, **_likely(build)
    )
    regions = report.regions
    if not regions:
        return None, None, "not analyzed"
    return _figures(regions[0].projections[0])


def _figures(projection: Projection) -> tuple[float | None, float | None, str]:
    expected = projection.expected
    level = f" ({projection.level})" if projection.level else ""
    return (
        None if projection.time is None else projection.time.value,
        None if expected is None else expected.time.value,
        projection.bound.value + level,
    )


def _likely(build: Build) -> dict[str, Any]:
    """Return the code that the flags of a build ask for."""
    return {"simd": build.simd, "compiler": build.command[0], "fma": build.fma}


def measured_rows(document: dict[str, Any], machine: Machine) -> Iterator[Row]:
    """Yield every loop of every build with its predictions."""
    every = {loop.name: loop for loop in loops([tuple(target) for target in document["targets"]])}
    for build in (Build(**found) for found in document["builds"]):
        for name, seconds in document["times"][build.name].items():
            loop = every.get(name)
            if loop is not None:
                found = predicted(loop, build, machine)
                yield Row(build.name, loop.template.group, name, loop.held_out, seconds, *found)


def run(machine: Machine, checkout: Path | None) -> dict[str, Any]:
    """Compile and time all loops, and the kernels of PolyBench; the result is the JSON document."""
    chosen = targets(machine)
    found, times, polybench = builds(), {}, {}
    for build in found:
        with tempfile.TemporaryDirectory(prefix="measured-") as folder:
            times[build.name] = timed(compiled(build, list(loops(chosen)), Path(folder)))
            if checkout is not None:
                polybench[build.name] = timed_kernels(build, checkout, _DATASET, Path(folder))
        print(f"{build.name}: {len(times[build.name])} loops timed, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    described = [
        {
            "name": each.name,
            "command": list(each.command),
            "simd": each.simd,
            "reassociate": each.reassociate,
            "fma": each.fma,
        }
        for each in found
    ]
    text = machine_text(machine)
    return {"targets": chosen, "builds": described, "times": times, "polybench": polybench, "machine": text}


def least_of(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the first document with the lesser of both times wherever the other has one too."""
    found = dict(one)
    for kind in ("times", "polybench"):
        found[kind] = {
            build: {
                name: min(seconds, other.get(kind, {}).get(build, {}).get(name, seconds))
                for name, seconds in every.items()
            }
            for build, every in one.get(kind, {}).items()
        }
    return found


def polybench_rows(document: dict[str, Any], machine: Machine, checkout: Path) -> Iterator[Row]:
    """Yield every kernel of PolyBench that was timed, of every build, with its predictions."""
    for build in (Build(**found) for found in document["builds"]):
        for kernel in kernels(checkout):
            seconds = document["polybench"][build.name][kernel.name]
            options = {**_likely(build), "reassociate": build.reassociate}
            bound, expected, kind = _figures(predicted_kernel(kernel, _DATASET, machine, options))
            yield Row(build.name, "PolyBench", kernel.name, False, seconds, bound, expected, kind)


def beside_analyzers(machine: Machine, target: str, *, held_out: bool) -> None:
    """Print measured over predicted of loops in L1, for us and for the programs that read assembly."""
    names = {"llvm-mca": "native", "osaca": target}
    names = {name: names[name] for name in analyzers()}
    if len(names) < 2:
        print(f"\nllvm-mca and OSACA side by side: skipped, installed is {', '.join(names) or 'neither'}")
        return
    chosen = [loop for loop in loops(targets(machine)) if is_simple(loop) and loop.held_out is held_out]
    for build in (narrow(each) if "-march=native" in each.command else each for each in builds()):
        factors: dict[str, list[float]] = {"ours": [], **{name: [] for name in names}}
        with tempfile.TemporaryDirectory(prefix="measured-") as folder:
            seconds = timed(compiled(build, chosen, Path(folder)))
            for loop in chosen:
                said = analyzed_seconds(build, loop, names, machine.clock_hz, Path(folder))
                ours = predicted(loop, build, machine)[1]
                for name, value in {**(said or {}), "ours": ours}.items():
                    if said and value:
                        factors[name].append(max(seconds[loop.name] / value, value / seconds[loop.name]))
        texts = (f"{name} {statistics.median(found):.2f}" for name, found in factors.items() if found)
        print(f"in L1, {build.name}, median factor off over {len(factors['ours'])} loops: {', '.join(texts)}")


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of a table by group, measured over predicted."""
    columns = ("bound: median", "p90", "least", "beaten", "expected: median", "p10", "p90", "off", "<1.5")
    widths = (13, 7, 7, 7, 18, 6, 6, 6, 6)
    heads = "".join(f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))
    yield f"{'group':16}{'n':>4} |{heads}"
    groups = list(dict.fromkeys(row.group for row in rows))
    for group in [*groups, "all"]:
        chosen = [row for row in rows if group in (row.group, "all")]
        yield f"{group:16}{len(chosen):4} | {_bound_cells(chosen)} | {_expected_cells(chosen)}"


def _bound_cells(rows: Sequence[Row]) -> str:
    factors = sorted(row.measured / row.bound for row in rows if row.bound)
    if not factors:
        return f"{'-':>34}"
    beaten = sum(factor < _VIOLATION for factor in factors)
    return f"{statistics.median(factors):13.2f}{_part(factors, 0.9):7.2f}{factors[0]:7.2f}{beaten:7}"


def _expected_cells(rows: Sequence[Row]) -> str:
    factors = sorted(row.measured / row.expected for row in rows if row.expected)
    if not factors:
        return "-"
    off = [max(factor, 1 / factor) for factor in factors]
    within = sum(each <= _CLOSE for each in off) / len(off)
    return (
        f"{statistics.median(factors):16.2f}{_part(factors, 0.1):6.2f}{_part(factors, 0.9):6.2f}"
        f"{statistics.median(off):6.2f}{within:6.0%}"
    )


def _part(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the rank correlation of pairs (Spearman 1904), equal values by the mean of their ranks.

    >>> spearman([(1, 2), (2, 4), (3, 9)])
    1.0
    """
    first, second = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    return statistics.correlation(first, second) if len(pairs) > 1 else 1.0


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def show(rows: Sequence[Row], listed: str | None) -> None:
    """Print the tables of each build, and the loops of a group that is listed (``beaten``: those beyond the bound)."""
    for build in dict.fromkeys(row.build for row in rows):
        own = [row for row in rows if row.build == build]
        print(f"\n{build}")
        print("\n".join(table(own)))
        for kind, pairs in (
            ("bound", [(row.measured, row.bound) for row in own if row.bound]),
            ("expected", [(row.measured, row.expected) for row in own if row.expected]),
        ):
            if pairs:
                print(f"Spearman of {kind}: {spearman(pairs):.3f} over {len(pairs)}")
        for row in own:
            beaten = row.bound is not None and row.measured < _VIOLATION * row.bound
            if listed in (row.group, "all") or (listed == "beaten" and beaten):
                print(_line(row))


def _line(row: Row) -> str:
    bound, expected = ("     -" if not value else f"{row.measured / value:6.2f}" for value in (row.bound, row.expected))
    return f"  {row.name:22} {row.measured:.3e} s  of bound {bound}  of expected {expected}  {row.kind}"


def main() -> None:
    """Time or read, predict and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", type=Path, help="a machine file of this machine (default: measure it)")
    parser.add_argument("--json", type=Path, help="write the times to this file")
    parser.add_argument("--from", dest="stored", type=Path, help="take the times from a file that --json wrote")
    parser.add_argument("--held-out", action="store_true", help="show the loops held out, not those of development")
    parser.add_argument("--list", help="list the loops of a group, of all, or those that are beaten")
    parser.add_argument("--polybench", type=Path, help="a checkout of PolyBench/C, of which all kernels are timed")
    parser.add_argument("--osaca", help="run llvm-mca and OSACA too; the microarchitecture, as OSACA names it")
    arguments = parser.parse_args()
    if not arguments.stored and not builds():
        raise SystemExit("skipped: neither gcc nor clang is installed")
    machine = load_machine(arguments.machine) if arguments.machine else measure_cpu("this-machine", cores=1).machine
    document = json.loads(arguments.stored.read_text()) if arguments.stored else run(machine, arguments.polybench)
    if arguments.json and arguments.json.exists():
        document = least_of(document, json.loads(arguments.json.read_text()))
    if arguments.json:
        arguments.json.write_text(json.dumps(document, indent=1))
    rows = [row for row in measured_rows(document, machine) if row.held_out is arguments.held_out]
    show(rows, arguments.list)
    if arguments.polybench and document.get("polybench"):
        show(list(polybench_rows(document, machine, arguments.polybench)), arguments.list)
    if arguments.osaca:
        beside_analyzers(machine, arguments.osaca, held_out=arguments.held_out)


if __name__ == "__main__":
    main()
