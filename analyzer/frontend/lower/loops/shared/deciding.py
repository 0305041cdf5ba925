"""What decides where a loop goes: an iteration that changes none of it is repeated for ever.

A loop that ends has no such iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from msgspec import Struct

from ....known_functions import canonical_name, table
from ....surface import nodes as sx
from ....surface.traverse import Tree, walk
from ...functions.effects import Effects
from ...state import State
from ..written.source import LoopSource


class Changed(Struct, frozen=True):
    """The variables, the storage and the members that are changed, the last two by their names."""

    variables: frozenset[sx.Variable] = frozenset()
    storage: frozenset[str] = frozenset()
    members: frozenset[str] = frozenset()

    def also(self, effects: Effects) -> Changed:
        """Return these and what some effects change."""
        return Changed(
            self.variables | frozenset(effects.variables),
            self.storage | effects.storage,
            self.members | effects.members,
        )


class Deciding:
    """The variables, members and functions that the conditions of a loop use, and those that give them values."""

    def __init__(self, state: State, source: LoopSource) -> None:
        """Read the conditions, and what is assigned to the variables in them."""
        trees = [tree for tree in (source.condition, source.advance, source.body) if tree is not None]
        used = [*_conditions(trees), *(() if source.condition is None else (source.condition,))]
        self._variables: set[sx.Variable] = set()
        waiting = list(used)
        assigned = list(_assignments(trees))
        while waiting:
            names = {node.variable for node in walk(waiting.pop()) if isinstance(node, sx.Name)} - self._variables
            self._variables |= names
            values = [value for target, value in assigned if target in names]
            used += values
            waiting += values
        nodes = [node for tree in used for node in walk(tree)]
        self._members = {node.name for node in nodes if isinstance(node, sx.Member)}
        own = {node.variable for tree in trees for node in walk(tree) if isinstance(node, sx.Declare)}
        self._variables -= own
        self._arrays = {each.name for each in self._variables}
        self._is_closed = all(is_pure(state, node) for node in nodes if isinstance(node, sx.Call))
        self._is_closed &= not any(isinstance(node, sx.OpaqueExpression) for node in nodes)

    def is_changed(self, changed: Changed, moved: Set[sx.Variable], members: Set[str]) -> bool:
        """Return whether what decides is among what was changed, beside ``moved`` variables and ``members``."""
        return (
            not self._is_closed
            or not self._variables.isdisjoint(changed.variables - moved)
            or not self._arrays.isdisjoint(changed.storage - {variable.name for variable in moved})
            or not self._members.isdisjoint(changed.members - members)
        )


def is_pure(state: State, call: sx.Call, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether the value of a call is that of its arguments and of what it reads."""
    function, known = state.inputs.unit.functions.get(call.function), table()
    if function is None:
        name = canonical_name(call.name)
        return known.is_computed(name) or name in known.characters or name in known.accessors
    calls = (node for node in walk(function.body) if isinstance(node, sx.Call))
    return call.function in seen or all(is_pure(state, each, seen | {call.function}) for each in calls)


def _conditions(trees: list[Tree]) -> Iterator[sx.Expression]:
    """Yield what decides which statements run."""
    for tree in trees:
        for node in walk(tree):
            match node:
                case sx.If(condition=condition) | sx.Conditional(condition=condition) | sx.While(condition=condition):
                    yield condition
                case sx.For(condition=condition) if condition is not None:
                    yield condition
                case sx.Switch(subject=subject):
                    yield subject
                case sx.Binary(operator="&&" | "||"):
                    yield node


def _assignments(trees: list[Tree]) -> Iterator[tuple[sx.Variable, sx.Expression]]:
    """Yield the variables that get values, each with the value."""
    for tree in trees:
        for node in walk(tree):
            match node:
                case sx.Assign(target=sx.Name(variable=variable), value=value):
                    yield variable, value
                case sx.Declare(variable=variable, initial=initial) if initial is not None:
                    yield variable, initial
