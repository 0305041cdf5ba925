"""Operations as text: those of one iteration of the innermost loop, and those of a whole region."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from analyzer.counts.results import PerIteration
from analyzer.ir.values import Operation
from roofline.report.report import RegionReport

from .numbers import fraction_text, number_text, quantity_text, times

_NAMES = {Operation.SQRT: "square root", Operation.DIV: "division", Operation.REM: "remainder"}


def iteration_text(iteration: PerIteration) -> str:
    """Return one iteration of the innermost loop: FLOPs by kind, loads, stores, and their quotient."""
    kinds = ", ".join(f"{number_text(share)} {name}" for name, share in operation_shares(iteration))
    moved = iteration.load_bytes + iteration.store_bytes
    parts = [
        times(iteration.flops, "FLOP") + (f" ({kinds})" if kinds else ""),
        f"{times(iteration.loads, 'load')} and {times(iteration.stores, 'store')} ({number_text(moved)} bytes)",
    ]
    if iteration.intensity is not None:
        parts.append(f"{fraction_text(iteration.intensity)} FLOP/byte")
    return ("" if iteration.exact else "on average ") + ", ".join(parts)


def iteration_short(iteration: PerIteration) -> str:
    """Return one iteration of the innermost loop as its quotient: ``2 FLOP / 24 B = 1/12``."""
    moved = iteration.load_bytes + iteration.store_bytes
    quotient = "" if iteration.intensity is None else f" = {iteration.intensity}"
    return f"{number_text(iteration.flops)} FLOP / {number_text(moved)} B{quotient}"


def operation_shares(iteration: PerIteration) -> Iterator[tuple[str, Fraction]]:
    """Name and number of the floating-point operations of one iteration that its policy counts."""
    for key, share in iteration.operations.items():
        if share and key in iteration.counted:
            yield key.function or _NAMES.get(key.operation, key.operation.value), share


def operations_text(region: RegionReport) -> str:
    """Return operations of the whole region by kind and precision."""
    profile = region.profile
    found = []
    for key, count in profile.work.operations.items():
        if key.precision.is_float and key.operation.is_arithmetic and not count.is_zero:
            name = key.function or _NAMES.get(key.operation, key.operation.value)
            found.append(f"{key.precision.value} {name} {quantity_text(count, profile.values, short=True)}")
    return ", ".join(found)
