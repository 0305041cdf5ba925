"""Variables whose values are lost: something unknown may have changed them, or they are fields of a large object.

A store through a pointer in memory that is not followed may be to a variable whose address is in memory.
"""

from __future__ import annotations

from ....surface import nodes as sx
from ...names.bindings import Integer, Leaf, Location, Slot
from ...state import State
from ..unions import share_value


def forget_fields(state: State, slot: Slot) -> None:
    """Give the fields of a variable values that are not known: integers new symbols, pointers arrays of their own."""
    lose_integers(state, slot)
    bindings = state.environment.bindings
    for key in state.environment.keys_of(slot.variable):
        if key[1].startswith(slot.path) and not isinstance(bindings[key], Integer):
            del bindings[key]


def forget_escaped(state: State, target: Location) -> None:
    """Forget what variables hold that a store through a pointer in memory may change: in a member of its name."""
    if not state.memory.escaped or not state.memory.is_of_unknown_pointers(target.array):
        return
    outer = target.member.partition(".")[0]
    for slot in state.memory.escaped.values():
        fields = slot.type.fields if isinstance(slot.type, sx.StructT) else ()
        if outer and any(field.name == outer for field in fields):
            forget_fields(state, Slot(slot.variable, target.type, f"{slot.path}.{target.member}"))
        elif not outer and slot.type == target.type:
            forget_fields(state, slot)


def lose_integers(state: State, slot: Slot) -> None:
    """Bind the integers of a variable to unknown values, and forget what its pointers and numbers were."""
    state.environment.note_assigned(slot)
    bindings = state.environment.bindings
    bound = [key for key in state.environment.keys_of(slot.variable) if key[1].startswith(slot.path)]
    known = (key for key in state.environment.defaults if key[0] is slot.variable and key[1].startswith(slot.path))
    parts = dict.fromkeys((*(key for key in bound if isinstance(bindings[key], Integer)), *known))
    if isinstance(slot.type, sx.ScalarT) and slot.type.element.scalar.is_integer:
        parts[slot.key] = None
    for key in bound:
        if isinstance(bindings[key], Leaf):
            del bindings[key]
    for variable, path in parts:
        bindings[variable, path] = Integer(state.lost_by(variable, path))
        share_value(state, Slot(variable, slot.type, path), None)
