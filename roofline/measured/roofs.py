"""Measured roofs of a machine: what roofline tools write in addition to measured kernels, or without any.

Bandwidths by level in byte/s and peaks by precision in FLOP/s.  None of the formats records clocks, cores or sizes of
caches: those come from the machine that was measured (:mod:`roofline.machine_from_measurements`).
"""

from __future__ import annotations

from msgspec import Struct

from .results import DRAM

SHARED = "shared"
_MEMORIES = frozenset({"DRAM", "HBM", "MCDRAM", "DDR", "HBM2", "HBM3", "MEM", "MEMORY"})


class MeasuredBandwidth(Struct, frozen=True):
    """Bandwidth of one level in byte/s; ``threads`` None: with all units."""

    level: str
    value: float
    pattern: str | None = None
    threads: int | None = None


class MeasuredPeak(Struct, frozen=True):
    """A peak in FLOP/s; ``precision`` is empty where the tool does not record it; ``mode`` is fma, no_fma or matrix."""

    precision: str
    mode: str
    value: float
    threads: int | None = None


class MeasuredRoofs(Struct, frozen=True):
    """All roofs of one file; ``how`` says how they were measured, ``left_out`` what could not be read."""

    tool: str
    how: str
    bandwidths: tuple[MeasuredBandwidth, ...]
    peaks: tuple[MeasuredPeak, ...]
    left_out: tuple[str, ...] = ()


def level_named(label: str) -> str | None:
    """Return ``L1``, ``L2``, ``L3``, ``DRAM`` or ``shared`` for the label of a tool; None for any other label."""
    name = label.strip().upper().removesuffix("_BW").removesuffix("BW")
    if name in _MEMORIES:
        return DRAM
    if name in ("LDS", "SHARED", "SMEM"):
        return SHARED
    return name if len(name) == 2 and name[0] == "L" and name[1].isdigit() else None
