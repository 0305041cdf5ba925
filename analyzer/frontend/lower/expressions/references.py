"""Memory references: lvalues to objects, subscripts, loads."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from ....ir.arithmetic import in_type, known_number
from ....ir.given_array import GivenArray
from ....ir.index import ZERO, Poly, element_of, exact_quotient, is_given, unknown, var
from ....ir.nodes import SymbolOrigin
from ....ir.types import ElementType, ScalarType
from ....ir.values import Apply, Constant, IndexValue, Load, Operation, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from ...surface.designation import is_designator
from ...surface.types import type_of as surface_type
from ..choices.at_entry import assume_about
from ..decided import rounded_formula
from ..inputs import Inputs
from ..layout import (
    access,
    characters,
    declare_storage,
    declare_table,
    element_type,
    offset_of,
    table_of_member,
)
from ..names.bindings import Aggregate, Either, Fresh, Leaf, Location, Lvalue, Pointer, Result, Slot, as_poly, is_zero
from ..state import State
from .conversions import index_value, type_of
from .followed_elements import element_at
from .objects_in_memory import in_memory, is_in_memory
from .pointers import advanced, decayed, pointer_to, slot_pointer
from .pointers_in_memory import loaded_pointer
from .values.unknown import element_value, in_range
from .values.warp import rise_of

_OBJECTS = (sx.Name, sx.Index, sx.Member, sx.Unary)
_LANES = {name: lane for names in ("xyzw", "rgba") for lane, name in enumerate(names)}


def find_lvalue(state: State, expression: sx.Expression) -> Lvalue | None:
    """Return the object that an expression designates, or None; side effects go to the current block."""
    match expression:
        case sx.Name():
            return variable_lvalue(state, expression.variable)
        case sx.Unary("*"):
            return _target(pointer_to(state, expression.operand))
        case sx.Index() if is_vector(expression.base):
            return _lane(state, expression)
        case sx.Index():
            return _indexed(state, expression)
        case sx.Member():
            base = state.lvalue(expression.base)
            return None if base is None else member(state, base, expression.name)
        case sx.Cast(type=kind):  # of a number it is a value of its own
            return None if isinstance(kind, sx.ScalarT) else state.lvalue(expression.operand)
        case sx.Comma():
            state.evaluate(expression.left)
            return state.lvalue(expression.right)
        case sx.Assign():
            state.evaluate(expression)
            return state.lvalue(expression.target)
        case sx.Unary("++x" | "--x"):
            state.evaluate(expression)
            return state.lvalue(expression.operand)
        case sx.Conditional(condition, then, orelse, span) if is_designator(expression):
            addresses = (sx.Unary("&", then, span), sx.Unary("&", orelse, span))
            result = state.evaluate(sx.Conditional(condition, *addresses, span))
            return result.target if isinstance(result, Pointer) else _location_of(result)
        case sx.InitializerList(type=sx.ArrayT()):
            state.evaluate(expression)
            return variable_lvalue(state, state.instances.temporary(expression, expression.type))
        case sx.Call() | sx.InitializerList():
            result = state.evaluate(expression)
            return result.target if isinstance(result, Pointer) else _location_of(result)
        case _:
            return None


def _location_of(result: Result) -> Lvalue | None:
    return result.location if isinstance(result, Aggregate) else None


def _target(pointer: Pointer | None) -> Lvalue | None:
    return None if pointer is None else pointer.target


def variable_lvalue(state: State, variable: sx.Variable) -> Lvalue:
    """Return the object of a variable: the target of a C++ reference, memory for an array, a register for the rest."""
    slot = Slot(variable, variable.type)
    bound = state.environment.get(slot)
    if variable.reference and isinstance(bound, Pointer | Either):
        return slot_pointer(state, slot).target
    if variable.reference and isinstance(variable.type, sx.ScalarT):
        return in_memory(state, slot)
    if isinstance(variable.type, sx.ArrayT) and not isinstance(bound, Pointer | Either):
        name = state.memory.array_name(variable)
        declare_storage(state, name, variable.type, variable)
        declare_table(state, name, variable, variable.initial)
        assume_about(state, variable)
        return Location(name, (), (), variable.type)
    return slot


def is_vector(expression: sx.Expression) -> bool:
    """Return whether an expression is a short vector, whose lanes an index picks."""
    kind = surface_type(expression)
    return isinstance(kind, sx.ScalarT) and kind.element.lanes > 1


def lane_of_memory(state: State, expression: sx.Index) -> Location | None:
    """Return the lane of a vector in memory that a constant picks; None of one in a register."""
    position = state.quietly(expression.index)
    base = state.lvalue(expression.base) if isinstance(expression.base, _OBJECTS) else None
    if not isinstance(base, Location) or not isinstance(base.type, sx.ScalarT):
        return None
    lane = 0 if position is None or position.constant is None else position.constant
    scalar = ElementType(base.type.element.scalar)
    return replace(
        base,
        type=sx.ScalarT(scalar),
        offset_bytes=base.offset_bytes + lane * scalar.size_bytes,
        member=f"{base.member}.{lane}" if base.member else str(lane),
    )


def _lane(state: State, expression: sx.Index) -> Lvalue | None:
    """Return the lane that is assigned to, in memory or in a register."""
    location = lane_of_memory(state, expression)
    base = state.lvalue(expression.base) if location is None else None
    if isinstance(base, Slot) and isinstance(base.type, sx.ScalarT):
        return Slot(base.variable, sx.ScalarT(ElementType(base.type.element.scalar)), f"{base.path}.lane")
    return location


def _indexed(state: State, expression: sx.Index) -> Lvalue | None:
    text = expression.base
    if isinstance(text, sx.Text) and (listed := characters(text)) is not None:
        base: Result = decayed(state, _text_in_memory(state, text, listed.type))
    else:
        base = state.evaluate(expression.base)
    if isinstance(base, Aggregate) and isinstance(base.location, Location):
        base = decayed(state, base.location)
    if not isinstance(base, Pointer):
        swapped = state.evaluate(expression.index)
        if isinstance(swapped, Pointer) and (offset := as_poly(base)) is not None:
            return advanced(state, swapped, offset).target
        return None
    return advanced(state, base, index(state, expression.index)).target


def _text_in_memory(state: State, text: sx.Text, kind: sx.CType) -> Location:
    """Return the constant array that a literal is."""
    variable = state.memory.texts.get(text.text)
    if variable is None:
        name = f'"{text.text}"'
        variable = sx.Variable(name, kind, sx.Storage.GLOBAL, text.span, constant=True, initial=text)
        state.memory.texts[text.text] = variable
    found = variable_lvalue(state, variable)
    assert isinstance(found, Location)
    return found


def member(state: State, base: Lvalue, name: str) -> Lvalue:
    """Return a field of a struct, or a component of a short vector."""
    ctype: sx.CType = sx.UnknownT(f"member {name}")
    offset = 0
    owner = base.type.target if isinstance(base.type, sx.PointerT) else base.type
    if isinstance(owner, sx.StructT):
        for entry in owner.fields:
            if entry.name == name:
                ctype, offset = entry.type, entry.offset_bytes
                break
    elif isinstance(owner, sx.ScalarT) and owner.element.lanes > 1:
        scalar = ElementType(owner.element.scalar)
        ctype, offset = sx.ScalarT(scalar), _LANES.get(name, 0) * scalar.size_bytes
    if isinstance(base, Slot):
        if base.variable in state.memory.chosen:
            state.emitter.lose(construct("either-object"), base.variable.span)
        field_slot = Slot(base.variable, ctype, f"{base.path}.{name}")
        if isinstance(ctype, sx.ArrayT):
            array = state.memory.slot_name(field_slot)
            declare_storage(state, array, ctype, None if is_in_memory(state, base.variable) else base.variable)
            return Location(array, (), (), ctype)
        return in_memory(state, field_slot)
    path = f"{base.member}.{name}" if base.member else name
    return replace(base, type=ctype, offset_bytes=base.offset_bytes + offset, member=path)


def index(state: State, expression: sx.Expression) -> Poly:
    """Return an integer expression as a subscript; data become unknown values, whose loads are statements."""
    with state.as_index():
        result = state.evaluate(expression)
    return index_from(state, result, expression.span)


def index_from(state: State, result: Result, span: Span) -> Poly:
    """Return the polynomial of a result; data are held in a register and are unknown."""
    known = as_poly(result)
    if known is not None:
        return known
    if isinstance(result, Pointer | Aggregate | Fresh):
        return state.lost("address")
    held = result if isinstance(result, Register) else state.emitter.temporary(result, type_of(result), span)
    rounded = rounded_formula(result)
    if rounded is not None:
        return rounded
    return in_range(
        unknown(held.name, state.flow.iterators(), rise_of(state, result), variable=held.name), held.type.scalar
    )


def read(state: State, location: Lvalue, span: Span) -> Result:
    """Return the value, pointer or aggregate at a location."""
    match location.type:
        case sx.StructT():
            return Aggregate(location)
        case sx.ArrayT():
            if isinstance(location, Location):
                return decayed(state, location)
            return slot_pointer(state, location)
        case sx.PointerT():
            return (
                slot_pointer(state, location) if isinstance(location, Slot) else loaded_pointer(state, location, span)
            )
        case sx.UnknownT() if isinstance(location, Slot) and location.variable in state.instances.keys:
            return Pointer(location)  # a function is a pointer to itself
        case sx.ScalarT() | sx.UnknownT():
            return _read_register(state, location) if isinstance(location, Slot) else _load(state, location, span)
    assert_never(location.type)


def _read_register(state: State, slot: Slot) -> Value:
    kind = element_type(state.inputs, slot.type)
    bound = state.environment.get(slot)
    if isinstance(bound, Leaf):
        return bound.value
    if kind.scalar.is_integer and kind.lanes == 1:
        integer = state.integer(slot)
        value = integer.value
        if _is_known(value) or state.indexing:
            return IndexValue(value, kind) if integer.at_run_time else index_value(value, kind)
    elif (constant := _known_constant(state, slot, kind)) is not None:
        return constant
    elif slot.variable.storage is sx.Storage.UNDECLARED and not slot.path:
        state.emitter.assume("AI301", slot.variable.span, "scalar", slot.variable.name, type=str(kind))
    whole = whole_of(slot)
    if whole is None:
        return Register(state.memory.slot_name(slot), kind)
    bound = state.environment.get(whole)
    held: Value = Register(state.memory.slot_name(whole), element_type(state.inputs, whole.type))
    if isinstance(bound, Leaf):
        held = bound.value
    return Apply(Operation.SHUFFLE, kind, (held,), slot.path[len(whole.path) :])


def whole_of(slot: Slot) -> Slot | None:
    """Return the number or floating-point vector that a slot is a part of (``((int8_2 *)&x)->y``, ``v.y``), or None."""
    kind, path = slot.variable.type, ""
    for name in slot.path.split(".")[1:]:
        if isinstance(kind, sx.ScalarT) and (kind.element.lanes == 1 or kind.element.scalar.is_float):
            return Slot(slot.variable, kind, path)
        if isinstance(kind, sx.ScalarT):
            kind = sx.ScalarT(ElementType(kind.element.scalar))
        else:
            fields = kind.fields if isinstance(kind, sx.StructT) else ()
            kind = next((field.type for field in fields if field.name == name), sx.UnknownT(name))
        path = f"{path}.{name}"
    return None


def _known_constant(state: State, slot: Slot, kind: ElementType) -> Constant | None:
    """Return the number of a ``const`` floating-point global, which compilers substitute for the name; else None."""
    variable = slot.variable
    if variable.initial is None or not variable.constant or slot.path or not kind.scalar.is_float:
        return None
    if variable not in state.environment.constants:
        state.environment.constants[variable] = None
        with state.emitter.capture() as nodes:
            result = state.evaluate(variable.initial)
        known = None if nodes or isinstance(result, Pointer | Aggregate | Fresh) else known_number(result)
        state.environment.constants[variable] = None if known is None else in_type(float(known), kind)
    return state.environment.constants[variable]


def _load(state: State, location: Location, span: Span) -> Value:
    kind = element_type(state.inputs, location.type)
    load = Load(access(state, location))
    if not kind.scalar.is_integer or kind.lanes > 1:
        return load
    element = _element(state, location)
    if element is None and not state.indexing and not _is_parameter_of_object(state.inputs, location):
        return load
    state.emitter.temporary(load, kind, span)
    if element is None:
        return IndexValue(_unknown_element(state, location), kind)
    return IndexValue(element, kind, load.access if load.access.constant else None)


def _element(state: State, location: Location) -> Poly | None:
    """Return an element of a table of constants, or of an array that the function stores or the user gives.

    None of others, and where data that are not given choose the element.
    """
    given = _given(state.inputs, location)
    if given is not None:
        position = _in_table(given, location) if None in location.strides else _position(state, location)
        return (
            None
            if position is None or not _is_known(position)
            else element_of(given, _label(location), position, array=location.array)
        )
    followed = element_at(state, location)
    if followed is not None:
        return followed
    stored = state.inputs.elements.get(location.array)
    if stored is not None:
        at = _position(state, location)
        return None if at is None or at.constant is None else stored.get((location.member, at.constant))
    if location.array in state.memory.host_forms and not location.member:
        return _element_by_host(state, location)
    table = state.memory.constants.get(table_of_member(location.array, location.member))
    form = state.inputs.forms.get(location.array)
    if form is not None and state.memory.filled.get(location.array) != form.loops:
        form = None
    position = None if table is None and form is None else _position(state, location)
    if position is None or position.unknowns():
        return None
    if form is not None:
        return form.at(position)
    return None if table is None else element_of(table, _label(location), position, array=location.array)


def _element_by_host(state: State, location: Location) -> Poly | None:
    """Return an element of an array that the host code fills by a closed form; None where it is not known which."""
    first, step, span = state.memory.host_forms[location.array]
    position = _position(state, location) if step else ZERO
    if position is None or position.unknowns():
        return None
    state.emitter.assume("AI320", span, "held", name=location.array, value=f"{first + step * var('k')}")
    return first + step * position


def _given(inputs: Inputs, location: Location) -> GivenArray | None:
    """Return the elements that are given of an array, which nothing in the function may change; else None."""
    found = None if location.member else inputs.given_arrays.get(location.array)
    if found is None or not found.is_integer:
        return None
    return None if inputs.is_written(location.array) and location.array not in inputs.only_read else found


def _in_table(given: GivenArray, location: Location) -> Poly | None:
    """Return the index of an element of a row behind a pointer, in a table with the rows one after the other."""
    if not given.row or len(location.subscripts) != 2 or location.offset_bytes:
        return None
    row, inside = location.subscripts
    return row * given.row + inside


def _is_known(position: Poly) -> bool:
    return not position.unknowns() or is_given(position)


def _is_parameter_of_object(inputs: Inputs, location: Location) -> bool:
    fixed = not any(subscript.names() or subscript.unknowns() for subscript in location.subscripts)
    return bool(location.member) and fixed and not inputs.is_written_member(location.member)


def _unknown_element(state: State, location: Location) -> Poly:
    label = _label(location)
    names = frozenset().union(*(subscript.names() for subscript in location.subscripts))
    fixed = not names and not any(subscript.unknowns() for subscript in location.subscripts)
    inputs = state.inputs
    written = inputs.is_written_member(location.member) if location.member else inputs.is_written(location.array)
    if fixed and not written:
        return state.symbols.named(label, SymbolOrigin.VARIABLE, state.inputs.arguments.get(label))
    kind = location.type.element.scalar if isinstance(location.type, sx.ScalarT) else ScalarType.UNKNOWN
    return element_value(state, label, location, kind, written=written)


def _label(location: Location) -> str:
    subscripts = "".join(f"[{subscript}]" for subscript in location.subscripts)
    if location.member and all(is_zero(subscript) for subscript in location.subscripts):
        return f"{location.array}->{location.member}"
    return f"{location.array}{subscripts}" + (f".{location.member}" if location.member else "")


def _position(state: State, location: Location) -> Poly | None:
    """Return the index of an element of a table, whose rows stand one after the other."""
    size = state.memory.arrays[location.array].element_bytes
    offset = offset_of(replace(location, offset_bytes=0) if location.member else location)
    return None if offset is None else exact_quotient(offset, size)
