"""References that jump: those whose next elements are pages away, so that no stream of a prefetcher goes with them.

Input: a profile with the references of its nests.  Output: a :class:`Jump` for each reference that goes through memory
in pieces of less than a page, at a distance from one to the next: elements of a column, or short rows of a tile.

From the innermost loop outwards, a loop that moves a reference by no more than twice what the loops inside of it cover
goes on with the piece; the first one that moves it further jumps.  A new page is come to with each jump of a page or
more, and with a share of shorter ones.  A core knows the last pages: a loop whose iterations, together with those of
the loops inside of it, come to more pages than these finds none of them again, and waits for a walk at each of them.
From fewer pages to more the share of walks rises, as some sets of the TLB are full before others (a Granite Rapids core
that knows 2,048, rows of 4,160 to 32,064 bytes: none at 1,536, 0.1 at 1,792, 0.45 at 2,048, 0.9 at 2,560).

Rows of a whole number of pages leave some sets of a TLB whose index is the last bits of the page: as many pages as lie
in the others are known (a Zen 3, 256 sets of 8: of rows of 2, 4, 8 and 16 pages half of 1,024, 512, 256 and 128 to all
of them).  A few rows that go on side by side are streams, as many as a prefetcher follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import gcd, prod

from msgspec import Struct

from analyzer.access_patterns import LoopTrait, Reference
from analyzer.ir.index import Poly
from analyzer.profile import RegionProfile

PAGE_BYTES = 4096
"""The small pages of x86 and most of ARM."""
_ENTRY_BYTES = 8  # of the table of pages
_NONE_WALK, _ALL_WALK = 0.8, 1.25  # of the known pages, see above
_GOES_ON = 2  # times what is covered: rows with a margin between them
_LEARNT_BYTES = 512.0  # of a piece, before a prefetcher goes with it (a Zen 3: columns of tiles of 64 doubles)
_FOLLOWED_BYTES = 2048
"""The longest stride of a prefetcher (Intel 64 and IA-32 Architectures Optimization Reference Manual)."""
# Rows side by side that a prefetcher follows (a Zen 3, rows of 32,832 bytes in memory, column by column: 8, 12 and 16
# rows take as long as one stream, 20 rows 1.4 times as long, 24 and 32 rows twice to three times).
_FOLLOWED_ROWS = 16


class Jump(Struct, frozen=True):
    """A reference in pieces: how often a piece begins, its bytes, and the new pages that wait for walks.

    ``entry_bytes`` are those in the table of pages from the entry of one new page to the next.  A line of a piece is
    for so many iterations of the innermost loop (``per_line``).  ``lines_alone`` is the share of its lines that no
    prefetcher brings.  ``in_turn`` are the pieces of the loop that jumps, ``step_bytes`` apart; the loop around it asks
    for the lines of all of them so many times (``visits``), one after the other, before it comes to other lines.
    """

    array: str
    is_stored_only: bool
    is_stored: bool
    pieces: float
    piece_bytes: float
    walks: float
    entry_bytes: float
    per_line: float
    lines_alone: float
    in_turn: float
    step_bytes: float
    visits: float


class Stream(Struct, frozen=True):
    """A reference that goes on in order: the lines that all of its iterations ask for, and the bytes that it spans."""

    lines: float
    extent_bytes: float


class _Moving(Struct, frozen=True):
    """A reference with the bytes that it moves in each loop, innermost first; ``jumps`` is the first one that jumps."""

    array: str
    is_stored_only: bool
    is_stored: bool
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

    def crowding(self, trips: Sequence[float], sets: int) -> list[float]:
        """Return, for each loop, over how many times fewer sets than there are the pages of its iterations spread."""
        found, apart, passed = [], sets, 1.0
        for step, trip in zip(self.steps, trips, strict=True):
            whole, rest = divmod(step, PAGE_BYTES)
            if trip > 1:
                apart, passed = gcd(apart, int(whole)), passed + (trip - 1) * rest / PAGE_BYTES
            found.append(max(1.0, apart / passed))
        return found

    def row_bytes(self, trips: Sequence[float]) -> float:
        """Return how far the loops around the one that jumps go on with each of its pieces."""
        assert self.jumps is not None
        covered = self.piece_bytes
        for step, trip in list(zip(self.steps, trips, strict=True))[self.jumps + 1 :]:
            if step > _GOES_ON * covered:
                break
            covered += max(0.0, trip - 1) * step
        return covered

    def visits(self, line_bytes: int) -> float:
        """Return how many iterations of the loop around the one that jumps go on in the same lines."""
        around = self.steps[self.jumps + 1 :][:1] if self.jumps is not None else ()
        return max(1.0, line_bytes / around[0]) if around and around[0] else 1.0


def _lines_alone(moving: Sequence[_Moving], trips: Sequence[float]) -> list[float]:
    """Return the share of the lines of each reference that no prefetcher brings.

    It follows pieces, and rows side by side where these are few and nothing else jumps.
    """
    far = [each for each in moving if each.jumps is not None and each.steps[each.jumps] >= _FOLLOWED_BYTES]
    rows = sum(trips[each.jumps] for each in far if each.jumps is not None)
    follows = rows <= _FOLLOWED_ROWS and all(each.row_bytes(trips) > _LEARNT_BYTES for each in far)
    return [
        min(1.0, _LEARNT_BYTES / (each.row_bytes(trips) if follows else each.piece_bytes)) if each in far else 0.0
        for each in moving
    ]


def _with_references(profile: RegionProfile) -> Sequence[RegionProfile]:
    """Return the profile, which lists the references of all of its loops if any, else its nests."""
    return (profile,) if profile.access_patterns.references else profile.nests


def jumps_of(profile: RegionProfile, known_pages: float, sets: int, line_bytes: int) -> Iterator[Jump]:
    """Yield the references of the nests that jump, where trips and steps are numbers.

    The ``known_pages`` are those of a TLB of so many ``sets`` that pages take in turn; 1 where others do.
    """
    for moving, trips in _nests(profile, line_bytes):
        yield from _jumps(moving, trips, known_pages, sets, line_bytes)


def streams_of(profile: RegionProfile, line_bytes: int) -> Iterator[Stream]:
    """Yield the references of the nests that go on in order, where trips and steps are numbers."""
    for moving, trips in _nests(profile, line_bytes):
        for each, alone in zip(moving, _lines_alone(moving, trips), strict=True):
            loop = next((loop for loop, step in enumerate(each.steps) if step), None)
            if loop is not None and not alone:
                lines = prod(trips[loop:]) * min(1.0, each.steps[loop] / line_bytes)
                extent = sum(max(0.0, trip - 1) * step for step, trip in zip(each.steps, trips, strict=True))
                yield Stream(lines, line_bytes + extent)


def _nests(profile: RegionProfile, line_bytes: int) -> Iterator[tuple[list[_Moving], tuple[float, ...]]]:
    """Yield the references of each nest as they move, with its trips."""
    around: dict[tuple[LoopTrait, ...], dict[Reference, None]] = {}
    for part in _with_references(profile):
        for reference in part.access_patterns.references:
            around.setdefault(reference.loops, {})[reference] = None
    for loops, references in around.items():
        trips = _trips(loops, profile.values)
        if trips:
            yield list(_moving(references, trips, profile.values, line_bytes)), trips


def _jumps(
    moving: Sequence[_Moving], trips: Sequence[float], known_pages: float, sets: int, line_bytes: int
) -> Iterator[Jump]:
    pages = [each.pages(trips) for each in moving]
    crowded = [each.crowding(trips, sets) for each in moving]
    for each, found, alone in zip(moving, pages, _lines_alone(moving, trips), strict=True):
        if each.jumps is None:
            continue
        together = [
            sum(
                there[loop][0] * (times[loop] if other.steps == each.steps else 1.0)
                for other, there, times in zip(moving, pages, crowded, strict=True)
            )
            for loop in range(len(trips))
        ]
        shares = [_share_of_walks(number / known_pages) for number in together]
        unknown = next((loop for loop, share in enumerate(shares) if share), None)
        walks = sum(
            (share - inside) * prod(trips[loop + 1 :]) * found[loop][0]
            for loop, (inside, share) in enumerate(pairwise((0.0, *shares)))
            if loop >= each.jumps
        )
        apart = PAGE_BYTES if unknown is None else max(PAGE_BYTES, each.steps[unknown])
        yield Jump(
            array=each.array,
            is_stored_only=each.is_stored_only,
            is_stored=each.is_stored,
            pieces=prod(trips[each.jumps :]),
            piece_bytes=each.piece_bytes,
            walks=walks,
            entry_bytes=apart / PAGE_BYTES * _ENTRY_BYTES,
            per_line=max(1.0, min(trips[0], line_bytes / each.steps[0])) if each.jumps and each.steps[0] else 1.0,
            lines_alone=alone,
            in_turn=trips[each.jumps],
            step_bytes=each.steps[each.jumps],
            visits=each.visits(line_bytes),
        )


def _share_of_walks(known: float) -> float:
    """Return the share of pages that wait for a walk, of so many times as many as a core knows."""
    return min(1.0, max(0.0, (known - _NONE_WALK) / (_ALL_WALK - _NONE_WALK)))


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
    loaded: dict[tuple[str, tuple[float, ...]], tuple[bool, bool, int]] = {}
    for reference in references:
        steps = None if reference.on_chip else _steps(reference, values)
        if steps is not None:
            key = (reference.array, steps)
            stored_only, stored, _ = loaded.get(key, (True, False, 0))
            loaded[key] = stored_only and reference.write, stored or reference.write, reference.unit_bytes
    for (array, steps), (stored_only, stored, size) in loaded.items():
        covered, jumps = float(size), None
        for loop, (step, trip) in enumerate(zip(steps, trips, strict=True)):
            if step > max(line_bytes, _GOES_ON * covered):
                jumps = loop if covered < PAGE_BYTES else None
                break
            covered += max(0.0, trip - 1) * step
        yield _Moving(array, stored_only, stored, steps, jumps, covered)


def _steps(reference: Reference, values: Mapping[str, int]) -> tuple[float, ...] | None:
    """Return the bytes that a reference moves in each loop, innermost first; None where they are not known.

    A loop that tiles moves what the loops inside begin at: their first values have its iterator.
    """
    own = [_number(step, values) for step in reference.steps_bytes]
    found: list[float] = []
    for number in range(len(own)):
        moved = 0.0
        for loop, further in _further(reference.loops, number, values):
            step = own[number + loop]
            if step is None or further is None:
                return None
            moved += further * step
        found.append(abs(moved))
    return tuple(reversed(found))


def _further(loops: Sequence[LoopTrait], first: int, values: Mapping[str, int]) -> Iterator[tuple[int, float | None]]:
    """Yield how many iterations further each loop from the ``first`` on begins after one of that; None if not known."""
    yield 0, 1.0
    moved = {loops[first].iterator: float(loops[first].step or 1)}
    for number, loop in enumerate(loops[first + 1 :], start=1):
        if loop.start is None or loop.start.names().isdisjoint(moved):
            continue
        by = _moved_start(loop.start, moved, loops, values)
        if by is None:
            yield number, None
            return
        moved[loop.iterator] = by
        yield number, by / (loop.step or 1)


def _moved_start(
    start: Poly, moved: Mapping[str, float], loops: Sequence[LoopTrait], values: Mapping[str, int]
) -> float | None:
    """Return by how much the start of a loop moves; in the middle where it is the larger of two (of a box)."""
    if all(start.is_linear_in(name) for name in moved):
        parts = [(_number(start.coefficient(name), values), by) for name, by in moved.items()]
        return None if any(factor is None for factor, _ in parts) else sum((factor or 0.0) * by for factor, by in parts)
    before = {**values, **_middles(loops, values)}
    if not start.names() <= before.keys() or start.unknowns():
        return None
    after = before | {name: before[name] + round(by) for name, by in moved.items() if name in before}
    return float(start.evaluate(after)) - float(start.evaluate(before))


def _middles(loops: Sequence[LoopTrait], values: Mapping[str, int]) -> dict[str, int]:
    """Return the middle values of the counters of loops, outermost first, as far as they are known."""
    found: dict[str, int] = {}
    for loop in loops:
        known = {**values, **found}
        start, trip = _number(loop.start, known), _number(loop.trip, known)
        if start is not None and trip is not None:
            found[loop.iterator] = int(start) + (loop.step or 1) * int(max(0.0, trip) / 2)
    return found


def _number(found: Poly | None, values: Mapping[str, int]) -> float | None:
    """Return the value of a polynomial in sizes alone."""
    if found is None or not found.names() <= values.keys() or found.unknowns():
        return None
    return float(found.evaluate(values))
