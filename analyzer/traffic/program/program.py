"""A region with numbers for all sizes, laid out in memory: the loop tree that the cache models walk.

Loops run over a counter ``t`` that rises by one from its lower bound; iterators are affine in the counters, so a loop
over tiles or one that counts down is like any other.  Counters of a reference are numbered by the depth of their loop.
Addresses are in bytes.  What is not affine (``x[col[k]]``) is kept apart as irregular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

from msgspec import Struct, field

from ...diagnostics import Field, Phrase
from ...ir.index import Climb, Poly
from ...ir.nodes import Assumption, Barrier, Condition, MemorySpace
from ...ir.nodes import Mapping as LoopMapping
from .handed_out import Streams

Counters = Any  # a sequence or matrix: one integer, or one numpy array of integers, per depth


class NotNumeric(Exception):
    """The region cannot be laid out with numbers; ``why`` is among the sentences of AI210."""

    def __init__(self, form: str, **fields: Field) -> None:
        """Give the reason by the name of its sentence, with its fields."""
        self.why = Phrase.of("AI210", form, **fields)
        super().__init__(str(self.why))


class Affine(Struct, frozen=True):
    """``constant + sum of coefficient times counter``; ``terms`` are (depth, coefficient) by rising depth."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()

    def at(self, counters: Counters) -> Any:
        """Return the value for numbers or arrays of counters."""
        total: Any = self.constant
        for depth, coefficient in self.terms:
            total = total + (counters[depth] if coefficient == 1 else coefficient * counters[depth])
        return total

    def coefficient(self, depth: int) -> int:
        """Return the factor of one counter."""
        return next((factor for position, factor in self.terms if position == depth), 0)


class Computed(Struct, frozen=True):
    """A value that counters decide in a way that is not affine; ``value`` takes numbers or arrays of counters."""

    value: Callable[[Counters], Any]

    def at(self, counters: Counters) -> Any:
        """Return the value for numbers or arrays of counters."""
        return self.value(counters)

    def coefficient(self, _depth: int) -> int | None:
        """Return None: it is no loop."""
        return None


class Bound(Struct, frozen=True):
    """One bound of a counter: ``divisor * t <= limit`` of an upper bound, ``divisor * t >= limit`` of a lower one."""

    limit: Affine
    divisor: int = 1


class Test(Struct, frozen=True):
    """A ``condition`` on counters, with the text that isl reads; ``holds`` takes numbers or arrays of counters.

    ``needed`` are affine expressions that are not negative where it holds: all of it, or a part.
    """

    condition: Condition
    holds: Callable[[Counters], Any]
    text: str
    needed: tuple[Affine, ...]

    @property
    def is_true(self) -> bool:
        """Return whether it compares nothing but numbers, and holds."""
        return not self.condition.names and bool(self.holds(()))

    @property
    def depths(self) -> frozenset[int]:
        """Return the depths of the counters that it compares."""
        return frozenset(name.depth for name in self.condition.names if isinstance(name, CounterName))


class Reference(Struct, frozen=True, eq=False):
    """One affine memory reference: byte ``address`` of its first byte, ``order`` within its statement.

    ``element`` is the address of the array element of which it is a member; None where it is the whole element.
    ``text`` is the reference as the source has it, more or less; it is shown, and nothing is decided by it.
    """

    array: str
    address: Affine
    size_bytes: int
    write: bool
    order: int
    text: str = ""
    atomic: bool = False
    element: Affine | None = None


Element = tuple[tuple[Poly, ...], int]  # subscripts, and bytes from the start of the element


class Irregular(Struct, frozen=True, eq=False, kw_only=True):
    """A reference whose element depends on data, or on counters in a way that is not affine.

    Equal ``element`` in one statement is the same element.  Equal ``base`` in one iteration is the same address, from
    which the reference is ``offset`` bytes away (None: not followed).  ``address`` is known where only counters decide;
    ``depends`` are the depths of the counters that it varies with; ``gathers`` is whether a loaded value decides, and
    the arrays that it is ``decided_by`` are those of them that are not given.  ``reach`` are the least and the greatest
    address of its first byte, where its range is known; ``step`` is the bytes
    from one iteration of the innermost loop to the next, where these are the same; where there is a ``climb``, they
    are that or 0, as data say, and it ``starts`` at an address that varies with the counters at these depths (None: not
    known), so many bytes ``apart`` from one iteration of the loop around to the next.  ``lane_base`` is ``base``
    without what is the same for all threads of a warp, and without what is greater by ``rises`` bytes in each active
    thread than in the one before.  Where it ``is_random``, a random number decides; the entries of a table may hand it
    out in ``streams``.
    """

    array: str
    element: Element
    size_bytes: int
    write: bool
    address: Computed | None = None
    depends: frozenset[int] = frozenset()
    gathers: bool = False
    decided_by: frozenset[str] = frozenset()
    is_random: bool = False
    atomic: bool = False
    text: str = ""
    reach: tuple[int, int] | None = None
    step: int | None = None
    climb: Climb | None = None
    starts: frozenset[int] | None = None
    apart: int | None = None
    base: Poly | None = None
    offset: int = 0
    lane_base: Poly | None = None
    rises: int = 0
    streams: Streams | None = None


class Leaf(Struct, eq=False):
    """One statement: ``loops`` around it from the outside, its place among siblings at every depth, its references.

    ``uncertain``: data decides whether it runs.  A ``barrier`` refers to nothing.  It computes so many ``operations``.
    """

    loops: tuple[CountedLoop, ...]
    positions: tuple[int, ...]
    tests: tuple[Test, ...]
    references: tuple[Reference, ...]
    irregular: tuple[Irregular, ...]
    line: int
    uncertain: bool = False
    barrier: Barrier | None = None
    operations: int = 0

    @property
    def is_box(self) -> bool:
        """Return whether it runs for all counters between bounds that are numbers."""
        bounds = (bound for loop in self.loops for bound in (*loop.lows, *loop.highs))
        return not self.tests and not any(bound.limit.terms for bound in bounds)

    def conditions(self) -> list[Affine]:
        """Return what is not negative where it runs.

        These are the bounds of its loops and, as far as they are affine, its tests.
        """
        found = [expression for test in self.tests for expression in test.needed]
        for loop in self.loops:
            found += [excess(bound, loop.depth, -1) for bound in loop.lows]
            found += [excess(bound, loop.depth, 1) for bound in loop.highs]
        return found


class CountedLoop(Struct, eq=False):
    """One loop. ``depth`` numbers its counter; ``children`` run in order in every iteration.

    ``nest`` is the iterator of the loop in the source, also where this is one iteration that was unrolled.
    One that ``is_rolled`` is known not to be unrolled in whole.
    ``average_trips`` are the iterations of a loop of which only their average over all executions is known.
    Those of a loop that given arrays count are ``length``, which varies with the counters at the depths
    ``length_depends``; its bounds are then those of the longest of its executions.
    """

    depth: int
    name: str
    nest: str
    lows: tuple[Bound, ...]
    highs: tuple[Bound, ...]
    tests: tuple[Test, ...]
    line: int
    mapping: LoopMapping
    average_trips: int | None = None
    length: Computed | None = None
    length_depends: frozenset[int] = frozenset()
    is_rolled: bool = False
    children: list[Union[CountedLoop, Leaf]] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)

    @property
    def parallel(self) -> bool:
        """Return whether threads share the iterations."""
        return self.mapping is LoopMapping.THREADS

    def range(self, counters: Counters) -> tuple[Any, Any]:
        """Return the first and last value of the counter, for numbers or arrays of the outer counters."""
        if self.length is not None:
            return 0, self.length.at(counters) - 1
        return _tightest(self.lows, counters, upper=False), _tightest(self.highs, counters, upper=True)


Child = Union[CountedLoop, Leaf]


class Placed(Struct, frozen=True):
    """An array in memory, with room for all that affine references reach; ``declared_bytes``: those of its extents.

    ``changes``: other threads may have changed it when a barrier ends; ``aligned_bytes``: what its elements are aligned
    to, None where it is not known; ``listed``: the source lists its elements, which are constant; ``shifts``: how many
    bytes other starts that are as likely are behind this one.
    """

    name: str
    start: int
    size_bytes: int
    declared_bytes: int | None
    space: MemorySpace
    changes: bool = True
    aligned_bytes: int | None = None
    listed: bool = False
    shifts: tuple[int, ...] = ()


class Program(Struct, frozen=True):
    """The tree, its statements in textual order, where the arrays lie, and what was taken for granted.

    ``origins`` are the positions in the region of the nodes that the children come from, ``row_bytes`` the lengths of
    rows that an allocator has placed, by their array.  ``has_given``: given arrays decide some addresses or lengths.
    """

    children: tuple[Child, ...]
    origins: tuple[int, ...]
    leaves: tuple[Leaf, ...]
    arrays: Mapping[str, Placed]
    notes: tuple[Assumption, ...]
    row_bytes: Mapping[str, int] = field(default_factory=dict)
    has_given: bool = False

    @property
    def written(self) -> frozenset[str]:
        """Return the arrays to which a statement writes."""
        affine_ = (item.array for leaf in self.leaves for item in leaf.references if item.write)
        return frozenset(affine_).union(item.array for leaf in self.leaves for item in leaf.irregular if item.write)


def leaves_of(child: Child) -> Sequence[Leaf]:
    """Return the statements under a node."""
    return child.leaves if isinstance(child, CountedLoop) else (child,)


def walk(children: Sequence[Child]) -> Iterator[CountedLoop]:
    """Yield every loop of a tree, outer before inner."""
    for child in children:
        if isinstance(child, CountedLoop):
            yield child
            yield from walk(child.children)


class CounterName(str):
    """The name of a counter in polynomials, which no name in a source equals; ``depth`` is that of its loop."""

    __slots__ = ("depth",)

    depth: int

    def __new__(cls, depth: int) -> CounterName:
        """Name the counter of the loop at a depth."""
        self = super().__new__(cls, f"#{depth}")
        self.depth = depth
        return self


def affine(poly: Poly) -> Affine | None:
    """Return a polynomial in counters as an affine expression; None where it is not one."""
    constant, terms = 0, []
    for monomial, number in poly.terms.items():
        if not isinstance(number, int) or len(monomial) > 1:
            return None
        if not monomial:
            constant = number
        elif isinstance(monomial[0], CounterName):
            terms.append((monomial[0].depth, number))
        else:
            return None
    return Affine(constant, tuple(sorted(terms)))


def hull(loops: Sequence[CountedLoop]) -> list[tuple[int, int]] | None:
    """Return the smallest and largest value of every counter of nested loops; None where some loop never runs."""
    ranges: list[tuple[int, int]] = []
    for loop in loops:
        low = max(-(-span(bound.limit, ranges)[0] // bound.divisor) for bound in loop.lows)
        high = min(span(bound.limit, ranges)[1] // bound.divisor for bound in loop.highs)
        if high < low:
            return None
        ranges.append((low, high))
    return ranges


def guarded_hull(loops: Sequence[CountedLoop], tests: Sequence[Test]) -> list[tuple[int, int]] | None:
    """Return least and greatest value of every counter where the conditions hold, as far as single conditions tell."""
    ranges = hull(loops)
    if ranges is None:
        return None
    for expression in (each for test in tests for each in test.needed):
        for depth, factor in expression.terms:
            low, high = ranges[depth]
            others = Affine(expression.constant, tuple(term for term in expression.terms if term[0] != depth))
            most = span(others, ranges)[1]
            ranges[depth] = (max(low, -(most // factor)), high) if factor > 0 else (low, min(high, most // -factor))
            if ranges[depth][0] > ranges[depth][1]:
                return None
    return ranges


def span(expression: Affine, ranges: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the least and greatest value for counters in some ranges."""
    low = high = expression.constant
    for depth, factor in expression.terms:
        first, last = ranges[depth]
        low += min(factor * first, factor * last)
        high += max(factor * first, factor * last)
    return low, high


def excess(bound: Bound, depth: int, sign: int) -> Affine:
    """Return ``sign * (limit - divisor * t)``, not negative within the bound."""
    terms = [(position, sign * factor) for position, factor in bound.limit.terms] + [(depth, -sign * bound.divisor)]
    return Affine(sign * bound.limit.constant, tuple(sorted(terms)))


def _tightest(bounds: Sequence[Bound], counters: Counters, *, upper: bool) -> Any:
    values = [_quotient(bound, counters, upper=upper) for bound in bounds]
    best = values[0]
    for value in values[1:]:
        if isinstance(best, int) and isinstance(value, int):
            best = min(best, value) if upper else max(best, value)
        else:
            import numpy as np

            best = np.minimum(best, value) if upper else np.maximum(best, value)
    return best


def _quotient(bound: Bound, counters: Counters, *, upper: bool) -> Any:
    value = bound.limit.at(counters)
    if bound.divisor == 1:
        return value
    return value // bound.divisor if upper else -(-value // bound.divisor)
