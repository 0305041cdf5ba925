"""Pragmas above a loop: the mapping of its iterations to hardware, and its unroll factor.

>>> found = parallelism(("omp parallel for collapse(2) schedule(static)",))
>>> found.mapping, found.loops, found.directive
(<Mapping.THREADS: 'threads'>, 2, None)
>>> found = parallelism(("GCC unroll 4", "GCC ivdep"))
>>> found.mapping, found.unroll
(<Mapping.SIMD: 'simd'>, 4)
>>> parallelism(("omp target", "omp teams distribute parallel for thread_limit(256)")).directive
Directive(model=<OffloadModel.OPENMP: 'OpenMP'>, blocks=True, threads=True, by_compiler=False, teams='', size='256')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from .....ir.nodes import Mapping, OffloadModel
from .....python.regex import regex
from ....surface.nodes import TIMED

_WORDS = regex(r"[A-Za-z_]\w*")
_COLLAPSE = regex(r"\bcollapse\s*\(\s*(\d+)\s*\)")
_THREADS = regex(r"\bnum_threads\s*\(\s*([^()]*?)\s*\)")
_LIBRARY = regex(r"\blibrary\s*\(\s*(\w+)\s*\)")  # in our headers
_UNROLL = regex(r"\bunroll\b\s*(?:\(\s*(\d+)\s*\)|(\d+))?")
_VECTOR = frozenset({"ivdep", "vector", "simd"})
_ARGUMENT = regex(r"\([^()]*\)")
_TEAMS = regex(r"\b(?:num_teams|num_gangs)\s*\(\s*(?:[^():]*:)?\s*([^()]*?)\s*\)")
_SIZE = regex(r"\b(?:thread_limit|num_threads|vector_length|vector)\s*\(\s*(?:length:)?\s*([^()]*?)\s*\)")


class Directive(Struct, frozen=True):
    """What the pragmas above a loop say of the GPU that it runs on.

    ``blocks`` and ``threads`` share its iterations, the compiler decides by which of them (``by_compiler``).  ``teams``
    and ``size`` are the number of blocks and of threads in one, as numbers or expressions; empty where not stated.
    """

    model: OffloadModel
    blocks: bool
    threads: bool
    by_compiler: bool = False
    teams: str = ""
    size: str = ""


class Parallelism(Struct, frozen=True):
    """The mapping of ``loops`` perfectly nested loops, and the unroll factor (None: not stated).

    ``threads`` is the number of threads that a pragma states, or an expression; empty where none does.  ``library`` is
    the one that runs the loop.  Its iterations may run in ``lanes`` besides.  A loop with a ``directive`` runs on a GPU
    where there is one; one that is ``timed`` is repeated by a library of benchmarks.
    """

    mapping: Mapping = Mapping.SEQUENTIAL
    loops: int = 1
    unroll: int | None = None
    threads: str = ""
    library: str = ""
    lanes: bool = False
    directive: Directive | None = None
    timed: bool = False


def parallelism(pragmas: Sequence[str]) -> Parallelism:
    """Return the mapping and the unroll factor that the pragmas above one loop state together."""
    found = Parallelism(directive=_directive(pragmas), timed=TIMED in pragmas)
    for text in pragmas:
        words = _WORDS.findall(text.split("#", 1)[0])
        unroll = _UNROLL.search(text)
        if unroll is not None:
            factor = unroll[1] or unroll[2]
            found = replace(found, unroll=int(factor) if factor else found.unroll)
        mapping = _mapping(words)
        found = replace(found, lanes=found.lanes or (words[:1] == ["omp"] and "simd" in words))
        if mapping is None or found.mapping in (Mapping.THREADS, Mapping.GANG):
            continue
        collapse, threads, library = (clause.search(text) for clause in (_COLLAPSE, _THREADS, _LIBRARY))
        loops = int(collapse[1]) if collapse else 1
        found = replace(
            found,
            mapping=mapping,
            loops=loops,
            threads=threads[1] if threads else "",
            library=library[1] if library else "",
        )
    return found


def _directive(pragmas: Iterable[str]) -> Directive | None:
    """Return what pragmas say of a GPU; None where they put nothing on one."""
    texts = [text for text in pragmas if text.startswith(("omp", "acc"))]
    words = {word for text in texts for word in _WORDS.findall(_without_arguments(text))}
    teams, sizes = ([found[1] for text in texts if (found := clause.search(text))] for clause in (_TEAMS, _SIZE))
    stated = (*teams, "")[0], (*sizes, "")[0]
    if "target" in words:
        blocks, threads = bool(words & {"teams", "distribute"}), bool(words & {"parallel", "loop"})
        return Directive(OffloadModel.OPENMP, blocks, threads, False, *stated)
    if "acc" in words and words & {"parallel", "kernels", "serial"}:
        is_serial = bool(words & {"serial", "seq"})
        by_vector = bool(words & {"vector", "worker"})
        by_gang = not is_serial and ("gang" in words or not by_vector)
        by_compiler = not is_serial and not words & {"gang", "vector", "worker"}
        return Directive(OffloadModel.OPENACC, by_gang, by_vector, by_compiler, *stated)
    return None


def _without_arguments(text: str) -> str:
    """Return a pragma without what stands in parentheses."""
    changed = 1
    while changed:
        text, changed = _ARGUMENT.subn(" ", text)
    return text


def _mapping(words: list[str]) -> Mapping | None:
    if not words:
        return None
    head, rest = words[0], set(words[1:])
    if head == "omp":
        if rest & {"for", "distribute", "taskloop"} or {"teams", "loop"} <= rest:
            return Mapping.THREADS
        return Mapping.SIMD if "simd" in rest else None
    if head == "acc":
        if "loop" in rest and "seq" not in rest and not ({"vector"} & rest and "gang" not in rest):
            return Mapping.GANG
        return Mapping.SIMD if "vector" in rest else None
    return Mapping.SIMD if _VECTOR & {head, *words[1:2], *words[2:3]} else None
