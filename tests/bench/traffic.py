"""Bytes of simulated caches against the analytic model: errors, the worst rows, CPU seconds.

    python -m tests.bench.traffic [--polybench CHECKOUT] [--worst N]

Truth are exact simulations of the whole reference stream (``corpus/loops/oracle.json``; with a checkout of
PolyBench/C 4.2.1 also ``tests/data/polybench.json``): fully associative caches of four sizes, each of which sees
every reference, and two set-associative hierarchies.  An error is that of the bytes from (or to) the next level,
relative to the truth; kernels whose elements are chosen by data are listed apart.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from analyzer.ir.nodes import Region
from analyzer.ir.passes.substitute import bind
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy
from analyzer.traffic.program.program import NotNumeric
from analyzer.traffic.reuse.analytic import analytic_traffic
from analyzer.traffic.simulation.simulate import lines_of_short

from ..oracle.measured import Record, document, records
from ..oracle.sources import ROOT, region_of

SIZES = {"32K": 32 << 10, "256K": 256 << 10, "1M": 1 << 20, "32M": 32 << 20}
CHOSEN_BY_DATA = frozenset({"gather", "histogram", "spmv_csr"})


def is_regular(kernel: str) -> bool:
    """Whether no data choose the elements of a kernel."""
    return not any(kernel.startswith(name) for name in CHOSEN_BY_DATA)


class Case(Struct, frozen=True):
    """One kernel at one size with the truth by group of caches: bytes from and to the next level."""

    kernel: str
    dataset: str
    region: Region
    truth: Mapping[str, Sequence[Sequence[int]]]

    @property
    def is_regular(self) -> bool:
        return is_regular(self.kernel)


class Row(Struct, frozen=True):
    """One cache of one case; ``notes`` are the codes that the model raises."""

    case: Case
    group: str
    level: str
    found: tuple[float, float]
    truth: tuple[int, int]
    notes: frozenset[str]

    @property
    def errors(self) -> tuple[float, float]:
        """Relative errors of the bytes from and to the next level."""
        return tuple(
            abs(found - true) / true if true else float(found > 0)
            for found, true in zip(self.found, self.truth, strict=True)
        )


def groups() -> dict[str, Hierarchy]:
    """The caches that were simulated."""
    found = {"fully associative": Hierarchy(tuple(CacheLevel(name, size) for name, size in SIZES.items()))}
    for name, levels in document()["hierarchies"].items():
        if all(level["write_back"] for level in levels):
            caches = (CacheLevel(level["name"], level["size"], level["ways"]) for level in levels)
            found[name] = Hierarchy(tuple(caches))
    return found


def loop_cases(*datasets: str) -> Iterator[Case]:
    """The kernels of the corpus."""
    return map(loop_case, records(*(datasets or ("SMALL", "MEDIUM", "LARGE"))))


def loop_case(record: Record) -> Case:
    """One kernel of the corpus at one size."""
    return Case(record.kernel, record.dataset, _bound(record.region(), record.sizes), _truth(record.numbers))


def polybench_cases(checkout: Path) -> Iterator[Case]:
    """The instrumented kernels of PolyBench."""
    for record in json.loads((ROOT / "tests" / "data" / "polybench.json").read_text("utf-8"))["records"]:
        sizes = {name: str(value) for name, value in record["macros"].items()}
        defines = {**sizes, "POLYBENCH_USE_SCALAR_LB": "1"}
        path = checkout / record["source"]
        region = region_of(path, record["function"], defines, (str(checkout / "utilities"),))
        yield Case(record["kernel"], record["dataset"], _bound(region, {}), _truth(record))


def rows_of(case: Case) -> Iterator[Row]:
    """Every simulated cache of a case against the model; raises ``NotNumeric`` where the case has no model."""
    for group, hierarchy in groups().items():
        if group not in case.truth:
            continue
        moves = analytic_traffic(case.region, hierarchy, warm=False, short=lines_of_short)
        notes = frozenset(note.code for note in moves.remarks())
        filled, written = (moves.read + moves.allocate).sum(axis=1), moves.written.sum(axis=1)
        for place, level in enumerate(hierarchy.levels):
            true = case.truth[group][place]
            yield Row(case, group, level.name, (filled[place], written[place]), (true[0], true[1]), notes)


def _truth(record: Mapping[str, Any]) -> dict[str, Sequence[Sequence[int]]]:
    return {"fully associative": [record["fully_associative"][name] for name in SIZES], **record.get("hierarchies", {})}


def _bound(region: Region, sizes: Mapping[str, int]) -> Region:
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    return bind(region, {**values, **{name: value for name, value in sizes.items() if name not in values}})


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield f"{'caches':20}{'bytes':>7}{'n':>6}{'median':>9}{'p90':>9}{'p95':>9}{'p97':>9}{'most':>9}"
    for group in dict.fromkeys(row.group for row in rows):
        for direction, name in enumerate(("from", "to")):
            errors = [100 * row.errors[direction] for row in rows if row.group == group]
            figures = "".join(f"{value:8.2f}%" for value in np.quantile(errors, [0.5, 0.9, 0.95, 0.97, 1]))
            yield f"{group:20}{name:>7}{len(errors):6}{figures}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--polybench", type=Path, metavar="CHECKOUT")
    parser.add_argument("--worst", type=int, default=10, metavar="N")
    chosen = parser.parse_args(arguments)
    cases = [*loop_cases(), *(polybench_cases(chosen.polybench) if chosen.polybench else ())]
    rows: list[Row] = []
    seconds: list[tuple[float, str]] = []
    for case in cases:
        start = time.process_time()
        try:
            rows.extend(rows_of(case))
        except NotNumeric as reason:
            print(f"{case.kernel} {case.dataset}: not modelled: {reason}")
        seconds.append(((time.process_time() - start) / len(groups()), f"{case.kernel} {case.dataset}"))
    regular = [row for row in rows if row.case.is_regular]
    print("\n".join(_table(regular)))
    print("\nworst rows:")
    for row in sorted(regular, key=lambda row: -max(row.errors))[: chosen.worst]:
        errors = " / ".join(f"{100 * error:.2f} %" for error in row.errors)
        told = ", ".join(sorted(row.notes - {"AI305"})) or "no note"
        print(f"  {row.case.kernel} {row.case.dataset}, {row.group} {row.level}: {errors} ({told})")
    print("\nelements chosen by data (estimate of equally likely ones):")
    for row in rows:
        if not row.case.is_regular and row.group == "fully associative":
            print(f"  {row.case.kernel} {row.case.dataset} {row.level}: {100 * row.errors[0]:.1f} %")
    worst = max(seconds)
    print(f"\nCPU of one model: median {np.median([s for s, _ in seconds]):.3f} s, most {worst[0]:.2f} s ({worst[1]})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
