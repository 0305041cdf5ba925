"""The bytes of a nest by working sets: what a loop touches moves once where the cache holds two of its iterations.

A laid out nest and a hierarchy -> the bytes between its levels.  A loop whose two consecutive iterations fit into a
cache finds there what it uses again, so that it moves each line that it touches once; of any other loop each iteration
does what its body does (Denning, *The working set model for program behavior*, CACM 1968; the layer conditions of
stencils are the case of one loop).  Nor does it find them where most of their lines fall in sets with too few ways.
For caches that evict what is used last this is at most little below what moves, and as a rule above it: reuses at
shorter distances than two iterations are left out.

Lines are counted exactly in one of all executions of a loop that are alike: their bounds and those of the loops inside
are as far from one another.  Boxes of a nest are of few kinds: inner ones, and those that the rim cuts off.  So the
cost does not depend on the sizes, and skewed boxes cost as much as others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import inf

import numpy as np
from msgspec.structs import replace

from ...domains.limits import OverBudget
from ...ir.nodes import Region
from ..hierarchy import CacheLevel, Hierarchy
from ..level_bytes import TrafficBytes
from ..program.layout import lay_out
from ..program.program import Affine, Bound, CountedLoop, Leaf, Program, leaves_of
from .executions import (
    ANY,
    MOST_OPEN_KINDS,
    MOST_POINTS,
    Execution,
    Floats,
    Hull,
    Integers,
    Points,
    depths_of,
    difference,
    kinds_of,
    sizes_of,
    some_of,
)
from .neighbours import Use, needed_depths, neighbours
from .touched_lines import NO_LINES, Lines, Marks

_WAYS_LEFT = 2  # of each set, to what passes by: as boxes leave (analyzer/transformations/box_sizes.py)
_MOST_KINDS, _LEAST_KINDS = 16, 6  # of executions of one loop whose lines are counted first; others by their sizes
_MOST_MARKED = 150_000  # intervals of these
_TOO_MANY_MARKED = 4_000_000  # of even fewer of them
_SEEN = (0.5, 0.25, 0.75, 1.0)  # places in the loops around at which a working set is looked at
_MOST_OF_A_PAIR = 500_000  # points of two iterations; no cache has room for what takes more
_MOST_CONDITIONS = 200  # pairs of bounds of a loop that are looked at
_LEAST_SWEPT = 48  # iterations of a loop of which a few tell what all of them touch
_FEW = 8  # of these: rows of any size of elements of 8 bytes begin alike in a line again
_MOSTLY = 0.5  # share of executions of statements in iterations that are alike


def is_regular(program: Program) -> bool:
    """Return whether all references of a program are affine and none of its loops is an average."""
    loops = (loop for leaf in program.leaves for loop in leaf.loops)
    if any(loop.average_trips is not None or loop.length is not None or loop.parallel for loop in loops):
        return False
    return not any(leaf.irregular for leaf in program.leaves)


def working_set_traffic(region: Region, hierarchy: Hierarchy, *, warm: bool) -> TrafficBytes | None:
    """Return the bytes of a region whose symbols are all bound; None where not all references are affine.

    Raises ``NotNumeric`` where it cannot be laid out, and ``OverBudget``.
    """
    program = lay_out(region)
    if not is_regular(program):
        return None
    for child in program.children:
        _narrow(child)
    size = (len(hierarchy.levels), len(program.children))
    read, allocated, written = (np.zeros(size) for _ in range(3))
    caches = [hierarchy.joined(row, 1) for row in range(len(hierarchy.levels))]
    models = {line: _Model(program, line, caches) for line in {cache.line_bytes for cache in caches}}
    for row, cache in enumerate(caches):
        found = models[cache.line_bytes].moved(row, warm=warm)
        for column, lines in enumerate(found):
            read[row, column] = lines.read * cache.line_bytes
            allocated[row, column] = lines.allocated * cache.line_bytes
            written[row, column] = lines.written * cache.line_bytes
    for row in range(1, len(hierarchy.levels)):
        read[row] = np.minimum(read[row], read[row - 1])
        allocated[row] = np.minimum(allocated[row], read[row - 1] + allocated[row - 1] - read[row])
        written[row] = np.minimum(written[row], written[row - 1])
    none, error = np.zeros(size), np.zeros(len(hierarchy.levels))
    return TrafficBytes(
        "analytic", program, hierarchy, read, allocated, written, none, none.copy(), error, program.notes
    )


def _narrow(node: Execution) -> Mapping[tuple[tuple[int, int], ...], int]:
    """Add to each loop what the loops inside need of it to run at all; return what they need of the loops around.

    Where the bounds of a loop are ``low <= a t`` and ``b t <= high``, ``a high - b low`` must not be negative, a
    condition on the loops around (Fourier, Motzkin).  Conditions are the constants of ``expression >= 0`` by its
    terms; of several statements in a loop the weakest one counts, where all have it.
    """
    if isinstance(node, Leaf):
        return {}
    inside = [_narrow(child) for child in node.children]
    needed = {
        terms: max(each[terms] for each in inside) for terms in inside[0] if all(terms in each for each in inside)
    }
    lows, highs = list(node.lows), list(node.highs)
    found: dict[tuple[tuple[int, int], ...], int] = {}
    for terms, constant in needed.items():
        factor = dict(terms).get(node.depth, 0)
        rest = tuple(term for term in terms if term[0] != node.depth)
        if factor > 0:
            lows.append(Bound(Affine(-constant, tuple((depth, -each) for depth, each in rest)), factor))
        elif factor < 0:
            highs.append(Bound(Affine(constant, rest), -factor))
        else:
            found[terms] = constant
    if len(lows) * len(highs) <= _MOST_CONDITIONS:
        for low, high in product(lows, highs):
            apart = difference(_scaled(high.limit, low.divisor), _scaled(low.limit, high.divisor))
            if apart.terms:
                found[apart.terms] = min(apart.constant, found.get(apart.terms, apart.constant))
    node.lows, node.highs = tuple(dict.fromkeys(lows)), tuple(dict.fromkeys(highs))
    return found


def _scaled(affine: Affine, factor: int) -> Affine:
    return Affine(factor * affine.constant, tuple((depth, factor * each) for depth, each in affine.terms))


def _room(cache: CacheLevel) -> float:
    """Return the lines that a nest may use of a cache."""
    return cache.lines if cache.ways is None else cache.lines * max(1, cache.ways - _WAYS_LEFT) / cache.ways


class _Model:
    """Lines of one size that the nodes of a program move into caches."""

    def __init__(self, program: Program, line_bytes: int, caches: Sequence[CacheLevel]) -> None:
        self._program = program
        self._line = line_bytes
        self._caches = caches
        self._rooms = tuple(map(_room, caches))
        self._largest = max(self._rooms)
        self._marked = 0
        self._needed: dict[int, Floats] = {}
        self._known: dict[tuple[int, int], Lines] = {}
        self._uses = {id(leaf): tuple(neighbours(leaf, line_bytes)) for leaf in program.leaves}

    def moved(self, row: int, *, warm: bool) -> list[Lines]:
        """Return what each node moves into one of the caches, one node after the other.

        Warm caches hold everything where all of it fits, and else nothing of use.
        """
        points = Points((), np.ones(1))
        found = [self._moved(child, points, 0, row) for child in self._program.children]
        if warm and sum(lines.touched for lines in found) <= self._rooms[row]:
            return [NO_LINES] * len(found)
        return found

    def _moved(self, node: Execution, points: Points, depth: int, row: int) -> Lines:
        """Return what executions of a node move, at points of the loops around."""
        kinds, numbers = kinds_of(node, points, depth)
        if isinstance(node, Leaf) or self._needs(node, depth)[row] <= self._rooms[row]:
            return self._sum(node, kinds, numbers)
        if len(kinds.weights) > MOST_OPEN_KINDS:
            kinds = some_of(kinds, sizes_of(node, kinds))
        inside, _ = kinds.inside(node)
        total = NO_LINES
        for child in node.children:
            total += self._moved(child, inside, depth + 1, row)
        return total

    def _sum(self, node: Execution, kinds: Points, numbers: Integers) -> Lines:
        """Return what executions of a node touch: of many kinds, or of large ones, some stand for the others."""
        shares = kinds.weights if len(numbers) <= _LEAST_KINDS else kinds.weights * sizes_of(node, kinds)
        order, before = np.argsort(-shares, kind="stable"), self._marked
        total, counted = NO_LINES, 0
        for number in order[:_MOST_KINDS]:
            total += self._touched_by(node, kinds, number, numbers).times(float(kinds.weights[number]))
            counted += 1
            marked = self._marked - before
            if marked > _TOO_MANY_MARKED or (marked > _MOST_MARKED and counted >= _LEAST_KINDS):
                break
        rest = order[counted:]
        if len(rest):
            some, seen = rest[:: -(-len(rest) // counted)], NO_LINES
            for number in some:
                seen += self._touched_by(node, kinds, number, numbers).times(float(kinds.weights[number]))
            share = float(shares[some].sum())
            total += seen.times(float(shares[rest].sum()) / share) if share else NO_LINES
        return total

    def _touched_by(self, node: Execution, kinds: Points, number: int, numbers: Integers) -> Lines:
        key = (id(node), int(numbers[number]))
        if key not in self._known:
            point = kinds.chosen(np.array([number]))
            swept = self._swept(node, point) if isinstance(node, CountedLoop) else None
            self._known[key] = self._touched(node, point) if swept is None else swept
        return self._known[key]

    def _needs(self, loop: CountedLoop, depth: int) -> Floats:
        """Return the most lines from an iteration of a loop to the next one, for each cache: infinite without room."""
        if id(loop) not in self._needed:
            inner = (child for child in loop.children if isinstance(child, CountedLoop))
            if any(self._needs(child, depth + 1).min() > self._largest for child in inner):
                self._needed[id(loop)] = np.full(len(self._caches), inf)
            else:
                self._needed[id(loop)] = self._pairs(loop, depth)
        return self._needed[id(loop)]

    def _pairs(self, loop: CountedLoop, depth: int) -> Floats:
        """Return the most lines of a pair of iterations at some places, up to one that no cache has room for."""
        most = np.zeros(len(self._caches))
        for place in _SEEN:
            most = np.maximum(most, self._pair(loop, depth, place))
            if most.min() > self._largest:
                break
        return most

    def _pair(self, loop: CountedLoop, depth: int, place: float) -> Floats:
        """Return the lines from one point of the body of a loop to the same one of the next iteration, the most.

        At some place in the loops around; the point is in the middle of one of the loops in the body.
        """
        points = Points((), np.ones(1))
        for each in loop.leaves[0].loops[: depth + 1]:
            low, high = (int(end) for end in each.range([int(one[0]) for one in points.counters]))
            if high < low:
                return np.zeros(len(self._caches))
            around = points
            at = low + int(max(0, high - low - (each is loop)) * place)
            points, _ = points.inside(each, (at, at))
        later = around.with_counter(np.full(1, min(at + 1, high)))
        try:
            found = [self._between(loop, number, points, later) for number in range(len(loop.children))]
        except OverBudget:
            return np.full(len(self._caches), inf)
        most: Floats = np.array(found).max(axis=0)
        return most

    def _between(self, loop: CountedLoop, number: int, first: Points, second: Points) -> Floats:
        """Return the lines from the middle of a child in one iteration to that in another one."""
        child, total = loop.children[number], Marks(self._line, _MOST_OF_A_PAIR)
        for node in loop.children[number + 1 :]:
            self._mark(node, first, total)
        for node in loop.children[:number]:
            self._mark(node, second, total)
        if isinstance(child, Leaf):
            self._mark(child, first, total)
            return self._room_for(total)
        for points, is_late in ((first, True), (second, False)):
            low, high = (int(end) for end in child.range([int(one[0]) for one in points.counters]))
            middle = (low + high) // 2
            late, early = Bound(Affine(middle)), Bound(Affine(middle - 1))
            part = replace(child, lows=(*child.lows, late)) if is_late else replace(child, highs=(*child.highs, early))
            self._mark(child, points, total, part)
        return self._room_for(total)

    def _room_for(self, marks: Marks) -> Floats:
        """Return how many lines each cache needs room for, infinite where most of them crowd in a few of its sets."""
        lines = marks.lines().touched
        return np.array(
            [
                inf if lines <= room and cache.ways and marks.crowd(cache.sets, cache.ways) else lines
                for cache, room in zip(self._caches, self._rooms, strict=True)
            ]
        )

    def _touched(
        self, node: Execution, points: Points, most: int = MOST_POINTS, part: CountedLoop | None = None
    ) -> Lines:
        """Return the lines that a node or a ``part`` of it touches at a point, each once; raises ``OverBudget``."""
        total = Marks(self._line, most)
        self._mark(node, points, total, part)
        self._marked += total.number
        return total.lines()

    def _swept(self, loop: CountedLoop, point: Points) -> Lines | None:
        """Return the lines that a loop touches at a point where most of its iterations are alike, else None.

        From one of these to the next all that is touched moves on, so that each adds as many lines: those of a few
        tell.  Others, which ends cut off, are parts of one by their executions of statements.  What one iteration
        touches comes before as far as the first or the last one is not cut off.
        """
        point = replace(point, weights=np.ones(1))
        inside, _ = point.inside(loop)
        if len(inside.weights) < _LEAST_SWEPT:
            return None
        kinds = [kinds_of(child, inside, loop.depth + 1) for child in loop.children]
        sizes = [sizes_of(child, some) for child, (some, _) in zip(loop.children, kinds, strict=True)]
        total = sum(float((each * some.weights).sum()) for each, (some, _) in zip(sizes, kinds, strict=True))
        if not total:
            return None
        middle = _most_alike(kinds[0][0], sizes[0], loop.depth)
        few, _ = point.inside(loop, (middle - _FEW, middle + _FEW - 1))
        if len(few.weights) < 2 * _FEW:
            return None
        alike = one = 0.0
        for child, each, (some, numbers) in zip(loop.children, sizes, kinds, strict=True):
            _, here = kinds_of(child, few, loop.depth + 1)
            if len(here) > 1:
                return None
            which = np.isin(numbers, here)
            alike += float((each * some.weights)[which].sum())
            one += float(each[which].sum())
        if alike < _MOSTLY * total:
            return None
        first, last = (
            self._touched(loop, point, part=_part(loop, middle - _FEW, end)) for end in (middle - 1, middle + _FEW - 1)
        )
        added = (last + first.times(-1)).times(1 / _FEW)
        ends = float(_sizes(loop, inside.chosen(np.array([0, -1]))).mean()) / one
        return added.times(total / one) + (last + added.times(-2 * _FEW)).times(ends)

    def _mark(self, node: Execution, points: Points, total: Marks, part: CountedLoop | None = None) -> None:
        """Add what a node touches, or a ``part`` of its iterations."""
        for leaf in leaves_of(node):
            loops = leaf.loops if part is None else tuple(part if loop is node else loop for loop in leaf.loops)
            for use in self._uses[id(leaf)]:
                total.add(*self._ends(leaf, loops, use, points.alone(), total), use.write)

    def _ends(
        self, leaf: Leaf, loops: Sequence[CountedLoop], use: Use, points: Points, total: Marks
    ) -> tuple[Integers, Integers]:
        """Return the first and the last bytes of what a use touches without a gap, at points of the outer loops.

        Only loops that the address depends on are gone through, one of them along the lines.  A test of other loops
        holds in some of their iterations.
        """
        depth = len(points.counters)
        needed = needed_depths(leaf, use, depth)
        tests = [test for test in leaf.tests if all(each < depth or each in needed for each in test.depths)]
        along = self._along(loops, use, needed, {each for test in tests for each in test.depths})
        hull = Hull.of(points)
        for loop in loops[depth:]:
            whole = hull.with_loop(loop)
            low, high = (np.broadcast_to(end[-1], points.weights.shape) for end in (whole.least, whole.most))
            if loop.depth in needed and loop is not along:
                points, of = points.between(low, high, total.left)
                hull = hull.chosen(of).with_points(points.counters[-1])
                continue
            points, hull, runs = points.with_counter(ANY), whole, high >= low
            if not runs.all():
                points, hull = points.chosen(runs), hull.chosen(runs)
        total.spend(len(points.weights))
        for test in tests:
            holds = np.broadcast_to(np.asarray(test.holds(points.counters)), points.weights.shape)
            points, hull = (points, hull) if holds.all() else (points.chosen(holds), hull.chosen(holds))
        ends = [points.counters, points.counters]
        if along is not None:
            around, inside = points.counters[: along.depth], points.counters[along.depth + 1 :]
            ends = [(*around, end[along.depth], *inside) for end in (hull.least, hull.most)]
        first, last = (np.broadcast_to(use.address.at(end), points.weights.shape) for end in ends)
        return np.minimum(first, last), np.maximum(first, last) + use.extent - 1

    def _along(
        self, loops: Sequence[CountedLoop], use: Use, needed: frozenset[int], tested: set[int]
    ) -> CountedLoop | None:
        """Return the innermost loop whose iterations go on in the same lines, and that decides about no other loop."""
        decisive = tested.union(*(depths_of(loop) for loop in loops if loop.depth in needed))
        for loop in reversed(loops):
            step = abs(use.address.coefficient(loop.depth))
            if loop.depth in needed and loop.depth not in decisive and 0 < step <= self._line:
                return loop
        return None


def _part(loop: CountedLoop, first: int, last: int) -> CountedLoop:
    """Return some iterations of a loop."""
    return replace(loop, lows=(*loop.lows, Bound(Affine(first))), highs=(*loop.highs, Bound(Affine(last))))


def _most_alike(kinds: Points, sizes: Floats, depth: int) -> int:
    """Return an iteration of a loop in the middle of those that are alike, of which most statements are executed."""
    return int(kinds.counters[depth][int(np.argmax(sizes * kinds.weights))]) if len(sizes) else 0


def _sizes(loop: CountedLoop, points: Points) -> Floats:
    """Return how many executions of statements iterations of a loop have."""
    return np.asarray(sum(sizes_of(child, points) for child in loop.children))
