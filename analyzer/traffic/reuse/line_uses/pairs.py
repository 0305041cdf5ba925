"""Reuse pairs: two uses of a cache line between which no other reference touches it, drawn at random.

A pair belongs to the *scope* that carries the reuse: different iterations of one loop, or different children of one
body. Drawing: choose an execution of a reference in the scope so that all (block, line) pairs are equally likely, a
block being one iteration or one child; find the first use of its line in the block and the last use before the block,
both by a search over the loops that keeps only values from which the line can be reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...program.low_discrepancy import fractions
from ...program.program import Child, CountedLoop, Program
from ...program.ranges import Ints, room
from ...program.schedules.lockstep import BLOCKS
from .alike import Uses, address_of, uses_of
from .line_search import Flags
from .search import Finder, Found, taken

Floats = NDArray[np.float64]

GOLDEN = 1.618033988749895  # its multiples, modulo 1, spread evenly however many there are (Weyl)


class Scope(Struct, frozen=True, eq=False):
    """Where a reuse is carried: by ``loop`` (different iterations), or between children of a body (``carried`` False).

    ``loop`` None is the whole region. ``ends_in_last`` leaves only reuses that end in the last of the children.
    """

    loop: CountedLoop | None
    carried: bool
    children: Sequence[Child]
    ends_in_last: bool = False

    @property
    def is_outside_blocks(self) -> bool:
        """Return whether the uses are in different thread blocks of a kernel."""
        if self.loop is None:
            return any(isinstance(child, CountedLoop) and child.mapping in BLOCKS for child in self.children)
        return self.carried and self.loop.mapping in BLOCKS

    @property
    def depth(self) -> int:
        """Return counters that are the same at both uses."""
        if self.loop is None:
            return 0
        return self.loop.depth if self.carried else self.loop.depth + 1


class Pairs(Struct, frozen=True):
    """Reuse pairs with their weights; ``line`` is the byte address of the line's start."""

    start: Found
    end: Found
    line: Ints
    weight: Floats


class Drawer:
    """Draws reuse pairs of one array in one scope."""

    def __init__(self, program: Program, scope: Scope, array: str, line_bytes: int, *, writes: bool) -> None:
        self._scope = scope
        self._line = line_bytes
        self._children = [uses_of(child, array, writes=writes) for child in scope.children]
        self.uses: list[Uses] = [uses for child in self._children for uses in child]
        self._child_of = [position for position, child in enumerate(self._children) for _ in child]
        self._levels = max((len(uses.leaf.loops) for uses in self.uses), default=0)
        self._finder = Finder(self.uses, line_bytes, self._levels)
        self._drawn = 0
        self._volume = self._expected = 0.0

    def draw(self, number: int) -> Pairs:
        """Return about ``number`` pairs; fewer where most lines of a block were not used before it."""
        which, reference, counters, weight = self._executions(number)
        if not len(which):
            return _no_pairs(self._levels)
        line = self._lines(which, reference, counters)
        child = np.array(self._child_of)[which]
        end, touching, is_canonical = self._first(which, reference, counters, child, line)
        start = self._last(counters, child, line)
        good = start.found & end.found & is_canonical
        blocks = weight / np.maximum(touching, 1)
        self._expected = self._volume * float((blocks * good).sum() / weight.sum())
        weight = blocks
        keep = np.nonzero(good)[0]
        return Pairs(taken(start, keep), taken(end, keep), line[keep], weight[keep])

    @property
    def expected(self) -> float:
        """Return an estimate of the number of reuses in the scope."""
        return self._expected

    @property
    def volume(self) -> float:
        """Return an estimate of the uses of which some are reuses: the lines of each block of the scope."""
        return self._volume

    def first_stores(self, number: int) -> float:
        """Return the share of first uses of a line, in a scope of a single child, that are stores."""
        which, reference, counters, weight = self._executions(number)
        if not len(which):
            return 0.0
        line = self._lines(which, reference, counters)
        child = np.array(self._child_of)[which]
        first, touching, is_canonical = self._first(which, reference, counters, child, line)
        weight = weight / np.maximum(touching, 1) * (first.found & is_canonical)
        stores = np.array([self.is_store(first, sample) for sample in range(len(line))])
        return float((weight * stores).sum() / max(weight.sum(), 1e-300))

    def is_store(self, found: Found, sample: int) -> bool:
        """Return whether the use of a sample writes."""
        return bool(self.uses[found.uses[sample]].references[found.reference[sample]].write)

    def _lines(self, which: Ints, reference: Ints, counters: Ints) -> Ints:
        """Return the start of the line that each execution touches."""
        address = np.zeros(len(which), dtype=np.int64)
        for position, uses in enumerate(self.uses):
            mine = which == position
            if mine.any():
                address[mine] = uses.offsets[reference[mine]] + address_of(uses.terms, counters[:, mine])
        return address // self._line * self._line

    def _executions(self, number: int) -> tuple[Ints, Ints, Ints, Floats]:
        """Return executions of references with weights.

        A weight is one over the chance to be drawn and over those of the same line.
        """
        drawn = []
        last = len(self._scope.children) - 1
        for position, uses in enumerate(self.uses):
            if self._scope.ends_in_last and self._child_of[position] != last:
                continue
            counters, volume = self._points(uses, number)
            if counters is None:
                continue
            reference = (np.arange(number) * len(uses.offsets)) // number
            reference = reference[np.argsort(np.modf(np.arange(number) * GOLDEN)[0], kind="stable")]
            weight = volume / self._same_line(uses, counters, uses.offsets[reference]) * len(uses.offsets)
            drawn.append((position, reference, counters, weight))
        if not drawn:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty((self._levels, 0), np.int64), np.empty(0)
        which = np.concatenate([np.full(number, position, dtype=np.int64) for position, *_ in drawn])
        reference = np.concatenate([item[1] for item in drawn])
        counters = np.concatenate([item[2] for item in drawn], axis=1)
        weight = np.concatenate([item[3] for item in drawn])
        return self._resampled(which, reference, counters, weight, number)

    def _resampled(
        self, which: Ints, reference: Ints, counters: Ints, weight: Floats, number: int
    ) -> tuple[Ints, Ints, Ints, Floats]:
        """Resample systematically, so that all weights are about equal."""
        total = weight.sum()
        self._volume = float(total) / number
        if total <= 0:
            return which[:0], reference[:0], counters[:, :0], weight[:0]
        marks = (np.arange(number) + 0.5) / number * total
        times = np.bincount(np.minimum(np.searchsorted(np.cumsum(weight), marks), len(which) - 1))
        index = np.nonzero(times)[0]
        return which[index], reference[index], counters[:, index], times[index].astype(float)

    def _points(self, uses: Uses, number: int) -> tuple[Ints | None, Floats]:
        """Return low-discrepancy executions of a statement, with the inverse of their density."""
        self._drawn += number
        levels = len(uses.leaf.loops)
        index = np.arange(self._drawn - number, self._drawn) + 0.5
        counters = np.zeros((self._levels, number), dtype=np.int64)
        volume = np.ones(number)
        for depth, loop in enumerate(uses.leaf.loops):
            low, high = loop.range(counters)
            extent = np.maximum(high - low + 1, 0) + np.zeros(number, dtype=np.int64)
            share = fractions(index, depth, levels)
            counters[depth] = low + np.minimum((share * extent).astype(np.int64), np.maximum(extent - 1, 0))
            volume *= extent
        for test in uses.leaf.tests:
            volume *= np.asarray(test.holds(counters), dtype=np.bool_)
        if not volume.any():
            return None, volume
        return counters, volume

    def _same_line(self, uses: Uses, counters: Ints, offsets: Ints) -> Floats:
        """Return how many executions of the reference in the block touch the line of this one in the same row.

        A row are the executions that agree in the loops whose iterations are at least a line apart.
        """
        many = np.ones(counters.shape[1])
        address = offsets + address_of(uses.terms, counters)
        begin = address // self._line * self._line
        factors = dict(uses.terms)
        conditions = uses.leaf.conditions()
        for loop in uses.leaf.loops[self._within :]:
            factor = factors.get(loop.depth, 0)
            if abs(factor) >= self._line:
                continue
            behind, ahead = room(conditions, loop.depth, counters)
            if factor:
                after, before = begin + self._line - 1 - address, address - begin
                if factor < 0:
                    after, before = before, after
                ahead, behind = np.minimum(ahead, after // abs(factor)), np.minimum(behind, before // abs(factor))
            many = many * np.maximum(ahead + behind + 1, 1)
        return many

    @property
    def _within(self) -> int:
        """Return outer counters that are the same in a whole block."""
        return self._scope.depth + 1 if self._scope.carried else self._scope.depth

    def _first(
        self, which: Ints, reference: Ints, counters: Ints, child: Ints, line: Ints
    ) -> tuple[Found, Ints, Flags]:
        """Return the first use of the line in the block, how many references use it there, and which are canonical."""
        here = counters[self._scope.depth] if self._scope.carried else None
        limits = None if here is None else (here, here)
        own = replace(Found.none(len(line), self._levels), uses=which, reference=reference)
        first, touching = self._found(
            counters, line, limits, lambda position: np.asarray(child == self._child_of[position]), latest=False, of=own
        )
        return first, touching, self._is_canonical(own, counters)

    def _is_canonical(self, own: Found, counters: Ints) -> Flags:
        """Return whether an execution is in the first row of its reference in the block that has the line.

        A line at the end of one row and the start of the next is drawn from both, and counts once.  ``own`` are the
        first uses of the line in the block by the reference itself.
        """
        keep = np.ones(len(own.found), bool)
        for position, uses in enumerate(self.uses):
            index = np.nonzero(own.uses == position)[0]
            rows = [depth for depth, factor in uses.terms if depth >= self._within and abs(factor) >= self._line]
            if rows and len(index):
                same = (own.counters[rows][:, index] == counters[rows][:, index]).all(axis=0)
                keep[index] = same | ~own.found[index]
        return keep

    def _last(self, counters: Ints, child: Ints, line: Ints) -> Found:
        """Return the last use of the line before the block, within the scope."""
        before = counters[self._scope.depth] - 1 if self._scope.carried else None
        limits = None if before is None else (np.full_like(before, -(1 << 50)), before)
        return self._found(
            counters, line, limits, lambda position: np.asarray(child > self._child_of[position]), latest=True
        )[0]

    def _found(
        self,
        counters: Ints,
        line: Ints,
        limits: tuple[Ints, Ints] | None,
        in_child: Callable[[int], Flags],
        *,
        latest: bool,
        of: Found | None = None,
    ) -> tuple[Found, Ints]:
        """Return the uses within the scope: between the limits of a loop that carries it, else those ``in_child``.

        Those by one reference of each sample are entered in ``of``.
        """
        fixed, wanted = counters[: self._scope.depth], in_child if limits is None else None
        return self._finder.search(range(len(self.uses)), fixed, line, limits, latest=latest, wanted=wanted, of=of)


def joined(some: Pairs, more: Pairs) -> Pairs:
    """Return all pairs of both."""
    return Pairs(
        _joined(some.start, more.start),
        _joined(some.end, more.end),
        np.concatenate([some.line, more.line]),
        np.concatenate([some.weight, more.weight]),
    )


def _joined(some: Found, more: Found) -> Found:
    return Found(
        np.concatenate([some.found, more.found]),
        np.concatenate([some.uses, more.uses]),
        np.concatenate([some.reference, more.reference]),
        np.concatenate([some.counters, more.counters], axis=1),
    )


def _no_pairs(levels: int) -> Pairs:
    empty = Found.none(0, levels)
    return Pairs(empty, empty, np.empty(0, np.int64), np.empty(0))
