"""How often references whose addresses are not affine in counters come to a line that they were not at just before.

Where containers grow under conditions (``if (x + 1 < n) e.push_back(..)``) the address is no sum of multiples of
counters, but moves by little from one iteration to the next: iterations are drawn, and compared with those before them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ..program.lines.enumerated import runs_at
from ..program.lines.lines import executions
from ..program.low_discrepancy import fractions
from ..program.program import CountedLoop, Irregular, Leaf, Reference, hull

_DRAWN = 1 << 12  # iterations: lines in 1 of 64 of them are counted to 12 %

_Pairs = Sequence[tuple[Leaf, Irregular]]
_Affine = Sequence[tuple[Leaf, Reference]]


def line_visits(references: _Pairs, affine: _Affine, line_bytes: int) -> float | None:
    """Return how often references to one array come to another line than before; None of some without an address.

    Lines of ``affine`` references of the same iterations are no others.
    """
    loops: dict[tuple[CountedLoop, ...], list[tuple[Leaf, Irregular]]] = {}
    for leaf, item in references:
        if item.address is None or not leaf.loops:
            return None
        loops.setdefault(leaf.loops, []).append((leaf, item))
    return sum(
        _changes(found, [each for each in affine if each[0].loops == around], line_bytes)
        * executions(replace(found[0][0], tests=()))
        for around, found in loops.items()
    )


def _changes(references: _Pairs, affine: _Affine, line_bytes: int) -> float:
    """Return the lines of one iteration of a loop that the one before it did not touch, on average."""
    leaf = references[0][0]
    ranges = hull(leaf.loops)
    if not ranges:
        return 0.0
    number = np.arange(_DRAWN, dtype=np.float64)
    counters = np.zeros((len(ranges), _DRAWN), np.int64)
    for depth, (low, high) in enumerate(ranges):
        first = low + (depth == len(ranges) - 1 and high > low)
        share = fractions(number, depth, len(ranges))
        counters[depth] = np.minimum(first + (share * (high - first + 1)).astype(np.int64), high)
    inside = runs_at(replace(leaf, tests=()), counters)
    counters = counters[:, inside]
    if not counters.shape[1]:
        return 0.0
    before = counters.copy()
    before[-1] -= 1
    here, there = (_lines(references, each, line_bytes) for each in (counters, before))
    held = np.concatenate([there, *(_lines(affine, each, line_bytes) for each in (counters, before) if affine)])
    is_new = (here >= 0) & ~(here[:, None, :] == held[None, :, :]).any(axis=1)
    for place in range(1, len(here)):
        is_new[place] &= ~(here[place] == here[:place]).any(axis=0)
    return float(is_new.sum()) / counters.shape[1]


def _lines(references: _Pairs | _Affine, counters: NDArray[np.int64], line_bytes: int) -> NDArray[np.int64]:
    """Return the first and the last line of each reference in some iterations; -1 where it is not executed."""
    found = []
    for leaf, item in references:
        assert item.address is not None
        address = np.broadcast_to(np.asarray(item.address.at(counters), np.int64), counters.shape[1:])
        runs = runs_at(leaf, counters)
        found += [np.where(runs, end // line_bytes, -1) for end in (address, address + item.size_bytes - 1)]
    return np.array(found)
