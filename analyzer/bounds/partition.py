"""From exponents to traffic: how many operations fit into a part of the execution, and so how many parts there are.

An execution is cut where T elements have been loaded since the last cut.  What one part reads and did not compute is
in a cache of S elements when it starts, or is loaded: ``K = S + T`` elements at most (Hong, Kung, *I/O complexity: the
red-blue pebble game*, STOC 1981; K-partitioning as in Olivry et al., *Automated derivation of parametric data movement
lower bounds for affine programs*, PLDI 2020, section 4).  Where the projections of its operations E fall into groups of
different elements, of sizes ``y_g`` with ``sum y_g <= K``, then

    |E| <= factor * prod y_g^sigma_g <= U(K) = factor * prod (sigma_g / sigma)^sigma_g * K^sigma,  sigma = sum sigma_g,

and |V| operations need ``|V| / U(K)`` parts, of which all but the last load T elements.  The first one finds the cache
empty, and so may load S + T: ``T |V| / U(K) - (T - S)`` are loaded where T is at least S (of one part alone it is
``|V| <= U(loads)``, which is more).  ``T = S/(sigma - 1)`` makes the most of it.

>>> from fractions import Fraction
>>> half = Fraction(1, 2)
>>> product = Growth((half, half, half))
>>> round(product.traffic_per_operation(100), 6), round(product.coefficient, 6)
(0.2, 2.0)
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

from msgspec import Struct

_ROUNDING = 1 - 1e-9  # results are rounded down: far more than what floating-point numbers lose


class Growth(Struct, frozen=True):
    """How many operations K elements are enough for: ``groups`` are the exponents of each, ``factor`` multiplies."""

    groups: tuple[Fraction, ...]
    log2_factor: Fraction = Fraction(0)

    @property
    def sigma(self) -> Fraction:
        """Return the power of K."""
        return sum(self.groups, Fraction(0))

    @property
    def _log_scale(self) -> float:
        """Return the logarithm of U(1)."""
        total = float(self.sigma)
        shares = sum(float(each) * log(float(each) / total) for each in self.groups if each)
        return float(self.log2_factor) * log(2) + shares

    @property
    def scale(self) -> float:
        """Return U(1): operations for each K^sigma."""
        return exp(self._log_scale)

    @property
    def coefficient(self) -> float:
        """Return c of ``c * |V| / S^(sigma - 1)``, the loads for large |V|; S is the best T times sigma - 1."""
        sigma = float(self.sigma)
        return exp((sigma - 1) * log(sigma - 1) - sigma * log(sigma) - self._log_scale)

    def part(self, capacity: int) -> int:
        """Return T, in elements: the loads of one part that make the bound largest."""
        return max(1, int(capacity / (self.sigma - 1)))

    def last_part(self, capacity: int) -> int:
        """Return the loads that the last part may lack, less those of the first one, which finds the cache empty."""
        return max(0, self.part(capacity) - capacity)

    def traffic_per_operation(self, capacity: int) -> float:
        """Return the loads for each operation with a cache of so many elements, apart from those of the last part."""
        loads = self.part(capacity)
        most = exp(self._log_scale + float(self.sigma) * log(capacity + loads))
        return loads / most * _ROUNDING
