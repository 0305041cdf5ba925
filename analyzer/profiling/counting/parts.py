"""Parts of a region that are profiled together: the region, its nests, and the statements outside of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from ...counts.references import RegisterReference
from ...domains.domain import StatementDomain
from ...ir.nodes import Node, RegionKind
from ...source import Span

References = Callable[[Sequence[StatementDomain]], Sequence[RegisterReference]]
"""What statements read and write in memory."""


class Part(Struct, frozen=True):
    """Statements that are profiled together, and the nodes that they are in: a region, a nest, statements outside."""

    name: str
    kind: RegionKind
    span: Span
    statements: Sequence[StatementDomain]
    body: tuple[Node, ...] = ()


def statements_of(part: Part, every: Sequence[StatementDomain]) -> list[StatementDomain]:
    """Return those of some statements that are in the outermost loops of a part."""
    loops = {statement.loops[0].source_iterator for statement in part.statements if statement.loops}
    has_others = any(not statement.loops for statement in part.statements)
    return [each for each in every if (each.loops[0].source_iterator in loops if each.loops else has_others)]
