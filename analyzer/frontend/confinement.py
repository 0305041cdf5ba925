"""Reading confined to some folders: a virtual file system for libclang in which nothing else exists.

Folders -> the text of a clang overlay (https://clang.llvm.org/docs/ClangCommandLineReference.html, ``-ivfsoverlay``)
that is the whole file system (``redirect-only``): absolute paths, ``..``, computed names, ``__has_include`` and forced
headers find nothing outside.  Links that lead out of the folders, pipes and devices are left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ..errors import OptionError

_OF_THE_SYSTEM = (
    *("/usr/include", "/usr/local/include", "/usr/lib/gcc", "/usr/lib64/gcc", "/usr/lib/clang", "/usr/lib64/clang"),
    *("/Library/Developer", "/Applications/Xcode.app"),
)


def check_folders(folders: Sequence[str]) -> None:
    """Raise ``OptionError`` for what is no folder."""
    for folder in folders:
        if not os.path.isdir(folder):
            raise OptionError(f"--confine {folder} is no folder", hint="name the folders that may be read")


def is_within(path: str, folders: Sequence[str]) -> bool:
    """Whether a file lies below one of the folders once every link is followed."""
    real = os.path.realpath(path)
    return any(real == top or real.startswith(os.path.join(top, "")) for top in map(os.path.realpath, folders))


def overlay(folders: Sequence[str], own: str, *, system: bool) -> str:
    """The file system: the folders, our own headers, and with ``system`` those of the machine."""
    trusted = [own, *(folder for folder in _OF_THE_SYSTEM if system and os.path.isdir(folder))]
    return _overlay(tuple(folders), tuple(trusted), os.getcwd())


@lru_cache(maxsize=4)
def _overlay(folders: tuple[str, ...], trusted: tuple[str, ...], here: str) -> str:
    """The text for folders as they are now; they are walked once in a process."""
    tops = list(dict.fromkeys(os.path.normpath(os.path.join(here, folder)) for folder in folders))
    tops = [top for top in tops if not any(other != top and is_within(top, [other]) for other in tops)]
    roots = [_whole(folder) for folder in trusted]
    if any(_leads_out(entry, tops) for top in tops for entry in _entries(top)):
        for top in tops:
            roots += [_file(entry.path) for entry in _entries(top) if entry.is_file() and is_within(entry.path, tops)]
    else:
        roots += [_whole(top) for top in tops]
    return json.dumps(
        {
            "version": 0,
            "case-sensitive": "true",
            "use-external-names": "false",
            "redirecting-with": "redirect-only",
            "roots": roots,
        }
    )


def _whole(folder: str) -> dict[str, Any]:
    return {"type": "directory-remap", "name": folder, "external-contents": os.path.realpath(folder)}


def _file(path: str) -> dict[str, Any]:
    return {"type": "file", "name": path, "external-contents": os.path.realpath(path)}


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder that is no plain folder; links to folders are not followed."""
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        yield entry
        except OSError:
            continue  # what cannot be listed cannot be read either


def _leads_out(entry: os.DirEntry[str], tops: Sequence[str]) -> bool:
    """A link to something outside, a pipe or a device."""
    if entry.is_symlink():
        return not is_within(entry.path, tops) or not (entry.is_file() or entry.is_dir())
    return not entry.is_file()
