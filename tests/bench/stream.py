"""STREAM as it is: its four kernels are rows of their own, with McCalpin's bytes and the write-allocate apart.

    python -m tests.bench.stream CHECKOUT [--machine haswell]

STREAM counts 16, 16, 24 and 24 bytes an iteration for copy, scale, add and triad; a machine that allocates on a store
miss reads 8 more for the line that is written (https://www.cs.virginia.edu/stream/ref.html, "Counting Bytes and
FLOPS").  Its arrays are larger than any cache, so all of them come from memory, each of the NTIMES repetitions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from roofline.estimation import estimate
from roofline.model.intensity import number
from roofline.report.report import RegionReport

SIZE, TIMES = 10_000_000, 10
ELEMENT_BYTES = 8
KERNELS = {"copy": (0, 1), "scale": (1, 1), "add": (1, 2), "triad": (2, 2)}
"""FLOPs and arrays read in one iteration; each kernel writes one array."""
_TOLERANCE = 1e-4


class Row(Struct, frozen=True):
    """What a kernel does in all repetitions: FLOPs, bytes read, allocated and written, and what binds it."""

    flops: float
    read: float
    allocated: float
    written: float
    bound: str

    def differs(self, other: Row) -> bool:
        """Whether any figure differs."""
        pairs = zip(
            (self.flops, self.read, self.allocated, self.written),
            (other.flops, other.read, other.allocated, other.written),
            strict=True,
        )
        return self.bound != other.bound or any(abs(one - two) > _TOLERANCE * max(two, 1) for one, two in pairs)


def expected() -> dict[str, Row]:
    """Return the rows by hand."""
    whole = float(SIZE * TIMES * ELEMENT_BYTES)
    return {
        name: Row(flops * SIZE * TIMES, read * whole, whole, whole, "memory (DRAM)")
        for name, (flops, read) in KERNELS.items()
    }


def found(checkout: Path, machine_name: str) -> dict[str, Row]:
    """Return the rows of the four nests that the loop over the repetitions drives."""
    (main,) = estimate(checkout / "stream.c", machine_name, functions=("main",)).regions
    rows = [_row(nest) for driver in _drivers(main) for nest in driver.nests]
    return dict(zip(KERNELS, rows, strict=True))


def _drivers(region: RegionReport) -> Iterator[RegionReport]:
    return (nest for nest in region.nests if len(nest.nests) == len(KERNELS))


def _row(nest: RegionReport) -> Row:
    values, moved, projection = nest.profile.values, nest.moved, nest.projections[0]
    parts = (nest.profile.work.flops, moved.read, moved.write_allocate, moved.write)
    flops, read, allocated, written = (float(number(part.estimate, values) or 0) for part in parts)
    level = f" ({projection.level})" if projection.level else ""
    return Row(flops, read, allocated, written, projection.bound.value + level)


def main() -> None:
    """Print the rows and end with 1 where one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--machine", default="haswell")
    arguments = parser.parse_args()
    rows, wanted = found(arguments.checkout, arguments.machine), expected()
    print(f"{'kernel':8}{'FLOPs':>12}{'read':>12}{'write-alloc':>12}{'written':>12}  bound")
    wrong = 0
    for name, row in rows.items():
        verdict = "" if not row.differs(wanted[name]) else f"  WRONG: {wanted[name]}"
        wrong += bool(verdict)
        figures = "".join(f"{figure:12.4g}" for figure in (row.flops, row.read, row.allocated, row.written))
        print(f"{name:8}{figures}  {row.bound}{verdict}")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
