"""Rounds of a loop: how many iterations one test of its end is for, and what is left in the end.

Input: an iteration, its trip count and vectors.  Output: numbers of iterations, and of vectors that take as long.

* LLVM unrolls what is not written out, and interleaves vectors: a round has several of them, and iterations that fill
  no round go one by one, each in about the cycles of a vector.
* gcc has one vector in a round, and takes what is left in vectors of halves.
"""

from __future__ import annotations

from analyzer.counts.results import PerIteration

from ...core.incore import arithmetic_of

# LLVM unrolls within so many instructions (LoopMicroOpBufferSize of its Sandy Bridge, which is the model of unknown
# cores), eight times at most (UnrollRuntimeCount).
_UNROLLED_INSTRUCTIONS, _MOST_UNROLLED = 28.0, 8
# Vectors of a round of LLVM (``X86TTIImpl::getMaxInterleaveFactor``: a loop of one store has all of them), unless it
# has a constant trip count below 128 (TinyTripCountInterleaveThreshold) or costs 20 (SmallLoopCost), of which 5 are
# assumed to be for its control: one of 15 loads, stores and operations is not interleaved (clang 14).
_INTERLEAVED, _TINY_TRIP, _SMALL_COST = 4, 128, 15


def unrolled(instructions: float) -> float:
    """Return how many iterations of so many instructions LLVM puts into a round.

    >>> unrolled(5), unrolled(20), unrolled(40)
    (4.0, 1.0, 1.0)
    """
    fit = _UNROLLED_INSTRUCTIONS / instructions
    return float(max(1, min(_MOST_UNROLLED, 1 << (int(fit).bit_length() - 1)))) if fit >= 1 else 1.0


def interleaved(iteration: PerIteration, lanes: int, alone: int) -> int:
    """Return the vectors that LLVM puts into a round; ``alone`` references are loaded or stored element by element."""
    accesses = len(iteration.steps) + (2 * lanes - 1) * alone  # each element is moved, and put in its place
    trip = iteration.vectorization.trip
    is_long = accesses + arithmetic_of(iteration).total >= _SMALL_COST
    return 1 if is_long or (trip is not None and trip < _TINY_TRIP) else _INTERLEAVED


def one_by_one(trip: float | None, lanes: int, vectors: int) -> float:
    """Return how many iterations of vectors take as long as what is left goes slower one by one.

    It is a half of a round where the ``trip`` count is not known.

    >>> one_by_one(1000, 4, 4), one_by_one(1000, 4, 1), one_by_one(None, 4, 2)
    (24, 0, 10.5)
    """
    if trip is not None and trip < lanes:
        return trip
    together = lanes * vectors
    return (lanes - 1) * ((together - 1) / 2 if trip is None else trip % together)


def halves_left(trip: float | None, lanes: int) -> float:
    """Return the vectors of halves, quarters and so on that take what fills no vector; half of them without a trip.

    >>> halves_left(1003, 8), halves_left(None, 8)
    (2, 1.5)
    """
    return (lanes - 1).bit_length() / 2 if trip is None else round(trip % lanes).bit_count()
