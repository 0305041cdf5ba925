"""Which files of a program have to do with one of them, by the names in their text: who defines what others call.

A scan, not a parse: it decides which files are worth parsing to find the launches of a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from ..source import SourceFile

_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;{}()]*>\s*)?(?:\(|<<<)")
_BODY = re.compile(r"\b([A-Za-z_]\w*)\s*\((?:[^(){};]|\([^(){};]*\))*\)\s*(?:const\s*)?(?:noexcept\s*)?\{")
_NO_NAME = frozenset({"if", "for", "while", "switch", "catch", "main", "return", "sizeof"})
_LONGEST = 2_000_000


class _Names(Struct, frozen=True):
    defined: frozenset[str]
    called: frozenset[str]


def linked_with(source: SourceFile, others: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """The other files that call into this one or that it calls into, themselves or by way of others; in order."""
    left = [(other, _names(other.text)) for other in others]
    found: set[str] = set()
    waiting = [_names(source.text)]
    while waiting:
        names = waiting.pop()
        apart = []
        for other, theirs in left:
            if names.defined.isdisjoint(theirs.called) and theirs.defined.isdisjoint(names.called):
                apart.append((other, theirs))
            else:
                found.add(other.path)
                waiting.append(theirs)
        left = apart
    return tuple(other for other in others if other.path in found)


def components(files: Iterable[SourceFile]) -> dict[str, tuple[str, ...]]:
    """Of every file of a program all that have to do with it, itself among them; takes time linear in their text."""
    by_name: dict[str, tuple[list[str], list[str]]] = {}
    leader: dict[str, str] = {}

    def found(path: str) -> str:
        while leader[path] != path:
            leader[path] = path = leader[leader[path]]
        return path

    for file in files:
        leader[file.path] = file.path
        names = _names.__wrapped__(file.text)  # each text is asked for once
        for side, group in enumerate((names.defined, names.called)):
            for name in group:
                by_name.setdefault(name, ([], []))[side].append(file.path)
    for defined, called in by_name.values():
        if defined and called:
            for path in (*defined, *called):
                leader[found(path)] = found(defined[0])
    groups: dict[str, list[str]] = {}
    for path in leader:
        groups.setdefault(found(path), []).append(path)
    whole = {first: tuple(group) for first, group in groups.items()}
    return {path: whole[found(path)] for path in leader}


@lru_cache(maxsize=1024)
def _names(text: str) -> _Names:
    """Names of function bodies and names that are called, a file's own bodies left out of the latter."""
    text = text[:_LONGEST]
    defined = frozenset(_BODY.findall(text)) - _NO_NAME
    return _Names(defined, frozenset(_NAME.findall(text)) - defined - _NO_NAME)
