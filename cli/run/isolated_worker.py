"""Jobs in a child process, one after the other: a crash, a hang or a lack of memory there costs only its own job.

The child is forked, so that it has the jobs and all modules already, and sends each outcome as a pickle: a start
costs some milliseconds.  It also notes each part of a job that it begins.  A job that ends its process goes on from the
last checkpoint (:mod:`.checkpoint`), or is done again, without the part in which that happened, a few times; then it is
an error, and a new child goes on behind it.  The CPU time of all attempts counts as that of the job.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, Generic, TypeVar

from analyzer.child_processes import fork
from analyzer.limits.ending import Ending
from analyzer.limits.hard_limit import be_isolated_worker, cpu_seconds, give_up, watch_parts

from ..output import complain
from .checkpoint import NO_MEMORY, Checkpoints, DoneElsewhere, Record, ending
from .internal_error import describe

_Job = TypeVar("_Job")
_Outcome = TypeVar("_Outcome")

_PER_PROCESS = 256
_MEBIBYTE = 2**20
_SHARE_OF_CHILD, _LEAST_MIB = 3 / 4, 512  # the rest is for the parent, and for those that wait at checkpoints
_STACK_BYTES = 100 * _MEBIBYTE  # Linux keeps 128 MiB free below the stack
_HEAD = struct.Struct("<dQ")  # the CPU time of the child until then, and the length of the outcome
_MOST_GIVEN_UP = 3


def can_fork() -> bool:
    """Return whether the system has such children."""
    return hasattr(os, "fork")


def in_children(
    jobs: Sequence[_Job],
    run: Callable[[_Job], _Outcome],
    lost: Callable[[_Job, Ending], _Outcome],
    memory_mib: int,
) -> Iterator[_Outcome]:
    """Yield the outcomes in order; ``lost`` makes the outcome of a job whose process ended, from the reason."""
    done = 0
    given_up: dict[str, Ending] = {}
    earlier_s = 0.0
    while done < len(jobs):
        here = jobs[done : done + _PER_PROCESS]
        child = _Child(here, run, memory_mib, given_up, earlier_s)
        try:
            for job in here:
                outcome = child.outcome()
                if outcome is None:
                    why = child.ending()
                    part = child.record.part
                    if part and part not in given_up and len(given_up) < _MOST_GIVEN_UP:
                        given_up, earlier_s = {**given_up, part: why}, earlier_s + child.spent_s()
                        break
                done += 1
                given_up, earlier_s = {}, 0.0
                yield lost(job, why) if outcome is None else outcome
                if outcome is None:
                    break
            else:
                child.ending()  # on its own, so that the time of those that went on from checkpoints is counted
        finally:
            child.end()


class _Child(Generic[_Job, _Outcome]):
    """A running child, and the pipe that it writes to."""

    def __init__(
        self,
        jobs: Sequence[_Job],
        run: Callable[[_Job], _Outcome],
        memory_mib: int,
        given_up: Mapping[str, Ending],
        earlier_s: float,
    ) -> None:
        """Start it; the parts ``given_up`` and the time that was spent earlier are those of the first job."""
        self.record = Record()
        self._before_s = 0.0
        parent = os.getpid()

        def work(sender: int) -> int:
            end_with(parent)
            return _serve(jobs, run, memory_mib, sender, self.record, given_up, earlier_s)

        self._process, receiver = fork(work)
        self._pipe: BinaryIO = open(receiver, "rb")  # noqa: SIM115  # closed in end()
        self._status: int | None = None
        self._spent_s = 0.0

    def outcome(self) -> _Outcome | None:
        """Return the next outcome, None where the child has ended instead."""
        head = self._pipe.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return None
        self._before_s, length = _HEAD.unpack(head)
        data = self._pipe.read(length)
        if len(data) < length:
            return None
        found: _Outcome = pickle.loads(data)
        return found

    def ending(self) -> Ending:
        """Return why the child has ended."""
        return ending(self._wait())

    def spent_s(self) -> float:
        """Return the CPU time that the child, which has ended, spent on its last job."""
        self._wait()
        return max(0.0, self._spent_s - self._before_s)

    def end(self) -> None:
        """End the child where it still runs, and forget it."""
        self._pipe.close()
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        if self._status is None:
            _, status, usage = os.wait4(self._process, 0)
            self._status = os.waitstatus_to_exitcode(status)
            self._spent_s = usage.ru_utime + usage.ru_stime
        return self._status


_SET_PARENT_DEATH_SIGNAL = 1


def _serve(
    jobs: Sequence[_Job],
    run: Callable[[_Job], _Outcome],
    memory_mib: int,
    sender: int,
    record: Record,
    given_up: Mapping[str, Ending],
    earlier_s: float,
) -> int:
    """Run the jobs in the child, and return its exit code."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers it
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        be_isolated_worker()
        limit_process(max(int(_SHARE_OF_CHILD * memory_mib), min(memory_mib, _LEAST_MIB)))
        checkpoints = Checkpoints(record, memory_mib, end_with)
        watch_parts(checkpoints.begins, record.begins)
        give_up(given_up, earlier_s)
        with open(sender, "wb") as pipe:
            for job in jobs:
                checkpoints.begin_job()
                with suppress(DoneElsewhere):
                    data = pickle.dumps(run(job))
                    pipe.write(_HEAD.pack(cpu_seconds(), len(data)) + data)
                    pipe.flush()
                if checkpoints.is_continued:
                    break
                give_up({})
    except MemoryError:
        return NO_MEMORY
    except BrokenPipeError:
        return 1
    except BaseException as error:
        complain(f"error: {describe(error)}")
        return 1
    return 0


def end_with(parent: int) -> None:
    """Let this process end when its parent does, however that ends; only Linux can.

    ``PR_SET_PDEATHSIG`` of prctl(2): the signal comes when the thread that started this process ends.
    """
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it was faster
        os._exit(1)


def silence_libraries() -> None:
    """Redirect the standard error of libraries to nothing: libclang prints its stack there where it crashes."""
    stream = sys.__stderr__
    try:
        ours = os.dup(2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except OSError:  # nothing is open there
        return
    if stream is not None and sys.stderr is stream:
        stream.flush()
        by_line = 1  # what is written is not lost where the process ends
        sys.stderr = open(ours, "w", by_line, stream.encoding, stream.errors, closefd=False)  # noqa: SIM115
    os.dup2(nowhere, 2)
    os.close(nowhere)


def limit_process(memory_mib: int) -> None:
    """Let this process take no more memory, and give it a deep stack: clang recurses over nested code."""
    os.environ["LIBCLANG_NOTHREADS"] = "1"  # its own threads have a stack of 8 MiB
    silence_libraries()
    if sys.platform == "win32":
        return
    import resource

    for what, most in ((resource.RLIMIT_AS, memory_mib * _MEBIBYTE), (resource.RLIMIT_STACK, _STACK_BYTES)):
        _, hard = resource.getrlimit(what)
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most if hard < 0 else min(most, hard), hard))
