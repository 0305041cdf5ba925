"""Loops that only repeat several nests (drivers): time steps, repetitions of a benchmark.

None of the nests depends on the iterator of such a driver, so every repetition of one does the same; where data choose
elements, or how often a loop runs, each repetition is assumed to have as many of them.  Where the nests depend on
remainders of the iterator (two buffers that change places, ``if (step % 10 == 0)``), or conditions on it choose among
them (``if (step >= warmup && step % 5 == 0)``), repetitions are alike by phases; each of a few that touch other
elements is a phase of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..index import Number, Poly, Unknown
from ..nodes import Geometric, Loop, Node, Strided, Uncounted, progression
from ..nodes import Mapping as LoopMapping
from ..traverse import accesses_in, all_nodes, children_of, decisive_indices
from .phases import Phase, counter, phases_of
from .substitute import bind_nodes


class Driver(Struct, frozen=True):
    """The ``loops`` that repeat a body, outermost first, how many ``times`` it runs, and the nests in it.

    Its ``phases`` stand for all repetitions, in order of time; each follows on the one that comes before it in a run.
    It ``has_phases`` where the nests depend on its iterator.
    """

    loops: tuple[Loop, ...]
    times: int
    phases: tuple[Phase, ...]
    has_phases: bool = True

    @property
    def iterator(self) -> str:
        """Return the iterator of the outermost loop in the source."""
        return self.loops[0].source_iterator

    @property
    def depth(self) -> int:
        """Return how many loops there are around the nests."""
        return len(self.loops)

    def nests(self, values: Mapping[str, int]) -> Iterator[tuple[Loop, tuple[Driver, ...]]]:
        """Yield the loops that are repeated, each with the drivers around it, this one first."""
        for node in self.loops[-1].body:
            inner = driver_of(node, values) if isinstance(node, Loop) else None
            if inner is None:
                yield from ((loop, (self,)) for loop in outermost_loops((node,)))
            else:
                yield from ((loop, (self, *drivers)) for loop, drivers in inner.nests(values))

    def first_nests(self, values: Mapping[str, int]) -> Iterator[Loop]:
        """Yield the loops that are repeated as they run the first time."""
        for nest, drivers in self.nests(values):
            counters: dict[str, Poly | Number] = {
                loop.iterator: counter(loop, 0) for driver in drivers for loop in driver.loops
            }
            yield from (each for each in bind_nodes((nest,), counters) if isinstance(each, Loop))

    def repetition(self, number: int) -> tuple[Node, ...]:
        """Return the body as it runs the first time (0) or a later one, without the loops around it."""
        values: dict[str, Poly | Number] = {}
        for loop in self.loops:
            values[loop.iterator] = counter(loop, number if loop is self.loops[-1] else 0)
        return bind_nodes((*self.loops[-1].header, *self.loops[-1].body), values)

    def counter(self, number: int) -> tuple[str, Poly]:
        """Return the iterator of the innermost of the loops and what it is in a repetition."""
        return self.loops[-1].iterator, counter(self.loops[-1], number)


def driver_of(loop: Loop, values: Mapping[str, int]) -> Driver | None:
    """Return the driver that starts with a loop; None where it is none, or runs at most once or an unknown time.

    A loop that is timed is one whose iteration comes twice, and counts the second time, with caches as the first left
    them.
    """
    if loop.timed:
        return Driver((loop,), 1, (Phase(0, 0), Phase(0, 1))) if any(outermost_loops(loop.body)) else None
    loops, times = [loop], 1
    while True:
        last = loops[-1]
        trips = trips_of(last, values)
        if trips is None or last.mapping is not LoopMapping.SEQUENTIAL:
            return None
        times *= trips
        if last.header or len(last.body) != 1 or not isinstance(last.body[0], Loop):
            break
        loops.append(last.body[0])
    iterators = {each.iterator for each in loops}
    nested = [node for node in loops[-1].body if any(outermost_loops((node,)))]
    several = sum(1 for _ in outermost_loops(nested)) > 1
    if times < 2 or not several:
        return None
    deciding = iterators.intersection(name for node in nested for name in _chosen_names(node))
    if not deciding:
        return Driver(tuple(loops), times, (Phase(0, 1), Phase(1, times - 1)), has_phases=False)
    phases = phases_of(loop, nested, times, values) if len(loops) == 1 else None
    return None if phases is None else Driver(tuple(loops), times, phases)


def driver_of_one(loop: Loop, values: Mapping[str, int]) -> Driver | None:
    """Return a loop that repeats a single nest, which does not depend on its iterator, as its driver."""
    times = trips_of(loop, values)
    is_same = not any(loop.iterator in _chosen_names(node) for node in (*loop.header, *loop.body))
    repeats = times is not None and times > 1 and is_same and loop.mapping is LoopMapping.SEQUENTIAL
    if not repeats or times is None or not any(outermost_loops(loop.body)):
        return None
    return Driver((loop,), times, (Phase(0, 1), Phase(1, times - 1)), has_phases=False)


def same_work_times(loop: Loop, values: Mapping[str, int]) -> int:
    """Return how often the outer loops of a nest do the same work again: 1 where they do not.

    Nothing inside of them depends on their iterators, or reads what is stored there: repetitions for a measurement.
    """
    times = 1
    while any(outermost_loops(loop.body)) and loop.mapping is LoopMapping.SEQUENTIAL:
        trips = trips_of(loop, values)
        if trips is None or any(loop.iterator in _chosen_names(node) for node in loop.body) or _reads_own(loop):
            break
        times *= trips
        inner = [*outermost_loops(loop.body)]
        if len(inner) > 1:
            break
        (loop,) = inner
    return times


def _reads_own(loop: Loop) -> bool:
    references = list(accesses_in(loop.body))
    stored = {access.array for access, write in references if write}
    return any(access.array in stored for access, write in references if not write)


def outermost_loops(nodes: Sequence[Node]) -> Iterator[Loop]:
    """Yield the loops of the source that are in no other one, in order."""
    for node in nodes:
        if isinstance(node, Loop) and not node.is_condition:
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


def trips_of(loop: Loop, values: Mapping[str, int]) -> int | None:
    """Return how many iterations a loop has, None where that is not known."""
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
