"""Cache capacities from how long a load takes over working sets of growing size.

Input: seconds per load of a chain of addresses in random order (:file:`kernels/streams.h`), by working set. Output: the
largest working set of every plateau but the last, which is memory (Saavedra and Smith, *Measuring cache and TLB
performance and their effect on benchmark runtimes*, IEEE Trans. Computers 44(10), 1995).

A plateau ends where a load takes ``_RISE`` times as long as on it; the next one begins where the curve is flat again
over ``_FLAT_POINTS`` sizes, a factor of 1.7. Translation misses bend the curve too: the result is an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

_RISE = 1.3  # above the spread of a plateau, below the step to the next level
_FLAT = 1.2  # the spread of a plateau
_FLAT_POINTS = 4
PER_OCTAVE = 4


def sweep_sizes(first: int, last: int) -> tuple[int, ...]:
    """Return working sets from ``first`` to ``last`` bytes, four in every factor of two, powers of two among them."""
    found, base = [], first
    while base <= last:
        found += [base * (PER_OCTAVE + part) // PER_OCTAVE for part in range(PER_OCTAVE)]
        base *= 2
    return tuple(size for size in found if size <= last)


def capacities(sizes: Sequence[int], seconds: Sequence[float]) -> tuple[int, ...]:
    """Return the capacities in bytes, from the innermost outwards; none where the curve is flat throughout."""
    seconds = _rising(seconds)
    found: list[int] = []
    start = 0
    while start + _FLAT_POINTS <= len(sizes):
        window = seconds[start : start + _FLAT_POINTS]
        if max(window) > _FLAT * min(window):
            start += 1
            continue
        end = start + _FLAT_POINTS
        while end < len(sizes) and seconds[end] <= _RISE * median(seconds[start:end]):
            end += 1
        if end < len(sizes):
            found.append(sizes[end - 1])
        start = end
    return tuple(found)


def _rising(seconds: Sequence[float]) -> list[float]:
    """Return the curve without its bumps: larger sets are never faster, so a disturbed point is above a later one."""
    found = list(seconds)
    for start in range(len(found) - 2, -1, -1):
        found[start] = min(found[start], found[start + 1])
    return found
