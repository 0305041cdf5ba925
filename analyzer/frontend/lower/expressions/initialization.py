"""Objects and arrays that lists give their values, and values without a name that a reference is bound to."""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from ....ir.index import const
from ....ir.types import TypeClass
from ....ir.values import Apply, Load, Opaque, Value
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from ...surface.types import type_of as type_of_expression
from ...surface.types import zero_of
from ...surface.unions import is_union
from ..layout import element_type, extent, extents_of
from ..names.bindings import Lvalue, Pointer, Result, Slot, Undefined
from ..state import State
from .containers.copies import as_own, make_elements
from .conversions import type_of
from .pointers import advanced, as_value, bind_pointer
from .references import member, read
from .updates import update

_MOST_ZEROS = 64


def held_value(state: State, expression: sx.Expression, kind: sx.CType, result: Result) -> Result:
    """Return the address of a pointer or view without a name that a reference is bound to, any other value as it is."""
    if not isinstance(result, Pointer) or not isinstance(kind, sx.PointerT):
        return result
    if kind.owns:
        kind = type_of_expression(expression)
        if result.count is None or not isinstance(kind, sx.PointerT) or kind.owns:
            return result
    slot = Slot(state.instances.temporary(expression, kind), kind)
    bind_pointer(state, slot, result, expression.span)
    return Pointer(slot)


def made(state: State, expression: sx.InitializerList) -> Result:
    """Return an object without a name, such as ``V{a, b}``: its members are values like those of a variable."""
    if isinstance(expression.type, sx.ArrayT):
        return _made_array(state, expression)
    if not isinstance(expression.type, sx.StructT) and not _is_vector(expression.type):
        kind = element_type(state.inputs, expression.type)
        return Opaque(construct("initializer"), kind, tuple(_item(state, item) for item in expression.items))
    slot = Slot(state.instances.temporary(expression, expression.type), expression.type)
    state.environment.forget(slot.variable)
    with state.as_data():
        initialize(state, slot, expression)
    return read(state, slot, expression.span)


def _made_array(state: State, expression: sx.InitializerList) -> Result:
    """Return the elements of an array without a name, in memory of its own; a list that views it has their number."""
    variable = state.instances.temporary(expression, expression.type)
    state.run(sx.Declare(variable, expression, expression.span))
    elements = state.evaluate(sx.Name(variable, expression.span))
    return replace(elements, count=const(len(expression.items))) if isinstance(elements, Pointer) else elements


def _item(state: State, item: sx.Expression) -> Value:
    """Return a value of a list, computed where the list stands: what takes the list may use it in any way."""
    value = as_value(state.evaluate(item))
    return state.emitter.temporary(value, type_of(value), item.span) if isinstance(value, Apply | Load) else value


def _is_vector(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.lanes > 1


def initialize(state: State, location: Lvalue, items: sx.InitializerList) -> None:
    """Lower ``T x = {...}``: one store for each element of a local array, or one value for each field.

    What a list leaves out is zero (``T x[9] = {}``), which is stored like other values.
    """
    ctype = location.type
    if isinstance(ctype, sx.ScalarT) and ctype.element.scalar.type_class is TypeClass.COMPLEX and len(items.items) > 1:
        update(state, location, "", made(state, items), items.span)
        return
    if isinstance(location, Slot) and isinstance(ctype, sx.ScalarT) and ctype.element.lanes > 1:
        state.environment.bind(location, Undefined())
    for number, item in enumerate(items.items):
        if isinstance(ctype, sx.ArrayT):
            pointer = read(state, location, items.span)
            target = advanced(state, pointer, const(number)).target if isinstance(pointer, Pointer) else None
        elif isinstance(ctype, sx.StructT) and number < len(ctype.fields):
            target = member(state, location, ctype.fields[number].name)
        elif isinstance(ctype, sx.ScalarT) and ctype.element.lanes > 1 and number < 4:
            target = member(state, location, "xyzw"[number])
        else:
            target = location if number == 0 else None
        if target is None:
            continue
        if isinstance(item, sx.InitializerList):
            initialize(state, target, item)
        else:
            update(state, target, "", as_own(state, item, state.evaluate(item), target.type), item.span)
    if items.clears:
        _clear_rest(state, location, items)


def _clear_rest(state: State, location: Lvalue, items: sx.InitializerList) -> None:
    """Give what a list leaves out zeros."""
    match location.type:
        case sx.ArrayT(element=element):
            _clear_elements(state, location, element, items)
        case sx.StructT(fields=fields):
            for field in () if items.items and is_union(location.type) else fields[len(items.items) :]:
                target = member(state, location, field.name)
                _clear(state, target, items.span)
        case _ if not items.items:
            _clear(state, location, items.span)


def _clear(state: State, target: Lvalue, span: Span) -> None:
    zero = zero_of(target.type, span)
    if isinstance(zero, sx.InitializerList) or (zero is not None and isinstance(target.type, sx.ArrayT)):
        initialize(state, target, sx.InitializerList(target.type, (), span, clears=True))
    elif zero is not None:
        update(state, target, "", state.evaluate(zero), span)


def _clear_elements(state: State, location: Lvalue, element: sx.CType, items: sx.InitializerList) -> None:
    """Store zeros behind the elements that a list has: a loop, or one by one in short arrays."""
    assert isinstance(location.type, sx.ArrayT)
    first, count, zero = len(items.items), extent(state, location.type), zero_of(element, items.span)
    pointer = read(state, location, items.span)
    if zero is None or count is None or not isinstance(pointer, Pointer) or count.constant == first:
        return
    extents, innermost = extents_of(state, location.type)
    numbers = [number.constant for number in extents if number is not None and number.constant is not None]
    is_short = len(numbers) == len(extents) and prod(numbers) <= _MOST_ZEROS and isinstance(innermost, sx.ScalarT)
    if is_short:
        for number in range(first, numbers[0]):
            _clear(state, advanced(state, pointer, const(number)).target, items.span)
    else:
        rest = advanced(state, pointer, const(first))
        make_elements(state, rest, zero, count - first, element, items.span)
