"""Symbols for trip counts that are not affine: reported, unless the iterations are summed up in the sizes."""

from __future__ import annotations

from collections.abc import Iterable

from ..given_values import trip_of_line
from ..ir.nodes import Geometric, Loop, Region, Strided
from ..source import Span
from .domain import Uncertain


class TripSymbols:
    """The symbols of one region; ``uncertain`` are those that a report names."""

    def __init__(self, region: Region) -> None:
        """Start without any, apart from the names of the symbols of the region."""
        self.uncertain: list[Uncertain] = []
        self._taken = {symbol.name for symbol in region.symbols}
        self._summed: dict[str, tuple[str, Span]] = {}
        self._open: set[str] = set()

    @property
    def closed(self) -> frozenset[str]:
        """Return the symbols of the loops whose iterations are summed up wherever they matter."""
        return frozenset(trip for trip, _ in self._summed.values()) - self._open

    def symbol_of(self, loop: Loop) -> str:
        """Return a symbol for the trip count of a loop whose bounds are not affine, named after its line."""
        if isinstance(loop.range, Geometric):
            return loop.range.trip
        trip = trip_of_line(loop.span.line)
        trip = f"{trip}_{loop.iterator}" if trip in self._taken else trip
        self._taken.add(trip)
        return trip

    def report(self, trip: str, span: Span) -> None:
        """Note that a symbol stands for a trip count that could not be expressed."""
        self.uncertain.append(Uncertain(trip, span))

    def sum_up(self, loop: Loop, trip: str) -> None:
        """Note that the iterations of a loop can be summed up."""
        self._summed[loop.iterator] = (trip, loop.span)

    def is_summed(self, loop: Loop) -> bool:
        """Return whether the iterations of a loop can be summed up."""
        return loop.iterator in self._summed

    def leave_open(self, loops: Iterable[Loop]) -> None:
        """Note that a statement in these loops has no sum, so that their symbols stay; report those of plain loops."""
        for loop in loops:
            if loop.iterator in self._summed:
                trip, span = self._summed[loop.iterator]
                if isinstance(loop.range, Strided) and trip not in self._open:
                    self.report(trip, span)
                self._open.add(trip)
