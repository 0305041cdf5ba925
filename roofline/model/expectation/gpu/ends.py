"""The ends of a range of counts: at the least, as is likely, and at the most.

A count without an upper bound is assumed to be at most four times the likely one, so that a range has an end: an
expected time is no bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import sqrt

from analyzer.quantities.quantity import Quantity
from analyzer.traffic.results import Request

from ...intensity import value_of

_WITHOUT_BOUND = 4.0  # times what is likely, see above: a choice, as no bound is claimed


class End(Enum):
    """One of the three."""

    LEAST = "least"
    LIKELY = "likely"
    MOST = "most"


def count_at(quantity: Quantity, values: Mapping[str, int], end: End) -> float | None:
    """Return a count at an end; None where it is not a number."""
    match end:
        case End.LEAST:
            return value_of(quantity.lower, values)
        case End.LIKELY:
            return value_of(quantity.estimate, values)
        case End.MOST:
            likely = value_of(quantity.estimate, values)
            most = None if quantity.upper is None else value_of(quantity.upper, values)
            return most if most is not None or likely is None else likely * _WITHOUT_BOUND


def runs_of(request: Request, end: End) -> float:
    """Return the share of the executions of a request that there are: none at the least, where data decide."""
    return 0.0 if end is End.LEAST and not request.is_certain else 1.0


def sectors_of(request: Request, end: End) -> float:
    """Return the sectors of a request, where data choose its elements the geometric mean of the fewest and the most."""
    if not request.is_guess or not request.requests or end is End.MOST:
        return request.sectors * runs_of(request, end)
    if request.is_random and end is End.LIKELY:
        return request.sectors
    fewest = min(request.sectors, max(request.requests, request.accesses * request.size_bytes / request.sector_bytes))
    return request.least_sectors if end is End.LEAST else sqrt(fewest * request.sectors)
