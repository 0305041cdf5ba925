"""Whether each iteration of a loop moves its counter, where only loops inside of it do: by what their tests say.

``while (i < n) { while (i < n && f(s[i])) i++; while (i < n && !f(s[i])) i++; }``: in an iteration that leaves ``i``
as it is neither test inside holds, though ``i < n`` does, so that ``f(s[i])`` and its opposite are both false.
Nor has a loop that ends an iteration that leaves everything as it is on which its conditions depend.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from ....surface import nodes as sx
from ....surface.traverse import children
from ...functions.effects import Effects
from ...state import State
from ..written.source import LoopSource
from .deciding import Changed, Deciding
from .propositions import Proposition, Propositions, can_hold, opposite

_MOST_WAYS = 32


class _Still(Struct, frozen=True):
    """A way along which the counter stays where it is, and what holds on it.

    ``copies`` are variables with the value of another one, ``ahead`` those that are beyond the counter, and others are
    ``changed``; ``left`` is the jump that ends the way.
    """

    facts: tuple[Proposition, ...]
    copies: Mapping[sx.Variable, sx.Variable]
    ahead: frozenset[sx.Variable] = frozenset()
    changed: Changed = Changed()
    left: str = ""

    def behind(self, effects: Effects) -> _Still:
        """Return the way behind something with these effects."""
        changed = effects.variables
        copies = {copy: of for copy, of in self.copies.items() if copy not in changed and of not in changed}
        return replace(self, copies=copies, ahead=self.ahead - frozenset(changed), changed=self.changed.also(effects))


def makes_progress(state: State, source: LoopSource, moved: Set[sx.Variable], members: Set[str]) -> bool:
    """Return whether each iteration of a loop that ends moves one of some variables, which none moves back.

    Of objects those are ``members`` of these names.
    """
    step = () if source.advance is None else (sx.Evaluate(source.advance, source.span),)
    ways = _Ways(state, source, moved)
    facts = () if source.condition is None else (ways.propositions.of(source.condition, {}),)
    found = list(islice(ways.through((source.body, *step), _Still(facts, {})), _MOST_WAYS + 1))
    stays = [way for way in found if way.left != "break" and can_hold(way.facts)]
    if len(found) > _MOST_WAYS or not stays:
        return not stays
    deciding = Deciding(state, source)
    return not any(deciding.is_changed(way.changed, moved, members) for way in stays)


class _Ways:
    """The ways through the body of a loop: which variables it has ``moved``, and what else it changes."""

    def __init__(self, state: State, source: LoopSource, moved: Set[sx.Variable]) -> None:
        self._state, self._moved = state, moved
        effects = state.effects(source.condition, source.advance, source.body)
        self.propositions = Propositions(state, frozenset(effects.variables) - moved, frozenset(effects.storage))

    def through(self, statements: Sequence[sx.Statement], way: _Still) -> Iterator[_Still]:
        """Yield the ways through statements on which the counter stays."""
        if not statements:
            yield way
            return
        for after in self._one(statements[0], way):
            if after.left:
                yield after
            else:
                yield from self.through(statements[1:], after)

    def _one(self, statement: sx.Statement, way: _Still) -> Iterator[_Still]:
        match statement:
            case sx.Block(statements=inner):
                yield from self.through(inner, way)
            case sx.If(condition=condition, then=then, orelse=orelse):
                for tested in self._evaluated(condition, way):
                    holds = self.propositions.of(condition, way.copies)
                    arms = ((then, holds), (orelse, opposite(holds)))
                    for arm, fact in arms:
                        taken = replace(tested, facts=(*tested.facts, fact))
                        yield from (taken,) if arm is None else self._one(arm, taken)
            case sx.While(test_last=False, condition=condition, body=body):
                yield from self._loop(condition, (body,), way)
            case sx.For(initial=initial, condition=condition, advance=advance, body=body):
                step = () if advance is None else (sx.Evaluate(advance, statement.span),)
                for started in (way,) if initial is None else self._one(initial, way):
                    yield from self._loop(condition, (body, *step), started)
            case sx.Break():
                yield replace(way, left="break")
            case sx.Continue():
                yield replace(way, left="continue")
            case sx.Return():
                yield replace(way, left="break")
            case sx.Declare(variable=variable, initial=initial):
                yield from self._assigned(variable, initial, way)
            case sx.Evaluate(expression=sx.Assign(operator="", target=sx.Name(variable=variable), value=value)):
                yield from self._assigned(variable, value, way)
            case sx.Evaluate(expression=expression):
                yield from self._evaluated(expression, way)
            case _:
                yield way.behind(self._state.effects(statement))

    def _loop(self, condition: sx.Expression | None, body: Sequence[sx.Statement], way: _Still) -> Iterator[_Still]:
        """Yield the ways on which a loop does not run, and those on which it runs and leaves the counter."""
        if condition is not None:
            fact = opposite(self.propositions.of(condition, way.copies))
            yield replace(way, facts=(*way.facts, fact))
        ran = list(self.through(body, way))
        if ran:
            ahead = frozenset.intersection(*(each.ahead for each in ran))
            yield replace(way.behind(self._state.effects(condition, *body)), ahead=ahead)

    def _assigned(self, target: sx.Variable, value: sx.Expression | None, way: _Still) -> Iterator[_Still]:
        source, step = _source(value)
        for after in () if value is None else self._evaluated(value, way):
            root = None if source is None else self._root(source, way)
            is_ahead = source in way.ahead or (step > 0 and root in self._moved)
            if target in self._moved and is_ahead:
                continue
            if target in self._moved:
                yield after
                continue
            bare = after.behind(Effects(variables={target: None}))
            copies = bare.copies if root is None or step else {**bare.copies, target: root}
            yield replace(bare, copies=copies, ahead=bare.ahead | {target} if is_ahead else bare.ahead)
        if value is None:
            yield way.behind(Effects(variables={target: None}))

    def _root(self, variable: sx.Variable, way: _Still) -> sx.Variable:
        return way.copies.get(variable, variable)

    def _evaluated(self, expression: sx.Expression, way: _Still) -> Iterator[_Still]:
        """Yield the way behind an expression, unless that moves the counter in any case."""
        stepped = set(_stepped(expression))
        if not stepped.isdisjoint(self._moved):
            return
        roots = {each for each in stepped if each in way.ahead or self._root(each, way) in self._moved}
        after = way.behind(self._state.effects(expression))
        yield replace(after, ahead=after.ahead | roots)


def _source(value: sx.Expression | None) -> tuple[sx.Variable | None, int]:
    """Return the variable whose value is assigned, and whether more than 0 is added to it; None for other values."""
    match value:
        case sx.Name(variable=variable):
            return variable, 0
        case sx.Binary("+", sx.Name(variable=variable), sx.Number(value=number)) if number > 0:
            return variable, 1
        case _:
            return None, 0


def _stepped(expression: sx.Expression) -> Iterator[sx.Variable]:
    """Yield the variables that an expression moves by a number in any case."""
    match expression:
        case sx.Binary("&&" | "||", left, _):
            yield from _stepped(left)
        case sx.Conditional(condition=condition):
            yield from _stepped(condition)
        case sx.Unary("++x" | "x++" | "--x" | "x--", sx.Name(variable=variable)):
            yield variable
        case sx.Assign("+" | "-", sx.Name(variable=variable), sx.Number(value=number)) if number > 0:
            yield variable
        case _:
            for part in children(expression):
                yield from _stepped(part)  # type: ignore[arg-type] # parts of expressions are expressions
