"""Expected times of real CUDA kernels, and bounds, against what a profiler measured.

    python -m tests.bench.gpu_time CHECKOUT ROWS.json [--half 0|1] [--mode given|discovered] [--clock GHZ] [--all]

CHECKOUT and ROWS are those of :mod:`.gpu_flops`; Nsight Compute holds a GPU at its base clock, which ``--clock`` says.
``--half`` takes the programs of one half: constants of the model may be calibrated on half 0 alone.  Scores are the
median of the factor between expected and measured time (either way), the share within a factor of two, how often the
stated range holds the measured time, and how often the bound is more than 5 % above it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from analyzer.counts.policy import load_policy
from analyzer.ir.nodes import Region
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.stages.region_traffic import traffic_of
from analyzer.traffic.options import CacheOptions
from roofline.catalog import find_machine
from roofline.machine.figures import BandwidthFigure, Figure, Peak
from roofline.machine.machine import Machine
from roofline.model.expectation.expected import Expected
from roofline.model.hierarchies import hierarchy_of
from tests.projected import project

from .gpu_rows import MODES, Checkout, Row, in_time, rows_of

_MOST_ABOVE = 1.05


class Prediction(Struct, frozen=True):
    """The bound in seconds, and what is expected; ``reason`` says why there is none."""

    bound: float | None = None
    expected: Expected | None = None
    reason: str = ""


def at_clock(machine: Machine, clock_hz: float) -> Machine:
    """Return a machine as it is at another clock: peaks and caches follow it, the memory does not."""
    factor = clock_hz / machine.clock_hz

    def slower(figures: tuple[Figure, ...]) -> tuple[Figure, ...]:
        return tuple(replace(each, value=each.value * factor) for each in figures)

    def bandwidths(figures: tuple[BandwidthFigure, ...]) -> tuple[BandwidthFigure, ...]:
        return tuple(replace(each, value=each.value * factor) for each in figures)

    boost = machine.clock.boost
    assert boost is not None
    return replace(
        machine,
        clock=replace(machine.clock, boost=replace(boost, value=clock_hz)),
        peaks=tuple(
            Peak(p.precision, slower(p.fma), slower(p.no_fma), slower(p.add_only), slower(p.matrix))
            for p in machine.peaks
        ),
        levels=tuple(replace(level, bandwidths=bandwidths(level.bandwidths)) for level in machine.levels),
    )


def predict(region: Region, machine: Machine) -> Prediction:
    """Return the bound and the expected time of a kernel on a machine, as the command line projects them."""
    hierarchy = hierarchy_of(machine)
    assert hierarchy is not None
    profile = profile_region(region, ProfileOptions(load_policy("source")))
    traffic = traffic_of(region, profile, CacheOptions(hierarchies=(hierarchy,)), 0)
    found = project(profile, machine, traffic=traffic)
    unknown = sorted(set(profile.symbols) - profile.values.keys())
    reason = f"unknown {', '.join(unknown[:3])}" if unknown else ""
    return Prediction(None if found.time is None else found.time.value, found.expected, reason)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every row that is not within a factor of two or its range, and the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--half", type=int, choices=(0, 1), help="only programs of this half")
    parser.add_argument("--mode", choices=MODES, default="given")
    parser.add_argument("--machine", default="rtx3080")
    parser.add_argument("--clock", type=float, default=1.44, help="GHz (default: 1.44)")
    parser.add_argument("--id", default="", help="only rows whose id holds this text")
    parser.add_argument("--all", action="store_true", help="a line for every row")
    options = parser.parse_args(arguments)
    checkout, machine = Checkout(options.checkout), at_clock(find_machine(options.machine), options.clock * 1e9)
    rows = list(rows_of(options.rows, text=options.id, half=options.half))
    found = []
    for row in rows:
        one = in_time(
            lambda row=row: predict(checkout.region(row, options.mode), machine),  # type: ignore[misc]
            lambda reason: Prediction(reason=reason),
        )
        found.append((row["time_ns"] * 1e-9, one))
        if options.all or _is_off(*found[-1]):
            print(_line(row, one), flush=True)
    print(scores(found))
    return 0


def scores(found: Sequence[tuple[float, Prediction]]) -> str:
    """Return the scores of measured times with their predictions."""
    told = [(seconds, one.expected) for seconds, one in found if one.expected is not None]
    factors = sorted(max(each.time.value / seconds, seconds / each.time.value) for seconds, each in told)
    bounds = [one.bound / seconds for seconds, one in found if one.bound is not None]
    if not told:
        return f"no expected time of {len(found)} rows"
    return (
        f"expected: {len(told)} of {len(found)} rows; median factor {median(factors):.2f}, "
        f"within 2 {sum(each <= 2 for each in factors) / len(told):.0%}, "
        f"in the range {sum(each.least.value <= seconds <= each.most.value for seconds, each in told) / len(told):.0%} "
        f"(median width {median(each.most.value / each.least.value for _, each in told):.1f})\n"
        f"bound: {sum(each > _MOST_ABOVE for each in bounds)} of {len(bounds)} above, median {median(bounds):.2f}"
    )


def _is_off(seconds: float, found: Prediction) -> bool:
    if found.bound is not None and found.bound > _MOST_ABOVE * seconds:
        return True
    expected = found.expected
    return expected is not None and not (
        expected.least.value <= seconds <= expected.most.value and 0.5 <= expected.time.value / seconds <= 2
    )


def _line(row: Row, found: Prediction) -> str:
    bound = "-" if found.bound is None else f"{found.bound * 1e6:.4g}"
    head = f"{row['id']:55} {row['time_ns'] / 1e3:10.4g} us, bound {bound:9}"
    expected = found.expected
    if expected is None or expected.launch is None:
        return f"{head} {found.reason}"
    ends = f"{expected.least.value * 1e6:.4g} .. {expected.most.value * 1e6:.4g}"
    parts = expected.launch
    levels = ", ".join(f"{name} {seconds * 1e6:.4g}" for name, seconds in parts.levels)
    return (
        f"{head} expected {expected.time.value * 1e6:9.4g} ({ends}) x{expected.time.value * 1e9 / row['time_ns']:.2f}; "
        f"units {parts.units * 1e6:.4g} ({parts.busiest}), alone {parts.alone * 1e6:.4g}, {levels}"
    )


if __name__ == "__main__":
    sys.exit(main())
