"""What a kernel computes: every block runs its threads statement by statement, on whole numbers.

A kernel of the IR with numbers for its sizes -> the elements of its arrays in global memory afterwards.  Elements that
nothing has stored have a number that follows from their address.  Shared memory and scalars of threads that nothing
has set refuse to be read; so do barriers that some threads of a block do not reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from analyzer.ir.conditions import truth_of
from analyzer.ir.nodes import Guard, Loop, Node, Region, Statement, Strided
from analyzer.ir.values import Access, Apply, Constant, IndexValue, Load, Operation, Register, Value, byte_offset

Element = tuple[str, int]
_SUMS = {Operation.ADD: lambda a, b: a + b, Operation.SUB: lambda a, b: a - b, Operation.MUL: lambda a, b: a * b}


def memory_after(region: Region, values: Mapping[str, int]) -> dict[Element, Any]:
    """Return what a kernel stores in global memory: values by array and byte."""
    stored: dict[Element, Any] = {}
    blocks: list[dict[str, int]] = [dict(values)]
    threads: list[dict[str, int]] = [{}]
    nodes: Sequence[Node] = region.body
    while len(nodes) == 1 and isinstance(nodes[0], Loop) and nodes[0].mapping.is_of_grid:
        (loop,) = nodes
        assert isinstance(loop.range, Strided)
        counts = range(int(loop.range.stop.evaluate(values)))
        if loop.mapping.value.startswith("block"):
            blocks = [{**each, loop.iterator: count} for each, count in product(blocks, counts)]
        else:
            threads = [{**each, loop.iterator: count} for each, count in product(threads, counts)]
        nodes = loop.body
    for block in blocks:
        one = _Block(stored, [({**block, **each}, {}) for each in threads])
        one.run(nodes, range(len(threads)))
    return stored


class _Block:
    def __init__(self, stored: dict[Element, Any], threads: list[tuple[dict[str, int], dict[str, Any]]]) -> None:
        self._stored = stored
        self._threads = threads  # counters and scalars of each
        self._shared: dict[Element, Any] = {}

    def run(self, nodes: Sequence[Node], active: Sequence[int]) -> None:
        """Run nodes in some threads of the block."""
        for node in nodes if active else ():
            if isinstance(node, Statement):
                self._run(node, active)
            elif isinstance(node, Guard):
                taken = [each for each in active if self._holds(node, each)]
                self.run(node.body, taken)
                self.run(node.orelse, [each for each in active if each not in taken])
            else:
                assert isinstance(node, Loop)
                self._repeat(node, active)

    def _holds(self, guard: Guard, thread: int) -> bool:
        counters = self._threads[thread][0]
        found = truth_of(guard.condition, lambda index: int(index.evaluate(counters)))
        assert found is not None
        return found

    def _repeat(self, loop: Loop, active: Sequence[int]) -> None:
        assert isinstance(loop.range, Strided)
        ranges = {}
        for each in active:
            ends = [int(end.evaluate(self._threads[each][0])) for end in (loop.range.start, loop.range.stop)]
            ranges[each] = range(*ends, loop.range.step)
        for number in range(max(map(len, ranges.values()))):
            running = [each for each in active if number < len(ranges[each])]
            for each in running:
                self._threads[each][0][loop.iterator] = ranges[each][number]
            self.run(loop.body, running)

    def _run(self, statement: Statement, active: Sequence[int]) -> None:
        if statement.barrier is not None:
            assert len(active) == len(self._threads), "a thread does not reach the barrier"
            return
        found = [(each, self._value(statement.value, each)) for each in active]
        for each, value in found:
            counters, scalars = self._threads[each]
            if isinstance(statement.target, Register):
                scalars[statement.target.name] = value
            elif statement.target is not None:
                space = self._shared if statement.target.shared else self._stored
                space[_element(statement.target, counters)] = value

    def _value(self, value: Value, thread: int) -> Any:
        counters, scalars = self._threads[thread]
        match value:
            case Constant():
                return int(value.number or 0)
            case Register():
                return scalars.get(value.name, value.name)  # an unset one is a text, of which no product is a number
            case IndexValue():
                return int(value.index.evaluate(counters))
            case Load():
                element = _element(value.access, counters)
                if value.access.shared:
                    return self._shared.get(element, str(element))
                return self._stored.get(element, hash(element) % 1009)
            case Apply(operation=Operation.CONVERT):
                return self._value(value.operands[0], thread)
            case Apply() if value.operation in _SUMS:
                operands = [self._value(each, thread) for each in value.operands]
                unset = next((each for each in operands if isinstance(each, str)), None)
                return unset if unset is not None else _SUMS[value.operation](*operands)
            case _:
                raise NotImplementedError(value)


def _element(access: Access, counters: Mapping[str, int]) -> Element:
    address = byte_offset(access.subscripts, access.strides_bytes, access.offset_bytes)
    assert address is not None
    return access.array, int(address.evaluate(counters))
