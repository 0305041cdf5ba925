"""Statements that use a pointer to one of two objects: lowered once for each of them, under the condition.

So each nest is analyzed as what it is when it runs.  Where too many pointers are open at once, or the condition is not
known any more, the pointer points into a table of the arrays (:mod:`.tables`).
"""

from __future__ import annotations

from collections.abc import Set

from msgspec import Struct

from ....ir.conditions import names_of
from ....ir.nodes import Condition
from ...surface import nodes as sx
from ..logic import conjuncts, negate
from ..names.bindings import Binding, Bindings, Either, Pointer
from ..state import State

_MOST_AT_ONCE = 3
_WITHIN = (sx.Block, sx.Skippable, sx.Label, sx.Goto, sx.Break, sx.Continue, sx.OpaqueStatement)


class Choice(Struct, frozen=True):
    """A condition that decides where pointers point, and what is bound where it holds and elsewhere."""

    condition: Condition
    then: Bindings
    orelse: Bindings


def choice_for(state: State, statement: sx.Statement) -> Choice | None:
    """Return the choice that a statement is to be lowered for; None where it uses no pointer to one of two objects."""
    if not state.memory.undecided or isinstance(statement, _WITHIN):
        return None
    bindings = state.environment.bindings
    open_ = {key: bound for key, bound in bindings.items() if isinstance(bound, Either)}
    if not open_:
        return None
    used = _used(state, statement)
    for (variable, _), bound in open_.items():
        if variable in used and state.flow.apart < _MOST_AT_ONCE and _is_known(state, bound.condition):
            return Choice(
                bound.condition, _decided(bindings, bound.condition, holds=True),
                _decided(bindings, bound.condition, holds=False),
            )  # fmt: skip
    return None


def decide(state: State, condition: Condition) -> None:
    """Bind pointers to what a condition that holds says of them."""
    if not state.memory.undecided or not any(
        isinstance(bound, Either) for bound in state.environment.bindings.values()
    ):
        return
    for part in conjuncts(condition):
        bindings = _decided(state.environment.bindings, part, holds=True)
        state.environment.bindings = _decided(bindings, negate(part), holds=False)


def _used(state: State, statement: sx.Statement) -> Set[sx.Variable]:
    """Return the variables that a statement uses, itself or in what it calls; not those that it only overwrites.

    Where the instances that are being lowered have variables of their own, these are among them.
    """
    found = state.inputs.effects.variables_in(_read(statement))
    renamed = {old: new for renaming in state.own_variables() for old, new in renaming.items()}
    return found | {renamed[variable] for variable in found & renamed.keys()} if renamed else found


def _read(statement: sx.Statement) -> sx.Expression | sx.Statement:
    match statement:
        case sx.Evaluate(sx.Assign(operator="", target=sx.Name(variable=variable), value=value)) if (
            not variable.reference
        ):
            return value
        case _:
            return statement


def _is_known(state: State, condition: Condition) -> bool:
    """Return whether a condition means the same here as where it was evaluated: its counters still run."""
    names = {name for name in names_of(condition) if "@" not in name}
    return names <= {*state.flow.iterators(), *state.symbols.known}


def _decided(bindings: Bindings, condition: Condition, *, holds: bool) -> Bindings:
    """Return bindings with what the truth of a condition decides."""
    open_ = [(key, bound) for key, bound in bindings.items() if isinstance(bound, Either)]
    return {**bindings, **{key: _under(bound, condition, holds=holds) for key, bound in open_}}


def _under(bound: Binding, condition: Condition, *, holds: bool) -> Binding:
    if not isinstance(bound, Either):
        return bound
    if bound.condition == condition:
        return _under(bound.first if holds else bound.second, condition, holds=holds)
    first, second = _under(bound.first, condition, holds=holds), _under(bound.second, condition, holds=holds)
    assert isinstance(first, Pointer | Either)
    assert isinstance(second, Pointer | Either)
    return first if first == second else Either(bound.condition, first, second)
