"""Memory references: lvalues to places, pointer arithmetic, loads.

A place is an array, subscripts with byte strides, and a field offset.  Indexing a pointer adds to the last subscript
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
from ..bindings import Aggregate, Fresh, Leaf, Lvalue, Place, Pointer, Result, Slot, as_poly, is_zero, with_last
from ..layout import POINTER, access, declare_storage, element_type, size_bytes
from ..state import State
from .conversions import type_of

_LANES = {name: lane for names in ("xyzw", "rgba") for lane, name in enumerate(names)}


def find_lvalue(state: State, expression: sx.Expression) -> Lvalue | None:
    """The object that an expression designates, after the side effects of finding it."""
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
            return result.target if isinstance(result, Pointer) else _place_of(result)
        case _:
            return None


def _place_of(result: Result) -> Lvalue | None:
    return result.place if isinstance(result, Aggregate) else None


def _target(pointer: Pointer | None) -> Lvalue | None:
    return None if pointer is None else pointer.target


def variable_lvalue(state: State, variable: sx.Variable) -> Lvalue:
    """Where a variable is: a C++ reference is what it is bound to, an array is memory, the rest are registers."""
    slot = Slot(variable, variable.type)
    bound = state.environment.get(slot.key)
    if variable.reference and isinstance(bound, Pointer):
        return bound.target
    if isinstance(variable.type, sx.ArrayT) and not isinstance(bound, Pointer):
        name = state.array_name(variable)
        declare_storage(state, name, variable.type, variable)
        _assume_about(state, variable)
        return Place(name, (), (), variable.type)
    return slot


def _indexed(state: State, expression: sx.Index) -> Lvalue | None:
    base = state.evaluate(expression.base)
    if isinstance(base, Aggregate) and isinstance(base.place, Place):
        base = decayed(state, base.place)
    if not isinstance(base, Pointer):
        swapped = state.evaluate(expression.index)
        if isinstance(swapped, Pointer) and (offset := as_poly(base)) is not None:
            return advanced(state, swapped, offset).target
        return None
    return advanced(state, base, index(state, expression.index)).target


def pointer_to(state: State, expression: sx.Expression) -> Pointer | None:
    """The pointer that an expression computes, or None."""
    result = state.evaluate(expression)
    if isinstance(result, Aggregate) and isinstance(result.place, Place):
        return decayed(state, result.place)
    return result if isinstance(result, Pointer) else None


def decayed(state: State, place: Place) -> Pointer:
    """The pointer to the first element of an array; any other place is what the pointer points at."""
    if not isinstance(place.type, sx.ArrayT):
        return Pointer(place)
    stride = size_bytes(state, place.type.element)
    subscripts, strides = (*place.subscripts, ZERO), (*place.strides, stride)
    return Pointer(replace(place, subscripts=subscripts, strides=strides, type=place.type.element))


def advanced(state: State, pointer: Pointer, steps: Poly) -> Pointer:
    """``pointer + steps``."""
    place = pointer.target
    if isinstance(place, Slot):
        return pointer
    stride = size_bytes(state, place.type)
    if place.strides and place.strides[-1] == stride:
        return Pointer(with_last(place, place.subscripts[-1] + steps))
    if place.strides and is_zero(place.subscripts[-1]) and place.strides[-1] is not None:
        return Pointer(replace(with_last(place, steps), strides=(*place.strides[:-1], stride)))
    if is_zero(steps):
        return pointer
    return Pointer(replace(place, subscripts=(*place.subscripts, steps), strides=(*place.strides, stride)))


def byte_offset(pointer: Pointer) -> Poly | None:
    """Distance of a place from the start of its array, or None where a stride is unknown."""
    place = pointer.target
    if isinstance(place, Slot):
        return None
    total = const(place.offset_bytes)
    for subscript, stride in zip(place.subscripts, place.strides, strict=True):
        if stride is None:
            return None
        total = total + subscript * stride
    return total


def distance(state: State, left: Pointer, right: Pointer) -> Poly | None:
    """``left - right`` in elements, for pointers into one array."""
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
    """A field of a struct, or a component of a short vector."""
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
            array = slot_name(state, field_slot)
            declare_storage(state, array, ctype, base.variable)
            return Place(array, (), (), ctype)
        return field_slot
    path = f"{base.member}.{name}" if base.member else name
    return replace(base, type=ctype, offset_bytes=base.offset_bytes + offset, member=path)


def slot_name(state: State, slot: Slot) -> str:
    """The register or array name of a slot."""
    return (state.register_name(slot.variable) if not isinstance(slot.type, sx.PointerT | sx.ArrayT)
            else state.array_name(slot.variable)) + slot.path  # fmt: skip


def index(state: State, expression: sx.Expression) -> Poly:
    """An integer expression as a subscript; what depends on data becomes an unknown value, its loads are statements."""
    mode, state.indexing = state.indexing, True
    result = state.evaluate(expression)
    state.indexing = mode
    return index_from(state, result, expression.span)


def index_from(state: State, result: Result, span: Span) -> Poly:
    """The polynomial of a result; data is held in a register and is unknown."""
    known = as_poly(result)
    if known is not None:
        return known
    if isinstance(result, Pointer | Aggregate | Fresh):
        return state.lost("address")
    held = result if isinstance(result, Register) else state.temporary(result, type_of(result), span)
    return unknown(held.name, (loop.iterator for loop in state.loops))


def read(state: State, place: Lvalue, span: Span) -> Result:
    """The value, pointer or aggregate at a place."""
    match place.type:
        case sx.StructT():
            return Aggregate(place)
        case sx.ArrayT():
            if isinstance(place, Place):
                return decayed(state, place)
            return slot_pointer(state, place)
        case sx.PointerT():
            return slot_pointer(state, place) if isinstance(place, Slot) else loaded_pointer(state, place, span)
        case sx.ScalarT() | sx.UnknownT():
            return _read_register(state, place) if isinstance(place, Slot) else _load(state, place, span)
    assert_never(place.type)


def _read_register(state: State, slot: Slot) -> Value:
    kind = element_type(state, slot.type)
    bound = state.environment.get(slot.key)
    if isinstance(bound, Leaf):
        return bound.value
    if kind.scalar.is_integer and kind.lanes == 1:
        value = state.integer(slot).value
        if not value.unknowns() or state.indexing:
            number = value.constant
            return IndexValue(value, kind) if number is None else Constant(number, kind)
    elif (constant := _known_constant(state, slot, kind)) is not None:
        return constant
    elif slot.variable.storage is sx.Storage.UNDECLARED and not slot.path:
        state.assume_that("AI301", slot.variable.span, "scalar", slot.variable.name, type=str(kind))
    return Register(slot_name(state, slot), kind)


def _known_constant(state: State, slot: Slot, kind: ElementType) -> Constant | None:
    """The number of a ``const`` floating-point global: the compiler puts it where the name stands."""
    variable = slot.variable
    if variable.initial is None or not variable.constant or slot.path or not kind.scalar.is_float:
        return None
    if variable not in state.constants:
        state.constants[variable] = None
        with state.capture() as nodes:
            result = state.evaluate(variable.initial)
        known = None if nodes or isinstance(result, Pointer | Aggregate | Fresh) else known_number(result)
        state.constants[variable] = None if known is None else in_type(float(known), kind)
    return state.constants[variable]


def slot_pointer(state: State, slot: Slot) -> Pointer:
    """What a pointer variable (or an array parameter) points at; by default the array of its own name."""
    bound = state.environment.get(slot.key)
    if isinstance(bound, Pointer):
        return bound
    return default_pointer(state, slot)


def default_pointer(state: State, slot: Slot) -> Pointer:
    """The start of the array that is named after a pointer."""
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    name = slot_name(state, slot)
    declare_storage(state, name, slot.type, slot.variable)
    _assume_about(state, slot.variable)
    return Pointer(Place(name, (ZERO,), (size_bytes(state, target),), target))


def take_as_valid(state: State, pointer: Pointer, span: Span) -> None:
    """Tell that a pointer is taken not to be null, unless it points at an object or at memory allocated here."""
    place = pointer.target
    if isinstance(place, Place) and place.array not in state.allocated:
        array = state.arrays.get(place.array)
        if array is None or array.extents[:1] == (None,):
            state.assume_that("AI312", span, "not-null", place.array)


def _assume_about(state: State, variable: sx.Variable) -> None:
    if variable.storage is sx.Storage.UNDECLARED:
        kind = state.arrays[state.storage[variable]].element
        state.assume_that("AI301", variable.span, "elements", variable.name, type=str(kind))


def loaded_pointer(state: State, place: Place, span: Span) -> Pointer:
    """Follow a pointer that lies in memory: one load, then storage named after where the pointer was found."""
    assert isinstance(place.type, sx.PointerT)
    state.temporary(Load(access(state, place)), POINTER, span)
    target = place.type.target
    single = bool(place.member) and all(is_zero(subscript) for subscript in place.subscripts)
    if place.member:
        name = f"{place.array}->{place.member}" if single else f"{place.array}[].{place.member}"
    else:
        name = f"{place.array}[]"
    declare_storage(state, name, place.type)
    kept = () if single else place.subscripts
    strides: tuple[Poly | None, ...] = (*(None for _ in kept), size_bytes(state, target))
    return Pointer(Place(name, (*kept, ZERO), strides, target))


def _load(state: State, place: Place, span: Span) -> Value:
    kind = element_type(state, place.type)
    load = Load(access(state, place))
    if not kind.scalar.is_integer or kind.lanes > 1:
        return load
    if not state.indexing and not _is_parameter_of_object(state, place):
        return load
    state.temporary(load, kind, span)
    return IndexValue(_unknown_element(state, place), kind)


def _is_parameter_of_object(state: State, place: Place) -> bool:
    fixed = not any(subscript.names() or subscript.unknowns() for subscript in place.subscripts)
    return bool(place.member) and fixed and place.member.rsplit(".", 1)[-1] not in state.written_members


def _unknown_element(state: State, place: Place) -> Poly:
    subscripts = "".join(f"[{subscript}]" for subscript in place.subscripts)
    if place.member and all(is_zero(subscript) for subscript in place.subscripts):
        label = f"{place.array}->{place.member}"
    else:
        label = f"{place.array}{subscripts}" + (f".{place.member}" if place.member else "")
    names = frozenset().union(*(subscript.names() for subscript in place.subscripts))
    fixed = not names and not any(subscript.unknowns() for subscript in place.subscripts)
    written = (
        place.member.rsplit(".", 1)[-1] in state.written_members if place.member else state.is_written(place.array)
    )
    if fixed and not written:
        return state.named_symbol(label, SymbolOrigin.VARIABLE, state.arguments.get(label))
    if written:
        names |= {loop.iterator for loop in state.loops}
    return unknown(label, names)


def pointer_value(pointer: Pointer | Aggregate | Fresh) -> Value:
    """A pointer as a value that is stored: its number is not known."""
    return Constant(None, POINTER)


def pointer_difference(state: State, left: Pointer, right: Pointer) -> Value:
    """``left - right``."""
    steps = distance(state, left, right)
    return IndexValue(state.lost("distance") if steps is None else steps, INT64)


def bind_pointer(state: State, slot: Slot, result: Result, span: Span) -> None:
    """Make a pointer variable point at a result; fresh and unknown memory is named after the variable."""
    if isinstance(result, Aggregate) and isinstance(result.place, Place):
        result = decayed(state, result.place)
    if isinstance(result, Register) and isinstance(slot.type, sx.PointerT):
        name = result.name
        declare_storage(state, name, slot.type)
        target = slot.type.target
        result = Pointer(Place(name, (ZERO,), (size_bytes(state, target),), target))
    if not isinstance(result, Pointer):
        fresh = default_pointer(state, slot)
        state.rebind(slot, fresh)
        assert isinstance(fresh.target, Place)
        (state.allocated.add if isinstance(result, Fresh) else state.allocated.discard)(fresh.target.array)
        return
    target = slot.type.target if isinstance(slot.type, sx.PointerT) else slot.type
    if isinstance(target, sx.ArrayT) and not isinstance(slot.type, sx.PointerT):
        target = target.element
    state.rebind(slot, retyped(state, result, target))


def retyped(state: State, pointer: Pointer, target: sx.CType) -> Pointer:
    """A pointer seen as pointing at another type."""
    place = pointer.target
    if isinstance(place, Slot):
        return pointer
    if isinstance(target, sx.ScalarT) and target.element.scalar is ScalarType.VOID:
        return pointer
    if isinstance(place.type, sx.ArrayT) and not isinstance(target, sx.ArrayT):
        place_pointer = decayed(state, place).target
        assert isinstance(place_pointer, Place)
        place = place_pointer
    _name_untyped(state, place, target)
    return Pointer(replace(place, type=target))


def _name_untyped(state: State, place: Place, target: sx.CType) -> None:
    """Storage first seen through ``void *`` takes the first real type."""
    array = state.arrays.get(place.array)
    if array is None or array.element.scalar is not ScalarType.VOID:
        return
    del state.arrays[place.array]
    declare_storage(state, place.array, sx.PointerT(target))
