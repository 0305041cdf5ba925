"""The least traffic of a nest as plain values: terms of its statements, and the first uses of its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, factorial
from typing import Union

from msgspec import Struct

from ..ir.index import Number
from ..quantities.quantity import Quantity
from ..quantities.quasipolynomial import Count
from .layers import Layers
from .partition import Growth

_SHARES = (0.7, 0.85, 1, 1.2, 1.5, 2, 4)  # of the part of an execution that is the best one of large stencils
_ROUNDING = 1e-12  # of floating-point powers: far more than what they lose


class BoundProjection(Struct, frozen=True):
    """A projection of a term: the reference, the direction of its chain ("" for an operand), its exponent, its group.

    Projections of one group may need the same values.
    """

    reference: str
    direction: str
    exponent: Fraction
    group: int


class BoundTerm(Struct, frozen=True):
    """Statements of which ``growth.loads(operations, S) - charged`` values are loaded at least.

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
        needed = self.growth.loads(self.operations.evaluate(values), capacity)
        return needed - float(self.charged.evaluate(values))

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


class SurfaceTerm(Struct, frozen=True):
    """A stencil's values that cross the surface of a part of its operations: see :mod:`.surface`.

    ``steps`` are the vectors from an operation to those that read its value; ``inner`` operations have all of them on
    both sides, ``others`` not.  ``last`` of the inner ones make the last value of an element.  Where operations may be
    of a sum (``is_a_sum``), its order is free.
    """

    lines: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    operations: Count
    inner: Count
    others: Count
    last: Count
    size_bytes: int
    is_a_sum: bool
    layers: Layers | None = None

    @property
    def dimension(self) -> int:
        """Return n, of the lattice of the operations."""
        return len(self.steps[0])

    @property
    def volume(self) -> Fraction:
        """Return c: that of the thinnest simplex with as many points as an operation has neighbours, with itself."""
        return Fraction(len(self.steps) + 1 - self.dimension, factorial(self.dimension))

    @property
    def coefficient(self) -> float:
        """Return the factor of ``|V| / S^(1/(n - 1))`` loads, and as many stores, for large V."""
        power = self.dimension - 1
        return power * float(float(self.volume) ** (1 / power))

    @property
    def moved_coefficient(self) -> float:
        """Return the factor of loads and stores together."""
        return max(2 * self.coefficient, 0.0 if self.layers is None else self.layers.coefficient)

    def load_bytes(self, values: Mapping[str, Number], capacity_bytes: int) -> int:
        """Return how many bytes are loaded at least into a cache of so many bytes; never below 0."""
        return self._bytes(values, capacity_bytes, stores=False)

    def moved_bytes(self, values: Mapping[str, Number], capacity_bytes: int, stored_bytes: int = 0) -> int:
        """Return how many bytes are loaded and stored at least, both together; never below 0.

        That is with those of ``stored_bytes`` of elements whose last store is not counted anyway.
        """
        found = self._bytes(values, capacity_bytes, stores=True)
        found += max(0, stored_bytes - ceil(self.last.evaluate(values)) * self.size_bytes)
        if self.layers is None:
            return found
        held, operations = capacity_bytes // self.size_bytes, int(self.operations.evaluate(values))
        crossing = ceil(max(0.0, self.layers.moved(operations, values, held))) * self.size_bytes
        last = ceil(self.layers.last.evaluate(values)) * self.size_bytes
        return max(found, crossing + max(0, stored_bytes - last))

    def _bytes(self, values: Mapping[str, Number], capacity_bytes: int, *, stores: bool) -> int:
        inner, ways = int(self.inner.evaluate(values)), 2 if stores else 1
        held = capacity_bytes // self.size_bytes
        parts = self._parts(inner, held)
        crossing = max(inner // part * (self._crossing(part, stores) - ways * held) for part in parts)
        lacking = float(self.others.evaluate(values)) * (ways + (stores and self.is_a_sum))
        return ceil(max(0.0, crossing - lacking)) * self.size_bytes

    def _parts(self, inner: int, held: int) -> list[int]:
        """Return sizes of a part to try: those about the best one, and shares of all operations."""
        power = self.dimension / (self.dimension - 1)
        best = (max(1, held) / float(self.volume) ** (1 / self.dimension)) ** power
        return [max(1, int(best * share)) for share in _SHARES] + [max(1, inner // number) for number in (1, 2, 3, 4)]

    def _crossing(self, part: int, stores: bool) -> float:
        """Return G(m) - m for m operations, with stores G(m) - R(m), rounded down."""
        power, width = 1 / self.dimension, float(self.volume) ** (1 / self.dimension)
        grown = float((part**power + width) ** self.dimension)
        least = float(max(0.0, part**power - width) ** self.dimension) if stores else part
        return grown - least - _ROUNDING * grown


Argument = Union[BoundTerm, LiveTerm, SurfaceTerm]


class LowerBound(Struct, frozen=True):
    """The terms of a nest, which of them may be added (by their numbers), and the first uses of its arrays in bytes.

    Each of ``live`` and ``surfaces`` adds to the first uses of all arrays, but not to others.
    """

    terms: tuple[BoundTerm, ...]
    sums: tuple[tuple[int, ...], ...]
    read_bytes: Mapping[str, Quantity]
    written_bytes: Quantity
    live: tuple[LiveTerm, ...] = ()
    surfaces: tuple[SurfaceTerm, ...] = ()

    @property
    def symbols(self) -> frozenset[str]:
        """Return the symbols that the bound depends on."""
        counts = [count for term in self.terms for count in (term.operations, term.charged)]
        counts += [count for term in self.live for count in (term.paths, term.times)]
        counts += [count for term in self.surfaces for count in (term.operations, term.inner, term.others, term.last)]
        counts += [each for term in self.surfaces if term.layers is not None for each in term.layers.counts]
        counts += [each.lower for each in (*self.read_bytes.values(), self.written_bytes)]
        return frozenset().union(*(count.symbols for count in counts))

    def load_bytes(self, values: Mapping[str, Number], capacity_bytes: int) -> int:
        """Return the fewest bytes that are loaded into a cache of this capacity.

        Raises ``KeyError`` where a symbol has no value.
        """
        found = max(self._loaded(chosen, values, capacity_bytes) for chosen in ((), *self.sums))
        alone = (each.load_bytes(values, capacity_bytes) for each in self._alone)
        return max(found, self._loaded((), values, capacity_bytes) + max(alone, default=0))

    def bytes(self, values: Mapping[str, Number], capacity_bytes: int) -> int:
        """Return the same with stores: each written element once, of values that leave a part also these.

        Raises ``KeyError`` where a symbol has no value.
        """
        stored = int(self.written_bytes.lower.evaluate(values))
        first = self._loaded((), values, capacity_bytes)
        moved = (each.moved_bytes(values, capacity_bytes, stored) for each in self.surfaces)
        return max(self.load_bytes(values, capacity_bytes) + stored, first + max(moved, default=0))

    def best(self, values: Mapping[str, Number], capacity_bytes: int) -> tuple[Argument, ...]:
        """Return the terms that the bound of all bytes is the sum of; () where first uses are as many."""
        stored = int(self.written_bytes.lower.evaluate(values))
        first = self._loaded((), values, capacity_bytes)
        sums = ((), *self.sums)
        found: list[tuple[int, tuple[Argument, ...]]] = [
            *(
                (self._loaded(each, values, capacity_bytes), tuple(self.terms[number] for number in each))
                for each in sums
            ),
            *((first + each.load_bytes(values, capacity_bytes), (each,)) for each in self._alone),
            *((first + each.moved_bytes(values, capacity_bytes, stored) - stored, (each,)) for each in self.surfaces),
        ]
        return max(found, key=lambda each: each[0])[1]

    @property
    def _alone(self) -> tuple[LiveTerm | SurfaceTerm, ...]:
        """Return the terms that add to first uses alone."""
        return (*self.live, *self.surfaces)

    def _loaded(self, chosen: Sequence[int], values: Mapping[str, Number], capacity_bytes: int) -> int:
        terms = [self.terms[number] for number in chosen]
        counted: frozenset[str] = frozenset().union(*(term.arrays for term in terms))
        first = [int(each.lower.evaluate(values)) for array, each in self.read_bytes.items() if array not in counted]
        return sum(term.load_bytes(values, capacity_bytes) for term in terms) + sum(first)
