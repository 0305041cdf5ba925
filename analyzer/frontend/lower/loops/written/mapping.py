"""What pragmas map the iterations of a loop to: threads, teams and lanes."""

from __future__ import annotations

from msgspec.structs import replace

from .....ir.nodes import Mapping, Offload
from ...flow import Flow
from ...names.bindings import Integer
from ...state import State
from .pragmas import Parallelism, parallelism
from .source import LoopSource


def mapping_of(flow: Flow, source: LoopSource) -> Parallelism:
    """Return the mapping that pragmas give to this loop; ``collapse`` reaches the loops inside."""
    own = parallelism(source.pragmas)
    mapping, left = flow.collapse
    if own.mapping is Mapping.SEQUENTIAL and left > 0:
        return replace(own, mapping=mapping, loops=left)
    return own


def threads(state: State, parallel: Parallelism) -> int | None:
    """Return how many threads the source asks for, by a number or a variable of known value."""
    return _number(state, parallel.threads) if parallel.threads else state.flow.threads


def _number(state: State, text: str) -> int | None:
    """Return the value of a number or of a variable; None where it is not known."""
    if text.isdecimal():
        return int(text)
    for (variable, path), bound in state.environment.bindings.items():
        if variable.name == text and not path and isinstance(bound, Integer):
            return state.symbols.value_of(bound.value)
    return None


def offload(state: State, parallel: Parallelism) -> Offload | None:
    """Return how directives put a loop on a GPU; None where they do not."""
    found = parallel.directive
    if found is None:
        return None
    return Offload(
        model=found.model,
        blocks=found.blocks,
        threads=found.threads,
        loops=parallel.loops,
        by_compiler=found.by_compiler,
        teams=_number(state, found.teams),
        size=_number(state, found.size),
    )
