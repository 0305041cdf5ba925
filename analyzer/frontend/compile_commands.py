"""A ``compile_commands.json``: its files, and of each file's arguments those that say how to read the source.

Nothing of an entry is executed, and options that could make a compiler load or write anything are dropped: what is
kept is a closed list (``-I -isystem -iquote -include -D -U -std``).  Form: the JSON compilation database of clang,
https://clang.llvm.org/docs/JSONCompilationDatabase.html.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ..data_files.documents import read_json
from ..data_files.values import Value
from ..errors import OptionError

_JOINED_OR_APART = ("-I", "-isystem", "-iquote")
_APART = "-include"
_WITH_VALUE = ("-D", "-U")
_MOST_BYTES = 256 << 20


def arguments_for(source: str, location: str) -> tuple[str, ...]:
    """Return arguments of the first entry for ``source``.

    () where there is none. ``location`` is the JSON file or its folder.

    Raises ``OptionError`` where the database cannot be used.
    """
    return _Database.at(location).arguments.get(Path(source).resolve(), ())


def files_in(location: str) -> tuple[Path, ...]:
    """Return the files of a database, absolute, each once and in its order; raises ``OptionError``."""
    return tuple(_Database.at(location).arguments)


class _Database:
    """The entries of one database by resolved file."""

    def __init__(self, path: Path) -> None:
        self.arguments: dict[Path, tuple[str, ...]] = {}
        for value in read_json(path, error=OptionError, most_bytes=_MOST_BYTES).items():
            entry = value.entries(("file",))
            folder = Path(path.parent, entry["directory"].text() if "directory" in entry else ".")
            file = _resolved(folder / entry["file"].text(), entry["file"])
            if file not in self.arguments:
                self.arguments[file] = tuple(_kept(_words(entry), folder))

    @staticmethod
    def at(location: str) -> _Database:
        """Return the database in a file or a build folder, read once as long as it does not change."""
        path = Path(location, "compile_commands.json") if os.path.isdir(location) else Path(location)
        try:
            state = os.stat(path)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise OptionError(f"cannot be read: {reason}", path=str(path), hint="give the build folder") from error
        return _loaded(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _loaded(path: Path, _changed_ns: int, _size: int) -> _Database:
    return _Database(path)


def _resolved(path: Path, value: Value) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise value.error(f"{value.name} cannot be used: {error}", "does a link lead back to itself?") from error


def _words(entry: Mapping[str, Value]) -> list[str]:
    if "arguments" in entry:
        return [word.text() for word in entry["arguments"].items()]
    if "command" not in entry:
        return []
    command = entry["command"]
    try:
        return shlex.split(command.text())
    except ValueError as error:
        raise command.error(f"{command.name} cannot be split: {error}", "is a quotation left open?") from error


def _kept(words: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield options in normal form, with paths made absolute."""
    rest = iter(words[1:])
    for word in rest:
        if word.startswith("-std="):
            yield word
        elif word == _APART:
            yield from (_APART, str(folder / next(rest, "")))
        else:
            yield from _with_value(word, rest, folder)


def _with_value(word: str, rest: Iterator[str], folder: Path) -> Iterator[str]:
    for option in (*_JOINED_OR_APART, *_WITH_VALUE):
        if word.startswith(option):
            value = word[len(option) :] or next(rest, "")
            if value:
                yield from (option, str(folder / value)) if option in _JOINED_OR_APART else (option + value,)
            return
