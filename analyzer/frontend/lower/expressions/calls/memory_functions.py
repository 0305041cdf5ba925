"""Copies and fills of memory: ``memcpy(p, q, n)`` and ``memset(p, 0, n)`` as the loops that they are.

The elements are those of the pointers that are given, before they become ``void *``; bytes where the size is no whole
number of elements.
"""

from __future__ import annotations

import struct

from .....ir.index import ZERO, floor_mod
from .....ir.types import ElementType, ScalarType
from .....source import Span
from ....known_functions import MemoryFunction, table
from ....surface import nodes as sx
from ....surface.constants import constant_value
from ....surface.types import innermost, type_of
from ...layout import size_bytes
from ...names.bindings import Pointer, Result, Slot
from ...state import State
from ..initialization import initialize
from ..values.lost import forget_fields

_BYTE = sx.ScalarT(ElementType(ScalarType.UINT8))
_COUNTER = sx.ScalarT(ElementType(ScalarType.INT64))
_PLAIN = (ScalarType.VOID, ScalarType.INT8, ScalarType.UINT8)
_FLOATS = {ScalarType.FP64: "<d", ScalarType.FP32: "<f", ScalarType.FP16: "<e"}


def memory_function(state: State, call: sx.Call, name: str) -> Result | None:
    """Run the loop of a function that copies or fills memory; None where the call has not its arguments."""
    function = table().memory[name]
    if len(call.arguments) <= max(function.target, function.source, function.size):
        return None
    target, size = call.arguments[function.target], call.arguments[function.size]
    source = call.arguments[function.source] if function.source >= 0 else None
    filled = _filled_object(state, call, function)
    if filled is not None:
        return filled
    element = _element(state, target, source, size)
    count = _quotient(size, size_of(state, element))
    state.run(_loop(call, function, element, count))
    return state.evaluate(target)


def _filled_object(state: State, call: sx.Call, function: MemoryFunction) -> Result | None:
    """Fill the bytes of a variable of a class: zeros of all make its members zero, others leave these unknown.

    None for what copies, and for memory.
    """
    if function.source >= 0:
        return None
    with state.trial():
        found = state.evaluate(call.arguments[function.target])
    slot = found.target if isinstance(found, Pointer) else None
    if not isinstance(slot, Slot) or not isinstance(slot.type, sx.StructT):
        return None
    pointer = state.evaluate(call.arguments[function.target])
    byte = constant_value(call.arguments[function.value]) if function.value >= 0 else 0
    size = state.quietly(call.arguments[function.size])
    if byte == 0 and size is not None and size.constant == size_of(state, slot.type):
        initialize(state, slot, sx.InitializerList(slot.type, (), call.span, clears=True))
    else:
        forget_fields(state, slot)
    return pointer


def size_of(state: State, element: sx.CType) -> int:
    """Return the bytes of an element; 0 where they are not known."""
    size = size_bytes(state, element)
    return 0 if size is None else size.constant or 0


def _loop(call: sx.Call, function: MemoryFunction, element: sx.CType, count: sx.Expression) -> sx.Block:
    """Return ``T *to = target, *from = source; n = count; for (k = 0; k < n; ++k) to[k] = from[k];``."""
    span = call.span
    statements: list[sx.Statement] = []

    def pointer(name: str, position: int) -> sx.Expression:
        kind = sx.PointerT(element)
        made = sx.Variable(name, kind, sx.Storage.LOCAL, span)
        statements.append(sx.Declare(made, sx.Cast(kind, call.arguments[position], span), span))
        return sx.Index(sx.Name(made, span), sx.Name(counter, span), span)

    counter = sx.Variable("element", _COUNTER, sx.Storage.LOCAL, span)
    here = sx.Name(counter, span)
    stored = pointer("to", function.target)
    if function.source >= 0:
        value = pointer("from", function.source)
    else:
        byte = call.arguments[function.value] if function.value >= 0 else _number(0, span)
        value = _filled(byte, element, span)
    number = sx.Variable("elements", _COUNTER, sx.Storage.LOCAL, span)
    statements.append(sx.Declare(number, sx.Cast(_COUNTER, count, span), span))
    store = sx.Evaluate(sx.Assign("", stored, value, span), span)
    loop = sx.For(
        initial=sx.Declare(counter, _number(0, span), span),
        condition=sx.Binary("<", here, sx.Name(number, span), span),
        advance=sx.Unary("++x", here, span),
        body=sx.Block((store,), span),
        span=span,
    )
    return sx.Block((*statements, loop), span)


def _quotient(size: sx.Expression, element_bytes: int) -> sx.Expression:
    """Return a number of bytes over those of an element: ``n`` of ``n * sizeof(double)``, without a division."""
    if element_bytes == 1:
        return size
    match size:
        case sx.Binary("*", factor, sx.Number(value=int(value))) | sx.Binary("*", sx.Number(value=int(value)), factor):
            if element_bytes and value == element_bytes:
                return factor
        case sx.Cast(type=sx.ScalarT()):
            return _quotient(size.operand, element_bytes)
    return sx.Binary("/", size, _number(element_bytes, size.span), size.span)


def _element(state: State, target: sx.Expression, source: sx.Expression | None, size: sx.Expression) -> sx.CType:
    """Return the type of the elements, of the target if both have one; bytes where they do not divide the size."""
    given = [_pointed_at(target)] if source is None else [_pointed_at(target), _pointed_at(source)]
    bytes_each = 0
    for element in given:
        bytes_each = 0 if element is None else size_of(state, element)
        if element is not None and bytes_each:
            break
    total = state.quietly(size)
    if element is None or not bytes_each or (source is None and not isinstance(element, sx.ScalarT)):
        return _BYTE
    return element if total is None or floor_mod(total, bytes_each) == ZERO else _BYTE


def _pointed_at(argument: sx.Expression) -> sx.CType | None:
    """Return the type of the elements behind an address, None for ``void *`` and ``char *``."""
    while isinstance(argument, sx.Cast) and isinstance(argument.type, sx.PointerT):
        if (found := _elements_of(argument.type)) is not None:
            return found
        argument = argument.operand
    return _elements_of(type_of(argument))


def _elements_of(kind: sx.CType) -> sx.CType | None:
    if isinstance(kind, sx.PointerT):
        kind = kind.target
    kind = innermost(kind)
    if isinstance(kind, sx.ScalarT):
        return None if kind.element.scalar in _PLAIN else kind
    return kind if isinstance(kind, sx.StructT) else None


def _filled(byte: sx.Expression, element: sx.CType, span: Span) -> sx.Expression:
    """Return the element whose bytes all have one value."""
    if not isinstance(element, sx.ScalarT) or not isinstance(byte, sx.Number) or isinstance(byte.value, float):
        return byte
    kind = element.element
    pattern = bytes([byte.value & 0xFF]) * kind.scalar.size_bytes
    if kind.scalar in _FLOATS:
        return sx.Number(struct.unpack(_FLOATS[kind.scalar], pattern)[0], element, span)
    signed = kind.scalar.value.startswith("int")
    return sx.Number(int.from_bytes(pattern, "little", signed=signed), element, span)


def _number(value: int, span: Span) -> sx.Number:
    return sx.Number(value, _COUNTER, span)
