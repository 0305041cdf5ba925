"""Numbers and conditions that follow from the values that the user or a launch gives.

What follows holds for these values alone: it is taken where no formula would be known otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...ir.arithmetic import computed
from ...ir.conditions import truth_of
from ...ir.index import Poly, const, floor_div, logarithm, root, trunc_div
from ...ir.nodes import Condition, Loop, Node, Truth, Uncounted
from ...ir.traverse import all_nodes
from ...ir.types import FP64
from ...ir.values import SUMS, Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from .names.symbols import Symbols


def decided(symbols: Symbols, condition: Condition) -> bool | None:
    """Return whether a condition holds; None where that is open, as where no symbol that it compares has a value."""
    if not isinstance(condition, Truth) and not any(symbols.has_value(name) for name in condition.names):
        return None
    return truth_of(condition, symbols.value_of)


def decided_number(symbols: Symbols, value: Value) -> int | float | None:
    """Return the number of a value whose operations and symbols are all known; None for others."""
    match value:
        case Constant(number=number):
            return number
        case IndexValue(index=index):
            return symbols.value_of(index)
        case Apply(operation=Operation.CONVERT, operands=(operand,), type=kind) if kind.scalar.is_integer:
            number = decided_number(symbols, operand)
            is_number = number is not None and abs(number) <= _LARGEST  # no NaN either
            return int(number) if number is not None and is_number and not _is_open(symbols, operand) else None
        case Apply():
            numbers = [decided_number(symbols, operand) for operand in value.operands]
            known = [number for number in numbers if number is not None]
            result = computed(value, known) if len(known) == len(numbers) else None
            return None if result is None else result.number
        case Register(name):
            return symbols.reals.get(name)
        case Load() | Opaque():
            return None


def decided_difference(symbols: Symbols, left: Value, right: Value) -> float | None:
    """Return the difference of known real numbers, of which a launch or a variable has one; None where it is open."""
    first, second = decided_number(symbols, left), decided_number(symbols, right)
    is_real = any(not isinstance(each, Load) and each.type.scalar.is_float for each in (left, right))
    if first is None or second is None or not is_real:
        return None
    is_free = _is_rounded_freely(left) or _is_rounded_freely(right)
    is_near = abs(first - second) <= _ROUNDING * max(abs(first), abs(second))
    return None if is_free and is_near else first - second


def _is_open(symbols: Symbols, real: Value) -> bool:
    """Return whether compilers may make another whole number of a real one, whose last places they may choose."""
    if isinstance(real, Apply) and real.function in _WHOLE:
        (real,) = real.operands
    number = decided_number(symbols, real)
    near = number is None or abs(number - round(number)) <= _ROUNDING * max(1.0, abs(number))
    return near and _is_rounded_freely(real)


def _is_rounded_freely(value: Value) -> bool:
    """Return whether compilers may compute a real number with other roundings: by an FMA, or by a function."""
    if not isinstance(value, Apply):
        return False
    is_real = value.type.scalar.is_float
    is_function = value.operation is Operation.CALL and value.function not in _WHOLE
    return is_real and (value.operation in SUMS or is_function or any(map(_is_rounded_freely, value.operands)))


def rounded_formula(value: Value) -> Poly | None:
    """Return the whole number that ``(int)``, ``floor`` or ``ceil`` make of a real one; None where it has no formula.

    ``(int)sqrt(n)``, ``(int)log2(n)`` and fractions with short numerators and powers of two below (``(int)(0.75*n)``)
    are exact in double precision for numbers of 32 bits; others may be rounded, and are not followed.
    """
    match value:
        case Apply(operation=Operation.CONVERT, operands=(Apply() as real,), type=kind) if kind.scalar.is_integer:
            rounding = real.function if real.function in ("ceil", "floor") else ""
            if rounding and isinstance(real.operands[0], Apply):
                real = real.operands[0]
            found = _root_or_logarithm(real, is_up=rounding == "ceil")
            return _rounded_fraction(real, rounding) if found is None else found
    return None


def _root_or_logarithm(real: Apply, *, is_up: bool) -> Poly | None:
    index = _index_of(real.operands[0]) if real.type == FP64 and real.operands else None
    if index is None or index.unknowns():
        return None
    if real.operation is Operation.SQRT:
        return root(index - 1) + 1 if is_up else root(index)
    return logarithm(2, index, up=is_up) if real.function == "log2" else None


def _rounded_fraction(real: Apply, rounding: str) -> Poly | None:
    fraction = _fraction(real) if real.type == FP64 else None
    if fraction is None:
        return None
    numerator, denominator = fraction
    if rounding == "ceil":
        return floor_div(numerator + denominator - 1, denominator)
    return floor_div(numerator, denominator) if rounding else trunc_div(numerator, const(denominator))


def _fraction(value: Value) -> tuple[Poly, int] | None:
    """Return numerator and denominator, a power of two, of a real number that is computed without rounding."""
    index = _index_of(value)
    if index is not None:
        return None if index.unknowns() or _is_long(value) else (index, 1)
    match value:
        case Constant(number=int() | float() as number) if abs(number) < _SHORT:
            exact = Fraction(number)
            return (const(exact.numerator), exact.denominator) if exact.denominator <= _SHORT else None
        case Apply(operation=Operation.ADD | Operation.SUB | Operation.MUL as operation, operands=(left, right)):
            first, second = _fraction(left), _fraction(right)
            return None if first is None or second is None else _combined(operation, first, second)
    return None


def _combined(operation: Operation, left: tuple[Poly, int], right: tuple[Poly, int]) -> tuple[Poly, int] | None:
    (first, below), (second, other) = left, right
    if operation is Operation.MUL:
        numbers = [abs(each) for each in (first.constant, second.constant) if each is not None]
        is_short = bool(numbers) and min(numbers) <= _SHORT and below * other <= _SHORT
        return (first * second, below * other) if is_short else None
    common = max(below, other)
    first, second = first * (common // below), second * (common // other)
    return (first + second if operation is Operation.ADD else first - second), common


def _is_long(value: Value) -> bool:
    """Return whether a whole number has more than 32 bits."""
    whole = value.operands[0] if isinstance(value, Apply) else value
    return not isinstance(whole, IndexValue) or whole.type.scalar.size_bytes > _WORD_BYTES


def _index_of(value: Value) -> Poly | None:
    match value:
        case IndexValue(index=index) | Apply(operation=Operation.CONVERT, operands=(IndexValue(index=index),)):
            return index
    return None


_LARGEST = 2.0**62
_WHOLE = frozenset({"floor", "ceil", "trunc"})
_ROUNDING = 1e-5  # a hundred units in the last place of single precision
_WORD_BYTES = 4
_SHORT = 1 << 10  # of numbers and denominators: a few of them and a number of 32 bits fit the 53 of a fraction


def has_uncounted(nodes: Sequence[Node]) -> bool:
    """Return whether a loop anywhere below has a trip count that is not known."""
    return any(isinstance(node, Loop) and isinstance(node.range, Uncounted) for node in all_nodes(nodes))
