"""Values of host code as far as constant propagation knows them, and C's operators on them.

An unknown value is ``UNKNOWN``.  Integers are Python's: C's overflow is not modelled, its division and shifts are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Union

from ..ir.types import ScalarType
from . import syntax as sx


class _Unknown(Enum):
    """What nothing is known about."""

    UNKNOWN = "unknown"


UNKNOWN: Final = _Unknown.UNKNOWN


@dataclass(frozen=True, slots=True)
class Reference:
    """The address of a variable, or of a part of it (``.x``, ``[2]``)."""

    variable: sx.Variable
    path: str


@dataclass(frozen=True, slots=True)
class Fields:
    """A struct or array by value: what is known of its parts by path."""

    parts: Mapping[str, Known]


@dataclass(frozen=True, slots=True)
class Strings:
    """The program's command line: ``argv``."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """A container with so many elements."""

    elements: int


Known = Union[int, float, str, Reference, Fields, Strings, Memory]
Value = Union[Known, _Unknown]

_LIMIT_BITS = 256
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
_MATHEMATICS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "round": round,
    "trunc": math.trunc,
    "sqrt": math.sqrt,
    "pow": math.pow,
    "log2": math.log2,
    "log": math.log,
    "log10": math.log10,
    "exp2": math.exp2,
    "exp": math.exp,
    "abs": abs,
    "fabs": abs,
    "labs": abs,
    "min": min,
    "max": max,
    "fmin": min,
    "fmax": max,
}
_WHOLE = frozenset({"abs", "labs", "min", "max"})
_TO_INTEGER = frozenset({"atoi", "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull", "stoi", "stol", "stoul"})
_TO_FLOAT = frozenset({"atof", "strtod", "strtof", "stod", "stof"})


def as_number(value: Value) -> int | float | None:
    """The number, or None."""
    return value if isinstance(value, int | float) else None


def truth(value: Value) -> bool | None:
    """Whether a value counts as true; None where that is not known."""
    match value:
        case int() | float():
            return value != 0
        case str() | Reference() | Strings():
            return True
        case _:
            return None


def binary(operator: str, left: Value, right: Value) -> Value:
    """An operator of C on two values."""
    first, second = as_number(left), as_number(right)
    if operator in ("==", "!=") and (first == 0 or second == 0) and _is_pointer(right if first == 0 else left):
        return int(operator == "!=")
    if first is None or second is None:
        return UNKNOWN
    if operator in _COMPARISONS:
        return int(_COMPARISONS[operator](first, second))
    try:
        result = _arithmetic(operator, first, second)
    except (ZeroDivisionError, OverflowError, ValueError):
        return UNKNOWN
    return UNKNOWN if isinstance(result, int) and result.bit_length() > _LIMIT_BITS else result


def _is_pointer(value: Value) -> bool:
    return isinstance(value, Reference | Strings | str)


def _arithmetic(operator: str, left: int | float, right: int | float) -> Value:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if isinstance(left, float) or isinstance(right, float):
            return left / right
    if isinstance(left, float) or isinstance(right, float):
        return UNKNOWN
    return _integer(operator, left, right)


def _integer(operator: str, left: int, right: int) -> Value:
    match operator:
        case "/":
            return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        case "%":
            return left - right * (abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1))
        case "<<" if 0 <= right < _LIMIT_BITS:
            return left << right
        case ">>" if right >= 0:
            return left >> right
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case _:
            return UNKNOWN


def unary(operator: str, value: Value) -> Value:
    """``-``, ``~`` or ``!``."""
    if operator == "!":
        holds = truth(value)
        return UNKNOWN if holds is None else int(not holds)
    number = as_number(value)
    if number is None:
        return UNKNOWN
    if operator == "~":
        return ~number if isinstance(number, int) else UNKNOWN
    return -number


def converted(value: Value, kind: sx.CType) -> Value:
    """A number in a scalar type; anything else as it is."""
    number = as_number(value)
    if number is None or not isinstance(kind, sx.ScalarT) or kind.element.lanes != 1:
        return value
    scalar = kind.element.scalar
    if scalar is ScalarType.BOOL:
        return int(number != 0)
    if scalar.is_integer:
        return int(number) if math.isfinite(number) else UNKNOWN
    return float(number) if scalar.is_float and abs(number) < math.inf else number


def library_call(name: str, arguments: Sequence[Value]) -> Value:
    """A function of the standard library on known values."""
    plain = name.rsplit("::", 1)[-1]
    if plain in _TO_INTEGER | _TO_FLOAT:
        return _parsed(plain, arguments)
    if plain in ("strcmp", "strcasecmp") and len(arguments) == 2:
        left, right = arguments
        return int(left != right) if isinstance(left, str) and isinstance(right, str) else UNKNOWN
    if plain == "strlen" and len(arguments) == 1 and isinstance(arguments[0], str):
        return len(arguments[0])
    if plain == "size" and len(arguments) == 1 and isinstance(arguments[0], Memory):
        return arguments[0].elements
    if plain == "new" and len(arguments) == 1 and isinstance(arguments[0], int):
        return Memory(arguments[0])
    return _mathematical(plain, arguments)


def _mathematical(name: str, arguments: Sequence[Value]) -> Value:
    function = _MATHEMATICS.get(name)
    if function is None and name[-1:] in ("f", "l"):
        name = name[:-1]
        function = _MATHEMATICS.get(name)
    numbers = [number for value in arguments if (number := as_number(value)) is not None]
    if function is None or len(numbers) != len(arguments):
        return UNKNOWN
    try:
        result = function(*numbers)
    except (ValueError, OverflowError, TypeError, ZeroDivisionError):
        return UNKNOWN
    return result if name in _WHOLE else float(result)


def _parsed(name: str, arguments: Sequence[Value]) -> Value:
    text = arguments[0] if arguments else UNKNOWN
    if not isinstance(text, str):
        return UNKNOWN
    try:
        if name in _TO_FLOAT:
            return float(text)
        digits = text.strip().split()[0] if text.strip() else "0"
        base = arguments[2] if len(arguments) > 2 and isinstance(arguments[2], int) else 10
        end = next((n for n, c in enumerate(digits) if not (c.isalnum() or (n == 0 and c in "+-"))), len(digits))
        return int(digits[:end], base)
    except (ValueError, IndexError):
        return 0 if name in _TO_INTEGER else 0.0
