"""Bytes and time of real CUDA kernels against what a profiler measured.

    python -m tests.bench.gpu_bytes CHECKOUT ROWS.json [--mode given|discovered] [--half 0|1] [--machine rtx3080]
        [--id TEXT] [--all]

CHECKOUT and ROWS are those of :mod:`.gpu_flops`.  Bytes are those of the memory in rows that move at least 10 MB; a hit
is within a factor of 1.25 either way; what is not a number counts as a miss, and a row that is neither a hit nor inside
the stated interval is off without a word.  A second score leaves out rows that move less than 10 GB/s: a screen and
other programs move a part of that.  The projected time is a lower bound: all rows with
a time count, and one that is more than 5 % above the measured time is wrong.  A line for every miss (with ``--all`` for
every row): recorded and predicted bytes with their interval, measured and projected time, bound, codes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path

from msgspec import Struct

from analyzer.counts.policy import load_policy
from analyzer.ir.nodes import Assumption, Region
from analyzer.profile import RegionProfile
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.quantities.quasipolynomial import Count
from analyzer.stages.region_traffic import traffic_of
from analyzer.traffic.options import CacheOptions
from analyzer.traffic.results import RegionTraffic
from roofline.catalog import find_machine
from roofline.machine.machine import Machine
from roofline.model.hierarchies import hierarchy_of
from tests.projected import project

from .gpu_rows import MODES, Checkout, Row, in_time, rows_of

_LEAST_BYTES = 10**7
_LEAST_BYTES_PER_S = 10e9
"""Of rows that the second score takes.  In those of maxFlops-cuda, which computes for 0.2 s and moves 17 MB, the
profiler saw 260 to 440 MB: 1.3 GB/s of an RTX 3080 are others'."""
_FACTOR = 1.25
_MOST_ABOVE = 1.05


class Prediction(Struct, frozen=True):
    """Bytes of memory (estimate, least, most) and seconds; ``reason`` says why there are none."""

    size: tuple[float, float, float] | None = None
    seconds: float | None = None
    bound: str = ""
    codes: tuple[str, ...] = ()
    reason: str = ""


def predict(region: Region, machine: Machine, policy: str) -> Prediction:
    """Bytes and time of a kernel on a machine, as the command line projects them."""
    hierarchy = hierarchy_of(machine)
    assert hierarchy is not None
    profile = profile_region(region, ProfileOptions(load_policy(policy)))
    traffic = traffic_of(region, profile, CacheOptions(hierarchies=(hierarchy,)), 0)
    found = project(profile, machine, traffic=traffic)
    total = found.moved.total
    ends = [_value(profile, count) for count in (total.estimate, total.lower, total.upper)]
    codes = tuple(sorted({note.code for note in (*profile.assumptions, *traffic.notes, *_notes(traffic))}))
    unknown = sorted(set(profile.symbols) - profile.values.keys())
    reason = f"unknown {', '.join(unknown[:3])}" if unknown else ""
    if not reason and not traffic.models:
        texts = [note.text for note in traffic.notes if note.code == "AI210"]
        reason = texts[0] if texts else "no model"
    size = None if None in ends or not traffic.models else (ends[0] or 0.0, ends[1] or 0.0, ends[2] or 0.0)
    bound = f"{found.bound.value} {found.level or ''}".strip()
    return Prediction(size, None if found.time is None else found.time.value, bound, codes, reason)


def _notes(traffic: RegionTraffic) -> Sequence[Assumption]:
    return [note for found in traffic.models for note in found.notes]


def _value(profile: RegionProfile, count: Count | None) -> float | None:
    """Return the number; infinity without an upper bound, None where sizes are not known."""
    if count is None:
        return inf
    return float(count.evaluate(profile.values)) if count.symbols <= profile.values.keys() else None


def is_hit(predicted: float | None, recorded: float) -> bool:
    """Within the factor, either way."""
    return bool(predicted) and recorded / _FACTOR <= (predicted or 0.0) <= recorded * _FACTOR


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every row that is no hit, and the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--mode", choices=MODES, default="given")
    parser.add_argument("--machine", default="rtx3080")
    parser.add_argument("--policy", default="source")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only programs of this half")
    parser.add_argument("--id", default="", help="only rows whose id holds this text")
    parser.add_argument("--all", action="store_true", help="a line for every row")
    options = parser.parse_args(arguments)
    checkout, machine = Checkout(options.checkout), find_machine(options.machine)
    score: Counter[str] = Counter()
    for row in rows_of(options.rows, text=options.id, half=options.half):
        began = time.process_time()
        found = in_time(
            lambda row=row: predict(checkout.region(row, options.mode), machine, options.policy),  # type: ignore[misc]
            lambda reason: Prediction(reason=reason),
        )
        if _count(score, row, found) or options.all:
            print(_line(row, found, time.process_time() - began), flush=True)
    print(
        f"bytes: {score['hits']} of {score['large']} within {_FACTOR}, {score['inside']} inside the interval, "
        f"{score['silent']} without an answer, {score['off']} off without a word"
    )
    print(
        f"of {score['busy']} at 10 GB/s or more: {score['busy hits']} within {_FACTOR}, "
        f"{score['busy silent']} without an answer, {score['busy off']} off without a word"
    )
    print(f"time: {score['timed'] - score['above']} of {score['timed']} not above, of {score['rows']} rows")
    return 0


def _count(score: Counter[str], row: Row, found: Prediction) -> bool:
    """Add a row to the score; whether it is to be shown."""
    shown = False
    score["rows"] += 1
    if row["dram_bytes"] >= _LEAST_BYTES:
        is_busy = row["dram_bytes"] >= _LEAST_BYTES_PER_S * row["time_ns"] * 1e-9
        score["large"] += 1
        hit = found.size is not None and is_hit(found.size[0], row["dram_bytes"])
        score["hits"] += hit
        score["silent"] += found.size is None
        score.update({"busy": is_busy, "busy hits": is_busy and hit, "busy silent": is_busy and found.size is None})
        inside = found.size is not None and found.size[1] <= row["dram_bytes"] <= found.size[2]
        off = found.size is not None and not hit and not inside
        score.update({"inside": inside, "off": off, "busy off": is_busy and off})
        shown = not hit
    if found.seconds is not None:
        score["timed"] += 1
        above = found.seconds * 1e9 > _MOST_ABOVE * row["time_ns"]
        score["above"] += above
        shown = shown or above
    return shown


def _line(row: Row, found: Prediction, seconds: float) -> str:
    size = "-" if found.size is None else "{:.4g} ({:.3g} .. {:.3g})".format(*found.size)
    took = "-" if found.seconds is None else f"{found.seconds * 1e6:.4g}"
    quotient = "-" if found.size is None else f"{found.size[0] / max(row['dram_bytes'], 1.0):.2f}"
    late = "-" if found.seconds is None else f"{found.seconds * 1e9 / row['time_ns']:.2f}"
    return (
        f"{row['id']:55} {row['dram_bytes']:.4g} B: {size:36} x{quotient:6} {row['time_ns'] / 1e3:.4g} us: {took:9} "
        f"x{late:6} {found.bound:16} {','.join(found.codes)} {found.reason} {seconds:.1f} s"
    )


if __name__ == "__main__":
    sys.exit(main())
