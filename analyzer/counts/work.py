"""Work of a region: operations by kind and precision, FLOPs under the policy, FMA share, work per source line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ..domains.domain import Site
from ..domains.quantity import ZERO, Quantity, add
from ..ir.types import ScalarType
from ..source import Span
from .instructions import Executed, executed
from .operations import not_counted_at, operations_at
from .policy import FlopPolicy
from .references import Direction, references_of
from .results import LineWork, NotCounted, OperationKey, Work
from .tally import tally


def work_of(sites: Sequence[Site], policy: FlopPolicy, *, contract: bool) -> Work:
    """Count everything that the statements compute."""
    operations = tally(sites, operations_at)
    integer = [quantity for key, quantity in operations.items() if key.precision.is_integer]
    ran = executed_totals(executed(sites, policy, contract=contract))
    index = tally(sites, lambda site: {"index": site.statement.index_operations})
    flops = add(ran.flops.values()) if ran.flops else ZERO
    rest = tuple(_not_counted(sites))
    return Work(
        operations=dict(sorted(operations.items(), key=lambda item: _order(item[0]))),
        flops=flops.at_least() if rest else flops,
        flops_by_precision=ran.flops,
        fma_instructions=ran.fused,
        flop_instructions=ran.total,
        integer_operations=add(integer) if integer else ZERO,
        index_operations=index.get("index", ZERO),
        not_counted=rest,
    )


def _not_counted(sites: Sequence[Site]) -> Iterator[NotCounted]:
    """What is not understood, each thing once, at the line where it stands first."""
    places: dict[str, Span] = {}
    for site in sites:
        for what in not_counted_at(site):
            places.setdefault(what, site.statement.span)
    runs = tally(sites, not_counted_at)
    return (NotCounted(what, span, runs[what]) for what, span in places.items() if not runs[what].upper.is_zero)


class ExecutedTotals(Struct, frozen=True):
    """What some sites execute in total: FLOPs by precision, and floating-point instructions."""

    flops: Mapping[ScalarType, Quantity]
    fused: Quantity
    total: Quantity


def executed_totals(ran: Sequence[tuple[Site, Executed]]) -> ExecutedTotals:
    """Executions of each site times what one of them executes."""
    one = dict(ran)
    flops = tally(one, lambda site: one[site].flops)
    instructions = tally(one, lambda site: {"fused": one[site].fused, "total": one[site].total})
    return ExecutedTotals(flops, instructions.get("fused", ZERO), instructions.get("total", ZERO))


def lines_of(sites: Sequence[Site], policy: FlopPolicy, *, contract: bool = True) -> tuple[LineWork, ...]:
    """Work by source line, in order."""
    first = {site.statement.span.line: site for site in reversed(sites)}
    ran = dict(executed(sites, policy, contract=contract))
    totals = tally(ran, lambda site: {(site.statement.span.line, "flops"): sum(ran[site].flops.values())})
    totals |= tally(sites, lambda site: _line_numbers(site, first))
    lines = sorted({line for line, _ in totals})
    return tuple(
        LineWork(
            line,
            totals.get((line, "flops"), ZERO),
            totals.get((line, Direction.LOAD.value), ZERO),
            totals.get((line, Direction.STORE.value), ZERO),
            totals.get((line, "runs"), ZERO),
        )
        for line in lines
    )


def _line_numbers(site: Site, first: Mapping[int, Site]) -> dict[tuple[int, str], int]:
    """Bytes of a statement; a line runs as often as its first statement."""
    line = site.statement.span.line
    numbers = {(line, "runs"): 1} if first[line] is site else {}
    for reference in references_of(site):
        key = (line, reference.direction.value)
        numbers[key] = numbers.get(key, 0) + reference.access.type.size_bytes
    return numbers


def _order(key: OperationKey) -> tuple[str, str, str]:
    return (key.precision.value, key.operation.value, key.function)
