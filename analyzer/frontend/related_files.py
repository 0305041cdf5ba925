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

from ..python.regex import regex
from ..source import SourceFile
from .text.lexical import without_comments

_NAME = regex(r"\b([A-Za-z_]\w*)\s*(?:<[^<>;{}()]*>\s*)?(?:\(|<<<)")
_BODY = regex(
    r"\b([A-Za-z_]\w*)\s*\((?:[^(){};]|\([^(){};]*\))*\)\s*"
    r"(?:(?:const|noexcept(?:\s*\([^(){};]*\))?|override|final|throw\s*\(\s*\)|&|->[^(){};]*+)\s*)*+"
    r"(?:__attribute__\s*\(\([^(){};]*(?:\([^(){};]*\)[^(){};]*)*\)\)\s*)?"
    r"(?:(?!return\b)[A-Za-z_][\w \t\n*,\[\]]*;\s*)*"  # types of parameters before ANSI C
    r"(?::[^:;{}][^;{}]*)?\{"
)
_EXTERN = regex(r"^[ \t]*extern\b[^;(){}\"]*;", re.MULTILINE)
_GLOBAL = regex(r"^(?!extern\b|static\b|typedef\b|using\b|return\b)[A-Za-z_][^;(){}=#\"]*(?=[=;])", re.MULTILINE)
_MACRO = regex(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
_DECLARED = regex(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:,|;|=|\Z)")
_STATIC = regex(r"\bstatic\b")
_CONDITION = regex(
    r"^[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif)\b"
    r"(?:(?<=ifdef)[ \t]+(\w+)|[ \t]+defined[ \t]*\(?[ \t]*(\w+)[ \t]*\)?[ \t]*$)?",
    re.MULTILINE,
)
_WORD = regex(r"[A-Za-z_]\w*")
_CALLED = regex(r"\b([A-Za-z_]\w*)\s*\(")
_CONTROL = frozenset({"if", "for", "while", "switch", "catch", "return", "sizeof"})
_NO_NAME = _CONTROL | {"main"}
_LONGEST = 2_000_000
_MOST_NEEDED = 40
_MOST_DEFINERS = 4
_MACROS_IN_MACROS = 3


class _Names(Struct, frozen=True):
    defined: frozenset[str]
    called: frozenset[str]


class _Body(Struct, frozen=True):
    """A function body: its name, the names that it calls and mentions, and the macros that a build needs for it.

    What a function of the file alone calls and mentions is called and mentioned by its callers, too.
    """

    name: str
    called: frozenset[str]
    mentioned: frozenset[str]
    is_static: bool
    needs: frozenset[str]


class _Outline(Struct, frozen=True):
    """The function bodies of a file, its globals that others may name, and names that it declares ``extern``.

    ``macros`` are its macros with the names in their texts.
    """

    bodies: tuple[_Body, ...]
    globals: frozenset[str]
    foreign: frozenset[str]
    macros: Mapping[str, frozenset[str]]

    @property
    def is_program(self) -> bool:
        """Return whether the file has a ``main``."""
        return any(body.name == "main" for body in self.bodies)


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

    ``headers`` are texts that may define macros, and declare globals ``extern``.  At most 40 files, so that all files
    of a program cost a time linear in their number: those that define most of what is mentioned, also by macros.
    Where several files define a name, those that share most of its path, and bodies that need a macro that nothing
    defines only where there are no others.  A file with a ``main`` gives to the files of its folder without one.
    """
    outlines = {file.path: _outline(file.text) for file in files}
    headers = tuple(map(without_comments, headers))
    defined = [*map(_macros, headers), *(outline.macros for outline in outlines.values())]
    macros, given = _known_macros(defined, outlines), frozenset[str]().union(*defined)
    programs = frozenset(path for path, outline in outlines.items() if outline.is_program)
    definers = _Definers({}, {}, {}, {}, programs)
    shared = frozenset[str]().union(*map(_foreign, headers))
    named = shared.union(*(outline.foreign for outline in outlines.values()))
    for path, outline in outlines.items():
        foreign = shared | outline.foreign
        for name in outline.globals & named:
            definers.globals.setdefault(name, []).append(path)
        for body in outline.bodies:
            if not body.is_static and body.name not in _NO_NAME:
                for found, names in ((definers.calls, body.called), (definers.mentions, body.mentioned)):
                    known = found.setdefault((body.name, path), set())
                    known |= _expanded(names, macros) - (named - foreign)
                likely = definers.bodies.setdefault(body.name, {})
                likely[path] = likely.get(path, False) or body.needs <= given
    return {path: _needed(path, outline, macros, definers) for path, outline in outlines.items()}


class _Definers(Struct, frozen=True):
    """The files that define functions, each likely or not, and globals; what their functions call and mention.

    ``programs`` are the files with a ``main``.
    """

    bodies: dict[str, dict[str, bool]]
    globals: dict[str, list[str]]
    calls: dict[tuple[str, str], set[str]]
    mentions: dict[tuple[str, str], set[str]]
    programs: frozenset[str]

    def of(self, name: str, path: str) -> list[str]:
        """Return the files nearest to one of those that define a name."""
        bodies = self.bodies.get(name, {})
        likely = [other for other, is_likely in bodies.items() if is_likely]
        every = (*(likely or bodies), *self.globals.get(name, ()))
        return nearest(path, [other for other in every if self._may_give(other, path)])[:_MOST_DEFINERS]

    def _may_give(self, other: str, path: str) -> bool:
        beside = path not in self.programs and os.path.dirname(other) == os.path.dirname(path)
        return beside or other not in self.programs


def _known_macros(
    found: Iterable[Mapping[str, frozenset[str]]], outlines: Mapping[str, _Outline]
) -> dict[str, frozenset[str]]:
    """Return the macros that lead to a name that the program defines, each with the names that it leads to."""
    defined = {body.name for outline in outlines.values() for body in outline.bodies} - _NO_NAME
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


def _needed(path: str, outline: _Outline, macros: Mapping[str, frozenset[str]], definers: _Definers) -> tuple[str, ...]:
    found: dict[str, None] = {}
    own = {body.name for body in outline.bodies}
    for reached, ours in (
        (definers.calls, (body.called for body in outline.bodies)),
        (definers.mentions, (body.mentioned for body in outline.bodies)),
    ):
        first = Counter(name for names in ours for name in _expanded(names, macros) - own)
        _add_definers(found, path, first, definers, reached)
    return tuple(found)


def _add_definers(
    found: dict[str, None],
    path: str,
    names: Counter[str],
    definers: _Definers,
    reached: Mapping[tuple[str, str], set[str]],
) -> None:
    """Add the files that define some names, then what is reached from there, level by level, as there is room."""
    seen = set(names)
    while names and len(found) < _MOST_NEEDED:
        wanted: dict[str, int] = {}
        for name, times in sorted(names.items()):
            for other in definers.of(name, path):
                if other != path:
                    wanted[other] = wanted.get(other, 0) + times
        new = sorted(wanted.keys() - found.keys(), key=lambda other: (-wanted[other], other))
        found |= dict.fromkeys(new[: _MOST_NEEDED - len(found)])
        taken = sorted(wanted.keys() & found.keys())
        inner = (reached.get((name, other), ()) for name in sorted(names) for other in taken)
        names = Counter(name for some in inner for name in some if name not in seen)
        seen |= names.keys()


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
    parts = [(name, start, end) for (start, name), (end, _) in pairwise([*starts, (len(text), "")])]
    static = [_is_static(text, start) for _, start, _ in parts]
    called, mentioned = (
        _with_static([(name, frozenset(found.findall(text, start, end))) for name, start, end in parts], static)
        for found in (_CALLED, _WORD)
    )
    needs = _conditions_at(text, [start for _, start, _ in parts])
    bodies = (
        _Body(name, calls, names, is_static, needed)
        for (name, _, _), calls, names, is_static, needed in zip(parts, called, mentioned, static, needs, strict=True)
    )
    declared = (name for found in _GLOBAL.findall(text) for name in _DECLARED.findall(found))
    return _Outline(tuple(bodies), frozenset(declared), _foreign(text), _macros(text))


def _is_static(text: str, start: int) -> bool:
    """Return whether ``static`` stands in front of the name of a function."""
    behind = max(text.rfind(mark, 0, start) for mark in ";{}#") + 1
    return _STATIC.search(text, behind, start) is not None


def _with_static(bodies: Sequence[tuple[str, frozenset[str]]], static: Sequence[bool]) -> list[frozenset[str]]:
    """Return the names in each body, with those in the functions of the file alone that it names.

    Such a function may overload one that other files call.
    """
    of_static: dict[str, frozenset[str]] = {}
    for (name, names), is_static in zip(bodies, static, strict=True):
        if is_static:
            of_static[name] = of_static.get(name, frozenset()) | names
    return [_with_reached(names | of_static.get(name, frozenset()), of_static) - {name} for name, names in bodies]


def _with_reached(names: frozenset[str], static: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found, waiting = set(names), [name for name in names if name in static]
    while waiting:
        new = static[waiting.pop()] - found
        found |= new
        waiting += [name for name in new if name in static]
    return frozenset(found)


def _conditions_at(text: str, starts: Sequence[int]) -> list[frozenset[str]]:
    """Return for each position, in order, the macros of the ``#ifdef`` and ``#if defined`` around it."""
    open_ones: list[str] = []
    found = []
    directives = iter([*_CONDITION.finditer(text)])
    directive = next(directives, None)
    for start in starts:
        while directive is not None and directive.start() < start:
            kind, asked = directive[1], directive[2] or directive[3] or ""
            if kind.startswith("if"):
                open_ones.append(asked)
            elif open_ones and kind == "endif":
                open_ones.pop()
            elif open_ones:
                open_ones[-1] = ""
            directive = next(directives, None)
        found.append(frozenset(name for name in open_ones if name and not name.startswith("__")))
    return found


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
    return outline.globals.union(body.name for body in outline.bodies if not body.is_static)


@lru_cache(maxsize=1024)
def _names(text: str) -> _Names:
    """Return names of function bodies and names that are called, a file's own bodies left out of the latter."""
    text = without_comments(text[:_LONGEST])
    defined = frozenset(_BODY.findall(text)) - _NO_NAME
    return _Names(defined, frozenset(_NAME.findall(text)) - defined - _NO_NAME)
