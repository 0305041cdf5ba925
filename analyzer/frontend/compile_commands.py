"""Arguments of one file from a ``compile_commands.json``: only those that say how to read the source.

Nothing of the entry is executed, and options that could make a compiler load or write anything are dropped: what is
kept is a closed list (``-I -isystem -iquote -include -D -U -std``).
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import OptionError

_WITH_PATH = ("-I", "-isystem", "-iquote", "-include")
_WITH_VALUE = ("-D", "-U")


def arguments_for(source: str, place: str) -> tuple[str, ...]:
    """Arguments of the entry for ``source``; () where there is none. ``place`` is the JSON file or its folder.

    Raises ``OptionError`` where the file cannot be used.
    """
    path = Path(place)
    path = path / "compile_commands.json" if path.is_dir() else path
    try:
        entries = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise OptionError(f"cannot be read: {error.strerror}", path=str(path), hint="give the build folder") from error
    except ValueError as error:
        raise OptionError(f"is not a compilation database: {error}", path=str(path)) from error
    if not isinstance(entries, list):
        raise OptionError("is not a compilation database: it must be a list", path=str(path))
    wanted = Path(source).resolve()
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            raise OptionError("has an entry without 'file'", path=str(path))
        folder = Path(path.parent, str(entry.get("directory", ".")))
        if (folder / entry["file"]).resolve() == wanted:
            return tuple(_kept(_words(entry, path), folder))
    return ()


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
            continue
        for option in (*_WITH_PATH, *_WITH_VALUE):
            if not word.startswith(option):
                continue
            value = word[len(option) :] or next(rest, "")
            if value:
                yield from (option, str(folder / value)) if option in _WITH_PATH else (option + value,)
            break
