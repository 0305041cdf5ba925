"""Executions of loops, those that are alike as one: bounds as far apart as in another execution, here and inside.

Points are executions by the counters of the loops around; the hull of a loop inside has the least and the greatest
counters that it reaches from each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd
from typing import Any, Union

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...domains.limits import OverBudget
from ..program.program import Affine, CountedLoop, Leaf, Test

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Execution = Union[CountedLoop, Leaf]

MOST_POINTS = 4_000_000  # of loops that are listed at once: bounds memory and time
MOST_OPEN_KINDS = 4096  # of executions of one loop whose iterations are looked at one by one
_FACTOR = np.uint64(6364136223846793005)  # of a number that many others make: Knuth's multiplier of 64 bits
_MOST_SIZED = 200_000  # points of loops of which executions are counted one by one
ANY = np.zeros((), dtype=np.int64)  # the counter of a loop that nothing depends on
_MOST_CONSTANT = 1 << 50  # of bounds with other divisors that are compared: 64 bits hold what they are multiplied to
_ALIKE = 1 << 40  # of bounds that another one is always tighter than


def depths_of(loop: CountedLoop) -> frozenset[int]:
    """Return the depths of the loops that the bounds of a loop depend on."""
    return frozenset(depth for bound in (*loop.lows, *loop.highs) for depth, _ in bound.limit.terms)


class Points(Struct, frozen=True):
    """Points of some loops: the counters by depth, and of how many executions each stands."""

    counters: tuple[Integers, ...]
    weights: Floats

    def chosen(self, which: NDArray[np.bool_] | Integers) -> Points:
        """Return some of the points."""
        return Points(_chosen(self.counters, which), self.weights[which])

    def with_counter(self, counter: Integers) -> Points:
        """Return the points with a counter of one loop more."""
        return Points((*self.counters, counter), self.weights)

    def alone(self) -> Points:
        """Return the only point, once."""
        return Points(tuple(each.reshape(-1)[0] for each in self.counters), np.ones(1))

    def inside(self, loop: CountedLoop, within: tuple[int, int] | None = None) -> tuple[Points, Integers]:
        """Return the points of a loop directly in these ones, and which of these each is in; raises ``OverBudget``.

        With ``within`` those of some iterations only.
        """
        low, high = loop.range(self.counters)
        if within is not None:
            low, high = np.maximum(low, within[0]), np.minimum(high, within[1])
        shape = self.weights.shape
        return self.between(np.broadcast_to(np.asarray(low), shape), np.broadcast_to(np.asarray(high), shape))

    def between(self, low: Integers, high: Integers, most: int = MOST_POINTS) -> tuple[Points, Integers]:
        """Return the points of a loop with these bounds, and which of these each is in; raises ``OverBudget``."""
        trips = np.maximum(high - low + 1, 0)
        total = int(trips.sum())
        if total > most:
            raise OverBudget
        of = np.repeat(np.arange(len(self.weights)), trips)
        counter = low[of] + np.arange(total) - np.repeat(np.cumsum(trips) - trips, trips)
        return self.chosen(of).with_counter(counter), of


class Hull(Struct, frozen=True):
    """Least and greatest counters by depth, those of the loops around being the points themselves."""

    least: tuple[Integers, ...]
    most: tuple[Integers, ...]
    points: int

    @classmethod
    def of(cls, points: Points) -> Hull:
        """Return the hull of points that no loop is inside of."""
        return cls(points.counters, points.counters, len(points.weights))

    def chosen(self, which: NDArray[np.bool_] | Integers) -> Hull:
        """Return the hull of some of the points."""
        points = int(which.sum()) if which.dtype == bool else len(which)
        return Hull(_chosen(self.least, which), _chosen(self.most, which), points)

    def with_points(self, counter: Integers) -> Hull:
        """Return the hull with a loop inside whose counter is known at each point."""
        return Hull((*self.least, counter), (*self.most, counter), self.points)

    def least_of(self, affine: Affine) -> Integers:
        """Return the least value of an expression."""
        ends = (self.least, self.most)
        value = sum((factor * ends[factor < 0][depth] for depth, factor in affine.terms), ANY)
        return np.asarray(value + affine.constant)

    def most_of(self, affine: Affine) -> Integers:
        """Return the greatest value of an expression."""
        ends = (self.most, self.least)
        value = sum((factor * ends[factor < 0][depth] for depth, factor in affine.terms), ANY)
        return np.asarray(value + affine.constant)

    def with_loop(self, loop: CountedLoop) -> Hull:
        """Return the hull with a loop directly inside."""
        lows = [-(-self.least_of(bound.limit) // bound.divisor) for bound in loop.lows]
        highs = [self.most_of(bound.limit) // bound.divisor for bound in loop.highs]
        ends = (_extreme(np.maximum, lows), _extreme(np.minimum, highs))
        low, high = (np.asarray(each, dtype=np.int64) for each in ends)
        return Hull((*self.least, low), (*self.most, high), self.points)


def _chosen(counters: tuple[Integers, ...], which: NDArray[np.bool_] | Integers) -> tuple[Integers, ...]:
    """Return the counters of some points; one number is that of all points."""
    return tuple(each[which] if each.ndim else each for each in counters)


def _extreme(which: Any, values: Sequence[Any]) -> Any:
    found = values[0]
    for each in values[1:]:
        found = which(found, each)
    return found


def difference(one: Affine, other: Affine, times: tuple[int, int] = (1, 1)) -> Affine:
    """Return one expression less another one, each so many times."""
    factors = {depth: times[0] * factor for depth, factor in one.terms}
    for depth, factor in other.terms:
        factors[depth] = factors.get(depth, 0) - times[1] * factor
    constant = times[0] * one.constant - times[1] * other.constant
    return Affine(constant, tuple((d, f) for d, f in sorted(factors.items()) if f))


def kinds_of(node: Execution, points: Points, depth: int) -> tuple[Points, Integers]:
    """Return one point of each kind with what it stands for, and the numbers of the kinds.

    Points where nothing is executed are left out, as far as the bounds of this loop tell.
    """
    hull = Hull.of(points)
    if isinstance(node, CountedLoop):
        whole = hull.with_loop(node)
        runs = np.broadcast_to(whole.most[-1] >= whole.least[-1], points.weights.shape)
        points, hull = points.chosen(runs), hull.chosen(runs)
    number = np.zeros(len(points.weights), dtype=np.uint64)
    for mark in _marks(node, hull, depth):
        number = number * _FACTOR + np.broadcast_to(mark, number.shape).astype(np.uint64)
    found, inverse, repeats = np.unique(number, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable")
    middle = order[np.cumsum(repeats) - repeats + repeats // 2]
    weights: Floats = np.bincount(inverse, weights=points.weights, minlength=len(found)).astype(float)
    return Points(points.chosen(middle).counters, weights), found.astype(np.int64)


def some_of(kinds: Points, sizes: Floats) -> Points:
    """Return fewer kinds: the largest ones, and some that stand for the others by their sizes."""
    shares = sizes * kinds.weights
    order = np.argsort(-shares, kind="stable")
    half = MOST_OPEN_KINDS // 2
    first, rest = order[:half], order[half:]
    some = rest[:: -(-len(rest) // half)]
    factor = float(shares[rest].sum() / max(float(shares[some].sum()), 1.0))
    weights = np.concatenate([kinds.weights[first], kinds.weights[some] * factor])
    return Points(kinds.chosen(np.concatenate([first, some])).counters, weights)


def sizes_of(node: Execution, points: Points) -> Floats:
    """Return how many executions of statements a node has at each point, at most where listing them takes too much."""
    try:
        return _size(node, points)
    except OverBudget:
        return _size_of_hull(node, Hull.of(points))


def _size_of_hull(node: Execution, hull: Hull) -> Floats:
    if isinstance(node, Leaf):
        return np.ones(hull.points)
    whole = hull.with_loop(node)
    trips = np.broadcast_to(np.maximum(whole.most[-1] - whole.least[-1] + 1, 0), (hull.points,))
    return trips * sum((_size_of_hull(child, whole) for child in node.children), np.zeros(hull.points))


def _size(node: Execution, points: Points) -> Floats:
    """Return how many executions of statements a node has at each point, as if no test failed.

    Loops that no loop inside depends on are not gone through.  Raises ``OverBudget``.
    """
    if isinstance(node, Leaf):
        return np.ones(len(points.weights))
    if any(node.depth in depths_of(loop) for leaf in node.leaves for loop in leaf.loops):
        low, high = (np.broadcast_to(np.asarray(end), points.weights.shape) for end in node.range(points.counters))
        inside, of = points.between(low, high, _MOST_SIZED)
        sizes = sum((_size(child, inside) for child in node.children), np.zeros(len(of)))
        return np.bincount(of, weights=sizes, minlength=len(points.weights)).astype(float)
    low, high = (np.broadcast_to(np.asarray(end), points.weights.shape) for end in node.range(points.counters))
    inside = points.with_counter(np.asarray(low))
    sizes = sum((_size(child, inside) for child in node.children), np.zeros(len(points.weights)))
    return np.asarray(np.maximum(high - low + 1, 0) * sizes, dtype=float)


def _marks(node: Execution, hull: Hull, depth: int) -> Iterator[Integers]:
    """Yield what distinguishes executions of a node: how far its bounds and tests are from the corner of its hull.

    Bounds that another one is always tighter than, and tests that always or never hold, count alike.
    """
    if isinstance(node, Leaf):
        for test in node.tests:
            yield from _marks_of_test(test, hull, depth)
        return
    whole = hull.with_loop(node)
    for bounds, sign in ((node.lows, 1), (node.highs, -1)):
        for place, bound in enumerate(bounds):
            is_slack = np.zeros((), dtype=bool)
            for other_place, other in enumerate(bounds):
                if other_place == place:
                    continue
                common = gcd(bound.divisor, other.divisor)
                times = (bound.divisor // common, other.divisor // common)
                largest = max(abs(bound.limit.constant), abs(other.limit.constant), _MOST_CONSTANT >> 16)
                if max(times) * largest > _MOST_CONSTANT:
                    continue
                apart = difference(other.limit, bound.limit, times)
                least = hull.least_of(apart) if sign > 0 else -hull.most_of(apart)
                is_slack = is_slack | (least >= (other_place > place))
            at = sum((factor * whole.least[d] for d, factor in bound.limit.terms), bound.limit.constant)
            yield np.where(is_slack, _ALIKE, at - bound.divisor * whole.least[-1])
    for child in node.children:
        yield from _marks(child, whole, depth)


def _marks_of_test(test: Test, hull: Hull, depth: int) -> Iterator[Integers]:
    if all(each < depth for each in test.depths):
        yield np.asarray(test.holds(hull.least), dtype=np.int64)
        return
    for needed in test.needed:
        least, most = hull.least_of(needed), hull.most_of(needed)
        yield np.where(least >= 0, _ALIKE, np.where(most < 0, -_ALIKE, least))
