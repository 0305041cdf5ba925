"""Legal orders of the operations of a region, and what a cache of S elements loads in them.

A region and values of its symbols -> every execution of a statement with the elements and variables that it touches,
in program order; an order of them that keeps all dependences through memory and variables; the loads of the best
replacement for that order (Belady, *A study of replacement algorithms for a virtual-storage computer*, 1966).  Shares
no code with ``analyzer.domains`` and ``analyzer.bounds``.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from analyzer.ir.index import Poly
from analyzer.ir.nodes import (
    And,
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Exit,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Region,
    Statement,
    Strided,
    Truth,
)
from analyzer.ir.values import Access, Load, Register, walk_values

Location = tuple[str, tuple[int, ...]]
_VARIABLE = -1  # the subscript of a scalar


class Operation(Struct):
    """One execution of a statement of the source: its iteration, what it reads, then what it writes."""

    statement: int
    iteration: tuple[int, ...]
    reads: list[Location]
    writes: list[Location]


def operations(region: Region, values: Mapping[str, int]) -> list[Operation]:
    """All operations in program order; every condition on data holds.

    Statements that one of the source became, by way of a variable ``$1``, are one operation.
    """
    found: list[Operation] = []
    _Walk(found).block(region.body, dict(values), ())
    return found


class _Walk:
    def __init__(self, found: list[Operation]) -> None:
        self._found = found
        self._numbers: dict[int, int] = {}
        self._open = False

    def block(self, nodes: Sequence[Node], state: dict[str, int], iteration: tuple[int, ...]) -> None:
        for node in nodes:
            match node:
                case Statement():
                    self._statement(node, state, iteration)
                case Guard():
                    self.block(node.body if _holds(node.condition, state) else node.orelse, state, iteration)
                case Loop(range=Strided(start, stop, step)):
                    values = range(_number(start, state), _number(stop, state), step)
                    for value in values:
                        self.block(node.body, {**state, node.iterator: value}, (*iteration, value))
                case Loop() | Exit():
                    raise NotImplementedError(node)

    def _statement(self, node: Statement, state: dict[str, int], iteration: tuple[int, ...]) -> None:
        number = self._numbers.setdefault(id(node), len(self._numbers))
        if not self._open:
            self._found.append(Operation(number, iteration, [], []))
        operation = self._found[-1]
        self._open = isinstance(node.target, Register) and node.target.name.startswith("$")
        read = []
        for value in walk_values(node.value):
            match value:
                case Load(access):
                    read.append(_location(access, state))
                case Register(name) if not name.startswith("$"):
                    read.append((name, (_VARIABLE,)))
        operation.reads += [each for each in dict.fromkeys(read) if each not in operation.reads]
        match node.target:
            case Access():
                operation.writes.append(_location(node.target, state))
            case Register(name) if not self._open:
                operation.writes.append((name, (_VARIABLE,)))


def _number(poly: Poly, state: Mapping[str, int]) -> int:
    return int(poly.evaluate(state))


def _location(access: Access, state: Mapping[str, int]) -> Location:
    subscripts = tuple(_number(each, state) for each in access.subscripts)
    return f"{access.array}+{access.offset_bytes}", subscripts


_COMPARED = {
    Comparison.LT: int.__lt__,
    Comparison.LE: int.__le__,
    Comparison.GT: int.__gt__,
    Comparison.GE: int.__ge__,
    Comparison.EQ: int.__eq__,
    Comparison.NE: int.__ne__,
}


def _holds(condition: Condition, state: Mapping[str, int]) -> bool:
    match condition:
        case Truth(holds):
            return holds
        case DataDependent():
            return True
        case Not(operand):
            return not _holds(operand, state)
        case And(operands):
            return all(_holds(each, state) for each in operands)
        case Or(operands):
            return any(_holds(each, state) for each in operands)
        case Compare(comparison, left, right):
            return bool(_COMPARED[comparison](_number(left, state), _number(right, state)))


def reordered(some: Sequence[Operation], chance: random.Random) -> list[Operation]:
    """A legal order: of the operations that are ready always the first one of drawn tiles.

    They may be skewed by outer loops, and go along rows, diagonals (fronts of tiles), or corners (of a triangle, from
    its tip on).
    """
    after, waits = _dependences(some)
    keys = _tiles(some, chance)
    ready = [(keys[number], number) for number, count in enumerate(waits) if not count]
    heapq.heapify(ready)
    found = []
    while ready:
        _, number = heapq.heappop(ready)
        found.append(some[number])
        for later in after[number]:
            waits[later] -= 1
            if not waits[later]:
                heapq.heappush(ready, (keys[later], later))
    return found


def _dependences(some: Sequence[Operation]) -> tuple[list[set[int]], list[int]]:
    after: list[set[int]] = [set() for _ in some]
    written: dict[Location, int] = {}
    read: dict[Location, list[int]] = {}
    for number, operation in enumerate(some):
        for location in operation.reads:
            if location in written:
                after[written[location]].add(number)
        for location in operation.writes:
            for reader in read.pop(location, []):
                after[reader].add(number)
            if location in written:
                after[written[location]].add(number)
            written[location] = number
        for location in operation.reads:
            read.setdefault(location, []).append(number)
    waits = [0] * len(some)
    for number, later in enumerate(after):
        later.discard(number)
        for each in later:
            waits[each] += 1
    return after, waits


def _tiles(some: Sequence[Operation], chance: random.Random) -> list[tuple[int, ...]]:
    """The tile of each operation, and its place in it: in drawn sizes, in a drawn order of loops and of tiles."""
    depth = max(len(each.iteration) for each in some)
    order = chance.sample(range(depth), depth)
    skews = [[chance.choice((0, 0, 1, 2)) if inner > outer else 0 for outer in range(depth)] for inner in range(depth)]
    sizes = [chance.choice((1, 2, 3, 4, 6, 8, 1 << 20)) for _ in range(depth)]
    first = chance.choice((lambda tile: 0, sum, max))
    keys = []
    for each in some:
        point = (*each.iteration, *[0] * (depth - len(each.iteration)))
        skewed = [
            point[inner] + sum(skews[inner][outer] * point[outer] for outer in range(inner)) for inner in range(depth)
        ]
        tile = [skewed[loop] // sizes[loop] for loop in order]
        keys.append((first(tile), *tile, *(skewed[loop] for loop in order), each.statement))
    return keys


def loads(some: Sequence[Operation], capacity: int) -> int:
    """Elements that a cache of this many loads, always evicting what is used last; stores load nothing.

    Variables are in registers.
    """
    return moves(some, capacity)[0]


def moves(some: Sequence[Operation], capacity: int) -> tuple[int, int]:
    """The loads, and the stores: of values evicted before their last use, and of all that are left at the end."""
    uses = list(_uses(some))
    following = [len(uses)] * len(uses)
    last: dict[Location, int] = {}
    for position in range(len(uses) - 1, -1, -1):
        location, _ = uses[position]
        following[position] = last.get(location, len(uses))
        last[location] = position
    held: dict[Location, int] = {}
    queue: list[tuple[int, Location]] = []
    changed: set[Location] = set()
    loaded = stored = 0
    for position, (location, write) in enumerate(uses):
        if location not in held:
            loaded += not write
            while len(held) >= capacity:
                when, victim = heapq.heappop(queue)
                if held.get(victim) == -when:
                    del held[victim]
                    if victim in changed and (-when == len(uses) or not uses[-when][1]):
                        stored += 1
                    changed.discard(victim)
        if write:
            changed.add(location)
        held[location] = following[position]
        heapq.heappush(queue, (-following[position], location))
    return loaded, stored + len(changed)


def _uses(some: Sequence[Operation]) -> Iterator[tuple[Location, bool]]:
    for operation in some:
        for location in operation.reads:
            if location[1] != (_VARIABLE,):
                yield location, False
        for location in operation.writes:
            if location[1] != (_VARIABLE,):
                yield location, True


def in_flight(some: Sequence[Operation]) -> int:
    """How many values one operation and all variables hold at once, besides the cache."""
    variables = {location for each in some for location in (*each.reads, *each.writes) if location[1] == (_VARIABLE,)}
    return len(variables) + max(len(each.reads) for each in some)
