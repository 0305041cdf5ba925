"""Reuse strata: the exact decomposition of cache misses by the loop that carries a reuse.

For an array and a loop let ``I`` be the distinct lines of one turn, summed over all turns, and ``W`` those of one
whole execution, summed over executions.  ``I - W`` reuses are carried by the loop; ``sum of W over the children - I``
are between the children of its body; ``N_root`` lines are cold.  So for a least-recently-used cache

    fills = N_root + sum over strata of n * P[stack distance >= capacity]

which is exact as long as the lines of one statement stay in the cache.  ``n`` are differences of exact counts; ``P``
comes from reuse pairs drawn at random, each with its exact stack distance.  Write-backs are the same sum over the
writing references.  In a set-associative cache a pair misses when at least ``ways`` of the lines in between share
the set of its line.  A count is made only where the probabilities around it differ, which they rarely do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..poly.backend import points
from .hierarchy import CacheLevel
from .history import History
from .program import Affine, Child, Leaf, Program, Reference, Turn
from .chances import Chances
from .reuse import Scope
from .windows import Windows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DRAWN, _MOST, _ROUNDS = 128, 4096, 12
_WANTED_ERROR = 0.004


@dataclass(frozen=True, slots=True)
class Lines:
    """A count of (prefix of counters, line): ``depth`` counters are kept of the statements under some nodes."""

    children: tuple[Child, ...]
    depth: int

    def key(self) -> tuple[object, ...]:
        """Identity: equal keys count the same."""
        return (*(id(child) for child in self.children), self.depth)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Reuses of one array that one scope carries; the counts ``more`` less ``fewer`` are their number."""

    array: str
    scope: Scope
    writes: bool
    more: tuple[Lines, ...]
    fewer: Lines
    chances: Chances


@dataclass(frozen=True, slots=True)
class Misses:
    """Lines per cache: filled by loads, filled by stores (write-allocate), written back; standard errors in lines."""

    read: Floats
    allocate: Floats
    written: Floats
    read_error: Floats
    written_error: Floats
    undecided: NDArray[np.bool_]


class Strata:
    """The strata of a program for some caches with lines of the same size."""

    def __init__(self, program: Program, caches: Sequence[CacheLevel]) -> None:
        self.program = program
        self.caches = tuple(caches)
        self._line = caches[0].line_bytes
        self._sets = sorted({cache.sets for cache in caches if cache.sets > 1})
        self._windows = Windows(program, self._line, 2 * max(cache.lines for cache in caches))
        self._counts: dict[tuple[object, ...], float] = {}
        self.strata: list[Stratum] = []
        self._shared: dict[str, bool] = {}
        self._histories: dict[str, History] = {}

    def misses(self) -> Misses:
        """Draw, count and add up."""
        arrays = sorted({reference.array for leaf in self.program.leaves for reference in leaf.references})
        for array in arrays:
            writes_all = _writes_everything(self.program.leaves, array)
            self._shared[array] = writes_all
            self.strata.extend(self._of(array, writes=False))
            if not writes_all and _is_written(self.program.leaves, array):
                self.strata.extend(self._of(array, writes=True))
        for stratum in self.strata:
            stratum.chances.draw(_DRAWN)
        self._refine()
        return self._total(arrays)

    def _of(self, array: str, *, writes: bool) -> Iterator[Stratum]:
        """Strata of one array, outer scopes first."""
        children = [child for child in self.program.children if _uses(child, array, writes=writes)]
        root = Scope(None, False, self.program.children)
        if len(children) > 1:
            more = tuple(Lines((child,), 0) for child in children)
            yield self._stratum(array, root, writes, more, Lines(tuple(children), 0))
        for child in children:
            yield from self._inside(child, array, writes=writes)

    def _inside(self, child: Child, array: str, *, writes: bool) -> Iterator[Stratum]:
        if not isinstance(child, Turn):
            return
        depth = child.depth
        yield self._stratum(
            array, Scope(child, True, child.children), writes, (Lines((child,), depth + 1),), Lines((child,), depth)
        )
        inner = [node for node in child.children if _uses(node, array, writes=writes)]
        if len(inner) > 1:
            more = tuple(Lines((node,), depth + 1) for node in inner)
            yield self._stratum(array, Scope(child, False, child.children), writes, more, Lines((child,), depth + 1))
        for node in inner:
            yield from self._inside(node, array, writes=writes)

    def _stratum(self, array: str, scope: Scope, writes: bool, more: tuple[Lines, ...], fewer: Lines) -> Stratum:
        history = self._history(array) if writes else None
        chances = Chances(self.program, scope, array, self.caches, self._windows, history)
        return Stratum(array, scope, writes, more, fewer, chances)

    def _history(self, array: str) -> History:
        if array not in self._histories:
            self._histories[array] = History(
                self.program, array, self._windows, self._line, min(cache.lines for cache in self.caches)
            )
        return self._histories[array]

    def _refine(self) -> None:
        """More pairs for the strata that make the result uncertain."""
        mixed = [stratum for stratum in self.strata if stratum.chances.chance().error.any()]
        if not mixed:
            return
        number = {id(stratum): self._number(stratum) for stratum in mixed}
        for _ in range(_ROUNDS):
            total = np.maximum(self._estimate(), 1.0)
            errors = [
                0.0 if s.chances.drawn >= _MOST else (number[id(s)] * s.chances.chance().error / total).max() for s in mixed
            ]
            worst = int(np.argmax(errors))
            if errors[worst] <= _WANTED_ERROR:
                return
            mixed[worst].chances.draw(3 * mixed[worst].chances.drawn)

    def _number(self, stratum: Stratum) -> float:
        lines = sum(self.count(item, stratum.array, writes=stratum.writes) for item in stratum.more)
        return lines - self.count(stratum.fewer, stratum.array, writes=stratum.writes)

    def _estimate(self) -> Floats:
        """Lines read per cache."""
        arrays = sorted({stratum.array for stratum in self.strata})
        return self._sum(arrays, writes=False)[0]

    def _total(self, arrays: Sequence[str]) -> Misses:
        fills, fill_error, stores = self._sum(arrays, writes=False)
        written, written_error, _ = self._sum(arrays, writes=True)
        allocate = np.minimum(stores, fills)
        undecided = np.zeros(len(self.caches), dtype=bool)
        return Misses(fills - allocate, allocate, written, fill_error, written_error, undecided)

    def _sum(self, arrays: Sequence[str], *, writes: bool) -> tuple[Floats, Floats, Floats]:
        """Lines per cache over all strata, their standard error, and those that a store causes."""
        caches = len(self.caches)
        total, variance, stores = np.zeros(caches), np.zeros(caches), np.zeros(caches)
        for array in arrays:
            if writes and not _is_written(self.program.leaves, array):
                continue
            own = writes and not self._shared[array]
            weights: dict[tuple[object, ...], tuple[Lines, Floats]] = {}
            root = Lines(tuple(c for c in self.program.children if _uses(c, array, writes=own)), 0)
            _add(weights, root, np.ones(caches))
            for stratum in self.strata:
                if stratum.array != array or stratum.writes != own:
                    continue
                found = stratum.chances.chance()
                chance, error, by_store = found.miss, found.error, found.store
                for item in stratum.more:
                    _add(weights, item, chance)
                _add(weights, stratum.fewer, -chance)
                if error.any() or by_store.any():
                    number = self._number(stratum)
                    variance += (number * error) ** 2
                    stores += number * by_store
            for item, weight in weights.values():
                if (abs(weight) > 1e-12).any():
                    total += weight * self.count(item, array, writes=own)
        return total, np.sqrt(variance), stores

    def count(self, lines: Lines, array: str, *, writes: bool) -> float:
        """Exact number of pairs of counters and line."""
        key = (*lines.key(), array, writes)
        if key not in self._counts:
            leaves = [leaf for child in lines.children for leaf in _leaves(child)]
            self._counts[key] = _count(leaves, array, lines.depth, self._line, writes=writes)
        return self._counts[key]


def _add(weights: dict[tuple[object, ...], tuple[Lines, Floats]], lines: Lines, weight: Floats) -> None:
    """Add to the weight of a count; one child of a body counts what the whole body counts."""
    while len(lines.children) == 1 and isinstance(lines.children[0], Turn) and lines.depth > lines.children[0].depth:
        inner = lines.children[0].children
        if len(inner) != 1:
            break
        lines = Lines(tuple(inner), lines.depth)
    known = weights.get(lines.key())
    weights[lines.key()] = (lines, weight if known is None else known[1] + weight)


def _leaves(child: Child) -> Sequence[Leaf]:
    return child.leaves if isinstance(child, Turn) else (child,)


def _uses(child: Child, array: str, *, writes: bool) -> bool:
    return any(
        reference.array == array and (reference.write or not writes)
        for leaf in _leaves(child)
        for reference in leaf.references
    )


def _is_written(leaves: Sequence[Leaf], array: str) -> bool:
    return any(reference.array == array and reference.write for leaf in leaves for reference in leaf.references)


def _writes_everything(leaves: Sequence[Leaf], array: str) -> bool:
    """Whether every element that a statement touches is also written by it: then every touched line is dirty."""
    for leaf in leaves:
        mine = [reference for reference in leaf.references if reference.array == array]
        written = {(reference.address.terms, reference.address.constant) for reference in mine if reference.write}
        if any((reference.address.terms, reference.address.constant) not in written for reference in mine):
            return False
    return True


def _count(leaves: Sequence[Leaf], array: str, depth: int, line_bytes: int, *, writes: bool) -> float:
    """Pairs of the first ``depth`` counters and a line."""
    maps = [
        _lines_text(leaf, reference, depth, line_bytes)
        for leaf in leaves
        for reference in leaf.references
        if reference.array == array and (reference.write or not writes)
    ]
    if not maps:
        return 0.0
    found = points(f"{{ {'; '.join(dict.fromkeys(maps))} }}").coalesced().count({})
    return float(found.evaluate({}))


def _names(depths: Iterable[int]) -> list[str]:
    return [f"t{depth}" for depth in depths]


def _lines_text(leaf: Leaf, reference: Reference, depth: int, line_bytes: int) -> str:
    conditions = [test.text for test in leaf.tests]
    for turn in leaf.loops:
        counter = f"t{turn.depth}"
        conditions += [f"{bound.divisor}*{counter} >= {_text(bound.limit)}" for bound in turn.lows]
        conditions += [f"{bound.divisor}*{counter} <= {_text(bound.limit)}" for bound in turn.highs]
    conditions.append(f"l = floor(({_text(reference.address)})/{line_bytes})")
    image = ", ".join([*_names(range(depth)), "l"])
    inner = ", ".join(_names(range(depth, len(leaf.loops))))
    body = " and ".join(conditions)
    return f"[{image}] : exists ({inner} : {body})" if inner else f"[{image}] : {body}"


def _text(expression: Affine) -> str:
    return " + ".join([str(expression.constant), *(f"{factor}*t{depth}" for depth, factor in expression.terms)])
