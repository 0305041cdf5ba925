"""Phases of a loop that repeats nests: repetitions that do the same, after one that did the same.

Nests that depend on remainders of its iterator do the same again after a period.  Two repetitions also do the same
where they differ only in which rows of an array they touch (three buffers that change places, ``buf[t % 3]``), as long
as each row was touched in the repetition before: all rows are alike for a cache.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import lcm

from msgspec import Struct
from msgspec.structs import replace

from ..conditions import truth_of
from ..index import ZERO, Atom, FloorDiv, Number, Poly, TruncDiv, Unknown, floor_div, var
from ..nodes import Guard, Loop, Node, Statement, Strided
from ..traverse import accesses, accesses_in, all_nodes, children_of, decisive_indices, map_bodies, map_indices
from ..values import access_indices

_LONGEST_PERIOD, _MOST_PHASES = 1000, 10
_MOST_DECISIONS = 10_000  # conditions and subscripts that are evaluated to find the phases of one loop


class Phase(Struct, frozen=True):
    """A repetition by its number, and how many repetitions do the same after the same one before."""

    number: int
    runs: int


class _Branch(Struct, frozen=True):
    """Whether a condition, by its number among the nodes, holds."""

    number: int
    holds: bool


class _Row(Struct, frozen=True):
    """A row of an array whose rows are alike: its number, or where it first comes in a pair of repetitions."""

    array: str
    number: Poly | int
    is_stored: bool = False


_Done = tuple[_Branch | _Row | Poly, ...]


def phases_of(loop: Loop, nested: Sequence[Node], times: int, values: Mapping[str, int]) -> tuple[Phase, ...] | None:
    """Return the phases of a loop that repeats nests; None where there are too many, or its iterator bounds loops."""
    nested = _with_data_alike(nested, loop.iterator)
    period = _period(loop, nested, values)
    if period is None and times <= _MOST_PHASES and not _decides_runs(nested, loop.iterator):
        return tuple(Phase(number, 1) for number in range(times))
    decisions = _decisions(loop, nested, times if period is None else min(times, 2 * period), values, period)
    return None if decisions is None else _alike(decisions, times, period or times)


def counter(loop: Loop, number: int) -> Poly:
    """Return what the iterator of a loop is in an iteration."""
    start, step = (loop.range.start, loop.range.step) if isinstance(loop.range, Strided) else (ZERO, 1)
    return start + number * step


def _alike(repetitions: Iterable[_Done], times: int, period: int) -> tuple[Phase, ...] | None:
    """Return the phases of repetitions by what they do, the last ``period`` of them again and again.

    One that does something for the first time is not like others: what it touches comes into the caches.
    """
    phases: list[Phase] = []
    at: dict[tuple[_Done, _Done, bool], int] = {}
    seen: set[_Branch | _Row] = set()
    before: _Done = ()
    last: _Done = ()  # what the last of the phases does
    for number, done in enumerate(repetitions):
        runs = 1 if number < period else (times - 1 - number) // period + 1
        met = {item for item in done if isinstance(item, _Branch | _Row)}
        key = (*_with_rows_renumbered(before, done), met <= seen)
        seen |= met
        if key in at:
            same = phases[at[key]]
            phases[at[key]] = replace(same, runs=same.runs + runs)
        else:
            if number and last != before:
                phases.append(Phase(number - 1, 0))
            at[key], last = len(phases), done
            phases.append(Phase(number, runs))
        before = done
        if len(phases) > _MOST_PHASES:
            return None
    return tuple(phases)


def _with_rows_renumbered(before: _Done, done: _Done) -> tuple[_Done, _Done]:
    """Return two repetitions in a row with rows numbered as they come, if the first has all rows of the second."""
    numbers: dict[tuple[str, Poly | int], int] = {}
    for row in before:
        if isinstance(row, _Row):
            numbers.setdefault((row.array, row.number), len(numbers))
    if any(isinstance(row, _Row) and (row.array, row.number) not in numbers for row in done):
        return before, done

    def renumbered(part: _Done) -> _Done:
        return tuple(
            replace(each, number=numbers[each.array, each.number]) if isinstance(each, _Row) else each for each in part
        )

    return renumbered(before), renumbered(done)


def _decisions(
    loop: Loop, nested: Sequence[Node], times: int, values: Mapping[str, int], period: int | None
) -> Iterator[_Done] | None:
    """Return what an iterator decides in each repetition: conditions, and subscripts of what then runs.

    None where it is in bounds of loops that no ``period`` repeats, or where there are too many of them.
    """
    nodes = list(all_nodes(nested))
    deciding = {node for node in nodes if any(loop.iterator in index.names() for index in decisive_indices(node))}
    is_bounding = period is None and any(isinstance(node, Loop) for node in deciding)
    if is_bounding or times * len(deciding) > _MOST_DECISIONS:
        return None
    above = {node: at for at, node in enumerate(nodes) if not deciding.isdisjoint(all_nodes((node,)))}
    rows = _arrays_of_rows(loop.iterator, nested, values)
    return (tuple(_decided(nested, above, rows, _at(loop, number, values))) for number in range(times))


def _arrays_of_rows(iterator: str, nested: Sequence[Node], values: Mapping[str, int]) -> frozenset[str]:
    """Return the arrays of which nests touch only rows that an iterator chooses, and nothing else that changes."""
    found: dict[str, bool] = {}
    for access, _ in accesses_in(nested):
        first = next(iter(access_indices(access)), None)
        is_row = first is not None and len(access.subscripts) > 1 and first.names() - values.keys() == {iterator}
        found[access.array] = is_row and found.get(access.array, True)
    return frozenset(array for array, are_rows in found.items() if are_rows)


def _at(loop: Loop, number: int, values: Mapping[str, int]) -> dict[str, Poly | Number]:
    """Return values with that of the iterator in a repetition."""
    return {**values, loop.iterator: counter(loop, number)}


def _decided(
    nodes: Iterable[Node], above: Mapping[Node, int], rows: Container[str], at: Mapping[str, Poly | Number]
) -> Iterator[_Branch | _Row | Poly]:
    """Yield what values decide of the nodes that they let run, of those ``above`` something that they decide."""
    for node in nodes:
        if node not in above:
            continue
        inner = children_of(node)
        holds = (
            truth_of(node.condition, lambda index: index.substitute(at).constant) if isinstance(node, Guard) else None
        )
        if isinstance(node, Guard) and holds is not None:
            yield _Branch(above[node], holds)
            inner = node.body if holds else node.orelse
        elif isinstance(node, Statement):
            for access, is_stored in accesses(node):
                for position, index in enumerate(access_indices(access)):
                    value = index.substitute(at)
                    yield _Row(access.array, value, is_stored) if position == 0 and access.array in rows else value
        else:
            yield from (index.substitute(at) for index in decisive_indices(node))
        yield from _decided(inner, above, rows, at)


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


def _period(loop: Loop, nested: Sequence[Node], values: Mapping[str, int]) -> int | None:
    """Return after how many iterations of a loop its nests are the same again; None where there is no such number."""
    period, step = 1, loop.range.step if isinstance(loop.range, Strided) else 1
    first = counter(loop, 0).substitute(values)
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
