"""From exponents to traffic: how many operations fit into a part of the execution, and so how many parts there are.

An execution is cut where T elements have been loaded since the last cut.  What one part reads and did not compute is
in a cache of S elements when it starts, or is loaded: ``K = S + T`` elements at most (Hong, Kung, *I/O complexity: the
red-blue pebble game*, STOC 1981; K-partitioning as in Olivry et al., *Automated derivation of parametric data movement
lower bounds for affine programs*, PLDI 2020, section 4).  Where the projections of its operations E fall into groups of
different elements, of sizes ``y_g`` with ``sum y_g <= K``, then

    |E| <= factor * prod y_g^sigma_g <= U(K) = factor * prod (sigma_g / sigma)^sigma_g * K^sigma,  sigma = sum sigma_g,

and a part of m operations has ``K(m) = U^-1(m)`` elements at least.  The first part finds the cache empty: S + T
are loaded in it, T in each other one but the last, and p whole parts have ``p*U(S + T)`` operations at most:

    loads >= S + p*T + max(0, K(|V| - p*U(S + T)) - S),  p = floor(|V|/U(S + T)) > 0,  loads >= K(|V|) for p = 0,

for each T.  ``T = S/(sigma - 1)`` makes the most of many parts; of few, those that are all alike.

>>> from fractions import Fraction
>>> half = Fraction(1, 2)
>>> product = Growth((half, half, half))
>>> round(product.loads(10**12, 100) / 10**12, 6), round(product.coefficient, 6)
(0.2, 2.0)
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, log

from msgspec import Struct

from ..ir.index import Number

_ROUNDING = 1e-9  # U is rounded up, K down: far more than what floating-point numbers lose


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

    def loads(self, operations: Number, capacity: int) -> float:
        """Return how many elements so many operations load at least into an empty cache of so many elements."""
        if operations <= 0:
            return 0.0
        best = self.part(capacity)
        parts = floor(operations / self._most(capacity + best))
        alike = (floor(self._fewest(operations / number)) - capacity for number in (parts, parts + 1) if number)
        return max(self._loads_by(operations, capacity, part) for part in {best, *alike} if part > 0)

    def _loads_by(self, operations: Number, capacity: int, part: int) -> float:
        """Return the bound of parts with so many loads."""
        most = self._most(capacity + part)
        parts = floor(operations / most)
        rest = self._fewest(operations - parts * most)
        return capacity + parts * part + max(0.0, rest - capacity) if parts else rest

    def _most(self, elements: float) -> float:
        """Return U of so many elements."""
        return exp(self._log_scale + float(self.sigma) * log(elements)) * (1 + _ROUNDING)

    def _fewest(self, operations: Number | float) -> float:
        """Return K of so many operations."""
        if operations <= 0:
            return 0.0
        return exp((log(operations) - self._log_scale) / float(self.sigma)) * (1 - _ROUNDING)
