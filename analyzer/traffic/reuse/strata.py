"""Reuse strata: the exact decomposition of cache misses by the loop that carries a reuse.

For an array and a loop let ``I`` be the distinct lines of one iteration, summed over all iterations, and ``W`` those of
one whole execution, summed over executions.  ``I - W`` reuses are carried by the loop; ``sum of W over the children -
I`` are between the children of its body; ``N_root`` lines are cold.  So for a least-recently-used cache

    fills = N_root + sum over strata of n * P[stack distance >= capacity]

which is exact as long as the lines of one statement stay in the cache.  ``n`` are differences of exact counts; ``P``
comes from reuse pairs drawn at random, each with its exact stack distance.  Write-backs are the same sum over the
writing references.  In a set-associative cache a pair misses when at least ``ways`` of the lines in between share
the set of its line.  A count is made only where the probabilities around it differ, which they rarely do.

Everything is kept apart by the outermost nest in which a miss happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..program.lines.uneven_rows import uneven_arrays
from ..program.program import Leaf, Program, leaves_of
from .distances.stack_distance import StackDistances
from .extents import Extents
from .layers import Layers, Stratum
from .line_uses.pairs import Scope
from .line_uses.writeback_lifetime import Lifetimes

Floats = NDArray[np.float64]
Short = Callable[[Program, Sequence[CacheLevel]], tuple[Floats, Floats, Floats] | None]
"""The exact lines (read, allocated, written; caches by nests) that a short stream of references moves; else None."""

# Work against error: ``python -m tests.bench.traffic`` prints both, against exact simulations.
# Pairs drawn of each stratum at first, and at most; how often that with the largest error gets three times as many.
_DRAWN, _MOST_DRAWN, _ROUNDS = 32, 4096, 12
_WANTED_ERROR = 0.004  # standard error of all misses, relative to them
_TESTED_DRAWN = 1024  # of nests with conditions on counters, of which some reuses may be unlike all others
_FEW = 8  # pairs that a stratum has at least, if its reuses could matter
_RARE, _RARE_DRAWN = 0.01, 2048  # so rare reuses are still to be met, with at most so many pairs


class Misses(Struct, frozen=True):
    """Lines by outermost nest and cache: filled by loads and by stores, written back; standard errors of their sums.

    ``conflicts``: by array, lines by nest and cache that are filled again because of few sets; ``close``: lines whose
    reuse is about as long as the cache is large.  ``shared``: those filled of arrays that irregular references use too,
    or whose rows are uneven or lie anywhere.  ``unseen`` works out those that drawn pairs leave open in nests with
    conditions on counters, where a few reuses may be unlike all others.
    """

    read: Floats
    allocate: Floats
    written: Floats
    fill_error: Floats
    written_error: Floats
    conflicts: Mapping[str, Floats]
    close: Floats
    shared: Mapping[str, Floats]
    unseen: Callable[[], Floats]


class Strata:
    """Misses of a program in some caches with lines of the same size."""

    def __init__(
        self,
        program: Program,
        caches: Sequence[CacheLevel],
        first_nest: int = 0,
        arrays: Set[str] | None = None,
        asked: Set[int] | None = None,
    ) -> None:
        """Nests before ``first_nest``, which are an earlier run of the others, and nests and arrays that are not
        ``asked`` for or not among ``arrays`` (None: all), only fill the caches: what they miss is not worked out.
        """
        self._program = program
        self._caches = tuple(caches)
        line = caches[0].line_bytes
        most_lines = 2 * max(cache.lines for cache in caches)
        self._stack_distances = StackDistances(program, line, most_lines)
        extents = Extents(program, line)
        runs = frozenset(range(first_nest, len(program.children)))
        self._asked = runs if asked is None else runs & asked
        self._not_asked = sorted(runs - self._asked)
        names = sorted({reference.array for leaf in program.leaves for reference in leaf.references})
        names = [name for name in names if arrays is None or name in arrays]

        # Stores have a budget of their own: uses may take all of theirs, and few pairs would leave stores in caches.
        of_stores = StackDistances(program, line, most_lines)

        def layers(name: str, lifetimes: Lifetimes | None = None) -> Layers:
            distances = self._stack_distances if lifetimes is None else of_stores
            return Layers(program, name, caches, distances, lifetimes=lifetimes, asked=self._asked, extents=extents)

        self._uses = {name: layers(name) for name in names}
        self._stores = dict(self._uses)
        for name in names:
            if not _is_written(program.leaves, name):
                del self._stores[name]
            elif not _writes_everything(program.leaves, name):
                self._stores[name] = layers(name, Lifetimes(program, name, of_stores, caches))

    @property
    def layers(self) -> list[Layers]:
        """Return all layers, each once."""
        return [
            *self._uses.values(),
            *(layers for name, layers in self._stores.items() if layers is not self._uses[name]),
        ]

    def misses(self, short: Short | None = None) -> Misses:
        """Draw, count and add up; where the first pairs leave open what misses, ``short`` is asked before more."""
        strata = [(layers, stratum) for layers in self.layers for stratum in layers.strata]
        for _, stratum in strata:
            stratum.estimator.find(_DRAWN)
        for layers in sorted(self.layers, key=lambda each: -each.expected):  # small arrays leave others the budget
            for stratum in layers.strata:
                stratum.estimator.count()
        is_open = any(stratum.estimator.is_open for _, stratum in strata)
        lines = short(self._program, self._caches) if is_open and short is not None and not self._vague() else None
        if lines is not None:
            return self._counted(*lines)
        self._look_for_unmet(strata)
        self._look_for_rare(strata)
        self._refine(strata)
        return self._misses()

    def again(self, wanted: Callable[[Scope], bool]) -> tuple[Floats, Floats]:
        """Return the lines, by cache, that are read and written back again by the reuses in the scopes ``wanted``."""
        read, written = np.zeros(len(self._caches)), np.zeros(len(self._caches))
        kinds = ((self._uses.values(), read), (self._stores.values(), written))
        for layers, total in ((each, total) for kind, total in kinds for each in kind):
            for stratum in (each for each in layers.strata if wanted(each.scope)):
                stratum.estimator.draw(_DRAWN)
                probability = stratum.estimator.probability()
                stores = probability.store if total is read else 0.0
                total += layers.number(stratum) * (probability.miss - stores)
        return read, written

    def _counted(self, read: Floats, allocate: Floats, written: Floats) -> Misses:
        """Return what a simulation of the whole stream counted (caches by nests): nothing is left open."""
        nothing, none = np.zeros(len(self._caches)), np.zeros_like(read.T)
        return Misses(read.T, allocate.T, written.T, nothing, nothing, self._conflicts(), none, {}, lambda: none)

    def _conflicts(self) -> dict[str, Floats]:
        return {name: layers.conflicts() for name, layers in self._uses.items()}

    def _misses(self) -> Misses:
        fills, stores, error = self._sum(self._uses.values())
        written, written_error = self._written(), self._sum(self._stores.values())[2]
        allocate = np.minimum(stores, fills)
        close = sum((layers.close() for layers in self._uses.values()), np.zeros_like(fills))
        names = self._vague()
        shared = {name: layers.fills()[0] for name, layers in self._uses.items() if name in names}
        read = fills - allocate
        return Misses(read, allocate, written, error, written_error, self._conflicts(), close, shared, self._unseen)

    def _vague(self) -> frozenset[str]:
        """Return the arrays of irregular references, of uneven rows, and of rows that lie anywhere."""
        irregular = {item.array for leaf in self._program.leaves for item in leaf.irregular}
        return frozenset(irregular.union(self._program.row_bytes, *map(uneven_arrays, self._program.children)))

    def _unseen(self) -> Floats:
        """Return lines by nest and cache whose reuses may be of a kind that is too rare to be drawn.

        Where none of ``n`` pairs is of a kind, less than ``3 / n`` of all are, with a probability of 95 %.
        """
        found = np.zeros((len(self._program.children), len(self._caches)))
        for layers in self._uses.values():
            for stratum in layers.strata:
                pairs = stratum.estimator.pairs
                if not pairs or not self._has_tests(stratum):
                    continue
                probability, number = stratum.estimator.probability(), layers.number(stratum)
                open_ = np.maximum(probability.miss, 1 - probability.miss)
                unmet = np.minimum(3 / pairs, open_) * stratum.estimator.exposed()
                found[stratum.nest] += number * (unmet + 2 * probability.error)
        return found

    def _has_tests(self, stratum: Stratum) -> bool:
        return any(leaf.tests for leaf in leaves_of(self._program.children[stratum.nest]))

    def _sum(self, layers: Iterable[Layers]) -> tuple[Floats, Floats, Floats]:
        shape = (len(self._program.children), len(self._caches))
        fills, stores, variance = np.zeros(shape), np.zeros(shape), np.zeros(len(self._caches))
        for layer in layers:
            found = layer.fills()
            fills += found[0]
            stores += found[1]
            variance += found[2]
        return fills, stores, np.sqrt(variance)

    def _written(self) -> Floats:
        """Return lines written back.

        Of an array never more than were filled until then, for a fill is written back once; of what earlier nests have
        filled, which is not worked out where these are not asked for, one copy of each line is left at most.
        """
        total = np.zeros((len(self._program.children), len(self._caches)))
        for name, layers in self._stores.items():
            written = layers.fills()[0]
            if layers is not self._uses[name]:
                filled = self._uses[name].fills()[0]
                for nest in self._not_asked:
                    filled[nest] = self._uses[name].first_touched(nest)
                until_now = np.minimum(np.cumsum(written, axis=0), np.cumsum(filled, axis=0))
                written = np.diff(until_now, axis=0, prepend=0.0)
            total += written
        return total

    def _look_for_unmet(self, strata: Sequence[tuple[Layers, Stratum]]) -> None:
        """Draw until there are some pairs of each stratum whose reuses could matter: inner loops carry most uses.

        How many these are is not counted, which takes far longer than to draw: with none of ``n`` draws a reuse, less
        than ``3 / n`` of all are.
        """
        total = np.maximum(self._sum(self._uses.values())[0].sum(axis=0), 1.0).min()
        for _, stratum in strata:
            estimator = stratum.estimator
            while (
                not estimator.never_misses
                and estimator.pairs < _FEW
                and estimator.drawn < _RARE_DRAWN
                and estimator.most_expected > _RARE * total
                and not self._stack_distances.exhausted
            ):
                estimator.draw(3 * estimator.drawn)

    def _look_for_rare(self, strata: Sequence[tuple[Layers, Stratum]]) -> None:
        """Return more pairs where a few reuses that were not drawn could matter.

        Many reuses, and room for long distances.
        """
        total = np.maximum(self._sum(self._uses.values())[0].sum(axis=0), 1.0)
        for _, stratum in strata:
            estimator = stratum.estimator
            exposed = estimator.exposed()
            if exposed.any():
                wanted = int(estimator.expected / (_RARE * total[exposed].max()))
                wanted = min(max(wanted, _TESTED_DRAWN if self._has_tests(stratum) else 4 * _DRAWN), _RARE_DRAWN)
                if wanted > estimator.drawn:
                    estimator.draw(wanted - estimator.drawn)

    def _refine(self, strata: Sequence[tuple[Layers, Stratum]]) -> None:
        """Return more pairs for the strata that make the result uncertain."""
        mixed = [(layers, stratum) for layers, stratum in strata if stratum.estimator.probability().error.any()]
        if not mixed:
            return
        numbers = [layers.number(stratum) for layers, stratum in mixed]
        for _ in range(_ROUNDS):
            total = np.maximum(self._sum(self._uses.values())[0].sum(axis=0), 1.0)
            errors = [
                0.0
                if stratum.estimator.drawn >= _MOST_DRAWN or self._stack_distances.exhausted
                else float((number * stratum.estimator.probability().error / total).max())
                for number, (_, stratum) in zip(numbers, mixed, strict=True)
            ]
            worst = int(np.argmax(errors))
            if errors[worst] <= _WANTED_ERROR:
                return
            estimator = mixed[worst][1].estimator
            estimator.draw(3 * estimator.drawn)


def _is_written(leaves: Sequence[Leaf], array: str) -> bool:
    return any(reference.array == array and reference.write for leaf in leaves for reference in leaf.references)


def _writes_everything(leaves: Sequence[Leaf], array: str) -> bool:
    """Return whether every element that a statement touches is also written by it: then every touched line is dirty."""
    for leaf in leaves:
        mine = [reference for reference in leaf.references if reference.array == array]
        written = {(reference.address.terms, reference.address.constant) for reference in mine if reference.write}
        if any((reference.address.terms, reference.address.constant) not in written for reference in mine):
            return False
    return True
