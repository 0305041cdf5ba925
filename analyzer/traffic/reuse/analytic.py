"""The analytic cache model: the bytes between the levels of a hierarchy, at a cost that does not depend on the sizes.

Each level is modelled as a cache of its own that sees every reference: the levels inside it change little of what it
misses.  A victim cache holds what the level inside it evicts, so the two are one cache of their joint size, and
every line that the inner one evicts moves.  A level that several threads share gives each its part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ...diagnostics import Field
from ...ir.nodes import Assumption, Region
from ...source import Span
from ..hierarchy import CacheLevel, Hierarchy, Inclusion
from ..level_bytes import TrafficBytes
from ..program.layout import lay_out
from ..program.program import Program
from ..program.threads import thread_share, threads_by_child
from .irregular import scattered_lines
from .strata import Misses, Strata

Floats = NDArray[np.float64]

# Parts of what a level misses from which on a note is worth reading.
_SHOWN_ERROR, _SHOWN_CLOSE, _SHOWN_CONFLICTS = 0.02, 0.1, 0.05


def analytic_traffic(region: Region, hierarchy: Hierarchy, *, warm: bool) -> TrafficBytes:
    """Model a region whose symbols are all bound.

    Raises :class:`~..program.program.NotNumeric` where it cannot be
    laid out."""
    part, shares = thread_share(region, hierarchy.units)
    threads = max(shares.values(), default=1)
    program = lay_out(replace(part, body=part.body * 2) if warm else part)
    running = threads_by_child(program, shares)
    caches = [_as_lru(hierarchy, position, threads) for position in range(len(hierarchy.levels))]
    size = (len(caches), len(program.children))
    read, allocate, written, least, most = (np.zeros(size) for _ in range(5))
    error, notes = np.zeros(len(caches)), list[Assumption]()
    for line in sorted({cache.line_bytes for cache in caches}):
        rows = [row for row, cache in enumerate(caches) if cache.line_bytes == line]
        chosen = [caches[row] for row in rows]
        found = Strata(program, chosen, len(program.children) // 2 if warm else 0).misses()
        scattered = scattered_lines(program, chosen, found)
        for position, row in enumerate(rows):
            bytes_ = line * running
            read[row] = (found.read + scattered.read)[:, position] * bytes_
            allocate[row] = (found.allocate + scattered.allocate)[:, position] * bytes_
            written[row] = (found.written + scattered.written)[:, position] * bytes_
            filled = (scattered.read + scattered.allocate)[:, position]
            least[row] = np.maximum(filled - scattered.least[:, position], 0) * bytes_
            most[row] = np.maximum(scattered.most[:, position] - filled, 0) * bytes_
            error[row] = _relative(found, position)
            notes += _conflicts(program, hierarchy.levels[row], found, position, region.span)
            notes += _bias(hierarchy.levels[row], found, position, error[row], region.span)
    if warm:
        program, (read, allocate, written, least, most) = _second(program, (read, allocate, written, least, most))
    for row in range(1, len(caches)):
        read[row] = np.minimum(read[row], read[row - 1])
        allocate[row] = np.minimum(allocate[row], read[row - 1] + allocate[row - 1] - read[row])
        written[row] = np.minimum(written[row], written[row - 1])
    for row, outer in enumerate(hierarchy.levels[1:]):
        if outer.inclusion is Inclusion.VICTIM:
            written[row] = read[row] + allocate[row]
    notes = [*_notes(program, region.span, threads), *notes]
    return TrafficBytes("analytic", program, hierarchy, read, allocate, written, least, most, error, tuple(notes))


def _as_lru(hierarchy: Hierarchy, position: int, threads: int) -> CacheLevel:
    """Return the cache that decides what leaves a level.

    Joined with the inner ones of a victim cache, one thread's share.
    """
    level = hierarchy.levels[position]
    capacity = level.capacity_bytes // min(level.shared_by, threads)
    inner = position
    while hierarchy.levels[inner].inclusion is Inclusion.VICTIM and inner:
        inner -= 1
        held = hierarchy.levels[inner]
        capacity += held.capacity_bytes // min(held.shared_by, threads)
    ways = level.ways
    if ways and inner < position:
        sets = max(1, level.sets // min(level.shared_by, threads))
        ways = max(1, round(capacity / level.line_bytes / sets))
    return replace(level, capacity_bytes=capacity, ways=ways)


def _relative(found: Misses, position: int) -> float:
    total = (found.read + found.allocate)[:, position].sum() + found.written[:, position].sum()
    return float(np.hypot(found.fill_error[position], found.written_error[position]) / max(total, 1.0))


def _second(program: Program, bytes_: Sequence[Floats]) -> tuple[Program, list[Floats]]:
    """Return the second of two runs."""
    half = len(program.children) // 2
    second = replace(program, children=program.children[half:], origins=program.origins[:half])
    return second, [part[:, half:] for part in bytes_]


def _notes(program: Program, span: Span, threads: int) -> Iterator[Assumption]:
    yield Assumption.of("AI305", span, "lines")
    yield from program.notes
    arrays = sorted({item.array for leaf in program.leaves for item in leaf.irregular})
    if arrays:
        yield Assumption.of("AI211", span, "equally-likely", arrays=tuple(arrays))
    if threads > 1:
        yield Assumption.of("AI307", span, "chunks", threads=threads)


def _bias(level: CacheLevel, found: Misses, position: int, error: float, span: Span) -> Iterator[Assumption]:
    fills = float((found.read + found.allocate)[:, position].sum())
    close = float(found.close[position]) / max(fills, 1.0)
    if close > _SHOWN_CLOSE:
        yield Assumption.of("AI209", span, "near-capacity", level=level.name, share=min(close, 1.0))
    elif error > _SHOWN_ERROR:
        yield Assumption.of("AI209", span, "estimate", level=level.name, error=2 * float(error))


def _conflicts(program: Program, level: CacheLevel, found: Misses, position: int, span: Span) -> Iterator[Assumption]:
    """Yield arrays that lose lines to set conflicts, with the stride behind it."""
    fills = float((found.read + found.allocate)[:, position].sum())
    for name, lines in found.conflicts.items():
        share = float(lines[position]) / max(fills, 1.0)
        if share <= _SHOWN_CONFLICTS:
            continue
        stride = _worst_stride(program, name, level.line_bytes)
        apart: dict[str, Field] = {"stride_bytes": stride, "padding_bytes": level.line_bytes} if stride else {}
        form = "strided" if stride else "conflicts"
        yield Assumption.of("AI404", span, form, level=level.name, share=share, array=name, **apart)


def _worst_stride(program: Program, array: str, line_bytes: int) -> int:
    """Return the stride of an array with the largest power of two in it: 0 where all are small."""
    strides = {
        abs(factor)
        for leaf in program.leaves
        for reference in leaf.references
        if reference.array == array
        for _, factor in reference.address.terms
        if abs(factor) > line_bytes
    }
    return max(strides, key=lambda stride: (stride & -stride, -stride), default=0)
