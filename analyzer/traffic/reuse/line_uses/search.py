"""Finding the uses of a cache line: the latest or earliest execution of some references that touches it.

Each reference is searched by itself (:mod:`.line_search`); what comes last, or first, is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from ...program.ranges import Ints
from .alike import Uses
from .line_search import Flags, LineSearch


class Found(Struct, frozen=True):
    """Results of a search: for each sample whether there is one, in which ``uses``, which reference, and when."""

    found: Flags
    uses: Ints
    reference: Ints
    counters: Ints

    @staticmethod
    def none(samples: int, levels: int) -> Found:
        """Return the answer that nothing is found."""
        return Found(
            np.zeros(samples, bool),
            np.zeros(samples, np.int64),
            np.zeros(samples, np.int64),
            np.zeros((levels, samples), np.int64),
        )

    def put(self, index: Ints, other: Found) -> None:
        """Enter what was found for some of the samples."""
        self.found[index] = True
        self.uses[index] = other.uses
        self.reference[index] = other.reference
        self.counters[:, index] = other.counters


class Limits(Struct, frozen=True):
    """Only references of one ``uses`` that come before an ``order`` within the statement."""

    uses: int
    order: Ints


class _Hits(Struct, frozen=True, kw_only=True):
    """Uses of lines: the samples whose lines they are of, their :func:`_moments`, and what :class:`Found` has."""

    owners: Ints
    moments: Ints
    uses: Ints
    reference: Ints
    counters: Ints


class Finder:
    """Finds uses of lines by time."""

    def __init__(self, uses: Sequence[Uses], line_bytes: int, levels: int) -> None:
        self._uses = uses
        self._levels = levels
        self.line_bytes = line_bytes
        self._searches: dict[tuple[int, bool], LineSearch] = {}

    def search(
        self,
        positions: Sequence[int],
        fixed: Ints,
        line: Ints,
        limits: tuple[Ints, Ints] | None,
        *,
        latest: bool,
        before: Limits | None = None,
        wanted: Callable[[int], Flags] | None = None,
        of: Found | None = None,
    ) -> tuple[Found, Ints]:
        """Return the latest or earliest use among some with the outer counters ``fixed``, and how many use the line.

        ``limits`` narrow the first counter that is not fixed; ``wanted`` says which samples look at a position.  For
        each sample, the use by the reference that ``of`` names, one of those looked at, is entered there.
        """
        samples = len(line)
        hits = []
        for position in positions:
            some = np.arange(samples) if wanted is None else np.nonzero(wanted(position))[0]
            if len(some):
                hits.append(self._hits(position, some, fixed, line, limits, latest=latest, before=before, of=of))
        return _last_or_first([each for each in hits if each], samples, self._levels, latest=latest)

    def _hits(
        self,
        position: int,
        some: Ints,
        fixed: Ints,
        line: Ints,
        limits: tuple[Ints, Ints] | None,
        *,
        latest: bool,
        before: Limits | None,
        of: Found | None,
    ) -> _Hits | None:
        """Return the latest or earliest use of the lines of some samples by each reference at a position, if any."""
        uses = self._uses[position]
        many = len(uses.offsets)
        owner = np.repeat(some, many)
        reference = np.tile(np.arange(many), len(some))
        spread = None if limits is None else (limits[0][owner], limits[1][owner])
        search = self._search_of(position, latest=latest)
        found, solution = search.solve(fixed[:, owner], line[owner] - uses.offsets[reference], spread)
        if of is not None:
            own = np.nonzero(found & (of.uses[owner] == position) & (of.reference[owner] == reference))[0]
            of.found[owner[own]] = True
            of.counters[: len(solution), owner[own]] = solution[:, own]
        if before is not None:
            orders = np.array([item.order for item in uses.references])
            found &= orders[reference] < before.order[owner]
        hit = np.nonzero(found)[0]
        if not len(hit):
            return None
        return _Hits(
            owners=owner[hit],
            moments=_moments(uses, solution[:, hit], reference[hit], self._levels),
            uses=np.full(len(hit), position, dtype=np.int64),
            reference=reference[hit],
            counters=_padded(solution[:, hit], self._levels),
        )

    def _search_of(self, position: int, *, latest: bool) -> LineSearch:
        if (position, latest) not in self._searches:
            self._searches[position, latest] = LineSearch(self._uses[position], self.line_bytes, latest=latest)
        return self._searches[position, latest]


def _last_or_first(hits: Sequence[_Hits], samples: int, levels: int, *, latest: bool) -> tuple[Found, Ints]:
    """Return the latest or earliest of the uses of each sample's line, and how many they are."""
    result = Found.none(samples, levels)
    if not hits:
        return result, np.zeros(samples, np.int64)
    owner = np.concatenate([each.owners for each in hits])
    moment = np.concatenate([each.moments for each in hits], axis=1)
    order = np.lexsort((*moment[::-1], owner))
    ranked = owner[order]
    edge = np.ones(len(ranked), dtype=bool)
    if latest:
        edge[:-1] = ranked[1:] != ranked[:-1]
    else:
        edge[1:] = ranked[1:] != ranked[:-1]
    best = order[edge]
    chosen = Found(
        np.ones(len(best), bool),
        np.concatenate([each.uses for each in hits])[best],
        np.concatenate([each.reference for each in hits])[best],
        np.concatenate([each.counters for each in hits], axis=1)[:, best],
    )
    result.put(owner[best], chosen)
    return result, np.bincount(owner, minlength=samples)


def _moments(uses: Uses, counters: Ints, reference: Ints, levels: int) -> Ints:
    """Return rows that order executions: position, counter, position, counter, ..., order in the statement."""
    samples = counters.shape[1]
    rows = np.zeros((2 * levels + 2, samples), dtype=np.int64)
    for depth, position in enumerate(uses.leaf.positions):
        rows[2 * depth] = position
        if depth < len(uses.leaf.loops):
            rows[2 * depth + 1] = counters[depth]
    rows[-1] = np.array([item.order for item in uses.references], dtype=np.int64)[reference]
    return rows


def _padded(counters: Ints, levels: int) -> Ints:
    padded = np.zeros((levels, counters.shape[1]), dtype=np.int64)
    padded[: len(counters)] = counters
    return padded


def kinds(code: Ints) -> tuple[Ints, Ints]:
    """Return the distinct columns of some rows of small numbers, and for every column which of them it is."""
    key = np.zeros(code.shape[1], np.int64)
    for row in code:
        key = key * (int(row.max(initial=0)) + 2) + row + 1
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    first = np.ones(len(ranked), bool)
    first[1:] = ranked[1:] != ranked[:-1]
    which = np.empty(len(key), np.int64)
    which[order] = np.cumsum(first) - 1
    return code[:, order[first]], which


def taken(found: Found, index: Ints) -> Found:
    """Return some of the samples."""
    return Found(found.found[index], found.uses[index], found.reference[index], found.counters[:, index])
