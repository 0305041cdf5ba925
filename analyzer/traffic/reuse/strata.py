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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..program.lines import LineCounts, Lines
from ..program.program import Child, CountedLoop, Leaf, Program, leaves_of
from .extents import Extents
from .miss_probability import MissEstimator, MissProbability
from .pairs import Drawer, Scope
from .stack_distance import StackDistances
from .uneven_rows import uneven_arrays
from .writeback_lifetime import Lifetimes

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
# For symbolic thresholds: pairs of a stratum, runs of lines counted in all, and a capacity that holds everything.
_FEW_DRAWN, _FEW_RUNS, _HUGE = 16, 200_000, 1 << 40


class Stratum(Struct, frozen=True):
    """Reuses of one array that one scope carries; the counts ``more`` less ``fewer`` are their number."""

    scope: Scope
    nest: int
    more: tuple[Lines, ...]
    fewer: tuple[Lines, ...]
    estimator: MissEstimator


class Misses(Struct, frozen=True):
    """Lines by outermost nest and cache: filled by loads and by stores, written back; standard errors of their sums.

    ``conflicts``: lines by array and cache that are filled again because of few sets; ``close``: lines per cache whose
    reuse is about as long as the cache is large.  ``shared``: those filled of arrays that irregular references use too,
    or whose rows are uneven or lie anywhere.  ``unseen``: those that drawn pairs leave open in nests with conditions on
    counters, where a few reuses may be unlike all others.
    """

    read: Floats
    allocate: Floats
    written: Floats
    fill_error: Floats
    written_error: Floats
    conflicts: Mapping[str, Floats]
    close: Floats
    shared: Mapping[str, Floats]
    unseen: Floats


class Strata:
    """Misses of a program in some caches with lines of the same size."""

    def __init__(self, program: Program, caches: Sequence[CacheLevel], first_nest: int = 0) -> None:
        """Nests before ``first_nest`` only fill the caches: what they miss is not worked out."""
        self._program = program
        self._caches = tuple(caches)
        line = caches[0].line_bytes
        self._stack_distances = StackDistances(program, line, 2 * max(cache.lines for cache in caches))
        self._reach: dict[int, int] = {}
        extents = Extents(program, line)
        names = sorted({reference.array for leaf in program.leaves for reference in leaf.references})
        self._uses = {
            name: _Layers(
                program,
                name,
                caches,
                self._stack_distances,
                lifetimes=None,
                first_nest=first_nest,
                extents=extents,
            )
            for name in names
        }
        self._stores = dict(self._uses)
        for name in names:
            if not _is_written(program.leaves, name):
                del self._stores[name]
            elif not _writes_everything(program.leaves, name):
                lifetimes = Lifetimes(program, name, self._stack_distances, caches)
                self._stores[name] = _Layers(
                    program,
                    name,
                    caches,
                    self._stack_distances,
                    lifetimes=lifetimes,
                    first_nest=first_nest,
                    extents=extents,
                )

    @property
    def layers(self) -> list[_Layers]:
        """Return all layers, each once."""
        return [
            *self._uses.values(),
            *(layers for name, layers in self._stores.items() if layers is not self._uses[name]),
        ]

    def misses(self, short: Short | None = None) -> Misses:
        """Draw, count and add up; where the first pairs leave open what misses, ``short`` is asked before more."""
        strata = [(layers, stratum) for layers in self.layers for stratum in layers.strata]
        for _, stratum in strata:
            stratum.estimator.draw(_DRAWN)
        is_open = any(stratum.estimator.is_open for _, stratum in strata)
        lines = short(self._program, self._caches) if is_open and short is not None and not self._vague() else None
        if lines is None:
            self._look_for_unmet(strata)
            self._look_for_rare(strata)
            self._refine(strata)
            return self._misses()
        found, nothing = self._misses(), np.zeros(len(self._caches))
        read, allocate, written = (each.T for each in lines)
        counted = replace(found, read=read, allocate=allocate, written=written, close=nothing)
        return replace(counted, fill_error=nothing, written_error=nothing, unseen=np.zeros_like(read))

    def _misses(self) -> Misses:
        fills, stores, error = self._sum(self._uses.values())
        written, written_error = self._written(), self._sum(self._stores.values())[2]
        allocate = np.minimum(stores, fills)
        conflicts = {name: layers.conflicts() for name, layers in self._uses.items()}
        close = sum((layers.close() for layers in self._uses.values()), np.zeros(len(self._caches)))
        names = self._vague()
        shared = {name: layers.fills()[0] for name, layers in self._uses.items() if name in names}
        return Misses(
            fills - allocate, allocate, written, error, written_error, conflicts, close, shared, self._unseen()
        )

    def _vague(self) -> frozenset[str]:
        """Return the arrays of irregular references, of uneven rows, and of rows that lie anywhere."""
        irregular = {item.array for leaf in self._program.leaves for item in leaf.irregular}
        return frozenset(irregular.union(self._program.row_bytes, *map(uneven_arrays, self._program.children)))

    def _unseen(self) -> Floats:
        """Return lines by nest and cache whose reuses may be of a kind that is too rare to be drawn.

        Where none of ``n`` pairs is of a kind, less than ``3 / n`` of all are, with a probability of 95 %.
        """
        found = np.zeros((len(self._program.children), len(self._caches)))
        limits = np.array([cache.lines for cache in self._caches])
        for layers in self._uses.values():
            for stratum in layers.strata:
                pairs = stratum.estimator.pairs
                if not pairs or not self._has_tests(stratum):
                    continue
                probability, number = stratum.estimator.probability(), layers.number(stratum)
                open_ = np.maximum(probability.miss, 1 - probability.miss)
                may_miss = self._reach.get(id(stratum), 0) >= 0.7 * limits
                found[stratum.nest] += number * (np.minimum(3 / pairs, open_) * may_miss + 2 * probability.error)
        return found

    def _has_tests(self, stratum: Stratum) -> bool:
        return any(leaf.tests for leaf in leaves_of(self._program.children[stratum.nest]))

    def _sum(self, layers: Iterable[_Layers]) -> tuple[Floats, Floats, Floats]:
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

        Of an array never more than were filled until then, for a fill is written back once.
        """
        total = np.zeros((len(self._program.children), len(self._caches)))
        for name, layers in self._stores.items():
            written = layers.fills()[0]
            if layers is not self._uses[name]:
                filled = self._uses[name].fills()[0]
                until_now = np.minimum(np.cumsum(written, axis=0), np.cumsum(filled, axis=0))
                written = np.diff(until_now, axis=0, prepend=0.0)
            total += written
        return total

    def _look_for_unmet(self, strata: Sequence[tuple[_Layers, Stratum]]) -> None:
        """Draw until there are some pairs of each stratum whose reuses could matter: inner loops carry most uses."""
        total = np.maximum(self._sum(self._uses.values())[0].sum(axis=0), 1.0).min()
        for layers, stratum in strata:
            estimator = stratum.estimator
            if estimator.never_misses or estimator.pairs >= _FEW or layers.number(stratum) <= _WANTED_ERROR * total:
                continue
            while estimator.pairs < _FEW and estimator.drawn < _MOST_DRAWN and not self._stack_distances.exhausted:
                estimator.draw(3 * estimator.drawn)

    def _look_for_rare(self, strata: Sequence[tuple[_Layers, Stratum]]) -> None:
        """Return more pairs where a few reuses that were not drawn could matter.

        Many reuses, and room for long distances.
        """
        total = np.maximum(self._sum(self._uses.values())[0].sum(axis=0), 1.0)
        for _, stratum in strata:
            estimator = stratum.estimator
            limits = np.array([cache.lines for cache in self._caches])
            self._reach[id(stratum)] = reach = estimator.reach()
            exposed = reach >= 0.7 * limits
            if exposed.any():
                wanted = int(estimator.expected / (_RARE * total[exposed].max()))
                wanted = min(max(wanted, _TESTED_DRAWN if self._has_tests(stratum) else 4 * _DRAWN), _RARE_DRAWN)
                if wanted > estimator.drawn:
                    estimator.draw(wanted - estimator.drawn)

    def _refine(self, strata: Sequence[tuple[_Layers, Stratum]]) -> None:
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


class _Layers:
    """The strata of one array; with a ``lifetimes`` those of its stores alone.

    Strata that touch few lines by their ``extents`` need no pairs.
    """

    def __init__(
        self,
        program: Program,
        array: str,
        caches: Sequence[CacheLevel],
        stack_distances: StackDistances,
        *,
        lifetimes: Lifetimes | None,
        first_nest: int = 0,
        extents: Extents | None = None,
    ) -> None:
        self._program = program
        self._array = array
        self._caches = caches
        self._stack_distances = stack_distances
        self._lifetimes = lifetimes
        self._line = caches[0].line_bytes
        self._count = LineCounts(program, array, self._line, writes=lifetimes is not None)
        self._nests = [nest for nest, child in enumerate(program.children) if self._uses(child)]
        self._first = first_nest
        self._extents = extents
        self.strata = tuple(self._all())

    def number(self, stratum: Stratum) -> float:
        """Return the exact number of reuses."""
        return sum(map(self._count, stratum.more)) - sum(map(self._count, stratum.fewer))

    def fills(self) -> tuple[Floats, Floats, Floats]:
        """Return lines by nest and cache, those of them that a store asks for, and the variance of their sum."""
        shape = (len(self._program.children), len(self._caches))
        fills, stores, variance = np.zeros(shape), np.zeros(shape), np.zeros(len(self._caches))
        cold = np.zeros(len(self._program.children))
        weights: dict[int, dict[tuple[object, ...], tuple[Lines, Floats]]] = {}
        for position, nest in enumerate(self._nests):
            if nest < self._first:
                continue
            weights[nest] = {}
            whole = tuple(self._program.children[n] for n in self._nests[: position + 1])
            _add(weights[nest], Lines(whole, 0), np.ones(len(self._caches)))
            cold[nest] = self._count(Lines((whole[-1],), 0))
            if position:
                _add(weights[nest], Lines(whole[:-1], 0), -np.ones(len(self._caches)))
        for stratum in self.strata:
            probability = stratum.estimator.probability()
            if probability.error.any():
                variance += (self.number(stratum) * probability.error) ** 2
            if stratum.scope.loop is None:
                cold[stratum.nest] -= self.number(stratum)
            for lines in stratum.more:
                _add(weights[stratum.nest], lines, probability.miss)
            for lines in stratum.fewer:
                _add(weights[stratum.nest], lines, -probability.miss)
            if probability.store.any():
                stores[stratum.nest] += self.number(stratum) * probability.store
        for nest, found in weights.items():
            for lines, weight in found.values():
                if (abs(weight) > 1e-12).any():
                    fills[nest] += weight * self._count(lines)
            stores[nest] += max(cold[nest], 0.0) * self._cold_stores(nest)
        return np.maximum(fills, 0.0), stores, variance

    def conflicts(self) -> Floats:
        """Return lines per cache that conflicts cost."""
        return self._weighted(lambda probability: probability.conflict)

    def close(self) -> Floats:
        """Return lines per cache whose reuse is undecided."""
        return self._weighted(lambda probability: probability.close)

    def _weighted(self, part: Callable[[MissProbability], Floats]) -> Floats:
        total = np.zeros(len(self._caches))
        for stratum in self.strata:
            share = part(stratum.estimator.probability())
            if share.any():
                total += self.number(stratum) * share
        return total

    def _cold_stores(self, nest: int) -> float:
        """Return the share of cold lines whose first use in the nest is a store."""
        child = self._program.children[nest]
        kinds = {
            reference.write
            for leaf in leaves_of(child)
            for reference in leaf.references
            if reference.array == self._array
        }
        if len(kinds) == 1:
            return float(kinds.pop())
        scope = Scope(None, False, (child,))
        return Drawer(self._program, scope, self._array, self._line, writes=False).first_stores(_DRAWN)

    def _all(self) -> Iterator[Stratum]:
        """Yield the scopes, outer ones first; reuses between nests by the nest in which they end."""
        children = self._program.children
        for position, nest in enumerate(self._nests):
            if not position or nest < self._first:
                continue
            before = tuple(children[n] for n in self._nests[:position])
            more = (Lines((children[nest],), 0), Lines(before, 0))
            scope = Scope(None, False, children[: nest + 1], ends_in_last=True)
            yield self._stratum(scope, nest, more, (Lines((*before, children[nest]), 0),))
        for nest in self._nests:
            if nest >= self._first:
                yield from self._inside(children[nest], nest)

    def _inside(self, child: Child, nest: int) -> Iterator[Stratum]:
        if not isinstance(child, CountedLoop):
            return
        iterations, whole = Lines((child,), child.depth + 1), Lines((child,), child.depth)
        yield self._stratum(Scope(child, True, child.children), nest, (iterations,), (whole,))
        inner = [node for node in child.children if self._uses(node)]
        if len(inner) > 1:
            more = tuple(Lines((node,), child.depth + 1) for node in inner)
            yield self._stratum(Scope(child, False, child.children), nest, more, (iterations,))
        for node in inner:
            yield from self._inside(node, nest)

    def _stratum(self, scope: Scope, nest: int, more: tuple[Lines, ...], fewer: tuple[Lines, ...]) -> Stratum:
        whole = [scope.loop] if scope.carried and scope.loop is not None else scope.children
        estimator = MissEstimator(
            self._program,
            scope,
            self._array,
            self._caches,
            self._stack_distances,
            self._lifetimes,
            most_lines=inf if self._extents is None else self._extents.at_most(whole),
        )
        return Stratum(scope, nest, more, fewer, estimator)

    def _uses(self, child: Child) -> bool:
        return any(
            reference.array == self._array and (reference.write or self._lifetimes is None)
            for leaf in leaves_of(child)
            for reference in leaf.references
        )


def working_sets(
    program: Program, line_bytes: int, wanted: Callable[[str, Scope], bool]
) -> Iterator[tuple[str, Scope, int]]:
    """Yield the lines between the two uses of a typical reuse, for every wanted array and scope that carries one.

    What would take too long is left out.
    """
    huge = (CacheLevel("", _HUGE, None, line_bytes),)
    stack_distances = StackDistances(program, line_bytes, _HUGE // line_bytes, _FEW_RUNS)
    for array in sorted({reference.array for leaf in program.leaves for reference in leaf.references}):
        for stratum in _Layers(program, array, huge, stack_distances, lifetimes=None).strata:
            if not wanted(array, stratum.scope):
                continue
            lines = stratum.estimator.typical(_FEW_DRAWN)
            if lines is not None:
                yield array, stratum.scope, lines


def _add(weights: dict[tuple[object, ...], tuple[Lines, Floats]], lines: Lines, weight: Floats) -> None:
    known = weights.get(lines.key())
    weights[lines.key()] = (lines, weight if known is None else known[1] + weight)


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
