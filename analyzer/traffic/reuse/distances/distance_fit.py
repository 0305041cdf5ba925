"""A quadratic through counted distances, for the pairs that were not counted.

Between pairs of one kind the distance mostly is a smooth function of the counters of the two uses (of the outer ones,
where a loop is a triangle).  Counting a distance is expensive, drawing a pair is cheap: so the distance of many drawn
pairs is taken from a least-squares quadratic through few counted ones, if it predicts each of them from the others.
"""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ...program.ranges import Ints

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_WANTED_R2 = (
    0.98  # of values predicted from the others; ``python -m tests.bench.traffic`` prints the error that is left
)
_PER_TERM = 3  # counted distances for each term of the quadratic, at least


class DistanceFit(Struct, frozen=True):
    """Predicted values, and the standard deviation of their error."""

    value: Floats
    deviation: float

    def probability_of(self, least: int) -> Floats:
        """Return for each pair the probability that its value is at least ``least``."""
        steps = (self.value - least + 0.5) / (max(self.deviation, 1e-9) * sqrt(2))
        probabilities: Floats = 0.5 * (1 + np.vectorize(erf, otypes=[float])(np.clip(steps, -6, 6)))
        return probabilities


def fit_distances(counters: Ints, known: Flags, values: Ints) -> DistanceFit | None:
    """Fit ``values`` of the known columns of ``counters``; None where they are too few or follow no quadratic."""
    rows = counters[[bool(row.min() != row.max()) for row in counters]].astype(float)
    rows = (rows - rows.mean(axis=1, keepdims=True)) / np.maximum(rows.std(axis=1, keepdims=True), 1e-9)
    terms = [np.ones(counters.shape[1]), *rows]
    terms += [rows[i] * rows[j] for i in range(len(rows)) for j in range(i, len(rows))]
    target = values[known].astype(float)
    spread = float(((target - target.mean()) ** 2).sum())
    matrix = np.array(terms).T
    left, sizes, right = np.linalg.svd(matrix[known], full_matrices=False)
    kept = sizes > 1e-6 * sizes[0]
    if spread == 0 or _PER_TERM * kept.sum() > len(target):
        return None
    left, sizes, right = left[:, kept], sizes[kept], right[kept]
    solution = right.T @ ((left.T @ target) / sizes)
    missed = (target - matrix[known] @ solution) / np.maximum(1 - (left**2).sum(axis=1), 1e-3)
    if (missed**2).sum() > (1 - _WANTED_R2) * spread:
        return None
    return DistanceFit(matrix @ solution, float(np.sqrt((missed**2).mean())))
