"""What the analytic model of the caches says of its misses beside their number: set conflicts, and what is undecided.

Bytes by level and outermost node -> notes on the nodes that one nest consists of (AI209, AI211, AI306, AI404).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..diagnostics import Field
from ..ir.nodes import Assumption
from ..source import Span
from .hierarchy import Hierarchy
from .program.program import Program, leaves_of
from .program.uneven_rows import uneven_arrays

Floats = NDArray[np.float64]

# Parts of what a level misses from which on a note is worth reading.
_SHOWN_ERROR, _SHOWN_CLOSE, _SHOWN_CONFLICTS = 0.02, 0.1, 0.05


class Doubts(Struct, frozen=True):
    """Bytes by level served (rows) and outermost node (columns): of ``conflicts`` for lack of sets, by array, and
    ``close``, of lines whose reuse is about as long as the cache is large; ``span`` is that of the region."""

    span: Span
    conflicts: Mapping[str, Floats]
    close: Floats

    def scaled(self, times: Floats) -> Doubts:
        """Return the doubts where each node runs so many times."""
        return Doubts(self.span, {name: found * times for name, found in self.conflicts.items()}, self.close * times)

    def notes(
        self, program: Program, hierarchy: Hierarchy, filled: Floats, error: Floats, nodes: Sequence[int]
    ) -> Iterator[Assumption]:
        """Yield what is to be said of some nodes, whose levels are filled with so many bytes, with a relative error."""
        children = [program.children[node] for node in nodes]
        uneven = frozenset[str]().union(*map(uneven_arrays, children))
        if uneven:
            yield Assumption.of("AI306", self.span, "even-rows", arrays=tuple(sorted(uneven)))
        leaves = (leaf for child in children for leaf in leaves_of(child) if leaf.loops)
        chosen_by_data = {item.array for leaf in leaves for item in leaf.irregular}
        if chosen_by_data:
            yield Assumption.of("AI211", self.span, "equally-likely", arrays=tuple(sorted(chosen_by_data)))
        for row, level in enumerate(hierarchy.levels):
            total = max(float(filled[row, nodes].sum()), 1.0)
            yield from self._conflicts(program, row, level.name, level.line_bytes, total, nodes)
            close = float(self.close[row, nodes].sum()) / total
            if close > _SHOWN_CLOSE:
                yield Assumption.of("AI209", self.span, "near-capacity", level=level.name, share=min(close, 1.0))
            elif error[row] > _SHOWN_ERROR:
                yield Assumption.of("AI209", self.span, "estimate", level=level.name, error=2 * float(error[row]))

    def _conflicts(
        self, program: Program, row: int, level: str, line_bytes: int, total: float, nodes: Sequence[int]
    ) -> Iterator[Assumption]:
        """Yield the arrays that lose lines to set conflicts, those with one stride together."""
        shares: dict[int, dict[str, float]] = {}
        for array, moved in self.conflicts.items():
            share = float(moved[row, nodes].sum()) / total
            if share > _SHOWN_CONFLICTS:
                shares.setdefault(_worst_stride(program, array, line_bytes, nodes), {})[array] = share
        for stride, arrays in shares.items():
            apart: dict[str, Field] = {"stride_bytes": stride, "padding_bytes": line_bytes} if stride else {}
            form = "strided" if stride else "conflicts"
            share = min(sum(arrays.values()), 1.0)
            yield Assumption.of("AI404", self.span, form, level=level, share=share, arrays=tuple(arrays), **apart)


def _worst_stride(program: Program, array: str, line_bytes: int, nodes: Sequence[int]) -> int:
    """Return the stride of an array with the largest power of two in it: 0 where all are small."""
    strides = {
        abs(factor)
        for node in nodes
        for leaf in leaves_of(program.children[node])
        for reference in leaf.references
        if reference.array == array
        for _, factor in reference.address.terms
        if abs(factor) > line_bytes
    }
    return max(strides, key=lambda stride: (stride & -stride, -stride), default=0)
