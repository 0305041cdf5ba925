"""Numbers of half the size: a nest in single precision whose numbers are all double.

It is no question of dependences, and one of accuracy that only the user can answer: 24 bits of significand for 53
(IEEE 754-2019, table 3.5).  Left as they are: nests with other floating types, too (the source chose what is double
there), with constants that have more digits than single precision holds or exceed its range, with calls of functions
whose bodies are not known, vectors that are written out, and members of structures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ..ir.index import Poly
from ..ir.nodes import Array, Loop, Statement
from ..ir.traverse import all_nodes, map_statements
from ..ir.types import FP32, FP64, ElementType
from ..ir.values import Access, Apply, Constant, Load, Opaque, Register, Value, walk_values
from .bands import Band
from .kinds import Narrow

_DIGITS = 7  # FLT_DIG is 6; 7 digits as written are the nearest single number or its neighbour
_LEAST, _MOST = 1.2e-38, 3.4e38  # normal single numbers: FLT_MIN and FLT_MAX


def narrowed(nest: Loop, arrays: Sequence[Array]) -> Iterator[tuple[Narrow, Band]]:
    """Yield the nest in single precision, where all its floating-point numbers are double and none demands it."""
    statements = [node for node in all_nodes((nest,)) if isinstance(node, Statement)]
    used = {access for each in statements for access, _ in each.accesses if access.type.scalar.is_float}
    own = {array.name: array for array in arrays if array.name in {access.array for access in used}}
    if not own or not all(_may_be(access, own) for access in used):
        return
    if not all(_demands_nothing(value) for each in statements for value in walk_values(each.value)):
        return
    (loop,) = map_statements((nest,), _narrow_statement)
    assert isinstance(loop, Loop)
    made = tuple(
        replace(array, name=_named(name), element=FP32, element_bytes=FP32.size_bytes) for name, array in own.items()
    )
    yield Narrow(tuple(own), nest.span.line), Band(loop, (loop,), made)


def _named(array: str) -> str:
    return f"{array}.float"


def _may_be(access: Access, arrays: dict[str, Array]) -> bool:
    """Return whether the elements of an array of doubles may be half as large."""
    array = arrays.get(access.array)
    strides = [factor for stride in access.strides_bytes if stride is not None for factor in stride.terms.values()]
    return (
        array is not None
        and array.element == access.type == FP64
        and array.element_bytes == FP64.size_bytes
        and not access.member
        and access.offset_bytes == 0
        and None not in access.strides_bytes
        and all(factor % FP64.size_bytes == 0 for factor in strides)
    )


def _demands_nothing(value: Value) -> bool:
    """Return whether a value is none of another floating type, nor one that needs its digits."""
    match value:
        case Opaque():
            return False
        case Constant(number) if value.type.scalar.is_float and number is not None:
            short = float(f"{number:.{_DIGITS}g}") == number
            return value.type == FP64 and short and (number == 0 or _LEAST < abs(number) < _MOST)
        case _:
            return not value.type.scalar.is_float or value.type == FP64


def _narrow_statement(statement: Statement) -> Statement:
    target = statement.target
    match target:
        case Access() if target.type == FP64:
            target = _narrow_access(target)
        case Register():
            target = replace(target, type=_narrow_type(target.type))
        case _:
            pass
    return replace(statement, target=target, value=_narrow_value(statement.value))


def _narrow_value(value: Value) -> Value:
    match value:
        case Load(access):
            return Load(_narrow_access(access)) if access.type == FP64 else value
        case Apply():
            return replace(
                value, type=_narrow_type(value.type), operands=tuple(_narrow_value(each) for each in value.operands)
            )
        case Constant() | Register():
            return replace(value, type=_narrow_type(value.type))
        case _:
            return value


def _narrow_access(access: Access) -> Access:
    strides = tuple(None if stride is None else _half(stride) for stride in access.strides_bytes)
    return replace(access, array=_named(access.array), type=FP32, strides_bytes=strides)


def _half(stride: Poly) -> Poly:
    return Poly({monomial: factor // 2 for monomial, factor in stride.terms.items()})


def _narrow_type(kind: ElementType) -> ElementType:
    return FP32 if kind == FP64 else kind
