"""Loops that only repeat several nests (drivers): time steps, repetitions of a benchmark.

None of the nests depends on the iterator of such a driver, so every repetition of one does the same; where data choose
elements, or how often a loop runs, each repetition is taken to have as many of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..index import ZERO, Number, Poly, Unknown
from ..nodes import Geometric, Loop, Node, Strided, Uncounted, progression
from ..nodes import Mapping as LoopMapping
from ..traverse import all_nodes, children_of, decisive_indices
from .substitute import bind_nodes


class Driver(Struct, frozen=True):
    """The ``loops`` that repeat a body, outermost first, how many ``times`` it runs, and the nests in it."""

    loops: tuple[Loop, ...]
    times: int

    @property
    def iterator(self) -> str:
        """Return the iterator of the outermost loop in the source."""
        return self.loops[0].source_iterator

    @property
    def depth(self) -> int:
        """Return how many loops there are around the nests."""
        return len(self.loops)

    @property
    def nests(self) -> tuple[Loop, ...]:
        """Return the loops that are repeated."""
        return tuple(outermost_loops(self.loops[-1].body))

    def repetition(self, number: int) -> tuple[Node, ...]:
        """Return the body as it runs the first time (0) or the second (1), without the loops around it."""
        values: dict[str, Poly | Number] = {}
        for loop in self.loops:
            start, step = (loop.range.start, loop.range.step) if isinstance(loop.range, Strided) else (ZERO, 1)
            values[loop.iterator] = start + (number * step if loop is self.loops[-1] else 0)
        return bind_nodes((*self.loops[-1].header, *self.loops[-1].body), values)


def driver_of(loop: Loop, values: Mapping[str, int]) -> Driver | None:
    """Return the driver that starts with a loop; None where it is none, or runs at most once or an unknown time."""
    loops, times = [loop], 1
    while True:
        last = loops[-1]
        trips = _trips(last, values)
        if trips is None or last.mapping is not LoopMapping.SEQUENTIAL:
            return None
        times *= trips
        if last.header or len(last.body) != 1 or not isinstance(last.body[0], Loop):
            break
        loops.append(last.body[0])
    iterators = {each.iterator for each in loops}
    nested = [node for node in loops[-1].body if any(outermost_loops((node,)))]
    several = sum(1 for _ in outermost_loops(nested)) > 1
    if times < 2 or not several or any(iterators.intersection(_chosen_names(node)) for node in nested):
        return None
    return Driver(tuple(loops), times)


def outermost_loops(nodes: Sequence[Node]) -> Iterator[Loop]:
    """Yield the loops that are in no other loop, in order."""
    for node in nodes:
        if isinstance(node, Loop):
            yield node
        else:
            yield from outermost_loops(children_of(node))


def decisive_names(node: Node) -> Iterator[str]:
    """Yield the names that decide how often a node runs and which elements it touches, with repetitions."""
    for inner in all_nodes((node,)):
        for index in decisive_indices(inner):
            yield from index.names()
        if isinstance(inner, Loop):
            yield from _trip_symbol(inner)


def _chosen_names(node: Node) -> Iterator[str]:
    """Yield the names that decide what a node does, but for those on which data depend that decide it."""
    for inner in all_nodes((node,)):
        for index in decisive_indices(inner):
            yield from _names_without_data(index)


def _names_without_data(index: Poly) -> Iterator[str]:
    for atom in index.atoms():
        if isinstance(atom, str):
            yield atom
        elif not isinstance(atom, Unknown):
            in_operands: set[str] = set()
            for operand in atom.operands:
                yield from _names_without_data(operand)
                in_operands |= operand.names()
            yield from atom.names() - in_operands


def _trips(loop: Loop, values: Mapping[str, int]) -> int | None:
    match loop.range:
        case Strided(start, stop, step):
            distance = (stop - start).substitute(values).constant
            return None if not isinstance(distance, int) else max(0, -(-distance // step))
        case Uncounted(trip):
            return values.get(trip)
        case Geometric():
            return None


def _trip_symbol(loop: Loop) -> Iterator[str]:
    """Yield the symbol that stands for the trip count, where the bounds do not give it."""
    match loop.range:
        case Geometric() as steps:
            if progression(steps) is None:
                yield steps.trip
        case Uncounted(trip):
            yield trip
        case Strided():
            pass
