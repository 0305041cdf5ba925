"""The least traffic of a nest as plain values: terms of its statements, and the first uses of its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil

from msgspec import Struct

from ..ir.index import Number
from ..quantities.quantity import Quantity
from ..quantities.quasipolynomial import Count
from .partition import Growth


class BoundProjection(Struct, frozen=True):
    """A projection of a term: the reference, the direction of its chain ("" for an operand), its exponent, its group.

    Projections of one group may need the same values.
    """

    reference: str
    direction: str
    exponent: Fraction
    group: int


class BoundTerm(Struct, frozen=True):
    """Statements of which ``operations * traffic_per_operation(S) - (T - S) - charged`` values are loaded at least.

    ``lines`` are those of the statements, ``iterators`` those of the first one's loops, of which the ``mirrored`` ones
    may be exchanged.  ``arrays`` are those of which first uses are counted, ``size_bytes`` is the smallest value.
    """

    lines: tuple[int, ...]
    iterators: tuple[str, ...]
    operations: Count
    charged: Count
    projections: tuple[BoundProjection, ...]
    growth: Growth
    size_bytes: int
    arrays: frozenset[str]
    mirrored: tuple[str, ...] = ()

    def loads(self, values: Mapping[str, Number], capacity: int) -> float:
        """Return how many elements are loaded at least into a cache of so many elements."""
        needed = float(self.operations.evaluate(values)) * self.growth.traffic_per_operation(capacity)
        return needed - self.growth.last_part(capacity) - float(self.charged.evaluate(values))

    def load_bytes(self, values: Mapping[str, Number], capacity_bytes: int) -> int:
        """Return the same in bytes, for a cache of so many bytes; never below 0."""
        return ceil(max(0.0, self.loads(values, capacity_bytes // self.size_bytes))) * self.size_bytes


class LiveTerm(Struct, frozen=True):
    """Values of one step that the next one needs: ``paths - times * S`` of them are loaded at least.

    All of those at ``lines`` are computed before the operation at ``line``, and used after it, ``times`` times.
    """

    line: int
    lines: tuple[int, ...]
    paths: Count
    times: Count
    size_bytes: int

    def load_bytes(self, values: Mapping[str, Number], capacity_bytes: int) -> int:
        """Return how many bytes are loaded at least into a cache of so many bytes; never below 0."""
        held = float(self.times.evaluate(values)) * (capacity_bytes // self.size_bytes)
        return ceil(max(0.0, float(self.paths.evaluate(values)) - held)) * self.size_bytes


class LowerBound(Struct, frozen=True):
    """The terms of a nest, which of them may be added (by their numbers), and the first uses of its arrays in bytes.

    ``live`` are terms each of which adds to the first uses of all arrays, but not to others.
    """

    terms: tuple[BoundTerm, ...]
    sums: tuple[tuple[int, ...], ...]
    read_bytes: Mapping[str, Quantity]
    written_bytes: Quantity
    live: tuple[LiveTerm, ...] = ()

    @property
    def symbols(self) -> frozenset[str]:
        """Return the symbols that the bound depends on."""
        counts = [count for term in self.terms for count in (term.operations, term.charged)]
        counts += [count for term in self.live for count in (term.paths, term.times)]
        counts += [each.lower for each in (*self.read_bytes.values(), self.written_bytes)]
        return frozenset().union(*(count.symbols for count in counts))

    def load_bytes(self, values: Mapping[str, Number], capacity_bytes: int) -> int:
        """Return the fewest bytes that are loaded into a cache of this capacity.

        Raises ``KeyError`` where a symbol has no value.
        """
        found = max(self._loaded(chosen, values, capacity_bytes) for chosen in ((), *self.sums))
        live = self.best_live(values, capacity_bytes)
        return (
            found
            if live is None
            else self._loaded((), values, capacity_bytes) + live.load_bytes(values, capacity_bytes)
        )

    def bytes(self, values: Mapping[str, Number], capacity_bytes: int) -> int:
        """Return the same with each written element stored once; raises ``KeyError``."""
        stored = int(self.written_bytes.lower.evaluate(values))
        return self.load_bytes(values, capacity_bytes) + stored

    def best_live(self, values: Mapping[str, Number], capacity_bytes: int) -> LiveTerm | None:
        """Return the values of one step that the bound is about; None where the sum of other terms is more."""
        best = max(self.live, key=lambda term: term.load_bytes(values, capacity_bytes), default=None)
        if best is None:
            return None
        first = self._loaded((), values, capacity_bytes) + best.load_bytes(values, capacity_bytes)
        others = (self._loaded(chosen, values, capacity_bytes) for chosen in self.sums)
        return best if best.load_bytes(values, capacity_bytes) and first >= max(others, default=0) else None

    def best_sum(self, values: Mapping[str, Number], capacity_bytes: int) -> tuple[BoundTerm, ...]:
        """Return the terms that the bound is the sum of; () where first uses, with values of a step, are more."""
        if self.best_live(values, capacity_bytes) is not None:
            return ()
        best = max(((), *self.sums), key=lambda chosen: self._loaded(chosen, values, capacity_bytes))
        return tuple(self.terms[number] for number in best)

    def _loaded(self, chosen: Sequence[int], values: Mapping[str, Number], capacity_bytes: int) -> int:
        terms = [self.terms[number] for number in chosen]
        counted: frozenset[str] = frozenset().union(*(term.arrays for term in terms))
        first = [int(each.lower.evaluate(values)) for array, each in self.read_bytes.items() if array not in counted]
        return sum(term.load_bytes(values, capacity_bytes) for term in terms) + sum(first)
