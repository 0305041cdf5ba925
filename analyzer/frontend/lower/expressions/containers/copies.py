"""Copies of arrays, of containers, and of classes that hold some: loops over the elements, as bytes move."""

from __future__ import annotations

from msgspec.structs import replace

from .....ir.index import ZERO, Poly
from .....source import Span
from ....surface import nodes as sx
from ....surface.constructs import construct
from ....surface.designation import has_effects, is_designator
from ....surface.types import type_of
from ...layout import extent
from ...names.bindings import Aggregate, Fresh, Integer, Location, Lvalue, Pointer, Result, Slot
from ...state import State
from ..pointers import slot_pointer
from ..pointers_in_memory import MOST_POINTERS
from .rows import COUNTER
from .sizes import containers_in, count_of, note_count

_REGISTER_BYTES = 16  # what one access of a thread of a GPU moves at most, and an SSE or NEON register holds


def as_own(state: State, expression: sx.Expression, result: Result, target: sx.CType) -> Result:
    """Return the value that an object of type ``target`` gets: of another object that owns memory, a copy of it."""
    if isinstance(expression, sx.InitializerList) and len(expression.items) == 1:
        expression = expression.items[0]
    if isinstance(expression, sx.Cast) and is_designator(expression.operand):
        if isinstance(result, Pointer) and owns(target) and owns(expression.type):
            if not has_effects(expression.operand):
                leave_empty(state, state.lvalue(expression.operand))
        elif isinstance(result, Aggregate):
            return replace(result, moved=True)
    if not is_designator(expression):
        return result
    match result:
        case Pointer() if owns(target) and owns(type_of(expression)):
            container = None if has_effects(expression) else state.lvalue(expression)
            return Fresh(count=count_of(state, container, result.target), copied=result)
        case Aggregate():
            return replace(result, copied=True)
        case _:
            return result


def leave_empty(state: State, slot: Lvalue | None) -> None:
    """Give a container whose memory another one takes over memory of its own, without elements."""
    if not isinstance(slot, Slot) or not isinstance(slot.type, sx.PointerT) or slot.variable.reference:
        return
    spare = sx.Variable(slot.variable.name, slot.type, sx.Storage.LOCAL, slot.variable.span)
    pointer = slot_pointer(state, Slot(spare, slot.type))
    state.environment.bind(slot, pointer)
    if isinstance(pointer.target, Location):
        note_count(state, pointer.target, ZERO, slot)


def leave_memory(state: State, variable: sx.Variable) -> None:
    """Give the containers of a variable that is declared anew other memory, where another one took that over."""
    containers = containers_in(variable)
    names = {state.memory.slot_name(container) for container in containers}
    for (other, path), bound in state.environment.bindings.items() if names else ():
        target = bound.target if isinstance(bound, Pointer) else None
        is_there = isinstance(target, Location) and target.array in names and other is not variable
        if is_there and any(container.path == path for container in containers_in(other)):
            spare = sx.Variable(variable.name, variable.type, sx.Storage.LOCAL, variable.span)
            state.memory.storage[spare] = state.memory.storage.pop(variable)  # no other object gets this name
            return


def owns(kind: sx.CType) -> bool:
    """Return whether a type is that of a container, which a copy of it copies."""
    return isinstance(kind, sx.PointerT) and kind.owns


def copy_array(state: State, target: Pointer, source: Pointer, kind: sx.ArrayT, span: Span) -> None:
    """Copy the elements of an array of a fixed number of them, one by one where a register holds all."""
    count = extent(state, kind)
    if count is None:
        state.emitter.lose(construct("copied-array"), span)
    elif (number := _in_register(count, kind.element)) is not None:
        to, origin = (
            bound_pointer(state, "to", target, kind.element, span),
            bound_pointer(state, "from", source, kind.element, span),
        )
        for here in (sx.Number(position, COUNTER, span) for position in range(number)):
            copied = sx.Assign("", sx.Index(to, here, span), sx.Index(origin, here, span), span)
            state.run(sx.Evaluate(copied, span))
    else:
        copy_elements(state, target, source, count, kind.element, span)


def _in_register(count: Poly, element: sx.CType) -> int | None:
    """Return how many elements an array has that a vector register of 16 bytes holds; None of other arrays."""
    number = count.constant
    if not isinstance(element, sx.ScalarT) or not isinstance(number, int):
        return None
    return number if number * element.element.size_bytes <= _REGISTER_BYTES else None


def copy_elements(state: State, target: Pointer, source: Pointer, count: Poly, element: sx.CType, span: Span) -> None:
    """Run ``for (k = 0; k < count; k++) to[k] = from[k]``."""
    to, origin = bound_pointer(state, "to", target, element, span), bound_pointer(state, "from", source, element, span)
    _store_each(state, to, origin, count, element, span)


def fill_elements(
    state: State, target: Pointer, value: sx.Expression, count: Poly, element: sx.CType, span: Span
) -> None:
    """Run ``for (k = 0; k < count; k++) to[k] = value``; the value is computed once, if it has to be."""
    if owns(element) and is_designator(value):
        make_elements(state, target, value, count, element, span)
        return
    held = sx.Variable("filled", element, sx.Storage.LOCAL, span)
    state.run(sx.Declare(held, value, span))
    to = bound_pointer(state, "to", target, element, span)
    _store_each(state, to, None, count, element, span, sx.Name(held, span))


def make_elements(
    state: State, target: Pointer, value: sx.Expression, count: Poly, element: sx.CType, span: Span
) -> None:
    """Run ``for (k = 0; k < count; k++) to[k] = value``; the value is computed for each."""
    to = bound_pointer(state, "to", target, element, span)
    _store_each(state, to, None, count, element, span, value)


def list_elements(state: State, target: Pointer, items: sx.InitializerList, element: sx.CType, span: Span) -> None:
    """Store the elements of ``{a, b, c}`` one by one."""
    to = bound_pointer(state, "to", target, element, span)
    for number, item in enumerate(items.items):
        here = sx.Index(to, sx.Number(number, COUNTER, span), span)
        state.run(sx.Evaluate(sx.Assign("", here, item, span), span))


def counted(state: State, count: Poly, span: Span) -> sx.Expression:
    """Return an expression that has an integer as its value."""
    variable = sx.Variable("count", COUNTER, sx.Storage.LOCAL, span)
    state.environment.bind(Slot(variable, COUNTER), Integer(count))
    return sx.Name(variable, span)


def bound_pointer(state: State, name: str, pointer: Pointer, element: sx.CType, span: Span) -> sx.Expression:
    """Return the name of a variable that holds a pointer."""
    variable = sx.Variable(name, sx.PointerT(element), sx.Storage.LOCAL, span)
    state.environment.bind(Slot(variable, variable.type), pointer)
    return sx.Name(variable, span)


def _store_each(
    state: State,
    to: sx.Expression,
    origin: sx.Expression | None,
    count: Poly,
    element: sx.CType,
    span: Span,
    value: sx.Expression | None = None,
) -> None:
    """Store elements of ``origin``, or a value, in a loop; a few containers one by one, as they are followed apart."""
    number = count.constant if owns(element) else None
    if not isinstance(number, int) or number > MOST_POINTERS:
        state.run(_loop(to, origin, counted(state, count, span), element, span, value))
        return
    for position in (sx.Number(place, COUNTER, span) for place in range(number)):
        stored = value if origin is None else sx.Index(origin, position, span)
        assert stored is not None
        state.run(sx.Evaluate(sx.Assign("", sx.Index(to, position, span), stored, span), span))


def _loop(
    to: sx.Expression,
    origin: sx.Expression | None,
    count: sx.Expression,
    element: sx.CType,
    span: Span,
    value: sx.Expression | None = None,
) -> sx.For:
    """Return the loop that stores elements of ``origin``, or a value."""
    counter = sx.Variable("element", COUNTER, sx.Storage.LOCAL, span)
    here = sx.Name(counter, span)
    target, source = sx.Index(to, here, span), None if origin is None else sx.Index(origin, here, span)
    if isinstance(element, sx.ArrayT) and element.extent is not None:
        body: sx.Statement = _loop(target, source, element.extent, element.element, span, value)
    else:
        stored = source if source is not None else value
        assert stored is not None
        body = sx.Evaluate(sx.Assign("", target, stored, span), span)
    return sx.For(
        initial=sx.Declare(counter, sx.Number(0, COUNTER, span), span),
        condition=sx.Binary("<", here, count, span),
        advance=sx.Unary("++x", here, span),
        body=body,
        span=span,
    )
