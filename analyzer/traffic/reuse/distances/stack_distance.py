"""How many distinct cache lines a program touches between two moments: the stack distance of a reuse.

The moments between two executions of statements form at most ``2 * depth + 1`` boxes (the rest of the first
iteration, the iterations in between, the start of the last one).  In each box the references with equal coefficients
touch *runs* of consecutive lines (:mod:`.images`); sorting all runs counts what is distinct (:mod:`.distinct_lines`).
Everything is done for many pairs of moments at once, in numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

import numpy as np
from msgspec import Struct

from ...program.program import Child, Leaf, Program, Reference, leaves_of
from ...program.ranges import Ints
from .distinct_lines import INFINITE, DistinctLines
from .images import Box, Image, group_references

_RUNS_AT_ONCE = 300_000  # bounds the size of the arrays
_MOST_RUNS = 1_500_000  # for one program; work against error as ``python -m tests.bench.traffic`` prints them


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
        self._images: dict[tuple[int, int], tuple[Image, ...]] = {}
        self._partial_images: dict[tuple[int, int, bool], tuple[Image, ...]] = {}
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
        collector = DistinctLines(samples, self._line, self._most, self._most_of_group, coarse=self.exhausted)
        for children, fixed, first in self._boxes(start, end, depth, carried=carried):
            self._add(collector, children, Box(fixed, first, samples))
        for moments, is_start in ((start, True), (end, False)):
            box = Box(moments.counters, None, samples)
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
        collector = DistinctLines(len(target), self._line, most, self._most_of_group, coarse=self.exhausted)
        self._add(collector, children, Box(fixed, first, len(target)))
        return collector.count(target, sets)

    def _add(self, collector: DistinctLines, children: Sequence[Child], box: Box) -> None:
        for child in children:
            for image in self._images_of(child, len(box.fixed)):
                collector.add(image, box)

    def _images_of(self, child: Child, fixed: int) -> tuple[Image, ...]:
        """Return the references of a subtree by loops and coefficients, where so many outer counters are fixed."""
        key = id(child), fixed
        if key not in self._images:
            found = group_references(leaves_of(child), lambda _leaf, _reference: True)
            self._images[key] = tuple(Image(group.merged(self._line), fixed, self._line) for group in found)
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

    def _partial(self, moments: Moments, *, is_start: bool) -> tuple[Image, ...]:
        """Return the references of a statement itself that come after the start, or before the end, of a window."""
        key = id(moments.leaf), moments.order, is_start
        if key not in self._partial_images:

            def wanted(_leaf: Leaf, reference: Reference) -> bool:
                return reference.order > moments.order if is_start else reference.order < moments.order

            groups = group_references([moments.leaf], wanted)
            self._partial_images[key] = tuple(Image(group, len(moments.counters), self._line) for group in groups)
        return self._partial_images[key]
