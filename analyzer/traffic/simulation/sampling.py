"""Windows of a reference stream: simulate them after a warm-up and extrapolate to the whole stream.

The stream of every large child of the program is cut into strata of equally many references, with one window at a
random place of each; small children are simulated from end to end.  A window starts with empty caches some way before
it counts (the warm-up), or goes on from the window before it where that is no further.  A miss in a set that is not yet
full may be a hit in truth; :mod:`.warmup_bias` judges those by the loop that carries the reuse.

With the density ``d = y / x`` of ``y`` lines in ``x`` references for each of ``n`` windows the estimate for ``R``
references is ``R mean(d)``.  Its variance comes from successive differences, as for systematic samples:
``R^2 / (2 n (n - 1)) sum((d_i - d_i-1)^2)`` (Wolter, Introduction to Variance Estimation, section 8.2).  Half the width
of what is undecided is added to it, and ``_RARE`` of the estimate for what is too rare to be met by windows.

Written lines are those that become dirty: each leaves once, in the end or before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..program.program import Program
from .lru import WatchedCaches
from .reference_counts import ReferenceCounts, Start
from .stream import CHUNK, Chunk, Stream
from .warmup_bias import WarmupBias

Floats = NDArray[np.float64]

# Parts of a budget: of a window what warms up the caches, and of all what small children may take.  With windows of
# which a larger part counts more misses are open at their start; tests/unit/traffic/simulation holds the estimates
# against exact simulations.
_WARM_UP, _SMALL_SHARE = 0.6, 0.3
_SEED = 11  # any number: what is drawn is drawn again
_SMALLEST_CHUNK, _GRAIN = 1 << 11, 1 << 11  # references: below, Python's overhead for each call of numpy prevails
_RARE = 0.0025  # standard error, of the estimate, for what is too rare to be met by windows
_ALL = 1.01  # weight below which a child was simulated from end to end
_FULL = 0.98  # part of a cache that is filled when no more of its misses are open
# Quantiles of Student's t for 97.5 %, by degrees of freedom; the successive differences of n have 2 (n - 1) / 3.
_T_95 = (12.7, 12.7, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26)


class Plan(Struct, frozen=True):
    """How many windows there may be: most and fewest in a child, and in all; ``share`` of the budget is theirs.

    Where it ``judges``, open misses are divided into hits and misses; short windows leave all of them in doubt.
    """

    most: int
    fewest: int
    in_all: int
    share: float
    judges: bool


# Work against error: ``python -m tests.bench.traffic`` prints both, against exact simulations.
LONG = Plan(most=10, fewest=4, in_all=24, share=0.65, judges=True)
# The same for streams whose reuses fit in short windows.
SHORT = Plan(most=64, fewest=8, in_all=96, share=0.35, judges=False)


class Window(Struct, frozen=True):
    """``length`` references of one child from ``begin`` (counted from the start of the program), after ``warm_up``."""

    child: int
    begin: float
    length: float
    warm_up: float


class Counted(Struct, frozen=True, eq=False):
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
        work: ReferenceCounts,
        bias: WarmupBias,
        plan: Plan,
        budget: int,
        *,
        warm: bool,
    ) -> None:
        self._levels = levels
        self._stream = stream
        self._warm = warm
        self.references = [stream.reference_counts.of(child) for child in program.children]
        self._starts = np.concatenate(([0.0], np.cumsum(self.references)))
        self._plan = self._planned([work.of(child) for child in program.children], plan, plan.share * budget)
        self._caches = WatchedCaches(levels, len(program.children))
        self._bias = bias
        self._judges = plan.judges
        self._counted: list[Counted] = []
        self._known = [0] * len(levels)
        self.simulated = self.measured = 0

    @property
    def windows(self) -> int:
        """Return the number of windows."""
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

    def _planned(self, work: Sequence[float], plan: Plan, budget: float) -> list[Window]:
        children = range(len(work))
        share = _SMALL_SHARE * budget / max(len(work), 1)
        small = [k for k in children if work[k] <= share]
        large = [k for k in children if work[k] > share]
        left = budget - sum(work[k] for k in small)
        many = max(plan.fewest, min(plan.most, plan.in_all // max(len(large), 1)))
        each = left / (len(large) * many + 1)
        random = np.random.default_rng(_SEED)
        windows = []
        for k in children:
            size, start = self.references[k], float(self._starts[k])
            per_work = size / max(work[k], 1.0)
            warm_up = _WARM_UP * each * per_work
            if k in small:
                if size:
                    windows.append(Window(k, start, size, warm_up))
                continue
            stratum = size / many
            length = min(stratum, (1 - _WARM_UP) * each * per_work)
            for number in range(many):
                begin = start + number * stratum + random.uniform(0, stratum - length)
                windows.append(Window(k, begin, length, warm_up))
        return windows

    def _restart(self, begin: float, length: float) -> tuple[Iterator[Chunk], float]:
        """Return chunks from about a position on, the caches empty; before the start is the end where it is warm."""
        self._caches.clear()
        total = float(self._starts[-1])
        size = int(min(CHUNK, max(_SMALLEST_CHUNK, length / 4)))
        if begin <= 0 and not self._warm:
            self._caches.watch(False)
            return self._stream.chunks((), size), 0.0
        self._caches.watch(True)
        wrapped = begin % total
        position = min(int(np.searchsorted(self._starts, wrapped, side="right")) - 1, len(self.references) - 1)
        start = self._stream.reference_counts.locate(position, wrapped - float(self._starts[position]), _GRAIN)
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
            self._counted.append(self._estimated(window, counted))
        return cursor

    def _estimated(self, window: Window, references: int) -> Counted:
        """Return counts of a window; open misses are divided into hits and misses."""
        counts, shape = self._caches.counts, (len(self._levels), len(self.references))
        read = counts.read.sum(axis=1).astype(np.float64)
        allocate = counts.allocate.sum(axis=1).astype(np.float64)
        written, doubt, doubt_written = np.zeros(shape), np.zeros(shape[0]), np.zeros(shape[0])
        offset = max(0.0, window.begin - float(self._starts[window.child]))
        start = self._stream.reference_counts.locate(window.child, offset, _GRAIN)
        for level, cache in enumerate(self._caches.levels):
            owners = np.bincount(np.array(cache.turned, dtype=np.int64) >> 1, minlength=shape[1] + 1)
            written[level] = owners[1:]
            if cache.open:
                misses, unsure = self._judge(start, cache.open, level)
                fills = max(read[level] + allocate[level], 1.0)
                share = 1 - (1 - misses) * len(cache.open) / fills
                read[level] *= share
                allocate[level] *= share
                doubt[level] = unsure * len(cache.open)
            if cache.turned_open:
                misses, unsure = self._judge(start, cache.turned_open, level)
                written[level, window.child] += misses * len(cache.turned_open)
                doubt_written[level] = unsure * len(cache.turned_open)
            if level and self._known[level - 1] < _FULL * self._caches.levels[level - 1].lines and cache.watched:
                written[level], doubt_written[level] = self._passed_on(start, level, written[level - 1])
        return Counted(window.child, references, read, allocate, written, doubt, doubt_written)

    def _passed_on(self, start: Start, level: int, written: Floats) -> tuple[Floats, Any]:
        """Return lines that become dirty behind a cache that had room for all.

        Those that do in it, if they do not stay.
        """
        inner = self._caches.levels[level - 1]
        lines = inner.turned_lines + inner.turned_open
        misses, unsure = self._judge(start, lines, level) if lines else (0.0, 0.0)
        return misses * written, unsure * written.sum()

    def _judge(self, start: Start, lines: Sequence[int], level: int) -> tuple[float, float]:
        """Return the share of misses among open lines, and half the width of the interval for it."""
        if self._judges:
            return self._bias.correct(start, lines, level, self._known[level])
        return 1.0, 1.0

    def result(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Return lines read, allocated and written per level and child, and the errors of fills and written lines."""
        shape = (len(self._levels), len(self.references))
        read, allocate = np.zeros(shape), np.zeros(shape)
        written, fill_error, written_error = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for child, references in enumerate(self.references):
            mine = [window for window in self._counted if window.child == child]
            if not mine:
                fill_error[:, child] = written_error[:, child] = references
                continue
            weights = [references / len(mine) / window.references for window in mine]
            for weight, window in zip(weights, mine, strict=True):
                read[:, child] += weight * window.read
                allocate[:, child] += weight * window.allocate
                written += weight * window.written
            fills = [(window.read + window.allocate, window.doubt) for window in mine]
            stores = [(window.written.sum(axis=1), window.doubt_written) for window in mine]
            fill_error[:, child] = _error(fills, weights)
            written_error[:, child] = _error(stores, weights)
        return read, allocate, written, fill_error, written_error


def _error(windows: Sequence[tuple[Floats, Floats]], weights: Sequence[float]) -> Floats:
    """Return the standard error of the weighted sum over windows of (lines, what is undecided)."""
    weighted = [weight * found for weight, (found, _) in zip(weights, windows, strict=True)]
    doubt = sum(weight * unsure for weight, (_, unsure) in zip(weights, windows, strict=True))
    count, lines = len(windows), sum(weighted)
    if count == 1:
        return np.asarray(doubt if weights[0] < _ALL else np.hypot(doubt, lines))
    spread = sum((left - right) ** 2 for left, right in pairwise(weighted))
    sampling = _student(count) * np.sqrt(count / (2 * (count - 1)) * spread)
    return np.asarray(np.sqrt(doubt**2 + (_RARE * lines) ** 2 + sampling**2))


def _student(windows: int) -> float:
    return student(2 * (windows - 1) // 3)


def student(freedom: int) -> float:
    """Return the factor that makes twice a standard error of few degrees of freedom a 95 % interval."""
    return _T_95[min(freedom, len(_T_95) - 1)] / 2
