"""What the iterations of a loop are mapped to: threads, teams and lanes, by pragmas and by libraries of threads."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .....ir.nodes import LIBRARIES, Guard, Loop, Mapping, Node, Offload, Range, Strided
from ....known_functions import table
from ....surface import nodes as sx
from ....surface.traverse import walk
from ...names.bindings import Integer
from ...state import State
from .pragmas import Parallelism, parallelism
from .source import LoopSource

_ON_DEVICE = {model.value: model for model in LIBRARIES}


def mapping_of(state: State, source: LoopSource, *, starts: bool) -> Parallelism:
    """Return the mapping that pragmas give to this loop, or threads; ``collapse`` reaches the loops inside.

    It ``starts`` threads, or something in it does.
    """
    own = parallelism(source.pragmas)
    is_open = own.mapping in (Mapping.SEQUENTIAL, Mapping.SIMD)
    library = state.flow.runs_in_parallel() or (starts and started_threads(state, source)) if is_open else ""
    if library:
        return replace(own, mapping=Mapping.THREADS, library=library)
    mapping, left, lanes = state.flow.collapse
    if own.mapping is Mapping.SEQUENTIAL and left > 0:
        return replace(own, mapping=mapping, loops=left, lanes=lanes)
    return own


def started_threads(state: State, source: LoopSource) -> str:
    """Return the library of the threads of which each iteration of a loop starts one; empty where it starts none.

    A loop whose iterations wait for threads themselves, or have a loop inside that starts them, is over something else:
    repetitions, or steps.
    """
    libraries = state.effects(source.body).threads
    if not libraries or "" in libraries:
        return ""
    inside = (node for node in walk(source.body) if isinstance(node, sx.For | sx.While))
    return "" if any(state.effects(loop.body).threads for loop in inside) else next(iter(libraries))


def in_threads(nodes: Sequence[Node], library: str, threads: int) -> list[Node]:
    """Return what so many threads run, one part each, as loops that all of them share.

    Each part then takes the time of its share, and all parts together that of the longest, as the threads run at once.
    """
    return [_in_threads(node, library, threads) for node in nodes]


def _in_threads(node: Node, library: str, threads: int) -> Node:
    match node:
        case Loop(mapping=Mapping.SEQUENTIAL):
            return replace(node, mapping=Mapping.THREADS, library=library, threads=threads)
        case Guard():
            body, orelse = (tuple(in_threads(part, library, threads)) for part in (node.body, node.orelse))
            return replace(node, body=body, orelse=orelse)
        case _:
            return node


def threads(state: State, parallel: Parallelism, values: Range) -> int | None:
    """Return how many threads the source asks for, by a number or a variable of known value.

    Of a loop whose iterations start threads it is the number of iterations.
    """
    if parallel.library and parallel.library in table().threads.values():
        return _iterations(state, values)
    return _number(state, parallel.threads) if parallel.threads else state.flow.threads


def _iterations(state: State, values: Range) -> int | None:
    if not isinstance(values, Strided):
        return None
    length = state.symbols.value_of(values.stop - values.start)
    return None if length is None else max(1, -(-abs(length) // abs(values.step)))


def _number(state: State, text: str) -> int | None:
    """Return the value of a number or of a variable; None where it is not known."""
    if text.isdecimal():
        return int(text)
    for (variable, path), bound in state.environment.bindings.items():
        if variable.name == text and not path and isinstance(bound, Integer):
            return state.symbols.value_of(bound.value)
    return None


def offload(state: State, parallel: Parallelism) -> Offload | None:
    """Return how directives, or the library that runs it on a device, put a loop on a GPU; None where they do not."""
    if state.flow.frames[-1].on_device and parallel.library in _ON_DEVICE:
        return Offload(_ON_DEVICE[parallel.library], blocks=True, threads=True)
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
