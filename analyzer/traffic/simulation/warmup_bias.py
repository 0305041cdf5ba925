"""Misses that a window cannot judge: the line was not seen since the window's start, and its set is not full.

Where the line lies outside of everything that was touched before, the miss is a first one.  Else the innermost loop
whose earlier iterations may have touched it carries the reuse, and the line was kept if one iteration of that loop
touches no more lines than the cache holds (a layer condition).  Ranges of bytes stand for what was touched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...domains.isl.sets import points
from ...domains.limits import OverBudget
from ..hierarchy import CacheLevel
from ..program.lines.lines import affine_text, conditions_text
from ..program.program import Affine, Child, CountedLoop, Leaf, Program, span
from ..reuse.distances.stack_distance import StackDistances
from .reference_counts import WHOLE, Start

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Range = tuple[int, int]

_MOST_CORRECTED = 4096  # open misses that are looked at, evenly spread
_COUNTABLE = float(1 << 40)  # bytes; beyond, ranges of bytes are no bound worth having
# Half the width of the interval for a share of misses: about the capacity, well within it, well beyond it.
_ABOUT, _WITHIN, _BEYOND = 0.5, 0.002, 0.05
_NEAR = 0.5  # part of the known lines: a loop that touches fewer carries no reuse beyond these


class WarmupBias:
    """Judges undecided misses in the caches of one program, and holds what must be moved at least."""

    def __init__(self, program: Program, levels: Sequence[CacheLevel], *, warm: bool) -> None:
        self._program = program
        self._levels = levels
        self._line = levels[0].line_bytes
        self._warm = warm
        self._new: tuple[Floats | None, Floats | None] | None = None
        self._stack_distances = StackDistances(program, self._line, 2 * max(level.lines for level in levels))
        self._touched: dict[tuple[int, ...], float] = {}
        self.footprint = self._lines(program.children, ())

    def correct(self, start: Start, lines: Sequence[int], level: int, known: int) -> tuple[float, float]:
        """Return the share of lines that miss, and half the width of the interval for it, around one moment.

        The last ``known`` distinct lines before it are not among ``lines``.
        """
        step = max(1, len(lines) // _MOST_CORRECTED)
        some = np.array(lines[::step], dtype=np.int64) * self._line
        capacity = self._levels[level].lines
        misses = unsure = 0.0
        open_ = np.ones(len(some), dtype=bool)
        for ranges, distance in self._carriers(start):
            if distance < _NEAR * known:
                continue
            found = open_ & _inside(some, ranges, self._line)
            open_ &= ~found
            many = float(found.sum())
            misses += many * (distance > capacity)
            unsure += many * _doubt(distance, capacity)
        left = float(open_.sum())
        if self._warm:
            misses += left * (self.footprint > capacity)
            unsure += left * _doubt(self.footprint, capacity)
        else:
            misses += left
        return misses / len(some), unsure / len(some)

    def at_least(
        self, read: Floats, allocate: Floats, written: Floats, fill_error: Floats, written_error: Floats
    ) -> None:
        """Correct what no window could find: a cache that holds everything moves every line once, others no less."""
        for level, cache in enumerate(self._levels):
            keeps = self._keeps_everything(cache)
            if self._warm:
                if keeps:
                    for lines in (read, allocate, written, fill_error, written_error):
                        lines[level] = 0
                continue
            filled, dirty = self._compulsory()
            if filled is not None:
                now = read[level] + allocate[level]
                stored = np.where(now > 0, allocate[level] / np.maximum(now, 1e-9), 0.0)
                if _raise(now, filled, fill_error[level], keeps=keeps):
                    allocate[level], read[level] = stored * now, (1 - stored) * now
            if dirty is not None:
                _raise(written[level], dirty, written_error[level], keeps=keeps)

    def _keeps_everything(self, cache: CacheLevel) -> bool:
        """Return whether the arrays, wherever they start, never fill a set."""
        arrays = self._program.arrays.values()
        lines = [-(-array.size_bytes // self._line) + 1 for array in arrays]
        if cache.ways is None:
            return self.footprint <= cache.lines
        return sum(-(-many // cache.sets) for many in lines) <= cache.ways

    def _compulsory(self) -> tuple[Floats | None, Floats | None]:
        """Return the distinct lines that are new in each child, touched and written."""
        if self._new is None:
            self._new = (self._first(writes=False), self._first(writes=True))
        return self._new

    def _first(self, *, writes: bool) -> Floats | None:
        totals = [0.0]
        for many in range(1, len(self._program.children) + 1):
            children = self._program.children[:many]
            found = _distinct(children, self._line, writes=writes)
            if found is None and not writes:
                found = self._lines(children, ())
            if found is None or found > _COUNTABLE:
                return None
            totals.append(found)
        return np.diff(totals)

    def _carriers(self, start: Start) -> list[tuple[list[Range], float]]:
        """Return, from the inside out, what earlier parts may have touched, and the lines between its use and now."""
        found: list[tuple[list[Range], float]] = []
        counters: list[int] = []
        children: Sequence[Child] = self._program.children
        for position, value in start:
            before = list(children[:position])
            if before:
                fixed = [(counter, counter) for counter in counters]
                ranges = [span for child in before for span in _ranges(child, fixed)]
                found.append((ranges, self._lines(before, counters)))
            child = children[position]
            if not isinstance(child, CountedLoop) or value == WHOLE:
                break
            low = int(child.range(counters)[0])
            if low < value:
                fixed = [(counter, counter) for counter in counters]
                ranges = [span for inner in child.children for span in _ranges(inner, [*fixed, (low, value - 1)])]
                found.append((ranges, self._lines(child.children, [*counters, value - 1])))
            counters.append(value)
            children = child.children
        return found[::-1]

    def _lines(self, children: Sequence[Child], counters: Sequence[int]) -> float:
        key = (*(id(child) for child in children), -1, *counters)
        if key not in self._touched:
            fixed = [np.array([counter], dtype=np.int64) for counter in counters]
            try:
                self._touched[key] = float(self._stack_distances.touched(children, fixed)[0])
            except ValueError:  # every run was beyond what is gathered, and none is left to count
                self._touched[key] = math.inf
        return self._touched[key]


def _raise(lines: Floats, least: Floats, error: Floats, *, keeps: bool) -> bool:
    """Set lines to the least there can be where a cache keeps everything, or where there were less."""
    if not keeps and lines.sum() >= least.sum():
        return False
    error[:] = 0 if keeps else np.maximum(error, np.maximum(least - lines, 0))
    lines[:] = least if keeps else np.maximum(least, lines)
    return True


def _doubt(distance: float, capacity: int) -> float:
    if capacity / 2 < distance < capacity * 2:
        return _ABOUT
    return _WITHIN if distance <= capacity else _BEYOND


def _inside(addresses: Ints, ranges: Sequence[Range], line_bytes: int) -> NDArray[np.bool_]:
    inside = np.zeros(len(addresses), dtype=bool)
    for low, high in dict.fromkeys(ranges):
        inside |= (addresses > low - line_bytes) & (addresses <= high)
    return inside


def _ranges(child: Child, fixed: Sequence[Range]) -> list[Range]:
    """Return the first and last byte of what each reference below a node touches, counters within ranges."""
    found: list[Range] = []
    for leaf in child.leaves if isinstance(child, CountedLoop) else (child,):
        ranges = list(fixed)
        for loop in leaf.loops[len(fixed) :]:
            low = max(-(-span(bound.limit, ranges)[0] // bound.divisor) for bound in loop.lows)
            high = min(span(bound.limit, ranges)[1] // bound.divisor for bound in loop.highs)
            ranges.append((low, high))
        if all(low <= high for low, high in ranges):
            for reference in leaf.references:
                low, high = span(reference.address, ranges)
                found.append((low, high + reference.size_bytes - 1))
    return found


def _distinct(children: Sequence[Child], line_bytes: int, *, writes: bool) -> float | None:
    """Return the distinct lines that some children touch or write; None where that cannot be counted."""
    leaves: list[Leaf] = [
        leaf for child in children for leaf in (child.leaves if isinstance(child, CountedLoop) else (child,))
    ]
    parts = [
        _image(leaf, reference.address, line_bytes)
        for leaf in leaves
        for reference in leaf.references
        if reference.write or not writes
    ]
    if not parts:
        return 0.0
    try:
        found = points(f"{{ {'; '.join(dict.fromkeys(parts))} }}").coalesced().count({})
    except OverBudget:
        return None
    return float(found.evaluate({}))


def _image(leaf: Leaf, address: Affine, line_bytes: int) -> str:
    body = " and ".join([*conditions_text(leaf), f"l = floor(({affine_text(address)})/{line_bytes})"])
    names = ", ".join(f"t{loop.depth}" for loop in leaf.loops)
    return f"[l] : exists ({names} : {body})" if names else f"[l] : {body}"
