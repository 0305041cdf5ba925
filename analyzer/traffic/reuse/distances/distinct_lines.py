"""Distinct lines of runs that overlap: sorted by their starts, each without what the ones before have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...program.ranges import Ints
from .images import Box, Image

INFINITE = np.int64(1) << 50  # lines: beyond every cache
_RUNS_APART = 4_000_000  # of one group before what they have in common is taken out, which bounds the memory


class DistinctLines:
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

    def add(self, image: Image, box: Box) -> None:
        """Add what a group of references touches in a box."""
        found = image.runs(box, self._most, self._most_of_group, coarse=self._coarse)
        if found is None:
            return
        if found.beyond is not None:
            self._beyond[found.beyond] = True
        together = max(1, _RUNS_APART // max(len(found.first), 1))
        for at in range(0, len(found.offsets), together):
            offsets, sizes = found.offsets[at : at + together], found.sizes[at : at + together]
            self._first.append(_floor_divided(found.first[:, None] + offsets, self._line).ravel())
            self._last.append(_floor_divided(found.last[:, None] + (offsets + (sizes - 1)), self._line).ravel())
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


def _floor_divided(value: Ints, number: int) -> Ints:
    """Return ``value // number``: a shift is several times as fast."""
    return value // number if number & (number - 1) else value >> (number.bit_length() - 1)


def _quotient(value: Ints, number: int) -> Any:
    """Return ``value // number`` for values above ``-number``: a product is several times as fast."""
    if number & (number - 1) == 0:
        return _floor_divided(value, number)
    return ((value + (number + 0.5)) * (1.0 / number)).astype(np.int64) - 1
