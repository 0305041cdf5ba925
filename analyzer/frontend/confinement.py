"""Reading confined to some folders: a virtual file system for libclang in which nothing else exists.

Folders -> the text of a clang overlay (https://clang.llvm.org/docs/ClangCommandLineReference.html, ``-ivfsoverlay``)
that is the whole file system (``redirect-only``): absolute paths, ``..``, computed names, ``__has_include`` and forced
headers find nothing outside.  Links that lead out of the folders, pipes, devices, and what cannot be looked at are left
out; :func:`unseen_in` says what that was.  The folders are walked once in a process.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from ..errors import OptionError
from ..python.regex import regex

_OF_THE_SYSTEM = (
    *("/usr/include", "/usr/local/include", "/usr/lib/gcc", "/usr/lib64/gcc", "/usr/lib/clang", "/usr/lib64/clang"),
    *("/Library/Developer", "/Applications/Xcode.app"),
)
_NOT_ASCII = regex(r"[^\x00-\x7e]")
_UNSPEAKABLE = "its name is no UTF-8, which clang cannot be given"


class Unseen(Struct, frozen=True):
    """An entry of a folder that could not be looked at, and why."""

    path: str
    reason: str


class _Survey(Struct, frozen=True):
    """The plain files below some folders, and whether nothing else there leads out, or to an unknown folder."""

    files: tuple[str, ...]
    is_closed: bool
    unseen: tuple[Unseen, ...]


def check_folders(folders: Sequence[str]) -> None:
    """Raise ``OptionError`` for what is no folder."""
    for folder in folders:
        if not os.path.isdir(folder):
            raise OptionError(f"--confine {folder} is no folder", hint="name the folders that may be read")


def is_within(path: str, folders: Sequence[str]) -> bool:
    """Return whether a file lies below one of the folders once every link is followed."""
    real = os.path.realpath(path)
    return any(real == top or real.startswith(os.path.join(top, "")) for top in map(os.path.realpath, folders))


def overlay(folders: Sequence[str], own: str, *, system: bool) -> str:
    """Return the file system: the folders, our own headers, and with ``system`` those of the machine."""
    trusted = [own, *(folder for folder in _OF_THE_SYSTEM if system and os.path.isdir(folder))]
    return _overlay(_tops(tuple(folders), os.getcwd()), tuple(trusted))


def unseen_in(folders: Sequence[str]) -> tuple[Unseen, ...]:
    """Return what could not be looked at below the folders, and counts as outside of them."""
    tops = _tops(tuple(folders), os.getcwd())
    survey = _survey(tops)
    listed = tops if survey.is_closed else (*tops, *survey.files)
    return (*survey.unseen, *(Unseen(path, _UNSPEAKABLE) for path in listed if not _is_speakable(path)))


@lru_cache(maxsize=4)
def _overlay(tops: tuple[str, ...], trusted: tuple[str, ...]) -> str:
    """Return the text for folders as they are now."""
    survey = _survey(tops)
    roots = [_whole(folder) for folder in trusted]
    roots += map(_whole, tops) if survey.is_closed else map(_file, survey.files)
    text = json.dumps(
        {
            "version": 0,
            "case-sensitive": "true",
            "use-external-names": "false",
            "redirecting-with": "redirect-only",
            "roots": [root for root in roots if all(map(_is_speakable, root.values()))],
        },
        ensure_ascii=False,
    )
    # clang reads it as YAML, which has no pairs of surrogates, and few characters unescaped
    return _NOT_ASCII.sub(lambda found: f"\\U{ord(found[0]):08x}", text)


@lru_cache(maxsize=4)
def _tops(folders: tuple[str, ...], here: str) -> tuple[str, ...]:
    """Return the folders that lie in no other one."""
    tops = list(dict.fromkeys(os.path.normpath(os.path.join(here, folder)) for folder in folders))
    return tuple(top for top in tops if not any(other != top and is_within(top, [other]) for other in tops))


@lru_cache(maxsize=4)
def _survey(tops: tuple[str, ...]) -> _Survey:
    """Look at every entry once."""
    files: list[str] = []
    unseen: list[Unseen] = []
    is_closed = True
    for entry in (entry for top in tops for entry in _entries(top, unseen)):
        try:
            kind = _kind(entry, tops)
        except FileNotFoundError:  # a link to nothing: there is nothing to read
            kind = 0
        except OSError as error:
            unseen.append(Unseen(entry.path, error.strerror or "cannot be looked at"))
            kind = 0
        is_closed = is_closed and (stat.S_ISREG(kind) or stat.S_ISDIR(kind))
        if stat.S_ISREG(kind):
            files.append(entry.path)
    return _Survey(tuple(files), is_closed and not unseen, tuple(unseen))


def _kind(entry: os.DirEntry[str], tops: Sequence[str]) -> int:
    """Return the mode of what an entry leads to, 0 where that is outside; raises ``OSError``."""
    if entry.is_symlink() and not is_within(entry.path, tops):
        return 0
    return os.stat(entry.path).st_mode


def _entries(folder: str, unseen: list[Unseen]) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder that is no plain folder; links to folders are not followed.

    Folders that cannot be listed are added to ``unseen``: files in them may be read by those who know their names.
    """
    waiting = [folder]
    while waiting:
        location = waiting.pop()
        try:
            with os.scandir(location) as entries:
                listed = list(entries)
        except OSError as error:
            unseen.append(Unseen(location, error.strerror or "cannot be listed"))
            continue
        for entry in listed:
            if _is_folder(entry):
                waiting.append(entry.path)
            else:
                yield entry


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False  # the reader that opens it next reports why


def _whole(folder: str) -> dict[str, Any]:
    return {"type": "directory-remap", "name": folder, "external-contents": os.path.realpath(folder)}


def _file(path: str) -> dict[str, Any]:
    return {"type": "file", "name": path, "external-contents": os.path.realpath(path)}


def _is_speakable(path: str) -> bool:
    """Return whether a path is UTF-8, and so can stand in the text that clang reads."""
    return all(not "\ud800" <= letter <= "\udfff" for letter in path)
