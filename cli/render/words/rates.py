"""How fast a region can run, as text."""

from __future__ import annotations

from roofline.machine.units import format_rate, format_time
from roofline.model.core.ceilings import ChainCeiling, InstructionCeiling
from roofline.model.projection import Bound, Projection
from roofline.model.verdicts.reasons import InstructionsHold, is_of_integers

from .numbers import INTERVAL

_HARDLY_ANY = 0.01  # of the estimated time


def part_text(projection: Projection) -> str:
    """Return what of its kind binds: the level of memory, or the integer units; empty where the kind says it all."""
    integers = projection.bound is Bound.COMPUTE and is_of_integers(projection.reason)
    return "integer" if integers else projection.level or ""


def bound_text(projection: Projection) -> str:
    """Return the bound with what binds: ``memory (DRAM)``, ``compute (integer)``."""
    part = part_text(projection)
    return f"{projection.bound.value} ({part})" if part else projection.bound.value


def rate_text(projection: Projection) -> str:
    """Return the attainable rate: FLOP/s, or an interval; without FLOPs bytes/s, iterations/s or instructions/s."""
    if projection.attainable_range is not None:
        low, high = (format_rate(rate.value) for rate in projection.attainable_range)
        if low != high:
            return f"{low} to {high}"
    if projection.attainable is not None:
        return format_rate(projection.attainable.value)
    if projection.bandwidth_rate is not None:
        return format_rate(projection.bandwidth_rate.value, "B/s")
    if projection.iterations_per_s is not None:
        return format_rate(projection.iterations_per_s, " iterations/s")
    if isinstance(projection.reason, InstructionsHold):
        return _waits_text(projection.reason.ceiling)
    return "nothing to bound" if projection.bound is Bound.NOTHING else "unknown"


def short_rate(projection: Projection, digits: int) -> str:
    """Return the attainable rate in one number of so many digits, with a mark where it is an interval."""
    if projection.attainable is not None:
        interval = projection.attainable_range
        mark = INTERVAL if interval is not None and interval[0] != interval[1] else ""
        return mark + format_rate(projection.attainable.value, digits=digits)
    if projection.bandwidth_rate is not None:
        return format_rate(projection.bandwidth_rate.value, "B/s", digits=digits)
    return "-" if projection.bound is Bound.NOTHING else rate_text(projection)


def time_text(projection: Projection, digits: int = 4) -> str:
    """Return the least time, or as an estimate that if no loop ends early, where hardly any of the code surely runs."""
    time, estimated = projection.time, projection.estimated_time
    if time is None:
        return ""
    if estimated is not None and _is_hardly_bounded(projection):
        return f"~ {format_time(estimated.value, digits=digits)}"
    return format_time(time.value, digits=digits) if time.value else ""


def _is_hardly_bounded(projection: Projection) -> bool:
    """Return whether hardly any of the code surely runs, so that the least time says little."""
    time, estimated = projection.time, projection.estimated_time
    return time is not None and estimated is not None and time.value < _HARDLY_ANY * estimated.value


def expected_time_text(projection: Projection, digits: int = 4) -> str:
    """Return the expected time, else with ``>=`` the least one."""
    if projection.expected is not None:
        return format_time(projection.expected.time.value, digits=digits)
    least = time_text(projection, digits)
    return least if not least or _is_hardly_bounded(projection) else f">= {least}"


def sizes_text(projection: Projection) -> str:
    """Return for which sizes the rate is the most, where small ones may run faster."""
    return " for large sizes" if projection.for_large_sizes else ""


def pace_text(projection: Projection) -> str:
    """Return iterations per second of a region without FLOPs."""
    iterations = projection.iterations_per_s
    bare = projection.bandwidth_rate is not None and iterations is not None
    return format_rate(iterations or 0, " iterations/s") if bare else ""


def _waits_text(ceiling: InstructionCeiling | ChainCeiling) -> str:
    if isinstance(ceiling, ChainCeiling):
        return format_rate(ceiling.iterations / ceiling.seconds, " iterations/s")
    return str(ceiling.rate)
