"""Counters that repeat the requests of a statement: they move its addresses, and no condition or bound reads them.

Sectors of a request stay as many where all of its addresses move by a multiple of a sector, and passes of banks where
they move by one of the bytes of all banks, ``B``.  A counter with the coefficients ``c_r`` in the addresses of
references ``r`` therefore has the period ``max B / gcd(B, c_r)``, as B is a power of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from ..program.program import Affine, Bound, CountedLoop, Irregular, Leaf, Reference
from ..program.schedules.lockstep import THREADS


def periods_of(leaf: Leaf, references: Sequence[Reference | Irregular], repeat_bytes: int) -> dict[int, int]:
    """Return the periods, by depth, of counters of blocks and loops that repeat the requests of these references.

    Requests are alike whose addresses differ by a multiple of ``repeat_bytes``, a power of two.
    """
    read = frozenset[int]().union(*map(_read_by, leaf.loops), *(test.depths for test in leaf.tests))
    found: dict[int, int] = {}
    for loop in leaf.loops:
        if loop.mapping in THREADS or loop.depth in read or not _has_plain_bounds(loop):
            continue
        steps = [_step(reference, loop.depth) for reference in references]
        periods = [repeat_bytes // gcd(repeat_bytes, step) for step in steps if step is not None]
        if periods and len(periods) == len(steps):
            found[loop.depth] = max(periods)
    return found


def _read_by(loop: CountedLoop) -> frozenset[int]:
    """Return the depths of the counters that the bounds and tests of a loop read."""
    bounds = frozenset(depth for bound in (*loop.lows, *loop.highs) for depth in _depths(bound))
    return bounds | loop.length_depends | frozenset[int]().union(*(test.depths for test in loop.tests))


def _depths(bound: Bound) -> tuple[int, ...]:
    return tuple(depth for depth, _ in bound.limit.terms)


def _has_plain_bounds(loop: CountedLoop) -> bool:
    """Return whether the iterations of a loop are known numbers."""
    is_number = not any(bound.limit.terms for bound in (*loop.lows, *loop.highs))
    return is_number and loop.length is None and loop.average_trips is None


def _step(reference: Reference | Irregular, depth: int) -> int | None:
    """Return how many bytes a counter moves a reference; None where it is not a number."""
    if isinstance(reference.address, Affine):
        return reference.address.coefficient(depth)
    return None if reference.address is not None and depth in reference.depends else 0
