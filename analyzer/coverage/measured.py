"""Trip counts of loops and probabilities of conditions of a source, from the counts of a run.

A ratio is that of sums over the run: iterations of a loop to the times that it was entered, evaluations of a condition
that were true to all.  Where the counts have positions (clang), a stretch of code has the count of the region around
it.  Else the count of an arm or a body is that of its first statement, if that has a line of its own, and otherwise
that of the condition; lines that hold several loops or conditions cannot be distinguished, and are given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from ..frontend.surface.nodes import (
    Binary,
    Block,
    Conditional,
    Declare,
    For,
    Function,
    Goto,
    If,
    Repeated,
    Statement,
    Switch,
)
from ..frontend.surface.traverse import statements_in, walk
from ..source import Span
from .counts import Decision, FileCounts, FunctionCounts, added
from .flow import (
    LOOPS,
    Loop,
    Place,
    calls_of,
    contexts,
    is_code,
    is_empty,
    is_endless,
    is_of_macro,
    leaves,
    leaving,
    lines_of,
    may_leave,
    place_of,
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


class Measured(Struct, frozen=True):
    """What a run says of one function: ratios by the place of the loop or condition.

    ``operands`` are the ratios of the operands of ``&&`` and ``||`` of a condition, as the source writes each, of the
    times that it was evaluated, ``joints`` the outermost operator between them; ``tests`` are the ratios of the
    operands of a loop's condition, with each ``!``, ``starts`` the executions of plain statements and of conditions.
    ``ended_early`` are the places of loops that something in them may end, ``never`` the lines of those not entered,
    ``unclear`` those of several loops or conditions that the counts cannot tell apart, ``missing`` those of loops of
    which the counts have no line.  In the lines ``equal`` a comparison found both sides equal each time; at the places
    ``negated`` a condition has a ``!`` in front.  Of the ``calls`` of a recursive function it makes some itself;
    ``entered`` are the others.
    """

    calls: int | None
    entered: int | None
    trips: dict[Place, Ratio]
    probabilities: dict[Place, Ratio]
    operands: dict[Place, tuple[Ratio, ...]]
    joints: dict[Place, str]
    tests: dict[Place, tuple[Ratio, ...]]
    starts: dict[Place, int]
    ended_early: frozenset[Place]
    equal: frozenset[int]
    negated: frozenset[Place]
    never: frozenset[int]
    unclear: tuple[int, ...]
    missing: tuple[int, ...]
    is_mean: bool


def counts_of(function: Function, file: FileCounts) -> tuple[FunctionCounts, bool] | None:
    """Return the counts of a function, and whether they are those of several instances of a template together.

    None where the file has functions, and none of them stands where this one does: also where it has lines that are of
    no function (LCOV).
    """
    first, last = function.span.line, function.span.end_line
    inside = [one for one in file.functions if first <= one.line <= last]
    head = [one for one in inside if one.line <= function.body.span.line]
    own = _of_symbol(function.symbol, head) or [one for one in head if is_named(one, function)] or head
    loose = [one for one in file.functions if not one.line]
    if not own and (not loose or len(loose) < len(file.functions)):
        return None
    calls = [one.calls for one in own if one.calls is not None]
    whole = added([*own, *(one for one in inside if one not in head), *loose])
    counts = FunctionCounts(
        end_line=max((one.end_line for one in own), default=0),
        of_jumps=whole.of_jumps,
        calls=sum(calls) if calls else None,
        lines=whole.lines,
        decisions=whole.decisions,
        regions=whole.regions,
    )
    return counts, len({one.name for one in own}) > 1


def _of_symbol(symbol: str, found: Sequence[FunctionCounts]) -> list[FunctionCounts]:
    """Return the counts of a function by what the linker calls it; [] where that does not tell.

    Compilers do not agree on all of a name: of instances it is the one whose name agrees beyond the text in which it
    differs from every other.
    """
    same = [one for one in found if one.symbol and one.symbol == symbol]
    if same or not symbol or len(found) < 2:
        return same
    best = max(found, key=lambda one: _agreeing(one.symbol, symbol))
    others = (one for one in found if one is not best)
    is_told = all(_agreeing(best.symbol, one.symbol) < _agreeing(best.symbol, symbol) for one in others)
    return [best] if is_told else []


def _agreeing(one: str, other: str) -> int:
    """Return how many signs two texts have in common at their beginning."""
    signs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(signs) if a != b), min(len(one), len(other)))


def is_named(counts: FunctionCounts, function: Function) -> bool:
    """Return whether a tool's name is that of a function, without its parameters and result.

    >>> from ..frontend.surface.nodes import FunctionKind, VOID
    >>> at = Span("a.cpp", 1, 3)
    >>> run = Function(key="", name="A<int>::run", parameters=(), result=VOID, body=Block((), at), span=at,
    ...     kind=FunctionKind.HOST)
    >>> is_named(FunctionCounts(name="void N::A<int>::run(int, char*) const"), run)
    True
    """
    depth, start, end = 0, 0, len(counts.name)
    for index, sign in enumerate(counts.name):
        depth += (sign == "<") - (sign == ">")
        if sign == " " and depth == 0:
            start = index + 1
        if sign == "(" and depth == 0:
            end = index
            break
    plain = counts.name[start:end]
    return plain == function.name or plain.endswith(f"::{function.name}")


def measured(function: Function, counts: FunctionCounts, *, is_mean: bool = False) -> Measured:
    """Return the ratios of a function of which something ran; ``is_mean`` of several instances of a template."""
    reading = _Reading(function, counts)
    entered = {place_of(loop): ratio for loop in reading.loops if (ratio := reading.trip(loop))}
    entered |= {place_of(one): ratio for one in reading.repeated if (ratio := reading.rounds(one))}
    trips = {place: ratio for place, ratio in entered.items() if ratio.whole}
    several = Counter(map(place_of, reading.choices))
    if (recursion := reading.recursion(function)) is not None:
        trips[place_of(function)] = recursion
    alone = [one for one in reading.choices if several[place_of(one)] == 1]
    choices = {place_of(one): ratio for one in alone if (ratio := reading.choice(one)) and ratio.whole}
    choices |= {place: ratio for switch in reading.switches for place, ratio in reading.arms(switch) if ratio.whole}
    early = frozenset(place_of(loop) for loop in reading.loops if may_leave(loop.body) or joint_of(loop.condition))
    return Measured(
        calls=counts.calls,
        entered=counts.calls if recursion is None else recursion.whole,
        trips=trips,
        probabilities=choices,
        operands={place_of(one): parts for one in alone if (parts := reading.operands(one))},
        joints={place_of(one): joint for one in alone if (joint := joint_of(one.condition))},
        tests={place_of(loop): tests for loop in reading.loops if (tests := reading.tests(loop))},
        starts=reading.starts() | {place: ratio.whole for place, ratio in choices.items()},
        ended_early=early,
        equal=frozenset(one.span.line for one in reading.choices if _were_equal(one, choices.get(place_of(one)))),
        negated=frozenset(place_of(one) for one in reading.choices if is_negated(one.condition)),
        never=frozenset(line for line, _ in entered.keys() - trips.keys()),
        unclear=reading.unclear,
        missing=reading.missing,
        is_mean=is_mean,
    )


def _were_equal(choice: If | Conditional, ratio: Ratio | None) -> bool:
    condition = choice.condition
    if ratio is None or not isinstance(condition, Binary):
        return False
    always, never = ratio.part == ratio.whole, ratio.part == 0
    return (condition.operator == "==" and always) or (condition.operator == "!=" and never)


class _Reading:
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

    def starts(self) -> dict[Place, int]:
        """Return how often plain statements ran, by place."""
        found = ((place_of(one), self._block(one)) for one in self._plain)
        return {place: count for place, count in found if count is not None}

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

    def arms(self, switch: Switch) -> Iterator[tuple[Place, Ratio]]:
        """Yield the place and the ratio of each arm of a switch, of the executions that reach none before it.

        The place is that of its first statement.  Nothing where an arm runs on into the next one.
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
            yield place_of(case.statements[0]), Ratio(count, left)
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
