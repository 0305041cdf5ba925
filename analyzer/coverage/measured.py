"""Trip counts of loops and probabilities of conditions of a source, from the counts of a run.

A ratio is that of sums over the run: iterations of a loop to the times that it was entered, evaluations of a condition
that were true to all.  Where the counts have positions (clang), a stretch of code has the count of the region around
it.  Else the count of an arm or a body is that of its first statement, if that has a line of its own, and otherwise
that of the condition; lines that hold several loops or conditions cannot be distinguished, and are given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from ..frontend.surface.nodes import (
    Binary,
    Conditional,
    Function,
    If,
)
from .counts import FileCounts, FunctionCounts, added
from .flow import (
    Location,
    location_of,
    may_leave,
)
from .loop_counts import Ratio, Reading
from .outcomes import is_negated, joint_of


class Measured(Struct, frozen=True):
    """What a run says of one function: ratios by the location of the loop or condition.

    ``operands`` are the ratios of the operands of ``&&`` and ``||`` of a condition, as the source writes each, of the
    times that it was evaluated, ``joints`` the outermost operator between them; ``tests`` are the ratios of the
    operands of a loop's condition, with each ``!``, ``starts`` the executions of plain statements and of conditions.
    ``ended_early`` are the locations of loops that something in them may end, ``never`` the lines of those not entered,
    ``unclear`` those of several loops or conditions that the counts cannot tell apart, ``missing`` those of loops of
    which the counts have no line.  In the lines ``equal`` a comparison found both sides equal each time; at the
    locations ``negated`` a condition has a ``!`` in front.  Of the ``calls`` of a recursive function it makes some
    itself; ``entered`` are the others.
    """

    calls: int | None
    entered: int | None
    trips: dict[Location, Ratio]
    probabilities: dict[Location, Ratio]
    operands: dict[Location, tuple[Ratio, ...]]
    joints: dict[Location, str]
    tests: dict[Location, tuple[Ratio, ...]]
    starts: dict[Location, int]
    ended_early: frozenset[Location]
    equal: frozenset[int]
    negated: frozenset[Location]
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

    >>> from ..frontend.surface.nodes import Block, FunctionKind, VOID
    >>> from ..source import Span
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
    reading = Reading(function, counts)
    entered = {location_of(loop): ratio for loop in reading.loops if (ratio := reading.trip(loop))}
    entered |= {location_of(one): ratio for one in reading.repeated if (ratio := reading.rounds(one))}
    trips = {location: ratio for location, ratio in entered.items() if ratio.whole}
    several = Counter(map(location_of, reading.choices))
    if (recursion := reading.recursion(function)) is not None:
        trips[location_of(function)] = recursion
    alone = [one for one in reading.choices if several[location_of(one)] == 1]
    choices = {location_of(one): ratio for one in alone if (ratio := reading.choice(one)) and ratio.whole}
    choices |= {at: ratio for switch in reading.switches for at, ratio in reading.arms(switch) if ratio.whole}
    early = frozenset(location_of(loop) for loop in reading.loops if may_leave(loop.body) or joint_of(loop.condition))
    return Measured(
        calls=counts.calls,
        entered=counts.calls if recursion is None else recursion.whole,
        trips=trips,
        probabilities=choices,
        operands={location_of(one): parts for one in alone if (parts := reading.operands(one))},
        joints={location_of(one): joint for one in alone if (joint := joint_of(one.condition))},
        tests={location_of(loop): tests for loop in reading.loops if (tests := reading.tests(loop))},
        starts=reading.starts() | {location: ratio.whole for location, ratio in choices.items()},
        ended_early=early,
        equal=frozenset(one.span.line for one in reading.choices if _were_equal(one, choices.get(location_of(one)))),
        negated=frozenset(location_of(one) for one in reading.choices if is_negated(one.condition)),
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
