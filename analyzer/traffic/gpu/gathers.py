"""Sectors of a kernel's references that are not affine: how many there are, and how often a cache misses them.

* A subscript of loop counters alone (``a[i / 36]``): the sectors of some consecutive blocks are counted one by one.
* A data-dependent subscript (``x[idx[i]]``): the estimate of :mod:`..reuse.irregular`, all elements equally likely;
  where the size of the array is not known, neighbours: a thread comes to one element, however many references it has,
  to none but its own where it also has an affine one.
* A row that starts where data say (``val[start[i] + k]``): its elements, none of which another row has.
* Any other subscript (a neighbour that is clamped at the rim, a running pointer): elements are assumed to follow each
  other, each touched once.

Sectors that affine references to the same array touch are not counted again.  Where the element does not depend on
some indices of blocks, these blocks fetch it each for its own L1 (the tiles of a product of matrices).  The lower bound
is no sector, the upper bound a sector for every execution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
from msgspec import Struct

from ...ir.index import Poly
from ...ir.nodes import MemorySpace
from ...python.integers import distinct
from ..hierarchy import CacheLevel
from ..program.addresses.reach import step_of
from ..program.lines.lines import executions
from ..program.program import Computed, Element, Irregular, Leaf, Program, hull
from ..program.ranges import Ints
from ..program.schedules.lockstep import BLOCKS, THREADS
from ..reuse.irregular import Floats, expected_fills
from .irregular_requests import requested_irregular
from .random_sectors import RandomAccesses, Sharing, random_sectors

_POINTS = 1 << 18
"""Executions that are enumerated, which bounds time and memory; the count of the others is extrapolated."""
_COVERED = 0.9
"""Share of the irregular sectors that an array must have for its affine references to count as touching all of them.
It is a choice; ``tests.bench.gpu_bytes`` shows its effect on recorded kernels, and that of ``_WINDOW``."""
_WINDOW = 64
"""Iterations up to which a loop counts as a window around one element, where data does not choose the element."""


class Gathered(Struct):
    """Sectors by cache: estimates of fills (``read``) and write-backs (``written``), and upper bounds of both.

    Memory sends so many sectors ``beside`` those that random references choose.
    """

    read: Floats
    written: Floats
    most_read: Floats
    most_written: Floats
    beside: float = 0.0


class _Group(Struct, frozen=True, kw_only=True):
    """Irregular references of one statement to one element: their accesses and the sectors of these.

    ``accesses`` are those with other counters that the element depends on, of ``executions``; each is in ``blocks``.
    ``sectors`` are those of accesses in sequence; 0 where the address follows from loop counters (``is_computed``).
    ``near`` are the sectors with short loops taken as windows around one element; a thread that gathers does so from
    about as many elements as there are threads, unless it goes along a row (``is_row``).  ``is_also_affine``: the
    innermost loop has an affine reference to the array as well.
    """

    accesses: float
    executions: float
    blocks: int
    sectors: float
    near: float
    reads: bool
    writes: bool
    gathers: bool
    is_computed: bool
    is_also_affine: bool
    is_row: bool
    is_random: bool
    is_atomic: bool
    item: Irregular

    @property
    def is_window(self) -> bool:
        """Return whether it comes to elements around one that data choose."""
        return self.gathers and not self.is_row


def gathered_sectors(
    program: Program,
    caches: Sequence[CacheLevel],
    others: Floats,
    allocated: Mapping[str, int],
    sharing: Sharing,
) -> Gathered:
    """Return the sectors that irregular references to global memory move.

    ``others`` are the sectors of the affine references, by cache.  An array has no more distinct sectors than were
    ``allocated`` for it, in bytes; the kernel itself does not tell, so that neighbours stay neighbours.
    """
    read, written, most_read, most_written = (np.zeros(len(caches)) for _ in range(4))
    found = Gathered(read, written, most_read, most_written)
    line = caches[0].line_bytes
    affine = {reference.array for leaf in program.leaves for reference in leaf.references}
    for array, groups in _by_array(program, line).items():
        layout = program.arrays[array]
        computed = _distinct(program, array, line)
        held = layout.size_bytes / line if array in affine else 0.0
        is_near = all(group.is_also_affine or held >= _COVERED * group.near for group in groups)
        covered = is_near and held >= _COVERED * computed
        known = layout.size_bytes / line if layout.declared_bytes is not None or covered else np.inf
        room = allocated[array] / line if array in allocated and not np.isfinite(known) else np.inf
        extent = min(known, room)
        if np.isfinite(extent) and all(group.is_random for group in groups):
            drawn = _drawn(groups, extent * line, sharing.shape.fetch_bytes)
            for index in range(len(caches)):
                fills, stores = random_sectors(drawn, caches, index, float(others[index]), sharing)
                found.read[index], found.written[index] = found.read[index] + fills, found.written[index] + stores
                executed = sum(group.executions for group in groups)
                found.most_read[index] += executed * drawn.reads
                found.most_written[index] += executed * drawn.writes
            found.beside += fills * (sharing.shape.sectors_together - 1)
            continue
        for kind, most, used in (
            (found.read, found.most_read, [group for group in groups if group.reads]),
            (found.written, found.most_written, [group for group in groups if group.writes]),
        ):
            accesses = sum(group.accesses for group in used)
            counted = computed if any(group.is_computed for group in used) else 0.0
            sectors = min(counted + sum(group.sectors for group in used), known, room)
            for index, cache in enumerate(caches):
                fills = 0.0 if covered else max(0.0, sectors - held)
                if any(group.gathers for group in used):
                    fills = _gathered(used, known, cache.lines, float(others[index]), covered=covered)
                    if np.isfinite(room):
                        fills = min(fills, expected_fills(accesses, max(1.0, room), cache.lines, float(others[index])))
                executed = sum(group.executions for group in used)
                kind[index] += min(fills * (_repeated(used) if cache.per_block else 1.0), max(executed, fills))
                most[index] += executed
    return found


def _repeated(groups: Sequence[_Group]) -> float:
    """Return how many blocks come to an element, on average over the accesses."""
    accesses = sum(group.accesses for group in groups)
    return sum(group.accesses * group.blocks for group in groups) / accesses if accesses else 1.0


def _drawn(groups: Sequence[_Group], extent_bytes: float, line_bytes: int) -> RandomAccesses:
    """Return random accesses to an array; those at fixed distances from one another choose lines together."""
    chosen = 0.0
    first: dict[Poly | Element, int] = {}
    for group in sorted(groups, key=lambda group: group.item.offset):
        base, offset = group.item.base or group.item.element, group.item.offset
        apart = offset - first.setdefault(base, offset - line_bytes)
        if apart >= line_bytes:
            first[base] = offset
        chosen += group.accesses * (1.0 if apart >= line_bytes else apart / line_bytes)
    return RandomAccesses(
        accesses=sum(group.accesses for group in groups),
        lines=chosen,
        extent_bytes=extent_bytes,
        reads=any(group.reads for group in groups),
        writes=any(group.writes for group in groups),
        is_atomic=all(group.is_atomic for group in groups),
    )


def _near(groups: Sequence[_Group]) -> float:
    """Return the sectors of groups that come to neighbours: those of one window, and all others."""
    around = max((group.near for group in groups if group.is_window), default=0.0)
    return around + sum(group.near for group in groups if not group.is_window)


def _gathered(used: Sequence[_Group], known: float, capacity: float, others: float, *, covered: bool) -> float:
    """Return the sectors that gathers fill; those of neighbours where the size of the array is not known."""
    if not np.isfinite(known):
        return _near(used)
    if covered and all(group.is_window for group in used if group.gathers):
        return 0.0
    random = expected_fills(sum(group.accesses for group in used), max(1.0, known), capacity, others)
    return random - min(random, known) if covered else random


def _by_array(program: Program, line_bytes: int) -> dict[str, list[_Group]]:
    """Return the irregular references by array; members of a vector, and equal elements of one statement, are one."""
    found: dict[str, list[_Group]] = {}
    requested = requested_irregular(program)
    for leaf in program.leaves:
        items: dict[tuple[str, Element], list[Irregular]] = {}
        for item in (each.reference for each in requested.get(id(leaf), ())):
            if program.arrays[item.array].space is MemorySpace.GLOBAL:
                items.setdefault((item.array, item.element), []).append(item)
        for (array, _), same in items.items():
            found.setdefault(array, []).append(_group(leaf, same, line_bytes))
    return found


def _group(leaf: Leaf, same: Sequence[Irregular], line_bytes: int) -> _Group:
    item = same[0]
    ranges = hull(leaf.loops)
    widths = [1 for _ in leaf.loops] if ranges is None else [high - low + 1 for low, high in ranges]
    idle = prod(width for depth, width in enumerate(widths) if depth not in item.depends)
    inner = [loop.depth for loop in leaf.loops if loop.depth in item.depends and loop.mapping not in THREADS | BLOCKS]
    along = {depth for depth in inner if item.gathers and item.base is not None and step_of(item.base, depth)}
    window = prod(widths[depth] for depth in inner if depth not in along and (item.gathers or widths[depth] <= _WINDOW))
    executed = max(float(executions(leaf)), 1.0)
    blocks = [widths[loop.depth] for loop in leaf.loops if loop.mapping in BLOCKS and loop.depth not in item.depends]
    accesses = max(executed / max(idle, 1), 1.0)
    is_computed = item.address is not None
    sectors = 0.0 if is_computed else max(1.0, accesses * item.size_bytes / line_bytes)
    reads, writes = any(not each.write for each in same), any(each.write for each in same)
    near, is_affine = sectors / max(window, 1), _is_also_affine(leaf, item)
    return _Group(
        accesses=accesses,
        executions=executed,
        blocks=prod(blocks),
        sectors=sectors,
        near=near,
        reads=reads,
        writes=writes,
        gathers=item.gathers,
        is_computed=is_computed,
        is_also_affine=is_affine,
        is_row=bool(along),
        is_random=item.is_random and not along,
        is_atomic=all(each.atomic for each in same),
        item=item,
    )


def _is_also_affine(leaf: Leaf, item: Irregular) -> bool:
    """Return whether the innermost loop also has an affine reference that moves through the array."""
    inner = next((loop for loop in reversed(leaf.loops) if loop.mapping not in THREADS | BLOCKS), None)
    return inner is not None and any(
        reference.array == item.array and reference.address.coefficient(inner.depth)
        for other in inner.leaves
        for reference in other.references
    )


def _distinct(program: Program, array: str, line_bytes: int) -> float:
    """Return the distinct sectors of references whose address follows from loop counters, from the first blocks."""
    leaves = [
        (leaf, [item.address for item in leaf.irregular if item.array == array and item.address is not None])
        for leaf in program.leaves
        if hull(leaf.loops) is not None
    ]
    leaves = [(leaf, addresses) for leaf, addresses in leaves if addresses]
    if not leaves:
        return 0.0
    inner = max(_executions(leaf, outer=False) for leaf, _ in leaves)
    outer = max(_executions(leaf, outer=True) for leaf, _ in leaves)
    blocks = max(1, min(outer, _POINTS // max(inner, 1)))
    most, met = _counted(leaves, blocks, line_bytes)
    before, earlier = _counted(leaves, blocks // 2, line_bytes)
    left = sum(executions(leaf) for leaf, _ in leaves) - met
    if left <= 0 or met <= earlier:
        return float(most)
    return most + (most - before) / (met - earlier) * left


def _counted(leaves: Sequence[tuple[Leaf, Sequence[Computed]]], blocks: int, line_bytes: int) -> tuple[int, int]:
    """Return the distinct sectors of some references in the first blocks, and how often their statements run there."""
    found, times = [np.zeros(0, np.int64)], 0
    for leaf, addresses in leaves:
        counters = _points(leaf, blocks)
        times += counters.shape[1]
        found += [distinct(np.asarray(address.at(counters)) // line_bytes) for address in addresses]
    return len(distinct(np.concatenate(found))), times


def _executions(leaf: Leaf, *, outer: bool) -> int:
    ranges = hull(leaf.loops) or []
    return prod(ranges[depth][1] - ranges[depth][0] + 1 for depth in _depths(leaf, outer=outer))


def _points(leaf: Leaf, blocks: int) -> Ints:
    """Return the counters of the executions of a statement in the first blocks, a row for each loop."""
    ranges = hull(leaf.loops) or []
    inner = min(_executions(leaf, outer=False), 4 * _POINTS)
    rest = np.arange(min(blocks, _executions(leaf, outer=True)) * inner)
    counters = np.zeros((len(ranges), len(rest)), np.int64)
    active = np.ones(len(rest), bool)
    for depth in (*_depths(leaf, outer=False), *_depths(leaf, outer=True)):
        low, high = ranges[depth]
        counters[depth] = low + rest % (high - low + 1)
        rest = rest // (high - low + 1)
    for loop in leaf.loops:
        first, last = loop.range(counters)
        active &= (counters[loop.depth] >= first) & (counters[loop.depth] <= last)
    for test in leaf.tests:
        active &= np.asarray(test.holds(counters), dtype=np.bool_)
    return counters[:, active]


def _depths(leaf: Leaf, *, outer: bool) -> Iterator[int]:
    """Return the depths of the loops over blocks (``outer``) or of the others, from the innermost."""
    return (loop.depth for loop in reversed(leaf.loops) if (loop.mapping in BLOCKS) is outer)
