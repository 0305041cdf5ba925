"""Output that is whole or not there: files by way of a temporary one, standard output in one piece.

Every text leaves through here, and none with characters that do not show (:mod:`.visible`).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from analyzer.errors import OptionError

from .visible import visible

NAME = "ai-estimate"
_PLAIN = str.maketrans({"\N{BOX DRAWINGS LIGHT HORIZONTAL}": "-", "\N{HORIZONTAL ELLIPSIS}": "..."})


def write_report(text: str | Iterable[str], path: str | None, *, colors: bool = False) -> None:
    """Write a report, whole or in parts, to a file (None: standard output); with ``colors`` it holds those."""
    if path is not None and path != "-":
        write_file(path, (visible(part).encode("utf-8") for part in ((text,) if isinstance(text, str) else text)))
    elif isinstance(text, str):
        write_standard(text, colors=colors)
    else:
        _write_parts(map(visible, text))


def write_standard(text: str, *, colors: bool = False) -> None:
    """Write to standard output and flush; of what its encoding lacks, rules become dashes and the rest ``?``.

    A closed pipe raises ``BrokenPipeError``, anything else that fails ``OptionError``.
    """
    _write_parts((visible(text, colors=colors), "" if text.endswith("\n") or not text else "\n"))


def append_text(text: str, path: str) -> None:
    """Add to a file that other programs write to as well; raises ``OSError``."""
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(visible(text))


def _write_parts(parts: Iterable[str]) -> None:
    stream = sys.stdout
    if stream is None:
        raise OptionError("standard output is closed", hint="use --output FILE")
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        for part in parts:
            stream.write(_encodable(part, encoding))
        stream.flush()
    except BrokenPipeError:
        forget_standard()
        raise
    except OSError as error:
        forget_standard()
        raise OptionError(f"standard output cannot be written: {error.strerror}") from error


def _encodable(text: str, encoding: str) -> str:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


def forget_standard() -> None:
    """Point standard output at nothing, so that the interpreter does not fail on it once more when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def write_file(path: str, data: bytes | Iterable[bytes]) -> None:
    """Replace a file by new contents, whole or in parts, or leave it as it is and raise ``OptionError``."""
    target = Path(path)
    parts = (data,) if isinstance(data, bytes) else data
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as device:  # a device or a pipe cannot be replaced
                device.writelines(parts)
            return
        if target.is_dir():
            raise IsADirectoryError(21, "is a directory")
        import tempfile  # here, as most reports go to standard output

        handle, temporary = tempfile.mkstemp(prefix=".ai-estimate.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines(parts)
            os.chmod(temporary, _mode(target))
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        hint = "make the folder first" if isinstance(error, FileNotFoundError) else "choose another file"
        raise OptionError(f"cannot be written: {error.strerror}", path=path, hint=hint) from error


def complain(message: str) -> None:
    """Write one line about the run to standard error."""
    say(f"{NAME}: {message}")


def say(line: str) -> None:
    """Write one line to standard error; characters that do not show, and those that its encoding lacks, are escaped."""
    line = visible(line)
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    print(line.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


def _mode(target: Path) -> int:
    """Return the permissions of the file to be replaced, else those of any new file."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
