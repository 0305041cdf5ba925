"""Values of host code as far as constant propagation determines them, and C's operators on them.

What is not known is an ``Unknown``: a source (something read from a file, an argument of a program without a command
line) or a formula over sources, so that a report can name what is missing and a given grid can be solved for it.
Integers are exact; those of unsigned types wrap where they are converted (:mod:`...ir.arithmetic`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Union

from msgspec import Struct

from ...diagnostics import Phrase
from ...ir import arithmetic
from ...ir.types import ScalarType
from ...source import Span
from ..surface import nodes as sx


class Source(Struct, frozen=True):
    """A value that the text does not show; ``number`` separates sources of one name.

    ``taken`` is the value assumed where nothing else gives one.
    """

    name: str | Phrase
    origin: Phrase
    span: Span
    number: int
    taken: int | None = None


class Unknown(Struct, frozen=True):
    """A value that depends on ``sources``: ``operator`` on ``operands``; "" is a source itself, "?" is not known."""

    sources: tuple[Source, ...]
    operator: str = "?"
    operands: tuple[Value, ...] = ()
    size: int = 1


class Reference(Struct, frozen=True):
    """The address of a variable, or of a part of it (``.x``, ``[2]``)."""

    variable: sx.Variable
    path: str


class Fields(Struct, frozen=True):
    """A struct or array by value: its parts by path."""

    parts: Mapping[str, Value]


class Strings(Struct, frozen=True):
    """A list of strings that nobody changes, such as ``argv``, from one of them on."""

    texts: tuple[str, ...]


class Code(Struct, frozen=True):
    """A function or a kernel as a value, by its key, with the object that a ``std::function`` was made of."""

    key: str
    bound: tuple[Value, ...] = ()


Value = Union[int, float, str, Reference, Fields, Strings, Code, Unknown]

UNKNOWN: Final = Unknown(())
_CONVERSIONS = {"int": ScalarType.INT64, "float": ScalarType.FP64}
_LARGEST_FORMULA = 40
_MOST_SOURCES = 4
MATHEMATICS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "round": lambda value: math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1),
    "rint": round,
    "trunc": math.trunc,
    "sqrt": math.sqrt,
    "cbrt": math.cbrt,
    "hypot": math.hypot,
    "pow": math.pow,
    "log2": math.log2,
    "log": math.log,
    "log10": math.log10,
    "exp2": math.exp2,
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "fmod": math.fmod,
    "abs": abs,
    "fabs": abs,
    "labs": abs,
    "llabs": abs,
    "min": min,
    "max": max,
    "fmin": min,
    "fmax": max,
}
WHOLE = frozenset({"abs", "labs", "llabs", "min", "max"})


def as_number(value: Value) -> int | float | None:
    """Return the number, or None."""
    return value if isinstance(value, int | float) else None


def as_integer(value: Value) -> int | None:
    """Return the integer part of a number, None for other values and for infinities."""
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else None


def truth(value: Value) -> bool | None:
    """Return whether a value counts as true; None where that is not known."""
    match value:
        case int() | float():
            return value != 0
        case str() | Reference() | Strings() | Code():
            return True
        case _:
            return None


def depending(operator: str, operands: tuple[Value, ...]) -> Unknown:
    """Return a formula over operands of which some are unknown; one that grows too large is only its sources."""
    size = 1 + sum(operand.size if isinstance(operand, Unknown) else 1 for operand in operands)
    sources = tuple(dict.fromkeys(source for operand in operands for source in _sources(operand)))[:_MOST_SOURCES]
    plain = all(isinstance(operand, int | float | Unknown) for operand in operands)
    if size > _LARGEST_FORMULA or not plain:
        return Unknown(sources)
    return Unknown(sources, operator, operands, size)


def _sources(value: Value) -> tuple[Source, ...]:
    return value.sources if isinstance(value, Unknown) else ()


def evaluated(value: Value, known: Mapping[Source, int]) -> Value:
    """Return a formula with the known values of its sources."""
    if not isinstance(value, Unknown):
        return value
    match value.operator:
        case "":
            return known.get(value.sources[0], value)
        case "?":
            return value
    operands = [evaluated(operand, known) for operand in value.operands]
    if value.operator == "?:":
        holds = truth(operands[0])
        return value if holds is None else operands[1] if holds else operands[2]
    if value.operator in _CONVERSIONS:
        number = as_number(operands[0])
        result = None if number is None else arithmetic.converted(number, _CONVERSIONS[value.operator])
        return value if result is None else result
    if value.operator in MATHEMATICS:
        return mathematical(value.operator, operands)
    return unary(value.operator, operands[0]) if len(operands) == 1 else binary(value.operator, *operands)


def mathematical(name: str, arguments: list[Value]) -> Value:
    """Apply a function of ``<math.h>`` or ``<algorithm>`` to numbers."""
    numbers = [number for value in arguments if (number := as_number(value)) is not None]
    if len(numbers) != len(arguments):
        return depending(name, tuple(arguments))
    try:
        result = MATHEMATICS[name](*numbers)
    except (ValueError, OverflowError, TypeError, ZeroDivisionError):
        return UNKNOWN
    return result if name in WHOLE else float(result)


def binary(operator: str, left: Value, right: Value) -> Value:
    """Apply an operator of C to two values."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _on_numbers(operator, left, right)
    if operator in ("==", "!="):
        equal = _same(left, right)
        if equal is not None:
            return int(equal == (operator == "=="))
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        if operator == "*" and (left == 0 or right == 0):
            return 0
        return depending(operator, (left, right))
    moved = _pointer(operator, left, right)
    return UNKNOWN if moved is None else moved


def _same(left: Value, right: Value) -> bool | None:
    """Return whether two values are equal where at least one is no number; None where that is open."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return None
    if isinstance(left, int | float) or isinstance(right, int | float):
        number = left if isinstance(left, int | float) else right
        return False if number == 0 else None
    return left == right


def _on_numbers(operator: str, left: int | float, right: int | float) -> Value:
    result = arithmetic.binary(operator, left, right)
    return UNKNOWN if result is None else result


def _pointer(operator: str, left: Value, right: Value) -> Value | None:
    """Apply an operator to addresses or texts."""
    if operator == "+" and isinstance(left, int):
        left, right = right, left
    if operator == "-" and isinstance(right, int):
        operator, right = "+", -right
    match left, right:
        case Reference(), int() if operator == "+":
            return shifted(left, right)
        case str(), int() if operator == "+" and 0 <= right <= len(left):
            return left[right:]
        case Strings(texts), int() if operator == "+" and 0 <= right <= len(texts):
            return Strings(texts[right:])
        case Strings(texts), Strings(others) if _are_of_one_list(texts, others):
            return _on_numbers(operator, -len(texts), -len(others))
        case str(), str() if operator == "+":
            return left + right
        case str(), str() if operator == "-" and left and right.endswith(left):
            return len(right) - len(left)
        case str(), str() if operator in arithmetic.COMPARISONS:
            return _on_numbers(operator, (left > right) - (left < right), 0)
        case Reference(), Reference() if left.variable is right.variable:
            first, second = element_of(left.path), element_of(right.path)
            if first is None or second is None or first[0] != second[0]:
                return None
            return _on_numbers(operator, first[1], second[1])
        case _:
            return None


def _are_of_one_list(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Return whether both lists of strings end alike: they are ``argv + 1`` and ``argv + argc``, or the like."""
    count = min(len(first), len(second))
    return first[len(first) - count :] == second[len(second) - count :]


def shifted(address: Reference, elements: int) -> Value:
    """Return the address so many elements further."""
    if elements == 0:
        return address
    element = element_of(address.path)
    return UNKNOWN if element is None else Reference(address.variable, f"{element[0]}[{element[1] + elements}]")


def element_of(path: str) -> tuple[str, int] | None:
    """Return the array and index of ``a[3]``, None for what is no element.

    >>> element_of(".x[3]")
    ('.x', 3)
    """
    if not path.endswith("]"):
        return None
    base, _, index = path[:-1].rpartition("[")
    try:
        return base, int(index)
    except ValueError:
        return None


def array_of(path: str) -> str:
    """Return the array whose element a path names; the path itself where it names none.

    >>> array_of(".x[3]"), array_of(".x")
    ('.x', '.x')
    """
    element = element_of(path)
    return path if element is None else element[0]


def derived(*values: Value) -> Unknown:
    """Return a value that hangs on others and is not known: its sources are theirs."""
    return Unknown(tuple(source for value in values for source in _sources(value))[:_MOST_SOURCES])


def unary(operator: str, value: Value) -> Value:
    """Apply ``-``, ``~`` or ``!``."""
    if operator == "!":
        holds = truth(value)
        return depending("!", (value,)) if holds is None else int(not holds)
    number = as_number(value)
    if number is None:
        return depending(operator, (value,))
    result = arithmetic.unary(operator, number)
    return UNKNOWN if result is None else result


def converted(value: Value, kind: sx.CType) -> Value:
    """Return a number in a scalar type; anything else as it is."""
    if not isinstance(value, int | float | Unknown) or not isinstance(kind, sx.ScalarT) or kind.element.lanes != 1:
        return value
    scalar = kind.element.scalar
    if isinstance(value, Unknown):
        if scalar is ScalarType.BOOL or not (scalar.is_integer or scalar.is_float):
            return value
        wanted = "int" if scalar.is_integer else "float"
        is_whole = value.operator == "" and wanted == "int"
        return value if value.operator in ("?", wanted) or is_whole else depending(wanted, (value,))
    if not (scalar.is_integer or scalar.is_float):
        return value
    number = arithmetic.converted(value, scalar)
    return UNKNOWN if number is None else as_unsigned(number, kind)


def as_unsigned(value: Value, kind: sx.CType) -> Value:
    """Return an integer as an unsigned type holds it; any other value and any other type leave it as it is."""
    if isinstance(value, int) and isinstance(kind, sx.ScalarT) and arithmetic.is_unsigned(kind.element.scalar):
        return arithmetic.wrapped(value, kind.element.scalar)
    return value


def flattened(path: str, value: Value) -> Iterator[tuple[str, Value]]:
    """Yield the parts of a value by path."""
    if isinstance(value, Fields):
        for inner, known in value.parts.items():
            yield path + inner, known
    else:
        yield path, value
