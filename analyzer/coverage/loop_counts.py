"""The execution counts of one function, asked by loop and by condition.

Lines, decisions and regions of a tool for coverage -> ratios: iterations of each entry of a loop, executions in which a
condition held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from ..frontend.surface.nodes import Block, Conditional, Declare, For, Function, Goto, If, Repeated, Statement, Switch
from ..frontend.surface.traverse import statements_in, walk
from ..source import Span
from .counts import Decision, FunctionCounts
from .flow import (
    LOOPS,
    Location,
    Loop,
    calls_of,
    contexts,
    is_code,
    is_empty,
    is_endless,
    is_of_macro,
    leaves,
    leaving,
    lines_of,
    location_of,
    may_leave,
    runs_once,
    tests_last,
)
from .outcomes import header_of, is_negated, joint_of, operands, outcomes_of


class Ratio(Struct, frozen=True):
    """``part`` of ``whole``: iterations of times entered, or true of all evaluations."""

    part: int
    whole: int

    @property
    def value(self) -> Fraction:
        """Return the quotient."""
        return Fraction(self.part, self.whole)

    def plus(self, other: Ratio) -> Ratio:
        """Return the ratio of both together."""
        return Ratio(self.part + other.part, self.whole + other.whole)


class Reading:
    """The counts of one function, asked by loop and by condition."""

    def __init__(self, function: Function, counts: FunctionCounts) -> None:
        self._counts = counts
        nodes = list(walk(function.body))
        self.loops = [node for node in nodes if isinstance(node, LOOPS) and not runs_once(node)]
        self.repeated = [node for node in nodes if isinstance(node, Repeated)]
        self.choices = [node for node in nodes if isinstance(node, If | Conditional)]
        self.switches = [node for node in nodes if isinstance(node, Switch)]
        self._several = Counter(line for node in (*self.loops, *self.choices) for line in header_of(node))
        starts = {id(loop.initial) for loop in self.loops if isinstance(loop, For)}
        self._on_line = Counter(node.span.line for node in nodes if is_code(node) and id(node) not in starts)
        self._plain = [node for node in statements_in(function.body) if is_code(node)]
        self._first_on_line = {node.span.line: id(node) for node in reversed(list(statements_in(function.body)))}
        self._around = dict(contexts(function))
        self._calls = counts.calls
        with_conditions = [node for node in nodes if isinstance(node, (*LOOPS, If, Conditional))]
        self._outcomes = outcomes_of([node for node in with_conditions if not runs_once(node)], counts)

    @property
    def unclear(self) -> tuple[int, ...]:
        """Return the lines of several loops or conditions, where the counts have no positions or a macro has one."""
        nodes = (*self.loops, *self.choices)
        if self._counts.regions:
            hidden = (node for node in nodes if is_of_macro(node))
            return tuple(sorted({node.span.line for node in hidden if self._outcomes.of(node.condition) is None}))
        lines = {node.span.line for node in nodes}
        return tuple(sorted(line for line in lines if self._several[line] > 1 and self._counts.lines.get(line)))

    @property
    def missing(self) -> tuple[int, ...]:
        """Return the lines of loops of which the counts of lines have nothing, though the function ran."""
        lines = self._counts.lines
        if self._counts.regions or not lines or not self._calls:
            return ()
        found = (loop for loop in self.loops if not any(line in lines for line in lines_of(loop)))
        return tuple(sorted({loop.span.line for loop in found}))

    def operands(self, choice: If | Conditional) -> tuple[Ratio, ...]:
        """Return how often each operand of ``&&`` and ``||`` held, without its ``!``; () for a plain condition."""
        each = self._outcomes.of_each(choice.condition)
        held = (
            one.false if is_negated(part) else one.true
            for part, one in zip(operands(choice.condition), each, strict=False)
        )
        return (
            tuple(Ratio(part, one.true + one.false) for part, one in zip(held, each, strict=False))
            if len(each) > 1
            else ()
        )

    def tests(self, loop: Loop) -> tuple[Ratio, ...]:
        """Return how often each operand of ``&&`` in a loop's condition held, of its evaluations; () if not known."""
        condition = loop.condition
        if condition is None or joint_of(condition) == "||":
            return ()
        each = self._outcomes.of_each(condition)
        if not each and not joint_of(condition) and not may_leave(loop.body) and (ratio := self.trip(loop)):
            return (Ratio(ratio.part, ratio.part + ratio.whole),)
        return tuple(Ratio(one.true, one.true + one.false) for one in each)

    def starts(self) -> dict[Location, int]:
        """Return how often plain statements ran, by location."""
        found = ((location_of(one), self._block(one)) for one in self._plain)
        return {location: count for location, count in found if count is not None}

    def rounds(self, repeated: Repeated) -> Ratio | None:
        """Return how often what a ``goto`` repeats ran, and was entered from in front of it."""
        rounds = self._block(repeated.body)
        back = [one for one in statements_in(repeated.body) if isinstance(one, Goto) and one.label == repeated.label]
        times = [self._times(one) for one in back]
        if rounds is None or None in times:
            return None
        entered = rounds - sum(count for count in times if count is not None)
        return Ratio(rounds, entered) if entered > 0 else None

    def trip(self, loop: Loop) -> Ratio | None:
        """Return iterations and times entered, where both are known."""
        iterations, entered = self._iterations(loop), self._entered(loop)
        return None if iterations is None or entered is None else Ratio(iterations, entered)

    def arms(self, switch: Switch) -> Iterator[tuple[Location, Ratio]]:
        """Yield the location and the ratio of each arm of a switch, of the executions that reach none before it.

        The location is that of its first statement.  Nothing where an arm runs on into the next one.
        """
        if any(case.falls_through for case in switch.cases[:-1]):
            return
        left = self._at(switch.span) if self._counts.regions else self._counts.lines.get(switch.span.line)
        for case in switch.cases:
            if None in case.labels:
                continue
            count = self._first_of(case.statements)
            if left is None or count is None or count > left:
                return
            yield location_of(case.statements[0]), Ratio(count, left)
            left -= count

    def recursion(self, function: Function) -> Ratio | None:
        """Return the calls of a recursive function for each that is not made by itself."""
        inner = 0
        for statement in statements_in(function.body):
            calls = calls_of(function, statement)
            times = self._times(statement) if calls else 0
            if calls is None or times is None:
                return None
            inner += calls * times
        return Ratio(self._calls, self._calls - inner) if inner and self._calls and self._calls > inner else None

    def _times(self, statement: Statement) -> int | None:
        """Return how often a plain statement ran that is the first of its line."""
        if self._counts.regions:
            return self._at(statement.span)
        line = statement.span.line
        return self._counts.lines.get(line) if self._first_on_line.get(line) == id(statement) else None

    def choice(self, choice: If | Conditional) -> Ratio | None:
        """Return how often a condition held, without a ``!`` in front of it, of how many evaluations."""
        outcome = self._outcomes.of(choice.condition)
        if isinstance(choice, If) and not self._is_hidden(choice):
            held, total = self._block(choice.then), self._evaluated(choice, outcome)
            if held is not None and total is not None and held <= total:
                outcome = Decision(held, total - held)
        if outcome is None:
            return None
        true = outcome.false if is_negated(choice.condition) else outcome.true
        return Ratio(true, outcome.true + outcome.false)

    def _is_hidden(self, node: Loop | If) -> bool:
        """Return whether counts with positions have none for a node, as a macro has its text."""
        return bool(self._counts.regions) and is_of_macro(node)

    def _iterations(self, loop: Loop) -> int | None:
        count = None if self._is_hidden(loop) else self._block(loop.body)
        if count is None and (outcome := self._outcomes.of(loop.condition)) is not None:
            return outcome.true + (self._entered(loop) or 0 if tests_last(loop) else 0)
        return self._iterations_by_tests(loop) if count is None and is_empty(loop.body) else count

    def _iterations_by_tests(self, loop: Loop) -> int | None:
        """Return the iterations of a loop without a body: those of its tests that did not end it."""
        tests, entered = self._line(loop), self._count_around(loop)
        if tests is None or entered is None or tests < entered or tests_last(loop):
            return None
        return tests - entered

    def _entered(self, loop: Loop) -> int | None:
        entered = self._entered_by_itself(loop)
        return self._count_around(loop) if entered is None else entered

    def _entered_by_itself(self, loop: Loop) -> int | None:
        """Return how often a loop was entered, from its own lines."""
        if self._counts.regions and not self._is_hidden(loop):
            return self._at(loop.span)
        left = self._left(loop)
        if left is None:
            return None
        if is_endless(loop):
            return left or None
        if (outcome := self._outcomes.of(loop.condition)) is not None:
            return outcome.false + left
        count, evaluated = self._block(loop.body), self._line(loop)
        if count is None or evaluated is None or tests_last(loop) or evaluated < count:
            return None
        return evaluated - count + left

    def _left(self, loop: Loop) -> int | None:
        """Return how often statements of its body left a loop; None where that is not known."""
        counts = [self._times_left(one, choice) for one, choice in leaving(loop.body, None) if leaves(one, loop)]
        return None if None in counts else sum(count for count in counts if count is not None)

    def _times_left(self, statement: Statement, choice: If | None) -> int | None:
        """Return how often a statement left a loop, which is all of the arm of a ``choice``."""
        ratio = None if choice is None or self._several[choice.span.line] > 1 else self.choice(choice)
        if choice is None or ratio is None:
            return self._times(statement)
        return ratio.whole - ratio.part if is_negated(choice.condition) else ratio.part

    def _count_around(self, node: Statement) -> int | None:
        """Return how often the block around a statement ran, if nothing before it in there may leave the block."""
        match self._around.get(id(node)):
            case None:
                return None
            case Function():
                return self._calls
            case If() as choice:
                ratio = self.choice(choice)
                return None if ratio is None or is_negated(choice.condition) else ratio.part
            case loop:
                return self._iterations(loop)

    def _evaluated(self, choice: If, outcome: Decision | None) -> int | None:
        if self._counts.regions:
            return self._at(choice.span)
        if outcome is not None:
            return outcome.true + outcome.false
        held, other = self._block(choice.then), None if choice.orelse is None else self._block(choice.orelse)
        return held + other if held is not None and other is not None else self._line(choice)

    def _block(self, statement: Statement) -> int | None:
        """Return how often a body or an arm ran."""
        if self._counts.regions:
            return self._at(statement.span)
        for first in statement.statements if isinstance(statement, Block) else (statement,):
            if is_code(first):
                line = first.span.line
                alone = self._on_line[line] == 1 and not self._several[line]
                return self._counts.lines.get(line) if alone else None
            if isinstance(first, If):
                return self._evaluated(first, self._outcomes.of(first.condition))
            if isinstance(first, LOOPS):
                return self._entered_by_itself(first)
            if isinstance(first, Switch):
                line = first.span.line
                return None if self._several[line] or self._on_line[line] else self._counts.lines.get(line)
            if not isinstance(first, Declare):
                return None
        return None

    def _first_of(self, statements: Sequence[Statement]) -> int | None:
        """Return how often an arm of a switch ran."""
        if not statements:
            return None
        first = statements[0].span
        return self._at(first) if self._counts.regions else self._block(Block(tuple(statements), first))

    def _line(self, node: Loop | If) -> int | None:
        """Return the count of the line of a header that is alone on it."""
        line = node.span.line
        return self._counts.lines.get(line) if self._several[line] == 1 and not self._on_line[line] else None

    def _at(self, span: Span) -> int | None:
        """Return the count of the innermost region of code around a position."""
        holding = [region for region in self._counts.regions if region.holds(span.line, span.column)]
        return max(holding).count if holding else None
