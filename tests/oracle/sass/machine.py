"""Kernels run thread by thread: how often each instruction is executed with its predicate on.

Threads of a block take turns at barriers and exchanges between lanes; a thread that takes more steps than
:data:`MOST_STEPS` is not modelled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from msgspec import Struct

from .floating import FLOATING, Step
from .halves import HALVES
from .integer import INTEGER, word
from .listing import VARIABLES_START, Code, Instruction
from .state import WORD, Launch, Memories, Memory, NotModelled, Thread
from .transfer import END, TRANSFER, WAIT, Jump, jump_of

MOST_STEPS = 200_000
_STEPS = FLOATING | HALVES | INTEGER | TRANSFER
_LANES = frozenset({"SHFL", "VOTE", "VOTEU", "MATCH", "REDUX"})


class Executed(Struct, frozen=True):
    """How often each instruction ran, by its position in the code, over all threads."""

    code: Code
    counts: Counter[int]
    threads: int


def run(code: Code, launch: Launch, memory: Memory) -> Executed:
    """Run all threads of a launch; raise ``NotModelled``."""
    program = _Program(code)
    for offset in range(0, len(code.variables), 4):
        memory.store(VARIABLES_START + offset, 4, int.from_bytes(code.variables[offset : offset + 4], "little"))
    counts: Counter[int] = Counter()
    blocks = list(product(*(range(extent) for extent in reversed(launch.grid))))
    indices = list(product(*(range(extent) for extent in reversed(launch.block))))
    for z, y, x in blocks:
        memories = Memories(memory, Memory())
        threads = [Thread(code, launch, (i, j, k), (x, y, z), memories) for k, j, i in indices]
        program.block(threads, counts)
    return Executed(code, counts, len(blocks) * len(indices))


class _Program:
    """The instructions as functions."""

    def __init__(self, code: Code) -> None:
        self._instructions = code.instructions
        index = {instruction.address: position for position, instruction in enumerate(code.instructions)}
        self._jumps: list[Jump | None] = []
        self._steps: list[Step | None] = []
        for instruction in code.instructions:
            jump, step = _made(instruction, code, index)
            self._jumps.append(jump)
            self._steps.append(step)

    def block(self, threads: list[Thread], counts: Counter[int]) -> None:
        """Run the threads of one block until all have ended."""
        running = [(thread, self._turns(thread, counts)) for thread in threads]
        while running:
            waiting = []
            lanes: dict[tuple[int, int], dict[int, Thread]] = {}
            for thread, turns in running:
                stop = next(turns, None)
                if stop is not None:
                    waiting.append((thread, turns))
                    if stop >= 0:
                        lanes.setdefault((thread.flat // 32, stop), {})[thread.lane()] = thread
            for (_, position), group in lanes.items():
                _exchange(self._instructions[position], group)
            running = waiting

    def _turns(self, thread: Thread, counts: Counter[int]) -> Iterator[int]:
        """Run to each barrier (``WAIT``) and each exchange (its position)."""
        position = steps = 0
        while position != END:
            steps += 1
            if steps > MOST_STEPS:
                raise NotModelled("too many steps")
            instruction = self._instructions[position]
            following = position + 1
            if thread.predicate(instruction.predicate) != instruction.is_negated:
                counts[position] += 1
                jump, step = self._jumps[position], self._steps[position]
                if step is not None:
                    step(thread)
                elif jump is not None:
                    target = jump(thread)
                    if target == WAIT:
                        yield WAIT
                    elif target is not None:
                        following = target
                elif instruction.name in _LANES:
                    yield position
                else:
                    raise NotModelled(instruction.name)
            position = following


def _made(instruction: Instruction, code: Code, index: dict[int, int]) -> tuple[Jump | None, Step | None]:
    """Return what an instruction does; nothing where it is not modelled, which only matters if it runs."""
    try:
        made = _STEPS.get(instruction.name)
        return (None, made(instruction)) if made else (jump_of(instruction, code, index), None)
    except (NotModelled, ValueError, KeyError, StopIteration):
        return None, None


def _exchange(instruction: Instruction, group: dict[int, Thread]) -> None:
    """Let the lanes of a warp that have come to an instruction exchange their values."""
    if instruction.name == "SHFL":
        _shuffle(instruction, group)
    elif instruction.name in ("VOTE", "VOTEU"):
        _vote(instruction, group)
    else:
        raise NotModelled(instruction.name)


def _shuffle(instruction: Instruction, group: dict[int, Thread]) -> None:
    decided, target, value, offset, mask = instruction.operands
    offered = {lane: word(thread, value) for lane, thread in group.items()}
    for lane, thread in group.items():
        step, limits = word(thread, offset), word(thread, mask)
        segment = limits >> 8 & 31
        low, high = lane & segment, (lane & segment) | (limits & 31 & ~segment)
        kinds = {
            "UP": lane - step,
            "DOWN": lane + step,
            "BFLY": lane ^ step,
            "IDX": low | (step & ~segment & 31),
        }
        source = next(kinds[name] for name in kinds if name in instruction.modifiers)
        inside = source >= high if "UP" in instruction.modifiers else source <= high
        thread.decide(decided, inside)
        thread.write(target, offered.get(source, 0) if inside else offered[lane])


def _vote(instruction: Instruction, group: dict[int, Thread]) -> None:
    operands = instruction.operands
    source = operands[-1]
    votes = {lane: thread.holds(source) for lane, thread in group.items()}
    ballot = sum(1 << lane for lane, vote in votes.items() if vote) & WORD
    kinds = {"ALL": all(votes.values()), "ANY": any(votes.values()), "EQ": len(set(votes.values())) == 1}
    found = next(kinds[name] for name in kinds if name in instruction.modifiers)
    for thread in group.values():
        for target in operands[:-1]:
            if target.text.removeprefix("U").startswith("P"):
                thread.decide(target, found)
            else:
                thread.write(target, ballot)
