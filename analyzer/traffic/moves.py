"""Bytes between the levels of a hierarchy by nest: what every cache model gives, in numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..ir.index import const
from ..ir.nodes import Assumption
from ..poly.quantity import Exactness, Quantity, exact
from ..poly.quasi import polynomial
from .hierarchy import Hierarchy
from .program import Program, Turn
from .shapes import CacheTraffic, LevelTraffic

Floats = NDArray[np.float64]

_LEAST_MARGIN = 0.005


@dataclass(frozen=True, slots=True)
class Moves:
    """Bytes of a region by level served (rows) and outermost nest (columns).

    Where data chooses elements, as many bytes less as ``least`` and more as ``most`` are possible. ``innermost`` is
    what the first cache serves where that is not every reference, ``written_ends`` are ``least`` and ``most`` of what
    is written where they differ.
    """

    model: str
    program: Program
    hierarchy: Hierarchy
    read: Floats
    allocate: Floats
    written: Floats
    least: Floats
    most: Floats
    error: Floats
    notes: tuple[Assumption, ...]
    innermost: LevelTraffic | None = None
    written_ends: tuple[Floats, Floats] | None = None

    def traffic(self, register: LevelTraffic, iterator: str | None = None) -> CacheTraffic:
        """Return the traffic of the whole region, or of the nest with this outermost iterator."""
        return self._of(register, lambda nest: iterator is None or nest == iterator)

    def outside(self, register: LevelTraffic) -> CacheTraffic:
        """Return the traffic of the statements outside of loops."""
        return self._of(register, lambda nest: nest is None)

    def _of(self, register: LevelTraffic, wanted: Callable[[str | None], bool]) -> CacheTraffic:
        """Return the traffic of the outermost nodes of a nest that is ``wanted``, None being that of no nest."""
        nests = [child.nest if isinstance(child, Turn) else None for child in self.program.children]
        chosen = [column for column, nest in enumerate(nests) if wanted(nest)]
        levels = [self.innermost or replace(register, level=self.hierarchy.levels[0].name)]
        for row, (inner, name) in enumerate(zip(self.hierarchy.levels, self.hierarchy.serving, strict=True)):
            read, allocate, written = (
                self._quantity(kind, row, chosen) for kind in (self.read, self.allocate, self.written)
            )
            levels.append(LevelTraffic(name, self.model, inner.line_bytes, read, allocate, written))
        return CacheTraffic(self.hierarchy, self.model, tuple(levels), self.notes)

    def _quantity(self, kind: Floats, row: int, nests: Sequence[int]) -> Quantity:
        """Bytes of one kind, in the interval that sampling and data leave."""
        value = float(kind[row, nests].sum())
        margin = 2 * self.error[row] * value if self.error[row] > _LEAST_MARGIN else 0.0
        estimate, least, most = value, value - margin, value + margin
        if value or self.written_ends:
            fewer, more = (self.written_ends if kind is self.written else None) or (self.least, self.most)
            least -= float(fewer[row, nests].sum())
            most += float(more[row, nests].sum())
        counts = [polynomial(const(max(0, round(number)))) for number in (estimate, least, most)]
        return Quantity(counts[0], counts[1], counts[2], Exactness.ESTIMATE) if most else exact(counts[0])
