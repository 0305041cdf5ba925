"""Little's law for what waits: the bytes on their way that fill a level are its latency times its bandwidth.

Little, *A proof for the queuing formula L = lambda W*, Operations Research 9(3), 1961.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofline.machine.units import format_rate, format_time
from roofline.model.projection import Bound, Projection

_DIGITS = 3


def little_text(projection: Projection) -> Iterator[str]:
    """Yield what has to be on its way to fill each level whose latency is known, where a region is bound by latency."""
    if projection.bound is not Bound.LATENCY:
        return
    machine = projection.machine
    for level in projection.levels:
        seconds, each = machine.latency_s(level.level), machine.transaction_bytes(level.level)
        if seconds is None or each is None:
            continue
        rate = level.bandwidth.rate
        size = format_rate(seconds * rate.value, "B", digits=_DIGITS)
        one = format_rate(each / seconds, "B/s")
        what = "sectors" if machine.gpu is not None else "lines"
        yield (
            f"Little's law: {size} on their way fill {level.level} ({format_time(seconds)} x {rate}), "
            f"{seconds * rate.value / each:,.0f} {what}; a chain has one at a time, {one}"
        )
