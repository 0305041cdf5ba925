"""Memory requests of warp instructions: sectors of global memory, and bank conflicts of shared memory.

A request is one execution of a reference by the threads of a warp that are active.  Global memory serves it in sectors
of 32 bytes, shared memory in one cycle per word of the busiest bank.  Words of 4 bytes of the memory of one thread lie
between those of the other threads of its warp (NVIDIA, CUDA C++ Programming Guide, local memory).  Registers make no
request, nor does constant memory, whose cache is apart and whose values are operands of other instructions.  All
threads of some blocks are enumerated, at some values of the sequential counters (of small kernels all), and scaled to
the exact number of executions.  A counter that only moves addresses repeats its requests (:mod:`.repeated_requests`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as PyMapping
from copy import copy
from math import prod

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ...ir.nodes import Mapping, MemorySpace
from ..program.addresses.reach import step_of
from ..program.lines.lines import exact_ranges, executions
from ..program.program import (
    Affine,
    Computed,
    CountedLoop,
    Irregular,
    Leaf,
    NotNumeric,
    Program,
    Reference,
    guarded_hull,
    hull,
)
from ..program.ranges import Ints
from ..program.schedules.lockstep import THREADS
from ..results import Request
from .distinct import bank_rows, distinct_owners, distinct_pairs
from .irregular_requests import requested_irregular
from .registers import requested_references
from .repeated_requests import periods_of
from .threads.phases import phases_of
from .threads.samples import extent_of, lanes_of, spread

_ROWS = 1 << 16  # threads enumerated for one statement, which bounds time and memory
_ALL_ROWS = 1 << 20  # threads times references of a kernel, up to which all are enumerated: 0.2 s
_MOST_SAMPLES = 256  # of the sequential counters, where not all fit; ``tests.bench.gpu_bytes`` shows the effect
_MOST_TOGETHER = 8  # product of the trip counts of loops of which every iteration is sampled
_BANK_BYTES, _WIDEST_BYTES = 4, 16  # of shared memory (NVIDIA, CUDA C++ Programming Guide, shared memory)


class WarpShape(Struct, frozen=True):
    """Threads of a warp, bytes of a sector, banks of shared memory (4 bytes wide)."""

    threads: int = 32
    sector_bytes: int = 32
    banks: int = 32


def requests_of(program: Program, shape: WarpShape) -> Iterator[Request]:
    """Yield the requests of every reference of a program in lockstep; threads are the innermost loops.

    Raises :class:`~..program.program.NotNumeric` where none of the threads that are looked at run a statement.
    References to values in registers (:mod:`.registers`) make no request.  With a data-dependent subscript every
    active thread asks for a sector of its own if data choose its element; where they choose a row for the warp, its
    threads ask for the elements of the row, which starts anywhere in a sector.
    """
    requested, others = requested_references(program), requested_irregular(program)
    phases = phases_of(program)
    number = sum(len(each) for found in (requested, others) for each in found.values())
    rows = max(_ROWS, _ALL_ROWS // max(number, 1))
    for leaf in program.leaves:
        irregular, phase = others.get(id(leaf), ()), phases[id(leaf)]
        if not (requested.get(id(leaf)) or irregular) or guarded_hull(leaf.loops, leaf.tests) is None:
            continue
        references: list[Reference | Irregular] = [each.reference for each in requested.get(id(leaf), ())]
        references += [each.reference for each in irregular]
        is_global = all(program.arrays[each.array].space is MemorySpace.GLOBAL for each in references)
        repeat_bytes = shape.sector_bytes if is_global else shape.banks * _BANK_BYTES
        periods = periods_of(leaf, references, repeat_bytes)
        sample = Sample(leaf, shape, all_rows=rows, periods=periods)
        if not sample.runs:
            if sample.is_complete or not executions(leaf):
                continue
            sample = Sample(leaf, shape, all_rows=rows, periods=periods, ranges=exact_ranges(leaf))
        if not sample.runs:
            raise NotNumeric("never-sampled", line=leaf.line)
        scale = executions(leaf) / sample.accesses if sample.accesses else 0.0
        for each in requested.get(id(leaf), ()):
            placed = program.arrays[each.reference.array]
            found = sample.without(each.invariant).request(each.reference, placed.space, scale, placed.shifts)
            yield replace(found, iterations=each.iterations, phase=phase.number, waits=phase.waits)
        for other in irregular:
            placed = program.arrays[other.reference.array]
            found = sample.irregular(other.reference, placed.space, scale, placed.shifts)
            yield replace(found, iterations=other.iterations, phase=phase.number, waits=phase.waits)


class Sample:
    """All threads of some blocks at some values of the sequential counters, for one statement."""

    def __init__(
        self,
        leaf: Leaf,
        shape: WarpShape,
        rows: int = _ROWS,
        all_rows: int = _ROWS,
        periods: PyMapping[int, int] | None = None,
        ranges: Sequence[tuple[int, int]] | None = None,
    ) -> None:
        """Enumerate all threads where they are at most ``all_rows``, else those of ``rows``, and of one block at least.

        ``periods`` are those of counters, by depth, of which one period has all that differs.  Counters are sampled
        in these ``ranges``, or in those that each condition by itself leaves.
        """
        self._leaf = leaf
        self._periods = periods or {}
        self._shape = shape
        threads = [loop for loop in leaf.loops if loop.mapping in THREADS]
        self._axes = threads
        self._threads = frozenset(loop.depth for loop in threads)
        self._trips: dict[int, NDArray[np.float64]] = {}
        lanes = lanes_of(threads)
        self._ranges = ranges or guarded_hull(leaf.loops, leaf.tests) or []
        ranges = hull(leaf.loops) or []
        self._widths = [high - low + 1 for low, high in ranges]
        everything = prod(self._looked_at(loop.depth) for loop in leaf.loops if ranges and loop not in threads)
        room = max(1, rows // max(1, lanes.shape[1]))
        self.is_complete = everything <= max(1, all_rows // max(1, lanes.shape[1]))
        self._number = everything if self.is_complete else min(_MOST_SAMPLES, room)
        self._lanes = lanes
        self._counters, self._active, self._weight = self._points(threads)
        warp = np.arange(lanes.shape[1]) // shape.threads
        sample = np.repeat(np.arange(self._number), lanes.shape[1])
        self._group = sample * (int(warp.max(initial=0)) + 1) + np.tile(warp, self._number)
        self._sample_of_group = np.zeros(int(self._group.max(initial=0)) + 1, np.int64)
        self._sample_of_group[self._group] = sample
        self._lane = np.tile(np.arange(lanes.shape[1]) % shape.threads, self._number)

    @property
    def runs(self) -> bool:
        """Return whether any thread is active in the sample."""
        return bool(self._active.any())

    @property
    def accesses(self) -> float:
        """Return the weighted number of active executions."""
        return float(self._weight[self._sample_of_group[self._group[self._active]]].sum())

    @property
    def warps(self) -> float:
        """Return the weighted number of executions by warps, of whose threads any is active."""
        group = self._group[self._active]
        return self._total(distinct_owners(group, np.zeros_like(group)))

    def without(self, invariant: frozenset[int]) -> Sample:
        """Return the sample weighted for a reference that runs once in all iterations of ``invariant`` loops."""
        found = copy(self)
        for depth in invariant:
            found._weight = found._weight / np.maximum(self._trips[depth], 1.0)
        return found

    def irregular(self, item: Irregular, space: MemorySpace, scale: float, shifts: Sequence[int] = ()) -> Request:
        """Return the totals of a reference that is not affine: a guess where its addresses depend on data."""
        if item.address is not None:
            return self.request(item, space, scale, shifts)
        group, requests = self._group[self._active], self.warps
        varies = bool(item.depends & self._threads)
        along = self._along(item) if varies else np.zeros_like(group)
        if along is not None and item.rises:
            along = along + self._ranks(group) * item.rises
        on_chip = space is MemorySpace.SHARED
        sectors = passes = useful = least = 0.0
        if on_chip:
            passes = least = requests
            if along is not None:
                passes, least = self._passes(along, group, self._lane[self._active], item.size_bytes)
        else:
            sectors = self.accesses if along is None else self._sectors_anywhere(along, group, item.size_bytes)
            useful = (self.accesses if along is None else self._total(distinct_owners(group, along))) * item.size_bytes
        totals = self._totals(item, space, (requests, sectors, useful, passes, least), scale)
        return replace(totals, is_guess=True, is_scattered=along is None, is_random=item.is_random)

    def _ranks(self, group: Ints) -> Ints:
        """Return how many active threads of its warp come before each active one."""
        first = np.searchsorted(group, group)
        return np.arange(len(group)) - first

    def _along(self, item: Irregular) -> Ints | None:
        """Return how far the elements of the threads of a warp are apart, in bytes, where data choose the same for all.

        None where data choose the element of each thread.
        """
        found = np.zeros(self._lanes.shape[1], np.int64)
        first = np.arange(len(found)) // self._shape.threads * self._shape.threads
        for axis, row in zip(self._axes, self._lanes, strict=True):
            step = None if item.lane_base is None else step_of(item.lane_base, axis.depth)
            if step is None and (row != row[first]).any():
                return None
            found += (step or 0) * row
        return np.tile(found, self._number)[self._active]

    def _sectors_anywhere(self, along: Ints, group: Ints, size_bytes: int) -> float:
        """Return the sectors of requests whose first element is equally likely to be anywhere in a sector."""
        starts = range(0, self._shape.sector_bytes, size_bytes)
        counted = 0.0
        for start in starts:
            first, last = ((along + start + byte) // self._shape.sector_bytes for byte in (0, size_bytes - 1))
            owners = np.concatenate([group, group[last > first]])
            counted += self._total(distinct_owners(owners, np.concatenate([first, last[last > first]])))
        return counted / len(starts)

    def request(
        self, reference: Reference | Irregular, space: MemorySpace, scale: float, shifts: Sequence[int] = ()
    ) -> Request:
        """Return the totals of one reference whose address is known: sectors are the mean over shifts of its array."""
        assert reference.address is not None
        address = np.asarray(reference.address.at(self._counters)) + np.zeros(self._counters.shape[1], np.int64)
        address, group, lane = address[self._active], self._group[self._active], self._lane[self._active]
        step, requests = _step(self._leaf, reference.address, address, group, lane), self.warps
        sectors = useful = passes = least = error = 0.0
        if space is MemorySpace.SHARED:
            passes, least = self._passes(address, group, lane, reference.size_bytes)
            useful = self._total(distinct_owners(group, address)) * reference.size_bytes
        else:
            address, group, width = self._apart(address, group, lane, reference.size_bytes, space)
            by_shift = [self._sectors(address + shift, group, width) for shift in (0, *shifts)]
            sectors = sum(found for found, _ in by_shift) / len(by_shift)
            error = max(abs(found - sectors) + own * found for found, own in by_shift) / (sectors or 1.0)
            useful = self._total(distinct_owners(group, address)) * width
        totals = self._totals(reference, space, (requests, sectors, useful, passes, least), scale)
        return replace(totals, step_bytes=step, sectors_error=error)

    def _totals(
        self, reference: Reference | Irregular, space: MemorySpace, counted: Sequence[float], scale: float
    ) -> Request:
        """Return the request of a reference; ``counted`` are requests, sectors, useful bytes, passes, least passes."""
        requests, sectors, useful, passes, least = (number * scale for number in counted)
        return Request(
            text=reference.text,
            array=reference.array,
            line=self._leaf.line,
            write=reference.write,
            size_bytes=reference.size_bytes,
            space=space,
            accesses=self.accesses * scale,
            requests=requests,
            sectors=sectors,
            useful_bytes=useful,
            passes=passes,
            least_passes=least,
            step_bytes=None,
            sector_bytes=self._shape.sector_bytes,
            is_certain=not self._leaf.uncertain,
            is_atomic=reference.atomic,
            is_scaled=not self.is_complete,
        )

    def _sectors(self, address: Ints, group: Ints, width: int) -> tuple[float, float]:
        """Return the sectors of requests for elements of so many bytes, and by what share their number may be off."""
        size = self._shape.sector_bytes
        first, last = address // size, (address + width - 1) // size
        spread = np.concatenate([first, last[last > first]])
        owners = np.concatenate([group, group[last > first]])
        found = self._sample_of_group[distinct_owners(owners, spread)]
        counts = np.bincount(found, minlength=self._number) * self._weight
        return float(counts.sum()), self._error(counts)

    def _apart(
        self, address: Ints, group: Ints, lane: Ints, size_bytes: int, space: MemorySpace
    ) -> tuple[Ints, Ints, int]:
        """Return the addresses of a request, their warps, and bytes at each: of local memory the words of threads."""
        if space is not MemorySpace.LOCAL:
            return address, group, size_bytes
        words = max(1, size_bytes // _BANK_BYTES)
        first = address // _BANK_BYTES
        numbers = np.concatenate([(first + word) * self._shape.threads + lane for word in range(words)])
        return numbers * _BANK_BYTES, np.tile(group, words), _BANK_BYTES

    def _passes(self, address: Ints, group: Ints, lane: Ints, size_bytes: int) -> tuple[float, float]:
        """Return the cycles of the banks, and those without conflicts; values move in aligned parts of 4 to 16 bytes.

        Threads go in groups that together could use every bank once (CUDA C++ Programming Guide, shared memory).
        """
        part_bytes = min(size_bytes & -size_bytes, _WIDEST_BYTES)
        parts = [self._part(address + first, group, lane, part_bytes) for first in range(0, size_bytes, part_bytes)]
        return sum(cycles for cycles, _ in parts), sum(least for _, least in parts)

    def _part(self, address: Ints, group: Ints, lane: Ints, size_bytes: int) -> tuple[float, float]:
        together = max(1, self._shape.threads * _BANK_BYTES // max(size_bytes, _BANK_BYTES))
        groups = -(-self._shape.threads // together)
        owners, words = distinct_pairs(group * groups + lane // together, address // _BANK_BYTES)
        bank = owners * self._shape.banks + words % self._shape.banks
        cycles = bank_rows(np.bincount(bank), self._shape.banks).max(axis=1)
        weight = self._weight[self._sample_of_group[np.arange(len(cycles)) // groups]]
        return float((cycles * weight).sum()), float(((cycles > 0) * weight).sum())

    def passes_with_rows(self, reference: Reference, start: int, row_bytes: int, padding_bytes: int) -> float:
        """Return the passes of a reference where the rows of its array, which starts there, are longer."""
        address = np.asarray(reference.address.at(self._counters)) + np.zeros(self._counters.shape[1], np.int64)
        address = address + (address - start) // row_bytes * padding_bytes
        active = self._active
        return self._passes(address[active], self._group[active], self._lane[active], reference.size_bytes)[0]

    def _total(self, groups: Ints) -> float:
        """Return the sum of the weights of groups, one for each entry."""
        return float(self._weight[self._sample_of_group[groups]].sum())

    def _error(self, of_samples: NDArray[np.float64]) -> float:
        """Return by what share a total that is scaled from weighted counts of samples may be off: two deviations.

        It is scaled by the accesses, of which all are known: what the ratio of the two varies from sample to sample
        counts (Cochran, Sampling Techniques, 6.4), as if the samples were independent.
        """
        total = float(of_samples.sum())
        if self.is_complete or not total:
            return 0.0
        owners = self._sample_of_group[self._group[self._active]]
        accesses = np.bincount(owners, minlength=self._number) * self._weight
        residuals = of_samples - accesses * (total / float(accesses.sum()))
        return min(1.0, 2.0 * float(np.sqrt((residuals**2).sum())) / total)

    def _points(self, threads: Sequence[CountedLoop]) -> tuple[Ints, NDArray[np.bool_], NDArray[np.float64]]:
        """Return counters (a row per depth, a column per thread and sample), active columns, and weights of samples."""
        lanes, samples = self._lanes.shape[1], self._number
        columns = lanes * samples
        counters = np.zeros((len(self._leaf.loops), columns), np.int64)
        active = np.ones(columns, bool)
        weight = np.ones(samples)
        index = np.arange(samples) + 0.5
        drawn, together = 0, 1
        rest = np.arange(samples)
        if not self.is_complete:
            rest = rest + rest // self._together(threads)  # their order shifts, lest it keeps step with other counters
        for loop in self._leaf.loops:
            low, high = (np.asarray(bound) + np.zeros(columns, np.int64) for bound in loop.range(counters))
            if loop in threads:
                counters[loop.depth] = np.tile(self._lanes[threads.index(loop)], samples)
            else:
                first, last = low.reshape(samples, lanes).min(axis=1), high.reshape(samples, lanes).max(axis=1)
                least, most = self._ranges[loop.depth]
                if not self.is_complete and 2 * (most - least + 1) < int((last - first).max(initial=0)) + 1:
                    first, last = np.maximum(first, least), np.minimum(last, most)
                extent = np.maximum(last - first + 1, 0)
                self._trips[loop.depth] = extent.astype(np.float64)
                widest = self._widths[loop.depth]
                if self.is_complete:
                    some = self._looked_at(loop.depth)
                    value, rest = first + rest % some, rest // some
                    weight = weight * ((widest - 1 - (value - first)) // some + 1)
                elif widest * together <= _MOST_TOGETHER:
                    together *= widest
                    weight = weight * widest
                    value, rest = first + rest % widest, rest // widest
                else:
                    share = spread(index, drawn, samples)
                    drawn += 1
                    value = first + np.minimum((share * extent).astype(np.int64), np.maximum(extent - 1, 0))
                    weight = weight * extent
                counters[loop.depth] = np.repeat(value, lanes)
            active &= (counters[loop.depth] >= low) & (counters[loop.depth] <= high)
        for test in self._leaf.tests:
            active &= np.asarray(test.holds(counters), dtype=np.bool_)
        return counters, active, weight if self.is_complete else weight / samples

    def _looked_at(self, depth: int) -> int:
        """Return of how many iterations the requests are enumerated where all that differ are."""
        return min(self._widths[depth], self._periods.get(depth, self._widths[depth]))

    def _together(self, threads: Sequence[CountedLoop]) -> int:
        """Return the number of iterations of the loops of which every one is sampled."""
        together = 1
        for loop in self._leaf.loops:
            if loop not in threads and self._widths[loop.depth] * together <= _MOST_TOGETHER:
                together *= self._widths[loop.depth]
        return together


def _step(leaf: Leaf, address: Affine | Computed, places: Ints, group: Ints, lane: Ints) -> int | None:
    """Return the bytes between the elements of neighbouring threads; None where there is one thread along x.

    Where they are not the same everywhere (``min(i + 1, n - 1)``) those of most neighbours, None without a majority.
    """
    inner = next((loop for loop in reversed(leaf.loops) if loop.mapping is Mapping.THREAD_X), None)
    if inner is None or extent_of(inner) <= 1:
        return None
    if isinstance(address, Affine):
        return address.coefficient(inner.depth)
    beside = (group[1:] == group[:-1]) & (lane[1:] == lane[:-1] + 1)
    steps, counts = np.unique(np.diff(places)[beside], return_counts=True)
    return int(steps[counts.argmax()]) if 2 * counts.max(initial=0) > counts.sum() else None
