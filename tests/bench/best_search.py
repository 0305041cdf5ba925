"""How near the transformations that are found come to the least traffic of any order, for kernels of PolyBench/C.

    python -m tests.bench.best_search CHECKOUT [--kernel NAME ...] [--dataset LARGE] [--hierarchy L1:32KiB,L2:1MiB]

Prints for each level of each nest, and of the whole, the bytes now, those after the best transformation that the search
finds, and those that no order is below; and the CPU seconds that the search takes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does: idle threads take CPU time too

from analyzer.source import read_source
from roofline import estimate
from roofline.report.report import RegionReport
from roofline.report.transformed import step_text

from .polybench import Kernel, kernels

FIVE = ("gemm", "syrk", "2mm", "jacobi-2d", "mvt")


class Searched(Struct, frozen=True):
    """One level of a nest: bytes now, after the best transformation, in any order at least; and its steps."""

    nest: str
    level: str
    now: float
    reached: float
    least: float
    steps: tuple[str, ...]


def searched(kernel: Kernel, dataset: str, hierarchy: str, *, advise: bool = True) -> tuple[list[Searched], float]:
    """Every level of every nest of a kernel, and the CPU seconds of its report."""
    source = read_source(str(kernel.source))
    defines = {f"{dataset}_DATASET": "1", "POLYBENCH_USE_SCALAR_LB": "1"}
    start = time.process_time()
    report = estimate(
        source,
        hierarchy=hierarchy,
        defines=defines,
        include_dirs=(str(kernel.utilities),),
        functions=(kernel.function,),
        advise=advise,
        least_traffic=True,
        cores=1,
    )
    seconds = time.process_time() - start
    return [each for region in report.regions for each in _levels(region)], seconds


def _levels(region: RegionReport) -> Iterator[Searched]:
    for nest in region.nests:
        for found in nest.best:
            yield Searched(
                nest=f"{nest.profile.span.line}",
                level=found.level,
                now=found.now_bytes,
                reached=found.reached_bytes or found.now_bytes,
                least=found.least_bytes,
                steps=tuple(map(step_text, found.steps)),
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--kernel", nargs="*", default=FIVE)
    parser.add_argument("--dataset", default="LARGE")
    parser.add_argument("--hierarchy", default="L1:32KiB,L2:1MiB")
    options = parser.parse_args(arguments)
    for kernel in kernels(options.checkout):
        if options.kernel and kernel.name not in options.kernel:
            continue
        _, plain = searched(kernel, options.dataset, options.hierarchy, advise=False)
        found, seconds = searched(kernel, options.dataset, options.hierarchy)
        print(f"{kernel.name:16} {seconds - plain:5.2f} s")
        for each in found:
            print(f"   line {each.nest:4} {each.level:5} {each.now:9.3g} B now, {each.reached:9.3g} reached, ", end="")
            print(f"{each.least:9.3g} at least: {each.reached / each.least:5.2f}  {', '.join(each.steps)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
