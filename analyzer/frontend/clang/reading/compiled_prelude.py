"""Our prelude of CUDA, compiled once in a process that reads several files: it is nine tenths of a small file's parse.

``arguments`` -> those that take the prelude from a compiled header in place of its text.  The process that reads the
files makes the header from our own text, for equal arguments (macros and folders are in them), in a file that
has no name from then on; it is used only where the prelude has no errors under these arguments.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterator

from ....errors import SourceError
from ..kinds import Severity
from ..unit import TranslationUnit

_SIGACTION_BYTES = 512  # more than the struct of any Linux; it is only handed back
_NAMELESS = "/proc/self/fd"  # where Linux shows open files
_PAST_THE_DRIVER, _WORDS = "-Xclang", 4
_TEXTS_FIRST = 2  # making it takes as long as two files save
_MOST = 8  # different arguments for which one is held


class Preludes:
    """The compiled preludes of this process, and for which arguments they were wanted how often."""

    def __init__(self) -> None:
        """Start without any."""
        self._wanted: dict[tuple[str, ...], int] = {}
        self._made: dict[tuple[str, ...], str | None] = {}

    def compiled(self, arguments: tuple[str, ...], prelude: str) -> tuple[str, ...] | None:
        """Return the arguments with the compiled prelude, None where its text is as good or nothing can be compiled."""
        start = _position(arguments, prelude)
        if start is None or not os.path.isdir(_NAMELESS):
            return None
        end = _end_of_what_follows(arguments, start + _WORDS)
        others, behind = (*arguments[:start], *arguments[end:]), arguments[start + _WORDS : end]
        self._wanted[others] = self._wanted.get(others, 0) + 1
        if self._wanted[others] <= _TEXTS_FIRST:
            return None
        if others not in self._made and len(self._made) < _MOST:
            self._made[others] = _compiled(others, prelude)
        path = self._made.get(others)
        return None if path is None else (*others, _PAST_THE_DRIVER, "-include-pch", _PAST_THE_DRIVER, path, *behind)


preludes = Preludes()


def _position(arguments: tuple[str, ...], prelude: str) -> int | None:
    """Return the position of the words that include the text of the prelude, None where nothing does."""
    wanted = (_PAST_THE_DRIVER, "-include", _PAST_THE_DRIVER, prelude)
    starts = range(len(arguments) - _WORDS + 1)
    return next((start for start in starts if arguments[start : start + _WORDS] == wanted), None)


def _end_of_what_follows(arguments: tuple[str, ...], start: int) -> int:
    """Return where the words end that are read behind the prelude: further headers, and folders searched last."""
    end = start
    while end < len(arguments):
        if arguments[end] in ("-idirafter", "-iquote"):
            end += 2
        elif arguments[end : end + 2] == (_PAST_THE_DRIVER, "-include"):
            end += _WORDS
        else:
            break
    return end


def _compiled(arguments: tuple[str, ...], prelude: str) -> str | None:
    """Compile the prelude into a file without a name, and return the path at which this process sees it."""
    try:
        with open(prelude, "rb") as stream:
            text = stream.read()
        unit = TranslationUnit(prelude, text, arguments, is_header=True)
        if any(message.severity >= Severity.ERROR for message in unit.messages()):
            return None
        import tempfile  # here, as it takes as long to load as three of our modules

        with tempfile.TemporaryDirectory(prefix="ai-estimate-") as folder:
            path = os.path.join(folder, "prelude.pch")
            with _signals_as_they_are():
                if not unit.save(path):
                    return None
            return f"{_NAMELESS}/{os.open(path, os.O_RDONLY)}"
    except (OSError, SourceError):
        return None


@contextlib.contextmanager
def _signals_as_they_are() -> Iterator[None]:
    """Restore the handlers of all signals: LLVM takes them over before it writes a file, to remove it after a crash."""
    library = ctypes.CDLL(None)
    handlers = {number: ctypes.create_string_buffer(_SIGACTION_BYTES) for number in signal.valid_signals()}
    known = {number: held for number, held in handlers.items() if not library.sigaction(number, None, held)}
    try:
        yield
    finally:
        for number, held in known.items():
            library.sigaction(number, held, None)
