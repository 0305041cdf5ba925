"""Arguments to the files to analyze: files, folders, patterns, and the files of a compilation database.

A folder stands for the C, C++ and CUDA sources below it (headers are read where they are included), without what
``.gitignore`` files or ``--exclude`` leave out, hidden folders, and links to folders.  Files that are named are taken
as they are.  The order is that of the arguments, and alphabetical within one.

All that one call is given is one program: what a function calls is looked for in its other files, the nearest first.
A kernel's launch is looked for among the files that are named, and in the same folder.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from analyzer.data_files.files import read_bytes
from analyzer.errors import AnalyzerError, OptionError, SourceError
from analyzer.frontend.compile_commands import files_in
from analyzer.python.regex import regex

from ..options import STANDARD_INPUT
from .ignoring import IgnoreRules

_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".hip"})
_SPECIAL = frozenset("*?[")
_LINE_END = regex(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_LINE = regex(r"\r?\n")
_NAMED = ""
_ANY_FOLDERS = "**"


class Selected(Struct, frozen=True):
    """A file, and the part of the program (any text) with the launches of its kernels."""

    path: str
    part: str


class Selection(Struct, frozen=True):
    """The files, each once, and errors for the arguments that cannot be used."""

    files: tuple[Selected, ...]
    errors: tuple[AnalyzerError, ...]

    def parts(self) -> list[list[str]]:
        """Return the files of every part of the program: launches are looked for in one of them."""
        parts: dict[str, list[str]] = {}
        for file in self.files:
            parts.setdefault(file.part, []).append(file.path)
        return list(parts.values())


def select(arguments: Sequence[str], exclude: Sequence[str] = (), compile_commands: str | None = None) -> Selection:
    """Find the files; without arguments those of the compilation database. Raises ``OptionError``."""
    if not arguments and compile_commands is not None:
        arguments = [_short(path) for path in files_in(compile_commands) if path.suffix.lower() in _SUFFIXES]
    errors: list[AnalyzerError] = []
    if all(argument == STANDARD_INPUT or os.path.isfile(argument) for argument in arguments):  # nothing to look for
        chosen = [Selected(path, _NAMED) for path in arguments]
    else:
        chosen = list(_all(arguments, _Excluded(exclude, errors), errors))
    named = {file.path: file for file in chosen}
    for path in [path for path in named if _LINE_END.search(path)]:  # it could pass for lines of a report, or of a log
        del named[path]
        errors.append(SourceError("has a line end in its name and is left out", path=_LINE_END.sub("?", path)))
    return Selection(tuple(named.values()), tuple(errors))


def _all(arguments: Iterable[str], excluded: _Excluded, errors: list[AnalyzerError]) -> Iterator[Selected]:
    for argument in arguments:
        if os.path.isdir(argument):
            found = list(_below(Path(argument), excluded, errors))
            if not found:
                hint = "name other folders; files of .gitignore and --exclude do not count"
                errors.append(SourceError("holds no C, C++ or CUDA source", path=argument, hint=hint))
            yield from found
        elif _SPECIAL.isdisjoint(argument) or os.path.exists(argument):
            yield Selected(argument, _NAMED)
        else:
            paths = sorted(path for path in _matches(argument) if os.path.isfile(path))
            if not paths:
                errors.append(SourceError("matches no file", path=argument, hint="** stands for any folders"))
            yield from (Selected(path, os.path.dirname(path)) for path in paths if not excluded.holds(path))


def _matches(pattern: str) -> Iterator[str]:
    """Yield the paths that a pattern matches; ``**`` enters no hidden folders and no links to folders."""
    parts = Path(pattern).parts
    if _ANY_FOLDERS not in parts:
        yield from glob.iglob(pattern)
        return
    first = next(index for index, part in enumerate(parts) if not _SPECIAL.isdisjoint(part))
    rest = [part if part == _ANY_FOLDERS else part.replace(_ANY_FOLDERS, "*") for part in parts[first:]]
    top = Path(*parts[:first])
    for path in top.glob("/".join([*rest, "*"] if rest[-1] == _ANY_FOLDERS else rest)):
        hidden = (part for part in path.relative_to(top).parts if part.startswith("."))
        if all(part in rest for part in hidden):
            yield str(path)


def _below(top: Path, excluded: _Excluded, errors: list[AnalyzerError]) -> Iterator[Selected]:
    """Yield sources in a folder and below, folder by folder."""

    def unreadable(error: OSError) -> None:
        errors.append(SourceError(f"cannot be read: {error.strerror}", path=str(error.filename)))

    for folder, folders, names in os.walk(top, onerror=unreadable):
        excluded.enter(folder)
        folders[:] = sorted(
            name for name in folders if name[0] != "." and not excluded.holds(os.path.join(folder, name), folder=True)
        )
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.splitext(name)[1].lower() not in _SUFFIXES or excluded.holds(path):
                continue
            if os.path.exists(path) and not os.path.isfile(path):
                errors.append(SourceError("is a pipe or a device, which only reads when it is named", path=path))
                continue
            yield Selected(path, folder)


class _Excluded:
    """The paths that ``--exclude`` and the ``.gitignore`` files of the folders met so far leave out."""

    def __init__(self, patterns: Sequence[str], errors: list[AnalyzerError]) -> None:
        self._errors = errors
        self._own = IgnoreRules(patterns)
        self._of: dict[str, IgnoreRules | None] = {}

    def enter(self, folder: str) -> None:
        """Read the ``.gitignore`` of a folder, and those above it up to the root of its repository."""
        current = os.path.abspath(folder)
        while current not in self._of:
            self._of[current] = self._rules_in(current)
            above = os.path.dirname(current)
            if above == current or os.path.lexists(os.path.join(current, ".git")):
                return
            current = above

    def holds(self, path: str, *, folder: bool = False) -> bool:
        """Return whether a path is left out: by ``--exclude``, else by the nearest ``.gitignore`` that speaks of it."""
        ending = "/" if folder else ""
        if self._own.verdict(os.path.normpath(path) + ending):
            return True
        current = os.path.abspath(path)
        above = os.path.dirname(current)
        while above in self._of:
            rules = self._of[above]
            verdict = None if rules is None else rules.verdict(os.path.relpath(current, above) + ending)
            if verdict is not None:
                return verdict
            if os.path.exists(os.path.join(above, ".git")) or above == os.path.dirname(above):
                return False
            above = os.path.dirname(above)
        return False

    def _rules_in(self, folder: str) -> IgnoreRules | None:
        path = os.path.join(folder, ".gitignore")
        if not os.path.lexists(path):
            return None
        try:
            text = read_bytes(path, error=OptionError).decode("utf-8", "surrogateescape")
            return IgnoreRules(_LINE.split(text), path)
        except OptionError as error:
            self._errors.append(error)
            return None


def _short(path: Path) -> str:
    """Return a path relative to the current folder where it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
