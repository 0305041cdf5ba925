"""The analytic cache model: the bytes between the levels of a hierarchy, at a cost that does not depend on the sizes.

Each level is modelled as a cache of its own that sees every reference: the levels inside it change little of what it
misses.  A victim cache holds what the level inside it evicts, so the two are one cache of their joint size, and
every line that the inner one evicts moves.  A level that several threads share sees all of them
(:mod:`..program.schedules.threads`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...ir.nodes import Assumption, Region
from ...source import Span
from ..doubts import Doubts
from ..hierarchy import CacheLevel, Hierarchy, Inclusion
from ..level_bytes import TrafficBytes
from ..options import BRANCHES, Branches
from ..program.layout import lay_out
from ..program.lines.uneven_rows import uneven_lines
from ..program.program import Program
from ..program.schedules.threads import Division, by_sharing, columns_of, nest_of, times_by_child
from .irregular import scattered_lines
from .strata import Misses, Short, Strata

Floats = NDArray[np.float64]
Asked = Callable[[int, str | None], bool]
"""Whether the bytes of a node are asked for: its position in the region, the iterator of its nest (None: it is none)"""


def analytic_traffic(
    region: Region,
    hierarchy: Hierarchy,
    *,
    warm: bool,
    short: Short | None = None,
    asked: Asked | None = None,
    branches: Branches = BRANCHES,
) -> TrafficBytes:
    """Model a region whose symbols are all bound.

    Nodes that are not ``asked`` for (None: all are) only fill the caches, and may have no bytes.  ``short``
    gives the exact lines (read, allocated, written; levels by nests) that short streams of references move through cold
    caches, None of others: it is asked where a few drawn reuses leave open what misses.
    Raises :class:`~..program.program.NotNumeric` where the region cannot be laid out.
    """
    divided = by_sharing(region.body, hierarchy)
    parts = [_Part.of(region, *each, None if warm else asked, warm=warm) for each in divided]
    program = parts[0].program
    size = (len(hierarchy.levels), len(program.children))
    read, allocate, written, least, most = (np.zeros(size) for _ in range(5))
    error, close, conflicts = np.zeros(len(hierarchy.levels)), np.zeros(size), dict[str, Floats]()
    for part in parts:
        own = np.zeros((6, len(hierarchy.levels), len(part.program.children)))
        lost = part.model(hierarchy, own, error, None if warm else short, branches)
        columns = columns_of(part.program, program)
        for name, moved in lost.items():
            total = conflicts.setdefault(name, np.zeros(size))
            for row in part.rows:
                np.add.at(total[row], columns, moved[row])
        for target, found in zip((read, allocate, written, least, most, close), own, strict=True):
            for row in part.rows:
                np.add.at(target[row], columns, found[row])
    if warm:
        program, (read, allocate, written, least, most, close, *others) = _second(
            program, (read, allocate, written, least, most, close, *conflicts.values())
        )
        conflicts = dict(zip(conflicts, others, strict=True))
    for row in range(1, len(hierarchy.levels)):
        read[row] = np.minimum(read[row], read[row - 1])
        allocate[row] = np.minimum(allocate[row], read[row - 1] + allocate[row - 1] - read[row])
        written[row] = np.minimum(written[row], written[row - 1])
    for row, outer in enumerate(hierarchy.levels[1:]):
        if outer.inclusion is Inclusion.VICTIM:
            written[row] = read[row] + allocate[row]
    notes = tuple(_notes(program, region.span, parts[0].division.threads))
    doubts = Doubts(region.span, conflicts, close)
    bytes_ = (read, allocate, written, least, most)
    return TrafficBytes("analytic", program, hierarchy, *bytes_, error, notes, doubts=doubts)


class _Part(Struct, frozen=True):
    """What the threads execute that share a cache, for the levels in ``rows``: those of so many threads."""

    division: Division
    sharing: int
    rows: list[int]
    program: Program
    first: int
    asked: frozenset[int] | None

    @classmethod
    def of(
        cls, region: Region, division: Division, sharing: int, rows: list[int], asked: Asked | None, *, warm: bool
    ) -> _Part:
        """Lay out what these threads execute, twice where the caches are warm."""
        program = lay_out(replace(region, body=division.body * 2 if warm else division.body))
        nodes = enumerate(zip(program.origins, program.children, strict=True))
        return cls(
            division,
            sharing,
            rows,
            program,
            len(program.children) // 2 if warm else 0,
            None if asked is None else frozenset(column for column, node in nodes if asked(node[0], nest_of(node[1]))),
        )

    def model(
        self, hierarchy: Hierarchy, bytes_: NDArray[np.float64], error: Floats, short: Short | None, branches: Branches
    ) -> dict[str, Floats]:
        """Fill in the bytes (read, allocated, written, least, most, undecided) and the errors of the levels.

        Returns the bytes of set conflicts by array.
        """
        program = self.program
        read, allocate, written, least, most, close = bytes_
        conflicts: dict[str, Floats] = {}
        times = times_by_child(program, self.division.times)
        caches = {row: hierarchy.joined(row, self.sharing) for row in self.rows}
        for line in sorted({cache.line_bytes for cache in caches.values()}):
            rows = [row for row, cache in caches.items() if cache.line_bytes == line]
            chosen = [caches[row] for row in rows]
            found = self._misses(chosen, short if len(rows) == len(hierarchy.levels) else None)
            scattered = scattered_lines(program, chosen, found, self.first, branches)
            fewer, more = _open(program, found, line)
            for position, row in enumerate(rows):
                scale = line * times
                read[row] = (found.read + scattered.read)[:, position] * scale
                allocate[row] = (found.allocate + scattered.allocate)[:, position] * scale
                written[row] = (found.written + scattered.written)[:, position] * scale
                filled = (scattered.read + scattered.allocate)[:, position]
                least[row] = (np.maximum(filled - scattered.least[:, position], 0) + fewer[:, position]) * scale
                most[row] = (np.maximum(scattered.most[:, position] - filled, 0) + more[:, position]) * scale
                if self.sharing == 1:
                    least[row] += (read[row] + allocate[row]) * self._alone(times)
                error[row] = _relative(found, position)
                close[row] = found.close[:, position] * scale
                for name, lines in found.conflicts.items():
                    conflicts.setdefault(name, np.zeros_like(close))[row] = lines[:, position] * scale
        return conflicts

    def _misses(self, caches: Sequence[CacheLevel], short: Short | None) -> Misses:
        """Return what misses in some caches with lines of the same size."""
        together = self.sharing > 1 or any(cache.inclusion is Inclusion.VICTIM for cache in caches)
        return Strata(self.program, caches, self.first, asked=self.asked).misses(None if together else short)

    def _alone(self, times: Floats) -> Floats:
        """Return the part of the bytes of each nest that is too much where one thread alone moves them."""
        nests = map(nest_of, self.program.children)
        return np.array([nest in self.division.mixed for nest in nests]) * (1 - 1 / times)


def _open(program: Program, found: Misses, line_bytes: int) -> tuple[Floats, Floats]:
    """Return how many lines fewer and more nests may fill: where pairs that were not drawn may be unlike others, where
    rows start anywhere in a line, and where the trip counts of loops are averages."""
    unseen = found.unseen()
    fewer, more = unseen.copy(), unseen.copy()
    for array, row_bytes in program.row_bytes.items():
        if array in found.shared:
            ends = found.shared[array] * min(1.0, line_bytes / max(row_bytes, 1))
            fewer, more = fewer + ends, more + ends
    for nest, child in enumerate(program.children):
        for array, (least, most) in uneven_lines(child, line_bytes).items():
            if array in found.shared:
                filled = found.shared[array][nest]
                fewer[nest] += np.maximum(filled - least, 0)
                more[nest] += np.maximum(most - filled, 0)
    return fewer, more


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
    if threads > 1:
        yield Assumption.of("AI307", span, "chunks", threads=threads)
