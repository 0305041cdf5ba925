"""What reports say of kernels, against what a GPU counted (``tests/data/gpu``, of a H100).

    python -m tests.bench.gpu_measured [--set worked_with|put_aside] [--list] [PROGRAM...]

Programs are analyzed as they are, with ``--machine h100-sxm --policy nvidia-sass``.  A line for each kernel and shape
of launch with the ratios of what we say to what was counted: FLOPs, bytes that L1 is asked for, bytes between L1 and
L2, bytes of memory (cold caches), the expected time and the bound.  ``!`` marks a figure whose interval does not hold
(5 % are allowed).  The programs of ``put_aside`` were not looked at while the models were worked on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from msgspec import Struct

from roofline.comparison.names import kernel_name
from roofline.estimation import estimate
from roofline.measured.ncu_metrics import extents

DATA = Path(__file__).parent.parent / "data" / "gpu"
_SECTOR = 32
_ALLOWED = 1.05
_LEAST_BYTES = 10e6
Json = Mapping[str, Any]


class Compared(Struct, frozen=True, kw_only=True):
    """A kernel: ratios of what we say to what was counted, None where one is missing, and what does not hold."""

    program: str
    kernel: str
    launches: int
    measured_us: float
    flops: float | None = None
    l1: float | None = None
    l2: float | None = None
    memory: float | None = None
    time: float | None = None
    bound: float | None = None
    broken: tuple[str, ...] = ()
    moved_bytes: float = 0.0


def measured(folder: str) -> Iterator[tuple[str, Sequence[Json]]]:
    """Yield the programs of a folder with what was counted."""
    programs = json.loads((DATA / "h100.json").read_text())["programs"]
    for name, rows in programs.items():
        if name.startswith(f"{folder}/"):
            yield name.removeprefix(f"{folder}/"), rows


def counted_flops(row: Json, *, halves: bool) -> float:
    """Return the FLOPs of a row; nvcc also moves constants by instructions on halves, so only ``halves`` count them."""
    cold = row["cold"]
    kinds = [("f", 1), ("d", 1), *([("h", 2)] if halves else [])]
    return float(sum(lanes * (cold[k + "add"] + cold[k + "mul"] + 2 * cold[k + "fma"]) for k, lanes in kinds))


def compared(name: str, rows: Sequence[Json], folder: str) -> Iterator[Compared]:
    """Analyze a program and hold its kernels against what was counted."""
    source = DATA / folder / f"{name}.cu"
    report = json.loads(estimate(source, "h100-sxm", policy="nvidia-sass").to_json())
    regions = [region for file in report["files"] for region in file["regions"] if region["kind"] == "kernel"]
    halves = "half" in source.read_text()
    for row in rows:
        region = _region_of(row, regions)
        us = row["cold"]["ns"] / 1e3
        if region is None:
            yield Compared(
                program=name, kernel=kernel_name(row["kernel"]).base, launches=row["launches"], measured_us=us
            )
        else:
            yield _held(name, row, region, halves=halves)


def _region_of(row: Json, regions: Sequence[Json]) -> Json | None:
    """Return the kernel of the report with the shape and, as far as they are written alike, template arguments."""
    shape = (extents(row["grid"]), extents(row["block"]))
    wanted = kernel_name(row["kernel"])
    named = [(kernel_name(each["name"]), each) for each in regions]
    fitting = [(name, each) for name, each in named if name.base == wanted.base and _shape(each) == shape]
    exact = [(name, each) for name, each in fitting if name.arguments == wanted.arguments]
    return next((each for _, each in (*exact, *fitting)), None)


def _shape(region: Json) -> tuple[tuple[int, ...], tuple[int, ...]]:
    launch = region["launch"] or {"grid": [], "block": []}
    grid, block = (tuple(int(each["value"] or 0) for each in launch[key]) for key in ("grid", "block"))
    return grid, block


def _held(name: str, row: Json, region: Json, *, halves: bool) -> Compared:
    cold, broken = row["cold"], []
    count = ((region["launches"] or {}).get("count") or {}).get("value") or 1

    def ratio(said: Json | None, counted: float, what: str) -> float | None:
        if said is None or said["value"] is None:
            return None
        low, high = (None if said[end] is None else said[end] / count for end in ("lower", "upper"))
        if (low is not None and low > counted * _ALLOWED) or (high is not None and high * _ALLOWED < counted):
            broken.append(what)
        said_once = said["value"] / count
        return 1.0 if said_once == counted else said_once / counted if counted else None

    moved = {each["level"]: each for each in region["traffic"]}
    moved |= {each["level"]: each for cache in region["caches"] or () for each in cache["levels"]}
    totals = {level: each["total_bytes"] for level, each in moved.items()}
    asked = ("load_sectors", "store_sectors", "reduction_sectors", "atomic_sectors")
    bytes_of_memory = cold["dram_read_bytes"] + cold["dram_write_bytes"]
    flops = ratio(region["work"]["flops"], counted_flops(row, halves=halves), "flops")
    l1 = ratio(totals.get("L1"), _SECTOR * sum(cold[each] for each in asked), "l1")
    l2 = ratio(totals.get("L2"), _SECTOR * cold["l2_sectors"], "l2")
    memory = ratio(totals.get("DRAM"), bytes_of_memory, "memory")
    projection = region["projection"] or {}
    expected, seconds = projection.get("expected"), cold["ns"] * 1e-9
    if expected is not None and not expected["least_s"] / count <= seconds <= expected["most_s"] / count:
        broken.append("time")
    bound, fastest = projection.get("time_s"), min(seconds, row["warm"]["ns"] * 1e-9)
    return Compared(
        program=name,
        kernel=kernel_name(row["kernel"]).base,
        launches=row["launches"],
        measured_us=cold["ns"] / 1e3,
        flops=flops,
        l1=l1,
        l2=l2,
        memory=memory,
        time=None if expected is None else expected["time_s"] / count / seconds,
        bound=None if bound is None else bound / count / fastest,
        broken=tuple(broken),
        moved_bytes=bytes_of_memory,
    )


def _line(each: Compared) -> str:
    ratios = (
        f"{what} {'-' if value is None else format(value, '.2f')}{'!' if what in each.broken else ''}"
        for what, value in (
            ("flops", each.flops),
            ("l1", each.l1),
            ("l2", each.l2),
            ("memory", each.memory),
            ("time", each.time),
            ("bound", each.bound),
        )
    )
    return f"{each.program:18} {each.kernel:22} {each.measured_us:9.1f} us  " + "  ".join(ratios)


def _summary(rows: Sequence[Compared]) -> Iterator[str]:
    def within(values: Sequence[float | None], factor: float) -> int:
        return sum(value is not None and 1 / factor <= value <= factor for value in values)

    large = [each for each in rows if each.moved_bytes >= _LEAST_BYTES]
    flops, memory = [each.flops for each in rows], [each.memory for each in large]
    times = [max(each.time, 1 / each.time) for each in rows if each.time]
    bounds = [each.bound for each in rows if each.bound is not None]
    yield f"{len(rows)} kernels of {len({each.program for each in rows})} programs"
    yield (
        f"FLOPs: {within(flops, 1.01)} within 1 %, {within(flops, 1.1)} within 10 %, "
        f"{sum('flops' in each.broken for each in rows)} outside of what is said"
    )
    for name, of_level in (("L1", [each.l1 for each in large]), ("L2", [each.l2 for each in large]), ("DRAM", memory)):
        close = " and ".join(f"{within(of_level, factor)} within {factor}" for factor in (1.05, 1.25))
        yield f"{name}, of {len(large)} that move 10 MB: {close}"
    yield f"bytes of memory outside of what is said: {sum('memory' in each.broken for each in large)}"
    yield (
        f"expected time: median factor {median(times):.2f}, {sum(each <= 1.5 for each in times)} within 1.5, "
        f"{sum(each <= 2 for each in times)} within 2 of {len(rows)}; the range holds "
        f"{sum('time' not in each.broken for each in rows if each.time)} of {len(times)}"
    )
    beaten = sum(each > _ALLOWED for each in bounds)
    yield f"bound: {beaten} of {len(bounds)} beaten by more than 5 %, median {median(bounds):.2f} of measured"


def main(arguments: Sequence[str]) -> int:
    """Compare all programs of a set, or those named; returns an exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--set", default="worked_with", choices=["worked_with", "put_aside"])
    parser.add_argument("--list", action="store_true", help="show each kernel")
    options = parser.parse_args(arguments)
    rows: list[Compared] = []
    for name, counted in measured(options.set):
        if not options.programs or name in options.programs:
            found = list(compared(name, counted, options.set))
            rows += found
            if options.list:
                print(*map(_line, found), sep="\n", flush=True)
    print(*_summary(rows), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
