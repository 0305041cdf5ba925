"""How long a core waits for the translations of addresses, where data are in small pages.

Input: a profile, a machine that states ``page_walk_ns``, and the lines that its levels serve.  Output: seconds.

A core knows the translations of its last pages (the second-level TLB, least recently used).  A reference whose page is
not among them waits for a walk through the table of pages:

* of elements that data choose, those that lie beyond what the pages reach, of all bytes of the nest; what the first
  cache serves is in known pages, which are more than its lines;
* of elements that are more than a line apart, one for each new page, where the loop goes through more pages than are
  known before it comes back to one (a column of a matrix), or never comes back.

Streams are left out: their bandwidths were measured with what walks they have.  Walks overlap like misses, the fewer
the walkers: on a Zen 3 (six walkers) independent loads at random took 4.2 ns longer in pages of 4 KiB than in those
of 2 MiB, and loads that wait for one another 52 to 65 ns.
"""

from __future__ import annotations

from msgspec import Struct

from analyzer.counts.results import InnerLoop, Step
from analyzer.profile import RegionProfile

from ...machine.machine import Machine
from ..core.least_core import mean_trip
from ..intensity import value_of

_PAGE_BYTES = 4096  # the small pages of x86 and most of ARM
# Pages of the second-level TLB: Skylake (Intel optimization manual); AMD from Zen 2 on (56305).
_KNOWN_PAGES, _KNOWN_PAGES_OF = 1536, {"AMD": 2048}
# Of these, as many as are known when a column goes through pages in turn, some of whose sets are full earlier: on a
# Zen 3 from 1,100 to 1,700 pages at rows of 4,160 to 12,992 bytes.
_IN_TURN = 0.75
_OVERLAPPING, _OVERLAPPING_OF = 4.0, {"AMD": 12.0}  # walks: twice the walkers (two of Skylake, six of Zen 3), see above


class Walks(Struct, frozen=True):
    """Seconds of walks that overlap: of elements at a stride, of those that data choose; of one load, on average."""

    strided_s: float = 0.0
    scattered_s: float = 0.0
    each_s: float = 0.0


def walks_of(profile: RegionProfile, machine: Machine, scattered_lines: float) -> Walks:
    """Return the walks of a nest; none where the machine states no time for them, or sizes are not known.

    ``scattered_lines`` are those that data choose and the first cache does not serve.
    """
    walk_s = machine.memory.page_walk_s
    if walk_s is None or profile.distinct is None:
        return Walks()
    moved = profile.compulsory_traffic
    parts = [value_of(part.estimate, profile.values) for part in (moved.read_bytes, moved.write_bytes)]
    size = max((part for part in parts if part is not None), default=0.0)
    known = _KNOWN_PAGES_OF.get(machine.vendor, _KNOWN_PAGES)
    beyond = max(0.0, 1 - known * _PAGE_BYTES / size) if size else 0.0
    strided = scattered = 0.0
    for inner in profile.inner_loops:
        runs = value_of(inner.runs.estimate, profile.values) or 0.0
        trip = mean_trip(inner, profile.values) or 0.0
        scattered += runs * _chosen(inner)
        new = _new_pages(inner, profile, machine.line_bytes)
        strided += runs * new if trip * new > _IN_TURN * known else 0.0
    each = walk_s / _OVERLAPPING_OF.get(machine.vendor, _OVERLAPPING)
    return Walks(strided * each, min(scattered, scattered_lines) * beyond * each, beyond * walk_s)


def _chosen(inner: InnerLoop) -> float:
    """Return the places that data choose in an iteration: what is stored where it is loaded is one."""
    streams = {step.stream: step for step in inner.iteration.steps if step.is_indirect}.values()
    return max(sum(float(step.runs) for step in streams if step.is_store is is_store) for is_store in (False, True))


def _new_pages(inner: InnerLoop, profile: RegionProfile, line_bytes: int) -> float:
    """Return the pages that an iteration comes to first, of the elements that are more than a line apart."""
    streams = {step.stream: step for step in inner.iteration.steps if not step.is_indirect}
    strides = ((step, abs(_stride(step, profile))) for step in streams.values())
    return sum(float(step.runs) * min(1.0, stride / _PAGE_BYTES) for step, stride in strides if stride > line_bytes)


def _stride(step: Step, profile: RegionProfile) -> float:
    if step.stride_bytes is not None:
        return step.stride_bytes
    found = None if step.stride is None else step.stride.substitute(dict(profile.values)).constant
    return float(found or 0)
