"""Points that fill a box evenly, however many are taken (Roberts, *The unreasonable effectiveness of quasirandom
sequences*): the fractions of multiples of powers of a generalised golden ratio."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def fractions(index: NDArray[np.floating[Any]], dimension: int, dimensions: int) -> NDArray[np.float64]:
    """Return one coordinate, from 0 to below 1, of the points with these numbers."""
    found: NDArray[np.float64] = np.modf(0.5 + index * _plastic(max(dimensions, 1)) ** -(dimension + 1.0))[0]
    return found


def _plastic(dimensions: int) -> float:
    """Return the generalised golden ratio: ``x ** (d + 1) = x + 1``."""
    root = 2.0
    for _ in range(20):
        root = (1 + root) ** (1 / (dimensions + 1))
    return root
