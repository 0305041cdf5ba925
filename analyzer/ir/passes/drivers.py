"""Loops that only repeat several nests (drivers): time steps, repetitions of a benchmark.

None of the nests depends on the iterator of such a driver, so every repetition of one does the same; where data choose
elements, or how often a loop runs, each repetition is assumed to have as many of them.  Where the nests depend on
remainders of the iterator (two buffers that change places, ``if (step % 10 == 0)``), or conditions on it choose among
them (``if (step >= warmup && step % 5 == 0)``), repetitions are alike by phases; each of a few that touch other
elements is a phase of its own.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from math import lcm

from msgspec import Struct
from msgspec.structs import replace

from ..conditions import truth_of
from ..index import ZERO, Atom, FloorDiv, Number, Poly, TruncDiv, Unknown, floor_div, var
from ..nodes import Geometric, Guard, Loop, Node, Statement, Strided, Uncounted, progression
from ..nodes import Mapping as LoopMapping
from ..traverse import accesses_in, all_nodes, children_of, decisive_indices, map_bodies, map_indices
from .substitute import bind_nodes

_LONGEST_PERIOD, _MOST_PHASES = 64, 8
_MOST_DECISIONS = 10_000  # conditions and subscripts that are evaluated to find the phases of one loop


class Phase(Struct, frozen=True):
    """A repetition by its number, and how many repetitions do the same after the same one before."""

    number: int
    runs: int


class Driver(Struct, frozen=True):
    """The ``loops`` that repeat a body, outermost first, how many ``times`` it runs, and the nests in it.

    Its ``phases`` stand for all repetitions, in order of time; each follows on the one that comes before it in a run.
    """

    loops: tuple[Loop, ...]
    times: int
    phases: tuple[Phase, ...]

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
                loop.iterator: _counter(loop, 0) for driver in drivers for loop in driver.loops
            }
            yield from (each for each in bind_nodes((nest,), counters) if isinstance(each, Loop))

    @property
    def has_phases(self) -> bool:
        """Return whether the nests depend on remainders of the iterator."""
        return self.phases != (Phase(0, 1), Phase(1, self.times - 1))

    def repetition(self, number: int) -> tuple[Node, ...]:
        """Return the body as it runs the first time (0) or a later one, without the loops around it."""
        values: dict[str, Poly | Number] = {}
        for loop in self.loops:
            values[loop.iterator] = _counter(loop, number if loop is self.loops[-1] else 0)
        return bind_nodes((*self.loops[-1].header, *self.loops[-1].body), values)

    def counter(self, number: int) -> tuple[str, Poly]:
        """Return the iterator of the innermost of the loops and what it is in a repetition."""
        return self.loops[-1].iterator, _counter(self.loops[-1], number)


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
    phases = _phases(loops, nested, times, values) if deciding else (Phase(0, 1), Phase(1, times - 1))
    return None if phases is None else Driver(tuple(loops), times, phases)


def driver_of_one(loop: Loop, values: Mapping[str, int]) -> Driver | None:
    """Return a loop that repeats a single nest, which does not depend on its iterator, as its driver."""
    times = trips_of(loop, values)
    is_same = not any(loop.iterator in _chosen_names(node) for node in (*loop.header, *loop.body))
    repeats = times is not None and times > 1 and is_same and loop.mapping is LoopMapping.SEQUENTIAL
    if not repeats or times is None or not any(outermost_loops(loop.body)):
        return None
    return Driver((loop,), times, (Phase(0, 1), Phase(1, times - 1)))


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


def _counter(loop: Loop, number: int) -> Poly:
    start, step = (loop.range.start, loop.range.step) if isinstance(loop.range, Strided) else (ZERO, 1)
    return start + number * step


def _phases(
    loops: Sequence[Loop], nested: Sequence[Node], times: int, values: Mapping[str, int]
) -> tuple[Phase, ...] | None:
    """Return the phases of a loop whose nests depend on remainders of its iterator; None where they do otherwise."""
    if len(loops) > 1:
        return None
    nested = _with_data_alike(nested, loops[0].iterator)
    period = _period(loops[0], nested, values)
    if period is not None:
        return _alike(_bodies(loops[0], nested, min(times, 2 * period), values), times, period)
    is_short = times <= _MOST_PHASES and not _decides_runs(nested, loops[0].iterator)
    if is_short:
        return tuple(Phase(number, 1) for number in range(times))
    decisions = _decisions(loops[0], nested, times, values)
    return None if decisions is None else _alike(decisions, times, times)


def _alike(repetitions: Iterable[Hashable], times: int, period: int) -> tuple[Phase, ...] | None:
    """Return the phases of repetitions by what they do, the last ``period`` of them again and again."""
    phases: list[Phase] = []
    at: dict[tuple[int, int], int] = {}
    kinds: list[int] = []
    known: dict[Hashable, int] = {}
    for number, done in enumerate(repetitions):
        kinds.append(known.setdefault(done, len(known)))
        runs = 1 if number < period else (times - 1 - number) // period + 1
        pair = (kinds[number - 1] if number else -1, kinds[number])
        if pair in at:
            same = phases[at[pair]]
            phases[at[pair]] = replace(same, runs=same.runs + runs)
            continue
        if number and kinds[phases[-1].number] != pair[0]:
            phases.append(Phase(number - 1, 0))
        at[pair] = len(phases)
        phases.append(Phase(number, runs))
        if len(phases) > _MOST_PHASES:
            return None
    return tuple(phases)


def _bodies(loop: Loop, nested: Sequence[Node], times: int, values: Mapping[str, int]) -> Iterator[tuple[Node, ...]]:
    """Yield the nests of a loop as the first repetitions run them."""
    for number in range(times):
        yield _without_decided(bind_nodes(tuple(nested), _at(loop, number, values)))


def _decisions(
    loop: Loop, nested: Sequence[Node], times: int, values: Mapping[str, int]
) -> Iterator[tuple[object, ...]] | None:
    """Return what an iterator decides in each repetition: conditions, and subscripts of what then runs.

    None where it is in bounds of loops, or where there are too many of them.
    """
    nodes = all_nodes(nested)
    deciding = {node for node in nodes if any(loop.iterator in index.names() for index in decisive_indices(node))}
    if any(isinstance(node, Loop) for node in deciding) or times * len(deciding) > _MOST_DECISIONS:
        return None
    above = {node for node in nodes if not deciding.isdisjoint(all_nodes((node,)))}
    return (tuple(_decided(nested, above, _at(loop, number, values))) for number in range(times))


def _at(loop: Loop, number: int, values: Mapping[str, int]) -> dict[str, Poly | Number]:
    """Return values with that of the iterator in a repetition."""
    return {**values, loop.iterator: _counter(loop, number)}


def _decided(
    nodes: Iterable[Node], above: Container[Node], counter: Mapping[str, Poly | Number]
) -> Iterator[bool | Poly]:
    """Yield what values decide of the nodes that they let run, of those ``above`` something that they decide."""
    for node in nodes:
        if node not in above:
            continue
        inner = children_of(node)
        holds = (
            truth_of(node.condition, lambda index: index.substitute(counter).constant)
            if isinstance(node, Guard)
            else None
        )
        if isinstance(node, Guard) and holds is not None:
            yield holds
            inner = node.body if holds else node.orelse
        else:
            yield from (index.substitute(counter) for index in decisive_indices(node))
        yield from _decided(inner, above, counter)


def _with_data_alike(nodes: Sequence[Node], iterator: str) -> tuple[Node, ...]:
    """Return nodes whose elements and conditions by data are those of one repetition, whatever the iterator is."""

    def alike(node: Node) -> Node:
        of_one = map_indices(node, lambda index: _data_at(index, iterator))
        return map_bodies(of_one, lambda body: tuple(map(alike, body)))

    return tuple(map(alike, nodes))


def _data_at(index: Poly, iterator: str) -> Poly:
    """Return an index with what it takes from data as it is in the repetition 0."""

    def replaced(atom: Atom) -> Poly:
        if isinstance(atom, str):
            return Poly({(atom,): 1})
        if isinstance(atom, Unknown):
            return atom.substitute({iterator: 0})
        return atom.rebuilt([_data_at(operand, iterator) for operand in atom.operands])

    return index.map_atoms(replaced)


def _decides_runs(nodes: Sequence[Node], iterator: str) -> bool:
    """Return whether bounds or conditions depend on an iterator, not only which elements are touched."""
    return any(
        iterator in index.names()
        for node in all_nodes(nodes)
        if not isinstance(node, Statement)
        for index in decisive_indices(node)
    )


def _without_decided(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return nodes with the branch that runs in the place of each condition on numbers."""
    found: list[Node] = []
    for node in nodes:
        inner = map_bodies(node, _without_decided)
        holds = truth_of(inner.condition, lambda index: index.constant) if isinstance(inner, Guard) else None
        if holds is None or not isinstance(inner, Guard):
            found.append(inner)
        else:
            found += inner.body if holds else inner.orelse
    return tuple(found)


def _period(loop: Loop, nested: Sequence[Node], values: Mapping[str, int]) -> int | None:
    """Return after how many iterations of a loop its nests are the same again; None where there is no such number."""
    period, step = 1, loop.range.step if isinstance(loop.range, Strided) else 1
    first = _counter(loop, 0).substitute(values)
    if step < 0:
        return None
    indices = [
        _floored(index.substitute(values), loop.iterator, first)
        for node in all_nodes(nested)
        for index in decisive_indices(node)
        if loop.iterator in index.names()
    ]
    for index in indices:
        for atom in index.nested_atoms():
            divisor = atom.denominator.constant if isinstance(atom, FloorDiv) else None
            period = lcm(period, divisor or 1)
    later = {loop.iterator: var(loop.iterator) + period * step}
    is_repeated = period <= _LONGEST_PERIOD and all(index.substitute(later) == index for index in indices)
    return period if is_repeated else None


def _floored(index: Poly, iterator: str, first: Poly) -> Poly:
    """Return an index whose quotients that are not negative from the ``first`` iteration on are rounded down."""

    def replaced(atom: Atom) -> Poly:
        if isinstance(atom, str | Unknown):
            return Poly({(atom,): 1})
        operands = [_floored(operand, iterator, first) for operand in atom.operands]
        if isinstance(atom, TruncDiv):
            least = atom.numerator.substitute({iterator: first}).constant
            return floor_div(*operands) if least is not None and least >= 0 else atom.rebuilt(operands)
        return atom.rebuilt(operands)

    return index.map_atoms(replaced)


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
