"""A ``compile_commands.json``: its files, and of each file's arguments those that say how to read the source.

Nothing of an entry is executed, and options that could make a compiler load or write anything are dropped: what is
kept is a closed list (``-I -isystem -iquote -include -D -U -std``).  Form: the JSON compilation database of clang,
https://clang.llvm.org/docs/JSONCompilationDatabase.html.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ..errors import OptionError

_JOINED_OR_APART = ("-I", "-isystem", "-iquote")
_APART = "-include"
_WITH_VALUE = ("-D", "-U")


def arguments_for(source: str, place: str) -> tuple[str, ...]:
    """Arguments of the first entry for ``source``; () where there is none. ``place`` is the JSON file or its folder.

    Raises ``OptionError`` where the database cannot be used.
    """
    return _Database.at(place).arguments.get(Path(source).resolve(), ())


def files_in(place: str) -> tuple[Path, ...]:
    """The files of a database, absolute, each once and in its order; raises ``OptionError``."""
    return tuple(_Database.at(place).arguments)


class _Database:
    """The entries of one database by resolved file."""

    def __init__(self, path: Path, text: str) -> None:
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise OptionError(f"is not a compilation database: {error}", path=str(path)) from error
        if not isinstance(entries, list):
            raise OptionError("is not a compilation database: it must be a list", path=str(path))
        self.arguments: dict[Path, tuple[str, ...]] = {}
        for entry in entries:
            if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
                raise OptionError("has an entry without 'file'", path=str(path))
            folder = Path(path.parent, str(entry.get("directory", ".")))
            file = (folder / entry["file"]).resolve()
            if file not in self.arguments:
                self.arguments[file] = tuple(_kept(_words(entry, path), folder))

    @staticmethod
    def at(place: str) -> _Database:
        """The database in a file or a build folder, read once as long as it does not change."""
        path = Path(place)
        path = path / "compile_commands.json" if path.is_dir() else path
        try:
            state = path.stat()
            return _loaded(path, state.st_mtime_ns, state.st_size)
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            raise OptionError(message, path=str(path), hint="give the build folder") from error
        except UnicodeDecodeError as error:
            raise OptionError(f"is not a compilation database: {error}", path=str(path)) from error


@lru_cache(maxsize=4)
def _loaded(path: Path, _changed_ns: int, _size: int) -> _Database:
    return _Database(path, path.read_text("utf-8"))


def _words(entry: Mapping[str, object], path: Path) -> list[str]:
    arguments = entry.get("arguments")
    if isinstance(arguments, list):
        return [str(word) for word in arguments]
    try:
        return shlex.split(str(entry.get("command", "")))
    except ValueError as error:
        raise OptionError(f"has a command that cannot be split: {error}", path=str(path)) from error


def _kept(words: Sequence[str], folder: Path) -> Iterator[str]:
    """Options in normal form, with paths made absolute."""
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
