"""The lanes of a warp that are on while it computes: a warp runs what any of its threads runs.

Each statement has its own: of ``if (threadIdx.x == 0) s[b] = v / n;`` the division has one lane of 32, whatever runs
before it has all of them.  What data decide is assumed to run for all threads that come to it, but where given arrays
decide how often: of loops over rows of different lengths the requests of the warps that were followed tell.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..program.program import Leaf, Program, guarded_hull
from ..results import Request
from .requests import Sample, WarpShape

_ROWS = 1 << 12  # threads enumerated for one statement: fewer than for its sectors, which are more than one number


def active_lanes(program: Program, shape: WarpShape) -> float:
    """Return the share of the lanes that are on, over the operations of a program in lockstep; 1 where it has none.

    The program is one with all statements that compute.
    """
    counted = [each for leaf in program.leaves if (each := _executed(leaf, shape)) is not None]
    threads = sum(threads for threads, _ in counted)
    return threads / sum(lanes for _, lanes in counted) if threads else 1.0


def lanes_of_requests(requests: Sequence[Request], lanes: int) -> float:
    """Return the share of the lanes that are on in the requests of warps; 1 without any."""
    asked = sum(request.requests for request in requests)
    return min(1.0, sum(request.accesses for request in requests) / (asked * lanes)) if asked else 1.0


def _executed(leaf: Leaf, shape: WarpShape) -> tuple[float, float] | None:
    """Return the operations of all threads, and of all lanes of their warps; None where there are none."""
    if not leaf.operations or guarded_hull(leaf.loops, leaf.tests) is None:
        return None
    sample = Sample(leaf, shape, _ROWS)
    if not sample.runs:
        return None
    return leaf.operations * sample.accesses, leaf.operations * sample.warps * shape.threads
