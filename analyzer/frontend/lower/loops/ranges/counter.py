"""The variable that counts a loop, and where ``!=`` ends it: an unsigned one may wrap around on the way there."""

from __future__ import annotations

from msgspec import Struct

from .....ir.arithmetic import is_unsigned
from .....ir.index import Poly, is_power_of_two
from .....ir.types import ScalarType


class Counter(Struct, frozen=True):
    """A variable that counts a loop: its name in the conditions, its value at entry, its step, its ``scalar`` type.

    One that ``doubles`` is multiplied in each iteration, or divided, and its step only gives the direction.
    """

    name: str
    entry: Poly
    step: int
    scalar: ScalarType | None = None
    doubles: bool = False

    def reached(self, stop: Poly, distance: int | None) -> Poly | None:
        """Return where ``!= stop`` ends a loop; None where that is not known.

        A bound that is behind is only reached where an unsigned counter wraps around: ``for (m = 1; m; m <<= 1)``.
        ``distance`` is that of the bound from the entry, where known.
        """
        if not self._is_behind(stop, distance):
            return stop
        if not self._wraps or self.entry.constant is None or self.scalar is None:
            return None
        if self.doubles and (stop.constant != 0 or not is_power_of_two(self.entry.constant)):
            return None
        return stop + (1 << 8 * self.scalar.size_bytes) * (1 if self.step > 0 else -1)

    @property
    def wraps_at(self) -> int | None:
        """Return the number at which an unsigned counter is at the other end of its range; None of other counters."""
        if self.scalar is None or not self._wraps or self.doubles:
            return None
        return -1 if self.step < 0 else 1 << 8 * self.scalar.size_bytes

    @property
    def _wraps(self) -> bool:
        return self.scalar is not None and is_unsigned(self.scalar)

    def _is_behind(self, stop: Poly, distance: int | None) -> bool:
        """Return whether no step leads to a bound, as the counter moves away from it."""
        if distance is not None:
            return distance * self.step < 0
        number = stop.constant
        return self.step > 0 and (self.doubles or self._wraps) and number is not None and number <= 0
