"""Conditions of the source as propositions: equal parts of them, between which nothing changes, are true together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Union

from msgspec import Struct

from ....surface import nodes as sx
from ....surface.traverse import children, walk
from ...state import State
from .deciding import is_pure

_MOST_PARTS = 10
_OPPOSITES = {"!=": "==", ">=": "<", "<=": ">"}


class Part(Struct, frozen=True):
    """A condition without ``&&``, ``||`` and ``!``: what it is, whatever its position in the source."""

    key: tuple[object, ...]


class Both(Struct, frozen=True):
    """``left && right``."""

    left: Proposition
    right: Proposition


class Opposite(Struct, frozen=True):
    """``!operand``."""

    operand: Proposition


Proposition = Union[Part, Both, Opposite]


def opposite(proposition: Proposition) -> Proposition:
    """Return what holds where a proposition does not."""
    return proposition.operand if isinstance(proposition, Opposite) else Opposite(proposition)


class Propositions:
    """Propositions about conditions in a loop that changes some ``variables`` and stores to some arrays."""

    def __init__(self, state: State, variables: frozenset[sx.Variable], stored: frozenset[str]) -> None:
        """Start with none; conditions on what the loop changes are never equal."""
        self._state, self._variables, self._stored = state, variables, stored
        self._number = 0

    def of(self, condition: sx.Expression, copies: Mapping[sx.Variable, sx.Variable]) -> Proposition:
        """Return a condition, in which ``copies`` are the variables of which they have the value."""
        match condition:
            case sx.Binary("&&", left, right):
                return Both(self.of(left, copies), self.of(right, copies))
            case sx.Binary("||", left, right):
                return Opposite(Both(opposite(self.of(left, copies)), opposite(self.of(right, copies))))
            case sx.Unary("!", operand):
                return opposite(self.of(operand, copies))
            case sx.Binary(operator, left, right) if operator in _OPPOSITES:
                return opposite(self._part(sx.Binary(_OPPOSITES[operator], left, right, condition.span), copies))
            case _:
                return self._part(condition, copies)

    def _part(self, condition: sx.Expression, copies: Mapping[sx.Variable, sx.Variable]) -> Part:
        names = [node.variable for node in walk(condition) if isinstance(node, sx.Name)]
        effects = self._state.effects(condition)
        is_open = any(each in self._variables and each not in copies for each in names)
        is_stored = any(each.name in self._stored for each in names)
        is_open |= not all(is_pure(self._state, node) for node in walk(condition) if isinstance(node, sx.Call))
        if is_open or is_stored or effects.variables or effects.storage:
            self._number += 1
            return Part((self._number,))
        return Part(_key(condition, copies))


def _key(expression: sx.Expression, copies: Mapping[sx.Variable, sx.Variable]) -> tuple[object, ...]:
    match expression:
        case sx.Name(variable=variable):
            return ("name", id(copies.get(variable, variable)))
        case sx.Binary("==" | "<" | ">" as operator, left, right):
            sides = _key(left, copies), _key(right, copies)
            if operator == ">":
                return ("<", *reversed(sides))
            return (operator, *(sorted(sides, key=str) if operator == "==" else sides))
        case _:
            names = (getattr(expression, each, None) for each in ("operator", "name", "function", "value", "text"))
            own = tuple(each for each in names if isinstance(each, str | int | float))
            return (type(expression).__name__, *own, *(_key(part, copies) for part in children(expression)))  # type: ignore[arg-type] # parts of expressions are expressions


def can_hold(propositions: Sequence[Proposition]) -> bool:
    """Return whether all of some propositions may hold at once, as far as their parts say."""
    parts = sorted({part for each in propositions for part in _parts(each)}, key=str)
    if len(parts) > _MOST_PARTS:
        return True
    given = (dict(zip(parts, values, strict=True)) for values in product((True, False), repeat=len(parts)))
    return any(all(_holds(each, facts) for each in propositions) for facts in given)


def _parts(proposition: Proposition) -> set[Part]:
    match proposition:
        case Part():
            return {proposition}
        case Both(left, right):
            return _parts(left) | _parts(right)
        case Opposite(operand):
            return _parts(operand)


def _holds(proposition: Proposition, facts: Mapping[Part, bool]) -> bool:
    match proposition:
        case Part():
            same = proposition.key[0] == "==" and proposition.key[1] == proposition.key[2]
            return same or facts[proposition]
        case Both(left, right):
            return _holds(left, facts) and _holds(right, facts)
        case Opposite(operand):
            return not _holds(operand, facts)
