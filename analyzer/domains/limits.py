"""Limits on what an answer may cost; beyond them the caller gives a weaker one.

Every request to isl is limited by isl's own operations (:class:`~.isl.budget.Budget`), everything together by CPU time:
those parts of the analysis that can take long ask :func:`check` as they go.  The time of child processes counts.
What the time did not suffice for is noted in the limit (:attr:`Limit.over`), also in those around it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from msgspec import Struct

from ..limits.hard_limit import cpu_seconds

OPERATIONS_PER_SECOND = 2_000_000  # of isl, about, on a core of today; the clock decides where it is slower
_LEAST_S = 0.001


class OverBudget(Exception):
    """More operations or more time than allowed; the caller gives a weaker answer."""


class Limit(Struct):
    """A deadline in CPU seconds of this thread, the operations of isl for one request, and whether it was missed.

    No more CPU time passes than time by the clock: before ``not_before`` on the clock, there is nothing to look at.
    """

    until: float
    operations: int = 0
    over: bool = False
    not_before: float = 0.0


_limit: ContextVar[Limit | None] = ContextVar("limit", default=None)


@contextmanager
def deadline(seconds: float, operations: int = 0) -> Iterator[Limit]:
    """Let :func:`check` raise after this CPU time in the ``with`` block; 0 or infinite: none, an outer limit stays.

    ``operations`` are those of isl for one request; 0: those of the limit around, else what isl does in the time.
    """
    around = _limit.get() or Limit(inf)
    seconds = 0 if seconds == inf else seconds
    until = min(around.until, cpu_seconds() + seconds) if seconds else around.until
    limit = Limit(until, operations or around.operations or int(seconds * OPERATIONS_PER_SECOND))
    token = _limit.set(limit)
    try:
        yield limit
    finally:
        _limit.reset(token)
        around.over = around.over or limit.over


def check() -> None:
    """Raise :class:`OverBudget` after the deadline."""
    limit = _limit.get()
    if limit is None or limit.until == inf:
        return
    clock = time.monotonic()
    if clock < limit.not_before:
        return
    left = limit.until - cpu_seconds()
    if left < 0:
        limit.over = True
        raise OverBudget
    limit.not_before = clock + left


def at_most(seconds: float) -> float:
    """Return these CPU seconds, or those until the deadline where they are fewer; never 0."""
    limit = _limit.get()
    return seconds if limit is None else max(min(seconds, limit.until - cpu_seconds()), _LEAST_S)


def operations_over() -> None:
    """Note that a request to isl was given up for its operations."""
    limit = _limit.get()
    if limit is not None:
        limit.over = True


def operations() -> int:
    """Return how many of its operations isl may use for one request: what it does in about the time allowed.

    0: no limit.
    """
    limit = _limit.get()
    return 0 if limit is None else limit.operations
