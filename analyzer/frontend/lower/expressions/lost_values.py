"""Variables whose values are lost: something unknown may have changed them, or they are fields of a large object."""

from __future__ import annotations

from ...surface import nodes as sx
from ..names.bindings import Integer, Leaf, Slot
from ..state import State


def forget_fields(state: State, slot: Slot) -> None:
    """Give the fields of a variable values that are not known: integers new symbols, pointers arrays of their own."""
    lose_integers(state, slot)
    bindings = state.environment.bindings
    for key in state.environment.keys_of(slot.variable):
        if key[1].startswith(slot.path) and not isinstance(bindings[key], Integer):
            del bindings[key]


def lose_integers(state: State, slot: Slot) -> None:
    """Bind the integers of a variable to unknown values, and forget what its pointers and numbers were."""
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
        bindings[variable, path] = Integer(state.lost(variable.name + path))
