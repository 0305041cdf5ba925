"""Operations and conversions of values: constants folded and integers held as indices (:mod:`....ir.arithmetic`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd

from ....ir.arithmetic import binary, common_type, converted, is_unsigned, promoted, wrapped
from ....ir.index import (
    BitAnd,
    Element,
    Poly,
    Unknown,
    bit_and,
    bit_runs,
    const,
    floor_div,
    floor_mod,
    power,
    trunc_div,
    trunc_mod,
)
from ....ir.types import INT32, ElementType, ScalarType, TypeClass
from ....ir.values import Apply, Constant, IndexValue, Operation, Value

_TRUTH = (Operation.COMPARE, Operation.LOGICAL)
_SHORT_BYTES = 2  # of an integer that is often made to wrap
_BITWISE = ("&", "|", "^")
_MOST_RUNS = 4  # of bits of a mask that are written as quotients
_MOST_TERMS, _MOST_FACTORS, _LARGEST_FACTOR = 4, 2, 1 << 16  # of the sides of ``&``, ``|`` and ``^`` as an index

OPERATIONS = {
    "+": Operation.ADD,
    "-": Operation.SUB,
    "*": Operation.MUL,
    "/": Operation.DIV,
    "%": Operation.REM,
    "<<": Operation.SHIFT,
    ">>": Operation.SHIFT,
    "&": Operation.BITWISE,
    "|": Operation.BITWISE,
    "^": Operation.BITWISE,
}


def type_of(value: Value) -> ElementType:
    """Return the C type of a value: comparisons compute in the type of their operands and give an ``int``.

    Those of vectors give a mask of as many lanes.
    """
    is_truth = isinstance(value, Apply) and value.operation in _TRUTH and value.type.lanes == 1
    return INT32 if is_truth else value.type


def convert(value: Value, target: ElementType) -> Value:
    """Return the value in another type: free for constants and between integers, else one conversion.

    A real number next to a complex one stays real: no imaginary part is computed with.
    """
    source = type_of(value)
    if source == target or ScalarType.UNKNOWN in (source.scalar, target.scalar):
        return value
    if target.scalar in (ScalarType.VOID, ScalarType.POINTER) or source.scalar is ScalarType.POINTER:
        return value
    if target.scalar.type_class is TypeClass.COMPLEX and source.scalar.type_class is not TypeClass.COMPLEX:
        target = ElementType(target.scalar.component, target.lanes)
    if isinstance(value, Constant):
        return Constant(_number_in(value.number, target), target)
    if not source.scalar.is_float and not target.scalar.is_float:
        return IndexValue(_wrapped(value.index, target.scalar), target) if isinstance(value, IndexValue) else value
    if source.scalar is target.scalar:
        return value
    return Apply(Operation.CONVERT, target, (value,))


def wrapped_index(index: Poly, bits: int, *, unsigned: bool) -> Poly:
    """Return a number in two's complement of so many bits.

    >>> from ....ir.index import var
    >>> str(wrapped_index(const(130), 8, unsigned=False)), str(wrapped_index(var("n"), 3, unsigned=True))
    ('-126', 'n mod 8')
    """
    half = 0 if unsigned else 1 << (bits - 1)
    return floor_mod(index + half, const(1 << bits)) - half


def _wrapped(index: Poly, scalar: ScalarType) -> Poly:
    """Return an index in a type: bytes wrap, what may be negative in two unsigned ones does, else nothing does."""
    if scalar.size_bytes == 1 and scalar is not ScalarType.BOOL and not index.unknowns():
        return wrapped_index(index, 8, unsigned=is_unsigned(scalar))
    if (
        not is_unsigned(scalar)
        or scalar.size_bytes > _SHORT_BYTES
        or all(number > 0 for number in index.terms.values())
    ):
        return index
    return floor_mod(index, const(1 << 8 * scalar.size_bytes))


def _number_in(number: int | float | None, target: ElementType) -> int | float | None:
    """Return the number in a type; a long one does not wrap: a descending loop ends at ``(size_t)-1``."""
    found = None if number is None else converted(number, target.scalar)
    is_short = target.scalar.is_integer and target.scalar.size_bytes <= _SHORT_BYTES
    return wrapped(found, target.scalar) if isinstance(found, int) and is_short else found


def index_of(value: Value) -> Poly | None:
    """Return the polynomial of an integer that is known, else None."""
    match value:
        case IndexValue(index=index):
            return index
        case Constant(number=int() as number, type=kind) if kind.scalar.is_integer:
            return const(number)
        case _:
            return None


def is_number_at_run_time(value: Value) -> bool:
    """Return whether a value is a number that the compiler does not know, such as ``blockDim.x`` of a launch."""
    return isinstance(value, IndexValue) and value.index.constant is not None


def index_value(index: Poly, kind: ElementType) -> Value:
    """Return an index as a value; constants are constants."""
    number = index.constant
    return IndexValue(index, kind) if number is None else Constant(number, kind)


def combine(
    operator: str, left: Value, right: Value, is_nonnegative: Callable[[Poly], bool] | None = None
) -> tuple[Value, int]:
    """Return ``left operator right`` after the usual conversions, and the number of index operations.

    With a proof of what ``is_nonnegative``, bits that cannot meet are a sum: ``256*block | thread``.
    """
    kind = common_type(type_of(left), type_of(right))
    if operator in ("<<", ">>"):
        kind = promoted(type_of(left))
    if kind.scalar.is_integer:
        first, second = index_of(left), index_of(right)
        if first is not None and second is not None:
            apart = operator in _BITWISE and is_nonnegative is not None and _are_apart(first, second, is_nonnegative)
            index = (const(0) if operator == "&" else first + second) if apart else None
            index = combine_indices(operator, first, second) if index is None else index
            if index is not None and operator == ">>" and index.unknowns() and is_unsigned(kind.scalar):
                index = _shifted(index, kind.scalar, second.constant)
            if index is not None:
                both = isinstance(left, Constant) and isinstance(right, Constant)
                if is_number_at_run_time(left) or is_number_at_run_time(right):
                    return IndexValue(index, kind), 1
                return index_value(index, kind), 0 if both else 1
    result = apply(operator, left, right, kind)
    if all(isinstance(operand, Constant) for operand in result.operands):
        number = _folded(operator, *(operand.number for operand in result.operands if isinstance(operand, Constant)))
        if number is not None or not kind.scalar.is_float:  # what clock() gives is no constant
            return Constant(number, kind), 0
    return result, 0


def apply(operator: str, left: Value, right: Value, kind: ElementType) -> Apply:
    """Return the operation on two values, each in the type of the operation."""
    return Apply(OPERATIONS[operator], kind, (_operand(left, kind), _operand(right, kind)))


def _operand(value: Value, kind: ElementType) -> Value:
    """Return an operand in the type of the operation; a scalar stays a scalar next to a vector."""
    return convert(value, ElementType(kind.scalar, type_of(value).lanes))


def _folded(operator: str, left: int | float | None, right: int | float | None) -> int | float | None:
    return None if left is None or right is None else binary(operator, left, right)


def _shifted(index: Poly, scalar: ScalarType, bits: int | None) -> Poly:
    """Return an unknown unsigned value that was shifted to the right within the bits that it has left."""
    left = 8 * scalar.size_bytes - (bits or 0)
    return floor_mod(index, const(1 << left)) if bits and 0 < left < 32 else index


def combine_indices(operator: str, left: Poly, right: Poly) -> Poly | None:
    """Return ``left operator right`` of integer expressions, or None where it has no polynomial form."""
    number = right.constant
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right if len(left.terms) * len(right.terms) <= 256 else None
        case "/":
            return trunc_div(left, right)
        case "%":
            return trunc_mod(left, right)
        case "<<" if number is not None and 0 <= number < 64:
            return left * (1 << number)
        case ">>" if number is not None and 0 <= number < 64:
            return floor_div(left, 1 << number)
        case "<<" if not left.unknowns() and not right.unknowns():
            return left * power(2, right)
        case ">>" if not left.unknowns() and not right.unknowns():
            return floor_div(left, power(2, right))
        case "&" | "|" | "^":
            return _bitwise(operator, left, right)
    return None


def _bitwise(operator: str, left: Poly, right: Poly) -> Poly | None:
    """Return bits of a known expression and a number, of an unknown one where they are few, or of two plain ones."""
    number = right.constant if left.constant is None else left.constant
    if number is None and not (_is_plain(left) and _is_plain(right)):
        return None
    if number is None and not (left.names().isdisjoint(right.names()) or _is_lowest_bit(left, right)):
        return None  # bits of a variable mixed with others of its own are a hash
    if number is not None:
        runs = len(bit_runs(number))
        is_known = not (left.unknowns() or right.unknowns())
        if runs > _MOST_RUNS or not (is_known or operator == "^" or (operator == "&" and runs == 1)):
            return None
    common = bit_and(left, right)
    match operator:
        case "&":
            return common
        case "|":
            return left + right - common
        case _:
            return left + right - 2 * common


def _are_apart(left: Poly, right: Poly, is_nonnegative: Callable[[Poly], bool]) -> bool:
    """Return whether one expression is a multiple of a power of two that the other one, no number, is below."""
    for high, low in ((left, right), (right, left)):
        factors = [Fraction(factor) for factor in high.terms.values()]
        if not factors or low.constant is not None or any(factor.denominator > 1 for factor in factors):
            continue
        common = gcd(*(factor.numerator for factor in factors))
        below = common & -common
        if below > 1 and is_nonnegative(low) and is_nonnegative(below - 1 - low):
            return True
    return False


def _is_lowest_bit(left: Poly, right: Poly) -> bool:
    """Return whether ``left & right`` is the lowest bit of a number or the others: ``i & -i``, ``i & (i - 1)``."""
    return left == -right or (left - right).constant in (-1, 1)


def _is_plain(index: Poly) -> bool:
    """Return whether an expression counts or addresses something: it is no hash, whose products wrap around."""
    return (
        len(index.terms) <= _MOST_TERMS
        and not any(isinstance(atom, Unknown | BitAnd | Element) for atom in index.nested_atoms())
        and all(len(monomial) <= _MOST_FACTORS for monomial in index.terms)
        and all(abs(Fraction(number)) <= _LARGEST_FACTOR for monomial, number in index.terms.items() if monomial)
    )


def negated(value: Value) -> tuple[Value, int]:
    """Return ``-value``, and the number of index operations."""
    kind = promoted(type_of(value))
    index = index_of(value) if kind.scalar.is_integer else None
    if index is not None:
        return index_value(-index, kind), 0 if isinstance(value, Constant) else 1
    if isinstance(value, Constant):
        return Constant(None if value.number is None else -value.number, kind), 0
    return Apply(Operation.NEG, kind, (value,)), 0
