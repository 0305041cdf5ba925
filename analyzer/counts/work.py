"""Work of a region: operations by kind and precision, FLOPs under the policy, FMA share, work per source line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.types import ScalarType
from ..poly.domains import Site
from ..poly.quantity import ZERO, Quantity, add
from .operations import instructions_of, operations_of
from .policy import FlopPolicy
from .references import Direction, references_of
from .shapes import LineWork, OperationKey, Work
from .tally import tally


def work_of(sites: Sequence[Site], policy: FlopPolicy, *, contract: bool) -> Work:
    """Count everything that the statements compute."""
    operations = tally(sites, lambda site: operations_of(site.statement.value))
    by_precision: dict[ScalarType, list[Quantity]] = {}
    integer: list[Quantity] = []
    for key, quantity in operations.items():
        weight = policy.flops(key)
        if weight:
            by_precision.setdefault(key.precision, []).append(quantity * weight)
        elif key.precision.is_integer:
            integer.append(quantity)
    flops = {precision: add(parts) for precision, parts in by_precision.items()}
    instructions = tally(sites, lambda site: instruction_numbers(site, contract=contract))
    index = tally(sites, lambda site: {"index": site.statement.index_operations})
    return Work(
        operations=dict(sorted(operations.items(), key=lambda item: _order(item[0]))),
        flops=add(flops.values()) if flops else ZERO,
        flops_by_precision=flops,
        fma_instructions=instructions.get("fused", ZERO),
        flop_instructions=instructions.get("total", ZERO),
        integer_operations=add(integer) if integer else ZERO,
        index_operations=index.get("index", ZERO),
    )


def lines_of(sites: Sequence[Site], policy: FlopPolicy) -> tuple[LineWork, ...]:
    """Work by source line, in order."""
    first = {site.statement.span.line: site for site in reversed(sites)}
    totals = tally(sites, lambda site: _line_numbers(site, policy, first))
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


def flops_of(site: Site, policy: FlopPolicy) -> int:
    """FLOPs of one execution of a statement."""
    return sum(policy.flops(key) * number for key, number in operations_of(site.statement.value).items())


def instruction_numbers(site: Site, *, contract: bool) -> dict[str, int]:
    """Floating-point instructions of one execution: ``fused`` ones among the ``total``."""
    found = instructions_of(site.statement.value, contract=contract)
    return {"fused": found.fused, "total": found.total}


def _line_numbers(site: Site, policy: FlopPolicy, first: Mapping[int, Site]) -> dict[tuple[int, str], int]:
    """FLOPs and bytes of a statement; a line runs as often as its first statement."""
    line = site.statement.span.line
    numbers = {(line, "flops"): flops_of(site, policy)}
    if first[line] is site:
        numbers[line, "runs"] = 1
    for reference in references_of(site):
        key = (line, reference.direction.value)
        numbers[key] = numbers.get(key, 0) + reference.access.type.size_bytes
    return numbers


def _order(key: OperationKey) -> tuple[str, str, str]:
    return (key.precision.value, key.operation.value, key.function)
