"""The stream of cache lines that a program touches: program -> chunks of lines in program order, in numpy.

A loop nest is unrolled from the outside inwards: every loop makes one row per iteration around it into one row per
iteration of its own, and the numbers of references below a row give its place in the stream, so nothing is sorted.
Two kinds of references that a least-recently-used cache cannot notice are left out, which is exact:

* an iteration of an innermost loop that touches the lines of the iteration before it, as long as no set of the
  innermost cache gets more lines in one iteration than it has ways;
* a reference to the line that was used last in its set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..program.program import Child, CountedLoop, Irregular, Leaf, Program, Reference, Test
from .reference_counts import WHOLE, ReferenceCounts, Start

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Fill = Callable[[Ints, "_Out"], None]

CHUNK = 1 << 17  # references that are made at once, which bounds memory
_SEED = 20240229  # any number: what is drawn is drawn again
_LEFT_OUT = 1 / 32  # of the work of a reference is left where it stays in its line: a choice, which only shares work
_LARGEST_SET_NUMBER = 1 << 16  # that 16 bits hold, which numpy sorts by radix


class Chunk(Struct, frozen=True, eq=False):
    """Consecutive lines of one child of the program; ``references`` includes what was left out.

    ``first`` is whether the (first) use of a line is a store, ``dirty`` whether it or one left out is.
    """

    child: int
    lines: Ints
    first: Flags
    dirty: Flags
    references: int


class _Out(Struct, frozen=True, eq=False):
    lines: Ints
    stores: Flags


class _Part(Struct, frozen=True, eq=False):
    """What a node adds below every row: kept references per row, all references, and how to write them down."""

    sizes: Ints
    references: int
    fill: Fill


class _Column(Struct, frozen=True, eq=False):
    """One reference of a statement: its place among them, its byte (``shift`` for its last one)."""

    use: Reference | Irregular
    shift: int = 0


class Stream:
    """The references of a program as lines of ``line_bytes``, for an innermost cache of ``sets`` and ``ways``."""

    def __init__(self, program: Program, line_bytes: int, sets: int, ways: int) -> None:
        self._program = program
        self._line = line_bytes
        self._shift = line_bytes.bit_length() - 1
        self._sets = sets
        self._ways = ways
        self._columns: dict[int, tuple[_Column, ...]] = {}
        self.reference_counts = ReferenceCounts(program, self.columns)
        self._random = np.random.default_rng(_SEED)

    def chunks(self, start: Start = (), size: int = CHUNK) -> Iterator[Chunk]:
        """Yield lines from a moment to the end, ``size`` references at a time.

        ``start`` is (position, counter) per depth.
        """
        first = start[0][0] if start else 0
        for position in range(first, len(self._program.children)):
            here = start if start and position == first else ((position, WHOLE),)
            for part in self._walk(self._program.children, [], here, size, frozenset()):
                yield self._chunk(position, part)

    @property
    def irregular(self) -> bool:
        """Return whether some elements are drawn at random."""
        return any(item.address is None for leaf in self._program.leaves for item in leaf.irregular)

    def columns(self, leaf: Leaf) -> int:
        """Return references of one execution of a statement."""
        return len(self._of(leaf))

    def work(self, leaf: Leaf) -> float:
        """Return references that a cache has to look at per execution of a statement, and a little for the others."""
        phases = self._phases(leaf.loops[-1]) if leaf.loops else None
        share = 1.0 if phases is None else min(1.0, sum(abs(step) for step, *_ in phases) / self._line)
        return self.columns(leaf) * (share + _LEFT_OUT)

    def _chunk(self, position: int, part: _Part) -> Chunk:
        total = int(part.sizes.sum())
        out = _Out(np.empty(total, dtype=np.int64), np.empty(total, dtype=bool))
        part.fill(np.zeros(1, dtype=np.int64), out)
        return _without_repeats(position, out, self._sets, part.references)

    def _walk(
        self, children: Sequence[Child], counters: list[int], start: Start, size: int, known: frozenset[Test]
    ) -> Iterator[_Part]:
        """Yield parts of a body from ``start`` on; a start of one position only is that child alone at the root."""
        alone = not counters
        first = start[0][0] if start else 0
        for position in range(first, first + 1 if alone else len(children)):
            child = children[position]
            inside = start if start and position == first and start[0][1] != WHOLE else ()
            columns = [np.array([value], dtype=np.int64) for value in counters]
            if isinstance(child, Leaf):
                yield self._leaf(child, columns, 1, known)
                continue
            if not self._runs(child, counters, known):
                continue
            yield from self._iterations(child, counters, columns, inside, size, known | set(child.tests))

    def _iterations(
        self,
        loop: CountedLoop,
        counters: list[int],
        columns: list[Ints],
        start: Start,
        size: int,
        known: frozenset[Test],
    ) -> Iterator[_Part]:
        low, high = (int(bound) for bound in loop.range(counters))
        if start:
            low = max(low, start[0][1])
            if start[1:] and low <= high:
                yield from self._walk(loop.children, [*counters, low], start[1:], size, known)
                low += 1
        if low > high:
            return
        each = self.reference_counts.longest_iteration(loop, counters, low, high)
        if each > size and any(isinstance(child, CountedLoop) for child in loop.children):
            for value in range(low, high + 1):
                yield from self._walk(loop.children, [*counters, value], (), size, known)
            return
        step = max(1, int(size / max(each, 1.0)))
        for value in range(low, high + 1, step):
            yield self._turn(loop, columns, 1, known, (value, min(high, value + step - 1)))

    def _runs(self, loop: CountedLoop, counters: Sequence[int], known: frozenset[Test]) -> bool:
        return all(bool(test.holds(counters)) for test in loop.tests if test not in known)

    def _part(self, child: Child, counters: Sequence[Ints], rows: int, known: frozenset[Test]) -> _Part:
        if isinstance(child, Leaf):
            return self._leaf(child, counters, rows, known)
        return self._turn(child, counters, rows, known, None)

    def _leaf(self, leaf: Leaf, counters: Sequence[Ints], rows: int, known: frozenset[Test]) -> _Part:
        columns = self._of(leaf)
        mask = _mask(leaf.tests, known, counters, rows)
        sizes = np.full(rows, len(columns), dtype=np.int64)
        if mask is not None:
            sizes[~mask] = 0
            counters = [column[mask] for column in counters]

        def fill(offsets: Ints, out: _Out) -> None:
            positions = offsets if mask is None else offsets[mask]
            drawn: dict[str, Ints] = {}
            for number, column in enumerate(columns):
                where = positions + number
                out.lines[where] = self._lines(column, counters, len(positions), drawn)
                out.stores[where] = column.use.write

        return _Part(sizes, int(sizes.sum()), fill)

    def _lines(self, column: _Column, counters: Sequence[Ints], rows: int, drawn: dict[str, Ints]) -> Any:
        use = column.use
        if use.address is not None:
            return (use.address.at(counters) + column.shift) >> self._shift
        if not use.write or use.array not in drawn:
            placed = self._program.arrays[use.array]
            elements = self._random.integers(0, max(1, placed.size_bytes // use.size_bytes), rows)
            drawn[use.array] = (placed.start + elements * use.size_bytes) >> self._shift
        return drawn[use.array]

    def _turn(
        self,
        loop: CountedLoop,
        counters: Sequence[Ints],
        rows: int,
        known: frozenset[Test],
        limits: tuple[int, int] | None,
    ) -> _Part:
        low, trips = self._trips(loop, counters, rows, known, limits)
        kept: Flags | None = None
        total = int(trips.sum())
        owner = np.repeat(np.arange(rows), trips)
        value = np.arange(total) - np.repeat(np.cumsum(trips) - trips - low, trips)
        phases = self._phases(loop)
        if phases is not None and total:
            kept = self._changes(loop, phases, counters, owner, value, trips)
        if kept is not None:
            trips = np.bincount(owner[kept], minlength=rows)
            owner, value = owner[kept], value[kept]
        inner = [*(column[owner] for column in counters), value]
        parts = [self._part(child, inner, len(value), known | set(loop.tests)) for child in loop.children]
        references = sum(part.references for part in parts)
        if kept is not None:
            references = total * sum(self.columns(leaf) for leaf in loop.leaves)
        positions = np.zeros(len(value) + 1, dtype=np.int64)
        np.cumsum(sum(part.sizes for part in parts), out=positions[1:])
        ends = np.cumsum(trips)
        begins = ends - trips

        def fill(offsets: Ints, out: _Out) -> None:
            position = np.repeat(offsets - positions[begins], trips) + positions[:-1]
            for part in parts:
                part.fill(position, out)
                position = position + part.sizes

        return _Part(positions[ends] - positions[begins], references, fill)

    def _trips(
        self,
        loop: CountedLoop,
        counters: Sequence[Ints],
        rows: int,
        known: frozenset[Test],
        limits: tuple[int, int] | None,
    ) -> tuple[Ints, Ints]:
        """Return the first value and number of iterations per row."""
        low, high = loop.range(counters)
        low = np.broadcast_to(np.asarray(low, dtype=np.int64), (rows,))
        high = np.broadcast_to(np.asarray(high, dtype=np.int64), (rows,))
        if limits is not None:
            low, high = np.maximum(low, limits[0]), np.minimum(high, limits[1])
        trips = np.maximum(high - low + 1, 0)
        mask = _mask(loop.tests, known, counters, rows)
        return low, trips if mask is None else np.where(mask, trips, 0)

    def _phases(self, loop: CountedLoop) -> tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...] | None:
        """Return distinct (step, constant, outer terms) of the references of an innermost loop.

        None: keep every iteration.
        """
        found: dict[tuple[int, int, tuple[tuple[int, int], ...]], None] = {}
        for child in loop.children:
            if isinstance(child, CountedLoop) or child.irregular or len(child.tests) > len(loop.tests):
                return None
            for column in self._of(child):
                assert isinstance(column.use, Reference)
                address = column.use.address
                step = address.coefficient(loop.depth)
                if abs(step) >= self._line:
                    return None
                if step:
                    outer = tuple(
                        (depth, factor % self._line) for depth, factor in address.terms if depth != loop.depth
                    )
                    outer = tuple((depth, factor) for depth, factor in outer if factor)
                    found[step, (address.constant + column.shift) % self._line, outer] = None
        return tuple(found)

    def _changes(
        self,
        loop: CountedLoop,
        phases: Sequence[tuple[int, int, tuple[tuple[int, int], ...]]],
        counters: Sequence[Ints],
        owner: Ints,
        value: Ints,
        trips: Ints,
    ) -> Flags | None:
        """Return iterations that touch other lines than the one before them; None where all have to be kept."""
        kept = np.zeros(len(value), dtype=bool)
        kept[(np.cumsum(trips) - trips)[trips > 0]] = True
        last = self._line - 1
        for step, constant, outer in phases:
            base: Any = constant
            for depth, factor in outer:
                base = base + factor * counters[depth]
            within = (value * step + (base[owner] if outer else base)) & last
            kept |= within < step if step > 0 else within > last + step
        return None if self._crowded(loop, counters, owner, value, kept) else kept

    def _crowded(self, loop: CountedLoop, counters: Sequence[Ints], owner: Ints, value: Ints, kept: Flags) -> bool:
        """Return whether some iteration puts more lines into a set than fit."""
        uses = {
            (column.use.address.constant + column.shift, column.use.address.terms): column
            for leaf in loop.leaves
            for column in self._of(leaf)
            if isinstance(column.use, Reference)
        }
        if len(uses) <= self._ways:
            return False
        rows = owner[kept]
        inner = [*(column[rows] for column in counters), value[kept]]
        lines = np.stack([np.broadcast_to(self._lines(use, inner, 0, {}), rows.shape) for use in uses.values()])
        sets = lines % self._sets
        order = np.lexsort((lines, sets), axis=0)
        lines, sets = np.take_along_axis(lines, order, 0), np.take_along_axis(sets, order, 0)
        held = np.ones(len(rows), dtype=np.int64)
        for number in range(1, len(lines)):
            held = np.where(sets[number] == sets[number - 1], held + (lines[number] != lines[number - 1]), 1)
            if (held > self._ways).any():
                return True
        return False

    def _of(self, leaf: Leaf) -> tuple[_Column, ...]:
        """Return references in the order of execution; one that may reach into the next line comes twice."""
        if id(leaf) not in self._columns:
            regular = {use.order: use for use in leaf.references}
            irregular = iter(leaf.irregular)
            found: list[_Column] = []
            for order in range(len(leaf.references) + len(leaf.irregular)):
                use: Reference | Irregular = regular[order] if order in regular else next(irregular)
                found.append(_Column(use))
                if isinstance(use, Reference) and _may_cross(use, self._line):
                    found.append(_Column(use, use.size_bytes - 1))
            self._columns[id(leaf)] = tuple(found)
        return self._columns[id(leaf)]


def _mask(tests: Sequence[Test], known: frozenset[Test], counters: Sequence[Ints], rows: int) -> Flags | None:
    """Return rows on which the tests hold that were not made further out; None where there are none."""
    mask: Flags | None = None
    for test in tests:
        if test not in known:
            holds = np.broadcast_to(np.asarray(test.holds(counters), dtype=bool), (rows,))
            mask = holds if mask is None else mask & holds
    return mask


def _may_cross(use: Reference, line_bytes: int) -> bool:
    grain = math.gcd(line_bytes, *(factor for _, factor in use.address.terms))
    return line_bytes - grain + use.address.constant % grain + use.size_bytes > line_bytes


def _without_repeats(position: int, out: _Out, sets: int, references: int) -> Chunk:
    """Leave out what was used last in its set."""
    lines, stores = out.lines, out.stores
    if not len(lines):
        return Chunk(position, lines, stores, stores, references)
    if 1 < sets <= _LARGEST_SET_NUMBER:
        order = np.argsort((lines % sets).astype(np.uint16), kind="stable")
        sorted_ = lines[order]
    else:
        order, sorted_ = np.arange(len(lines)), lines
    fresh = np.empty(len(lines), dtype=bool)
    fresh[0] = True
    np.not_equal(sorted_[1:], sorted_[:-1], out=fresh[1:])
    begins = np.flatnonzero(fresh)
    dirty = np.logical_or.reduceat(stores[order], begins)
    kept, any_dirty = np.zeros(len(lines), dtype=bool), np.zeros(len(lines), dtype=bool)
    kept[order[begins]] = True
    any_dirty[order[begins]] = dirty
    return Chunk(position, lines[kept], stores[kept], any_dirty[kept], references)
