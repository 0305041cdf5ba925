"""Cache capacities from how long a load takes over working sets of growing size.

Input: seconds per load of a chain of addresses in random order (:file:`kernels/streams.h`), by working set. Output: the
largest working set of every plateau but the last, which is memory (Saavedra and Smith, *Measuring cache and TLB
performance and their effect on benchmark runtimes*, IEEE Trans. Computers 44(10), 1995).

A plateau ends where a load takes ``_RISE`` times as long as on it; the next one begins where the curve is flat again
over ``_FLAT_POINTS`` sizes, a factor of 1.7. Translation misses bend the curve too: the result is an estimate.

Where the system states the last cache, :func:`reach_of` says how much of it there is to be had: a virtual machine shows
the cache of a host that others use as well, and a host may give a part of the ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from msgspec import Struct

_RISE = 1.3  # above the spread of a plateau, below the step to the next level
_FLAT = 1.2  # the spread of a plateau
_FLAT_POINTS = 4  # sizes that a plateau has at least: a factor of two
PER_OCTAVE = 4  # sizes for each factor of two
_HITS = 0.5  # of the loads, below which the share of hits is mostly noise
_TELLS_APART = 1.5  # how much longer memory must take than the cache


class Reach(Struct, frozen=True):
    """How many bytes of the last cache hold data, as far as sets of up to ``largest_bytes`` show."""

    bytes: int
    largest_bytes: int


def reach_of(capacity_bytes: int, inside_s: float, memory_s: float, seconds: Mapping[int, float]) -> Reach | None:
    """Return the knee of a cache; None where memory is not clearly slower, or no set was measured.

    A load from a set of S bytes takes ``h * inside + (1 - h) * memory``: a share h of it hits.  A set that fits has
    h = 1; of one that does not, a cache that replaces at random holds ``h * S`` bytes, and one that replaces the line
    used least recently none.  So the most of ``h * S`` is the capacity; sets with few hits tell nothing.  Where the
    largest set fits, smaller than the cache, how much more would is not known.

    >>> reach_of(32, 15.0, 115.0, {8: 15.0, 16: 15.0, 32: 65.0, 64: 115.0})
    Reach(bytes=16, largest_bytes=64)
    """
    if not seconds or memory_s < _TELLS_APART * inside_s:
        return None
    shares = {size: (memory_s - taken) / (memory_s - inside_s) for size, taken in seconds.items()}
    held = [size * min(1.0, share) for size, share in shares.items() if share >= _HITS]
    most, largest = max(held, default=0.0), max(seconds)
    if not held or largest == most < capacity_bytes:
        return None
    return Reach(min(capacity_bytes, int(most)), largest)


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
