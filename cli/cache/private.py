"""Folders and files that only this user can read or write, whatever else is in the same folder.

Folders are opened from the top down, each in the one above it, without following links, and looked at once they are
open: what was checked is what is used.  The folders above the first are only asked that nobody else may put something
into them, or that what is put there belongs to its owner (the sticky bit), as ssh and GnuPG ask.

Windows has neither users nor modes in this sense, nor folders that can be opened: there paths are used instead, only
the kinds of files are checked, and what protects them are the rights of the user's profile.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HAS_OWNERS = hasattr(os, "geteuid") and os.open in os.supports_dir_fd
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_GROUP_OR_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class UntrustedError(OSError):
    """A folder or a file that is not this user's alone; worded for the user."""


class Folder:
    """A folder of this user that is open; every name is looked up in it, wherever it lies by now."""

    __slots__ = ("_descriptor", "_path")

    def __init__(self, path: str, descriptor: int | None) -> None:
        self._path, self._descriptor = path, descriptor

    @contextmanager
    def inner(self, name: str, *, make: bool = False) -> Iterator[Folder]:
        """Yield a folder in this one; raises ``UntrustedError``, and ``OSError`` where there is none."""
        path = os.path.join(self._path, name)
        with _opened(path, self._at(name), self._descriptor, make=make) as found:
            yield found

    def read(self, name: str, most_bytes: int) -> bytes:
        """Return the content of a file; raises ``OSError`` unless it is a regular one, private, and not too large."""
        descriptor = os.open(self._at(name), _READ, dir_fd=self._descriptor)
        with open(descriptor, "rb", buffering=0) as file:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode) or (_HAS_OWNERS and not _is_private(state)):
                raise UntrustedError(f"{os.path.join(self._path, name)} is no private file")
            if state.st_size > most_bytes:
                raise OSError(f"{os.path.join(self._path, name)} is too large")
            return file.read(state.st_size)

    def write(self, name: str, data: bytes, *, replace: bool = True) -> None:
        """Write a private file, whole or not at all; without ``replace`` one that is there already is left alone."""
        temporary = self._at(f".{os.getpid()}.{os.urandom(8).hex()}")
        target, here = self._at(name), self._descriptor
        descriptor = os.open(temporary, _NEW, _FILE_MODE, dir_fd=here)
        try:
            with open(descriptor, "wb", buffering=0) as file:
                if file.write(data) < len(data):
                    raise OSError("no space left")
            if replace:
                os.replace(temporary, target, src_dir_fd=here, dst_dir_fd=here)
            else:
                os.link(temporary, target, src_dir_fd=here, dst_dir_fd=here)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=here)

    def touch(self, name: str) -> None:
        """Mark a file as used now."""
        os.utime(self._at(name), dir_fd=self._descriptor)

    def remove(self, name: str) -> None:
        """Remove an entry that is no folder."""
        os.unlink(self._at(name), dir_fd=self._descriptor)

    def entries(self) -> list[os.DirEntry[str]]:
        """Return everything in it."""
        with os.scandir(self._path if self._descriptor is None else self._descriptor) as found:
            return list(found)

    def _at(self, name: str) -> str:
        """Return the name in this folder, where the system takes one, else the path."""
        return os.path.join(self._path, name) if self._descriptor is None else name


@contextmanager
def private_folder(path: Path, *, make: bool = False) -> Iterator[Folder]:
    """Yield a folder of this user; ``make`` makes it and those above where they are missing.

    Raises ``UntrustedError`` where others may write to it or above it, or it is another user's, a link, or no folder,
    and ``OSError`` where there is none.
    """
    above = Path(os.path.realpath(path.parent))
    for folder in (*reversed(above.parents), above):
        if make and not folder.exists():
            with suppress(FileExistsError):
                os.mkdir(folder, _FOLDER_MODE)
        mode = os.stat(folder).st_mode
        if _HAS_OWNERS and mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise UntrustedError(f"others may write to {folder}")
    where = os.path.join(above, path.name)
    with _opened(where, where, None, make=make) as found:
        yield found


@contextmanager
def _opened(path: str, name: str, above: int | None, *, make: bool) -> Iterator[Folder]:
    """Yield the folder ``path``, which is ``name`` in the one above."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, _FOLDER_MODE, dir_fd=above)
    if not _HAS_OWNERS:
        _check_kind(path, os.lstat(path))
        yield Folder(path, None)
        return
    _check_kind(path, os.stat(name, dir_fd=above, follow_symlinks=False))
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
    try:
        state = os.fstat(descriptor)
        if state.st_uid != os.geteuid():
            raise UntrustedError(f"{path} belongs to another user")
        if state.st_mode & _GROUP_OR_OTHERS_WRITE:
            raise UntrustedError(f"others may write to {path}")
        yield Folder(path, descriptor)
    finally:
        os.close(descriptor)


def _check_kind(path: str, state: os.stat_result) -> None:
    if stat.S_ISLNK(state.st_mode):
        raise UntrustedError(f"{path} is a link")
    if not stat.S_ISDIR(state.st_mode):
        raise UntrustedError(f"{path} is no folder")


def _is_private(state: os.stat_result) -> bool:
    return state.st_uid == os.geteuid() and not state.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
