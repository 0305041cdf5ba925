"""Reuse pairs: two uses of a cache line between which no other reference touches it, drawn at random.

A pair belongs to the *scope* that carries the reuse: different turns of one loop, or different children of one body.
Drawing: choose an execution of a reference in the scope so that all (block, line) pairs are equally likely, a block
being one turn or one child; find the first use of its line in the block and the last use before the block, both by
a search over the loops that keeps only values from which the line can be reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Affine, Child, Leaf, Program, Reference, Turn

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TRIES = 48
_BRANCHES = 16
_FAR = np.int64(1) << 60
_GOLDEN = 1.618033988749895


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Where a reuse is carried: by ``turn`` (different turns), or between children of a body (``carried`` False).

    ``turn`` None is the whole region. ``ends_in_last`` leaves only reuses that end in the last of the children.
    """

    turn: Turn | None
    carried: bool
    children: Sequence[Child]
    ends_in_last: bool = False

    @property
    def depth(self) -> int:
        """Counters that are the same at both uses."""
        if self.turn is None:
            return 0
        return self.turn.depth if self.carried else self.turn.depth + 1


@dataclass(frozen=True, slots=True, eq=False)
class Uses:
    """References of one array in one statement with equal coefficients, one execution of each."""

    leaf: Leaf
    terms: tuple[tuple[int, int], ...]
    references: tuple[Reference, ...]
    offsets: Ints
    irrelevant: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Results of a search: for each sample whether there is one, in which ``uses``, which reference, and when."""

    found: NDArray[np.bool_]
    uses: Ints
    reference: Ints
    counters: Ints

    @staticmethod
    def none(samples: int, levels: int) -> Found:
        """Nothing found."""
        return Found(
            np.zeros(samples, bool),
            np.zeros(samples, np.int64),
            np.zeros(samples, np.int64),
            np.zeros((levels, samples), np.int64),
        )

    def put(self, index: Ints, other: Found) -> None:
        """Enter what was found for some of the samples."""
        self.found[index] = True
        self.uses[index] = other.uses
        self.reference[index] = other.reference
        self.counters[:, index] = other.counters


@dataclass(frozen=True, slots=True)
class Limits:
    """Only references of one ``uses`` that come before an ``order`` within the statement."""

    uses: int
    order: Ints


@dataclass(frozen=True, slots=True)
class Pairs:
    """Reuse pairs with their weights; ``line`` is the byte address of the line's start."""

    start: Found
    end: Found
    line: Ints
    weight: Floats


class Drawer:
    """Draws reuse pairs of one array in one scope."""

    def __init__(
        self, program: Program, scope: Scope, array: str, line_bytes: int, *, writes: bool
    ) -> None:
        self._scope = scope
        self._line = line_bytes
        self._children = [uses_of(child, array, writes=writes) for child in scope.children]
        self.uses: list[Uses] = [uses for child in self._children for uses in child]
        self._child_of = [place for place, child in enumerate(self._children) for _ in child]
        self._levels = max((len(uses.leaf.loops) for uses in self.uses), default=0)
        self._finder = Finder(self.uses, line_bytes, self._levels)
        self._drawn = 0
        self._volume = self._expected = 0.0

    def draw(self, number: int) -> Pairs:
        """About ``number`` pairs; fewer where most lines of a block were not used before it."""
        which, reference, counters, weight = self._executions(number)
        if not len(which):
            return _no_pairs(self._levels)
        line = self._lines(which, reference, counters)
        child = np.array(self._child_of)[which]
        end, touching = self._first(counters, child, line)
        start = self._last(counters, child, line)
        good = start.found & end.found
        blocks = weight / np.maximum(touching, 1)
        self._expected = self._volume * float((blocks * good).sum() / weight.sum())
        weight = blocks
        keep = np.nonzero(good)[0]
        return Pairs(_take(start, keep), _take(end, keep), line[keep], weight[keep])

    @property
    def expected(self) -> float:
        """An estimate of the number of reuses in the scope."""
        return self._expected

    def first_stores(self, number: int) -> float:
        """The share of first uses of a line, in a scope of a single child, that are stores."""
        which, reference, counters, weight = self._executions(number)
        if not len(which):
            return 0.0
        line = self._lines(which, reference, counters)
        first, touching = self._first(counters, np.array(self._child_of)[which], line)
        weight = weight / np.maximum(touching, 1) * first.found
        stores = np.array([self.is_store(first, sample) for sample in range(len(line))])
        return float((weight * stores).sum() / max(weight.sum(), 1e-300))

    def is_store(self, found: Found, sample: int) -> bool:
        """Whether the use of a sample writes."""
        return self.uses[found.uses[sample]].references[found.reference[sample]].write

    def _lines(self, which: Ints, reference: Ints, counters: Ints) -> Ints:
        """Start of the line that each execution touches."""
        address = np.zeros(len(which), dtype=np.int64)
        for place, uses in enumerate(self.uses):
            mine = which == place
            if mine.any():
                address[mine] = uses.offsets[reference[mine]] + _at(uses.terms, counters[:, mine])
        return address // self._line * self._line

    def _executions(self, number: int) -> tuple[Ints, Ints, Ints, Floats]:
        """Executions of references with weights: one over the chance to be drawn and over those of the same line."""
        drawn = []
        last = len(self._scope.children) - 1
        for place, uses in enumerate(self.uses):
            if self._scope.ends_in_last and self._child_of[place] != last:
                continue
            counters, volume = self._points(uses, number)
            if counters is None:
                continue
            reference = (np.arange(number) * len(uses.offsets)) // number
            reference = reference[np.argsort(np.modf(np.arange(number) * _GOLDEN)[0], kind="stable")]
            weight = volume / self._same_line(uses, counters, uses.offsets[reference]) * len(uses.offsets)
            drawn.append((place, reference, counters, weight))
        if not drawn:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty((self._levels, 0), np.int64), np.empty(0)
        which = np.concatenate([np.full(number, place, dtype=np.int64) for place, *_ in drawn])
        reference = np.concatenate([item[1] for item in drawn])
        counters = np.concatenate([item[2] for item in drawn], axis=1)
        weight = np.concatenate([item[3] for item in drawn])
        return self._resampled(which, reference, counters, weight, number)

    def _resampled(
        self, which: Ints, reference: Ints, counters: Ints, weight: Floats, number: int
    ) -> tuple[Ints, Ints, Ints, Floats]:
        """Systematic resampling, so that all weights are about equal."""
        total = weight.sum()
        self._volume = float(total) / number
        if total <= 0:
            return which[:0], reference[:0], counters[:, :0], weight[:0]
        marks = (np.arange(number) + 0.5) / number * total
        times = np.bincount(np.minimum(np.searchsorted(np.cumsum(weight), marks), len(which) - 1))
        index = np.nonzero(times)[0]
        return which[index], reference[index], counters[:, index], times[index].astype(float)

    def _points(self, uses: Uses, number: int) -> tuple[Ints | None, Floats]:
        """Low-discrepancy executions of a statement, with the inverse of their density."""
        self._drawn += number
        levels = len(uses.leaf.loops)
        index = np.arange(self._drawn - number, self._drawn) + 0.5
        counters = np.zeros((self._levels, number), dtype=np.int64)
        volume = np.ones(number)
        root = _plastic(max(levels, 1))
        for depth, turn in enumerate(uses.leaf.loops):
            low, high = turn.range(counters)
            extent = np.maximum(high - low + 1, 0) + np.zeros(number, dtype=np.int64)
            share = np.modf(0.5 + index * root ** -(depth + 1.0))[0]
            counters[depth] = low + np.minimum((share * extent).astype(np.int64), np.maximum(extent - 1, 0))
            volume *= extent
        for test in uses.leaf.tests:
            volume *= np.asarray(test.holds(counters), dtype=bool)
        if not volume.any():
            return None, volume
        return counters, volume

    def _same_line(self, uses: Uses, counters: Ints, offsets: Ints) -> Floats:
        """How many executions of the reference in the block touch the line of this one (about, for inner loops)."""
        many = np.ones(counters.shape[1])
        address = offsets + _at(uses.terms, counters)
        begin = address // self._line * self._line
        factors = dict(uses.terms)
        within = self._scope.depth + 1 if self._scope.carried else self._scope.depth
        for turn in uses.leaf.loops[within:]:
            low, high = turn.range(counters)
            factor = factors.get(turn.depth, 0)
            if factor == 0:
                many = many * np.maximum(high - low + 1, 1)
            elif abs(factor) < self._line:
                ahead, behind = begin + self._line - 1 - address, begin - address
                if factor < 0:
                    ahead, behind = -behind, -ahead
                most = np.minimum(high - counters[turn.depth], ahead // abs(factor))
                least = np.maximum(low - counters[turn.depth], -(-behind // abs(factor)))
                many = many * np.maximum(most - least + 1, 1)
        return many

    def _first(self, counters: Ints, child: Ints, line: Ints) -> tuple[Found, Ints]:
        """First use of the line in the block, and how many references use it there."""
        scope = self._scope
        if scope.carried:
            limits = (counters[scope.depth], counters[scope.depth])
            everything = range(len(self.uses))
            return self._finder.search(everything, counters[: scope.depth], line, limits, latest=False)
        found, touching = Found.none(len(line), self._levels), np.zeros(len(line), np.int64)
        for own in np.nonzero(np.bincount(child))[0]:
            index = np.nonzero(child == own)[0]
            some, many = self._finder.search(
                self._of_children(own, own), counters[: scope.depth, index], line[index], None, latest=False
            )
            hit = np.nonzero(some.found)[0]
            found.put(index[hit], _take(some, hit))
            touching[index] = many
        return found, touching

    def _last(self, counters: Ints, child: Ints, line: Ints) -> Found:
        """Last use of the line before the block, within the scope."""
        scope = self._scope
        if scope.carried:
            before = counters[scope.depth] - 1
            limits = (np.full_like(before, -(1 << 50)), before)
            everything = range(len(self.uses))
            return self._finder.search(everything, counters[: scope.depth], line, limits, latest=True)[0]
        found = Found.none(len(line), self._levels)
        for own in np.nonzero(np.bincount(child))[0]:
            index = np.nonzero(child == own)[0]
            some, _ = self._finder.search(
                self._of_children(0, own - 1), counters[: scope.depth, index], line[index], None, latest=True
            )
            hit = np.nonzero(some.found)[0]
            found.put(index[hit], _take(some, hit))
        return found

    def _of_children(self, first: int, last: int) -> list[int]:
        return [place for place, child in enumerate(self._child_of) if first <= child <= last]


class Finder:
    """Finds uses of lines by time."""

    def __init__(self, uses: Sequence[Uses], line_bytes: int, levels: int) -> None:
        self._uses = uses
        self._levels = levels
        self.line_bytes = line_bytes

    def search(
        self,
        places: Sequence[int],
        fixed: Ints,
        line: Ints,
        limits: tuple[Ints, Ints] | None,
        *,
        latest: bool,
        before: Limits | None = None,
    ) -> tuple[Found, Ints]:
        """The latest or earliest use among some uses with the outer counters ``fixed``, and how many use the line.

        ``limits`` narrow the first counter that is not fixed.
        """
        samples = len(line)
        keys, owners, which, references, columns = [], [], [], [], []
        for place in places:
            uses = self._uses[place]
            many = len(uses.offsets)
            owner = np.repeat(np.arange(samples), many)
            reference = np.tile(np.arange(many), samples)
            spread = None if limits is None else (limits[0][owner], limits[1][owner])
            search = _Search(uses, self.line_bytes, latest=latest)
            found, solution = search.solve(fixed[:, owner], line[owner] - uses.offsets[reference], spread)
            if before is not None:
                orders = np.array([item.order for item in uses.references])
                found &= orders[reference] < before.order[owner]
            hit = np.nonzero(found)[0]
            if not len(hit):
                continue
            columns.append(_padded(solution[:, hit], self._levels))
            keys.append(_moments(uses, solution[:, hit], reference[hit], self._levels))
            owners.append(owner[hit])
            which.append(np.full(len(hit), place, dtype=np.int64))
            references.append(reference[hit])
        result = Found.none(samples, self._levels)
        if not owners:
            return result, np.zeros(samples, np.int64)
        owner, key = np.concatenate(owners), np.concatenate(keys, axis=1)
        order = np.lexsort((*key[::-1], owner))
        ranked = owner[order]
        edge = np.ones(len(ranked), dtype=bool)
        if latest:
            edge[:-1] = ranked[1:] != ranked[:-1]
        else:
            edge[1:] = ranked[1:] != ranked[:-1]
        best = order[edge]
        taken = (
            np.concatenate(which)[best],
            np.concatenate(references)[best],
            np.concatenate(columns, axis=1)[:, best],
        )
        result.put(owner[best], Found(np.ones(len(best), bool), *taken))
        return result, np.bincount(owner, minlength=samples)


class _Search:
    """Finds the latest or earliest execution of a reference that touches a line, the outer counters given."""

    def __init__(self, uses: Uses, line_bytes: int, *, latest: bool) -> None:
        self._uses = uses
        self._loops = uses.leaf.loops
        self._factors = dict(uses.terms)
        self._line = line_bytes
        self._latest = latest

    def solve(
        self, fixed: Ints, target: Ints, limits: tuple[Ints, Ints] | None
    ) -> tuple[NDArray[np.bool_], Ints]:
        """Counters (a row per depth) of the execution whose address less its offset is within the line at ``target``.

        ``limits`` narrow the first counter that is not fixed.
        """
        counters = np.zeros((len(self._loops), len(target)), dtype=np.int64)
        counters[: len(fixed)] = fixed
        left = target - _at([(d, f) for d, f in self._uses.terms if d < len(fixed)], counters)
        found = self._level(len(fixed), counters, left, limits)
        return found, counters

    def _level(
        self, depth: int, counters: Ints, left: Ints, limits: tuple[Ints, Ints] | None
    ) -> NDArray[np.bool_]:
        """Fill in counters from ``depth`` on; ``left`` is what their part of the address has to reach."""
        if depth == len(self._loops):
            found = (left <= 0) & (left + self._line - 1 >= 0)
            for test in self._uses.leaf.tests:
                found &= np.asarray(test.holds(counters), dtype=bool)
            return found
        low, high = self._loops[depth].range(counters)
        nothing = np.zeros(len(left), dtype=np.int64)
        low, high = nothing + low, nothing + high
        if limits is not None:
            low, high = np.maximum(low, limits[0]), np.minimum(high, limits[1])
        ranges = self._ranges(depth, counters, low, high)
        rows, low, high = self._intervals(depth, left, ranges)
        return self._try(depth, counters, left, _Candidates(rows, low, high, len(left)))

    def _try(self, depth: int, counters: Ints, left: Ints, candidates: _Candidates) -> NDArray[np.bool_]:
        """Take the best value of a counter, and the next ones where no inner counters go with it."""
        found = np.zeros(len(left), dtype=bool)
        factor = self._factors.get(depth, 0)
        value, possible = candidates.best(None, latest=self._latest)
        for _ in range(1 if self._uses.irrelevant[depth] else _TRIES):
            pending = np.nonzero(possible & ~found)[0]
            if not len(pending):
                break
            inner = counters[:, pending]
            inner[depth] = value[pending]
            good = self._level(depth + 1, inner, left[pending] - factor * inner[depth], None)
            done = pending[good]
            counters[:, done] = inner[:, good]
            found[done] = True
            if not good.all():
                value, possible = candidates.best(value, latest=self._latest)
        return found

    def _ranges(self, depth: int, counters: Ints, low: Ints, high: Ints) -> dict[int, tuple[Ints, Ints]]:
        """Widest ranges of the counters from ``depth`` on."""
        ranges = {depth: (low, high)}
        nothing = np.zeros(len(low), dtype=np.int64)
        for turn in self._loops[depth + 1 :]:
            first, last = None, None
            for bound in turn.lows:
                value = -(-_extreme(bound.limit, counters, ranges, largest=False) // bound.divisor)
                first = value if first is None else np.maximum(first, value)
            for bound in turn.highs:
                value = _extreme(bound.limit, counters, ranges, largest=True) // bound.divisor
                last = value if last is None else np.minimum(last, value)
            ranges[turn.depth] = (nothing + first, nothing + last)
        return ranges

    def _intervals(
        self, depth: int, left: Ints, ranges: dict[int, tuple[Ints, Ints]]
    ) -> tuple[Ints, Ints, Ints]:
        """Values of the counter at ``depth`` from which the line may be reached: intervals, each with its sample.

        Inner counters with larger factors are settled first: a row of a matrix, before the place in the row.
        """
        own = self._factors.get(depth, 0)
        rows = np.arange(len(left))
        alive = np.ones(len(left), dtype=bool)
        for first, last in ranges.values():
            alive &= first <= last
        rows, left = rows[alive], left[alive]
        open_ = {d: f for d, f in self._uses.terms if d >= depth}
        for inner in sorted((d for d in open_ if d > depth and abs(open_[d]) > abs(own)), key=lambda d: -abs(open_[d])):
            factor = open_[inner]
            least, most = _reach({d: f for d, f in open_.items() if d != inner}, ranges, rows)
            first, last = _solutions(factor, left - most, left + self._line - 1 - least, ranges[inner], rows)
            number = np.maximum(last - first + 1, 0)
            if number.max(initial=0) > _BRANCHES:
                break
            index = np.repeat(np.arange(len(rows)), number)
            values = first[index] + np.arange(len(index)) - (np.cumsum(number) - number)[index]
            rows, left = rows[index], left[index] - factor * values
            del open_[inner]
        least, most = _reach({d: f for d, f in open_.items() if d != depth}, ranges, rows)
        bottom, top = left - most, left + self._line - 1 - least
        if own:
            low, high = _solutions(own, bottom, top, ranges[depth], rows)
        else:
            low, high = ranges[depth][0][rows], ranges[depth][1][rows]
            high = np.where((bottom <= 0) & (top >= 0), high, low - 1)
        return rows, low, high


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Intervals of values for samples: ``rows`` names the sample of each interval."""

    rows: Ints
    low: Ints
    high: Ints
    samples: int

    def best(self, after: Ints | None, *, latest: bool) -> tuple[Ints, NDArray[np.bool_]]:
        """The largest (latest) or smallest value of each sample that comes after the given ones."""
        low, high = self.low, self.high
        if after is not None:
            if latest:
                high = np.minimum(high, after[self.rows] - 1)
            else:
                low = np.maximum(low, after[self.rows] + 1)
        good = low <= high
        if latest:
            value = np.full(self.samples, -_FAR)
            np.maximum.at(value, self.rows[good], high[good])
            return value, value > -_FAR
        value = np.full(self.samples, _FAR)
        np.minimum.at(value, self.rows[good], low[good])
        return value, value < _FAR


def _reach(
    factors: dict[int, int], ranges: dict[int, tuple[Ints, Ints]], rows: Ints
) -> tuple[Any, Any]:
    """Least and most that some counters add to the address."""
    least: Any = 0
    most: Any = 0
    for depth, factor in factors.items():
        first, last = ranges[depth][0][rows], ranges[depth][1][rows]
        least = least + np.minimum(factor * first, factor * last)
        most = most + np.maximum(factor * first, factor * last)
    return least, most


def _solutions(
    factor: int, bottom: Ints, top: Ints, range_: tuple[Ints, Ints], rows: Ints
) -> tuple[Ints, Ints]:
    """First and last value within a range with ``bottom <= factor * value <= top``."""
    if factor < 0:
        factor, bottom, top = -factor, -top, -bottom
    return np.maximum(range_[0][rows], -(-bottom // factor)), np.minimum(range_[1][rows], top // factor)


def uses_of(child: Child, array: str, *, writes: bool) -> list[Uses]:
    """References of an array under a node, by statement and coefficients."""
    found: list[Uses] = []
    for leaf in child.leaves if isinstance(child, Turn) else (child,):
        groups: dict[tuple[tuple[int, int], ...], list[Reference]] = {}
        for reference in leaf.references:
            if reference.array == array and (reference.write or not writes):
                groups.setdefault(reference.address.terms, []).append(reference)
        for terms, references in groups.items():
            offsets = np.array([reference.address.constant for reference in references], dtype=np.int64)
            found.append(Uses(leaf, terms, tuple(references), offsets, _irrelevant(leaf, terms)))
    return found


def _irrelevant(leaf: Leaf, terms: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
    """For every depth whether its counter changes neither the address nor inner bounds nor conditions."""
    matters = {depth for depth, _ in terms}
    for turn in leaf.loops:
        for bound in (*turn.lows, *turn.highs):
            matters |= {depth for depth, _ in bound.limit.terms}
    return tuple(turn.depth not in matters and not leaf.tests for turn in leaf.loops)


def _moments(uses: Uses, counters: Ints, reference: Ints, levels: int) -> Ints:
    """Rows that order executions: place, counter, place, counter, ..., order in the statement."""
    samples = counters.shape[1]
    rows = np.zeros((2 * levels + 2, samples), dtype=np.int64)
    for depth, place in enumerate(uses.leaf.places):
        rows[2 * depth] = place
        if depth < len(uses.leaf.loops):
            rows[2 * depth + 1] = counters[depth]
    rows[-1] = np.array([item.order for item in uses.references], dtype=np.int64)[reference]
    return rows


def _at(terms: Sequence[tuple[int, int]], counters: Ints) -> Any:
    total: Any = 0
    for depth, factor in terms:
        total = total + factor * counters[depth]
    return total


def _extreme(expression: Affine, counters: Ints, ranges: dict[int, tuple[Any, Any]], *, largest: bool) -> Any:
    total: Any = expression.constant
    for depth, factor in expression.terms:
        if depth in ranges:
            total = total + factor * ranges[depth][(factor > 0) == largest]
        else:
            total = total + factor * counters[depth]
    return total


def _padded(counters: Ints, levels: int) -> Ints:
    padded = np.zeros((levels, counters.shape[1]), dtype=np.int64)
    padded[: len(counters)] = counters
    return padded


def joined(some: Pairs, more: Pairs) -> Pairs:
    """All pairs of both."""
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


def kinds(code: Ints) -> tuple[Ints, Ints]:
    """Distinct columns of some rows of small numbers, and for every column which of them it is."""
    key = np.zeros(code.shape[1], np.int64)
    for row in code:
        key = key * (int(row.max(initial=0)) + 2) + row + 1
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    first = np.ones(len(ranked), bool)
    first[1:] = ranked[1:] != ranked[:-1]
    which = np.empty(len(key), np.int64)
    which[order] = np.cumsum(first) - 1
    return code[:, order[first]], which


def _take(found: Found, index: Ints) -> Found:
    return Found(found.found[index], found.uses[index], found.reference[index], found.counters[:, index])


def _no_pairs(levels: int) -> Pairs:
    empty = Found.none(0, levels)
    return Pairs(empty, empty, np.empty(0, np.int64), np.empty(0))


def _plastic(dimensions: int) -> float:
    """The generalised golden ratio: ``x ** (d + 1) = x + 1`` (Roberts, low-discrepancy sequences)."""
    root = 2.0
    for _ in range(20):
        root = (1 + root) ** (1 / (dimensions + 1))
    return root
