"""What the analytic model of the caches says of its misses besides their number: set conflicts, undecided ones.

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
from .hierarchy import CacheLevel, Hierarchy
from .program.lines.uneven_rows import uneven_arrays
from .program.program import Irregular, Program, leaves_of

Floats = NDArray[np.float64]
_Cause = tuple[str, tuple[tuple[str, Field], ...]]  # the form of a sentence, and its fields

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
        yield from self._chosen_by_data([item for leaf in leaves for item in leaf.irregular], program)
        for row, level in enumerate(hierarchy.levels):
            total = max(float(filled[row, nodes].sum()), 1.0)
            yield from self._conflicts(program, row, level, total, nodes)
            close = float(self.close[row, nodes].sum()) / total
            if close > _SHOWN_CLOSE:
                yield Assumption.of("AI209", self.span, "near-capacity", level=level.name, share=min(close, 1.0))
            elif error[row] > _SHOWN_ERROR:
                yield Assumption.of("AI209", self.span, "estimate", level=level.name, error=2 * float(error[row]))

    def _chosen_by_data(self, items: Sequence[Irregular], program: Program) -> Iterator[Assumption]:
        """Yield the arrays whose elements data choose, those together for which the same arrays could be given."""
        deciding: dict[str, frozenset[str]] = {}
        for item in items:
            deciding[item.array] = deciding.get(item.array, frozenset()) | item.decided_by
        written = program.written if deciding else frozenset[str]()
        deciding = {array: indices - written for array, indices in deciding.items()}
        for indices in sorted(set(deciding.values()), key=sorted):
            arrays = tuple(sorted(array for array, found in deciding.items() if found == indices))
            if indices:
                yield Assumption.of("AI211", self.span, "equally-likely", arrays=arrays, indices=tuple(sorted(indices)))
            else:
                yield Assumption.of("AI211", self.span, "equally-likely-values", arrays=arrays)

    def _conflicts(
        self, program: Program, row: int, level: CacheLevel, total: float, nodes: Sequence[int]
    ) -> Iterator[Assumption]:
        """Yield the arrays that lose lines to set conflicts, those of one cause together."""
        shares: dict[_Cause, dict[str, float]] = {}
        for array, moved in self.conflicts.items():
            share = float(moved[row, nodes].sum()) / total
            if share > _SHOWN_CONFLICTS:
                shares.setdefault(_cause(program, array, level, nodes), {})[array] = share
        for (form, fields), arrays in shares.items():
            share = min(sum(arrays.values()), 1.0)
            names = tuple(arrays)
            yield Assumption.of("AI404", self.span, form, level=level.name, share=share, arrays=names, **dict(fields))


def _cause(program: Program, array: str, level: CacheLevel, nodes: Sequence[int]) -> _Cause:
    """Return why lines of an array share sets: what is used together, or a stride."""
    if level.ways is not None:
        span_bytes = level.capacity_bytes // level.ways
        groups = _used_together(program, array, nodes)
        lines = max((_in_the_same_sets(*group, span_bytes, level.line_bytes) for group in groups), default=0)
        if lines >= level.ways:
            return "together", (("lines", lines), ("span_bytes", span_bytes))
    stride = _worst_stride(program, array, level.line_bytes, nodes)
    if not stride:
        return "conflicts", ()
    return "strided", (("stride_bytes", stride), ("padding_bytes", level.line_bytes))


def _used_together(program: Program, array: str, nodes: Sequence[int]) -> Iterator[tuple[set[int], set[int]]]:
    """Yield the addresses in an array that one iteration of an innermost loop uses, and those in all arrays.

    They move alike from one iteration to the next.
    """
    own: dict[tuple[object, ...], set[int]] = {}
    every: dict[tuple[object, ...], set[int]] = {}
    for node in nodes:
        for leaf in leaves_of(program.children[node]):
            for reference in leaf.references:
                group = (node, leaf.positions[:-1], reference.address.terms)
                every.setdefault(group, set()).add(reference.address.constant)
                if reference.array == array:
                    own.setdefault(group, set()).add(reference.address.constant)
    yield from ((places, every[group]) for group, places in own.items())


def _in_the_same_sets(own: set[int], every: set[int], span_bytes: int, line_bytes: int) -> int:
    """Return how many lines with addresses of ``every`` fall into the sets of one of ``own``, at most."""
    lines: list[int] = []
    for place in sorted(every):
        if not lines or place - lines[-1] >= line_bytes:
            lines.append(place)
    distances = ([(line - place) % span_bytes for line in lines] for place in own)
    return max(sum(min(each, span_bytes - each) < line_bytes for each in found) for found in distances)


def _worst_stride(program: Program, array: str, line_bytes: int, nodes: Sequence[int]) -> int:
    """Return the stride of an array with the largest power of two in it, 0 where that is less than a line.

    Lines in such strides pass through all sets alike.
    """
    strides = {
        abs(factor)
        for node in nodes
        for leaf in leaves_of(program.children[node])
        for reference in leaf.references
        if reference.array == array
        for _, factor in reference.address.terms
        if abs(factor) > line_bytes and (factor & -factor) >= line_bytes
    }
    return max(strides, key=lambda stride: (stride & -stride, -stride), default=0)
