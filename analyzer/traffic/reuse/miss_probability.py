"""The chance that a reuse misses, for one stratum: many pairs are drawn, and few of their stack distances computed.

Finding a pair is cheap, counting the lines in between is not.  Pairs are sorted into *kinds* (from which reference to
which, over one turn of the loop or over several); a kind's distances are nearly alike, so a few tell on which side of
each capacity it lies.  Only where a kind comes close to a capacity are more of its pairs counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...domains.limits import check
from ..hierarchy import CacheLevel
from ..program.program import Program
from ..program.ranges import Ints
from .distance_fit import Smooth, smooth
from .pairs import Drawer, Pairs, Scope, joined
from .search import Found, kinds
from .stack_distance import Moments, Windows
from .writeback_lifetime import History

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_FIRST, _CLOSE, _CONFLICTING, _FORETELLING = 8, 48, 64, 160
_ALIKE, _ALIKE_LINES = 0.02, 4
_NEAR, _EDGE = 0.25, 0.05


class Chance(Struct, frozen=True):
    """Per cache: the chance of a miss, its standard error, and the chances of some kinds of misses.

    ``store``: a miss of a store; ``conflict``: a miss although fewer lines were touched than the cache holds;
    ``close``: a distance so near to the capacity that a slightly different cache would decide otherwise.
    """

    miss: Floats
    error: Floats
    store: Floats
    conflict: Floats
    close: Floats


class Chances:
    """Draws pairs of one stratum and keeps what is known of them."""

    def __init__(
        self,
        program: Program,
        scope: Scope,
        array: str,
        caches: Sequence[CacheLevel],
        windows: Windows,
        history: History | None,
    ) -> None:
        """With a ``history`` only stores are looked at, and a pair rests as long as the longest of the uses between."""
        self._scope = scope
        self._caches = caches
        self._windows = windows
        self._history = history
        self._sets = sorted({cache.sets for cache in caches if cache.sets > 1})
        self._line = caches[0].line_bytes
        self._drawer = Drawer(program, scope, array, self._line, writes=history is not None)
        self._pairs: Pairs | None = None
        self._kind: Ints = np.empty(0, np.int64)
        self._counted: Flags = np.empty(0, bool)
        self._extreme: Flags = np.empty(0, bool)
        self._distance: Ints = np.empty(0, np.int64)
        self._in_set: Ints = np.empty((len(self._sets), 0), np.int64)
        self._foretold: dict[int, Smooth | None] = {}
        self._chance: Chance | None = None
        self.drawn = 0

    @property
    def pairs(self) -> int:
        """Pairs found so far; fewer than drawn where lines were not used before."""
        return 0 if self._pairs is None else len(self._pairs.line)

    def draw(self, number: int) -> None:
        """Find more pairs and count the lines in between where needed."""
        self._find(number)
        for kind in range(self._kind.max(initial=-1) + 1):
            self._count_extremes(kind)
            self._count_some(kind, _FIRST)
            if not self._is_near(kind) and self._may_conflict(kind):
                self._count_some(kind, _CONFLICTING)
            if self._is_near(kind):
                self._count_some(kind, min(max(_CLOSE, self.drawn), _FORETELLING))
                self._foretold[kind] = self._foretell(kind)
                if self._foretold[kind] is None:
                    self._count_some(kind, max(_CLOSE, self.drawn))
        self._chance = None

    def typical(self, number: int) -> int | None:
        """The distance of the most frequent kind among some pairs, of which three are counted: first, middle and last.

        None where nothing is reused, where the three differ (as in a triangle), and where the budget is used up.
        """
        self._find(number)
        if self._pairs is None or not self.pairs or self._windows.exhausted:
            return None
        usual = int(np.argmax(np.bincount(self._kind, weights=self._pairs.weight)))
        mine = np.nonzero(self._kind == usual)[0]
        ranks = self._pairs.end.counters[:, mine].argsort(axis=1, kind="stable").argsort(axis=1)
        order = mine[np.argsort(ranks.sum(axis=0), kind="stable")]
        self._count(np.unique(order[[0, len(order) // 2, -1]]))
        low, middle, high = np.sort(self._distance[order[[0, len(order) // 2, -1]]]).tolist()
        return int(middle) if high - low <= _ALIKE * middle + _ALIKE_LINES else None

    def _find(self, number: int) -> None:
        """Draw more pairs and sort them into kinds; raises ``OverBudget`` after the deadline, as does counting."""
        check()
        self.drawn += number
        new = self._drawer.draw(number)
        self._pairs = new if self._pairs is None else joined(self._pairs, new)
        fresh = len(new.line)
        self._counted = np.concatenate([self._counted, np.zeros(fresh, bool)])
        self._extreme = np.concatenate([self._extreme, np.zeros(fresh, bool)])
        self._distance = np.concatenate([self._distance, np.zeros(fresh, np.int64)])
        self._in_set = np.concatenate([self._in_set, np.zeros((len(self._sets), fresh), np.int64)], axis=1)
        self._sort()
        self._foretold = {}

    def chance(self) -> Chance:
        """What the pairs say."""
        if self._chance is None:
            self._chance = self._judged()
        return self._chance

    def _judged(self) -> Chance:
        caches = len(self._caches)
        nothing = np.zeros(caches)
        if self._pairs is None or not self.pairs:
            return Chance(nothing, nothing, nothing, nothing, nothing)
        miss, store, variance, conflict, close = (nothing.copy() for _ in range(5))
        total = self._pairs.weight.sum()
        missed = self._missed()
        room = np.array([[cache.lines if cache.sets > 1 else 0] for cache in self._caches])
        early = missed & (self._distance[None, :] < room)
        edge = self._on_edge()
        for kind in range(self._kind.max() + 1):
            mine = self._kind == kind
            share = float(self._pairs.weight[mine].sum()) / total
            known = mine & self._counted
            if (known & ~self._extreme).any() and (known != mine).any():
                known &= ~self._extreme
            weight = self._pairs.weight[known]
            own = missed[:, known] @ weight / weight.sum()
            spread = own * (1 - own) / max(len(weight), 1)
            if self._foretold.get(kind) is not None:
                own, spread = self._with_foretold(kind, missed)
            miss += share * own
            conflict += share * (early[:, known] @ weight) / weight.sum()
            close += share * (edge[:, known] @ weight) / weight.sum()
            if self._drawer.is_store(self._pairs.end, int(np.nonzero(mine)[0][0])):
                store += share * own
            variance += share * share * spread + share * own * own / self.pairs
        variance = np.maximum(variance - miss * miss / self.pairs, 0)
        return Chance(miss, np.sqrt(variance), store, conflict, close)

    def _foretell(self, kind: int) -> Smooth | None:
        """Distances of all pairs of a kind from the counted ones, where only fully associative caches are near."""
        assert self._pairs is not None
        mine = np.nonzero(self._kind == kind)[0]
        if self._history is not None or self._counted[mine].all():
            return None
        if any(cache.sets > 1 and self._is_near_to(cache, kind) for cache in self._caches):
            return None
        counters = np.concatenate([self._pairs.start.counters[:, mine], self._pairs.end.counters[:, mine]])
        return smooth(counters, self._counted[mine], self._distance[mine])

    def _with_foretold(self, kind: int, missed: Flags) -> tuple[Floats, Floats]:
        """Per cache the chance of a miss of a kind and its variance, with foretold distances of what is not counted."""
        assert self._pairs is not None
        foretold = self._foretold[kind]
        assert foretold is not None
        mine = np.nonzero(self._kind == kind)[0]
        counted, weight = self._counted[mine], self._pairs.weight[mine]
        usual = int((counted & ~self._extreme[mine]).sum())
        chance, variance = np.zeros(len(self._caches)), np.zeros(len(self._caches))
        for row, cache in enumerate(self._caches):
            each = np.where(counted, missed[row, mine], False).astype(float)
            if cache.sets == 1:
                each[~counted] = foretold.chance_of(cache.lines)[~counted]
            else:
                each[~counted] = float(missed[row, mine][counted].mean())
            chance[row] = each @ weight / weight.sum()
            unsure = float((each * (1 - each)) @ weight / weight.sum())
            variance[row] = chance[row] * (1 - chance[row]) / len(mine) + unsure / max(usual, 1)
        return chance, variance

    @property
    def expected(self) -> float:
        """About how many reuses there are."""
        return self._drawer.expected

    def reach(self) -> int:
        """Lines that one execution of the scope touches: no distance is longer. The most of a few executions."""
        if self._pairs is None or not self.pairs:
            return 0
        scope = self._scope
        step = max(1, self.pairs // 8)
        outer = [self._pairs.end.counters[depth, ::step] for depth in range(scope.depth)]
        whole = [scope.turn] if scope.carried and scope.turn is not None else scope.children
        return int(self._windows.touched(whole, outer).max())

    def _missed(self) -> Flags:
        rows = []
        for cache in self._caches:
            if cache.per_block and self._scope.is_outside_blocks:
                rows.append(np.ones(len(self._distance), bool))
            elif cache.sets == 1:
                rows.append(self._distance >= cache.lines)
            else:
                rows.append(self._in_set[self._sets.index(cache.sets)] >= (cache.ways or 1))
        return np.array(rows)

    def _on_edge(self) -> Flags:
        rows = []
        for cache in self._caches:
            if cache.sets == 1:
                rows.append(abs(self._distance - cache.lines) <= _EDGE * cache.lines)
            else:
                ways = cache.ways or 1
                near = abs(self._in_set[self._sets.index(cache.sets)] - ways + 0.5) < 1
                rows.append(near & (self._distance <= 2 * cache.lines))
        return np.array(rows)

    def _sort(self) -> None:
        """Give every pair its kind."""
        pairs = self._pairs
        if pairs is None or not len(pairs.line):
            return
        apart = np.zeros(len(pairs.line), np.int64)
        if self._scope.carried:
            apart = np.minimum(pairs.end.counters[self._scope.depth] - pairs.start.counters[self._scope.depth], 2)
        code = np.stack([pairs.start.uses, pairs.start.reference, pairs.end.uses, pairs.end.reference, apart])
        self._kind = kinds(code)[1]

    def _is_near(self, kind: int) -> bool:
        """Whether the counted pairs of a kind disagree about a cache, or nearly do."""
        return any(self._is_near_to(cache, kind) for cache in self._caches)

    def _is_near_to(self, cache: CacheLevel, kind: int) -> bool:
        known = (self._kind == kind) & self._counted
        if cache.sets == 1:
            found, limit = self._distance[known], float(cache.lines)
        else:
            found, limit = self._in_set[self._sets.index(cache.sets)][known], float(cache.ways or 1)
        low, high = int(found.min()), int(found.max())
        margin = _NEAR * limit if low != high else 0.0
        return low < limit + margin and high >= limit - margin and low != high

    def _may_conflict(self, kind: int) -> bool:
        """Whether a set may overflow although the counted pairs of a kind, few as they are, do not show it."""
        known = (self._kind == kind) & self._counted
        longest = int(self._distance[known].max())
        for cache in self._caches:
            if cache.sets > 1 and longest >= (cache.ways or 1):
                found = self._in_set[self._sets.index(cache.sets)][known]
                if int(found.max()) < (cache.ways or 1):
                    return True
        return False

    def _count_extremes(self, kind: int) -> None:
        """Count the pairs of a kind with the smallest and largest counters: distances are longest or shortest there."""
        assert self._pairs is not None
        mine = np.nonzero(self._kind == kind)[0]
        levels = len(self._drawer.uses[self._pairs.end.uses[mine[0]]].leaf.loops)
        rows = [*self._pairs.end.counters[:levels, mine], self._pairs.line[mine]]
        ends = {int(place) for row in rows for place in (np.argmin(row), np.argmax(row))}
        index = mine[sorted(ends)]
        index = index[~self._counted[index]]
        if len(index):
            index = index[: max(2, self._windows.affordable(len(index)))]
            self._count(index)
            self._extreme[index] = True

    def _count_some(self, kind: int, wanted: int) -> None:
        """Count the distances of some pairs of a kind, spread over all of them: two first, to see what they cost."""
        mine = np.nonzero(self._kind == kind)[0]
        for most in (2, wanted):
            known = int((self._counted[mine] & ~self._extreme[mine]).sum())
            left = mine[~self._counted[mine]]
            number = min(most - known, len(left))
            if self._counted[mine].any():
                number = self._windows.affordable(number)
            if number > 0:
                self._count(left[(np.arange(number) * len(left)) // number])

    def _count(self, index: Ints) -> None:
        """Count the distances of some pairs of one kind."""
        check()
        assert self._pairs is not None
        start, end = (self._moments(found, index) for found in (self._pairs.start, self._pairs.end))
        distance, in_set = self._windows.distinct(
            start,
            end,
            self._scope.depth,
            carried=self._scope.carried,
            target=self._pairs.line[index] // self._line,
            sets=self._sets,
        )
        self._counted[index] = True
        self._distance[index] = distance
        for place, found in enumerate(in_set):
            self._in_set[place, index] = found
        if self._history is not None:
            self._look_between(self._history, index)

    def _look_between(self, history: History, index: Ints) -> None:
        """Replace the distances of stores that would be apart too long by the longest rest between all uses."""
        assert self._pairs is not None
        missed = self._missed()[:, index].any(axis=0)
        index = index[missed]
        if not len(index):
            return
        start, end = (self._among_all(history, found, index) for found in (self._pairs.start, self._pairs.end))
        distance, in_set = history.longest_rest(start, end, self._pairs.line[index], self._sets)
        self._distance[index] = distance
        for place, found in enumerate(in_set):
            self._in_set[place, index] = found

    def _among_all(self, history: History, found: Found, index: Ints) -> Found:
        """The same uses, numbered among all uses of the array (all samples are of one kind)."""
        uses = self._drawer.uses[found.uses[index[0]]]
        place, reference = history.place_of(uses, int(found.reference[index[0]]))
        levels = history.levels
        counters = np.zeros((levels, len(index)), np.int64)
        counters[: len(found.counters)] = found.counters[:, index]
        same = np.ones(len(index), np.int64)
        return Found(same.astype(bool), place * same, reference * same, counters)

    def _moments(self, found: Found, index: Ints) -> Moments:
        uses = self._drawer.uses[found.uses[index[0]]]
        counters = tuple(found.counters[depth, index] for depth in range(len(uses.leaf.loops)))
        return Moments(uses.leaf, counters, uses.references[found.reference[index[0]]].order)
