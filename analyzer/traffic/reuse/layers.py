"""The strata of one array, the exact numbers of their reuses, and the lines that are filled because of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..program.lines.lines import LineCounts, Lines
from ..program.program import Child, CountedLoop, Program, leaves_of
from .distances.stack_distance import StackDistances
from .extents import Extents
from .line_uses.pairs import Drawer, Scope
from .line_uses.writeback_lifetime import Lifetimes
from .miss_probability import MissEstimator, MissProbability

Floats = NDArray[np.float64]

_DRAWN = 32  # first uses of which the share of stores is taken
# For symbolic thresholds: pairs of a stratum, runs of lines after which no more are counted, the most of one group of
# references, and a capacity that holds everything.
_FEW_DRAWN, _FEW_RUNS, _MOST_OF_GROUP, _HUGE = 16, 200_000, 1 << 21, 1 << 40


class Stratum(Struct, frozen=True):
    """Reuses of one array that one scope carries; the counts ``more`` less ``fewer`` are their number."""

    scope: Scope
    nest: int
    more: tuple[Lines, ...]
    fewer: tuple[Lines, ...]
    estimator: MissEstimator


class Layers:
    """The strata of one array; with a ``lifetimes`` those of its stores alone.

    Only of the nests that are ``asked`` for (None: all) is worked out what they miss.  Strata that touch few lines by
    their ``extents`` need no pairs.
    """

    def __init__(
        self,
        program: Program,
        array: str,
        caches: Sequence[CacheLevel],
        stack_distances: StackDistances,
        *,
        lifetimes: Lifetimes | None,
        asked: Set[int] | None = None,
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
        self._asked = frozenset(nest for nest in self._nests if asked is None or nest in asked)
        self._extents = extents
        self._stores_first: dict[int, float] = {}
        self.strata = tuple(self._all())

    @property
    def expected(self) -> float:
        """Return about how many reuses there are."""
        return sum(stratum.estimator.expected for stratum in self.strata)

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
            if nest not in self._asked:
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
            if nest not in self._stores_first:
                self._stores_first[nest] = self._cold_stores(nest)
            stores[nest] += max(cold[nest], 0.0) * self._stores_first[nest]
        return np.maximum(fills, 0.0), stores, variance

    def conflicts(self) -> Floats:
        """Return lines by nest and cache that conflicts cost."""
        return self._weighted(lambda probability: probability.conflict)

    def close(self) -> Floats:
        """Return lines by nest and cache whose reuse is undecided."""
        return self._weighted(lambda probability: probability.close)

    def _weighted(self, part: Callable[[MissProbability], Floats]) -> Floats:
        total = np.zeros((len(self._program.children), len(self._caches)))
        for stratum in self.strata:
            share = part(stratum.estimator.probability())
            if share.any():
                total[stratum.nest] += self.number(stratum) * share
        return total

    def first_touched(self, nest: int) -> float:
        """Return lines that no earlier nest touches."""
        before = tuple(self._program.children[each] for each in self._nests if each < nest)
        whole = self._count(Lines((*before, self._program.children[nest]), 0)) if nest in self._nests else 0.0
        return whole - (self._count(Lines(before, 0)) if whole and before else 0.0)

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
            if not position or nest not in self._asked:
                continue
            before = tuple(children[n] for n in self._nests[:position])
            more = (Lines((children[nest],), 0), Lines(before, 0))
            scope = Scope(None, False, children[: nest + 1], ends_in_last=True)
            yield self._stratum(scope, nest, more, (Lines((*before, children[nest]), 0),))
        for nest in self._nests:
            if nest in self._asked:
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
            fits_well=lambda cache: self._extents is not None and self._extents.fits_well(whole, cache),
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
    stack_distances = StackDistances(program, line_bytes, _HUGE // line_bytes, _FEW_RUNS, _MOST_OF_GROUP)
    for array in sorted({reference.array for leaf in program.leaves for reference in leaf.references}):
        for stratum in Layers(program, array, huge, stack_distances, lifetimes=None).strata:
            if not wanted(array, stratum.scope):
                continue
            lines = stratum.estimator.typical(_FEW_DRAWN)
            if lines is not None:
                yield array, stratum.scope, lines


def _add(weights: dict[tuple[object, ...], tuple[Lines, Floats]], lines: Lines, weight: Floats) -> None:
    known = weights.get(lines.key())
    weights[lines.key()] = (lines, weight if known is None else known[1] + weight)
