"""Atomic updates: read, modify and write of an element in memory, or of an integer of a thread."""

from __future__ import annotations

from msgspec.structs import replace

from .....ir.index import unknown as unknown_value
from .....ir.nodes import MemorySpace
from .....ir.types import INT32
from .....ir.values import Apply, IndexValue, Load, Opaque, Operation, Register
from ....known_functions import table
from ....surface import nodes as sx
from ....surface.constructs import construct
from ...layout import access, element_type
from ...names.bindings import Location, Result, Slot, as_poly
from ...state import State
from ..conversions import convert
from ..followed_elements import note_element
from ..pointers import as_value, pointer_to
from ..values.lost import lose_integers
from ..values.warp import are_same
from .unknown import unknown

_IN_SHARED = ".shared"  # of a floating-point number: the compiler makes a loop of it


def atomic(state: State, call: sx.Call, name: str) -> Result:
    """Emit the update of the element that the first argument points at, and return the register of its old value."""
    operation = table().atomics[name]
    if not call.arguments:
        return unknown(state, call)
    pointer = pointer_to(state, call.arguments[0])
    operands = [as_value(state.evaluate(argument)) for argument in call.arguments[1:]]
    if pointer is not None and isinstance(pointer.target, Slot):
        update = Apply(operation or Operation.SELECT, INT32, tuple(operands), name)
        return _atomic_of_variable(state, call, update, pointer.target)
    if pointer is None or not isinstance(pointer.target, Location):
        return unknown(state, call)
    kind = element_type(state.inputs, pointer.target.type)
    target = access(state, pointer.target, atomic=True)
    converted = tuple(convert(operand, kind) for operand in operands)
    array = state.memory.arrays.get(pointer.target.array)
    is_loop = kind.scalar.is_float and array is not None and array.space is MemorySpace.SHARED
    value = Apply(operation or Operation.SELECT, kind, (Load(target), *converted), name + _IN_SHARED * is_loop)
    state.emitter.emit(target, value, call.span)
    note_element(state, pointer.target, value)
    return _position(state, pointer.target, value, name) or Register(f"{name}.old", kind)


def _position(state: State, counter: Location, update: Apply, name: str) -> IndexValue | None:
    """Return the index that a counter in memory hands out (``out[atomicAdd(n, 1)]``); None of other updates.

    All threads of a warp have the same counter.
    """
    if are_same(state, counter.subscripts) is None:
        return None
    return _handed_out(state, update, f"{name} of {counter.array}")


def _handed_out(state: State, update: Apply, label: str) -> IndexValue | None:
    """Return the indices, one after the other, of an update by which each thread adds the same number."""
    step = as_poly(update.operands[-1]) if update.operands else None
    number = 0 if step is None else step.constant
    if update.operation is not Operation.ADD or not isinstance(number, int) or number <= 0:
        return None
    if not state.emitter.in_kernel:
        return None
    return IndexValue(unknown_value(state.symbols.label(label), state.flow.iterators(), rises=number), update.type)


def _atomic_of_variable(state: State, call: sx.Call, update: Apply, slot: Slot) -> Result:
    """Emit an update of an integer, of which nothing is known afterwards."""
    kind = element_type(state.inputs, slot.type)
    register = Register(state.memory.slot_name(slot), kind)
    if kind.scalar.is_integer:
        state.emitter.emit(
            None, Apply(update.operation, kind, (register, *update.operands), update.function), call.span
        )
        lose_integers(state, slot)
        found = _handed_out(state, replace(update, type=kind), f"{update.function} of {register.name}")
        return found or Opaque(construct("call", function=call.name), kind, (), has_work=False)
    return unknown(state, call)
