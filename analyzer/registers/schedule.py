"""The order in which ptxas puts the instructions of a block: loads first, so that they are in flight together.

Within code without branches and barriers, addresses come first, then the loads that wait for no other load, then what
is computed of them, and so on.  A load stays behind a store that may be to the same array, or in global memory to any
other; of many loads so many start together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.nodes import MemorySpace
from .code import Code, Either, Instruction, Kind, Repeated

_IN_FLIGHT = 8  # instructions: with 12 to 24 the values that are live in machine code predict most registers
_MEMORY = (Kind.LOAD, Kind.STORE)
_LOADS_TOGETHER = 8  # a choice: of 4, 8 and 16 it predicted most of the kernels that were worked with


def scheduled(code: Sequence[Code]) -> tuple[Code, ...]:
    """Return code with the loads of each block before what needs them."""
    return tuple(_scheduled(code))


def spread_out(code: Sequence[Code]) -> tuple[Code, ...]:
    """Return code in which loads and stores hold registers for the instructions that they are in flight.

    They read their operands some time after they are issued; who writes to these registers has to wait, so that ptxas
    takes others while there are any.  The result of a load may take its address' place, of which one register is left.
    """
    found: list[Code] = []
    for item in code:
        match item:
            case Instruction():
                found.append(item)
            case Repeated():
                found.append(Repeated(spread_out(item.body), item.needed))
            case Either():
                found.append(Either(item.needed, spread_out(item.first), spread_out(item.second)))
    for position in range(len(found) - 1, -1, -1):
        item = found[position]
        if not isinstance(item, Instruction) or not item.operands:
            continue
        held = item.operands
        if item.kind is Kind.LOAD and item.result is not None and item.space is MemorySpace.GLOBAL and item.width == 1:
            held = (-item.result,)
            found.insert(position + 1, Instruction(kind=Kind.LOAD, result=held[0]))
        elif item.kind is not Kind.STORE:
            continue
        found.insert(_end_of_flight(found, position), Instruction(kind=Kind.HOLD, operands=held))
    return tuple(found)


def _end_of_flight(code: Sequence[Code], start: int) -> int:
    """Return the position up to which the instruction at ``start`` is in flight, within its block."""
    left = _IN_FLIGHT
    for position in range(start + 1, len(code)):
        item = code[position]
        if not left or not isinstance(item, Instruction):
            return position
        left -= item.kind is not Kind.HOLD
    return len(code)


def _scheduled(code: Sequence[Code]) -> Iterator[Code]:
    block: list[Instruction] = []
    for item in code:
        if isinstance(item, Instruction) and item.kind is not Kind.BARRIER:
            block.append(item)
            continue
        yield from _ordered(block)
        block = []
        match item:
            case Repeated():
                yield Repeated(scheduled(item.body), item.needed)
            case Either():
                yield Either(item.needed, scheduled(item.first), scheduled(item.second))
            case _:
                yield item
    yield from _ordered(block)


def _ordered(block: Sequence[Instruction]) -> list[Instruction]:
    """Return the instructions of a block by the loads that they wait for, and of a level addresses and loads first."""
    feeding = _feeding(block)
    level: dict[int, int] = {}
    stored: dict[str, int] = {}
    aliased = 0  # level of the last store to memory that several names may reach
    loads = 0
    ranked: list[tuple[int, int, int, Instruction]] = []
    for position, item in enumerate(block):
        own = max((level.get(operand, 0) for operand in item.operands), default=0)
        if item.kind is Kind.STORE:
            stored[item.array] = max(stored.get(item.array, 0), own)
            aliased = aliased if item.unaliased else max(aliased, own)
        elif item.kind is Kind.LOAD and item.result is not None:
            loads += 1
            behind = 0 if item.unaliased else aliased
            own = max(own, loads // _LOADS_TOGETHER, stored.get(item.array, 0), behind)
            level[item.result] = own + 1
        elif item.result is not None:
            level[item.result] = own if item.kind is Kind.COPY else max(own, level.get(item.result, 0))
        rank = 1 if item.kind is Kind.LOAD else 0 if position in feeding else 2
        ranked.append((own, rank, position, item))
    ranked.sort(key=lambda entry: entry[:3])
    return [item for _, _, _, item in ranked]


def _feeding(block: Sequence[Instruction]) -> set[int]:
    """Return the positions of the instructions that the addresses of loads are made by."""
    needed: set[int] = set()
    found: set[int] = set()
    for position in range(len(block) - 1, -1, -1):
        item = block[position]
        if item.kind is Kind.LOAD or item.result in needed:
            found.add(position)
            needed.update(item.operands)
    return found
