"""The state of one lowering, in parts, and the table of handlers through which its modules call each other.

A function takes the part that it needs (:mod:`.emitter`, :mod:`.names.symbols`, :mod:`.names.memory`,
:mod:`.names.environment`, :mod:`.flow`, :mod:`.inputs`), and the whole state where it evaluates or needs several.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import zip_longest

from msgspec import Struct

from ...diagnostics import Diagnostic
from ...ir.branches import branch_symbol, is_negated
from ...ir.index import ONE, ZERO, Poly, const, unknown, var
from ...ir.nodes import Assumption, Comparison, Condition, DataDependent, Exit, Node, SymbolOrigin
from ...source import Span
from ..surface import nodes as sx
from ..surface.designation import member_of_list
from ..surface.traverse import Tree
from .emitter import Emitter
from .extremes import chosen_index, extreme_of
from .flow import Flow, LoopFacts, NotedJumps, Target, forget_jumps, is_nonnegative
from .functions.effects import Effects
from .functions.instances import Instances, Renaming, with_own
from .inputs import Inputs
from .logic import compare, compared, conjunction, disjunction, negate
from .names.bindings import Bindings, Integer, Lvalue, Result, Slot, as_poly
from .names.environment import Environment
from .names.memory import Memory
from .names.row_counts import AllRowCounts
from .names.symbols import Symbols

_MOST_TERMS = 16  # of a choice as an index: each further choice between two such doubles them
_MOST_CHOICES = 12  # one after another, of a flag: a test of it is as long as their number


class Handlers(Struct, frozen=True, kw_only=True):
    """The functions that recur into each other across modules, one for each kind of syntax."""

    evaluate: Callable[[State, sx.Expression], Result]
    lvalue: Callable[[State, sx.Expression], Lvalue | None]
    condition: Callable[[State, sx.Expression], Condition]
    call: Callable[[State, sx.Call], Result]
    run: Callable[[State, sx.Statement], None]


class Checkpoint(Struct, frozen=True, kw_only=True):
    """What a trial of a lowering changes."""

    bindings: Bindings
    taken: frozenset[str]
    counts: AllRowCounts
    emitted: int
    inlined: int
    summarized: int
    refused: int
    diagnostics: dict[tuple[object, ...], Diagnostic]
    assumptions: dict[Assumption, None]
    jumps: NotedJumps


class State:
    """The parts of the lowering of one region; ``indexing`` is the mode of :mod:`.expressions.expression`.

    ``chosen_by_sizes`` are the symbols of numbers that a condition chooses outside of loops: the condition and both.
    ``warp_rises`` are by how much registers are greater in the next active thread of a warp, where that is known.
    """

    def __init__(self, inputs: Inputs, handlers: Handlers) -> None:
        """Start an empty region."""
        self.inputs = inputs
        self.emitter = Emitter()
        self.symbols = Symbols(inputs.defines, inputs.averages, inputs.after)
        self.memory = Memory(inputs.followed)
        self.environment = Environment()
        self.flow = Flow()
        self.instances = Instances()
        self.indexing = False
        self.warp_rises: dict[str, int] = {}
        self._handlers = handlers
        self._choices: dict[tuple[Condition, Poly, Poly], Poly] = {}
        self.chosen_by_sizes: dict[str, tuple[Condition, Poly, Poly]] = {}
        self._chosen: dict[Poly, tuple[Condition, Poly, Poly]] = {}
        self._chosen_within: dict[Poly, tuple[LoopFacts, ...]] = {}

    # --- mutual recursion ---

    def evaluate(self, expression: sx.Expression) -> Result:
        """Return the value, pointer or aggregate of an expression, after its side effects; raises ``Overrun``."""
        self.inputs.meter.take()
        return self._handlers.evaluate(self, expression)

    def lvalue(self, expression: sx.Expression) -> Lvalue | None:
        """Return the object that an expression designates, or None."""
        return self._handlers.lvalue(self, expression)

    def condition(self, expression: sx.Expression) -> Condition:
        """Return the truth of an expression."""
        return self._handlers.condition(self, expression)

    def call(self, expression: sx.Call) -> Result:
        """Return the result of a call."""
        return self._handlers.call(self, expression)

    def run(self, statement: sx.Statement) -> None:
        """Lower one statement into the current block; raises ``Overrun``."""
        self.inputs.meter.take()
        self._handlers.run(self, statement)

    # --- modes and control flow ---

    @contextlib.contextmanager
    def as_index(self) -> Iterator[None]:
        """Evaluate integers in the body of the ``with`` statement as parts of subscripts and bounds."""
        yield from self._in_mode(indexing=True)

    @contextlib.contextmanager
    def as_data(self) -> Iterator[None]:
        """Evaluate integers in the body of the ``with`` statement as data."""
        yield from self._in_mode(indexing=False)

    def _in_mode(self, *, indexing: bool) -> Iterator[None]:
        mode, self.indexing = self.indexing, indexing
        yield
        self.indexing = mode

    def target(self, kind: str, *, iterator: str = "", line: int = 0, label: str = "") -> Target:
        """Return a target of jumps at the current position."""
        return Target(kind=kind, depth=len(self.emitter.path), iterator=iterator, line=line, label=label)

    def leave(self, iterator: str | None, span: Span) -> None:
        """Append an exit; the rest of the block is not reached."""
        self.emitter.append(Exit(iterator, span))
        self.flow.terminated = True

    # --- trials ---

    def checkpoint(self) -> Checkpoint:
        """Return what :meth:`restore` needs to undo what is lowered from here on, into captured blocks."""
        return Checkpoint(
            bindings=self.environment.copied(),
            taken=frozenset(self.symbols.taken),
            counts=dict(self.memory.counts),
            emitted=self.emitter.emitted,
            inlined=self.flow.inlined,
            summarized=self.flow.summarized,
            refused=len(self.flow.following.refused),
            diagnostics=dict(self.emitter.diagnostics),
            assumptions=dict(self.emitter.assumptions),
            jumps=self.flow.noted_jumps(),
        )

    def restore(self, before: Checkpoint) -> None:
        """Undo what was lowered since a checkpoint."""
        self.environment.bindings, self.symbols.taken = dict(before.bindings), set(before.taken)
        self.memory.counts, self.emitter.emitted = dict(before.counts), before.emitted
        self.flow.inlined, self.flow.summarized = before.inlined, before.summarized
        del self.flow.following.refused[before.refused :]
        self.emitter.diagnostics, self.emitter.assumptions = dict(before.diagnostics), dict(before.assumptions)
        forget_jumps(before.jumps)

    @contextlib.contextmanager
    def trial(self) -> Iterator[list[Node]]:
        """Lower the body of the ``with`` statement for its result alone; its nodes are collected."""
        before, stores, registers = self.checkpoint(), self.emitter.stores, self.emitter.registers
        with self.emitter.capture() as nodes:
            yield nodes
        self.restore(before)
        self.emitter.stores, self.emitter.registers = stores, registers

    # --- instances and effects ---

    def own_variables(self) -> list[Renaming]:
        """Return the variables of the instances that are being lowered, the innermost last."""
        return [frame.own for frame in self.flow.frames]

    def effects(self, *trees: Tree | None) -> Effects:
        """Return the effects of trees of the function that is being lowered."""
        return with_own(self.inputs.effects.of(*trees), self.own_variables())

    def effects_of_call(self, key: str) -> Effects:
        """Return the effects of a function on what is there before it is called."""
        return with_own(self.inputs.effects.of_call(key), self.own_variables())

    # --- integers ---

    def integer(self, slot: Slot) -> Integer:
        """Return the value of an integer variable."""
        bound = self.environment.get(slot)
        if isinstance(bound, Integer):
            return bound
        defaults = self.environment.defaults
        if slot.key not in defaults:
            defaults[slot.key] = Integer(self._initial(slot))
        return defaults[slot.key]

    def _initial(self, slot: Slot) -> Poly:
        """Return the value of an integer at entry."""
        variable, arguments = slot.variable, self.inputs.arguments
        name = variable.name + slot.path
        given = self._initializer(slot, name)
        if given is not None:
            return given
        match variable.storage:
            case sx.Storage.PARAMETER if variable in self.flow.frames[0].function.parameters:
                return self.symbols.named(name, SymbolOrigin.PARAMETER, arguments.get(name), variable.span)
            case sx.Storage.CONSTANT if name in arguments:
                return self.symbols.named(name, SymbolOrigin.PARAMETER, arguments[name])
            case sx.Storage.UNDECLARED:
                return self.symbols.new(name, SymbolOrigin.UNDECLARED)
            case _:
                return self.symbols.new(name, SymbolOrigin.VARIABLE)

    def _initializer(self, slot: Slot, name: str) -> Poly | None:
        variable = slot.variable
        is_fixed = variable.kept is not sx.Kept.NO and name not in self.inputs.defines
        if variable.initial is None or not (variable.constant or is_fixed):
            return None
        initial = member_of_list(variable.initial, slot.path)
        value = None if initial is None else self.quietly(initial)
        if value is not None and variable.kept is sx.Kept.ASSUMED:
            self.emitter.assume("AI314", variable.span, "keeps", name, value=str(value))
        return value

    def quietly(self, expression: sx.Expression) -> Poly | None:
        """Return the value of an integer expression, emitting nothing; None where it needs data or has effects."""
        with self.as_index(), self.emitter.capture() as nodes:
            poly = as_poly(self.evaluate(expression))
        return None if nodes or poly is None else poly

    def lost(
        self,
        wanted: str,
        rises: int | None = None,
        made: Span | None = None,
        subscripts: tuple[Poly, ...] | None = None,
    ) -> Poly:
        """Return the value of an integer that cannot be expressed: a symbol outside of loops, else unknown.

        One with ``subscripts`` is that of an element of an array.
        """
        if not self.flow.loops:
            return self.symbols.new(wanted, SymbolOrigin.VARIABLE, made)
        label = self.symbols.label(wanted)
        element = None if subscripts is None else (label, subscripts)
        return unknown(label, self.flow.iterators(), rises, variable=wanted, element=element)

    def lost_by(self, variable: sx.Variable, path: str, rises: int | None = None) -> Poly:
        """Return the value of a variable that cannot be expressed after the current statement."""
        return self.lost(variable.name + path, rises, self.flow.statement)

    def extreme(self, condition: Condition, then: Poly, orelse: Poly) -> Poly | None:
        """Return ``condition ? then : orelse`` where it is a minimum or a maximum of the two, else None."""
        return extreme_of(compared(condition, self.emitter.compared), then, orelse, self.is_nonnegative)

    def is_nonnegative(self, poly: Poly) -> bool:
        """Return whether a polynomial is provably >= 0 at the current statement, of the sizes that are given."""
        given = {name: const(value) for name in poly.names() if (value := self.symbols.value_of(var(name))) is not None}
        return is_nonnegative(poly, self.flow.loops, self.emitter.path) or (
            bool(given) and is_nonnegative(poly.substitute(given), self.flow.loops)
        )

    def chosen_by_data(self, lost: Poly, then: Poly, orelse: Poly, condition: Condition | None = None) -> Poly:
        """Return a value that is not known, and take note of the two of which data choose it."""
        for atom in lost.unknowns():
            self.symbols.chosen_by_data[atom.label] = (then, orelse)
            if condition is not None:
                self.symbols.conditions[atom.label] = condition
                named = branch_symbol(condition, 0, self.emitter.lines), is_negated(condition)
                self.symbols.branches[atom.label] = named
        return lost

    def _is_of_command_line(self, condition: Condition) -> bool:
        """Return whether the number of words of the command line decides, which is the same throughout a run."""
        function = self.flow.frames[0].function
        return function.name == "main" and any(item.name in condition.names for item in function.parameters)

    def chosen_in_loop(self, condition: Condition, then: Poly, orelse: Poly) -> Poly | None:
        """Return ``condition ? then : orelse`` where loops decide it; what sizes decide is left to alternatives."""
        if not self.flow.loops:
            return None
        value = chosen_index(condition, then, orelse, self.flow.loops)
        moved = {*self.flow.iterators(), *self.symbols.registers}
        if value is None or len(value.terms) > _MOST_TERMS:
            return None
        if value.names().isdisjoint(moved) and not self._starts_again(condition, then, orelse):
            return None
        self._chosen[value] = condition, then, orelse
        return value

    def _starts_again(self, condition: Condition, then: Poly, orelse: Poly) -> bool:
        """Return whether a variable alone decides when it is a number again: ``p = p == 2 ? 0 : p + 1``."""
        names = condition.names | then.names() | orelse.names()
        started = frozenset[str]().union(*(loop.started for loop in self.flow.loops))
        return len(names) == 1 and names <= started and (then.constant is not None or orelse.constant is not None)

    def chosen_truth(self, condition: Condition, then: Poly, orelse: Poly) -> Poly | None:
        """Return ``condition ? then : orelse`` where these are 1 and 0, so that a test of it is the condition."""
        value = chosen_index(condition, then, orelse, self.flow.loops) if {then, orelse} == {ZERO, ONE} else None
        if value is not None:
            self._chosen[value] = condition, then, orelse
        return value

    def compared(self, comparison: Comparison, left: Poly, right: Poly) -> Condition:
        """Return a comparison; of a number that a condition chose as that condition."""
        if not self.is_chosen(left) and self.is_chosen(right):
            left, right, comparison = right, left, comparison.mirrored
        if not self.is_chosen(left):
            return self._compared_parts(comparison, left, right)
        condition, then, orelse = self._chosen[left]
        ways = ((condition, then), (negate(condition), orelse))
        return disjunction(conjunction((way, self.compared(comparison, value, right))) for way, value in ways)

    def is_chosen(self, value: Poly) -> bool:
        """Return whether a condition is known that chose a value: one on counters in the iteration that it is of."""
        if value not in self._chosen:
            return False
        within = self._chosen_within.get(value, ())
        return all(one is other for one, other in zip_longest(within, self.flow.loops[: len(within)]))

    def _is_flag(self, value: Poly, choices: int) -> bool:
        """Return whether a value is a number, or one of some that at most so many choices after one another choose."""
        if value.constant is not None:
            return True
        if not choices or value not in self._chosen:
            return False
        _, then, orelse = self._chosen[value]
        return self._is_flag(then, choices - 1) and self._is_flag(orelse, choices - 1)

    def _compared_parts(self, comparison: Comparison, left: Poly, right: Poly) -> Condition:
        """Return a comparison; of what is made of a number that a condition chose, such as its bits, in both ways."""
        names = sorted(left.names() | right.names())
        chosen = next((name for name in names if var(name) in self._chosen), None)
        if chosen is None:
            return compare(comparison, left, right)
        condition, *values = self._chosen[var(chosen)]
        given = ({chosen: value} for value in values)
        sides = ((left.substitute(each), right.substitute(each)) for each in given)
        ways = zip((condition, negate(condition)), sides, strict=True)
        return disjunction(conjunction((way, self.compared(comparison, *both))) for way, both in ways)

    def choice(
        self,
        wanted: str,
        condition: Condition,
        then: Poly,
        orelse: Poly,
        rises: int | None = None,
        made: Span | None = None,
    ) -> Poly:
        """Return ``condition ? then : orelse``; a value that is not known is the same wherever it is chosen again."""
        known = self.chosen_in_loop(condition, then, orelse)
        if known is not None:
            return known
        if isinstance(condition, DataDependent) and not condition.name:
            return self.chosen_by_data(self.lost(wanted, rises, made), then, orelse, condition)
        key = (condition, then, orelse)
        flag_in_loop = self._flag_in_loop(key, wanted, rises, made)
        if flag_in_loop is not None:
            return flag_in_loop
        if key not in self._choices:
            self._choices[key] = lost = self.chosen_by_data(self.lost(wanted, rises, made), then, orelse, condition)
            if lost.as_name is not None and not self._is_of_command_line(condition):
                self.chosen_by_sizes[lost.as_name] = key
                is_known = self.symbols.value_of(lost) is not None or condition.depends_on_data
                if not is_known and self._is_flag_of(then, orelse):
                    self._chosen[lost] = key
        return self._choices[key]

    def _is_flag_of(self, then: Poly, orelse: Poly) -> bool:
        return all(self._is_flag(way, _MOST_CHOICES) for way in (then, orelse))

    def _flag_in_loop(
        self, key: tuple[Condition, Poly, Poly], wanted: str, rises: int | None, made: Span | None
    ) -> Poly | None:
        """Return one of a few numbers that conditions on counters choose: an unknown whose tests are these conditions.

        That holds in the iteration in which it was chosen, not in a later one.  None of other values.
        """
        condition, then, orelse = key
        if not self.flow.loops or condition.depends_on_data or not self._is_flag_of(then, orelse):
            return None
        lost = self.chosen_by_data(self.lost(wanted, rises, made), then, orelse, condition)
        self._chosen[lost] = key
        self._chosen_within[lost] = tuple(self.flow.loops)
        return lost
