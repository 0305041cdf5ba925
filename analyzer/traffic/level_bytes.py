"""Bytes between the levels of a hierarchy by nest: the result of every cache model, in numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from math import inf

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from ..ir.index import const
from ..ir.nodes import Assumption
from ..quantities.quantity import Exactness, Quantity, exact
from ..quantities.quasipolynomial import polynomial
from .doubts import Doubts
from .hierarchy import Hierarchy, Inclusion
from .parts.repetition import Repetition
from .program.program import Child, Program, leaves_of
from .program.schedules.threads import columns_of, nest_of
from .results import CacheTraffic, LevelTraffic

Floats = NDArray[np.float64]

_WRITTEN = 2  # the position of written bytes among read, allocated and written ones
_LEAST_MARGIN = 0.005  # relative standard error up to which a number has no interval: a hundredth when doubled


class TrafficBytes(Struct, frozen=True):
    """Bytes of a region by level served (rows) and outermost node (columns).

    With data-dependent elements as many bytes less as ``least`` and more as ``most`` are possible. ``innermost`` is
    the traffic of the first cache where it does not serve every reference, ``written_ends`` are ``least`` and
    ``most`` of the written bytes where they differ.  ``drivers`` has the iterator of the loop that repeats a node, by
    the position of the node in the region.  ``certain`` are the bytes of the code that runs whatever the data are
    (read, allocated, written; levels; nodes), None where all of it does.  ``possible`` are the most bytes of nodes
    before which code runs that is not modelled, 0 of other nodes.  ``doubts`` are what the model says of the misses of
    each node.
    """

    model: str
    program: Program
    hierarchy: Hierarchy
    read: Floats
    allocate: Floats
    written: Floats
    least: Floats
    most: Floats
    error: Floats
    notes: tuple[Assumption, ...]
    innermost: LevelTraffic | None = None
    written_ends: tuple[Floats, Floats] | None = None
    drivers: Mapping[int, str] = field(default_factory=dict)
    certain: Floats | None = None
    possible: Floats | None = None
    doubts: Doubts | None = None

    def traffic(self, register: LevelTraffic) -> CacheTraffic:
        """Return the traffic of the whole region."""
        return self.of(register, lambda _driver, _nest: True)

    def of(self, register: LevelTraffic, wanted: Callable[[str | None, str | None], bool]) -> CacheTraffic:
        """Return the traffic of the columns that are ``wanted`` by the iterators of their driver and of their nest.

        Both are None of statements outside of loops, the driver is None of a nest that is not repeated.
        """
        nests = map(nest_of, self.program.children)
        drivers = [self.drivers.get(origin) for origin in self.program.origins]
        owners = enumerate(zip(drivers, nests, strict=True))
        chosen = [column for column, (driver, nest) in owners if wanted(driver, nest)]
        levels = [self.innermost or replace(register, level=self.hierarchy.levels[0].name)]
        for row, (inner, name) in enumerate(zip(self.hierarchy.levels, self.hierarchy.serving, strict=True)):
            read, allocate, written = (self._quantity(kind, row, chosen) for kind in range(3))
            levels.append(LevelTraffic(name, self.model, inner.line_bytes, read, allocate, written))
        return CacheTraffic(self.hierarchy, self.model, tuple(levels), self.remarks(chosen))

    def remarks(self, nodes: Sequence[int] | None = None) -> tuple[Assumption, ...]:
        """Return the notes, with what the model says of the misses of some columns, of all where none are given."""
        if self.doubts is None:
            return self.notes
        filled = self.read + self.allocate
        chosen = range(filled.shape[1]) if nodes is None else nodes
        return (*self.notes, *self.doubts.notes(self.program, self.hierarchy, filled, self.error, chosen))

    def repeated(self, repetition: Repetition) -> TrafficBytes:
        """Return the bytes where each child runs as often as its node in the region, and belongs to its driver."""
        times = np.array([repetition.times[origin] for origin in self.program.origins], dtype=float)
        scaled = {name: getattr(self, name) * times for name in ("read", "allocate", "written", "least", "most")}
        certain = None if self.certain is None else self.certain * times
        possible = None if self.possible is None else self.possible * times
        doubts = None if self.doubts is None else self.doubts.scaled(times)
        return replace(self, drivers=repetition.drivers, certain=certain, possible=possible, doubts=doubts, **scaled)

    def limited_to(self, fewest: TrafficBytes | None, since: int = 0) -> TrafficBytes:
        """Return the bytes with those of a part of the code as lower bounds; None: nothing is certain.

        The part is the same as the code up to the position ``since`` in the region: there all is certain.
        """
        certain = np.zeros((3, *self.read.shape))
        same = np.array([origin < since for origin in self.program.origins], dtype=bool)
        for found, kind in zip(certain, (self.read, self.allocate, self.written), strict=True):
            found[:, same] = np.maximum(kind - self.least, 0)[:, same]
        if fewest is not None:
            columns = columns_of(fewest.program, self.program)
            for found, kind in zip(certain, (fewest.read, fewest.allocate, fewest.written), strict=True):
                for row, moved in enumerate(np.maximum(kind - fewest.least, 0)):
                    np.add.at(found[row], columns, moved)
        return replace(self, certain=certain)

    def with_unknown_state(self, runs: Mapping[int, float], left: Set[str]) -> TrafficBytes:
        """Return the bytes where some nodes, by position in the region, find caches in a state that is not known.

        It is unknown before so many ``runs`` of a node, behind code that refers to the arrays ``left``.  As a cache
        that replaces the least recently used line is in the same state after any use of it, each line of the node that
        may be there or not makes a difference of one miss and one write-back: one of ``left`` if it was not there in
        the model, any if it was.
        """
        possible, certain = np.zeros((3, *self.read.shape)), self._certain_bytes.copy()
        levels = self.hierarchy.levels
        held = np.cumsum([level.capacity_bytes for level in levels])
        taking = np.array([1 + (each.inclusion is Inclusion.VICTIM) for each in levels[1:]] + [1])  # clean lines too
        kinds = (self.read, self.allocate, self.written)
        for column, (origin, child) in enumerate(zip(self.program.origins, self.program.children, strict=True)):
            if origin not in runs:
                continue
            for number, kind in enumerate(kinds):
                lines = self._lines_of(child, written=number > 0)
                most = runs[origin] * np.minimum(held, sum(lines.values()))
                possible[number, :, column] = kind[:, column] + self.most[:, column] + most * taking
                if number < _WRITTEN:
                    least = runs[origin] * np.minimum(held, sum(lines[array] for array in lines.keys() & left))
                    certain[number, :, column] = np.maximum(certain[number, :, column] - least * taking, 0.0)
        return replace(self, certain=certain, possible=possible)

    def _lines_of(self, child: Child, *, written: bool) -> dict[str, float]:
        """Return the bytes of the lines that hold the arrays which a node reads or writes, infinite where not known."""
        line, found = self.hierarchy.levels[0].line_bytes, dict[str, float]()
        for leaf in leaves_of(child):
            for reference in leaf.references:
                if reference.write is written:
                    placed = self.program.arrays[reference.array]
                    found.setdefault(reference.array, -(-(placed.start % line + placed.size_bytes) // line) * line)
            for each in leaf.irregular:
                if each.write is written:
                    declared = self.program.arrays[each.array].declared_bytes
                    found[each.array] = inf if declared is None else declared + 2 * line
        return found

    def or_as_few_as(self, other: TrafficBytes) -> TrafficBytes:
        """Return the bytes with the certain bytes of the same code on other caches as lower bounds."""
        return replace(self, certain=np.minimum(self._certain_bytes, other._certain_bytes))

    @property
    def _certain_bytes(self) -> Floats:
        if self.certain is not None:
            return self.certain
        margins = np.where(self.error > _LEAST_MARGIN, 2 * self.error, 0.0)[:, None]
        fewer = (self.least, self.least, self.written_ends[0] if self.written_ends else self.least)
        kinds = (self.read, self.allocate, self.written)
        return np.array([np.maximum(kind * (1 - margins) - less, 0) for kind, less in zip(kinds, fewer, strict=True)])

    def _quantity(self, kind: int, row: int, nests: Sequence[int]) -> Quantity:
        """Return the bytes read (0), allocated (1) or written (2), with what sampling and data leave open."""
        moved = (self.read, self.allocate, self.written)[kind]
        value = float(moved[row, nests].sum())
        margin = 2 * self.error[row] * value if self.error[row] > _LEAST_MARGIN else 0.0
        estimate, least, most = value, value - margin, value + margin
        if value or self.written_ends:
            fewer, more = (self.written_ends if kind == _WRITTEN else None) or (self.least, self.most)
            least -= float(fewer[row, nests].sum())
            most += float(more[row, nests].sum())
        if self.certain is not None:
            least = min(least, float(self.certain[kind, row, nests].sum()))
        if self.possible is not None:
            most = max(most, float(np.maximum(self.possible[kind, row, nests], moved[row, nests]).sum()))
        counts = [polynomial(const(max(0, round(number)))) for number in (estimate, least, most)]
        return Quantity(counts[0], counts[1], counts[2], Exactness.INTERVAL) if most else exact(counts[0])
