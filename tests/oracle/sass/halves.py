"""Instructions on halves and on pairs of them, of both formats."""

from __future__ import annotations

import struct
from collections.abc import Callable

from .floating import Step, arithmetic, combine, compare, half_bits, signed
from .listing import Instruction, Operand, bits_of
from .state import Thread


def _pair(thread: Thread, operand: Operand, *, is_short: bool) -> tuple[float, float]:
    """Return both halves of a word, low and high, as the part of the operand picks them."""
    bits = thread.read(operand)
    halves = (bits & 0xFFFF, bits >> 16)
    low, high = {"H0_H0": (0, 0), "H1_H1": (1, 1), "H1_H0": (0, 1)}.get(operand.part, (0, 1))
    found = []
    for half in (halves[low], halves[high]):
        value = (
            struct.unpack("<f", struct.pack("<I", half << 16))
            if is_short
            else struct.unpack("<e", struct.pack("<H", half))
        )
        found.append(signed(operand, float(value[0])))
    return found[0], -found[1] if operand.part == "H0_NH1" else found[1]


def pairs_of(instruction: Instruction) -> list[Operand | tuple[Operand, Operand]]:
    """Return the operands of an instruction on halves: two numbers that follow each other are one, high and low."""
    found: list[Operand | tuple[Operand, Operand]] = []
    values = list(instruction.operands)
    while values:
        value = values.pop(0)
        if value.kind == "number" and values and values[0].kind == "number":
            found.append((value, values.pop(0)))
        else:
            found.append(value)
    return found


def _both(thread: Thread, operand: Operand | tuple[Operand, Operand], *, is_short: bool) -> tuple[float, float]:
    if isinstance(operand, tuple):
        return float(operand[1].number), float(operand[0].number)
    return _pair(thread, operand, is_short=is_short)


def _halves(instruction: Instruction) -> Step:
    target = instruction.operands[0]
    operands = pairs_of(instruction)[1:]
    name, modifiers = instruction.name[1:].removesuffix("2"), instruction.modifiers
    is_short = "BF16_V2" in modifiers or "BF16" in modifiers

    def step(thread: Thread) -> None:
        values = [_both(thread, operand, is_short=is_short) for operand in operands]
        found = [arithmetic(name, [value[lane] for value in values]) for lane in (0, 1)]
        if "RELU" in modifiers or "SAT" in modifiers:
            found = [min(1.0, max(0.0, x)) if "SAT" in modifiers else max(0.0, x) for x in found]
        if "F32" in modifiers:
            thread.write(target, bits_of(found[0]))
            return
        low, high = (half_bits(value, is_short=is_short) for value in found)
        thread.write(target, high << 16 | low)

    return step


def _half_choice(instruction: Instruction) -> Step:
    target = instruction.operands[0]
    left, right, decided = pairs_of(instruction)[1:]
    is_short = "BF16_V2" in instruction.modifiers

    def step(thread: Thread) -> None:
        assert isinstance(decided, Operand)
        choose = min if thread.holds(decided) else max
        pairs = zip(_both(thread, left, is_short=is_short), _both(thread, right, is_short=is_short), strict=True)
        low, high = (half_bits(choose(a, b), is_short=is_short) for a, b in pairs)
        thread.write(target, high << 16 | low)

    return step


def _half_set(instruction: Instruction) -> Step:
    """``HSET2``: a pair of ones (``BF``) or of all bits where the comparisons hold."""
    target, left, right, *rest = pairs_of(instruction)
    modifiers = instruction.modifiers
    is_short = "BF16_V2" in modifiers
    true = (0x3F80 if is_short else 0x3C00) if "BF" in modifiers else 0xFFFF

    def step(thread: Thread) -> None:
        pairs = zip(_both(thread, left, is_short=is_short), _both(thread, right, is_short=is_short), strict=True)
        other = not rest or not isinstance(rest[0], Operand) or thread.holds(rest[0])
        low, high = (true if combine(modifiers, compare(modifiers, a, b), other) else 0 for a, b in pairs)
        assert isinstance(target, Operand)
        thread.write(target, high << 16 | low)

    return step


def _half_predicate(instruction: Instruction) -> Step:
    first, second, left, right, *rest = pairs_of(instruction)
    modifiers = instruction.modifiers
    is_short = "BF16_V2" in modifiers

    def step(thread: Thread) -> None:
        pairs = zip(_both(thread, left, is_short=is_short), _both(thread, right, is_short=is_short), strict=True)
        low, high = (compare(modifiers, a, b) for a, b in pairs)
        other = not rest or not isinstance(rest[0], Operand) or thread.holds(rest[0])
        assert isinstance(first, Operand)
        assert isinstance(second, Operand)
        thread.decide(first, combine(modifiers, low, other))
        thread.decide(second, combine(modifiers, high, other))

    return step


HALVES: dict[str, Callable[[Instruction], Step]] = {
    **dict.fromkeys(("HADD2", "HMUL2", "HFMA2"), _halves),
    "HSETP2": _half_predicate,
    "HSET2": _half_set,
    "HMNMX2": _half_choice,
}
