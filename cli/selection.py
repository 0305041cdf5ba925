"""Arguments to the files to analyze: files, folders, patterns, and the files of a compilation database.

A folder stands for the C, C++ and CUDA sources below it (headers are read where they are included), without what
``.gitignore`` files or ``--exclude`` leave out, hidden folders, and links to folders.  Files that are named are taken
as they are.  The order is that of the arguments, and alphabetical within one.

Files that are named together are one program; of a folder, those in the same folder: a kernel's launch is looked for
in the other files of its program.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import OptionError, SourceError
from analyzer.frontend.compile_commands import files_in

from .options import STANDARD_INPUT

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".hip"})
_SPECIAL = frozenset("*?[")
_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NAMED = ""
_ANY_FOLDERS = "**"


@dataclass(frozen=True, slots=True)
class Selected:
    """A file, and the program (any text) that it belongs to."""

    path: str
    program: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The files, each once, and what could not be used of the arguments."""

    files: tuple[Selected, ...]
    errors: tuple[SourceError, ...]

    def programs(self) -> list[list[str]]:
        """The files of every program."""
        programs: dict[str, list[str]] = {}
        for file in self.files:
            programs.setdefault(file.program, []).append(file.path)
        return list(programs.values())


def select(arguments: Sequence[str], exclude: Sequence[str] = (), compile_commands: str | None = None) -> Selection:
    """Find the files; without arguments those of the compilation database. Raises ``OptionError``."""
    if not arguments and compile_commands is not None:
        arguments = [_short(path) for path in files_in(compile_commands) if path.suffix.lower() in _SUFFIXES]
    errors: list[SourceError] = []
    if all(argument == STANDARD_INPUT or os.path.isfile(argument) for argument in arguments):  # nothing to look for
        chosen = [Selected(path, _NAMED) for path in arguments]
    else:
        chosen = list(_all(arguments, _Excluded(exclude), errors))
    named = {file.path: file for file in chosen}
    for path in [path for path in named if _LINE_END.search(path)]:  # it could pass for lines of a report, or of a log
        del named[path]
        errors.append(SourceError("has a line end in its name and is left out", path=_LINE_END.sub("?", path)))
    return Selection(tuple(named.values()), tuple(errors))


def _all(arguments: Iterable[str], excluded: _Excluded, errors: list[SourceError]) -> Iterator[Selected]:
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
    """What a pattern matches; ``**`` follows no links to folders, which may lead back, and enters no hidden ones."""
    parts = Path(pattern).parts
    if _ANY_FOLDERS not in parts:
        yield from glob.iglob(pattern)
        return
    first = next(place for place, part in enumerate(parts) if not _SPECIAL.isdisjoint(part))
    rest = [part if part == _ANY_FOLDERS else part.replace(_ANY_FOLDERS, "*") for part in parts[first:]]
    top = Path(*parts[:first])
    for path in top.glob("/".join([*rest, "*"] if rest[-1] == _ANY_FOLDERS else rest)):
        hidden = (part for part in path.relative_to(top).parts if part.startswith("."))
        if all(part in rest for part in hidden):
            yield str(path)


def _below(top: Path, excluded: _Excluded, errors: list[SourceError]) -> Iterator[Selected]:
    """Sources in a folder and below, folder by folder."""

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
    """What ``--exclude`` and the ``.gitignore`` files of the folders met so far leave out."""

    def __init__(self, patterns: Sequence[str]) -> None:
        from pathspec import GitIgnoreSpec

        self._parse = GitIgnoreSpec.from_lines
        self._own = self._parse(patterns)
        self._of: dict[str, GitIgnoreSpec | None] = {}

    def enter(self, folder: str) -> None:
        """Read the ``.gitignore`` of a folder, and those above it up to the root of its repository."""
        place = os.path.abspath(folder)
        while place not in self._of:
            self._of[place] = self._read(place)
            above = os.path.dirname(place)
            if above == place or os.path.exists(os.path.join(place, ".git")):
                return
            place = above

    def holds(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path is left out: by ``--exclude``, else by the nearest ``.gitignore`` that speaks of it."""
        ending = "/" if folder else ""
        if self._own.match_file(os.path.normpath(path) + ending):
            return True
        place = os.path.abspath(path)
        above = os.path.dirname(place)
        while above in self._of:
            rules = self._of[above]
            verdict = None if rules is None else rules.check_file(os.path.relpath(place, above) + ending).include
            if verdict is not None:
                return verdict
            if os.path.exists(os.path.join(above, ".git")) or above == os.path.dirname(above):
                return False
            above = os.path.dirname(above)
        return False

    def _read(self, folder: str) -> GitIgnoreSpec | None:
        try:
            with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="replace") as stream:
                return self._parse(stream)
        except OSError:
            return None


def _short(path: Path) -> str:
    """Relative to the current folder where it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def check_standard_input(arguments: Sequence[str]) -> None:
    """Standard input can be read only once; raises ``OptionError``."""
    if arguments.count(STANDARD_INPUT) > 1:
        raise OptionError("standard input (-) can be read only once")
