"""The simulated cache model: the bytes that :mod:`.simulate` counts, for those threads of all that share a cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ...ir.nodes import Assumption, Region
from ..hierarchy import Hierarchy
from ..level_bytes import TrafficBytes
from ..program.layout import lay_out
from ..program.program import Program
from ..program.schedules.threads import Division, by_sharing, columns_of, times_by_child
from .simulate import short_stream, simulate
from .stream import Stream

_Part = tuple[Division, int, list[int], Program]

_UNLIKE = 0.05
"""Standard error of taking the iterations of one thread for those of all, where given arrays make them unlike: a
choice, within which the chunks of the matrices of ``tests.bench.given_data`` are."""


def simulated_traffic(region: Region, hierarchy: Hierarchy, *, warm: bool) -> TrafficBytes:
    """Simulate a region whose symbols are all bound; raises :class:`~..program.program.NotNumeric` where it cannot be
    done.

    The caches of one core are simulated for one thread, those that several share for all of these, without the ones
    inside.
    """
    return _simulated(region, hierarchy, _laid_out(region, hierarchy), warm=warm)


def simulated_if_short(region: Region, hierarchy: Hierarchy, *, warm: bool) -> TrafficBytes | None:
    """Simulate a region with few references; None where they are many, or data choose some of them."""
    levels = hierarchy.levels
    if len({level.line_bytes for level in levels}) > 1:
        return None
    parts = _laid_out(region, hierarchy)
    if any(short_stream(program, levels) is None for *_, program in parts):
        return None
    return _simulated(region, hierarchy, parts, warm=warm)


def _laid_out(region: Region, hierarchy: Hierarchy) -> list[_Part]:
    """Return what the threads execute that share a cache, how many these are, the levels that they do, and its program.

    Raises :class:`~..program.program.NotNumeric` where it cannot be laid out.
    """
    return [
        (division, sharing, rows, lay_out(replace(region, body=division.body)))
        for division, sharing, rows in by_sharing(region.body, hierarchy)
    ]


def _simulated(region: Region, hierarchy: Hierarchy, parts: Sequence[_Part], *, warm: bool) -> TrafficBytes:
    program: Program | None = None
    notes: dict[Assumption, None] = {}
    errors = np.zeros(len(hierarchy.levels))
    for division, sharing, rows, part in parts:
        if program is None:
            program = part
            size = (len(hierarchy.levels), len(program.children))
            read, allocate, written = (np.zeros(size) for _ in range(3))
        own = (hierarchy.joined(rows[0], sharing), *(hierarchy.levels[row] for row in rows[1:]))
        found = simulate(part, replace(hierarchy, levels=own), warm=warm)
        times = times_by_child(part, division.times)
        columns = columns_of(part, program)
        if part.has_given and division.threads > 1:
            times = _times_as_counted(part, lay_out(region), own[0].line_bytes)
            notes[Assumption.of("AI320", region.span, "chunk")] = None
            errors[rows] = _UNLIKE if sharing == 1 else 0
        scale = own[0].line_bytes * times
        lines = (found.read + found.allocate + found.written).sum(axis=1)
        error = np.hypot(found.filled_error, found.written_back_error) / np.maximum(lines, 1.0)
        for position, row in enumerate(rows):
            np.add.at(read[row], columns, found.read[position] * scale)
            np.add.at(allocate[row], columns, found.allocate[position] * scale)
            np.add.at(written[row], columns, found.written[position] * scale)
            errors[row] = max(errors[row], error[position])
        notes |= dict.fromkeys(Assumption(note.code, region.span, note.form, "", note.fields) for note in found.notes)
    assert program is not None
    nothing = np.zeros_like(read)
    return TrafficBytes("simulate", program, hierarchy, read, allocate, written, nothing, nothing, errors, tuple(notes))


def _times_as_counted(part: Program, whole: Program, line_bytes: int) -> NDArray[np.float64]:
    """Return how many times the references of each nest are those of the threads simulated, as given arrays count."""
    columns = columns_of(part, whole)
    own, all_ = (_references(program, line_bytes) for program in (part, whole))
    totals = all_[columns] * own / np.maximum(np.bincount(columns, weights=own)[columns], 1.0)
    return np.asarray(totals / np.maximum(own, 1.0))


def _references(program: Program, line_bytes: int) -> NDArray[np.float64]:
    counts = Stream(program, line_bytes, 1, 1).reference_counts
    return np.array([counts.of(child) for child in program.children])
