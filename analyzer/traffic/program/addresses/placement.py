"""Where the arrays of a region are in memory.

Arrays start on pages in the order of declaration, at least 16 bytes apart, as an allocator places large blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....ir.index import Poly, is_given
from ....ir.nodes import (
    MemorySpace,
    Region,
)
from ....ir.values import changed_at_barriers
from ..program import (
    Affine,
    Leaf,
    Placed,
    guarded_hull,
    span,
)
from ..scope import Use

PAGE_BYTES = 4096  # of x86-64 and, mostly, AArch64
_ALLOCATOR_BYTES = 16  # the header of a block of glibc's malloc


def placed_arrays(region: Region, waiting: Sequence[tuple[Leaf, Sequence[Use]]]) -> dict[str, Placed]:
    """Return the arrays that statements use, in order of declaration, at their addresses.

    Their sizes are those of their extents, else of what is touched, in whole rows.
    """
    extents = {array.name: declared_bytes(array.extents, array.element_bytes) for array in region.arrays}
    rows = {array.name: declared_bytes(array.extents[1:], array.element_bytes) for array in region.arrays}
    spaces = {array.name: array.space for array in region.arrays}
    listed = {array.name for array in region.arrays if array.listed}
    aligned = {array.name: array.aligned_bytes for array in region.arrays}
    changed = changed_at_barriers((use.access, use.write) for _, uses in waiting for use in uses)
    reached: dict[str, tuple[int, int]] = {}
    for leaf, uses in waiting:
        ranges = guarded_hull(leaf.loops, leaf.tests)
        for use in uses:
            array = use.access.array
            low, high = (0, 0)
            if isinstance(use.address, Affine) and ranges is not None:
                low, high = span(use.address, ranges)
            elif isinstance(use.address, Poly) and is_given(use.address) and use.reach is not None:
                low, high = use.reach
            known = reached.get(array, (0, 0))
            reached[array] = (min(known[0], low), max(known[1], high + use.access.type.size_bytes))
    placed: dict[str, Placed] = {}
    offsets = {} if region.launch is None else dict(region.launch.array_offsets)
    free = PAGE_BYTES
    for name in dict.fromkeys([*(n for n in extents if n in reached), *reached]):
        low, high = reached[name]
        row = rows.get(name) or 1
        size = max(extents.get(name) or 0, -(-high // row) * row)
        below = -(low // PAGE_BYTES) * PAGE_BYTES if low < 0 else 0
        space = spaces.get(name, MemorySpace.GLOBAL)
        offset, *others = offsets.get(name, (0,))
        start = free + below + offset
        placed[name] = Placed(
            name,
            start,
            size,
            extents.get(name),
            space,
            name in changed,
            aligned.get(name),
            name in listed,
            tuple(other - offset for other in others),
        )
        free += below + -(-(offset + size + _ALLOCATOR_BYTES) // PAGE_BYTES) * PAGE_BYTES
    return placed


def declared_bytes(extents: Sequence[Poly | None], element_bytes: int) -> int | None:
    """Return the bytes of an array whose extents are all numbers; None of any other."""
    size = element_bytes
    for extent in extents:
        number = None if extent is None else extent.constant
        if not isinstance(number, int):
            return None
        size *= number
    return size
