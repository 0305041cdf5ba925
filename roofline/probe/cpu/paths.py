"""The paths between caches as the execution-cache-memory model (ECM) needs them: their widths, and what overlaps.

Input: the rates of one core over sets in each level. Output: a :class:`Path` for each cache beyond the first, and
whether loads overlap with transfers.

A line from L2 takes ``T2`` cycles with loads of full width and ``T1`` from L1.  Loaded one double at a time, it takes
``S1`` from L1, which is more than the transfer takes.  Where loads overlap with transfers, it takes no longer from L2;
where they do not, it takes ``T2 - T1`` longer (Stengel, Treibig, Hager, Wellein, ICS 2015, equation 1).  The width of a
path is a line over the cycles of its transfer: ``T2`` where it overlaps, else ``T2 - T1``.  A path is full-duplex
where updates in place move clearly more than loads do.  Transfers of outer levels are assumed to overlap where those of
L2 do.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from .run import Run

_SOME = 0.2  # cycles: less than that cannot be distinguished from nothing
_BOTH_WAYS = 1.15  # times the loads
_WIDTHS = (8, 16, 24, 32, 48, 64, 96, 128)  # bytes a cycle of paths that data sheets state
_BELOW = 0.88  # of a width: measured rates fall short of it
_STREAMS = ("load", "update", "copy", "triad", "store")


class Path(Struct, frozen=True):
    """The path of one core from a cache: bytes per cycle towards the core, and whether both ways work at once."""

    bytes_per_cycle: float
    duplex: str
    overlaps: bool


def loads_overlap(run: Run, hertz: float, line_bytes: int) -> bool | None:
    """Return whether loads overlap with transfers from L2; None where that cannot be measured."""
    if len(run.sets) < 3:
        return None
    inner, outer = run.sets[0].bytes, run.sets[1].bytes
    full = [_cycles(run, "load", size, hertz, line_bytes) for size in (inner, outer)]
    single = [_cycles(run, "load-single", size, hertz, line_bytes) for size in (inner, outer)]
    if full[0] is None or full[1] is None or single[0] is None or single[1] is None:
        return None
    transfer = full[1] - full[0]
    return None if transfer < _SOME else single[1] - single[0] < transfer / 2


def paths(run: Run, hertz: float, line_bytes: int, *, overlap: bool | None) -> Iterator[Path | None]:
    """Yield the path of each cache: None for the first, and where it was not measured."""
    yield None
    for inner, outer in zip(run.sets, run.sets[1:-1], strict=False):
        near, far = (_cycles(run, "load", found.bytes, hertz, line_bytes) for found in (inner, outer))
        if near is None or far is None or overlap is None:
            yield None
            continue
        taken = far if overlap else max(far - near, _SOME)
        rates = [sample.best for name in _STREAMS if (sample := run.find(name, 1, outer.bytes)) is not None]
        loaded = line_bytes * hertz / far
        duplex = "full" if max(rates) > _BOTH_WAYS * loaded else "half"
        least = max(rates) / hertz / (2 if duplex == "full" else 1)
        yield Path(_width(max(line_bytes / taken, least)), duplex, overlap)


def _cycles(run: Run, kind: str, size: int, hertz: float, line_bytes: int) -> float | None:
    sample = run.find(kind, 1, size)
    return None if sample is None else line_bytes * hertz / sample.best


def _width(value: float) -> float:
    return next((float(width) for width in _WIDTHS if _BELOW * width <= value <= width), float(f"{value:.3g}"))
