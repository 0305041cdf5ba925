"""Rows behind pointers (``double **a``, a vector of vectors): how far apart they lie.

The source does not say where a row lies that a pointer in memory leads to.  Rows are assumed to be blocks of their own,
as long as what is touched of them, that an allocator has placed one behind the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ....ir.index import Poly, const
from ....ir.values import Access
from ..intervals import Interval
from .reach import reach_of

GRAIN_BYTES, HEADER_BYTES = 16, 8  # of glibc's malloc on 64-bit machines: blocks are multiples, with a header

_Key = tuple[str, int]


class Rows(Struct):
    """Extents in elements of the dimensions of arrays with rows behind pointers, by array and dimensions.

    While they are not ``known``, they are gathered from the references; 0 is one that follows from no reference.
    """

    found: dict[_Key, list[int]] = field(default_factory=dict)
    known: bool = False

    def measured(self) -> Rows:
        """Return the extents that were gathered, for use."""
        return Rows(self.found, True)

    def lengths(self, element_bytes: Mapping[str, int]) -> Mapping[str, int]:
        """Return the bytes of what is touched of a row, by array, of those whose rows lie where an allocator chose."""
        return {array: extents[-1] * element_bytes.get(array, 0) for (array, _), extents in self.found.items()}

    def strides_of(
        self, access: Access, ranges: Sequence[Interval] | None, iterators: Mapping[str, Poly]
    ) -> tuple[Poly | None, ...]:
        """Return the strides of a reference, with distances of rows where these are known."""
        if None not in access.strides_bytes:
            return access.strides_bytes
        if not self.known:
            self._gather(access, ranges, iterators)
            return access.strides_bytes
        extents = self.found.get((access.array, len(access.subscripts)))
        if extents is None or 0 in extents[1:]:
            return access.strides_bytes
        strides: list[Poly | None] = []
        inside = const(access.type.size_bytes)
        for stride, extent in zip(reversed(access.strides_bytes), reversed(extents), strict=True):
            own = inside if stride is None else stride
            strides.append(own)
            inside = _block(own, extent)
        return tuple(reversed(strides))

    def _gather(self, access: Access, ranges: Sequence[Interval] | None, iterators: Mapping[str, Poly]) -> None:
        extents = self.found.setdefault((access.array, len(access.subscripts)), [0] * len(access.subscripts))
        for position, subscript in enumerate(access.subscripts if ranges is not None else ()):
            span = reach_of(subscript.substitute(iterators), ranges or ())
            if span is not None:
                extents[position] = max(extents[position], span[1] + 1 - min(span[0], 0))


def _block(stride: Poly, extent: int) -> Poly:
    """Return the distance of blocks that hold so many elements of a stride."""
    size = stride.constant
    if size is None:
        return stride * extent
    return const(-(-(size * extent + HEADER_BYTES) // GRAIN_BYTES) * GRAIN_BYTES)
