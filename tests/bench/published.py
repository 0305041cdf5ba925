"""Published measurements against the roofs of our machines: none may be above, and how far below they are.

    python -m tests.bench.published [--above]

``tests/data/published/*.toml`` hold figures that others measured, each with its machine, level, pattern and cores, and
the spread between repeats.  A bandwidth is the useful one: the bytes that a benchmark names over its time.  Where its
stores are ordinary ones, the roof in useful bytes is lower by the lines that a store reads first.  A rate at a stated
intensity is held against ``min(P_peak, I * b)``.  The table is that of ``roofline/README.md``.
"""

from __future__ import annotations

import argparse
import statistics
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, convert

from roofline.catalog import find_machine
from roofline.machine.figures import PeakMode
from roofline.machine.hardware import MachineKind
from roofline.machine.machine import Machine
from roofline.machine.streams import streams_of

from ..oracle.sources import ROOT

FOLDER = ROOT / "tests" / "data" / "published"
REPEATS = 0.02
"""How far two runs of one benchmark differ where a source does not say (STREAM's own limit is 2 %)."""


class Row(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One figure: a bandwidth of a level with a pattern, or FLOP/s at an intensity for each level that is stated."""

    machine: str
    level: str = "DRAM"
    pattern: str | None = None
    cores: int | None = None
    gbs: float | None = None
    precision: str | None = None
    intensity: float | None = None
    gflops: float | None = None
    spread: float | None = None
    working_set_kib: float | None = None
    benchmark: str | None = None


class Published(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rows of one source; ``stores`` is ``allocate`` where all are ordinary ones, else ``bytes``."""

    title: str
    url: str
    stores: str
    rows: tuple[Row, ...]


class Held(Struct, frozen=True):
    """A figure and our roof for it, in GB/s or GFLOP/s."""

    row: Row
    title: str
    measured: float
    roof: float

    @property
    def above(self) -> bool:
        """Return whether the figure is above the roof by more than its spread."""
        spread = self.row.spread if self.row.spread is not None else REPEATS
        return self.measured * (1 - spread) > self.roof * 1.0001

    @property
    def looseness(self) -> float:
        """Return the roof over the figure."""
        return self.roof / self.measured


def read_published(folder: Path = FOLDER) -> Iterator[Published]:
    """Yield every source of a folder."""
    for path in sorted(folder.glob("*.toml")):
        yield convert(tomllib.loads(path.read_text("utf-8")), Published)


def hold(published: Iterable[Published]) -> Iterator[Held]:
    """Yield every figure with our roof for it."""
    for source in published:
        for row in source.rows:
            machine = find_machine(row.machine)
            if row.gflops is not None:
                yield Held(row, source.title, row.gflops, rate_roof(machine, row))
            else:
                yield Held(row, source.title, row.gbs or 0.0, bandwidth_roof(machine, row, source.stores))


def bandwidth_roof(machine: Machine, row: Row, stores: str) -> float:
    """Return the most useful GB/s that our machine allows to a pattern."""
    chosen = machine.greatest_bandwidth(row.level, row.cores)
    if chosen is None:
        raise ValueError(f"{machine.id} states no bandwidth of {row.level}")
    streams = streams_of(row.pattern)
    if streams is None:
        return chosen.rate.giga
    if chosen.figure.victim:
        return chosen.rate.giga / streams.victim_bytes_per_useful_byte
    inside = machine.levels and row.level == machine.levels[0].name
    reads_first = stores == "allocate" and machine.kind is MachineKind.CPU and not inside
    return chosen.rate.giga / (streams.bus_bytes_per_useful_byte if reads_first else 1.0)


def rate_roof(machine: Machine, row: Row) -> float:
    """Return the most GFLOP/s that our machine allows at an intensity."""
    peaks = [machine.choose_peak(row.precision or "fp64", mode=PeakMode.FMA, kind=kind) for kind in ("theoretical",)]
    rates = [peak.rate.giga for peak in peaks if peak is not None]
    chosen = machine.greatest_bandwidth(row.level, row.cores)
    if row.intensity is not None and chosen is not None:
        rates.append(row.intensity * chosen.rate.giga)
    return min(rates)


def table(held: Iterable[Held]) -> list[str]:
    """Return the lines of the table: the median of roof to figure, by machine and by level."""
    by_machine: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in held:
        by_machine[each.row.machine]["rates" if each.row.gflops is not None else each.row.level].append(each.looseness)
    columns = ("L1", "L2", "L3", "DRAM", "rates")
    lines = [f"| machine | figures | {' | '.join(columns)} |", "|---|---|" + "---|" * len(columns)]
    for machine in sorted(by_machine):
        levels = by_machine[machine]
        cells = [f"{statistics.median(levels[name]):.2f}" if name in levels else "" for name in columns]
        lines.append(f"| {machine} | {sum(map(len, levels.values()))} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Print the table, or the figures above their roofs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--above", action="store_true", help="list the figures that are above their roofs")
    held = list(hold(read_published()))
    if parser.parse_args().above:
        for each in held:
            if each.above:
                row = each.row
                where = (row.machine, row.level, row.pattern or row.precision, row.cores, row.benchmark)
                print(*where, f"{each.measured:g} > {each.roof:g}", each.title, sep="  ")
        return
    print(*table(held), sep="\n")


if __name__ == "__main__":
    main()
