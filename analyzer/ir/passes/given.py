"""Where elements of given arrays decide addresses, trip counts or conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..given_array import GivenArray
from ..index import Atom, Element, Poly, given_elements, is_given, unknown
from ..nodes import Loop, Node, Region, Uncounted
from ..traverse import accesses_in, all_nodes, decisive_indices, indices_of_steps, map_bodies, map_indices


def counted_loops(nodes: Iterable[Node]) -> Iterator[Loop]:
    """Yield the loops whose trip counts given arrays tell."""
    for node in all_nodes(nodes):
        if isinstance(node, Loop) and isinstance(node.range, Uncounted) and node.range.length is not None:
            yield node


def stepped_loops(region: Region) -> dict[str, Loop]:
    """Return the loops whose iterations running their variables may count, by the open symbols of their trip counts."""
    known = {symbol.name for symbol in region.symbols if symbol.value is not None} | dict(region.averages).keys()
    loops = [node for node in all_nodes(region.body) if isinstance(node, Loop)]
    scope = known.union(loop.iterator for loop in loops)
    found: dict[str, Loop] = {}
    for loop in loops:
        steps = loop.range.steps if isinstance(loop.range, Uncounted) else None
        if steps is None or not isinstance(loop.range, Uncounted) or loop.range.trip in known:
            continue
        names = {name for index in indices_of_steps(steps) for name in index.names()}
        if names - {one.name for one in steps.variables} <= scope:
            found[loop.range.trip] = loop
    return found


def open_loops(region: Region) -> Iterator[tuple[str, Loop]]:
    """Yield the loops whose iterations are not known, with the symbols of these."""
    known = {symbol.name for symbol in region.symbols if symbol.value is not None} | dict(region.averages).keys()
    for node in all_nodes(region.body):
        trip = node.range.trip if isinstance(node, Loop) and isinstance(node.range, Uncounted) else None
        if isinstance(node, Loop) and trip is not None and trip not in known and node.range == Uncounted(trip):
            yield trip, node


def stored_bounds(region: Region) -> frozenset[str]:
    """Return the arrays of integers that a region stores and that the tests of its open loops read."""
    reads = (access for _, loop in open_loops(region) for access, _ in accesses_in(loop.header))
    tested = {access.array for access in reads if access.type.scalar.is_integer and not access.member}
    stored = (access.array for access, is_store in accesses_in(region.body) if is_store) if tested else ()
    return frozenset(tested.intersection(stored))


def stored_choices(region: Region) -> frozenset[str]:
    """Return the arrays of integers that a region stores and whose elements choose what it touches or runs."""
    decisive = (poly for node in all_nodes(region.body) for poly in decisive_indices(node))
    chosen = {atom.array for poly in decisive for atom in poly.unknowns()}
    found = chosen.intersection(array.name for array in region.arrays if array.element.scalar.is_integer)
    stored = (access.array for access, is_store in accesses_in(region.body) if is_store) if found else ()
    return frozenset(found.intersection(stored))


def lengths_of(node: Node) -> Iterator[Poly]:
    """Yield the number of iterations of a loop that given arrays count."""
    if isinstance(node, Loop) and isinstance(node.range, Uncounted) and node.range.length is not None:
        yield node.range.length


def deciding(node: Node) -> Iterator[Poly]:
    """Yield what decides how often a node runs and which elements it touches, lengths of loops included."""
    yield from decisive_indices(node)
    yield from lengths_of(node)


def uses_given(nodes: Iterable[Node]) -> bool:
    """Return whether given arrays decide how often a loop below runs or which elements something touches."""
    return any(is_given(poly) for node in all_nodes(nodes) for poly in deciding(node))


def given_in(nodes: Iterable[Node]) -> frozenset[GivenArray]:
    """Return the given arrays whose elements something below depends on."""
    tables = (element.table for node in all_nodes(nodes) for poly in deciding(node) for element in given_elements(poly))
    return frozenset(table for table in tables if isinstance(table, GivenArray))


def without_given(region: Region) -> Region:
    """Return a region in which what given arrays decide is not known, but for the average trip counts they gave."""
    return replace(region, body=tuple(map(_without, region.body)))


def _without(node: Node) -> Node:
    inside = map_bodies(node, lambda body: tuple(map(_without, body)))
    plain = map_indices(inside, lambda poly: poly.map_atoms(_unknown))
    if isinstance(plain, Loop) and isinstance(plain.range, Uncounted):
        return replace(plain, range=Uncounted(plain.range.trip))
    return plain


def _unknown(atom: Atom) -> Poly:
    if isinstance(atom, Element) and isinstance(atom.table, GivenArray):
        return unknown(atom.label, atom.depends, array=atom.array)
    return Poly({(atom,): 1})
