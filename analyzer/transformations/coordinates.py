"""Coordinates of iterations that no dependence goes back in, so that boxes of them may run one after the other.

The dimensions are the loops of its deepest statement.  In each, every statement has a coordinate: one of its iterators,
plus ``skew`` times that of the outermost loop, plus a shift of the loop; or a number, where it has no such loop.  Where
every dependence (flow, anti, output) goes from a coordinate to one that is not less, the iterations may be cut into
blocks in it, alone or with others, in any order of the blocks' loops and with the order of the source inside (Irigoin,
Triolet, *Supernode partitioning*, POPL 1988; skewing as in Wolf, Lam, *A data locality optimizing algorithm*, PLDI
1991; shifts as in Bondhugula et al., *A practical automatic polyhedral parallelizer and locality optimizer*, PLDI
2008).  Pointers are taken not to overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from ..bounds.references import Reference, Statements
from ..domains.domain import StatementDomain
from ..domains.isl.order import conflicts, least_advance, range_along
from ..domains.isl.sets import Relation
from ..domains.limits import OverBudget
from ..domains.statement_domains import statement_domains_of
from ..ir.nodes import Guard, Loop, Node, Region, Statement, Strided
from ..ir.traverse import all_nodes
from ..ir.values import Register, walk_values
from ..python.cached_property import cached_property
from .bands import may_move

_MOST_SKEW = 3
_MOST_CHOICES = 64  # of coordinates for one dimension
_MOST_STATEMENTS = 12
_MOST_PAIRS = 400

Loops = tuple[str, ...]
"""The iterators of the loops around a statement: statements with the same ones have the same coordinates."""


class Coordinate(Struct, frozen=True):
    """``iterator + skew * outermost + lean * second + shift``; a number without an iterator, then ``shift`` alone.

    The second loop is that directly inside the outermost one.  Backwards it is ``skew * outermost + shift - iterator``.
    """

    iterator: str | None
    skew: int = 0
    shift: int = 0
    is_backwards: bool = False
    lean: int = 0

    @property
    def sign(self) -> int:
        """Return the factor of the iterator."""
        return -1 if self.is_backwards else 1


class Dimension(Struct, frozen=True, eq=False):
    """A loop of the deepest statement, the coordinate of each statement in it, and the range of them all.

    ``trips`` is how many values the iterator of the loop takes.
    """

    loop: Loop
    of: Mapping[Loops, Coordinate]
    low: int
    high: int
    trips: int

    @property
    def extent(self) -> int:
        """Return how many coordinates there are."""
        return self.high - self.low + 1

    @property
    def skew(self) -> int:
        """Return by how much the dimension moves with each iteration of the outermost loop."""
        return max(each.skew for each in self.of.values())

    @property
    def lean(self) -> int:
        """Return by how much the dimension moves with each iteration of the second loop."""
        return max(each.lean for each in self.of.values())

    @property
    def is_backwards(self) -> bool:
        """Return whether the loop runs against the dimension."""
        return any(each.is_backwards for each in self.of.values())


class Coordinates(Struct, frozen=True, eq=False):
    """The statements of a nest, and the dimensions that may be cut, in the order of the loops.

    ``backwards`` are skewed ones of loops that may be cut both ways.
    """

    statements: Statements
    dimensions: tuple[Dimension, ...]
    backwards: tuple[Dimension, ...]
    outermost: str


def coordinates_of(region: Region) -> Coordinates | None:
    """Return the dimensions of a region of one nest whose symbols are bound; None where fewer than two may be cut."""
    statements = Statements(statement_domains_of(region).statements)
    if not _are_plain(region, statements):
        return None
    try:
        finder = _Finder(statements)
        found = tuple(finder.dimensions())
        backwards = tuple(finder.backwards(found))
    except OverBudget:
        return None
    return Coordinates(statements, found, backwards, finder.outermost) if len(found) > 1 else None


def loops_of(statement: StatementDomain) -> Loops:
    """Return the iterators of the loops around a statement."""
    return tuple(loop.iterator for loop in statement.loops)


def _are_plain(region: Region, statements: Statements) -> bool:
    """Return whether all elements are known, and all scalars are set where they are used, in the same body."""
    if not 0 < len(statements.all) <= _MOST_STATEMENTS or not statements.are_understood:
        return False
    if not all(_can_be_cut(node) for node in all_nodes(region.body) if isinstance(node, Loop)):
        return False
    if any(each.is_header or not each.domain.is_exact for each in statements.all):
        return False
    reads, writes = statements.references
    arrays = [each for each in (*reads, *writes) if not each.location.is_scalar]
    seen = sum(len(set(each.node.accesses)) for each in statements.all)
    if any(each.element is None for each in arrays) or len(arrays) < seen:
        return False
    return _has_own_scalars(region)


def _can_be_cut(loop: Loop) -> bool:
    """Return whether a loop takes every value of a range in turn, and nothing in it leaves."""
    return may_move(loop) and isinstance(loop.range, Strided) and loop.range.step == 1


def _has_own_scalars(region: Region) -> bool:
    """Return whether each scalar that is set is set first in the one body that uses it."""
    used_in: dict[str, int] = {}
    changed: set[str] = set()
    for number, body in enumerate(_bodies(region.body)):
        known: set[str] = set()
        for node in body:
            if not isinstance(node, Statement):
                continue
            for name in (value.name for value in walk_values(node.value) if isinstance(value, Register)):
                if name not in known:
                    used_in.setdefault(name, -1)
                if used_in.setdefault(name, number) != number:
                    used_in[name] = -1
            if isinstance(node.target, Register):
                changed.add(node.target.name)
                known.add(node.target.name)
                if used_in.setdefault(node.target.name, number) != number:
                    used_in[node.target.name] = -1
    return not any(used_in[name] == -1 for name in changed)


def _bodies(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Yield a body and those inside of it."""
    yield nodes
    for node in nodes:
        for body in (node.body, node.orelse) if isinstance(node, Guard) else (getattr(node, "body", ()),):
            yield from _bodies(body) if body else ()


class _Finder:
    """Finds dimensions of a nest, one after the other: a dimension does not depend on the others."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._base = max(statements.all, key=lambda each: len(each.loops))
        self._members: dict[Loops, StatementDomain] = {}
        for each in statements.all:
            self._members.setdefault(loops_of(each), each)
        self._advances: dict[tuple[Loops, Loops, tuple[int, ...], tuple[int, ...]], int | None] = {}

    @property
    def outermost(self) -> str:
        """Return the iterator of the outermost loop."""
        return self._base.loops[0].iterator

    def dimensions(self) -> Iterator[Dimension]:
        """Yield the dimensions that may be cut."""
        for loop in self._base.loops:
            skews = range(_MOST_SKEW + 1) if self._is_skewable(loop) else (0,)
            found = self._dimension(loop, skews)
            if found is None and self._may_lean(loop):
                found = self._dimension(loop, skews, lean=1)
            if found is not None:
                yield found

    def backwards(self, some: Sequence[Dimension]) -> Iterator[Dimension]:
        """Yield the skewed ones of some dimensions that may be cut the other way round, too."""
        for each in some:
            is_skewed = each.skew and not each.lean
            found = self._dimension(each.loop, range(1, _MOST_SKEW + 1), is_backwards=True) if is_skewed else None
            if found is not None:
                yield found

    @cached_property
    def _conflicts(self) -> Mapping[tuple[Loops, Loops], Relation]:
        """Return what must stay in order, between statements by their loops."""
        reads, writes = self._statements.references
        found: dict[tuple[Loops, Loops], Relation] = {}
        left = _MOST_PAIRS
        for write in writes:
            for other, late in (*((each, 0) for each in reads), *((each, 1) for each in writes)):
                if write.location != other.location or write.location.is_scalar:
                    continue
                left -= 1
                if not left:
                    raise OverBudget
                self._add(found, (write, 1), (other, late))
                if not late:
                    self._add(found, (other, 0), (write, 1))
        return found

    def _add(
        self,
        found: dict[tuple[Loops, Loops], Relation],
        one: tuple[Reference, int],
        other: tuple[Reference, int],
    ) -> None:
        pairs = conflicts(*(self._statements.touch(reference, late) for reference, late in (one, other)))
        key = (loops_of(self._statements.all[one[0].statement]), loops_of(self._statements.all[other[0].statement]))
        found[key] = pairs if key not in found else found[key] | pairs

    def _may_lean(self, loop: Loop) -> bool:
        """Return whether a loop is in two others, which all statements are in, too."""
        loops = loops_of(self._base)
        return (
            self._is_skewable(loop) and loop.iterator not in loops[:2] and all(each == loops for each in self._members)
        )

    def _dimension(
        self, loop: Loop, skews: Sequence[int], *, is_backwards: bool = False, lean: int = 0
    ) -> Dimension | None:
        """Return the dimension of a loop with the first of some skews that it may be cut with; None with none."""
        choices = [self._choices(loop, loops) for loops in self._members]
        for skew in skews:
            for number, chosen in enumerate(product(*choices)):
                if number >= _MOST_CHOICES:
                    break
                skewed = [
                    each if each.iterator is None else Coordinate(each.iterator, skew, each.shift, is_backwards, lean)
                    for each in chosen
                ]
                shifted = self._shifted(dict(zip(self._members, skewed, strict=True)))
                if shifted is not None:
                    return self._with_range(loop, shifted)
        return None

    def _is_skewable(self, loop: Loop) -> bool:
        """Return whether a loop is inside of the outermost one, and all statements are."""
        if loop is self._base.loops[0]:
            return False
        return len({loops[0] for loops in self._members if loops}) == 1 and all(self._members)

    def _choices(self, loop: Loop, loops: Loops) -> list[Coordinate]:
        """Return coordinates to try for a statement, the likeliest first."""
        if loop.iterator in loops:
            return [Coordinate(loop.iterator)]
        own = [name for name in loops if name not in loops_of(self._base)]
        alike = [name for name in own if self._subscripts(loop.iterator) & self._subscripts(name)]
        ordered = dict.fromkeys((*alike, *own, *loops))
        ends = range_along(self._base.domain.upper, self._factors(Coordinate(loop.iterator), loops_of(self._base)))
        edges = [Coordinate(None, shift=end) for end in ends or ()]
        if not alike:
            return [*edges, *(Coordinate(name) for name in ordered)]
        return [*(Coordinate(name) for name in ordered), *edges]

    def _subscripts(self, iterator: str) -> frozenset[tuple[str, int]]:
        """Return the arrays and the positions of subscripts in which an iterator is."""
        found: set[tuple[str, int]] = set()
        for each in (*self._statements.references[0], *self._statements.references[1]):
            loops = loops_of(self._statements.all[each.statement])
            for position, row in enumerate(each.matrix or ()):
                if iterator in loops and row[loops.index(iterator)]:
                    found.add((each.location.name, position))
        return frozenset(found)

    def _factors(self, coordinate: Coordinate, loops: Loops) -> tuple[int, ...]:
        """Return the factors of the iterators in a coordinate, and its shift."""
        factors = [coordinate.sign * int(name == coordinate.iterator) for name in loops]
        if coordinate.skew:
            factors[0] += coordinate.skew
        if coordinate.lean:
            factors[1] += coordinate.lean
        return (*factors, coordinate.shift)

    def _shifted(self, of: Mapping[Loops, Coordinate]) -> Mapping[Loops, Coordinate] | None:
        """Return coordinates with loops that are not shared shifted so that no dependence goes back; None if none do.

        The least shifts are the longest paths over what each dependence asks for (Bellman, Ford).
        """
        asked: dict[tuple[str | None, str | None], int] = {}
        for (one, other), pairs in self._conflicts.items():
            first, second = (self._factors(of[loops], loops) for loops in (one, other))
            key = (one, other, first, second)
            if key not in self._advances:
                self._advances[key] = least_advance(pairs, first, second)
            advance = self._advances[key]
            ends = (of[one].iterator, of[other].iterator)
            if advance is None or (advance < 0 and (ends[0] == ends[1] or None in ends)):
                return None
            asked[ends] = max(asked.get(ends, -advance), -advance)
        shifts: dict[str | None, int] = {each.iterator: 0 for each in of.values()}
        for _ in range(len(shifts) + 1):
            changed = False
            for (first_loop, second_loop), apart in asked.items():
                if first_loop != second_loop and shifts[second_loop] < shifts[first_loop] + apart:
                    shifts[second_loop] = shifts[first_loop] + apart
                    changed = True
            if not changed:
                break
        if changed or shifts.get(None):
            return None
        return {
            loops: each if each.iterator is None else replace(each, shift=shifts[each.iterator])
            for loops, each in of.items()
        }

    def _with_range(self, loop: Loop, of: Mapping[Loops, Coordinate]) -> Dimension | None:
        ranges = [
            range_along(each.domain.upper, self._factors(of[loops_of(each)], loops_of(each)))
            for each in self._statements.all
        ]
        known = [each for each in ranges if each is not None]
        if len(known) < len(ranges):
            return None
        own = range_along(self._base.domain.upper, self._factors(Coordinate(loop.iterator), loops_of(self._base)))
        low, high = own or (0, 0)
        return Dimension(loop, of, min(low for low, _ in known), max(high for _, high in known), high - low + 1)
