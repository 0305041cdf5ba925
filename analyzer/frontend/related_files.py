"""Which files of a program have to do with one of them, by the names in their text: who defines what others call.

A scan, not a parse: it decides which files are worth parsing to find the launches of a kernel, or the bodies and
globals that a file of C or C++ takes from others (:mod:`.linking`).
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from msgspec import Struct

from ..source import SourceFile
from .text.lexical import without_comments

_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;{}()]*>\s*)?(?:\(|<<<)")
_BODY = re.compile(
    r"\b([A-Za-z_]\w*)\s*\((?:[^(){};]|\([^(){};]*\))*\)\s*"
    r"(?:(?:const|noexcept(?:\s*\([^(){};]*\))?|override|final|throw\s*\(\s*\)|&|->[^(){};]*+)\s*)*+"
    r"(?:__attribute__\s*\(\([^(){};]*(?:\([^(){};]*\)[^(){};]*)*\)\)\s*)?"
    r"(?:(?!return\b)[A-Za-z_][\w \t\n*,\[\]]*;\s*)*"  # types of parameters before ANSI C
    r"(?::[^:;{}][^;{}]*)?\{"
)
_EXTERN = re.compile(r"^[ \t]*extern\b[^;(){}\"]*;", re.MULTILINE)
_GLOBAL = re.compile(r"^(?!extern\b|static\b|typedef\b|using\b|return\b)[A-Za-z_][^;(){}=#\"]*(?=[=;])", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
_DECLARED = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:,|;|=|\Z)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CONTROL = frozenset({"if", "for", "while", "switch", "catch", "return", "sizeof"})
_NO_NAME = _CONTROL | {"main"}
_LONGEST = 2_000_000
_MOST_NEEDED = 16
_MOST_DEFINERS = 4
_MACROS_IN_MACROS = 3


class _Names(Struct, frozen=True):
    defined: frozenset[str]
    called: frozenset[str]


class _Outline(Struct, frozen=True):
    """The names of function bodies with those that each mentions, of globals that others may name, and of foreign ones.

    ``foreign`` are declared ``extern`` in the file or in a header of the program that it mentions.  ``macros`` are its
    macros with the names in their texts.
    """

    bodies: tuple[tuple[str, frozenset[str]], ...]
    globals: frozenset[str]
    foreign: frozenset[str]
    macros: Mapping[str, frozenset[str]]


def linked_with(source: SourceFile, others: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """Return, in order, the other files that call into this one or are called by it, themselves or by way of others."""
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
    """Return for every file of a program all that have to do with it, itself among them.

    Takes time linear in their text.
    """
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


def needed_files(files: Iterable[SourceFile], headers: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return for every file the others that define what it calls or names, itself or by way of them.

    ``headers`` are texts that may define macros, and declare globals ``extern``.  At most 16 files, so that all files
    of a program cost a time linear in their number: those that define most of what is mentioned, also by macros.
    Where several files define a name, those that share most of its path.
    """
    outlines = {file.path: _outline(file.text) for file in files}
    headers = tuple(map(without_comments, headers))
    macros = _known_macros([*map(_macros, headers), *(outline.macros for outline in outlines.values())], outlines)
    bodies: dict[str, dict[str, frozenset[str]]] = {}
    globals_of: dict[str, list[str]] = {}
    foreign = frozenset[str]().union(*map(_foreign, headers), *(outline.foreign for outline in outlines.values()))
    for path, outline in outlines.items():
        for name, mentioned in outline.bodies:
            if name not in _NO_NAME:
                known = bodies.setdefault(name, {})
                known[path] = known.get(path, frozenset()) | _expanded(mentioned, macros)
        for name in outline.globals & foreign:
            globals_of.setdefault(name, []).append(path)
    return {path: _needed(path, outline, macros, bodies, globals_of) for path, outline in outlines.items()}


def _known_macros(
    found: Iterable[Mapping[str, frozenset[str]]], outlines: Mapping[str, _Outline]
) -> dict[str, frozenset[str]]:
    """Return the macros that lead to a name that the program defines, each with the names that it leads to."""
    defined = {name for outline in outlines.values() for name, _ in outline.bodies} - _NO_NAME
    macros: dict[str, frozenset[str]] = {}
    for some in found:
        for name, names in some.items():
            macros[name] = macros.get(name, frozenset()) | names
    wanted = defined | macros.keys()
    macros = {name: names & wanted for name, names in macros.items()}
    for _ in range(_MACROS_IN_MACROS):
        macros = {name: _expanded(names, macros) for name, names in macros.items()}
    return {name: names & defined for name, names in macros.items() if not names.isdisjoint(defined)}


def _expanded(names: frozenset[str], macros: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return some names with those that the macros among them lead to."""
    return names.union(*(macros[name] for name in names & macros.keys()))


def _needed(
    path: str,
    outline: _Outline,
    macros: Mapping[str, frozenset[str]],
    bodies: dict[str, dict[str, frozenset[str]]],
    globals_of: dict[str, list[str]],
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    own = {name for name, _ in outline.bodies}
    named = (_expanded(mentioned, macros) - own for _, mentioned in outline.bodies)
    mentions = Counter(name for names in named for name in names)
    seen = set(mentions)
    while mentions and len(found) < _MOST_NEEDED:
        wanted: dict[str, int] = {}
        for name, times in sorted(mentions.items()):
            for other in nearest(path, [*bodies.get(name, {}), *globals_of.get(name, ())])[:_MOST_DEFINERS]:
                if other != path:
                    wanted[other] = wanted.get(other, 0) + times
        new = sorted(wanted.keys() - found.keys(), key=lambda other: -wanted[other])
        found |= dict.fromkeys(new[: _MOST_NEEDED - len(found)])
        taken = wanted.keys() & found.keys()
        reached = (bodies.get(name, {}).get(other, frozenset()) for name in sorted(mentions) for other in taken)
        mentions = Counter(name for names in reached for name in names - seen)
        seen |= mentions.keys()
    return tuple(found)


def nearest(path: str, others: Sequence[str]) -> list[str]:
    """Return those of some files that share most of the folders of a path, in order.

    >>> nearest("a/b/x.c", ["a/y.c", "a/b/z.c", "c/w.c"])
    ['a/b/z.c']
    """
    shared = {other: _shared_folders(path, other) for other in others}
    most = max(shared.values(), default=0)
    return [other for other, count in shared.items() if count == most]


def _shared_folders(path: str, other: str) -> int:
    ours, theirs = (os.path.dirname(item).split(os.sep) for item in (path, other))
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))))


def _outline(text: str) -> _Outline:
    text = without_comments(text[:_LONGEST])
    starts = [(match.start(1), match[1]) for match in _BODY.finditer(text) if match[1] not in _CONTROL]
    bodies = tuple(
        (name, frozenset(_WORD.findall(text, start, end)) - {name})
        for (start, name), (end, _) in pairwise([*starts, (len(text), "")])
    )
    declared = (name for found in _GLOBAL.findall(text) for name in _DECLARED.findall(found))
    return _Outline(bodies, frozenset(declared), _foreign(text), _macros(text))


def _macros(text: str) -> Mapping[str, frozenset[str]]:
    """Return the macros of a text with the names in what they stand for."""
    return {match[1]: frozenset(_WORD.findall(match[2])) for match in _MACRO.finditer(text)}


def _foreign(text: str) -> frozenset[str]:
    """Return the names of variables that a text declares ``extern``."""
    return frozenset(name for found in _EXTERN.findall(text) for name in _DECLARED.findall(found))


@lru_cache(maxsize=1024)
def names_defined_in(text: str) -> frozenset[str]:
    """Return the names of functions with a body and of globals in a text."""
    outline = _outline(text)
    return outline.globals.union(name for name, _ in outline.bodies)


@lru_cache(maxsize=1024)
def _names(text: str) -> _Names:
    """Return names of function bodies and names that are called, a file's own bodies left out of the latter."""
    text = without_comments(text[:_LONGEST])
    defined = frozenset(_BODY.findall(text)) - _NO_NAME
    return _Names(defined, frozenset(_NAME.findall(text)) - defined - _NO_NAME)
