"""Joins of environments where control flow meets: after a conditional, at ``continue``, at the end of a function."""

from __future__ import annotations

from ...ir.nodes import Condition, DataDependent
from ..surface import nodes as sx
from .flow import Target
from .logic import extreme_of
from .names.bindings import Binding, Bindings, Integer, Key, Leaf, Pointer, Slot, Undefined, with_last
from .state import State

UNRELATED = DataDependent("")


def join(state: State, condition: Condition, then: Bindings, orelse: Bindings, before: Bindings) -> None:
    """Make the environment that holds after either of two branches."""
    if then == orelse:
        state.environment.bindings = then
        return
    joined: Bindings = {}
    for key in dict.fromkeys([*then, *orelse]):
        first = then.get(key, before.get(key))
        second = orelse.get(key, before.get(key))
        binding = _joined(state, key, condition, first, second)
        if binding is not None:
            joined[key] = binding
    state.environment.bindings = joined


def _joined(
    state: State, key: Key, condition: Condition, first: Binding | None, second: Binding | None
) -> Binding | None:
    if first == second:
        return first
    if isinstance(first, Undefined):
        first = None
    if isinstance(second, Undefined):
        second = None
    variable, path = key
    match first, second:
        case (Integer(), Integer() | None) | (None, Integer()):
            slot = Slot(variable, variable.type, path)
            outside = variable.storage is sx.Storage.LOCAL
            if first is None or second is None:
                if outside:
                    return first or second
                first = first or state.integer(slot)
                second = second or state.integer(slot)
            assert isinstance(first, Integer)
            assert isinstance(second, Integer)
            chosen = extreme_of(condition, first.value, second.value)
            if chosen is None:
                chosen = state.choice(variable.name + path, condition, first.value, second.value)
            return Integer(chosen)
        case Pointer(), Pointer():
            return _joined_pointers(state, variable.name + path, condition, first, second)
        case Leaf(), Leaf():
            return None
        case None, other:
            return other
        case other, _:
            return other


def _joined_pointers(state: State, name: str, condition: Condition, first: Pointer, second: Pointer) -> Pointer:
    left, right = first.target, second.target
    if isinstance(left, Slot) or isinstance(right, Slot) or left.array != right.array:
        return first
    if left.strides != right.strides or left.subscripts[:-1] != right.subscripts[:-1] or not left.subscripts:
        return first
    chosen = extreme_of(condition, left.subscripts[-1], right.subscripts[-1])
    if chosen is None:
        chosen = state.choice(name, condition, left.subscripts[-1], right.subscripts[-1])
    return Pointer(with_last(left, chosen))


def join_targets(state: State, target: Target) -> None:
    """Join the environments of the jumps to a target with that of the normal flow."""
    for environment in target.environments:
        if state.flow.terminated:
            state.environment.bindings = dict(environment)
            state.flow.resume()
        else:
            join(state, UNRELATED, state.environment.bindings, environment, {})
