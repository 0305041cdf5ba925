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
    Break,
    Call,
    Conditional,
    Continue,
    Declare,
    Evaluate,
    Expression,
    For,
    Function,
    Goto,
    If,
    Number,
    Return,
    Statement,
    Switch,
    Unary,
    While,
)
from ..frontend.surface.traverse import STATEMENTS, Tree, children, statements_in, walk
from ..source import Span
from .counts import Decision, FileCounts, FunctionCounts, added

Loop = For | While
_LOOPS = (For, While)


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
    """What a run says of one function: ratios by the line of the loop or condition.

    ``ended_early`` are the lines of loops that something in them may end; ``never`` those of loops that were not
    entered, ``unclear`` those of several loops or conditions that the counts cannot tell apart.  In the lines ``equal``
    a comparison found both sides equal each time; those ``negated`` have a ``!`` in front of their condition.
    """

    calls: int | None
    trips: dict[int, Ratio]
    probabilities: dict[int, Ratio]
    ended_early: frozenset[int]
    equal: frozenset[int]
    negated: frozenset[int]
    never: frozenset[int]
    unclear: tuple[int, ...]
    is_mean: bool


def counts_of(function: Function, file: FileCounts) -> tuple[FunctionCounts, bool] | None:
    """Return the counts of a function, and whether they are those of several instances of a template together.

    None where the file has functions, and none of them stands where this one does.
    """
    first, last = function.span.line, function.span.end_line
    inside = [one for one in file.functions if first <= one.line <= last]
    head = [one for one in inside if one.line <= function.body.span.line]
    own = [one for one in head if is_named(one, function)] or head
    loose = [one for one in file.functions if not one.line]
    if not own and not loose:
        return None
    calls = [one.calls for one in own if one.calls is not None]
    whole = added([*own, *(one for one in inside if one not in head), *loose])
    counts = FunctionCounts(
        end_line=max((one.end_line for one in own), default=0),
        calls=sum(calls) if calls else None,
        lines=whole.lines,
        decisions=whole.decisions,
        regions=whole.regions,
    )
    return counts, len({one.name for one in own}) > 1


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
    entered = {loop.span.line: ratio for loop in reading.loops if (ratio := reading.trip(loop))}
    trips = {line: ratio for line, ratio in entered.items() if ratio.whole}
    if (recursion := reading.recursion(function)) is not None:
        trips[function.span.line] = recursion
    choices = {one.span.line: ratio for one in reading.choices if (ratio := reading.choice(one)) and ratio.whole}
    choices |= {line: ratio for switch in reading.switches for line, ratio in reading.arms(switch) if ratio.whole}
    early = frozenset(loop.span.line for loop in reading.loops if _may_leave(loop.body))
    equal = frozenset(one.span.line for one in reading.choices if _were_equal(one, choices.get(one.span.line)))
    return Measured(
        calls=counts.calls,
        trips=trips,
        probabilities=choices,
        ended_early=early,
        equal=equal,
        negated=frozenset(one.span.line for one in reading.choices if _is_negated(one.condition)),
        never=frozenset(entered.keys() - trips.keys()),
        unclear=reading.unclear,
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
        self.loops = [node for node in nodes if isinstance(node, _LOOPS)]
        self.choices = [node for node in nodes if isinstance(node, If | Conditional)]
        self.switches = [node for node in nodes if isinstance(node, Switch)]
        self._several = Counter(line for node in (*self.loops, *self.choices) for line in _header(node))
        starts = {id(loop.initial) for loop in self.loops if isinstance(loop, For)}
        self._on_line = Counter(node.span.line for node in nodes if _is_code(node) and id(node) not in starts)
        self._first_on_line = {node.span.line: id(node) for node in reversed(list(statements_in(function.body)))}
        self._around = dict(_contexts(function))
        self._calls = counts.calls

    @property
    def unclear(self) -> tuple[int, ...]:
        """Return the lines of several loops or conditions, where the counts have no positions."""
        if self._counts.regions:
            return ()
        lines = {node.span.line for node in (*self.loops, *self.choices)}
        return tuple(sorted(line for line in lines if self._several[line] > 1 and self._counts.lines.get(line)))

    def trip(self, loop: Loop) -> Ratio | None:
        """Return iterations and times entered, where both are known."""
        iterations, entered = self._iterations(loop), self._entered(loop)
        return None if iterations is None or entered is None else Ratio(iterations, entered)

    def arms(self, switch: Switch) -> Iterator[tuple[int, Ratio]]:
        """Yield the line and the ratio of each arm of a switch, of the executions that reach none before it.

        The line is that of its first statement.  Nothing where an arm runs on into the next one.
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
            yield case.statements[0].span.line, Ratio(count, left)
            left -= count

    def recursion(self, function: Function) -> Ratio | None:
        """Return the calls of a recursive function for each that is not made by itself."""
        inner = 0
        for statement in statements_in(function.body):
            calls = _calls_of(function, statement)
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
        outcome = self._outcome(choice)
        if isinstance(choice, If):
            held, total = self._block(choice.then), self._evaluated(choice, outcome)
            if held is not None and total is not None and held <= total:
                outcome = Decision(held, total - held)
        if outcome is None:
            return None
        true = outcome.false if _is_negated(choice.condition) else outcome.true
        return Ratio(true, outcome.true + outcome.false)

    def _iterations(self, loop: Loop) -> int | None:
        count = self._block(loop.body)
        if count is None and (outcome := self._outcome(loop)) is not None:
            return outcome.true + (self._entered(loop) or 0 if _tests_last(loop) else 0)
        return self._iterations_by_tests(loop) if count is None and _is_empty(loop.body) else count

    def _iterations_by_tests(self, loop: Loop) -> int | None:
        """Return the iterations of a loop without a body: those of its tests that did not end it."""
        tests, entered = self._line(loop), self._count_around(loop)
        if tests is None or entered is None or tests < entered or _tests_last(loop):
            return None
        return tests - entered

    def _entered(self, loop: Loop) -> int | None:
        entered = self._entered_by_itself(loop)
        return self._count_around(loop) if entered is None else entered

    def _entered_by_itself(self, loop: Loop) -> int | None:
        """Return how often a loop was entered, from its own lines."""
        if self._counts.regions:
            return self._at(loop.span)
        left = self._left(loop)
        if left is None:
            return None
        if _is_endless(loop):
            return left or None
        if (outcome := self._outcome(loop)) is not None:
            return outcome.false + left
        count, evaluated = self._block(loop.body), self._line(loop)
        if count is None or evaluated is None or _tests_last(loop) or evaluated < count:
            return None
        return evaluated - count + left

    def _left(self, loop: Loop) -> int | None:
        """Return how often statements of its body left a loop; None where that is not known."""
        counts = [self._times_left(one, choice) for one, choice in _leaving(loop.body, None)]
        return None if None in counts else sum(count for count in counts if count is not None)

    def _times_left(self, statement: Statement, choice: If | None) -> int | None:
        """Return how often a statement left a loop, which is all of the arm of a ``choice``."""
        if isinstance(statement, Goto):
            return None
        ratio = None if choice is None or self._several[choice.span.line] > 1 else self.choice(choice)
        if choice is None or ratio is None:
            return self._times(statement)
        return ratio.whole - ratio.part if _is_negated(choice.condition) else ratio.part

    def _count_around(self, node: Statement) -> int | None:
        """Return how often the block around a statement ran, if nothing before it in there may leave the block."""
        match self._around.get(id(node)):
            case None:
                return None
            case Function():
                return self._calls
            case If() as choice:
                ratio = self.choice(choice)
                return None if ratio is None or _is_negated(choice.condition) else ratio.part
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
            if _is_code(first):
                line = first.span.line
                alone = self._on_line[line] == 1 and not self._several[line]
                return self._counts.lines.get(line) if alone else None
            if isinstance(first, If):
                return self._evaluated(first, self._outcome(first))
            if isinstance(first, _LOOPS):
                return self._entered_by_itself(first)
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

    def _outcome(self, node: Loop | If | Conditional) -> Decision | None:
        """Return how often all of a condition was true and false, if its lines hold no other."""
        condition = node.condition
        lines = _header(node)
        if condition is None or any(self._several[line] > 1 for line in lines):
            return None
        decisions = [one for line in lines for one in self._counts.decisions.get(line, ())]
        operators = set(_operators(condition))
        if len(decisions) != 1 + sum(1 for _ in _operators(condition)) or len(operators) > 1:
            return None
        evaluated = decisions[0].true + decisions[0].false
        if operators == {"&&"}:
            return Decision(decisions[-1].true, evaluated - decisions[-1].true)
        if operators == {"||"}:
            return Decision(evaluated - decisions[-1].false, decisions[-1].false)
        return decisions[0]


def _contexts(function: Function) -> Iterator[tuple[int, Function | If | Loop]]:
    """Yield the statements that run each time that what is around them does, by identity, with what that is."""
    waiting: list[tuple[Statement, Function | If | Loop]] = [(function.body, function)]
    while waiting:
        tree, around = waiting.pop()
        if isinstance(tree, Block):
            for statement in tree.statements:
                waiting.append((statement, around))
                if _may_leave(statement) or _continues(statement):
                    break
            continue
        yield id(tree), around
        if isinstance(tree, If):
            waiting.append((tree.then, tree))
        elif isinstance(tree, _LOOPS):
            waiting.append((tree.body, tree))


def _calls_of(function: Function, statement: Statement) -> int | None:
    """Return how often a plain statement calls a function each time that it runs; None where a condition decides it."""
    parts = [part for part in children(statement) if not isinstance(part, STATEMENTS)]
    made = sum(isinstance(node, Call) and node.function == function.key for node in walk(*parts))
    chosen = any(isinstance(node, Conditional) or any(_operators(node)) for part in parts for node in walk(part))
    return None if made and (chosen or not _is_code(statement)) else made


def _header(node: Loop | If | Conditional) -> range:
    """Return the lines on which the condition of a statement may stand."""
    first = node.span.line
    match node:
        case For(body=body) | While(body=body) | If(then=body):
            if isinstance(node, While) and node.test_last:
                return range(node.span.end_line, node.span.end_line + 1)
            return range(first, max(first + 1, body.span.line + isinstance(body, Block)))
        case _:
            return range(first, first + 1)


def _operators(condition: Tree) -> Iterator[str]:
    """Yield the ``&&`` and ``||`` that put a condition together."""
    waiting: list[Tree] = [condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Binary) and node.operator in ("&&", "||"):
            yield node.operator
            waiting += [node.left, node.right]


def _is_negated(condition: Expression) -> bool:
    return isinstance(condition, Unary) and condition.operator == "!"


def _is_empty(statement: Statement) -> bool:
    return isinstance(statement, Block) and not statement.statements


def _is_code(node: object) -> bool:
    """Return whether a node is a plain statement that computes something: its line is counted."""
    return isinstance(node, Evaluate | Return) or (isinstance(node, Declare) and node.initial is not None)


def _tests_last(loop: Loop) -> bool:
    return isinstance(loop, While) and loop.test_last


def _may_leave(statement: Statement) -> bool:
    """Return whether a statement may end the loop around it, or the function."""
    match statement:
        case Return() | Goto() | Break():
            return True
        case For() | While() | Switch():
            return any(isinstance(node, Return | Goto) for node in statements_in(statement))
        case _:
            return any(_may_leave(child) for child in children(statement) if isinstance(child, STATEMENTS))


def _leaving(statement: Statement, choice: If | None, *, inner: bool = False) -> Iterator[tuple[Statement, If | None]]:
    """Yield what may end the loop around a statement, each with the condition of which it is the first of the arm.

    In an ``inner`` loop that is what ends the function.
    """
    match statement:
        case Break() if inner:
            pass
        case Return() | Goto() | Break():
            yield statement, choice
        case If():
            yield from _leaving(statement.then, statement, inner=inner)
            if statement.orelse is not None:
                yield from _leaving(statement.orelse, None, inner=inner)
        case Block():
            for position, one in enumerate(statement.statements):
                yield from _leaving(one, None if position else choice, inner=inner)
        case _:
            within = inner or isinstance(statement, For | While | Switch)
            for part in children(statement):
                if isinstance(part, STATEMENTS):
                    yield from _leaving(part, None, inner=within)


def _is_endless(loop: Loop) -> bool:
    """Return whether nothing but its body ends a loop."""
    return loop.condition is None or (isinstance(loop.condition, Number) and loop.condition.value != 0)


def _continues(statement: Statement) -> bool:
    return any(isinstance(node, Continue) for node in statements_in(statement))
