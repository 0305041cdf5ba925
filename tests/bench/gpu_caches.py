"""Bytes of drawn kernels at the L2 and the memory of a small GPU, against a simulation of all their warps.

    python -m tests.bench.gpu_caches [--first SEED] [--number N] [--all]

The simulation is :mod:`tests.oracle.warps`.  What is dirty in L2 when a kernel ends may be written or not: a figure
between both is a hit.  A line for every kernel that is not within a factor of 1.1 at both levels, and the scores.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from msgspec import Struct

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.quantities.quantity import add
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import CacheLevel, GpuShape, Hierarchy
from analyzer.traffic.options import CacheOptions
from tests.oracle import warps

HIERARCHY = Hierarchy(
    (
        CacheLevel("L1", warps.L1_BYTES, None, warps.SECTOR, per_block=True),
        CacheLevel("L2", warps.L2_BYTES, None, warps.SECTOR),
    ),
    "DRAM",
    warps.UNITS,
    GpuShape(most_threads=warps.THREADS_OF_UNIT, most_blocks=warps.BLOCKS_OF_UNIT),
)
_CLOSE = (1.1, 1.25)


class Compared(Struct, frozen=True):
    """Sectors of a drawn kernel that leave L1 and L2: ours, and the least and most that the simulation moves."""

    drawn: warps.Drawn
    ours: tuple[float, float, float, float]
    least: float
    most: float
    inner: float

    @property
    def factors(self) -> tuple[float, float]:
        """Return how far the figures of L2 reads and of memory are off, at least 1 each."""
        own = self.ours[1]
        wanted = min(max(own, self.least), self.most)
        return _factor(self.ours[0], self.inner), _factor(own, wanted)

    @property
    def holds(self) -> bool:
        """Return whether the interval of the memory's bytes holds what the simulation moves."""
        return self.ours[2] <= self.most * 1.001 and self.least <= self.ours[3] * 1.001


def compared(seed: int) -> Compared:
    """Analyze and simulate one drawn kernel."""
    drawn = warps.drawn_kernel(seed)
    options = AnalysisOptions(cache=CacheOptions(hierarchies=(HIERARCHY,)), budget_s=60)
    (found,) = analyze(SourceFile("k.cu", drawn.text, Language.CUDA), options)
    (traffic,) = found.traffic
    (model,) = traffic.models
    first, last = model.levels[-2], model.levels[-1]
    total = add((last.read_bytes, last.write_bytes))
    ends = [total.estimate, total.lower, total.upper]
    numbers = [float("inf") if each is None else float(each.evaluate({})) / warps.SECTOR for each in ends]
    inner = float(first.read_bytes.estimate.evaluate({})) / warps.SECTOR
    moved = warps.simulated(drawn)
    least = moved.read + moved.written
    return Compared(drawn, (inner, numbers[0], numbers[1], numbers[2]), least, least + moved.left, moved.inner)


def _factor(one: float, other: float) -> float:
    return max(one, 1.0) / max(other, 1.0) if one >= other else max(other, 1.0) / max(one, 1.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the kernels that are off, and the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--number", type=int, default=30)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args(arguments)
    found = []
    for seed in range(options.first, options.first + options.number):
        one = compared(seed)
        found.append(one)
        if options.all or max(one.factors) > _CLOSE[0] or not one.holds:
            print(_line(seed, one), flush=True)
    for close in _CLOSE:
        counts = [sum(one.factors[level] <= close for one in found) for level in (0, 1)]
        print(f"within {close} of {len(found)}: L2 reads {counts[0]}, memory {counts[1]}")
    print(f"intervals of memory hold: {sum(one.holds for one in found)} of {len(found)}")
    return 0


def _line(seed: int, one: Compared) -> str:
    inner, memory = one.factors
    return (
        f"{seed} {one.drawn.kind:10} <<<{one.drawn.grid}, {one.drawn.block}>>>  L2 {one.ours[0]:.0f} : {one.inner:.0f}"
        f" ({inner:.2f})  memory {one.ours[1]:.0f} in {one.ours[2]:.0f}..{one.ours[3]:.0f} : "
        f"{one.least:.0f}..{one.most:.0f} ({memory:.2f}){'' if one.holds else ' OUTSIDE'}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
