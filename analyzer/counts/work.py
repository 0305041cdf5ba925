"""Work of a region: operations by kind and precision, FLOPs under the policy, FMA share, work per source line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Phrase
from ..domains.domain import StatementDomain
from ..ir.types import ScalarType
from ..ir.values import Opaque, walk_values
from ..quantities.quantity import ZERO, Quantity, add, between
from ..source import Span
from .instructions import Executed, readings
from .operations import not_counted_at, not_located_at, operations_at
from .policy import FlopPolicy
from .references import Direction, sizes_of
from .results import LineWork, NotCounted, OperationKey, Work
from .tally import Measure, tally, tally_each

FUSED, ALL = "fused", "total"
_Key = TypeVar("_Key", bound=Hashable)
_Line = tuple[int, str]
"""A line and the path of its file."""


def work_of(
    statements: Sequence[StatementDomain],
    policy: FlopPolicy,
    *,
    contract: bool,
    compiled: Sequence[StatementDomain] | None = None,
) -> Work:
    """Count everything that the statements compute.

    FLOPs and floating-point instructions are those of the ``compiled`` ones, whose short loops are unrolled, if given.
    """
    without_cost_at = partial(functions_without_cost_at, policy=policy)
    operations, index, rest, elsewhere, without_cost = tally_each(
        statements,
        operations_at,
        lambda statement: {"index": statement.node.index_operations},
        not_counted_at,
        not_located_at,
        without_cost_at,
    )
    integer = [quantity for key, quantity in operations.items() if key.precision.is_integer]
    flops, instructions = _executed(statements if compiled is None else compiled, policy, contract=contract)
    flops = {**{key.precision: ZERO for key in operations if not policy.has_cost(key)}, **flops}
    return Work(
        operations=dict(sorted(operations.items(), key=lambda item: _order(item[0]))),
        flops=add(flops.values()) if flops else ZERO,
        flops_by_precision=flops,
        fma_instructions=instructions.get(FUSED, ZERO),
        flop_instructions=instructions.get(ALL, ZERO),
        integer_operations=add(integer) if integer else ZERO,
        index_operations=index.get("index", ZERO),
        not_counted=tuple(_at_their_lines(statements, not_counted_at, rest)),
        not_located=tuple(_at_their_lines(statements, not_located_at, elsewhere)),
        without_cost=tuple(_at_their_lines(statements, without_cost_at, without_cost)),
    )


class InnerCall(Struct, frozen=True):
    """A call of a function in itself that is not counted, and the ``function``."""

    function: Span
    found: NotCounted


def inner_calls(statements: Sequence[StatementDomain]) -> Sequence[InnerCall]:
    """Return the calls of functions in themselves that are not counted."""
    (runs,) = tally_each(statements, _inner_calls_at)
    return [InnerCall(function, NotCounted(what, call, number)) for (what, function, call), number in runs.items()]


def _inner_calls_at(statement: StatementDomain) -> Mapping[tuple[Phrase, Span, Span], int]:
    parts = (part for part in walk_values(statement.node.value) if isinstance(part, Opaque))
    return Counter((part.what, part.again, statement.node.span) for part in parts if part.again is not None)


def with_calls_around(work: Work, span: Span, calls: Sequence[InnerCall]) -> Work:
    """Return the work of a part of the source with the calls, not counted, of the function that it is in.

    Each runs the part once more.
    """
    around = {call.found.what: call.found for call in calls if span.is_within(call.function)}
    more = tuple(found for what, found in around.items() if what not in {each.what for each in work.not_counted})
    return replace(work, not_counted=(*work.not_counted, *more)) if more else work


def functions_without_cost_at(statement: StatementDomain, policy: FlopPolicy) -> Mapping[Phrase, int]:
    """Return the calls of one execution of a statement whose FLOPs the policy does not know, by what is missing."""
    found: Counter[Phrase] = Counter()
    for key, number in operations_at(statement).items():
        if not policy.has_cost(key):
            found[Phrase.of("AI214", "function", function=key.function, precision=key.precision.value)] += number
    return found


def _executed(
    statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool
) -> tuple[dict[ScalarType, Quantity], dict[str, Quantity]]:
    """Return FLOPs by precision, and instructions, fused and all; between both readings of what is open."""
    found = [tally_each(dict(ran), *measures_of(ran)) for ran in readings(statements, policy, contract=contract)]
    (flops, instructions), (most_flops, most_instructions) = found[0], found[-1]
    return _between(flops, most_flops), _between(instructions, most_instructions)


def _between(least: Mapping[_Key, Quantity], most: Mapping[_Key, Quantity]) -> dict[_Key, Quantity]:
    return {key: between(least.get(key, ZERO), most.get(key, ZERO)) for key in dict.fromkeys((*least, *most))}


def _flops_by_line(
    statements: Sequence[StatementDomain], policy: FlopPolicy, *, contract: bool
) -> dict[tuple[_Line, str], Quantity]:
    def by_line(ran: Mapping[StatementDomain, Executed]) -> dict[tuple[_Line, str], Quantity]:
        return tally(ran, lambda statement: {(_line(statement), "flops"): sum(ran[statement].flops.values())})

    found = [by_line(dict(ran)) for ran in readings(statements, policy, contract=contract)]
    return _between(found[0], found[-1])


def _at_their_lines(
    statements: Sequence[StatementDomain],
    found_at: Callable[[StatementDomain], Mapping[Phrase, int]],
    runs: Mapping[Phrase, Quantity],
) -> Iterator[NotCounted]:
    """Yield what statements do that is not understood, each thing once, at the line where it stands first.

    ``runs`` is how often it does.
    """
    locations: dict[Phrase, Span] = {}
    for statement in statements:
        for what in found_at(statement):
            locations.setdefault(what, statement.node.span)
    return (NotCounted(what, span, runs[what]) for what, span in locations.items() if not runs[what].is_zero)


def measures_of(ran: Sequence[tuple[StatementDomain, Executed]]) -> tuple[Measure[ScalarType], Measure[str]]:
    """Return what one execution of each statement takes: FLOPs by precision, and instructions, fused and all."""
    one = dict(ran)
    return (
        lambda statement: one[statement].flops,
        lambda statement: {FUSED: one[statement].fused, ALL: one[statement].total},
    )


def lines_of(
    statements: Sequence[StatementDomain],
    policy: FlopPolicy,
    *,
    contract: bool = True,
    compiled: Sequence[StatementDomain] | None = None,
) -> tuple[LineWork, ...]:
    """Return work by source line, in order; FLOPs are those of the ``compiled`` statements, if given."""
    first = {_line(statement): statement for statement in reversed(statements)}
    totals = _flops_by_line(statements if compiled is None else compiled, policy, contract=contract)
    totals |= tally(statements, lambda statement: _line_numbers(statement, first))
    lines = sorted({line for line, _ in totals})
    return tuple(
        LineWork(
            line[0],
            totals.get((line, "flops"), ZERO),
            totals.get((line, Direction.LOAD.value), ZERO),
            totals.get((line, Direction.STORE.value), ZERO),
            totals.get((line, "runs"), ZERO),
            line[1],
        )
        for line in lines
    )


def _line(statement: StatementDomain) -> _Line:
    return statement.node.span.line, statement.node.span.path


def _line_numbers(statement: StatementDomain, first: Mapping[_Line, StatementDomain]) -> dict[tuple[_Line, str], int]:
    """Return bytes of a statement; a line runs as often as its first statement."""
    line = _line(statement)
    numbers = {(line, "runs"): 1} if first[line] is statement else {}
    for direction, size_bytes, amount in sizes_of(statement):
        key = (line, direction.value)
        numbers[key] = numbers.get(key, 0) + amount * size_bytes
    return numbers


def _order(key: OperationKey) -> tuple[str, str, str]:
    return (key.precision.value, key.operation.value, key.function)
