"""Contents of a regular file, within a limit on its size: nothing that waits, and nothing without an end.

The file is looked at after it was opened, so that it cannot be exchanged in between; a link to a regular file is one.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from ..errors import AnalyzerError
from ..near_names import near_path

MOST_BYTES = 1 << 20
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
}
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def read_bytes(path: str | Path, *, error: type[AnalyzerError], most_bytes: int = MOST_BYTES) -> bytes:
    """Return the contents of a regular file; raise ``error`` for everything else and beyond ``most_bytes``."""
    name = str(path)
    try:
        handle = os.open(name, _FLAGS)
    except FileNotFoundError as trouble:
        raise error(f"cannot be read: {trouble.strerror}", path=name, hint=near_path(name)) from trouble
    except OSError as trouble:
        raise error(f"cannot be read: {trouble.strerror}", path=name, hint="check the path") from trouble
    except ValueError:
        raise error("cannot be read: its name holds a NUL character", path=name, hint="check the path") from None
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            kind = _KINDS.get(stat.S_IFMT(state.st_mode), "no regular file")
            raise error(f"cannot be read: it is {kind}", path=name, hint="only regular files are read: name one")
        data = b"" if state.st_size > most_bytes else _contents(handle, most_bytes + 1)
    except OSError as trouble:
        raise error(f"cannot be read: {trouble.strerror}", path=name, hint="check the path") from trouble
    finally:
        os.close(handle)
    if state.st_size > most_bytes or len(data) > most_bytes:
        raise error(f"is larger than {_size(most_bytes)}, which is the limit", path=name, hint="name a smaller file")
    return data


def read_text(path: str | Path, *, error: type[AnalyzerError], most_bytes: int = MOST_BYTES) -> str:
    """Return the UTF-8 text of a regular file without its byte order mark; raise ``error`` as :func:`read_bytes`."""
    data = read_bytes(path, error=error, most_bytes=most_bytes)
    wrong: dict[str, Any] = {"path": str(path), "hint": "save it as text in UTF-8"}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error("is not UTF-8 text", line=_line_of_damage(data), **wrong) from None
    if "\0" in text:
        raise error("is not text: it holds a NUL byte", line=text.count("\n", 0, text.index("\0")) + 1, **wrong)
    return text


def _contents(handle: int, most_bytes: int) -> bytes:
    with os.fdopen(handle, "rb", closefd=False) as stream:
        return stream.read(most_bytes) or b""


def _line_of_damage(data: bytes) -> int:
    """Return the line of the first byte that is not UTF-8."""
    return data.decode("utf-8", "replace").split("\ufffd", 1)[0].count("\n") + 1


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"
