"""The bytes of a nest of which no cache holds anything from one iteration of its outermost loop to the next.

A loop over time steps uses the same data in each iteration.  An ideal cache loads them once; caches that are smaller
than the data load them anew for each iteration, and for each nest in it.  Then the bytes are those of every iteration
of the loop, and of every nest in it, each with an ideal cache of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ..counts.references import references_of
from ..domains.domain import StatementDomain
from ..ir.index import var
from ..ir.values import Access
from ..profile import RegionProfile
from ..quantities.growth import growth
from ..quantities.quantity import add
from ..traffic.footprint import footprint_of
from ..traffic.results import LevelTraffic
from ..traffic.without_caches import compulsory_traffic


def streamed_of(
    nest: RegionProfile,
    statements: Sequence[StatementDomain],
    renamed: Mapping[Access, Access],
    past: frozenset[str] = frozenset(),
) -> LevelTraffic | None:
    """Return the streamed bytes of a nest; None where its sizes are known, or its intensity does not grow with them.

    Without FLOPs the intensity is that of references: bytes that they ask for over those that move.
    Stores to the arrays in ``past`` go past the caches.
    """
    traffic, values = nest.compulsory_traffic, nest.values
    moved = add((traffic.read_bytes, traffic.write_bytes)).estimate.bind(values)
    asked = nest.register_traffic
    work = nest.work.flops if not nest.work.flops.is_zero else add((asked.read_bytes, asked.write_bytes))
    done = work.estimate.bind(values)
    if nest.depth < 2 or not (done.symbols | moved.symbols):
        return None
    found = growth(done, moved)
    return None if found is None or found.power <= 0 else _streamed(statements, renamed, past)


def _streamed(
    statements: Sequence[StatementDomain], renamed: Mapping[Access, Access], past: frozenset[str]
) -> LevelTraffic:
    """Return the compulsory bytes of all iterations of the outermost loop; ``renamed`` as for :func:`footprint_of`."""
    parts: dict[str, list[StatementDomain]] = {}
    for statement in statements:
        parts.setdefault(statement.loops[1].iterator if len(statement.loops) > 1 else "", []).append(statement)
    found = [compulsory_traffic(footprint_of(part, _apart(part, renamed), None), past) for part in parts.values()]
    return replace(
        found[0],
        model="streamed",
        read_bytes=add(part.read_bytes for part in found),
        write_allocate_bytes=add(part.write_allocate_bytes for part in found),
        write_bytes=add(part.write_bytes for part in found),
    )


def _apart(statements: Sequence[StatementDomain], renamed: Mapping[Access, Access]) -> dict[Access, Access]:
    """Return the references as those to an array of its own for each iteration of the outermost loop."""
    iterator = var(statements[0].loops[0].iterator)
    found: dict[Access, Access] = {}
    for statement in statements:
        for reference in references_of(statement):
            access = renamed.get(reference.access, reference.access)
            found[reference.access] = replace(
                access,
                subscripts=(iterator, *access.subscripts),
                strides_bytes=(None, *access.strides_bytes),
            )
    return found
