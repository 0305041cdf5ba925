"""Memory, exchange between threads, and control flow.

Branches return the index of the next instruction; :data:`END` ends a thread, :data:`WAIT` gives its turn to the others.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from msgspec import Struct

from .floating import Step, long_bits
from .integer import signed, word
from .listing import Code, Instruction, Operand, bits_of
from .state import WORD, Memory, NotModelled, Thread

END, WAIT = -1, -2
Jump = Callable[[Thread], "int | None"]
_SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_PREFIXES = ("LD", "ST")
_NOTHING = frozenset(
    [
        "BSSY",
        "BSYNC",
        "WARPSYNC",
        "NOP",
        "BREAK",
        "BMOV",
        "YIELD",
        "DEPBAR",
        "LDGDEPBAR",
        "MEMBAR",
        "ERRBAR",
        "CCTL",
        "CCTLL",
        "FENCE",
        "NANOSLEEP",
        "PREEXIT",
        "ACQBULK",
        "UCCTL",
        "WARPSYNC",
        "CGAERRBAR",
    ]
)


class Exchange(Struct):
    """What the threads of a warp offer each other at a shuffle."""

    values: dict[int, int]


def _space(thread: Thread, name: str) -> Memory:
    letter = name[-1] if name in ("LDS", "STS", "LDL", "STL", "ATOMS") else "G"
    return {"S": thread.shared, "L": thread.local}.get(letter, thread.global_memory)


def _size(modifiers: tuple[str, ...]) -> int:
    return next((_SIZES[modifier] for modifier in modifiers if modifier in _SIZES), 4)


def _load(instruction: Instruction) -> Step:
    memory = next(operand for operand in instruction.operands if operand.kind == "memory")
    target = instruction.operands[0]
    size = _size(instruction.modifiers)
    is_signed = bool({"S8", "S16"} & set(instruction.modifiers))

    def step(thread: Thread) -> None:
        value = _space(thread, instruction.name).load(thread.address(memory), size)
        thread.write(target, signed(value, 8 * size) & WORD if is_signed else value, size)

    return step


def _store(instruction: Instruction) -> Step:
    memory, value = instruction.operands[:2]
    size = _size(instruction.modifiers)

    def step(thread: Thread) -> None:
        _space(thread, instruction.name).store(thread.address(memory), size, thread_value(thread, value, size))

    return step


def thread_value(thread: Thread, operand: Operand, size: int) -> int:
    """Return a value of up to 16 bytes from consecutive registers."""
    if size <= 8:
        return thread.read(operand, max(4, size))
    from .state import register_of

    bank, number = register_of(operand.text)
    if number == 255:
        return 0
    file = thread.uniform if bank == "U" else thread.registers
    return sum(file[number + step] << (32 * step) for step in range(size // 4))


def _atomic(instruction: Instruction) -> Step:
    operands = [operand for operand in instruction.operands if not operand.text.removeprefix("U").startswith("P")]
    memory = next(operand for operand in operands if operand.kind == "memory")
    position = operands.index(memory)
    target = operands[0] if position else None
    values = operands[position + 1 :]
    decided = next((o for o in instruction.operands[:1] if o.text.startswith("P") and o.text != "PT"), None)
    modifiers = instruction.modifiers
    size = 8 if {"64", "F64", "U64", "S64"} & set(modifiers) else 4

    def step(thread: Thread) -> None:
        space, address = _space(thread, instruction.name), thread.address(memory)
        old = space.load(address, size)
        new = _updated(modifiers, old, [thread_value(thread, value, size) for value in values], size)
        space.store(address, size, new)
        if target is not None:
            thread.write(target, 1 if "CAST" in modifiers else old, size)
        if decided is not None:
            thread.decide(decided, True)

    return step


def _updated(modifiers: tuple[str, ...], old: int, values: list[int], size: int) -> int:
    """Return what an atomic operation leaves in memory."""
    if "CAS" in modifiers or "CAST" in modifiers:
        return values[1] if old == values[0] or "CAST" in modifiers else old
    value = values[0] if values else 1
    if "ADD" in modifiers:
        if "F32" in modifiers:
            return bits_of(_real("f", old) + _real("f", value))
        return long_bits(_real("d", old) + _real("d", value)) if "F64" in modifiers else old + value
    if "MIN" in modifiers or "MAX" in modifiers:
        pair = (signed(old, 8 * size), signed(value, 8 * size)) if "S32" in modifiers else (old, value)
        return (min if "MIN" in modifiers else max)(pair) & ((1 << (8 * size)) - 1)
    if "EXCH" in modifiers:
        return value
    kinds = {"AND": old & value, "OR": old | value, "XOR": old ^ value, "INC": old + 1, "DEC": old - 1}
    return next((kinds[name] for name in kinds if name in modifiers), old)


def _real(kind: str, bits: int) -> float:
    return float(struct.unpack(f"<{kind}", bits.to_bytes(4 if kind == "f" else 8, "little"))[0])


def _branch(instruction: Instruction, code: Code, index: Mapping[int, int]) -> Jump:
    label = instruction.operands[-1]
    predicates = [o for o in instruction.operands[:-1] if o.text.removeprefix("U").startswith("P")]
    if label.kind != "label":
        raise NotModelled(instruction.name)
    if "DIV" in instruction.modifiers:
        return lambda thread: None
    target = index[code.labels[label.text]]
    return lambda thread: target if all(thread.holds(operand) for operand in predicates) else None


def _returned(instruction: Instruction, index: Mapping[int, int]) -> Jump:
    register = instruction.operands[0]
    return lambda thread: index[thread.read(register)]


def _computed_branch(instruction: Instruction, code: Code, index: Mapping[int, int]) -> Jump:
    """``BRX``: to an address of a register."""
    register = instruction.operands[0]
    next_address = instruction.address + 16

    def jump(thread: Thread) -> int:
        target = signed(word(thread, register))
        if target in index:
            return index[target]
        relative = next_address + target
        if relative not in index:
            raise NotModelled("BRX")
        return index[relative]

    return jump


def jump_of(instruction: Instruction, code: Code, index: Mapping[int, int]) -> Jump | None:
    """Return what an instruction of control flow does; None for others."""
    match instruction.name:
        case "EXIT" | "KILL" | "BPT":
            return lambda thread: END
        case "BRA" | "JMP":
            return _branch(instruction, code, index)
        case "CALL":
            return _branch(instruction, code, index)
        case "RET":
            return _returned(instruction, index)
        case "BRX":
            return _computed_branch(instruction, code, index)
        case "BAR" | "UCGABAR_ARV" | "UCGABAR_WAIT" | "BARRIER":
            return lambda thread: WAIT
        case name if name in _NOTHING:
            return lambda thread: None
        case _:
            return None


TRANSFER: dict[str, Callable[[Instruction], Step]] = {
    **dict.fromkeys(("LDG", "LDS", "LDL", "LD"), _load),
    **dict.fromkeys(("STG", "STS", "STL", "ST"), _store),
    **dict.fromkeys(("ATOM", "ATOMG", "ATOMS", "RED", "REDG"), _atomic),
}
