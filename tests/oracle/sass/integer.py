"""Integer, logical, predicate and move instructions; those on uniform registers are the same with a U in front."""

from __future__ import annotations

from collections.abc import Callable

from .floating import Step, combine, compare
from .listing import Instruction, Operand
from .state import LONG, WORD, NotModelled, Thread


def word(thread: Thread, operand: Operand) -> int:
    """Return an operand of 32 bits as an unsigned number."""
    value = thread.read(operand)
    if operand.magnitude:
        value = abs(signed(value))
    if operand.inverted:
        value = ~value
    return (-value if operand.negative else value) & WORD


def wide(thread: Thread, operand: Operand) -> int:
    """Return an operand of 64 bits."""
    value = thread.read(operand, 8)
    return (-value if operand.negative else ~value if operand.inverted else value) & LONG


def signed(value: int, bits: int = 32) -> int:
    """Return an unsigned number as a signed one."""
    return value - (1 << bits) if value >> (bits - 1) else value


def _is_predicate(operand: Operand) -> bool:
    return operand.kind == "register" and operand.text.removeprefix("U").startswith("P")


def _parts(instruction: Instruction) -> tuple[list[Operand], list[Operand], list[Operand], list[Operand]]:
    """Return targets, predicates that are set, sources, and predicates that are read."""
    first, *rest = instruction.operands
    decided, sources, read = [], [], []
    for operand in rest:
        if _is_predicate(operand):
            (read if sources else decided).append(operand)
        else:
            sources.append(operand)
    return [first], decided, sources, read


def _sum(instruction: Instruction) -> Step:
    (target,), decided, sources, read = _parts(instruction)
    if "64" in instruction.modifiers:
        return _long_sum(target, sources)

    def step(thread: Thread) -> None:
        total = 0
        for operand in sources:
            value = thread.read(operand)
            if operand.negative and operand.kind != "number":
                total += (~value & WORD) + 1
            else:
                total += ~value & WORD if operand.inverted else value
        total += sum(thread.holds(operand) for operand in read)
        thread.write(target, total)
        for index, operand in enumerate(decided):
            thread.decide(operand, total >> 32 > index)

    return step


def _long_sum(target: Operand, sources: list[Operand]) -> Step:
    def step(thread: Thread) -> None:
        thread.write(target, sum(wide(thread, operand) for operand in sources) & LONG, 8)

    return step


def _multiply_add(instruction: Instruction) -> Step:
    (target,), decided, sources, read = _parts(instruction)
    modifiers = instruction.modifiers
    is_unsigned, is_wide, is_high = "U32" in modifiers, "WIDE" in modifiers, "HI" in modifiers
    left, right, addend = sources

    def factor(thread: Thread, operand: Operand) -> int:
        value = word(thread, operand)
        return value if is_unsigned else signed(value)

    def step(thread: Thread) -> None:
        product = factor(thread, left) * factor(thread, right)
        carry = sum(thread.holds(operand) for operand in read)
        if is_wide or is_high:
            total = (product & LONG) + wide(thread, addend) * is_wide + carry
            if is_high:
                thread.write(target, (((product & LONG) >> 32) + word(thread, addend) + carry) & WORD)
                return
            thread.write(target, total & LONG, 8)
            for operand in decided:
                thread.decide(operand, total >> 64 > 0)
            return
        total = (product & WORD) + word(thread, addend) + carry
        thread.write(target, total & WORD)
        for operand in decided:
            thread.decide(operand, total >> 32 > 0)

    return step


def _set_predicate(instruction: Instruction) -> Step:
    first, second, left, right, *rest = instruction.operands
    modifiers = instruction.modifiers
    is_unsigned, is_extended, bits = "U32" in modifiers or "U64" in modifiers, "EX" in modifiers, 32
    if "U64" in modifiers or "S64" in modifiers:
        bits = 64

    def step(thread: Thread) -> None:
        a, b = (wide(thread, o) if bits == 64 else word(thread, o) for o in (left, right))
        if not is_unsigned:
            a, b = signed(a, bits), signed(b, bits)
        value = compare(modifiers, a, b)
        if is_extended and a == b:
            lower = thread.holds(rest[-1])
            value = lower
        other = thread.holds(rest[0]) if rest else True
        thread.decide(first, combine(modifiers, value, other))
        thread.decide(second, combine(modifiers, not value, other))

    return step


def _funnel_shift(instruction: Instruction) -> Step:
    target, low, amount, high = instruction.operands
    modifiers = instruction.modifiers
    is_left, is_high = "L" in modifiers, "HI" in modifiers
    is_signed = "S32" in modifiers or "S64" in modifiers
    is_long = "S64" in modifiers or "U64" in modifiers
    most = 63 if is_long else 31

    def step(thread: Thread) -> None:
        shift = word(thread, amount)
        shift = shift & most if "W" in modifiers else min(shift, most + 1)
        a, c = word(thread, low), word(thread, high)
        pair = (c << 32) | a
        if is_left:
            found = (pair << shift) >> 32 if is_high else a << shift
        else:
            upper = signed(c) if is_signed else c
            found = upper >> shift if is_high else ((upper << 32) | a) >> shift
        thread.write(target, found & WORD)

    return step


def _shift(instruction: Instruction) -> Step:
    target, value, amount = instruction.operands
    is_left = instruction.name.endswith("L")
    is_signed = not is_left and "U32" not in instruction.modifiers

    def step(thread: Thread) -> None:
        a, shift = word(thread, value), min(32, word(thread, amount))
        thread.write(target, (a << shift if is_left else (signed(a) if is_signed else a) >> shift) & WORD)

    return step


def _table(table: int, a: int, b: int, c: int) -> int:
    found = 0
    for index in range(8):
        if table >> index & 1:
            found |= (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
    return found & WORD


def _logic(instruction: Instruction) -> Step:
    operands = list(instruction.operands)
    decided = operands.pop(0) if _is_predicate(operands[0]) else None
    target, a, b, c, table, *rest = operands

    def step(thread: Thread) -> None:
        found = _table(int(table.number), word(thread, a), word(thread, b), word(thread, c))
        thread.write(target, found)
        if decided is not None:
            thread.decide(decided, found != 0 or (bool(rest) and thread.holds(rest[0])))

    return step


def _predicate_logic(instruction: Instruction) -> Step:
    first, second, a, b, c, *tables = instruction.operands

    def step(thread: Thread) -> None:
        values = [WORD if thread.holds(operand) else 0 for operand in (a, b, c)]
        for target, table in zip((first, second), tables, strict=False):
            thread.decide(target, _table(int(table.number), *values) != 0)

    return step


def _scaled_sum(instruction: Instruction) -> Step:
    """``LEA``: a shifted by a number, plus b; of pairs the high word."""
    (target,), decided, sources, read = _parts(instruction)
    modifiers = instruction.modifiers
    shift = int(sources[-1].number)

    def step(thread: Thread) -> None:
        a, b = word(thread, sources[0]), word(thread, sources[1])
        if "HI" not in modifiers:
            total = ((a << shift) & WORD) + b
        else:
            upper = signed(a) >> 31 & WORD if "SX32" in modifiers else word(thread, sources[2])
            total = ((((upper << 32) | a) << shift) >> 32 & WORD) + b
        total += sum(thread.holds(operand) for operand in read)
        thread.write(target, total & WORD)
        for operand in decided:
            thread.decide(operand, total >> 32 > 0)

    return step


def _select(instruction: Instruction) -> Step:
    target, left, right, decided = instruction.operands
    size = 8 if "64" in instruction.modifiers else 4

    def step(thread: Thread) -> None:
        chosen = left if thread.holds(decided) else right
        thread.write(target, wide(thread, chosen) if size == 8 else word(thread, chosen), size)

    return step


def _move(instruction: Instruction) -> Step:
    target, operand = instruction.operands[:2]
    size = 8 if "64" in instruction.modifiers else 16 if "128" in instruction.modifiers else 4

    def step(thread: Thread) -> None:
        if operand.kind == "special":
            thread.write(target, _special(thread, operand.text), 4)
        elif (operand.kind == "constant" and size != 4) or size == 8:
            thread.write(target, thread.read(operand, size), size)
        else:
            thread.write(target, word(thread, operand))

    return step


def _special(thread: Thread, name: str) -> int:
    axis = "XYZ".find(name[-1])
    if name.startswith("SR_TID"):
        return thread.index[axis]
    if name.startswith("SR_CTAID"):
        return thread.block[axis]
    if name.startswith(("SR_NTID", "SR_NCTAID")):
        return (thread.launch.block if name.startswith("SR_NTID") else thread.launch.grid)[axis]
    lane = thread.lane()
    masks = {
        "SR_LANEID": lane,
        "SR_EQMASK": 1 << lane,
        "SR_LTMASK": (1 << lane) - 1,
        "SR_LEMASK": (2 << lane) - 1,
        "SR_GTMASK": WORD & ~((2 << lane) - 1),
        "SR_GEMASK": WORD & ~((1 << lane) - 1),
    }
    return masks.get(name, 0)


def _clear(instruction: Instruction) -> Step:
    target, operand = instruction.operands[:2]
    size = 4 if "32" in instruction.modifiers else 8

    def step(thread: Thread) -> None:
        thread.write(target, 0 if operand.text == "SRZ" else _special(thread, operand.text), size)

    return step


def _least(instruction: Instruction) -> Step:
    """Minimum where the predicate holds, maximum otherwise; ``VIADDMNMX`` of a sum and a third operand."""
    target, *values = [operand for operand in instruction.operands if not _is_predicate(operand)]
    last = max(position for position, operand in enumerate(instruction.operands) if not _is_predicate(operand))
    decided = instruction.operands[last + 1 :]
    is_unsigned = bool({"U32", "U64"} & set(instruction.modifiers))
    bits = 64 if {"U64", "S64"} & set(instruction.modifiers) else 32
    if not decided:
        raise NotModelled(instruction.name)

    def step(thread: Thread) -> None:
        words = [wide(thread, value) if bits == 64 else word(thread, value) for value in values]
        if instruction.name.endswith("ADDMNMX"):
            words = [(words[0] + words[1]) & WORD, words[2]]
        numbers = words if is_unsigned else [signed(value, bits) for value in words]
        found = (min if thread.holds(decided[0]) else max)(numbers)
        thread.write(target, found & ((1 << bits) - 1), bits // 8)

    return step


def _unary(compute: Callable[[Instruction, int], int]) -> Callable[[Instruction], Step]:
    def made(instruction: Instruction) -> Step:
        target, operand = instruction.operands[0], instruction.operands[-1]
        return lambda thread: thread.write(target, compute(instruction, word(thread, operand)) & WORD)

    return made


def _leading(instruction: Instruction, value: int) -> int:
    if "U32" not in instruction.modifiers and value >> 31:
        value = ~value & WORD
    if not value:
        return WORD
    return 32 - value.bit_length() if "SH" in instruction.modifiers else value.bit_length() - 1


def _permuted(instruction: Instruction) -> Step:
    target, low, selector, high = instruction.operands

    def step(thread: Thread) -> None:
        pair = ((word(thread, high) << 32) | word(thread, low)).to_bytes(8, "little")
        choice, found = word(thread, selector), 0
        for position in range(4):
            nibble = choice >> (4 * position) & 15
            byte = pair[nibble & 7]
            byte = (0xFF if byte & 0x80 else 0) if nibble & 8 else byte
            found |= byte << (8 * position)
        thread.write(target, found)

    return step


def _mask(instruction: Instruction) -> Step:
    """``BMSK``: so many bits from a position on; ``SGXT``: a number of so many bits with its sign."""
    target, value, width = instruction.operands

    def step(thread: Thread) -> None:
        a, bits = word(thread, value), min(32, word(thread, width))
        if instruction.name.endswith("BMSK"):
            found = ((1 << bits) - 1) << min(32, a)
        else:
            found = a & ((1 << bits) - 1)
            found = signed(found, bits) if bits and "U32" not in instruction.modifiers else found
        thread.write(target, found & WORD)

    return step


def _to_predicates(instruction: Instruction) -> Step:
    _, value, mask = instruction.operands
    byte = int(value.part[1]) if value.part.startswith("B") else 0

    def step(thread: Thread) -> None:
        bits, which = word(thread, value) >> (8 * byte), word(thread, mask)
        for index in range(7):
            if which >> index & 1:
                thread.predicates[index] = bool(bits >> index & 1)

    return step


def _from_predicates(instruction: Instruction) -> Step:
    target, _, base, mask = instruction.operands

    def step(thread: Thread) -> None:
        bits = sum(1 << index for index in range(7) if thread.predicates[index])
        which = word(thread, mask)
        thread.write(target, (word(thread, base) & ~which) | (bits & which))

    return step


_PLAIN: dict[str, Callable[[Instruction], Step]] = {
    **dict.fromkeys(("IADD3", "IADD", "VIADD", "IADD32I"), _sum),
    "IMAD": _multiply_add,
    "ISETP": _set_predicate,
    "SHF": _funnel_shift,
    "SHL": _shift,
    "SHR": _shift,
    "LOP3": _logic,
    "PLOP3": _predicate_logic,
    "LEA": _scaled_sum,
    "SEL": _select,
    **dict.fromkeys(("MOV", "MOV32I", "S2R", "S2UR", "LDC", "ULDC", "LDCU", "R2UR", "S2UR"), _move),
    "CS2R": _clear,
    **dict.fromkeys(("IMNMX", "VIMNMX", "VIADDMNMX", "VIMNMX3"), _least),
    "IABS": _unary(lambda _, value: abs(signed(value))),
    "FLO": _unary(_leading),
    "POPC": _unary(lambda _, value: value.bit_count()),
    "BREV": _unary(lambda _, value: int(f"{value:032b}"[::-1], 2)),
    "PRMT": _permuted,
    "BMSK": _mask,
    "SGXT": _mask,
    "R2P": _to_predicates,
    "P2R": _from_predicates,
}
INTEGER = _PLAIN | {f"U{name}": made for name, made in _PLAIN.items()}
