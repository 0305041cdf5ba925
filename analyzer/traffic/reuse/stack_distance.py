"""How many distinct cache lines a program touches between two moments: the stack distance of a reuse.

The moments between two executions of statements form at most ``2 * depth + 1`` boxes (the rest of the first
iteration, the iterations in between, the start of the last one).  In each box the references with equal coefficients
touch *runs* of consecutive lines: the counter with the smallest stride makes a run, further counters extend it as
long as no line is left out, the others are enumerated.  Sorting all runs counts what is distinct.  Everything is done
for many pairs of moments at once, in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..program.program import Affine, Child, CountedLoop, Leaf, Program, Reference, excess, leaves_of
from ..program.ranges import Ints, Ranges, extreme, widest

Flags = NDArray[np.bool_]

INFINITE = np.int64(1) << 50  # lines: beyond every cache
_RUNS_AT_ONCE = 300_000  # bounds the size of the arrays
_RUNS_APART = 4_000_000  # of one group before what they have in common is taken out, which bounds the memory
_MOST_RUNS = 1_500_000  # for one program; work against error as ``python -m tests.bench.traffic`` prints them


class Group(Struct, frozen=True, eq=False):
    """References under the same loops with the same coefficients; ``offsets`` are the constants of their addresses."""

    loops: tuple[CountedLoop, ...]
    terms: tuple[tuple[int, int], ...]
    needed: tuple[Affine, ...]
    offsets: Ints
    sizes: Ints

    def merged(self, line_bytes: int) -> Group:
        """Return the same lines with fewer offsets.

        References so close together that no line lies between them are one.
        """
        return Group(self.loops, self.terms, self.needed, *_without_gaps(self.offsets, self.sizes, line_bytes))


class Moments(Struct, frozen=True):
    """One execution of a statement for each of many samples; ``after`` excludes references up to that order."""

    leaf: Leaf
    counters: tuple[Ints, ...]
    order: int


class StackDistances:
    """Counts distinct lines between moments; beyond ``most_lines`` it is enough to know that there are more.

    So it is where a group of references touches more than ``most_of_group`` runs of lines between them.
    """

    def __init__(
        self,
        program: Program,
        line_bytes: int,
        most_lines: int,
        most_runs: int = _MOST_RUNS,
        most_of_group: float = inf,
    ) -> None:
        self._program = program
        self._most_of_group = most_of_group
        self._most_runs = most_runs
        self._line = line_bytes
        self._most = most_lines
        self._images: dict[tuple[int, int], tuple[_Image, ...]] = {}
        self._partial_images: dict[tuple[int, int, bool], tuple[_Image, ...]] = {}
        self._touched: dict[tuple[Any, ...], Ints] = {}
        self._runs = 0
        self._runs_per_pair = 0.0

    @property
    def exhausted(self) -> bool:
        """Return whether the whole budget is used up."""
        return self._runs > self._most_runs

    def affordable(self, pairs: int) -> int:
        """Return how many of some pairs may be counted at once, if their windows have as many runs as the last ones."""
        if self.exhausted:
            return 0
        return min(pairs, int(_RUNS_AT_ONCE / max(self._runs_per_pair, 1.0)))

    def distinct(
        self, start: Moments, end: Moments, depth: int, *, carried: bool, target: Ints, sets: Sequence[int]
    ) -> tuple[Ints, list[Ints]]:
        """Return distinct lines strictly between two moments, and those among them in the same set as line ``target``.

        The moments agree in the counters above ``depth``; ``carried``: they are in different iterations of the loop at
        ``depth``, else in different children of the body at ``depth``.  ``sets`` are numbers of sets to look at.
        """
        samples = len(target)
        collector = _Collector(samples, self._line, self._most, self._most_of_group, coarse=self.exhausted)
        for children, fixed, first in self._boxes(start, end, depth, carried=carried):
            self._add(collector, children, _Box(fixed, first, samples))
        for moments, is_start in ((start, True), (end, False)):
            box = _Box(moments.counters, None, samples)
            for image in self._partial(moments, is_start=is_start):
                collector.add(image, box)
        self._runs += collector.runs
        self._runs_per_pair = collector.runs / samples
        return collector.count(target, sets)

    def touched(self, children: Sequence[Child], fixed: Sequence[Ints], most_lines: int | None = None) -> Ints:
        """Return the distinct lines that some children touch in all, the outer counters given."""
        samples = len(fixed[0]) if fixed else 1
        key = tuple(map(id, children)), tuple(tuple(column.tolist()) for column in fixed), most_lines
        if key not in self._touched:
            target = np.zeros(samples, np.int64)
            self._touched[key] = self.touched_near(children, fixed, None, target, (), most_lines)[0]
        return self._touched[key]

    def touched_near(
        self,
        children: Sequence[Child],
        fixed: Sequence[Ints],
        first: tuple[Ints, Ints] | None,
        target: Ints,
        sets: Sequence[int],
        most_lines: int | None = None,
    ) -> tuple[Ints, list[Ints]]:
        """Return the same, and those in the set of line ``target``.

        ``first`` limits the first counter that is not fixed; beyond ``most_lines`` it is enough to know that there are
        more.
        """
        most = most_lines or self._most
        collector = _Collector(len(target), self._line, most, self._most_of_group, coarse=self.exhausted)
        self._add(collector, children, _Box(fixed, first, len(target)))
        return collector.count(target, sets)

    def _add(self, collector: _Collector, children: Sequence[Child], box: _Box) -> None:
        for child in children:
            for image in self._images_of(child, len(box.fixed)):
                collector.add(image, box)

    def _images_of(self, child: Child, fixed: int) -> tuple[_Image, ...]:
        """Return the references of a subtree by loops and coefficients, where so many outer counters are fixed."""
        key = id(child), fixed
        if key not in self._images:
            found = group_references(leaves_of(child), lambda _leaf, _reference: True)
            self._images[key] = tuple(_Image(group.merged(self._line), fixed, self._line) for group in found)
        return self._images[key]

    def _boxes(
        self, start: Moments, end: Moments, depth: int, *, carried: bool
    ) -> Iterator[tuple[Sequence[Child], tuple[Ints, ...], tuple[Ints, Ints] | None]]:
        """Yield children with fixed outer counters; with a range, it is that of the first free counter."""
        inner = depth + 1 if carried else depth
        for loop in start.leaf.loops[inner:]:
            after = start.counters[loop.depth] + 1
            yield loop.children, start.counters[: loop.depth], (after, np.full_like(after, INFINITE))
        for level in range(inner + (not carried), len(start.leaf.loops) + 1):
            rest = self._body(start.leaf, level)[start.leaf.positions[level] + 1 :]
            if rest:
                yield rest, start.counters[:level], None
        body = self._body(start.leaf, depth)
        if carried:
            loop = start.leaf.loops[depth]
            yield loop.children, start.counters[:depth], (start.counters[depth] + 1, end.counters[depth] - 1)
        else:
            between = body[start.leaf.positions[depth] + 1 : end.leaf.positions[depth]]
            if between:
                yield between, start.counters[:depth], None
        for loop in end.leaf.loops[inner:]:
            before = end.counters[loop.depth] - 1
            yield loop.children, end.counters[: loop.depth], (np.full_like(before, -INFINITE), before)
        for level in range(inner + (not carried), len(end.leaf.loops) + 1):
            head = self._body(end.leaf, level)[: end.leaf.positions[level]]
            if head:
                yield head, end.counters[:level], None

    def _body(self, leaf: Leaf, level: int) -> Sequence[Child]:
        return self._program.children if level == 0 else leaf.loops[level - 1].children

    def _partial(self, moments: Moments, *, is_start: bool) -> tuple[_Image, ...]:
        """Return the references of a statement itself that come after the start, or before the end, of a window."""
        key = id(moments.leaf), moments.order, is_start
        if key not in self._partial_images:

            def wanted(_leaf: Leaf, reference: Reference) -> bool:
                return reference.order > moments.order if is_start else reference.order < moments.order

            groups = group_references([moments.leaf], wanted)
            self._partial_images[key] = tuple(_Image(group, len(moments.counters), self._line) for group in groups)
        return self._partial_images[key]


def group_references(leaves: Sequence[Leaf], wanted: Callable[[Leaf, Reference], bool]) -> Iterator[Group]:
    """Yield references under the same loops and conditions with the same coefficients, together."""
    found: dict[tuple[Any, ...], dict[int, int]] = {}
    for leaf in leaves:
        needed = tuple(expression for test in leaf.tests for expression in test.needed)
        for reference in leaf.references:
            if wanted(leaf, reference):
                key = (leaf.loops, reference.address.terms, needed)
                sizes = found.setdefault(key, {})
                constant = reference.address.constant
                sizes[constant] = max(sizes.get(constant, 0), reference.size_bytes)
    for (loops, terms, needed), sizes in found.items():
        offsets = np.array(sorted(sizes), dtype=np.int64)
        yield Group(loops, terms, needed, offsets, np.array([sizes[int(o)] for o in offsets], dtype=np.int64))


class _Box:
    """The outer counters of many samples; with ``first``, the range of the first counter that is free."""

    def __init__(self, fixed: Sequence[Ints], first: tuple[Ints, Ints] | None, samples: int) -> None:
        self.fixed = fixed
        self.owner = np.arange(samples)
        self._all: Flags = self.owner >= 0
        self._first = first
        self._known: dict[tuple[CountedLoop, ...], tuple[Ranges, Flags]] = {}

    def ranges(self, free: tuple[CountedLoop, ...]) -> tuple[Ranges, Flags]:
        """Return the widest ranges of the counters of the free loops, and which samples have any in all of them."""
        known = self._known.get(free)
        if known is None:
            ranges = widest(free, self.fixed, len(self.owner), self._first)
            alive = self._all
            for low, high in ranges.values():
                alive = alive & (low <= high)
            self._known[free] = known = ranges, alive
        return known


class _Collector:
    """Gathers runs of lines of many samples and counts the distinct ones."""

    def __init__(self, samples: int, line_bytes: int, most_lines: int, most_of_group: float, *, coarse: bool) -> None:
        self._most_of_group = most_of_group
        self._coarse = coarse
        self._samples = samples
        self._line = line_bytes
        self._most = most_lines
        self._first: list[Ints] = []
        self._last: list[Ints] = []
        self._owner: list[Ints] = []
        self._beyond = np.zeros(samples, dtype=bool)
        self.runs = 0  # gathered so far
        self._pending = 0  # of these, gathered since what runs have in common was taken out

    def add(self, image: _Image, box: _Box) -> None:
        """Add what a group of references touches in a box."""
        found = image.runs(box, self._most, self._most_of_group, coarse=self._coarse)
        if found is None:
            return
        if found.beyond is not None:
            self._beyond[found.beyond] = True
        together = max(1, _RUNS_APART // max(len(found.first), 1))
        for at in range(0, len(found.offsets), together):
            offsets, sizes = found.offsets[at : at + together], found.sizes[at : at + together]
            self._first.append(((found.first[:, None] + offsets) // self._line).ravel())
            self._last.append(((found.last[:, None] + (offsets + (sizes - 1))) // self._line).ravel())
            self._owner.append(found.owner.repeat(len(offsets)))
            self.runs += len(self._first[-1])
            self._pending += len(self._first[-1])
            if self._pending > 2 * _RUNS_APART:
                first, last, owners = self._apart()
                self._first, self._last, self._owner, self._pending = [first], [last], [owners], 0

    def count(self, target: Ints, sets: Sequence[int]) -> tuple[Ints, list[Ints]]:
        """Return distinct lines of each sample, and for each number of sets those in the set of the sample's line."""
        if not self.runs:
            nothing = np.zeros(self._samples, dtype=np.int64)
            nothing[self._beyond] = INFINITE
            return nothing, [nothing.copy() for _ in sets]
        first, last, owner = self._apart()
        distinct = np.bincount(owner, weights=last - first + 1, minlength=self._samples).astype(np.int64)
        distinct[self._beyond] = INFINITE
        in_set = []
        for number in sets:
            rest = (target % number)[owner]
            hits = _quotient(last - rest, number) - _quotient(first - 1 - rest, number)
            same = np.bincount(owner, weights=hits, minlength=self._samples).astype(np.int64)
            same[self._beyond] = INFINITE
            in_set.append(same)
        return distinct, in_set

    def _apart(self) -> tuple[Ints, Ints, Ints]:
        """Return first and last line of the runs, without what they have in common, and their samples."""
        first, last = np.concatenate(self._first), np.concatenate(self._last)
        owner = np.concatenate(self._owner)
        low = int(first.min())
        stride = int(last.max()) - low + 2
        start, end = _sorted(first - low + owner * stride, last - first)
        before = np.empty_like(end)
        before[0], before[1:] = start[0] - 1, end[:-1]
        start = np.maximum(start, before + 1)
        kept = end >= start
        start, end = start[kept], end[kept]
        owner = start // stride
        moved = low - owner * stride
        return start + moved, end + moved, owner


class _Runs(Struct, frozen=True, eq=False):
    """Runs of bytes: the first and the last byte of each for an offset of 0, its sample, and the offsets with sizes.

    ``beyond`` are the samples with too many runs.
    """

    first: Ints
    last: Ints
    owner: Ints
    offsets: Ints
    sizes: Ints
    beyond: Ints | None


class _Image:
    """Byte ranges that one group touches where the counters of so many outer loops are fixed."""

    def __init__(self, group: Group, fixed: int, line_bytes: int) -> None:
        self.group = group
        self._free = group.loops[fixed:]
        self._base = [(depth, factor) for depth, factor in group.terms if depth < fixed]
        self._factors = {depth: factor for depth, factor in group.terms if depth >= fixed}
        self._ordered = sorted(self._factors.items(), key=lambda item: abs(item[1]))
        self._coupled = self._conditions(fixed)
        self._tied = {depth for each in self._coupled for depth, _ in each.terms if depth in self._factors}
        self._line = line_bytes

    def runs(self, box: _Box, most: float, most_of_group: float, *, coarse: bool) -> _Runs | None:
        """Return the runs, None where no sample has any.

        More than ``most`` for an offset, or ``most_of_group`` for all of them, are not enumerated.
        """
        fixed, owner = box.fixed, box.owner
        ranges, alive = box.ranges(self._free)
        for expression in self.group.needed:
            alive = alive & (extreme(expression, fixed, ranges, largest=True) >= 0)
        if not alive.all():
            if not alive.any():
                return None
            owner = owner[alive]
            fixed = [column[alive] for column in fixed]
            ranges = {depth: (low[alive], high[alive]) for depth, (low, high) in ranges.items()}
        base = np.zeros(len(owner), dtype=np.int64)
        for depth, factor in self._base:
            base = base + factor * fixed[depth]
        if not self._factors:
            return _Runs(base, base, owner, self.group.offsets, self.group.sizes, None)
        return self._spread(base, owner, fixed, ranges, (most, most_of_group), coarse=coarse)

    def _conditions(self, fixed: int) -> list[Affine]:
        """Return conditions (not negative) that tie free counters together, where a counter that moves takes part."""
        found = []
        for loop in self._free:
            found += [excess(bound, loop.depth, -1) for bound in loop.lows]
            found += [excess(bound, loop.depth, 1) for bound in loop.highs]
        found.extend(self.group.needed)
        kept = []
        for expression in found:
            free = [depth for depth, _ in expression.terms if depth >= fixed]
            if any(depth in self._factors for depth in free) and (len(free) > 1 or expression in self.group.needed):
                kept.append(expression)
        return kept

    def _spread(
        self,
        start: Ints,
        owner: Ints,
        fixed: Sequence[Ints],
        ranges: Ranges,
        most: tuple[float, float],
        *,
        coarse: bool,
    ) -> _Runs:
        start, span, run, last, offsets, sizes = self._joined(start, ranges, coarse=coarse)
        listed = [depth for depth in self._factors if depth not in run]
        if last is not None:
            listed.remove(last)
        beyond = None
        rows = np.arange(len(owner))
        chosen: dict[int, Ints] = {}
        if listed:
            number = np.ones(len(owner))
            for depth in listed:
                number *= ranges[depth][1] - ranges[depth][0] + 1
            many = number > min(most[0], most[1] / len(offsets))
            if many.any():
                beyond, keep = owner[many], ~many
                start, span, owner = start[keep], span[keep], owner[keep]
                fixed = [column[keep] for column in fixed]
                ranges = {depth: (low[keep], high[keep]) for depth, (low, high) in ranges.items()}
                if not len(owner):
                    return _Runs(start, start, owner, offsets, sizes, beyond)
            rows = np.arange(len(owner))
            for depth in listed:
                low, high = self._bounds(depth, rows, chosen, fixed, ranges)
                rows, chosen, values = _enumerate(rows, chosen, low, high)
                chosen[depth] = values
            start, span, owner = start[rows], span[rows], owner[rows]
            for depth in listed:
                start = start + self._factors[depth] * chosen[depth]
        if last is not None:
            factor = self._factors[last]
            low, high = self._bounds(last, rows, chosen, fixed, ranges)
            alive = low <= high
            low, high, owner = low[alive], high[alive], owner[alive]
            start, span = self._extended(start[alive], span[alive], factor, (low, high))
        return _Runs(start, start + span, owner, offsets, sizes, beyond)

    def _joined(
        self, start: Ints, ranges: Ranges, *, coarse: bool
    ) -> tuple[Ints, Ints, list[int], int | None, Ints, Ints]:
        """Return first byte and extent of the runs that counters make without leaving a line out, and these counters.

        The last one may be tied to others, which are enumerated before it.  Offsets become one where the run of each
        reaches the next; those that are left come with their sizes.
        """
        offsets, sizes = self.group.offsets, self.group.sizes
        span = np.zeros_like(start)
        run: list[int] = []
        for depth, factor in self._ordered:
            # A stride of so many bytes leaves no line out; a coarse count takes those that leave out one as well.
            reach = (2 if coarse else 1) * self._line + int(sizes.min()) - 1
            if not np.all((abs(factor) <= span + reach) | _single(ranges[depth])):
                break
            if depth in self._tied:
                return start, span, run, depth, offsets, sizes
            start, span = self._extended(start, span, factor, ranges[depth])
            run.append(depth)
            if len(offsets) > 1:
                offsets, sizes = _without_gaps(offsets, sizes, self._line + int(span.min()))
        return start, span, run, None, offsets, sizes

    @staticmethod
    def _extended(start: Ints, span: Ints, factor: int, range_: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
        low, high = range_
        return start + np.minimum(factor * low, factor * high), span + abs(factor) * (high - low)

    def _bounds(
        self,
        depth: int,
        rows: Ints,
        chosen: dict[int, Ints],
        fixed: Sequence[Ints],
        ranges: Ranges,
    ) -> tuple[Ints, Ints]:
        """Return range of one counter given those chosen already.

        What is not chosen yet counts with its widest range.
        """
        low, high = ranges[depth][0][rows], ranges[depth][1][rows]
        for expression in self._coupled:
            own = expression.coefficient(depth)
            if not own:
                continue
            rest: Any = expression.constant
            for other, factor in expression.terms:
                if other == depth:
                    continue
                if other in chosen:
                    rest = rest + factor * chosen[other]
                elif other in ranges:
                    rest = rest + factor * ranges[other][factor > 0][rows]
                else:
                    rest = rest + factor * fixed[other][rows]
            if own > 0:
                low = np.maximum(low, -(rest // own))
            else:
                high = np.minimum(high, rest // -own)
        return low, high


def _without_gaps(offsets: Ints, sizes: Ints, gap_bytes: int) -> tuple[Ints, Ints]:
    """Return offsets and sizes of the ranges of bytes that are left where gaps of fewer bytes are closed."""
    ends = np.maximum.accumulate(offsets + sizes)
    begins = np.nonzero(np.append(True, offsets[1:] - ends[:-1] >= gap_bytes))[0]
    last = np.append(begins[1:], len(ends)) - 1
    return offsets[begins], ends[last] - offsets[begins]


def _sorted(start: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Return runs in the order of their starts: each start, and the furthest end so far.

    Numbers that hold start and length are sorted several times as fast as the order of the starts.
    """
    bits = int(length.max()).bit_length()
    if int(start.max()) >> (63 - bits):
        order = np.argsort(start, kind="stable")
        start, length = start[order], length[order]
    else:
        packed = np.sort((start << bits) | length)
        start, length = packed >> bits, packed & ((1 << bits) - 1)
    return start, np.maximum.accumulate(start + length)


def _quotient(value: Ints, number: int) -> Any:
    """Return ``value // number`` for values above ``-number``: a shift or a product is several times as fast."""
    if number & (number - 1) == 0:
        return value >> (number.bit_length() - 1)
    return ((value + (number + 0.5)) * (1.0 / number)).astype(np.int64) - 1


def _single(range_: tuple[Ints, Ints]) -> Any:
    return range_[0] == range_[1]


def _enumerate(rows: Ints, chosen: dict[int, Ints], low: Ints, high: Ints) -> tuple[Ints, dict[int, Ints], Ints]:
    """Repeat every row for each value from ``low`` to ``high``."""
    numbers = np.maximum(high - low + 1, 0)
    index = np.repeat(np.arange(len(rows)), numbers)
    begins = np.cumsum(numbers) - numbers
    values = low[index] + np.arange(len(index)) - begins[index]
    return rows[index], {depth: column[index] for depth, column in chosen.items()}, values
