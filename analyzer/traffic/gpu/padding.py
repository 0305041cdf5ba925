"""Rows of arrays in shared memory made longer: the fewest elements with which the threads of a warp meet no bank twice.

The passes of all requests of an array are counted again with each padding, up to as many elements as there are banks:
beyond it the banks repeat.  A row is that of the declaration; of an array of one dimension it is the distance that some
counter steps by, if larger steps are its multiples.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ...ir.nodes import Array, MemorySpace
from ..program.program import Leaf, Program, Reference
from ..results import Request
from .registers import requested_references
from .repeated_requests import periods_of
from .requests import Sample, WarpShape

_CONFLICTING = 2.0  # times the passes without conflicts
_GAIN = 0.8  # of the passes that a padding may leave, to be advised


def with_paddings(
    requests: Sequence[Request], program: Program, arrays: Sequence[Array], shape: WarpShape
) -> tuple[Request, ...]:
    """Return requests of shared memory with the padding of the rows of their array that removes most conflicts."""
    found = list(requests)
    for array in arrays:
        own = [number for number, each in enumerate(found) if each.array == array.name]
        if not any(_is_conflicting(found[number]) for number in own):
            continue
        passes = _passes(program, array.name, _declared_row(array), shape)
        best = None if len(passes) != len(own) else _best(passes)
        if best is None:
            continue
        for number, each in zip(own, passes, strict=True):
            after = found[number].passes * each[best] / max(each[0], 1.0)
            found[number] = replace(found[number], padding=best, padded_passes=after)
    return tuple(found)


def _is_conflicting(request: Request) -> bool:
    return request.space is MemorySpace.SHARED and request.conflict_ways >= _CONFLICTING


def _declared_row(array: Array) -> int:
    """Return the bytes of a row; 0 where the declaration has none."""
    lengths = [None if extent is None else extent.constant for extent in array.extents[1:]]
    return 0 if not lengths or None in lengths else (lengths[-1] or 0) * array.element_bytes


def _passes(program: Program, array: str, row_bytes: int, shape: WarpShape) -> list[list[float]]:
    """Return the passes of each request of an array with each padding of its rows, in elements; none without rows."""
    requested = requested_references(program)
    found = [
        (leaf, each.reference)
        for leaf in program.leaves
        for each in requested.get(id(leaf), ())
        if each.reference.array == array
    ]
    row = row_bytes or _stepped_row([reference for _, reference in found])
    if not row or any(item.array == array for leaf in program.leaves for item in leaf.irregular):
        return []
    start = program.arrays[array].start
    return [_of_request(leaf, reference, start, row, shape) for leaf, reference in found]


def _of_request(leaf: Leaf, reference: Reference, start: int, row_bytes: int, shape: WarpShape) -> list[float]:
    """Return the passes with each padding; counters that do not move the address, such as those of blocks, run once."""
    size = reference.size_bytes
    periods = {depth: 1 for depth in periods_of(leaf, [reference], size) if not reference.address.coefficient(depth)}
    sample = Sample(leaf, shape, periods=periods)
    return [sample.passes_with_rows(reference, start, row_bytes, padding * size) for padding in range(shape.banks + 1)]


def _stepped_row(references: Sequence[Reference]) -> int:
    """Return the bytes of a row by the steps of counters; 0 where they do not agree on one."""
    steps = {abs(step) for each in references for _, step in each.address.terms if abs(step) > each.size_bytes}
    row = min(steps, default=0)
    return row if all(step % row == 0 for step in steps) else 0


def _best(passes: Sequence[Sequence[float]]) -> int | None:
    """Return the least padding with the fewest passes of all requests; None where there are hardly more without."""
    totals = [sum(each) for each in zip(*passes, strict=True)]
    if not totals:
        return None
    best = min(range(len(totals)), key=lambda padding: (totals[padding], padding))
    return best if totals[best] <= _GAIN * totals[0] else None
