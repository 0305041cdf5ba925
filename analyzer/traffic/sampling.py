"""Windows of a reference stream: simulate them after a warm-up and extrapolate to the whole stream.

The stream of every large child of the program is cut into strata of equally many references, with one window at a
random place of each; small children are simulated from end to end.  A window starts with empty caches some way before
it counts (the warm-up), or goes on from the window before it where that is no further.  A miss in a set that is not yet
full may be a hit in truth; :mod:`.undecided` judges those by the loop that carries the reuse.  With ``y`` lines and
``x`` references in each of ``n`` windows the estimate is ``R sum(y) / sum(x)``, and its variance comes from successive
differences of ``e = y - r x``, as for systematic samples: ``(R / sum(x))^2 n / (2 (n - 1)) sum((e_i - e_i-1)^2)``
(Wolter, Introduction to Variance Estimation, section 8.2).  Half the width of what is undecided is added to it, and
``_RARE`` of the estimate for what is too rare to be met by windows.

Written lines are those that become dirty: each leaves once, in the end or before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .hierarchy import CacheLevel
from .lengths import Lengths
from .lru import Caches
from .program import Program
from .stream import CHUNK, Chunk, Stream
from .undecided import Undecided

Floats = NDArray[np.float64]

_SEED = 11
_MOST_WINDOWS, _WINDOWS_IN_ALL, _FEWEST_WINDOWS = 10, 24, 4
_WARM_UP = 0.6
_SMALL_SHARE = 0.3
_SMALLEST_CHUNK = 1 << 13
_GRAIN = 1 << 11
_RARE = 0.0025
# Quantiles of Student's t for 97.5 %, by degrees of freedom; the successive differences of n have 2 (n - 1) / 3.
_T_95 = (12.7, 12.7, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)


@dataclass(frozen=True, slots=True)
class Window:
    """``length`` references of one child from ``begin`` (counted from the start of the program), after ``warm_up``."""

    child: int
    begin: float
    length: float
    warm_up: float


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What a window moved: lines per level (written: per level and owner), and half-widths of what is undecided."""

    child: int
    references: int
    read: Floats
    allocate: Floats
    written: Floats
    doubt: Floats
    doubt_written: Floats


class Sample:
    """The windows of one program, and what was counted in them."""

    def __init__(
        self,
        program: Program,
        levels: Sequence[CacheLevel],
        stream: Stream,
        work: Lengths,
        budget: int,
        *,
        warm: bool,
    ) -> None:
        self._program = program
        self._levels = levels
        self._stream = stream
        self._warm = warm
        self.references = [stream.lengths.of(child) for child in program.children]
        self._starts = np.concatenate(([0.0], np.cumsum(self.references)))
        self._plan = self._planned([work.of(child) for child in program.children], budget)
        self._caches = Caches(levels, len(program.children))
        self._undecided = Undecided(program, levels, warm=warm)
        self._counted: list[Counted] = []
        self._known = [0] * len(levels)
        self.simulated = self.measured = 0

    @property
    def windows(self) -> int:
        """Number of windows."""
        return len(self._counted)

    def run(self) -> None:
        """Simulate all windows in order."""
        chunks: Iterator[Chunk] = iter(())
        cursor = -np.inf
        for window in self._plan:
            begin = window.begin - window.warm_up
            if begin > cursor:
                chunks, cursor = self._restart(begin, window.length)
            cursor = self._measure(window, chunks, cursor)

    def _planned(self, work: Sequence[float], budget: int) -> list[Window]:
        children = range(len(work))
        share = _SMALL_SHARE * budget / max(len(work), 1)
        small = [k for k in children if work[k] <= share]
        large = [k for k in children if work[k] > share]
        left = budget - sum(work[k] for k in small)
        many = max(_FEWEST_WINDOWS, min(_MOST_WINDOWS, _WINDOWS_IN_ALL // max(len(large), 1)))
        each = left / (len(large) * many + 1)
        random = np.random.default_rng(_SEED)
        plan = []
        for k in children:
            size, start = self.references[k], float(self._starts[k])
            per_work = size / max(work[k], 1.0)
            warm_up = _WARM_UP * each * per_work
            if k in small:
                if size:
                    plan.append(Window(k, start, size, warm_up))
                continue
            stratum = size / many
            length = min(stratum, (1 - _WARM_UP) * each * per_work)
            for number in range(many):
                begin = start + number * stratum + random.uniform(0, stratum - length)
                plan.append(Window(k, begin, length, warm_up))
        return plan

    def _restart(self, begin: float, length: float) -> tuple[Iterator[Chunk], float]:
        """Chunks from about a position on, the caches empty; before the start is the end where it is warm."""
        self._caches.clear()
        total = float(self._starts[-1])
        size = int(min(CHUNK, max(_SMALLEST_CHUNK, length / 8)))
        if begin <= 0 and not self._warm:
            self._caches.watch(False)
            return self._stream.chunks((), size), 0.0
        self._caches.watch(True)
        wrapped = begin % total
        place = min(int(np.searchsorted(self._starts, wrapped, side="right")) - 1, len(self.references) - 1)
        start = self._stream.lengths.locate(place, wrapped - float(self._starts[place]), _GRAIN)
        chunks = self._stream.chunks(start, size)
        if wrapped > begin + 1:
            return self._around(chunks, size), begin
        return chunks, begin

    def _around(self, chunks: Iterator[Chunk], size: int) -> Iterator[Chunk]:
        yield from chunks
        yield from self._stream.chunks((), size)

    def _measure(self, window: Window, chunks: Iterator[Chunk], cursor: float) -> float:
        """Warm up, then count; returns the position reached."""
        caches = self._caches
        counted = 0
        end = float(self._starts[window.child + 1])
        for chunk in chunks:
            if not counted and (cursor < window.begin or chunk.child != window.child) and cursor < end:
                caches.use(chunk)
                cursor += chunk.references
                self.simulated += chunk.references
                continue
            if not counted:
                caches.counts.clear()
                caches.forget()
                self._known = [cache.held() for cache in caches.levels]
            caches.use(chunk)
            counted += chunk.references
            cursor += chunk.references
            self.simulated += chunk.references
            if counted >= window.length or cursor >= end - 1:
                break
        if counted:
            self.measured += counted
            self._counted.append(self._judged(window, counted))
        return cursor

    def _judged(self, window: Window, references: int) -> Counted:
        """Counts of a window; open misses are divided into hits and misses."""
        counts, shape = self._caches.counts, (len(self._levels), len(self.references))
        read = counts.read.sum(axis=1).astype(np.float64)
        allocate = counts.allocate.sum(axis=1).astype(np.float64)
        written, doubt, doubt_written = np.zeros(shape), np.zeros(shape[0]), np.zeros(shape[0])
        offset = max(0.0, window.begin - float(self._starts[window.child]))
        start = self._stream.lengths.locate(window.child, offset, _GRAIN)
        for level, cache in enumerate(self._caches.levels):
            owners = np.bincount(np.array(cache.turned, dtype=np.int64) >> 1, minlength=shape[1] + 1)
            written[level] = owners[1:]
            if cache.open:
                misses, unsure = self._undecided.judge(start, cache.open, level, self._known[level])
                fills = max(read[level] + allocate[level], 1.0)
                share = 1 - (1 - misses) * len(cache.open) / fills
                read[level] *= share
                allocate[level] *= share
                doubt[level] = unsure * len(cache.open)
            if cache.turned_open:
                misses, unsure = self._undecided.judge(start, cache.turned_open, level, self._known[level])
                written[level, window.child] += misses * len(cache.turned_open)
                doubt_written[level] = unsure * len(cache.turned_open)
        return Counted(window.child, references, read, allocate, written, doubt, doubt_written)

    def result(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Lines read, allocated and written per level and child, with the errors of fills and of written lines."""
        shape = (len(self._levels), len(self.references))
        read, allocate = np.zeros(shape), np.zeros(shape)
        written, fill_error, written_error = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for child, references in enumerate(self.references):
            mine = [window for window in self._counted if window.child == child]
            seen = sum(window.references for window in mine)
            if not seen:
                continue
            scale = max(references / seen, 1.0)
            read[:, child] = scale * sum(window.read for window in mine)
            allocate[:, child] = scale * sum(window.allocate for window in mine)
            written += scale * sum(window.written for window in mine)
            fills = [(window.read + window.allocate, window.doubt, window.references) for window in mine]
            stores = [(window.written.sum(axis=1), window.doubt_written, window.references) for window in mine]
            fill_error[:, child] = _error(fills, scale)
            written_error[:, child] = _error(stores, scale)
        self._undecided.at_least(read, allocate, written, fill_error, written_error)
        return read, allocate, written, fill_error, written_error


def _error(windows: Sequence[tuple[Floats, Floats, int]], scale: float) -> Floats:
    """Standard error of ``scale`` times the sum over windows of (lines, what is undecided, references)."""
    lines = sum(found for found, _, _ in windows)
    references = sum(many for _, _, many in windows)
    doubt = np.hypot(scale * sum(unsure for _, unsure, _ in windows), _RARE * scale * lines)
    if scale < 1.01:
        return np.asarray(doubt)
    count = len(windows)
    if count < 2:
        return np.asarray(np.hypot(doubt, scale * lines))
    rest = [found - lines / references * many for found, _, many in windows]
    spread = sum((left - right) ** 2 for left, right in pairwise(rest))
    sampling = scale * np.sqrt(count / (2 * (count - 1)) * spread * (1 - 1 / scale))
    return np.asarray(np.hypot(doubt, _student(count) * sampling))


def _student(windows: int) -> float:
    """Factor that makes twice the standard error a 95 % interval for few windows."""
    freedom = 2 * (windows - 1) // 3
    return _T_95[min(freedom, len(_T_95) - 1)] / 2
