"""How many distinct cache lines a program touches between two moments: the stack distance of a reuse.

The moments between two executions of statements form at most ``2 * depth + 1`` boxes (the rest of the first
iteration, the iterations in between, the start of the last one).  In each box the references with equal coefficients
touch *runs* of consecutive lines: the counter with the smallest stride makes a run, further counters extend it as
long as no line is left out, the others are enumerated.  Sorting all runs counts what is distinct.  Everything is done
for many pairs of moments at once, in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from ..program.program import Affine, Child, CountedLoop, Leaf, Program, Reference, excess, leaves_of
from ..program.ranges import Ints, Ranges, extreme, widest

_INFINITE = np.int64(1) << 50
_RUNS_AT_ONCE = 300_000  # bounds the size of the arrays
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
        ends = np.maximum.accumulate(self.offsets + self.sizes)
        begins = np.nonzero(np.append(True, self.offsets[1:] - ends[:-1] >= line_bytes))[0]
        last = np.append(begins[1:], len(ends)) - 1
        offsets = self.offsets[begins]
        return Group(self.loops, self.terms, self.needed, offsets, ends[last] - offsets)


class Moments(Struct, frozen=True):
    """One execution of a statement for each of many samples; ``after`` excludes references up to that order."""

    leaf: Leaf
    counters: tuple[Ints, ...]
    order: int


class StackDistances:
    """Counts distinct lines between moments; beyond ``most_lines`` it is enough to know that there are more."""

    def __init__(self, program: Program, line_bytes: int, most_lines: int, most_runs: int = _MOST_RUNS) -> None:
        self._program = program
        self._most_runs = most_runs
        self._line = line_bytes
        self._most = most_lines
        self._groups: dict[int, tuple[Group, ...]] = {}
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
        collector = _Collector(samples, self._line, self._most, coarse=self.exhausted)
        for children, fixed, first in self._boxes(start, end, depth, carried=carried):
            for child in children:
                for group in self.groups(child):
                    collector.add(group, fixed, first)
        for group, counters in self._partial(start, end):
            collector.add(group, counters, None)
        self._runs += collector.runs
        self._runs_per_pair = collector.runs / samples
        return collector.count(target, sets)

    def touched(self, children: Sequence[Child], fixed: Sequence[Ints], most_lines: int | None = None) -> Ints:
        """Return the distinct lines that some children touch in all, the outer counters given."""
        samples = len(fixed[0]) if fixed else 1
        return self.touched_near(children, fixed, None, np.zeros(samples, np.int64), (), most_lines)[0]

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
        collector = _Collector(len(target), self._line, most_lines or self._most, coarse=self.exhausted)
        for child in children:
            for group in self.groups(child):
                collector.add(group, fixed, first)
        return collector.count(target, sets)

    def groups(self, child: Child) -> tuple[Group, ...]:
        """Return the references of a subtree by loops and coefficients."""
        if id(child) not in self._groups:
            found = group_references(leaves_of(child), lambda _leaf, _reference: True)
            self._groups[id(child)] = tuple(group.merged(self._line) for group in found)
        return self._groups[id(child)]

    def _boxes(
        self, start: Moments, end: Moments, depth: int, *, carried: bool
    ) -> Iterator[tuple[Sequence[Child], tuple[Ints, ...], tuple[Ints, Ints] | None]]:
        """Yield children with fixed outer counters; with a range, it is that of the first free counter."""
        inner = depth + 1 if carried else depth
        for loop in start.leaf.loops[inner:]:
            after = start.counters[loop.depth] + 1
            yield loop.children, start.counters[: loop.depth], (after, np.full_like(after, _INFINITE))
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
            yield loop.children, end.counters[: loop.depth], (np.full_like(before, -_INFINITE), before)
        for level in range(inner + (not carried), len(end.leaf.loops) + 1):
            head = self._body(end.leaf, level)[: end.leaf.positions[level]]
            if head:
                yield head, end.counters[:level], None

    def _body(self, leaf: Leaf, level: int) -> Sequence[Child]:
        return self._program.children if level == 0 else leaf.loops[level - 1].children

    def _partial(self, start: Moments, end: Moments) -> Iterator[tuple[Group, tuple[Ints, ...]]]:
        """Yield references of the two statements themselves that lie between the moments."""
        for group in group_references([start.leaf], lambda _leaf, reference: reference.order > start.order):
            yield group, start.counters
        for group in group_references([end.leaf], lambda _leaf, reference: reference.order < end.order):
            yield group, end.counters


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


class _Collector:
    """Gathers runs of lines of many samples and counts the distinct ones."""

    def __init__(self, samples: int, line_bytes: int, most_lines: int, *, coarse: bool) -> None:
        self._coarse = coarse
        self._samples = samples
        self._line = line_bytes
        self._most = most_lines
        self._first: list[Ints] = []
        self._last: list[Ints] = []
        self._owner: list[Ints] = []
        self._beyond = np.zeros(samples, dtype=bool)

    def add(self, group: Group, fixed: Sequence[Ints], first: tuple[Ints, Ints] | None) -> None:
        """Add what a group touches with the outer counters fixed; ``first`` limits the first free counter."""
        found = _Image(group, fixed, first, self._samples, self._line, self._most, coarse=self._coarse).runs()
        if found is None:
            return
        start, end, owner, beyond = found
        self._beyond[beyond] = True
        sizes = group.sizes - 1
        self._first.append(((start[:, None] + group.offsets) // self._line).ravel())
        self._last.append(((end[:, None] + (group.offsets + sizes)) // self._line).ravel())
        self._owner.append(np.repeat(owner, len(group.offsets)))

    @property
    def runs(self) -> int:
        """Return runs gathered so far."""
        return sum(len(first) for first in self._first)

    def count(self, target: Ints, sets: Sequence[int]) -> tuple[Ints, list[Ints]]:
        """Return distinct lines of each sample, and for each number of sets those in the set of the sample's line."""
        if not self.runs:
            nothing = np.zeros(self._samples, dtype=np.int64)
            nothing[self._beyond] = _INFINITE
            return nothing, [nothing.copy() for _ in sets]
        first, last = np.concatenate(self._first), np.concatenate(self._last)
        owner = np.concatenate(self._owner)
        stride = int(last.max()) + 2
        start, end = first + owner * stride, last + owner * stride
        order = np.argsort(start, kind="stable")
        start, end, owner = start[order], np.maximum.accumulate(end[order]), owner[order]
        before = np.empty_like(end)
        before[0], before[1:] = start[0] - 1, end[:-1]
        start = np.maximum(start, before + 1)
        kept = end >= start
        start, end, owner = start[kept], end[kept], owner[kept]
        distinct = np.bincount(owner, weights=end - start + 1, minlength=self._samples).astype(np.int64)
        distinct[self._beyond] = _INFINITE
        in_set = []
        first, last = start - owner * stride, end - owner * stride
        for number in sets:
            rest = (target % number)[owner]
            hits = _quotient(last - rest, number) - _quotient(first - 1 - rest, number)
            same = np.bincount(owner, weights=hits, minlength=self._samples).astype(np.int64)
            same[self._beyond] = _INFINITE
            in_set.append(same)
        return distinct, in_set


class _Image:
    """Byte ranges that one group touches in one box, for all samples."""

    def __init__(
        self,
        group: Group,
        fixed: Sequence[Ints],
        first: tuple[Ints, Ints] | None,
        samples: int,
        line_bytes: int,
        most_lines: int,
        *,
        coarse: bool,
    ) -> None:
        self._coarse = coarse
        self._group = group
        self._fixed = list(fixed)
        self._free = group.loops[len(fixed) :]
        self._line = line_bytes
        self._most = most_lines
        self._samples = samples
        self._limit = first

    def runs(self) -> tuple[Ints, Ints, Ints, Ints] | None:
        """Return first and last byte of each run for an offset of 0, its sample, and the samples with too many runs."""
        ranges = widest(self._free, self._fixed, self._samples, self._limit)
        owner = np.arange(self._samples)
        alive = np.ones(self._samples, dtype=bool)
        for low, high in ranges.values():
            alive &= low <= high
        for expression in self._group.needed:
            alive &= extreme(expression, self._fixed, ranges, largest=True) >= 0
        if not alive.any():
            return None
        if not alive.all():
            owner = owner[alive]
            self._fixed = [column[alive] for column in self._fixed]
            ranges = {depth: (low[alive], high[alive]) for depth, (low, high) in ranges.items()}
        base = np.zeros(len(owner), dtype=np.int64)
        moving = []
        for depth, factor in self._group.terms:
            if depth < len(self._fixed):
                base = base + factor * self._fixed[depth]
            else:
                moving.append((depth, factor))
        if not moving:
            return base, base, owner, owner[:0]
        return self._spread(base, owner, moving, ranges)

    def _coupled(self, moving: set[int]) -> list[Affine]:
        """Return conditions (not negative) that tie free counters together, where a counter that moves takes part."""
        found = []
        for loop in self._free:
            found += [excess(bound, loop.depth, -1) for bound in loop.lows]
            found += [excess(bound, loop.depth, 1) for bound in loop.highs]
        found.extend(self._group.needed)
        inside = len(self._fixed)
        kept = []
        for expression in found:
            free = [depth for depth, _ in expression.terms if depth >= inside]
            if any(depth in moving for depth in free) and (len(free) > 1 or expression in self._group.needed):
                kept.append(expression)
        return kept

    def _spread(
        self, base: Ints, owner: Ints, moving: list[tuple[int, int]], ranges: Ranges
    ) -> tuple[Ints, Ints, Ints, Ints]:
        factors = dict(moving)
        coupled = self._coupled(set(factors))
        tied = {depth for expression in coupled for depth, _ in expression.terms if depth in factors}
        ordered = sorted(moving, key=lambda item: abs(item[1]))
        run: list[int] = []
        start, span = base, np.zeros_like(base)
        # A stride of so many bytes leaves no line out; a coarse count takes those that leave out one as well.
        reach = (2 if self._coarse else 1) * self._line + int(self._group.sizes.min()) - 1
        depth, factor = ordered[0]
        if abs(factor) <= reach:
            run = [depth]
            if depth not in tied:
                start, span = self._extended(start, span, factor, ranges[depth])
                for depth, factor in ordered[1:]:
                    if depth in tied or not np.all((abs(factor) <= span + reach) | _single(ranges[depth])):
                        break
                    start, span = self._extended(start, span, factor, ranges[depth])
                    run.append(depth)
        listed = [depth for depth, _ in moving if depth not in run]
        number = np.ones(len(owner))
        for depth in listed:
            number *= ranges[depth][1] - ranges[depth][0] + 1
        many = number > self._most
        beyond = owner[many]
        if many.any():
            keep = ~many
            start, span, owner = start[keep], span[keep], owner[keep]
            self._fixed = [column[keep] for column in self._fixed]
            ranges = {depth: (low[keep], high[keep]) for depth, (low, high) in ranges.items()}
            if not len(owner):
                return start, start, owner, beyond
        rows = np.arange(len(owner))
        chosen: dict[int, Ints] = {}
        for depth in listed:
            low, high = self._bounds(depth, rows, chosen, coupled, ranges)
            rows, chosen, values = _enumerate(rows, chosen, low, high)
            chosen[depth] = values
        start, span, owner = start[rows], span[rows], owner[rows]
        for depth in listed:
            start = start + factors[depth] * chosen[depth]
        if run and run[0] in tied:
            depth, factor = run[0], factors[run[0]]
            low, high = self._bounds(depth, rows, chosen, coupled, ranges)
            alive = low <= high
            start, low, high, owner = start[alive], low[alive], high[alive], owner[alive]
            start = start + np.minimum(factor * low, factor * high)
            span = abs(factor) * (high - low)
        return start, start + span, owner, beyond

    @staticmethod
    def _extended(start: Ints, span: Ints, factor: int, range_: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
        low, high = range_
        return start + np.minimum(factor * low, factor * high), span + abs(factor) * (high - low)

    def _bounds(
        self,
        depth: int,
        rows: Ints,
        chosen: dict[int, Ints],
        coupled: Sequence[Affine],
        ranges: Ranges,
    ) -> tuple[Ints, Ints]:
        """Return range of one counter given those chosen already.

        What is not chosen yet counts with its widest range.
        """
        low, high = ranges[depth][0][rows], ranges[depth][1][rows]
        for expression in coupled:
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
                    rest = rest + factor * self._fixed[other][rows]
            if own > 0:
                low = np.maximum(low, -(rest // own))
            else:
                high = np.minimum(high, rest // -own)
        return low, high


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
