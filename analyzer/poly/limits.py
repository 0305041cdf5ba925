"""Limits on what an answer may cost; beyond them the caller gives a weaker one.

Isl is limited by its own operations (:class:`~.backend.Budget`), everything together by CPU time: those parts of the
analysis that can take long ask :func:`check` as they go.  The time of child processes counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf

try:
    from resource import RUSAGE_CHILDREN, getrusage
except ImportError:  # not on Windows, where nothing is counted in children either
    getrusage = None  # type: ignore[assignment]


class OverBudget(Exception):
    """More operations or more time than allowed; the caller gives a weaker answer."""


@dataclass
class Limit:
    """A deadline in CPU seconds of this thread, and whether it was met.

    No more CPU time passes than time by the clock: before ``not_before`` on the clock, there is nothing to look at.
    """

    until: float
    over: bool = False
    not_before: float = 0.0


_limit: ContextVar[Limit | None] = ContextVar("limit", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[Limit]:
    """Let :func:`check` raise after this CPU time in the ``with`` block; 0 means no limit, an outer limit stays."""
    around = _limit.get()
    outer = inf if around is None else around.until
    limit = Limit(min(outer, _now() + seconds) if seconds else outer)
    token = _limit.set(limit)
    try:
        yield limit
    finally:
        _limit.reset(token)


def check() -> None:
    """Raise :class:`OverBudget` after the deadline."""
    limit = _limit.get()
    if limit is None or limit.until == inf:
        return
    clock = time.monotonic()
    if clock < limit.not_before:
        return
    left = limit.until - _now()
    if left < 0:
        limit.over = True
        raise OverBudget
    limit.not_before = clock + left


def _now() -> float:
    children = 0.0
    if getrusage is not None:
        usage = getrusage(RUSAGE_CHILDREN)
        children = usage.ru_utime + usage.ru_stime
    return time.thread_time() + children
