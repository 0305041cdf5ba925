"""Checkpoints of an analysis in an isolated worker: a crash or a limit costs only the part in which it happens.

A checkpoint is a fork.  The child goes on with the work, the process that forked waits; where the child dies, it takes
over from the checkpoint, without the part in which the child died.  A process that has worked for less than a fraction
of a second makes none, so that ordinary files pay nothing.  The name of the part that is being done is in a page of
memory that all of them share.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
from collections.abc import Callable

from analyzer.child_processes import fork_in_two
from analyzer.limits.ending import Ending
from analyzer.limits.hard_limit import continue_at, cpu_seconds, earlier_s, give_up, given_up

_LEAST_BETWEEN_S = 0.5
_MOST_GIVEN_UP = 8
_PAGE_BYTES = 4096
_MEBIBYTE = 2**20
_SHARE_OF_MEMORY = 1 / 8
NO_MEMORY = 77
_GIVEN_UP_FOR_TIME, _GIVEN_UP = 78, 79


class DoneElsewhere(BaseException):
    """The process that went on from a checkpoint has finished the job: like ``KeyboardInterrupt`` no ``Exception``."""


class Record:
    """The part of a job that is being done, for all processes that share it."""

    def __init__(self) -> None:
        """Start with no part."""
        self._page = mmap.mmap(-1, _PAGE_BYTES)

    @property
    def part(self) -> str:
        """Return the name of the part; empty between parts."""
        return self._page[:].partition(b"\0")[0].decode("utf-8", "surrogateescape")

    def begins(self, part: str) -> None:
        """Note a part, by a name of at most a page."""
        text = part.encode("utf-8", "surrogateescape")[: _PAGE_BYTES - 1]
        self._page[: len(text) + 1] = text + b"\0"


def ending(code: int) -> Ending:
    """Return why a process that analyzes has ended with this code."""
    if code in (-signal.SIGPROF, _GIVEN_UP_FOR_TIME):
        return Ending.PROCESS_TIME
    if code == NO_MEMORY:
        return Ending.PROCESS_MEMORY
    if code == -signal.SIGSEGV:
        return Ending.CRASH
    return Ending.LOST


class Checkpoints:
    """The checkpoints of one process, made where a part begins."""

    def __init__(self, record: Record, memory_mib: int, ends_with: Callable[[int], None]) -> None:
        """Start without a checkpoint; a share of ``memory_mib`` is for the processes that wait at checkpoints.

        ``ends_with`` lets this process end when the process of a given id does.  ``is_continued``: this process
        continues from a checkpoint, and ends with its job.
        """
        self._record = record
        self._ends_with = ends_with
        self._spare_mib = _SHARE_OF_MEMORY * memory_mib
        self._last_s = cpu_seconds()
        self.is_continued = False

    def begin_job(self) -> None:
        """Count from here on."""
        self._last_s = cpu_seconds()

    def begins(self, part: str) -> None:
        """Note a part, and make a checkpoint before it where much was done since the last one."""
        self._record.begins(part)
        if part and cpu_seconds() - self._last_s > _LEAST_BETWEEN_S:
            self._make()

    def _make(self) -> None:
        resident_mib = _resident_mib()
        self._last_s = cpu_seconds()
        if resident_mib > self._spare_mib:
            return
        while True:
            code = self._continued(resident_mib)
            if code is None:
                return
            if code == 0:
                raise DoneElsewhere
            part = self._record.part
            if code in (_GIVEN_UP_FOR_TIME, _GIVEN_UP):
                os._exit(code)
            if not part or part in given_up() or len(given_up()) >= _MOST_GIVEN_UP:
                os._exit(_GIVEN_UP_FOR_TIME if code == -signal.SIGPROF else _GIVEN_UP)
            give_up({**given_up(), part: ending(code)}, earlier_s())

    def _continued(self, resident_mib: float) -> int | None:
        """Fork: return None in the child, which continues, and the child's exit code in the process that waits."""
        parent, now_s = os.getpid(), cpu_seconds()
        child = fork_in_two()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self._ends_with(parent)
        continue_at(now_s)
        self._last_s = now_s
        self._spare_mib -= resident_mib
        self.is_continued = True
        return None


def _resident_mib() -> float:
    """Return the memory of this process in MiB; infinite where Linux does not report it, so that none is spare."""
    try:
        with open("/proc/self/statm", "rb") as table:
            return int(table.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / _MEBIBYTE
    except (OSError, ValueError):
        return float("inf") if sys.platform == "linux" else 0.0
