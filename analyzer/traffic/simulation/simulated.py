"""The simulated cache model: the bytes that :mod:`.simulate` counts, for one thread of those that run."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from ...ir.nodes import Assumption, Region
from ..hierarchy import Hierarchy
from ..level_bytes import TrafficBytes
from ..program.layout import lay_out
from ..program.threads import thread_share, threads_by_child
from .simulate import simulate


def simulated_traffic(region: Region, hierarchy: Hierarchy, *, warm: bool) -> TrafficBytes:
    """Simulate a region whose symbols are all bound; raises :class:`~..program.program.NotNumeric` where that cannot
    be done."""
    part, shares = thread_share(region, hierarchy.units)
    threads = max(shares.values(), default=1)
    program = lay_out(part)
    own = tuple(
        replace(level, capacity_bytes=level.capacity_bytes // min(level.shared_by, threads))
        for level in hierarchy.levels
    )
    found = simulate(program, replace(hierarchy, levels=own), warm=warm)
    size = own[0].line_bytes * threads_by_child(program, shares)
    read, allocate, written = found.read * size, found.allocate * size, found.written * size
    nothing = np.zeros_like(read)
    lines = (found.read + found.allocate + found.written).sum(axis=1)
    errors = np.hypot(
        np.sqrt((found.read_error**2).sum(axis=1)), np.sqrt((found.written_error**2).sum(axis=1))
    ) / np.maximum(lines, 1.0)
    notes = tuple(Assumption(note.code, region.span, note.form, "", note.fields) for note in found.notes)
    return TrafficBytes("simulate", program, hierarchy, read, allocate, written, nothing, nothing, errors, notes)
