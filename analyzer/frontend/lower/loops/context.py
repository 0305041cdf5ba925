"""What is known of a loop whose body was lowered once, and what it is recognized as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ....ir.index import (
    Poly,
)
from ....ir.nodes import (
    Condition,
    Range,
)
from ....ir.nodes import Mapping as LoopMapping
from ....source import Span
from .. import logic
from ..emitter import Emitter
from ..flow import LoopFacts
from ..names.symbols import Symbols
from .placeholders import Moving

Forms = Mapping[str, Poly]
"""Closed forms in the number of the iteration, by the name of the placeholder."""


class LoopContext(Struct, frozen=True, kw_only=True):
    """A loop whose body was lowered with placeholders, and the parts of the lowering that its recognition adds to.

    ``ends`` are the values of placeholders after one iteration (None: not expressible), ``loops`` the loops around.
    """

    emitter: Emitter
    symbols: Symbols
    loops: Sequence[LoopFacts]
    condition: Condition
    test_last: bool
    moving: Sequence[Moving]
    ends: Mapping[str, Poly | None]
    iterator: str
    span: Span
    may_wrap: bool = False

    def candidates(self) -> list[Moving]:
        """Return the variables that the condition tests, the one that most likely counts first."""
        tested = self.condition.names
        return sorted(
            (item for item in self.moving if item.name in tested), key=lambda item: item.name != self.iterator
        )

    def entries(self) -> dict[str, Poly]:
        """Return the known values of placeholders at entry."""
        return {item.name: item.entry for item in self.moving if item.entry is not None}

    def is_trip_count_given(self) -> bool:
        """Return whether the user or a run gives the trip count."""
        return self.symbols.is_trip_count_given(self.emitter.position(self.span).line)

    def trip_symbol(self, value: int | None = None) -> str:
        """Return the name of a new symbol for the trip count."""
        return self.symbols.trip_count(self.emitter.position(self.span).line, value)


class Recognized(Struct):
    """A loop understood: ``values`` in an iteration, ``final`` at the failing test, its guard and its other exits.

    An iteration of the range only ``takes_place`` under a condition, and ``mapping`` is what executes them, where the
    bounds of the loop tell.  Of the distances that are ``used_up`` each iteration takes 1 at least.
    """

    range: Range
    values: dict[str, Poly]
    final: dict[str, Poly] = field(default_factory=dict)
    guard: Condition = logic.ALWAYS
    exits: list[Condition] = field(default_factory=list)
    takes_place: Condition = logic.ALWAYS
    mapping: LoopMapping | None = None
    used_up: list[Poly] = field(default_factory=list)
