"""Room for recursion over deep trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_LIMIT = 60_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the recursion limit: generated code nests sums of thousands of terms; Python frames need no C stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
