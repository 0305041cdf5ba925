"""Joins of environments where control flow meets: after a conditional, at ``continue``, at the end of a function."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache

from ...ir.index import Poly, Unknown, single_atom
from ...ir.nodes import Condition, DataDependent
from ..surface import nodes as sx
from .choices.at_entry import default_pointer, is_bound_at_entry, slot_of
from .choices.tables import differ_in_last, either, map_pointers, only_where
from .decided import decided
from .flow import Target
from .logic import NEVER, conjunction, negate
from .names.bindings import Binding, Bindings, Either, Integer, Key, Leaf, Location, Lvalue, Pointer, Slot, Undefined
from .state import State


def join(state: State, condition: Condition, then: Bindings, orelse: Bindings, before: Bindings) -> None:
    """Make the environment that holds after either of two branches."""
    if then == orelse:
        state.environment.bindings = then
        return
    holds = cache(lambda: decided(state.symbols, condition))
    joined: Bindings = {}
    for key in dict.fromkeys([*then, *orelse]):
        first = then.get(key, before.get(key))
        second = orelse.get(key, before.get(key))
        binding = first if first is second else _joined(state, key, condition, first, second, holds)
        if binding is not None:
            joined[key] = binding
            state.environment.note(key, binding)
    state.environment.bindings = joined


def _joined(
    state: State,
    key: Key,
    condition: Condition,
    first: Binding | None,
    second: Binding | None,
    decision: Callable[[], bool | None],
) -> Binding | None:
    """Return what a variable is bound to where ``condition`` chooses; ``decision`` is whether that is known to hold."""
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
            chosen = state.extreme(condition, first.value, second.value)
            holds = None if chosen is not None else decision()
            if holds is not None:
                return first if holds else second
            if chosen is None:
                chosen = state.choice(
                    variable.name + path,
                    condition,
                    first.value,
                    second.value,
                    _rise(first.value, second.value),
                    state.flow.statement,
                )
            return Integer(chosen)
        case (Pointer() | Either(), Pointer() | Either()):
            return _joined_pointers(state, key, condition, first, second)
        case (Pointer() | Either(), None) | (None, Pointer() | Either()) if is_bound_at_entry(state, key):
            pointer = first or second
            assert isinstance(pointer, Pointer | Either)
            entry = default_pointer(state, slot_of(key, pointer))
            return _joined(state, key, condition, first or entry, second or entry, decision)
        case Leaf(), Leaf():
            return None
        case None, other:
            return other
        case other, _:
            return other


def _rise(then: Poly, orelse: Poly) -> int | None:
    """Return by how much a variable of either value is greater in the next active thread of a warp, where it is known.

    Threads without an index of a counter have a number.
    """
    chosen, other = (then, orelse) if orelse.constant is not None else (orelse, then)
    atom = single_atom(chosen)
    return atom.rises if isinstance(atom, Unknown) and other.constant is not None else None


def _joined_pointers(
    state: State, key: Key, condition: Condition, first: Pointer | Either, second: Pointer | Either
) -> Pointer | Either:
    variable, name = key[0], key[0].name + key[1]
    if isinstance(first, Pointer) and first.valid == NEVER:
        return map_pointers(second, lambda pointer: only_where(pointer, negate(condition)))
    if isinstance(second, Pointer) and second.valid == NEVER:
        return map_pointers(first, lambda pointer: only_where(pointer, condition))
    left = first.target if isinstance(first, Pointer) else None
    right = second.target if isinstance(second, Pointer) else None
    if isinstance(first, Pointer) and isinstance(second, Pointer) and _in_one_row(left, right):
        return either(state, name, condition, first, second, variable.span)
    if isinstance(condition, DataDependent) and not condition.name:
        text = f"{name} == {left.array}" if isinstance(left, Location) else name
        condition = DataDependent(state.symbols.label(name), text)
    state.memory.undecided = True
    return Either(condition, first, second)


def _in_one_row(left: Lvalue | None, right: Lvalue | None) -> bool:
    return isinstance(left, Location) and isinstance(right, Location) and differ_in_last(left, right)


def join_targets(state: State, target: Target, ended: Set[Key] = frozenset()) -> None:
    """Join the environments of the jumps to a target with that of the normal flow, without what has ``ended`` there."""
    if ended and not state.flow.terminated:
        state.environment.bindings = _without(state.environment.bindings, ended)
    for path, environment in zip(target.skips, target.environments, strict=True):
        held = _without(environment, ended)
        if state.flow.terminated:
            state.environment.bindings = held
            state.flow.resume()
        else:
            join(state, conjunction(path[target.depth :]), held, state.environment.bindings, {})


def _without(bindings: Bindings, ended: Set[Key]) -> Bindings:
    return {key: binding for key, binding in bindings.items() if key not in ended} if ended else dict(bindings)
