"""The operations of a part of the analysis, counted against a budget: the same input uses as many on every machine."""

from __future__ import annotations

import math

from .hard_limit import Overrun


class Meter:
    """Counts operations: ``used`` so far, and the ``most`` that there may be (infinite: no limit)."""

    __slots__ = ("most", "used")

    def __init__(self) -> None:
        """Start at 0, without a limit."""
        self.used = 0
        self.most: float = math.inf

    def take(self) -> None:
        """Count one more; raises :class:`Overrun` beyond the limit."""
        self.used += 1
        if self.used > self.most:
            raise Overrun
