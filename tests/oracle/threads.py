"""Brute force over the threads of a kernel: every request of every warp, one by one.

The kernel is a region of the IR whose outer loops are mapped to blocks and threads.  Each thread runs the whole body by
itself; threads of a warp whose statement is reached in the same iterations of all sequential loops, counted from the
first iteration of each, make one request.  This shares no code with the analyzer: subscripts are evaluated by
:mod:`.evaluate`, and arrays start at multiples of 4 GiB in order of declaration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from analyzer.ir.index import Poly, const
from analyzer.ir.nodes import Guard, Loop, Mapping, Node, Region, Statement, Strided
from analyzer.ir.values import Access, Load, Value, operands_of

from .evaluate import Evaluator, IndexFunction, State, refuse

_AXES = {Mapping.THREAD_X: 0, Mapping.THREAD_Y: 1, Mapping.THREAD_Z: 2}
_ARRAY_BYTES = 1 << 32

Thread = tuple[tuple[int, int], ...]  # position and number of threads along x, y and z
Step = tuple[int, ...]
Visit = Callable[[Step, Thread, State], None]


class Reference(NamedTuple):
    """A reference of the source: the ``order`` is that of statements and, inside one, of evaluation."""

    array: str
    write: bool
    order: int
    size_bytes: int


class MovedBytes(NamedTuple):
    """Accesses of threads, requests of warps, and the sectors that these move."""

    accesses: int
    requests: int
    sectors: int


def sectors(region: Region, sector_bytes: int = 32, warp: int = 32) -> dict[Reference, MovedBytes]:
    """Return what each reference moves."""
    found = {}
    for reference, requests in _requests(region, lambda _: warp).items():
        touched = sum(
            len({(a + byte) // sector_bytes for a in addresses for byte in range(reference.size_bytes)})
            for addresses in requests.values()
        )
        found[reference] = MovedBytes(sum(map(len, requests.values())), len(requests), touched)
    return found


def bank_cycles(region: Region, banks: int = 32, warp: int = 32) -> dict[Reference, int]:
    """Return the cycles of shared memory for each reference: words of the busiest bank, per part of a warp."""
    found = {}
    for reference, requests in _requests(region, lambda size_bytes: warp * 4 // max(4, size_bytes)).items():
        cycles = 0
        for addresses in requests.values():
            words = defaultdict(set)
            for address in addresses:
                words[address // 4 % banks].add(address // 4)
            cycles += max(len(part) for part in words.values())
        found[reference] = cycles
    return found


def _requests(region: Region, together: Callable[[int], int]) -> dict[Reference, dict[tuple[Step, int], list[int]]]:
    """Return the addresses of each request; ``together`` threads make one, by the size of an element in bytes."""
    found: dict[Reference, dict[tuple[Step, int], list[int]]] = {}
    visit = _Threads(region, found, together).nodes(region.body)
    visit((), ((0, 1),) * 3, {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None})
    return found


class _Threads:
    """Compiles nodes to functions that run them for the threads, one after the other."""

    def __init__(
        self,
        region: Region,
        found: dict[Reference, dict[tuple[Step, int], list[int]]],
        together: Callable[[int], int],
    ) -> None:
        self._arrays = {array.name: (number, array) for number, array in enumerate(region.arrays)}
        self._evaluator = Evaluator(lambda name, where: bool(refuse(name, where)), refuse)
        self._found = found
        self._together = together

    def nodes(self, nodes: Sequence[Node]) -> Visit:
        visits = [self._node(node) for node in nodes]

        def visit_all(step: Step, thread: Thread, state: State) -> None:
            for visit in visits:
                visit(step, thread, state)

        return visit_all

    def _node(self, node: Node) -> Visit:
        match node:
            case Loop():
                return self._loop(node)
            case Guard():
                return self._guard(node)
            case Statement():
                return self._statement(node)
            case _:
                raise NotImplementedError(f"{type(node).__name__} in a kernel")

    def _loop(self, loop: Loop) -> Visit:
        if loop.header or not isinstance(loop.range, Strided):
            raise NotImplementedError("a loop that does not count in steps, or that loads in its condition")
        start, stop = self._evaluator.index(loop.range.start), self._evaluator.index(loop.range.stop)
        stride, axis, body = loop.range.step, _AXES.get(loop.mapping), self.nodes(loop.body)

        def visit_loop(step: Step, thread: Thread, state: State) -> None:
            values = range(start(state), stop(state), stride)
            for number, value in enumerate(values):
                inside = {**state, loop.iterator: value}
                if axis is None:
                    body((*step, number), thread, inside)
                else:
                    body(step, (*thread[:axis], (number, len(values)), *thread[axis + 1 :]), inside)

        return visit_loop

    def _guard(self, guard: Guard) -> Visit:
        holds = self._evaluator.condition(guard.condition)
        body, orelse = self.nodes(guard.body), self.nodes(guard.orelse)
        return lambda step, thread, state: (body if holds(state) else orelse)(step, thread, state)

    def _statement(self, statement: Statement) -> Visit:
        accesses = [(access, False) for access in _loads(statement.value)]
        if isinstance(statement.target, Access):
            accesses.append((statement.target, True))
        places = [self._reference(access, write) for access, write in accesses]

        def visit_statement(step: Step, thread: Thread, state: State) -> None:
            (x, width), (y, height), (z, _) = thread
            for reference, address in places:
                warp = (x + width * (y + height * z)) // self._together(reference.size_bytes)
                self._found[reference].setdefault((step, warp), []).append(address(state))

        return visit_statement

    def _reference(self, access: Access, write: bool) -> tuple[Reference, IndexFunction]:
        number, array = self._arrays[access.array]
        total: Poly = const(number * _ARRAY_BYTES + access.offset_bytes)
        for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
            if stride is None:
                raise NotImplementedError(f"rows of {access.array} behind pointers")
            total = total + subscript * stride
        size_bytes = access.type.size_bytes or array.element_bytes
        reference = Reference(access.array, write, len(self._found), size_bytes)
        self._found[reference] = {}
        return reference, self._evaluator.index(total)


def _loads(value: Value) -> Iterator[Access]:
    for operand in operands_of(value):
        yield from _loads(operand)
    if isinstance(value, Load):
        yield value.access
