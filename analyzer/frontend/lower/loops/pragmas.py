"""Pragmas above a loop: the mapping of its iterations to hardware, and its unroll factor.

>>> parallelism(("omp parallel for collapse(2) schedule(static)",))
Parallelism(mapping=<Mapping.THREADS: 'threads'>, loops=2, unroll=None, threads='', library='')
>>> parallelism(("GCC unroll 4", "GCC ivdep"))
Parallelism(mapping=<Mapping.SIMD: 'simd'>, loops=1, unroll=4, threads='', library='')
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from ....ir.nodes import Mapping

_WORDS = re.compile(r"[A-Za-z_]\w*")
_COLLAPSE = re.compile(r"\bcollapse\s*\(\s*(\d+)\s*\)")
_THREADS = re.compile(r"\bnum_threads\s*\(\s*([^()]*?)\s*\)")
_LIBRARY = re.compile(r"\blibrary\s*\(\s*(\w+)\s*\)")  # in our headers
_UNROLL = re.compile(r"\bunroll\b\s*(?:\(\s*(\d+)\s*\)|(\d+))?")
_VECTOR = frozenset({"ivdep", "vector", "simd"})


class Parallelism(Struct, frozen=True):
    """The mapping of ``loops`` perfectly nested loops, and the unroll factor (None: not stated).

    ``threads`` is the number of threads that a pragma states, or an expression; empty where none does.  ``library`` is
    the one that runs the loop.
    """

    mapping: Mapping = Mapping.SEQUENTIAL
    loops: int = 1
    unroll: int | None = None
    threads: str = ""
    library: str = ""


def parallelism(pragmas: Iterable[str]) -> Parallelism:
    """Return the mapping and the unroll factor that the pragmas above one loop state together."""
    found = Parallelism()
    for text in pragmas:
        words = _WORDS.findall(text.split("#", 1)[0])
        unroll = _UNROLL.search(text)
        if unroll is not None:
            factor = unroll[1] or unroll[2]
            found = replace(found, unroll=int(factor) if factor else found.unroll)
        mapping = _mapping(words)
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
