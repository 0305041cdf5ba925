"""Statements that use one of two objects, or loops that end at one of two numbers: lowered once for each of them.

So each nest is analyzed as what it is when it runs.  Where too many pointers are open at once, or the condition is not
known any more, the pointer points into a table of the arrays (:mod:`.tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import partial

from msgspec import Struct

from ....ir.index import Poly, var
from ....ir.nodes import Compare, Comparison, Condition
from ...surface import nodes as sx
from ...surface.traverse import walk
from ..logic import conjuncts, negate
from ..names.bindings import Bindings, Either, Integer, Pointer, folding
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
    open_ = state.environment.undecided()
    if not open_ or state.flow.apart >= _MOST_AT_ONCE:
        return None
    used = _used(state, statement)
    concerned = {key for key, bound in open_.items() if key[0] in used and _is_known(state, bound.condition)}
    if not concerned:
        return None
    first = next(key for key in state.environment.bindings if key in concerned)
    condition = open_[first].condition
    return Choice(condition, _decided(state, condition, holds=True), _decided(state, condition, holds=False))


def choice_of_ends(state: State, statement: sx.Statement) -> Choice | None:
    """Return the choice between two numbers of which one is an end of a loop: ``last = n; if (m > 6) last = m;``.

    Or its step, ``i += step``.

    None where data choose, where the user gives the number, or where it is a factor of subscripts, as the length of
    rows, of which an array has one.
    """
    if not isinstance(statement, sx.For | sx.While) or not state.chosen_by_sizes or state.flow.apart >= _MOST_AT_ONCE:
        return None
    loops = [node for node in walk(statement) if isinstance(node, sx.For | sx.While)]
    starts = (loop.initial for loop in loops if isinstance(loop, sx.For))
    products = (node for node in walk(statement) if isinstance(node, sx.Binary) and node.operator == "*")
    steps = (loop.advance.value for loop in loops if isinstance(loop, sx.For) and isinstance(loop.advance, sx.Assign))
    used = _used_in(state, (*starts, *steps, *(loop.condition for loop in loops))) - _used_in(state, products)
    bindings = state.environment.bindings
    numbers = (bound.value for key, bound in bindings.items() if key[0] in used and isinstance(bound, Integer))
    for name in sorted({name for number in numbers for name in number.names()} & state.chosen_by_sizes.keys()):
        condition = state.chosen_by_sizes[name][0]
        if not condition.depends_on_data and _is_known(state, condition) and state.symbols.value_of(var(name)) is None:
            then = _with_numbers(bindings, _numbers(state, condition))
            orelse = _with_numbers(bindings, _numbers(state, negate(condition)))
            holds = _holds_here(state, condition)
            if holds is None:
                return Choice(condition, then, orelse)
            state.environment.bindings = bindings = then if holds else orelse
    return None


def _holds_here(state: State, condition: Condition) -> bool | None:
    """Return whether a condition holds by those around it; None where that is open."""
    around = [part for guard in state.emitter.path for part in conjuncts(guard)]
    if condition in around:
        return True
    if negate(condition) in around or any(_exclude(condition, other) for other in around):
        return False
    return None


def _exclude(one: Condition, other: Condition) -> bool:
    """Return whether two equalities of one number with different ones cannot both hold."""
    if not isinstance(one, Compare) or not isinstance(other, Compare):
        return False
    if not one.comparison is other.comparison is Comparison.EQ:
        return False
    return any((one.left - one.right + sign * (other.left - other.right)).constant not in (None, 0) for sign in (1, -1))


def _used_in(state: State, parts: Iterable[sx.Statement | sx.Expression | None]) -> Set[sx.Variable]:
    return frozenset[sx.Variable]().union(*(_used(state, part) for part in parts if part is not None))


def _numbers(state: State, condition: Condition) -> dict[str, Poly]:
    """Return the numbers that are chosen where a condition holds, by the symbols that stand for them elsewhere."""
    opposite = negate(condition)
    found: dict[str, Poly] = {}
    for name, (test, then, orelse) in state.chosen_by_sizes.items():
        if test in (condition, opposite):
            found[name] = then if test == condition else orelse
    return found


def _with_numbers(bindings: Bindings, numbers: Mapping[str, Poly]) -> Bindings:
    return {
        key: Integer(bound.value.substitute(numbers))
        if isinstance(bound, Integer) and not bound.value.names().isdisjoint(numbers)
        else bound
        for key, bound in bindings.items()
    }


def decide(state: State, condition: Condition) -> None:
    """Bind pointers to what a condition that holds says of them."""
    if not state.memory.undecided or not state.environment.undecided():
        return
    for part in conjuncts(condition):
        state.environment.bindings = _decided(state, part, holds=True)
        state.environment.bindings = _decided(state, negate(part), holds=False)


def _used(state: State, statement: sx.Statement | sx.Expression) -> Set[sx.Variable]:
    """Return the variables that a statement uses, itself or in what it calls; not those that it only overwrites.

    Where the instances that are being lowered have variables of their own, these are among them.
    """
    found = state.inputs.effects.variables_in(_read(statement))
    renamed = {old: new for renaming in state.own_variables() for old, new in renaming.items()}
    return found | {renamed[variable] for variable in found & renamed.keys()} if renamed else found


def _read(statement: sx.Statement | sx.Expression) -> sx.Expression | sx.Statement:
    match statement:
        case sx.Evaluate(sx.Assign(operator="", target=sx.Name(variable=variable), value=value)) if (
            not variable.reference
        ):
            return value
        case _:
            return statement


def _is_known(state: State, condition: Condition) -> bool:
    """Return whether a condition means the same here as where it was evaluated: its counters still run."""
    names = {name for name in condition.names if "@" not in name}
    return names <= {*state.flow.iterators(), *state.symbols.known}


def _decided(state: State, condition: Condition, *, holds: bool) -> Bindings:
    """Return the bindings with what the truth of a condition decides."""
    under = folding(lambda pointer: pointer, partial(_under, condition, holds))
    open_ = state.environment.undecided()
    decided = {key: under(bound) if condition in bound.conditions else bound for key, bound in open_.items()}
    return {**state.environment.bindings, **decided}


def _under(
    condition: Condition, holds: bool, chosen: Either, first: Pointer | Either, second: Pointer | Either
) -> Pointer | Either:
    """Return what is left of a choice of two pointers where a condition holds, or does not."""
    if chosen.condition == condition:
        return first if holds else second
    if first is chosen.first and second is chosen.second:
        return chosen
    return first if first == second else Either(chosen.condition, first, second)
