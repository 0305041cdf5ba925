"""How long a core waits for the translations of addresses, where data are in small pages.

Input: a profile, a machine that states ``page_walk_ns`` or ``column_walk_ns``, and the lines that its levels serve.
Output: seconds.

A core knows the translations of its last pages (the second-level TLB, least recently used).  A reference whose page is
not among them waits for a walk through the table of pages:

* of elements that data choose, those that lie beyond what the pages reach, of all bytes of the nest; what the first
  cache serves is in known pages, which are more than its lines;
* of references that jump (:mod:`.jumps`: a column of a matrix), one for each new page, where the loops go through more
  pages than are known before they come back to one, or never come back.

Streams are left out: their bandwidths were measured with what walks they have.  Walks overlap like misses, the fewer
the walkers, and fewer in a virtual machine, where each step of a walk is a walk of the host: what a machine file states
of a column is measured, and decides (a Granite Rapids core: 8 ns, where loads that wait for one another take 10 to 16).
Without it: on a Zen 3 (six walkers) independent loads at random took 4.2 ns longer in pages of 4 KiB than in those of
2 MiB, and loads that wait for one another 52 to 65 ns.  The walks of a column take longer the further apart the entries
of its pages are, up to a line of the table for each of them, which the caches hold besides the data.  Of elements
that data choose in memory, these lines come from there too: a load waits for its walk and its line, in one of the
buffers for misses (a Granite Rapids core in a virtual machine, 512 MiB: 32 ns each, and 380 ns where each waits for the
one before).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from analyzer.counts.results import InnerLoop
from analyzer.profile import RegionProfile

from ....machine.machine import Machine
from ...intensity import value_of
from .arrival import in_flight
from .jumps import PAGE_BYTES, Jump, jumps_of

# Pages of the second-level TLB where a machine file does not say: Skylake (Intel optimization manual); AMD from Zen 2
# on (56305).
_KNOWN_PAGES, _KNOWN_PAGES_OF = 1536, {"AMD": 2048}
# Of these, as many as are known when a column goes through pages in turn, some of whose sets are full earlier: on a
# Zen 3 from 1,100 to 1,700 pages at rows of 4,160 to 12,992 bytes.  What a machine file states is measured in turn.
_IN_TURN = 0.75
# Sets of the second-level TLB that pages take in turn, by their number: 2,048 in 8 ways (CPUID Fn8000_0006 of a Zen 3),
# measured as jumps.py says.  Intel mixes higher bits in (Gras et al., Translation leak-aside buffer, USENIX Security
# 2018: those of Skylake are the XOR of two groups of 7), so that rows of a power of two are spread.
_SETS_OF = {"AMD": 256}
_ENTRY_SHARE = 16 / 64  # of a line of the table, from one entry to the next where ``column_walk_ns`` is measured
_OVERLAPPING, _OVERLAPPING_OF = 4.0, {"AMD": 12.0}  # walks: twice the walkers (two of Skylake, six of Zen 3), see above
# Times that a walk of a column takes longer: a part that is the same, one in proportion to the distance of the entries
# up to a line, and the part of both that a store waits (a Zen 3: 6 ns to 8.5 ns for loads in rows of 1 to 8 pages, 0.6
# times as much for stores; columns of 2,000 to 4,000 rows; twice as much where other programs use the last cache).
_IN_COLUMN, _OF_ENTRIES, _OF_STORES = 1.15, 0.45, 0.6


class Walks(Struct, frozen=True):
    """Seconds of walks that overlap: of elements at a stride, of those that data choose; of one load, on average."""

    strided_s: float = 0.0
    scattered_s: float = 0.0
    each_s: float = 0.0


def jumps_of_nests(profile: RegionProfile, machine: Machine) -> tuple[Jump, ...]:
    """Return the references of a profile that jump, with the walks that they wait for."""
    known = machine.memory.tlb_pages or _IN_TURN * _known_pages(machine)
    return tuple(jumps_of(profile, known, _SETS_OF.get(machine.vendor, 1), machine.line_bytes))


def _known_pages(machine: Machine) -> int:
    return machine.memory.tlb_pages or _KNOWN_PAGES_OF.get(machine.vendor, _KNOWN_PAGES)


def _walk_each_s(machine: Machine) -> float:
    """Return the seconds of a walk that overlaps with others; 0 where the machine states none."""
    memory = machine.memory
    if memory.column_walk_s is not None:
        return memory.column_walk_s / (_IN_COLUMN + _OF_ENTRIES * _ENTRY_SHARE)
    return (memory.page_walk_s or 0.0) / _OVERLAPPING_OF.get(machine.vendor, _OVERLAPPING)


def walks_of(profile: RegionProfile, machine: Machine, scattered_lines: float, jumps: Sequence[Jump]) -> Walks:
    """Return the walks of a nest; none where the machine states no time for them, or sizes are not known.

    ``scattered_lines`` are those that data choose and the first cache does not serve, ``jumps`` those of
    :func:`jumps_of_nests`.
    """
    each = _walk_each_s(machine)
    if not each or profile.distinct is None:
        return Walks()
    moved = profile.compulsory_traffic
    parts = [value_of(part.estimate, profile.values) for part in (moved.read_bytes, moved.write_bytes)]
    size = max((part for part in parts if part is not None), default=0.0)
    beyond = max(0.0, 1 - _known_pages(machine) * PAGE_BYTES / size) if size else 0.0
    scattered = sum(
        (value_of(inner.runs.estimate, profile.values) or 0.0) * _chosen(inner) for inner in profile.inner_loops
    )
    strided = sum(jump.walks * _times(jump, machine.line_bytes) for jump in jumps)
    alone_s = beyond * (machine.memory.page_walk_s or 0.0)
    chosen_s = max(beyond * each, alone_s / in_flight(machine))
    return Walks(strided * each, min(scattered, scattered_lines) * chosen_s, alone_s)


def _times(jump: Jump, line_bytes: int) -> float:
    """Return how many times as long as one at random a walk of a reference that jumps takes."""
    times = _IN_COLUMN + _OF_ENTRIES * min(1.0, jump.entry_bytes / line_bytes)
    return times * (_OF_STORES if jump.is_stored_only else 1.0)


def _chosen(inner: InnerLoop) -> float:
    """Return the places that data choose in an iteration: what is stored where it is loaded is one."""
    streams = {step.stream: step for step in inner.iteration.steps if step.is_indirect}.values()
    return max(sum(float(step.runs) for step in streams if step.is_store is is_store) for is_store in (False, True))
