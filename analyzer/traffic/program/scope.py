"""The loops and conditions around a statement, and formulas in their counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from ...ir.index import Atom, Extremum, FloorDiv, Poly, TruncDiv, Unknown
from ...ir.values import Access
from .handed_out import Streams
from .intervals import simplified
from .program import (
    Affine,
    CountedLoop,
    CounterName,
    Test,
    guarded_hull,
)


class Scope(Struct, frozen=True):
    """What surrounds a node: loops, positions among siblings, conditions, and what the iterators are in counters."""

    loops: tuple[CountedLoop, ...] = ()
    positions: tuple[int, ...] = ()
    tests: tuple[Test, ...] = ()
    iterators: Mapping[str, Poly] = field(default_factory=dict)
    uncertain: bool = False


class Use(Struct, frozen=True):
    """A reference of a statement with its address from the start of the array, where the ``tests`` hold.

    The entries of a table may hand it out in ``streams``.
    """

    access: Access
    address: Affine | Poly | None
    write: bool
    depends: frozenset[int] = frozenset()
    tests: tuple[Test, ...] = ()
    reach: tuple[int, int] | None = None
    streams: Streams | None = None


def in_counters(poly: Poly, scope: Scope) -> Poly:
    """Return an expression over iterators as one over counters, its divisions and extrema simplified."""
    if any(atom.climbs is not None for atom in poly.unknowns()):
        poly = poly.map_atoms(lambda atom: _climbing(atom, scope))
    found = poly.substitute(scope.iterators)
    if not any(isinstance(atom, TruncDiv | FloorDiv | Extremum) for atom in found.atoms()):
        return found
    ranges = guarded_hull(scope.loops, scope.tests)
    return found if ranges is None else simplified(found, ranges)


def _climbing(atom: Atom, scope: Scope) -> Poly:
    """Return a value that climbs in the iterations of a loop as one that does with the counter of that loop."""
    if not isinstance(atom, Unknown) or atom.climbs is None:
        return Poly({(atom,): 1})
    own = atom.climbs
    depth = next((each.depth for each in scope.loops if each.name == own.iterator), None)
    climbs = own if depth is None else replace(own, iterator=CounterName(depth))
    return Poly({(replace(atom, climbs=climbs),): 1})


def depths(access: Access, scope: Scope) -> frozenset[int]:
    """Return the loops whose counters a reference varies with."""
    names = {name for subscript in access.subscripts for name in subscript.names()}
    names |= {name for subscript in access.subscripts for atom in subscript.unknowns() for name in atom.depends}
    inside = {inner for name in names if name in scope.iterators for inner in scope.iterators[name].names()}
    return frozenset(counted.depth for counted in scope.loops if CounterName(counted.depth) in inside)


def depths_in(poly: Poly, loops: Sequence[CountedLoop]) -> frozenset[int]:
    """Return the loops whose counters an expression over counters varies with."""
    names = poly.names()
    return frozenset(counted.depth for counted in loops if CounterName(counted.depth) in names)


def at_position(scope: Scope, position: int) -> Scope:
    """Return the scope of the child at a place of the current body."""
    return replace(scope, positions=(*scope.positions[: len(scope.loops)], position))


def with_tests(scope: Scope, test: Test) -> Scope:
    """Return the scope within one more condition."""
    return replace(scope, tests=(*scope.tests, test))
