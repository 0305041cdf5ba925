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
from msgspec import Struct, field
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..program.distinct import distinct_lines
from ..program.lines import LineCounts, Lines, executions
from ..program.program import Child, Element, Irregular, Leaf, Program, leaves_of

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
        held = sum(group.lines for group in groups)
        for group in groups:
            covered = _covered(program, nest, group, line)
            for place, cache in enumerate(caches):
                other = float(others[nest, place])
                fills = expected_fills(group.accesses, group.lines, cache.lines, other, covered)
                (found.read if group.reads else found.allocate)[nest, place] += fills
                found.written[nest, place] += fills if group.writes else 0.0
                found.least[nest, place] += min(group.least, fills)
                fits = _fits(cache, held + other, len(groups))
                found.most[nest, place] += min(group.accesses, group.lines) if fits else group.accesses
    return found


class _Group(Struct, frozen=True):
    """Accesses to a part of an array in one nest: how many, over how many lines, and the fewest that they touch."""

    array: str
    accesses: float
    lines: float
    least: float
    reads: bool
    writes: bool


class _Total(Struct):
    """What the accesses of a nest to a part of an array add up to."""

    size_bytes: int = 0
    accesses: float = 0.0
    reads: bool = False
    writes: bool = False
    computed: list[tuple[Leaf, Irregular]] = field(default_factory=list)
    is_computed: bool = True


def _groups(program: Program, child: Child, line_bytes: int) -> Iterator[_Group]:
    """Equal elements of one statement are one access; one that is read in an earlier statement counts as another."""
    totals: dict[tuple[str, tuple[int, int] | None], _Total] = {}
    for leaf in leaves_of(child):
        for item, size, reads, writes in _elements(leaf):
            total = totals.setdefault((item.array, item.reach), _Total())
            total.accesses += executions(leaf)
            total.size_bytes = max(total.size_bytes, size)
            total.reads, total.writes = total.reads or reads, total.writes or writes
            total.is_computed = total.is_computed and item.address is not None and not leaf.uncertain
            total.computed.append((leaf, item))
    for (array, reach), total in totals.items():
        if total.accesses:
            lines, least = _extent(program, array, reach, total, line_bytes)
            yield _Group(array, total.accesses, lines, least, total.reads, total.writes)


def _extent(
    program: Program, array: str, reach: tuple[int, int] | None, total: _Total, line_bytes: int
) -> tuple[float, float]:
    """Return over how many lines some accesses spread, and the fewest that they touch."""
    placed, packed = program.arrays[array], total.accesses * total.size_bytes
    if reach is None:
        declared = placed.declared_bytes
        extent = max(placed.size_bytes, packed) if declared is None else declared
        return max(1.0, extent / line_bytes), 1.0 if declared is None else min(extent, packed) / line_bytes
    low, high = reach
    if placed.declared_bytes is not None:
        end = placed.start + max(placed.declared_bytes - total.size_bytes, 0)
        low, high = min(max(low, placed.start), end), max(min(high, end), placed.start)
    lines = float((high + total.size_bytes - 1) // line_bytes - low // line_bytes + 1)
    distinct = distinct_lines(total.computed, (low, high), line_bytes) if total.is_computed else None
    return (lines, min(lines, packed / line_bytes)) if distinct is None else (distinct, distinct)


def _elements(leaf: Leaf) -> Iterator[tuple[Irregular, int, bool, bool]]:
    """Reference, element size, whether it is read, whether it is written, for each element that a statement touches."""
    kinds: dict[tuple[str, Element], tuple[Irregular, int, bool, bool]] = {}
    for item in leaf.irregular:
        first, size, reads, writes = kinds.get((item.array, item.element), (item, item.size_bytes, False, False))
        kinds[item.array, item.element] = (first, size, reads or not item.write, writes or item.write)
    yield from kinds.values()


def _covered(program: Program, nest: int, group: _Group, line_bytes: int) -> float:
    """Return the share of the lines of a group that affine references touch until the end of its nest."""
    children = program.children[: nest + 1]
    leaves = [leaf for child in children for leaf in leaves_of(child)]
    if not any(reference.array == group.array for leaf in leaves for reference in leaf.references):
        return 0.0
    touched = LineCounts(program, group.array, line_bytes, writes=False)(Lines(tuple(children), 0))
    placed = program.arrays[group.array]
    return min(1.0, touched / max(group.lines, (placed.declared_bytes or placed.size_bytes) / line_bytes))


def _fits(cache: CacheLevel, lines: float, groups: int) -> bool:
    """Return whether no set of a cache gets more lines than it has ways, each array being one block of memory."""
    if not cache.ways:
        return lines <= cache.lines
    return 2 * lines <= cache.lines and lines / cache.sets + groups <= cache.ways


def expected_fills(accesses: float, lines: float, capacity: float, others: float, covered: float = 0.0) -> float:
    """Expected misses of all accesses to some lines, cold ones included, while ``others`` pass through the cache.

    The share ``covered`` of the lines is not cold: other references touch them too.
    """
    cold = (1 - covered) * (lines * -expm1(accesses * log1p(-1 / lines)) if lines > 1 else 1.0)
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
