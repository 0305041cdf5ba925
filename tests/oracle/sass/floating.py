"""Floating-point instructions: arithmetic, comparisons, the special-function unit, conversions, and halves in pairs.

Results are rounded to the format of the instruction; the direction of rounding and flushing to zero are not modelled,
which only last digits depend on.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from .listing import Instruction, Operand, bits_of
from .state import WORD, NotModelled, Thread

Step = Callable[[Thread], None]
_HALF = {False: "e", True: "f"}
_INTEGERS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "U32": 32, "S32": 32, "U64": 64, "S64": 64}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a < b or a > b,
    "NUM": lambda a, b: a == a and b == b,
    "NAN": lambda a, b: a != a or b != b,
}


def single(thread: Thread, operand: Operand) -> float:
    """Return an operand as a number in single precision."""
    if operand.kind == "number" and not operand.text.startswith("0x"):
        return float(operand.number)
    bits = thread.read(operand)
    if operand.part.startswith("H"):
        return signed(operand, _half(bits, operand.part))
    return signed(operand, struct.unpack("<f", struct.pack("<I", bits))[0])


def double(thread: Thread, operand: Operand) -> float:
    """Return an operand as a number in double precision."""
    if operand.kind == "number" and not operand.text.startswith("0x"):
        return float(operand.number)
    return signed(operand, struct.unpack("<d", struct.pack("<Q", thread.read(operand, 8)))[0])


def long_bits(number: float) -> int:
    """Return the bits of a number in double precision."""
    return int(struct.unpack("<Q", struct.pack("<d", number))[0])


def compare(modifiers: tuple[str, ...], left: float, right: float) -> bool:
    """Return a comparison by its name; one that ends in U also holds for NaN."""
    name = next((m for m in modifiers if m in _COMPARISONS or m.removesuffix("U") in _COMPARISONS), "T")
    if name == "T":
        return True
    unordered = name.endswith("U") and name != "NUM"
    if unordered and (left != left or right != right):
        return True
    return _COMPARISONS[name.removesuffix("U") if unordered else name](left, right)


def combine(modifiers: tuple[str, ...], value: bool, other: bool) -> bool:
    """Return a predicate combined with another, as ``AND``, ``OR`` or ``XOR`` says."""
    if "OR" in modifiers:
        return value or other
    return value != other if "XOR" in modifiers else value and other


def signed(operand: Operand, number: float) -> float:
    """Return a number with the sign that its operand asks for."""
    number = abs(number) if operand.magnitude else number
    return -number if operand.negative else number


def _half(bits: int, part: str) -> float:
    return float(struct.unpack("<e", struct.pack("<H", bits >> 16 if part.startswith("H1") else bits & 0xFFFF))[0])


def _finite(compute: Callable[[], float]) -> float:
    try:
        found = compute()
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan
    return found


def _singles(instruction: Instruction) -> Step:
    target, *operands = instruction.operands
    name, saturates = instruction.name.removesuffix("32I"), "SAT" in instruction.modifiers
    operands = operands[-{"FADD": 2, "FMUL": 2, "FFMA": 3}[name] :]

    def step(thread: Thread) -> None:
        value = arithmetic(name[1:], [single(thread, operand) for operand in operands])
        thread.write(target, bits_of(min(1.0, max(0.0, value)) if saturates else value))

    return step


def _doubles(instruction: Instruction) -> Step:
    target, *operands = instruction.operands
    name = instruction.name

    def step(thread: Thread) -> None:
        value = arithmetic(name[1:], [double(thread, operand) for operand in operands])
        thread.write(target, long_bits(value), 8)

    return step


def arithmetic(name: str, values: list[float]) -> float:
    """Return a sum, product or both."""
    match name:
        case "ADD":
            return _finite(lambda: values[0] + values[1])
        case "MUL":
            return _finite(lambda: values[0] * values[1])
        case _:
            return _finite(lambda: values[0] * values[1] + values[2])


def _set_predicate(read: Callable[[Thread, Operand], float]) -> Callable[[Instruction], Step]:
    def made(instruction: Instruction) -> Step:
        first, second, left, right, *rest = instruction.operands
        modifiers = instruction.modifiers

        def step(thread: Thread) -> None:
            value = compare(modifiers, read(thread, left), read(thread, right))
            other = thread.holds(rest[0]) if rest else True
            thread.decide(first, combine(modifiers, value, other))
            thread.decide(second, combine(modifiers, not value, other))

        return step

    return made


def _set(instruction: Instruction) -> Step:
    target, left, right, *rest = instruction.operands
    left, right, *rest = (left, right, *rest) if left.text[-2:-1] != "P" else (right, *rest)

    def step(thread: Thread) -> None:
        value = compare(instruction.modifiers, single(thread, left), single(thread, right))
        value = combine(instruction.modifiers, value, thread.holds(rest[0]) if rest else True)
        thread.write(target, (0x3F800000 if "BF" in instruction.modifiers else WORD) if value else 0)

    return step


def _choice(instruction: Instruction) -> Step:
    """``FMNMX``: the lesser of two numbers where the predicate holds, else the greater; ``FMNMX3`` of three."""
    target, *values, decided = instruction.operands
    if decided.kind == "register" and "P" not in decided.text:
        raise NotModelled(instruction.name)

    def step(thread: Thread) -> None:
        numbers = [number for value in values if not math.isnan(number := single(thread, value))]
        least = thread.holds(decided)
        thread.write(target, bits_of((min if least else max)(numbers) if numbers else math.nan))

    return step


def _select(instruction: Instruction) -> Step:
    target, left, right, decided = instruction.operands

    def step(thread: Thread) -> None:
        chosen = left if thread.holds(decided) else right
        thread.write(target, bits_of(single(thread, chosen)) if chosen.kind == "number" else _bits(thread, chosen))

    return step


def _bits(thread: Thread, operand: Operand) -> int:
    """Return the bits of an operand with its sign changed: those of a NaN stay what they are."""
    bits = thread.read(operand)
    bits = bits & 0x7FFFFFFF if operand.magnitude else bits
    return bits ^ 0x80000000 if operand.negative else bits


def _division_check(instruction: Instruction) -> Step:
    """``FCHK``: whether a quotient needs more care than the short sequence: exponents near the ends."""
    target, left, right = instruction.operands

    def step(thread: Thread) -> None:
        a, b = abs(single(thread, left)), abs(single(thread, right))
        ordinary = 2.0**-100 < b < 2.0**100 and (2.0**-80 < a < 2.0**100) and 2.0**-100 < a / b < 2.0**100
        thread.decide(target, not ordinary)

    return step


_SPECIAL: dict[str, Callable[[float], float]] = {
    "RCP": lambda x: 1 / x if x else math.copysign(math.inf, x),
    "RSQ": lambda x: 1 / math.sqrt(x) if x else math.inf,
    "SQRT": lambda x: math.sqrt(x),
    "EX2": lambda x: 2.0**x,
    "LG2": lambda x: math.log2(x) if x else -math.inf,
    "SIN": lambda x: math.sin(2 * math.pi * x),
    "COS": lambda x: math.cos(2 * math.pi * x),
    "TANH": math.tanh,
}


def _special(instruction: Instruction) -> Step:
    """``MUFU``; of doubles the high word; sine and cosine are of turns, which ``RRO`` or a product made."""
    target, operand = instruction.operands
    function = next(modifier for modifier in instruction.modifiers if modifier not in ("F16", "FTZ"))
    if function.endswith("64H"):
        compute = _SPECIAL[function.removesuffix("64H")]

        def high(thread: Thread) -> None:
            is_number = operand.kind == "number" and not operand.text.startswith("0x")
            word = long_bits(float(operand.number)) >> 32 if is_number else thread.read(operand)
            word = word & 0x7FFFFFFF if operand.magnitude else word
            value = struct.unpack("<d", struct.pack("<Q", word << 32))[0]
            value = -value if operand.negative else value
            thread.write(target, long_bits(_finite(lambda: compute(value))) >> 32)

        return high
    compute = _SPECIAL[function]

    def step(thread: Thread) -> None:
        value = single(thread, operand)
        found = _finite(lambda: compute(value))
        if "F16" in instruction.modifiers:
            thread.write(target, struct.unpack("<H", struct.pack("<e", found))[0])
        else:
            thread.write(target, bits_of(found))

    return step


def _rounding(modifiers: tuple[str, ...]) -> Callable[[float], int]:
    for name, function in (("TRUNC", math.trunc), ("FLOOR", math.floor), ("CEIL", math.ceil)):
        if name in modifiers:
            return function
    return round


def _to_integer(instruction: Instruction) -> Step:
    target, operand = instruction.operands[0], instruction.operands[-1]
    read = double if "F64" in instruction.modifiers else single
    kind = next((m for m in instruction.modifiers if m in _INTEGERS), "S32")
    bits = _INTEGERS[kind]
    low, high = (0, (1 << bits) - 1) if kind[0] == "U" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    rounded = _rounding(instruction.modifiers)

    def step(thread: Thread) -> None:
        value = read(thread, operand)
        number = 0 if math.isnan(value) else min(high, max(low, rounded(value) if math.isfinite(value) else value))
        thread.write(target, int(number) & ((1 << max(32, bits)) - 1), max(4, bits // 8))

    return step


def _from_integer(instruction: Instruction) -> Step:
    target, operand = instruction.operands[0], instruction.operands[-1]
    kind = next((m for m in instruction.modifiers if m in _INTEGERS), "S32")
    bits = _INTEGERS[kind]
    byte = int(operand.part[1]) if operand.part.startswith("B") else 0

    def step(thread: Thread) -> None:
        value = thread.read(operand, max(4, bits // 8)) >> (8 * byte)
        value &= (1 << bits) - 1
        if kind[0] == "S" and value >> (bits - 1):
            value -= 1 << bits
        value = -value if operand.negative else value
        if "F64" in instruction.modifiers:
            thread.write(target, long_bits(float(value)), 8)
        elif "F16" in instruction.modifiers:
            thread.write(target, half_bits(float(value)))
        else:
            thread.write(target, bits_of(float(value)))

    return step


def _rounded(instruction: Instruction) -> Step:
    target, operand = instruction.operands
    is_double = "F64" in instruction.modifiers
    rounded = _rounding(instruction.modifiers)

    def step(thread: Thread) -> None:
        value = double(thread, operand) if is_double else single(thread, operand)
        found = math.copysign(float(rounded(value)), value) if math.isfinite(value) else value
        thread.write(target, long_bits(found) if is_double else bits_of(found), 8 if is_double else 4)

    return step


def _converted(instruction: Instruction) -> Step:
    """``F2F``: to the first of its two formats from the second."""
    target, operand = instruction.operands
    formats = [m for m in instruction.modifiers if m in ("F16", "F32", "F64", "BF16")]
    to, of = (*formats, "F32", "F32")[:2]

    def step(thread: Thread) -> None:
        value = double(thread, operand) if of == "F64" else single(thread, operand)
        if to == "F64":
            thread.write(target, long_bits(value), 8)
        else:
            thread.write(target, bits_of(value) if to == "F32" else half_bits(value, is_short=to == "BF16"))

    return step


def half_bits(value: float, *, is_short: bool = False) -> int:
    """Return a number as the bits of a half."""
    if is_short:
        return bits_of(value) >> 16
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def _packed(instruction: Instruction) -> Step:
    """``F2FP.PACK_AB``: two singles as halves, the first one high."""
    target, high, low = instruction.operands[:3]
    is_short = "BF16" in instruction.modifiers

    def step(thread: Thread) -> None:
        halves = [half_bits(single(thread, operand), is_short=is_short) for operand in (high, low)]
        thread.write(target, halves[0] << 16 | halves[1])

    return step


FLOATING: dict[str, Callable[[Instruction], Step]] = {
    **dict.fromkeys(("FADD", "FMUL", "FFMA", "FADD32I", "FMUL32I", "FFMA32I"), _singles),
    **dict.fromkeys(("DADD", "DMUL", "DFMA"), _doubles),
    "FSETP": _set_predicate(single),
    "DSETP": _set_predicate(double),
    "FSET": _set,
    "FMNMX": _choice,
    "FMNMX3": _choice,
    "FSEL": _select,
    "FCHK": _division_check,
    "MUFU": _special,
    "F2I": _to_integer,
    "F2IP": _to_integer,
    "I2F": _from_integer,
    "I2FP": _from_integer,
    "FRND": _rounded,
    "F2F": _converted,
    "F2FP": _packed,
}
