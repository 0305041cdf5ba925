"""Members of unions: what is stored in one is read through the others, byte by byte.

``u.bits = 0x0103`` gives ``u.bytes[0]`` the value 3.  Bytes are in the order of a little-endian machine.  What an
integer is not made of in one piece, and what floating-point numbers leave in integers, is not known any more.  In
registers a store to one member changes the others that have its bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....ir.arithmetic import is_unsigned
from ....ir.index import Poly, const, floor_div
from ....ir.values import Apply, Operation, Register
from ....source import Span
from ...surface import nodes as sx
from ...surface.unions import Part, shared_parts
from ..layout import element_type
from ..names.bindings import Integer, Location, Slot
from ..state import State
from .conversions import wrapped_index
from .followed_elements import owner_of, position_of


def parts_in_union(state: State, variable: sx.Variable) -> Sequence[Part]:
    """Return the numbers in a variable that share bytes with others in it."""
    if not isinstance(variable.type, sx.StructT | sx.ArrayT):
        return ()
    known = state.memory.shared.get(id(variable.type))
    if known is None:
        known = variable.type, shared_parts(variable.type)
        state.memory.shared[id(variable.type)] = known
    return known[1]


def share_value(state: State, slot: Slot, value: Poly | None) -> None:
    """Give numbers that share bytes with one that has just got a value what these bytes say."""
    for own, part in _sharing(state, slot):
        target = Slot(slot.variable, part.type, part.path)
        if part.type.element.scalar.is_integer:
            seen = None if value is None else _seen(state, own, value, part, target)
            state.environment.bind(target, Integer(state.lost_by(slot.variable, part.path) if seen is None else seen))
        else:
            state.environment.bindings.pop(target.key, None)


def _sharing(state: State, slot: Slot) -> Iterator[tuple[Part, Part]]:
    """Yield a number of a variable with each other one that shares bytes with it."""
    parts = parts_in_union(state, slot.variable)
    own = next((part for part in parts if part.path == slot.path), None)
    if own is not None:
        yield from ((own, part) for part in parts if part is not own and own.overlaps(part))


def share_element(state: State, target: Location, value: Poly | None) -> None:
    """Share what is stored in an array of a union; where it is not known in which element, nothing of it is known."""
    if not target.member and "." not in target.array:
        return
    for array in state.memory.members(target.array):
        owner = owner_of(state, array)
        parts = () if owner is None else parts_in_union(state, owner.variable)
        if owner is None or not parts:
            continue
        position = position_of(target) if array == target.array else None
        inside = f"{owner.path}[" if position is None else owner.path + position
        for part in parts:
            if part.path == inside if position is not None else part.path.startswith(inside):
                share_value(state, Slot(owner.variable, part.type, part.path), value if position is not None else None)


def _seen(state: State, own: Part, value: Poly, part: Part, target: Slot) -> Poly | None:
    """Return what the bytes of a value are in another number; None where that is not known."""
    kind, behind = part.type.element.scalar, part.offset - own.offset
    is_number = own.type.element.scalar.is_integer and own.type.element.lanes == part.type.element.lanes == 1
    if not is_number or value.unknowns() or own.type.bits or part.type.bits:
        return None
    bits = 8 * (part.end - part.offset)
    if behind >= 0 and part.end <= own.end:
        if behind or part.end < own.end:
            return wrapped_index(floor_div(value, const(256**behind)), bits, unsigned=is_unsigned(kind))
        return value if value.constant is None else wrapped_index(value, bits, unsigned=is_unsigned(kind))
    bound = state.environment.get(target)
    before = bound.value.constant if isinstance(bound, Integer) else None
    is_on_top = own.end >= part.end and value.constant is None  # it has the sign
    if before is None or is_on_top or behind > 0 or own.end > part.end:
        return None
    unit, own_bits = 256**-behind, 8 * (own.end - own.offset)
    stored = wrapped_index(value, own_bits, unsigned=True)
    changed = before + (stored - before // unit % (1 << own_bits)) * unit
    return changed if changed.constant is None else wrapped_index(changed, bits, unsigned=is_unsigned(kind))


def share_registers(state: State, stored: Slot, span: Span) -> None:
    """Give the registers of the other members of a union the value that was stored to one of them, or its bytes."""
    for _, part in _sharing(state, stored):
        if part.is_element:  # in memory
            continue
        other = Slot(stored.variable, part.type, part.path)
        kind, of_other = element_type(state.inputs, stored.type), element_type(state.inputs, other.type)
        register = Register(state.memory.slot_name(stored), kind)
        changed = Register(state.memory.slot_name(other), of_other)
        bound = state.environment.get(stored)
        state.environment.note_assigned(other)
        state.environment.bindings.pop(other.key, None)
        if stored.type == other.type:
            state.emitter.emit(changed, register, span)
            if bound is not None:
                state.environment.bind(other, bound)
            continue
        kept = (changed,) if kind.size_bytes < of_other.size_bytes else ()
        state.emitter.emit(changed, Apply(Operation.SHUFFLE, of_other, (*kept, register)), span)
