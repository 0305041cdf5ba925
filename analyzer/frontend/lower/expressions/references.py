"""Memory references: lvalues to locations, pointer arithmetic, loads.

A location is an array, subscripts with byte strides, and a field offset.  Indexing a pointer adds to the last subscript
when its stride is the size of what the pointer points at; an array within an array, or a field, gets its own subscript.
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from ....ir.arithmetic import in_type, known_number
from ....ir.index import ZERO, Poly, const, trunc_div, unknown
from ....ir.nodes import SymbolOrigin
from ....ir.types import INT64, ElementType, ScalarType
from ....ir.values import Constant, IndexValue, Load, Register, Value
from ....source import Span
from ...surface import nodes as sx
from ..bindings import Aggregate, Fresh, Leaf, Location, Lvalue, Pointer, Result, Slot, as_poly, is_zero, with_last
from ..inputs import Inputs
from ..layout import POINTER, access, declare_storage, element_type, size_bytes
from ..memory import Memory
from ..state import State
from .conversions import index_value, type_of

_LANES = {name: lane for names in ("xyzw", "rgba") for lane, name in enumerate(names)}


def find_lvalue(state: State, expression: sx.Expression) -> Lvalue | None:
    """Return the object that an expression designates, or None; side effects go to the current block."""
    match expression:
        case sx.Name():
            return variable_lvalue(state, expression.variable)
        case sx.Unary("*"):
            return _target(pointer_to(state, expression.operand))
        case sx.Index():
            return _indexed(state, expression)
        case sx.Member():
            base = state.lvalue(expression.base)
            return None if base is None else member(state, base, expression.name)
        case sx.Cast():
            return state.lvalue(expression.operand)
        case sx.Comma():
            state.evaluate(expression.left)
            return state.lvalue(expression.right)
        case sx.Assign():
            state.evaluate(expression)
            return state.lvalue(expression.target)
        case sx.Unary("++x" | "--x"):
            state.evaluate(expression)
            return state.lvalue(expression.operand)
        case sx.Call():
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
    if variable.reference and isinstance(bound, Pointer):
        return bound.target
    if isinstance(variable.type, sx.ArrayT) and not isinstance(bound, Pointer):
        name = state.memory.array_name(variable)
        declare_storage(state, name, variable.type, variable)
        _assume_about(state, variable)
        return Location(name, (), (), variable.type)
    return slot


def _indexed(state: State, expression: sx.Index) -> Lvalue | None:
    base = state.evaluate(expression.base)
    if isinstance(base, Aggregate) and isinstance(base.location, Location):
        base = decayed(state, base.location)
    if not isinstance(base, Pointer):
        swapped = state.evaluate(expression.index)
        if isinstance(swapped, Pointer) and (offset := as_poly(base)) is not None:
            return advanced(state, swapped, offset).target
        return None
    return advanced(state, base, index(state, expression.index)).target


def pointer_to(state: State, expression: sx.Expression) -> Pointer | None:
    """Return the pointer that an expression computes, or None."""
    result = state.evaluate(expression)
    if isinstance(result, Aggregate) and isinstance(result.location, Location):
        return decayed(state, result.location)
    return result if isinstance(result, Pointer) else None


def decayed(state: State, location: Location) -> Pointer:
    """Return the pointer to the first element of an array, or to any other location itself."""
    if not isinstance(location.type, sx.ArrayT):
        return Pointer(location)
    stride = size_bytes(state, location.type.element)
    subscripts, strides = (*location.subscripts, ZERO), (*location.strides, stride)
    return Pointer(replace(location, subscripts=subscripts, strides=strides, type=location.type.element))


def advanced(state: State, pointer: Pointer, steps: Poly) -> Pointer:
    """Return ``pointer + steps``."""
    location = pointer.target
    if isinstance(location, Slot):
        return pointer
    stride = size_bytes(state, location.type)
    if location.strides and location.strides[-1] == stride:
        return Pointer(with_last(location, location.subscripts[-1] + steps))
    if location.strides and is_zero(location.subscripts[-1]) and location.strides[-1] is not None:
        return Pointer(replace(with_last(location, steps), strides=(*location.strides[:-1], stride)))
    if is_zero(steps):
        return pointer
    return Pointer(replace(location, subscripts=(*location.subscripts, steps), strides=(*location.strides, stride)))


def byte_offset(pointer: Pointer) -> Poly | None:
    """Return the distance of a location from the start of its array in bytes, or None where a stride is unknown."""
    location = pointer.target
    if isinstance(location, Slot):
        return None
    total = const(location.offset_bytes)
    for subscript, stride in zip(location.subscripts, location.strides, strict=True):
        if stride is None:
            return None
        total = total + subscript * stride
    return total


def distance(state: State, left: Pointer, right: Pointer) -> Poly | None:
    """Return ``left - right`` in elements, or None for pointers that are not known to be into one array."""
    first, second = left.target, right.target
    if isinstance(first, Slot) or isinstance(second, Slot) or first.array != second.array:
        return None
    start, end = byte_offset(right), byte_offset(left)
    size = size_bytes(state, first.type)
    if start is None or end is None or size is None:
        same = first.strides == second.strides and first.subscripts[:-1] == second.subscripts[:-1]
        return first.subscripts[-1] - second.subscripts[-1] if same and first.subscripts else None
    return trunc_div(end - start, size)


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
        field_slot = Slot(base.variable, ctype, f"{base.path}.{name}")
        if isinstance(ctype, sx.ArrayT):
            array = slot_name(state.memory, field_slot)
            declare_storage(state, array, ctype, base.variable)
            return Location(array, (), (), ctype)
        return field_slot
    path = f"{base.member}.{name}" if base.member else name
    return replace(base, type=ctype, offset_bytes=base.offset_bytes + offset, member=path)


def slot_name(memory: Memory, slot: Slot) -> str:
    """Return the register or array name of a slot."""
    return (memory.register_name(slot.variable) if not isinstance(slot.type, sx.PointerT | sx.ArrayT)
            else memory.array_name(slot.variable)) + slot.path  # fmt: skip


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
    return unknown(held.name, state.flow.iterators())


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
        case sx.ScalarT() | sx.UnknownT():
            return _read_register(state, location) if isinstance(location, Slot) else _load(state, location, span)
    assert_never(location.type)


def _read_register(state: State, slot: Slot) -> Value:
    kind = element_type(state.inputs, slot.type)
    bound = state.environment.get(slot)
    if isinstance(bound, Leaf):
        return bound.value
    if kind.scalar.is_integer and kind.lanes == 1:
        value = state.integer(slot).value
        if not value.unknowns() or state.indexing:
            return index_value(value, kind)
    elif (constant := _known_constant(state, slot, kind)) is not None:
        return constant
    elif slot.variable.storage is sx.Storage.UNDECLARED and not slot.path:
        state.emitter.assume(
            "AI301", f"{slot.variable.name} is not declared and is taken as {kind}", slot.variable.span
        )
    return Register(slot_name(state.memory, slot), kind)


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


def slot_pointer(state: State, slot: Slot) -> Pointer:
    """Return the target of a pointer variable (or an array parameter); by default the array of its own name."""
    bound = state.environment.get(slot)
    if isinstance(bound, Pointer):
        return bound
    return default_pointer(state, slot)


def default_pointer(state: State, slot: Slot) -> Pointer:
    """Return the start of the array that is named after a pointer."""
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    name = slot_name(state.memory, slot)
    declare_storage(state, name, slot.type, slot.variable)
    _assume_about(state, slot.variable)
    return Pointer(Location(name, (ZERO,), (size_bytes(state, target),), target))


def take_as_valid(state: State, pointer: Pointer, span: Span) -> None:
    """Assume that a pointer is not null, unless it points at an object or at memory allocated here."""
    location = pointer.target
    if isinstance(location, Location) and location.array not in state.memory.allocated:
        array = state.memory.arrays.get(location.array)
        if array is None or array.extents[:1] == (None,):
            state.emitter.assume("AI312", f"{location.array} is taken not to be a null pointer", span)


def _assume_about(state: State, variable: sx.Variable) -> None:
    if variable.storage is sx.Storage.UNDECLARED:
        kind = state.memory.arrays[state.memory.storage[variable]].element
        state.emitter.assume(
            "AI301", f"{variable.name} is not declared; its elements are taken as {kind}", variable.span
        )


def loaded_pointer(state: State, location: Location, span: Span) -> Pointer:
    """Follow a pointer that lies in memory: one load, then storage named after where the pointer was found."""
    assert isinstance(location.type, sx.PointerT)
    state.emitter.temporary(Load(access(state, location)), POINTER, span)
    target = location.type.target
    single = bool(location.member) and all(is_zero(subscript) for subscript in location.subscripts)
    if location.member:
        name = f"{location.array}->{location.member}" if single else f"{location.array}[].{location.member}"
    else:
        name = f"{location.array}[]"
    declare_storage(state, name, location.type)
    outer = () if single else location.subscripts
    strides: tuple[Poly | None, ...] = (*(None for _ in outer), size_bytes(state, target))
    return Pointer(Location(name, (*outer, ZERO), strides, target))


def _load(state: State, location: Location, span: Span) -> Value:
    kind = element_type(state.inputs, location.type)
    load = Load(access(state, location))
    if not kind.scalar.is_integer or kind.lanes > 1:
        return load
    if not state.indexing and not _is_parameter_of_object(state.inputs, location):
        return load
    state.emitter.temporary(load, kind, span)
    return IndexValue(_unknown_element(state, location), kind)


def _is_parameter_of_object(inputs: Inputs, location: Location) -> bool:
    fixed = not any(subscript.names() or subscript.unknowns() for subscript in location.subscripts)
    return bool(location.member) and fixed and not inputs.is_written_member(location.member)


def _unknown_element(state: State, location: Location) -> Poly:
    subscripts = "".join(f"[{subscript}]" for subscript in location.subscripts)
    if location.member and all(is_zero(subscript) for subscript in location.subscripts):
        label = f"{location.array}->{location.member}"
    else:
        label = f"{location.array}{subscripts}" + (f".{location.member}" if location.member else "")
    names = frozenset().union(*(subscript.names() for subscript in location.subscripts))
    fixed = not names and not any(subscript.unknowns() for subscript in location.subscripts)
    inputs = state.inputs
    written = inputs.is_written_member(location.member) if location.member else inputs.is_written(location.array)
    if fixed and not written:
        return state.symbols.named(label, SymbolOrigin.VARIABLE, state.inputs.arguments.get(label))
    if written:
        names |= set(state.flow.iterators())
    return unknown(label, names)


def pointer_value(pointer: Pointer | Aggregate | Fresh) -> Value:
    """Return a pointer as a value that is stored: its number is not known."""
    return Constant(None, POINTER)


def pointer_difference(state: State, left: Pointer, right: Pointer) -> Value:
    """Return ``left - right`` as a value."""
    steps = distance(state, left, right)
    return IndexValue(state.lost("distance") if steps is None else steps, INT64)


def bind_pointer(state: State, slot: Slot, result: Result, span: Span) -> None:
    """Make a pointer variable point at a result; fresh and unknown memory is named after the variable."""
    if isinstance(result, Aggregate) and isinstance(result.location, Location):
        result = decayed(state, result.location)
    if isinstance(result, Register) and isinstance(slot.type, sx.PointerT):
        name = result.name
        declare_storage(state, name, slot.type)
        target = slot.type.target
        result = Pointer(Location(name, (ZERO,), (size_bytes(state, target),), target))
    if not isinstance(result, Pointer):
        fresh = default_pointer(state, slot)
        state.environment.bind(slot, fresh)
        assert isinstance(fresh.target, Location)
        (state.memory.allocated.add if isinstance(result, Fresh) else state.memory.allocated.discard)(
            fresh.target.array
        )
        return
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    state.environment.bind(slot, retyped(state, result, target))


def retyped(state: State, pointer: Pointer, target: sx.CType) -> Pointer:
    """Return a pointer seen as pointing at another type."""
    location = pointer.target
    if isinstance(location, Slot):
        return pointer
    if isinstance(target, sx.ScalarT) and target.element.scalar is ScalarType.VOID:
        return pointer
    if isinstance(location.type, sx.ArrayT) and not isinstance(target, sx.ArrayT):
        location_pointer = decayed(state, location).target
        assert isinstance(location_pointer, Location)
        location = location_pointer
    _name_untyped(state, location, target)
    return Pointer(replace(location, type=target))


def _name_untyped(state: State, location: Location, target: sx.CType) -> None:
    """Give storage that was first seen through ``void *`` the first real type."""
    array = state.memory.arrays.get(location.array)
    if array is None or array.element.scalar is not ScalarType.VOID:
        return
    del state.memory.arrays[location.array]
    declare_storage(state, location.array, sx.PointerT(target))
