"""References that jump: those whose next elements are pages away, so that no stream of a prefetcher goes with them.

Input: a profile with the references of its nests.  Output: a :class:`Jump` for each reference that goes through memory
in pieces of less than a page, at a distance from one to the next: elements of a column, or short rows of a tile.

From the innermost loop outwards, a loop that moves a reference by no more than twice what the loops inside of it cover
goes on with the piece; the first one that moves it further jumps.  A new page is come to with each jump of a page or
more, and with a share of shorter ones.  A core knows the last pages: a loop whose iterations, together with those of
the loops inside of it, come to more pages than these finds none of them again, and waits for a walk at each of them.
From fewer pages to more the share of walks rises, as some sets of the TLB are full before others (a Granite Rapids core
that knows 2,048, rows of 4,160 to 32,064 bytes: none at 1,536, 0.1 at 1,792, 0.45 at 2,048, 0.9 at 2,560).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import prod

from msgspec import Struct

from analyzer.access_patterns import LoopTrait, Reference
from analyzer.profile import RegionProfile

PAGE_BYTES = 4096
"""The small pages of x86 and most of ARM."""
_ENTRY_BYTES = 8  # of the table of pages
_NONE_WALK, _ALL_WALK = 0.8, 1.25  # of the known pages, see above
_GOES_ON = 2  # times what is covered: rows with a margin between them
_LEARNT_BYTES = 512.0  # of a piece, before a prefetcher goes with it (a Zen 3: columns of tiles of 64 doubles)
_FOLLOWED_BYTES = 2048
"""The longest stride of a prefetcher (Intel 64 and IA-32 Architectures Optimization Reference Manual)."""


class Jump(Struct, frozen=True):
    """A reference in pieces: how often a piece begins, its bytes, and the new pages that wait for walks.

    ``entry_bytes`` are those in the table of pages from the entry of one new page to the next.  A line of a piece is
    for so many iterations of the innermost loop (``per_line``).  ``lines_alone`` is the share of its lines that no
    prefetcher brings.
    """

    array: str
    is_stored_only: bool
    pieces: float
    piece_bytes: float
    walks: float
    entry_bytes: float
    per_line: float
    lines_alone: float


class _Moving(Struct, frozen=True):
    """A reference with the bytes that it moves in each loop, innermost first; ``jumps`` is the first one that jumps."""

    array: str
    is_stored_only: bool
    steps: tuple[float, ...]
    jumps: int | None
    piece_bytes: float

    def pages(self, trips: Sequence[float]) -> list[tuple[float, float]]:
        """Return, for each loop, the pages that all of its iterations come to, and the new ones of each of them."""
        found, within = [], 1.0
        for step, trip in zip(self.steps, trips, strict=True):
            new = within * min(1.0, step / PAGE_BYTES)
            within += max(0.0, trip - 1) * new
            found.append((within, new))
        return found


def _with_references(profile: RegionProfile) -> Sequence[RegionProfile]:
    """Return the profile, which lists the references of all of its loops if any, else its nests."""
    return (profile,) if profile.access_patterns.references else profile.nests


def jumps_of(profile: RegionProfile, known_pages: float, line_bytes: int) -> Iterator[Jump]:
    """Yield the references of the nests that jump, where trips and steps are numbers."""
    around: dict[tuple[LoopTrait, ...], dict[Reference, None]] = {}
    for part in _with_references(profile):
        for reference in part.access_patterns.references:
            around.setdefault(reference.loops, {})[reference] = None
    for loops, references in around.items():
        trips = _trips(loops, profile.values)
        moving = None if trips is None else list(_moving(references, trips, profile.values, line_bytes))
        if trips and moving:
            yield from _jumps(moving, trips, known_pages, line_bytes)


def _jumps(moving: Sequence[_Moving], trips: Sequence[float], known_pages: float, line_bytes: int) -> Iterator[Jump]:
    pages = [each.pages(trips) for each in moving]
    together = [sum(each[loop][0] for each in pages) for loop in range(len(trips))]
    shares = [_share_of_walks(number / known_pages) for number in together]
    unknown = next((loop for loop, share in enumerate(shares) if share), None)
    for each, found in zip(moving, pages, strict=True):
        if each.jumps is None:
            continue
        walks = sum(
            (share - inside) * prod(trips[loop + 1 :]) * found[loop][0]
            for loop, (inside, share) in enumerate(pairwise((0.0, *shares)))
            if loop >= each.jumps
        )
        apart = PAGE_BYTES if unknown is None else max(PAGE_BYTES, each.steps[unknown])
        pieces = prod(trips[each.jumps :])
        yield Jump(
            each.array,
            each.is_stored_only,
            pieces,
            each.piece_bytes,
            walks,
            apart / PAGE_BYTES * _ENTRY_BYTES,
            max(1.0, min(trips[0], line_bytes / each.steps[0])) if each.jumps and each.steps[0] else 1.0,
            min(1.0, _LEARNT_BYTES / each.piece_bytes) if each.steps[each.jumps] >= _FOLLOWED_BYTES else 0.0,
        )


def _share_of_walks(known: float) -> float:
    """Return the share of pages that wait for a walk, of so many times as many as a core knows."""
    return min(1.0, max(0.0, (known - _NONE_WALK) / (_ALL_WALK - _NONE_WALK)))


def moving_references(profile: RegionProfile) -> int:
    """Return how many references of the nests go through memory, those that move alike once."""
    return len(
        {
            (reference.array, reference.steps_bytes)
            for part in _with_references(profile)
            for reference in part.access_patterns.references
            if not reference.on_chip and any(step is None or step.terms for step in reference.steps_bytes)
        }
    )


def _trips(loops: Sequence[LoopTrait], values: Mapping[str, int]) -> tuple[float, ...] | None:
    """Return the mean trips of loops, innermost first: of bounds that depend on others at the middle of these."""
    middles: dict[str, int] = {}
    found: list[float] = []
    for loop in loops:
        known = {**values, **middles}
        if loop.trip is None or not loop.trip.names() <= known.keys() or loop.trip.unknowns():
            return None
        trip = max(0.0, float(loop.trip.evaluate(known)))
        middles[loop.iterator] = int(trip / 2)
        found.append(trip)
    return tuple(reversed(found))


def _moving(
    references: Mapping[Reference, None], trips: Sequence[float], values: Mapping[str, int], line_bytes: int
) -> Iterator[_Moving]:
    """Yield the references as they move, those that move alike in an array once; none of on-chip memory."""
    loaded: dict[tuple[str, tuple[float, ...]], tuple[bool, int]] = {}
    for reference in references:
        steps = None if reference.on_chip else _steps(reference, values)
        if steps is not None:
            key = (reference.array, steps)
            stored_only, _ = loaded.get(key, (True, 0))
            loaded[key] = stored_only and reference.write, reference.unit_bytes
    for (array, steps), (stored_only, size) in loaded.items():
        covered, jumps = float(size), None
        for loop, (step, trip) in enumerate(zip(steps, trips, strict=True)):
            if step > max(line_bytes, _GOES_ON * covered):
                jumps = loop if covered < PAGE_BYTES else None
                break
            covered += max(0.0, trip - 1) * step
        yield _Moving(array, stored_only, steps, jumps, covered)


def _steps(reference: Reference, values: Mapping[str, int]) -> tuple[float, ...] | None:
    """Return the bytes that a reference moves in each loop, innermost first; None where they are not known."""
    found = []
    for step in reversed(reference.steps_bytes):
        if step is None or not step.names() <= values.keys() or step.unknowns():
            return None
        found.append(abs(float(step.evaluate(values))))
    return tuple(found)
