"""The simulated cache model: the bytes that :mod:`.simulate` counts, for those threads of all that share a cache."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from ...ir.nodes import Assumption, Region
from ..hierarchy import Hierarchy
from ..level_bytes import TrafficBytes
from ..program.layout import lay_out
from ..program.program import Program
from ..program.threads import by_sharing, columns_of, times_by_child
from .simulate import simulate


def simulated_traffic(region: Region, hierarchy: Hierarchy, *, warm: bool) -> TrafficBytes:
    """Simulate a region whose symbols are all bound; raises :class:`~..program.program.NotNumeric` where it cannot be
    done.

    The caches of one core are simulated for one thread, those that several share for all of these, without the ones
    inside.
    """
    program: Program | None = None
    notes: dict[Assumption, None] = {}
    errors = np.zeros(len(hierarchy.levels))
    for division, sharing, rows in by_sharing(region.body, hierarchy):
        part = lay_out(replace(region, body=division.body))
        if program is None:
            program = part
            size = (len(hierarchy.levels), len(program.children))
            read, allocate, written = (np.zeros(size) for _ in range(3))
        own = (hierarchy.joined(rows[0], sharing), *(hierarchy.levels[row] for row in rows[1:]))
        found = simulate(part, replace(hierarchy, levels=own), warm=warm)
        scale = own[0].line_bytes * times_by_child(part, division.times)
        columns = columns_of(part, program)
        lines = (found.read + found.allocate + found.written).sum(axis=1)
        error = np.hypot(found.filled_error, found.written_back_error) / np.maximum(lines, 1.0)
        for position, row in enumerate(rows):
            np.add.at(read[row], columns, found.read[position] * scale)
            np.add.at(allocate[row], columns, found.allocate[position] * scale)
            np.add.at(written[row], columns, found.written[position] * scale)
            errors[row] = error[position]
        notes |= dict.fromkeys(Assumption(note.code, region.span, note.form, "", note.fields) for note in found.notes)
    assert program is not None
    nothing = np.zeros_like(read)
    return TrafficBytes("simulate", program, hierarchy, read, allocate, written, nothing, nothing, errors, tuple(notes))
