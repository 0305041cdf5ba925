"""Lines that data chooses (``x[col[k]]``): between every element once and a line per access, with an estimate.

Where the size of the array is not known, a single line is the least, and the estimate takes as many elements as there
are accesses.  All elements are taken to be equally likely.  In a least-recently-used cache a line then stays as long as
fewer lines than fit are touched after it (the characteristic time of Che, Tung, Wang, *Hierarchical Web caching
systems*, IEEE JSAC 20(7), 2002): with ``a`` lines in the array and ``s`` other lines filled per access, the time ``T``
in accesses solves ``s*T + a*(1 - exp(-T/a)) = capacity``, and an access misses with probability ``exp(-T/a)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, expm1, log1p

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..program.lines import executions
from ..program.program import Child, Element, Leaf, Program, leaves_of

Floats = NDArray[np.float64]


class Scattered(Struct, frozen=True):
    """Lines by outermost nest and cache, as estimates; ``least`` and ``most`` bound each kind together."""

    read: Floats
    allocate: Floats
    written: Floats
    least: Floats
    most: Floats


def scattered_lines(program: Program, caches: Sequence[CacheLevel], others: Floats) -> Scattered:
    """Return lines that irregular references fill; ``others`` are those of all other references, by nest and cache."""
    shape = (len(program.children), len(caches))
    found = Scattered(*(np.zeros(shape) for _ in range(5)))
    line = caches[0].line_bytes
    for nest, child in enumerate(program.children):
        groups = list(_groups(program, child, line))
        for group in groups:
            for place, cache in enumerate(caches):
                fills = expected_fills(group.accesses, group.lines, cache.lines, float(others[nest, place]))
                (found.read if group.reads else found.allocate)[nest, place] += fills
                found.written[nest, place] += fills if group.writes else 0.0
                found.least[nest, place] += group.least
                found.most[nest, place] += group.accesses
    return found


class _Group(Struct, frozen=True):
    """Accesses to one array in one nest: how many, over how many lines, and the fewest lines that they touch."""

    accesses: float
    lines: float
    least: float
    reads: bool
    writes: bool


def _groups(program: Program, child: Child, line_bytes: int) -> Iterator[_Group]:
    """Equal elements of one statement are one access; one that is read in an earlier statement counts as another."""
    totals: dict[str, tuple[float, int, bool, bool]] = {}
    for leaf in leaves_of(child):
        for array, size, reads, writes in _elements(leaf):
            number, known, read, written = totals.get(array, (0.0, size, False, False))
            totals[array] = (number + executions(leaf), max(known, size), read or reads, written or writes)
    for array, (number, size, reads, writes) in totals.items():
        if not number:
            continue
        placed = program.arrays[array]
        extent = placed.size_bytes if placed.is_known else max(placed.size_bytes, number * size)
        least = min(extent, number * size) / line_bytes if placed.is_known else 1.0
        yield _Group(number, max(1.0, extent / line_bytes), least, reads, writes)


def _elements(leaf: Leaf) -> Iterator[tuple[str, int, bool, bool]]:
    """Array, element size, whether it is read, whether it is written, for each element that a statement touches."""
    kinds: dict[tuple[str, Element], tuple[int, bool, bool]] = {}
    for item in leaf.irregular:
        size, reads, writes = kinds.get((item.array, item.element), (item.size_bytes, False, False))
        kinds[item.array, item.element] = (size, reads or not item.write, writes or item.write)
    for (array, _), (size, reads, writes) in kinds.items():
        yield array, size, reads, writes


def expected_fills(accesses: float, lines: float, capacity: float, others: float) -> float:
    """Expected misses of all accesses to some lines, cold ones included, while ``others`` pass through the cache."""
    cold = lines * -expm1(accesses * log1p(-1 / lines)) if lines > 1 else 1.0
    stream = others / accesses
    if lines + stream * accesses <= capacity:
        return cold
    return cold + max(0.0, accesses - cold) * exp(-_characteristic_time(lines, stream, capacity) / lines)


def _characteristic_time(lines: float, stream: float, capacity: float) -> float:
    """Return accesses after which a line that is not used again leaves the cache."""
    low, high = 0.0, 64 * lines
    if stream:
        high = min(high, capacity / stream)
    for _ in range(60):
        middle = (low + high) / 2
        if stream * middle - lines * expm1(-middle / lines) < capacity:
            low = middle
        else:
            high = middle
    return low
