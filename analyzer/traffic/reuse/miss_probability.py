"""The probability that a reuse of one stratum misses: many pairs are drawn, few stack distances computed.

Finding a pair is cheap, counting the lines in between is not.  Pairs are sorted into *kinds* (from which reference to
which, over one iteration of the loop or over several); a kind's distances are nearly alike, so a few tell on which side
of each capacity it lies.  Only where a kind comes close to a capacity are more of its pairs counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...domains.limits import check
from ..hierarchy import CacheLevel
from ..program.program import Program
from ..program.ranges import Ints
from .distances.distance_fit import DistanceFit, fit_distances
from .distances.distinct_lines import INFINITE
from .distances.stack_distance import Moments, StackDistances
from .line_uses.pairs import Drawer, Pairs, Scope, joined
from .line_uses.search import Found, kinds
from .line_uses.writeback_lifetime import Lifetimes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Work against error: ``python -m tests.bench.traffic`` prints both, against exact simulations.
# Pairs counted of a kind: at first, near a capacity, where sets may overflow, and to predict the others from.
_FIRST, _CLOSE, _CONFLICTING, _PREDICTING = 8, 48, 64, 160
# Distances that differ by less are alike, for symbolic thresholds.
_ALIKE, _ALIKE_LINES = 0.02, 4
# Parts of a capacity: within the first more pairs are counted, within the second a reuse is reported as close, and
# from the third on a set may overflow, or a distance that was not drawn be longer.
_NEAR, _EDGE, _EXPOSED = 0.25, 0.05, 0.7


class MissProbability(Struct, frozen=True):
    """Per cache: the probability of a miss, its standard error, and the probabilities of some kinds of misses.

    ``store``: a miss of a store; ``conflict``: a miss although fewer lines were touched than the cache holds;
    ``close``: a distance so near to the capacity that a slightly different cache would decide otherwise.
    """

    miss: Floats
    error: Floats
    store: Floats
    conflict: Floats
    close: Floats


class MissEstimator:
    """Draws pairs of one stratum and keeps what is known of them."""

    def __init__(
        self,
        program: Program,
        scope: Scope,
        array: str,
        caches: Sequence[CacheLevel],
        stack_distances: StackDistances,
        lifetimes: Lifetimes | None,
        *,
        fits_well: Callable[[CacheLevel], bool] = lambda _cache: False,
    ) -> None:
        """Start without pairs.

        With ``lifetimes`` only stores are looked at, and a pair rests as long as the longest of the uses between.


        What one execution of the scope touches ``fits_well`` in some caches: there no reuse misses.
        """
        self._scope = scope
        self._caches = caches
        self._stack_distances = stack_distances
        self._lifetimes = lifetimes
        self._sets = sorted({cache.sets for cache in caches if cache.sets > 1})
        self._line = caches[0].line_bytes
        self._drawer = Drawer(program, scope, array, self._line, writes=lifetimes is not None)
        self._pairs: Pairs | None = None
        self._kind: Ints = np.empty(0, np.int64)
        self._counted: Flags = np.empty(0, bool)
        self._extreme: Flags = np.empty(0, bool)
        self._distance: Ints = np.empty(0, np.int64)
        self._in_set: Ints = np.empty((len(self._sets), 0), np.int64)
        self._predicted: dict[int, DistanceFit | None] = {}
        self._probability: MissProbability | None = None
        self._exposed: Flags | None = None
        self.drawn = 0
        self.never_misses = all(
            fits_well(cache) and not (cache.per_block and scope.is_outside_blocks) for cache in caches
        )

    @property
    def pairs(self) -> int:
        """Return pairs found so far; fewer than drawn where lines were not used before."""
        return 0 if self._pairs is None else len(self._pairs.line)

    def draw(self, number: int) -> None:
        """Find more pairs and count the lines in between where needed: nowhere if no reuse can miss."""
        self.find(number)
        self.count()

    def find(self, number: int) -> None:
        """Find more pairs where a reuse can miss."""
        if not self.never_misses:
            self._find(number)

    def count(self) -> None:
        """Count the lines between the pairs that were found, where needed."""
        for kind in range(self._kind.max(initial=-1) + 1):
            self._count_extremes(kind)
            self._count_some(kind, _FIRST)
            if not self._is_near(kind) and self._may_conflict(kind):
                self._count_some(kind, _CONFLICTING)
            if self._is_near(kind):
                self._count_some(kind, min(max(_CLOSE, self.drawn), _PREDICTING))
                self._predicted[kind] = self._predict(kind)
                if self._predicted[kind] is None:
                    self._count_some(kind, max(_CLOSE, self.drawn))
        self._probability = None

    def typical(self, number: int) -> int | None:
        """Return the distance of the most frequent kind among some pairs, of which three are counted.

        These are the first, the middle and the last.

        None where nothing is reused, where the three differ (as in a triangle) or have too many lines between them to
        count, and where the budget is used up.
        """
        self._find(number)
        if self._pairs is None or not self.pairs or self._stack_distances.exhausted:
            return None
        usual = int(np.argmax(np.bincount(self._kind, weights=self._pairs.weight)))
        mine = np.nonzero(self._kind == usual)[0]
        ranks = self._pairs.end.counters[:, mine].argsort(axis=1, kind="stable").argsort(axis=1)
        order = mine[np.argsort(ranks.sum(axis=0), kind="stable")]
        self._count(np.unique(order[[0, len(order) // 2, -1]]))
        low, middle, high = np.sort(self._distance[order[[0, len(order) // 2, -1]]]).tolist()
        if high >= INFINITE or high - low > _ALIKE * middle + _ALIKE_LINES:
            return None
        return int(middle)

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
        self._predicted, self._exposed = {}, None

    @property
    def is_open(self) -> bool:
        """Return whether some of the reuses may miss and others not, as far as the counted pairs tell."""
        if self._pairs is None or not self.pairs:
            return False
        kinds_ = range(self._kind.max() + 1)
        return bool(self.probability().error.any()) or any(self._may_conflict(kind) for kind in kinds_)

    def probability(self) -> MissProbability:
        """Return what the pairs say."""
        if self._probability is None:
            self._probability = self._estimated()
        return self._probability

    def _estimated(self) -> MissProbability:
        caches = len(self._caches)
        nothing = np.zeros(caches)
        if self._pairs is None or not self.pairs:
            return MissProbability(nothing, nothing, nothing, nothing, nothing)
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
            if self._predicted.get(kind) is not None:
                own, spread = self._with_predicted(kind, missed)
            miss += share * own
            conflict += share * (early[:, known] @ weight) / weight.sum()
            close += share * (edge[:, known] @ weight) / weight.sum()
            if self._drawer.is_store(self._pairs.end, int(np.nonzero(mine)[0][0])):
                store += share * own
            variance += share * share * spread + share * own * own / self.pairs
        variance = np.maximum(variance - miss * miss / self.pairs, 0)
        return MissProbability(miss, np.sqrt(variance), store, conflict, close)

    def _predict(self, kind: int) -> DistanceFit | None:
        """Predict distances of a kind of pairs from the counted ones, where only fully associative caches are near."""
        assert self._pairs is not None
        mine = np.nonzero(self._kind == kind)[0]
        if self._lifetimes is not None or self._counted[mine].all():
            return None
        if any(cache.sets > 1 and self._is_near_to(cache, kind) for cache in self._caches):
            return None
        counters = np.concatenate([self._pairs.start.counters[:, mine], self._pairs.end.counters[:, mine]])
        return fit_distances(counters, self._counted[mine], self._distance[mine])

    def _with_predicted(self, kind: int, missed: Flags) -> tuple[Floats, Floats]:
        """Return per cache the probability of a miss of a kind and its variance; what is not counted is predicted."""
        assert self._pairs is not None
        predicted = self._predicted[kind]
        assert predicted is not None
        mine = np.nonzero(self._kind == kind)[0]
        counted, weight = self._counted[mine], self._pairs.weight[mine]
        usual = int((counted & ~self._extreme[mine]).sum())
        probability, variance = np.zeros(len(self._caches)), np.zeros(len(self._caches))
        for row, cache in enumerate(self._caches):
            each = np.where(counted, missed[row, mine], False).astype(float)
            if cache.sets == 1:
                each[~counted] = predicted.probability_of(cache.lines)[~counted]
            else:
                each[~counted] = float(missed[row, mine][counted].mean())
            probability[row] = each @ weight / weight.sum()
            unsure = float((each * (1 - each)) @ weight / weight.sum())
            variance[row] = probability[row] * (1 - probability[row]) / len(mine) + unsure / max(usual, 1)
        return probability, variance

    @property
    def expected(self) -> float:
        """Return about how many reuses there are."""
        return self._drawer.expected

    @property
    def most_expected(self) -> float:
        """Return about how many reuses there are at most: more than were drawn with a probability of 5 %."""
        return min(self._drawer.volume, self.expected + self._drawer.volume * 3 / max(self.drawn, 1))

    def exposed(self) -> Flags:
        """Return per cache whether a distance may come near to the capacity: none is longer than what one execution of
        the scope touches, the most of a few executions.
        """
        if self._exposed is None:
            limits = _EXPOSED * np.array([cache.lines for cache in self._caches])
            self._exposed = self._reach(float(limits.max())) >= limits
        return self._exposed

    def _reach(self, most_lines: float) -> int:
        """Return the most lines that one of a few executions of the scope touches; beyond some it is that many."""
        if self._pairs is None or not self.pairs:
            return 0
        scope = self._scope
        step = max(1, self.pairs // 8)
        whole = [scope.loop] if scope.carried and scope.loop is not None else scope.children
        reach = 0
        for pair in range(0, self.pairs, step) if scope.depth else (0,):
            outer = [self._pairs.end.counters[depth, pair : pair + 1] for depth in range(scope.depth)]
            reach = max(reach, int(self._stack_distances.touched(whole, outer, int(most_lines) + 1)[0]))
            if reach > most_lines:
                break
        return reach

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
        """Return whether the counted pairs of a kind disagree about a cache, or nearly do."""
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
        """Return whether a set may overflow although the counted pairs of a kind, few as they are, do not show it."""
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
        ends = {int(position) for row in rows for position in (np.argmin(row), np.argmax(row))}
        index = mine[sorted(ends)]
        index = index[~self._counted[index]]
        if len(index):
            index = index[: max(2, self._stack_distances.affordable(len(index)))]
            self._count(index)
            self._extreme[index] = True

    def _count_some(self, kind: int, wanted: int) -> None:
        """Count the distances of some pairs of a kind, spread over all of them; its extremes show what they cost."""
        mine = np.nonzero(self._kind == kind)[0]
        known = int((self._counted[mine] & ~self._extreme[mine]).sum())
        left = mine[~self._counted[mine]]
        number = self._stack_distances.affordable(min(wanted - known, len(left)))
        if number > 0:
            self._count(left[(np.arange(number) * len(left)) // number])

    def _count(self, index: Ints) -> None:
        """Count the distances of some pairs of one kind."""
        check()
        assert self._pairs is not None
        start, end = (self._moments(found, index) for found in (self._pairs.start, self._pairs.end))
        distance, in_set = self._stack_distances.distinct(
            start,
            end,
            self._scope.depth,
            carried=self._scope.carried,
            target=self._pairs.line[index] // self._line,
            sets=self._sets,
        )
        self._counted[index] = True
        self._distance[index] = distance
        for position, found in enumerate(in_set):
            self._in_set[position, index] = found
        if self._lifetimes is not None:
            self._look_between(self._lifetimes, index)

    def _look_between(self, lifetimes: Lifetimes, index: Ints) -> None:
        """Replace the distances of stores that would be apart too long by the longest rest between all uses."""
        assert self._pairs is not None
        missed = self._missed()[:, index].any(axis=0)
        index = index[missed]
        if not len(index):
            return
        start, end = (self._among_all(lifetimes, found, index) for found in (self._pairs.start, self._pairs.end))
        distance, in_set = lifetimes.longest_rest(start, end, self._pairs.line[index], self._sets)
        self._distance[index] = distance
        for position, found in enumerate(in_set):
            self._in_set[position, index] = found

    def _among_all(self, lifetimes: Lifetimes, found: Found, index: Ints) -> Found:
        """Return the same uses, numbered among all uses of the array (all samples are of one kind)."""
        uses = self._drawer.uses[found.uses[index[0]]]
        position, reference = lifetimes.position_of(uses, int(found.reference[index[0]]))
        levels = lifetimes.levels
        counters = np.zeros((levels, len(index)), np.int64)
        counters[: len(found.counters)] = found.counters[:, index]
        same = np.ones(len(index), np.int64)
        return Found(same.astype(bool), position * same, reference * same, counters)

    def _moments(self, found: Found, index: Ints) -> Moments:
        uses = self._drawer.uses[found.uses[index[0]]]
        counters = tuple(found.counters[depth, index] for depth in range(len(uses.leaf.loops)))
        return Moments(uses.leaf, counters, uses.references[found.reference[index[0]]].order)
