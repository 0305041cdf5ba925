"""Objects and arrays that lists give their values, and values without a name that a reference is bound to."""

from __future__ import annotations

from math import prod

from ....ir.index import const
from ....ir.types import TypeClass
from ....ir.values import Apply, Load, Opaque, Value
from ...surface import nodes as sx
from ...surface.constructs import construct
from ..layout import element_type, extents_of
from ..names.bindings import Lvalue, Pointer, Result, Slot
from ..state import State
from .containers.copies import as_own
from .conversions import type_of
from .pointers import advanced, as_value, bind_pointer
from .references import member, read
from .updates import update

_MOST_ZEROS = 64


def held_value(state: State, expression: sx.Expression, kind: sx.CType, result: Result) -> Result:
    """Return the address of a pointer without a name that a reference is bound to, any other value as it is."""
    if not isinstance(result, Pointer) or not isinstance(kind, sx.PointerT) or kind.owns:
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
    """Return the elements of an array without a name, in memory of its own."""
    variable = state.instances.temporary(expression, expression.type)
    state.run(sx.Declare(variable, expression, expression.span))
    return state.evaluate(sx.Name(variable, expression.span))


def _item(state: State, item: sx.Expression) -> Value:
    """Return a value of a list, computed where the list stands: what takes the list may use it in any way."""
    value = as_value(state.evaluate(item))
    return state.emitter.temporary(value, type_of(value), item.span) if isinstance(value, Apply | Load) else value


def _is_vector(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.lanes > 1


def initialize(state: State, location: Lvalue, items: sx.InitializerList) -> None:
    """Lower ``T x = {...}``: one store for each element of a local array, or one value for each field.

    Elements that a list leaves out are zero: in kernels, whose threads have them in registers, these are values;
    elsewhere memory is taken to be clear, as that of containers is.
    """
    ctype = location.type
    if isinstance(ctype, sx.ScalarT) and ctype.element.scalar.type_class is TypeClass.COMPLEX and len(items.items) > 1:
        update(state, location, "", made(state, items), items.span)
        return
    for number, item in enumerate((*items.items, *_left_out(state, ctype, items))):
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


def _left_out(state: State, ctype: sx.CType, items: sx.InitializerList) -> tuple[sx.Expression, ...]:
    """Return zeros for the elements of a thread's small array that its initializer does not list."""
    if not isinstance(ctype, sx.ArrayT) or state.flow.frames[0].function.kind is not sx.FunctionKind.KERNEL:
        return ()
    extents, innermost = extents_of(state, ctype)
    numbers = [extent.constant for extent in extents if extent is not None and extent.constant is not None]
    if len(numbers) < len(extents) or not isinstance(innermost, sx.ScalarT) or prod(numbers) > _MOST_ZEROS:
        return ()
    is_row = isinstance(ctype.element, sx.ArrayT)
    number = 0 if innermost.element.scalar.is_integer else 0.0
    zero = sx.InitializerList(ctype.element, (), items.span) if is_row else sx.Number(number, innermost, items.span)
    return (zero,) * (numbers[0] - len(items.items))
