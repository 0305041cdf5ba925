"""Lower bounds of traffic for all kernels of PolyBench/C: how long they take, and that no order is below them.

    python -m tests.bench.best_intensity CHECKOUT [--kernel NAME ...] [--orders 20] [--seed 1]

Every kernel is bounded with symbols for its sizes.  At small sizes its operations are executed in drawn legal orders
and tilings with caches of several sizes under the best replacement (``tests/oracle/reordered.py``), below which no
least-recently-used cache is.  For large sizes it is compared with leading terms of ``tests/data/lower_bounds.toml``:
the best known, and those of IOLB (Olivry et al., PLDI 2020).
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from analyzer.bounds.lower_bound import lower_bound_of
from analyzer.bounds.results import LowerBound
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.ir.nodes import Region
from analyzer.profiling.counting.profiler import profile_region
from roofline.report.best import best_formula

from ..oracle.reordered import in_flight, moves, operations, reordered
from ..oracle.sources import ROOT, region_of
from .polybench import Kernel, kernels

PUBLISHED = ROOT / "tests" / "data" / "lower_bounds.toml"
_LARGE, _LARGE_CACHE = 10**7, 10**4  # of which lower-order terms are below a percent
_CAPACITIES = (6, 12, 24, 60, 160)
_DEEP, _FLAT = 11, 24  # sizes: of three loops or more, of two
_STEPS = 7
_AS_TIGHT = 0.99  # of a leading term, at sizes where others add less than a percent
_NAMES_OF_STEPS = frozenset({"tsteps", "tmax"})


class Judged(Struct, frozen=True, kw_only=True):
    """How close an order came to the bound at best, and the orders that were below it."""

    kernel: str
    seconds: float
    closest: float
    over_known: float
    over_iolb: float
    formula: str
    orders: int
    below: tuple[str, ...]


def bounded(region: Region) -> tuple[LowerBound, float]:
    """The bound of a region with symbols for its sizes, and the CPU seconds that it takes."""
    profile, statements = profile_region(region), statement_domains_of(region).statements
    start = time.process_time()
    found = lower_bound_of(statements, profile.footprint, {})
    assert found is not None
    return found, time.process_time() - start


def judge(
    region: Region, found: LowerBound, sizes: Mapping[str, int], orders: int, seed: int
) -> tuple[float, list[str]]:
    """The least quotient of the loads of an order and their bound, and every order that is below."""
    some = operations(region, sizes)
    chance = random.Random(seed)
    room, size = in_flight(some), max(array.element_bytes for array in region.arrays)
    closest, below = float("inf"), []
    for number in range(orders):
        order = reordered(some, chance) if number else some
        for capacity in _CAPACITIES:
            least, most = (of(sizes, (capacity + room) * size) // size for of in (found.load_bytes, found.bytes))
            made, stored = moves(order, capacity)
            closest = min(closest, made / least if least else closest)
            if made < least or made + stored < most:
                below.append(
                    f"order {number}, {capacity} elements: {made} loads < {least}, or {stored} stores too < {most}"
                )
    return closest, below


def over_published(kernel: str, region: Region, found: LowerBound, whose: str = "formula") -> float:
    """The bound for large sizes over a leading term of ``lower_bounds.toml``: the best known, or ``iolb``."""
    formula = tomllib.loads(PUBLISHED.read_text("utf-8"))[kernel][whose]
    large = {symbol.name: _LARGE for symbol in region.symbols}
    published = eval(formula, {"__builtins__": {}}, {**large, "S": _LARGE_CACHE, "sqrt": math.sqrt})
    size = max(array.element_bytes for array in region.arrays)
    return found.load_bytes(large, _LARGE_CACHE * size) / size / float(published)


def sizes_of(region: Region) -> dict[str, int]:
    """Small sizes: fewer where loops are deep, each another one."""
    depth = max(len(each.loops) for each in statement_domains_of(region).statements)
    base = _DEEP if depth > 2 else _FLAT
    names = sorted(symbol.name for symbol in region.symbols)
    return {name: _STEPS if name in _NAMES_OF_STEPS else base + number % 3 for number, name in enumerate(names)}


def region_of_kernel(kernel: Kernel) -> Region:
    """The function of a kernel, with symbols for its sizes."""
    defines = {"MINI_DATASET": "1", "POLYBENCH_USE_C99_PROTO": "1"}
    return region_of(kernel.source, kernel.function, defines, (str(kernel.utilities),))


def judged(kernel: Kernel, orders: int, seed: int) -> Judged:
    """One kernel at small sizes."""
    region = region_of_kernel(kernel)
    found, seconds = bounded(region)
    closest, below = judge(region, found, sizes_of(region), orders, seed)
    return Judged(
        kernel=kernel.name,
        seconds=seconds,
        closest=closest,
        over_known=over_published(kernel.name, region, found),
        over_iolb=over_published(kernel.name, region, found, "iolb"),
        formula=best_formula(found) or "every element once",
        orders=orders,
        below=tuple(below),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 1 where an order is below its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--kernel", nargs="*", default=[])
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    all_of_them: list[Judged] = []
    for kernel in kernels(options.checkout):
        if options.kernel and kernel.name not in options.kernel:
            continue
        found = judged(kernel, options.orders, options.seed)
        all_of_them.append(found)
        print(f"{found.kernel:16} {found.seconds:5.2f} s  closest order {found.closest:6.2f} x  ", end="")
        print(f"{found.over_known:8.2f} of the best known, {found.over_iolb:8.2f} of IOLB's: {found.formula}")
        for line in found.below:
            print("   BELOW", line)
    tight = sum(found.over_iolb > _AS_TIGHT for found in all_of_them)
    print(f"{len(all_of_them)} kernels, {tight} as tight as IOLB or tighter; {options.orders} orders of each")
    return 1 if any(found.below for found in all_of_them) else 0


if __name__ == "__main__":
    sys.exit(main())
