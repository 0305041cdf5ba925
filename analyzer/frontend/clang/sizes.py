"""``sizeof``: clang's cursors -> the number of bytes of a type or an expression, a product of its extents."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.types import ElementType, ScalarType
from ..surface.constructs import construct
from ..surface.nodes import ArrayT, Binary, Cast, CType, Expression, Number, PointerT, ScalarT, StructT
from ..surface.types import type_of
from .binding import Cursor
from .kinds import CursorKind
from .scope import Scope

_POINTER_BYTES = 8
_BASIC_TYPES = tuple(
    (kind, frozenset(words.split()))
    for kind, words in (
        (ScalarType.FP80, "long double"),
        (ScalarType.FP64, "double"),
        (ScalarType.FP32, "float"),
        (ScalarType.INT8, "char"),
        (ScalarType.INT16, "short"),
        (ScalarType.INT64, "long"),
        (ScalarType.INT32, "unsigned"),
        (ScalarType.INT32, "int"),
    )
)
_UINT64 = ScalarT(ElementType(ScalarType.UINT64))


def size_of(scope: Scope, cursor: Cursor) -> Expression:
    """Lower ``sizeof``: a number of bytes, or a product where extents are not constant."""
    value = scope.unit.evaluate(cursor)
    if value is not None:
        return Number(value, _UINT64, scope.span)
    operands = scope.unit.operands(cursor)
    if len(operands) == 1:
        expression = scope.expression(operands[0])
        size = _size_in_bytes(scope, type_of(expression)) or _size_in_bytes(scope, scope.types.of(operands[0]))
    else:
        size = _size_of_array_type(scope, cursor, operands)
    return scope.opaque(cursor, construct("size-not-known")) if size is None else size


def _size_of_array_type(scope: Scope, cursor: Cursor, operands: Sequence[Cursor]) -> Expression | None:
    """Return the size of ``float[n][m]``, whose extents libclang gives in any order, some of them twice."""
    extents = {scope.unit.extent(operand)[0].offset: operand for operand in operands}
    named = [child for child in scope.unit.children(cursor) if child.kind == CursorKind.TYPE_REF]
    text, bracket, _ = scope.unit.source_of(cursor).partition("[")
    words = text.replace("(", " ").replace("*", " ").split()
    known = next((kind for kind, parts in _BASIC_TYPES if parts <= set(words)), None)
    element = scope.types.of(named[0]) if named else None if known is None else ScalarT(ElementType(known))
    if element is None or bool(bracket) != bool(extents):
        return None
    size = _size_in_bytes(scope, PointerT(element) if "*" in text else element)
    for extent in extents.values():
        size = (
            None if size is None else Binary("*", Cast(_UINT64, scope.expression(extent), scope.span), size, scope.span)
        )
    return size


def _size_in_bytes(scope: Scope, kind: CType) -> Expression | None:
    if isinstance(kind, ArrayT):
        element = _size_in_bytes(scope, kind.element)
        if element is None or kind.extent is None:
            return None
        return Binary("*", Cast(_UINT64, kind.extent, scope.span), element, scope.span)
    match kind:
        case ScalarT():
            return Number(kind.element.size_bytes, _UINT64, scope.span)
        case StructT():
            return Number(kind.size_bytes, _UINT64, scope.span)
        case PointerT():
            return Number(_POINTER_BYTES, _UINT64, scope.span)
        case _:
            return None
