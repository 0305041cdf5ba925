"""Images of iterations: the bytes that a group of references touches where the counters of outer loops are fixed.

The counter with the smallest stride makes a run of consecutive bytes, further counters extend it as long as no line is
left out, the others are enumerated; for many samples at once, in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...program.program import Affine, CountedLoop, Leaf, Reference, excess
from ...program.ranges import Ints, Ranges, extreme, widest

Flags = NDArray[np.bool_]


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


class Box:
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


class Runs(Struct, frozen=True, eq=False):
    """Runs of bytes: the first and the last byte of each for an offset of 0, its sample, and the offsets with sizes.

    ``beyond`` are the samples with too many runs.
    """

    first: Ints
    last: Ints
    owner: Ints
    offsets: Ints
    sizes: Ints
    beyond: Ints | None


class Image:
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

    def runs(self, box: Box, most: float, most_of_group: float, *, coarse: bool) -> Runs | None:
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
            return Runs(base, base, owner, self.group.offsets, self.group.sizes, None)
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
    ) -> Runs:
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
                    return Runs(start, start, owner, offsets, sizes, beyond)
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
        return Runs(start, start + span, owner, offsets, sizes, beyond)

    def _joined(
        self, start: Ints, ranges: Ranges, *, coarse: bool
    ) -> tuple[Ints, Ints, list[int], int | None, Ints, Ints]:
        """Return first byte and extent of the runs that counters make without leaving a line out, and these counters.

        The last one may be tied to others, which are enumerated before it.  Offsets become one where the run of each
        reaches the next; those left come with their sizes.
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
    last = np.nonzero(offsets[1:] - ends[:-1] >= gap_bytes)[0]
    if len(last) == len(offsets) - 1:
        return offsets, sizes
    begins = np.concatenate(([0], last + 1))
    return offsets[begins], ends[np.concatenate((last, [len(ends) - 1]))] - offsets[begins]


def _single(range_: tuple[Ints, Ints]) -> Any:
    return range_[0] == range_[1]


def _enumerate(rows: Ints, chosen: dict[int, Ints], low: Ints, high: Ints) -> tuple[Ints, dict[int, Ints], Ints]:
    """Repeat every row for each value from ``low`` to ``high``."""
    numbers = np.maximum(high - low + 1, 0)
    index = np.repeat(np.arange(len(rows)), numbers)
    begins = np.cumsum(numbers) - numbers
    values = low[index] + np.arange(len(index)) - begins[index]
    return rows[index], {depth: column[index] for depth, column in chosen.items()}, values
