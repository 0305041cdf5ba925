"""Jobs in a child process, one after the other: what crashes, hangs or eats memory there costs only its own job.

The child is forked, so that it knows the jobs and all modules already, and sends each outcome as a pickle: a start
costs some milliseconds.  It also tells each part of a job that it begins.  A job that ends its process is done again
without the part in which that happened, a few times; then it is an error, and a new child goes on behind it.
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

from analyzer.allowance import be_expendable, give_up, watch_parts
from analyzer.child_processes import fork

from .defect import describe
from .output import complain

_Job = TypeVar("_Job")
_Outcome = TypeVar("_Outcome")

_PER_PROCESS = 256
_MEBIBYTE = 2**20
_STACK_BYTES = 100 * _MEBIBYTE  # Linux keeps 128 MiB free below the stack
_HEAD = struct.Struct("<?Q")  # whether it is an outcome (else the name of a part), and its length
_MOST_GIVEN_UP = 3


def can_fork() -> bool:
    """Whether the system has such children."""
    return hasattr(os, "fork")


def in_children(
    jobs: Sequence[_Job],
    run: Callable[[_Job], _Outcome],
    lost: Callable[[_Job, str], _Outcome],
    memory_mib: int,
) -> Iterator[_Outcome]:
    """The outcomes in order; ``lost`` makes that of a job whose process ended, and is told why."""
    done = 0
    given_up: dict[str, str] = {}
    while done < len(jobs):
        here = jobs[done : done + _PER_PROCESS]
        child = _Child(here, run, memory_mib, given_up)
        try:
            for job in here:
                outcome = child.outcome()
                if outcome is None:
                    why = child.ending()
                    if child.part and child.part not in given_up and len(given_up) < _MOST_GIVEN_UP:
                        given_up = {**given_up, child.part: why}
                        break
                done += 1
                given_up = {}
                yield lost(job, why) if outcome is None else outcome
                if outcome is None:
                    break
        finally:
            child.end()


class _Child(Generic[_Job, _Outcome]):
    """A running child, and the pipe that it writes to."""

    def __init__(
        self, jobs: Sequence[_Job], run: Callable[[_Job], _Outcome], memory_mib: int, given_up: Mapping[str, str]
    ) -> None:
        """Start it; the parts ``given_up`` are those of the first job."""
        self.part = ""
        parent = os.getpid()

        def work(sender: int) -> int:
            end_with(parent)
            return _serve(jobs, run, memory_mib, sender, given_up)

        self._process, receiver = fork(work)
        self._pipe: BinaryIO = open(receiver, "rb")  # noqa: SIM115  # closed in end()
        self._status: int | None = None

    def outcome(self) -> _Outcome | None:
        """The next outcome, None where the child has ended instead."""
        while len(head := self._pipe.read(_HEAD.size)) == _HEAD.size:
            is_outcome, length = _HEAD.unpack(head)
            data = self._pipe.read(length)
            if len(data) < length:
                return None
            if is_outcome:
                found: _Outcome = pickle.loads(data)
                return found
            self.part = data.decode("utf-8", "surrogateescape")
        return None

    def ending(self) -> str:
        """Why the child has ended."""
        code = self._wait()
        if code == -signal.SIGPROF:
            return "its analysis takes longer than --budget allows"
        if code == _NO_MEMORY:
            return "its analysis needs more memory than --budget allows"
        if code == -signal.SIGSEGV:
            return "its analysis ended with a crash: it may be nested too deeply"
        return "its analysis ended with a crash, or for lack of memory"

    def end(self) -> None:
        """End the child where it still runs, and forget it."""
        self._pipe.close()
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        if self._status is None:
            _, status = os.waitpid(self._process, 0)
            self._status = os.waitstatus_to_exitcode(status)
        return self._status


_NO_MEMORY = 77
_SET_PARENT_DEATH_SIGNAL = 1


def _serve(
    jobs: Sequence[_Job], run: Callable[[_Job], _Outcome], memory_mib: int, sender: int, given_up: Mapping[str, str]
) -> int:
    """Run the jobs in the child, and return its exit code."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent answers it
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        be_expendable()
        limit_process(memory_mib)
        with open(sender, "wb") as pipe:

            def tell(data: bytes, *, is_outcome: bool) -> None:
                pipe.write(_HEAD.pack(is_outcome, len(data)) + data)
                pipe.flush()

            watch_parts(lambda part: tell(part.encode("utf-8", "surrogateescape"), is_outcome=False))
            give_up(given_up)
            for job in jobs:
                tell(pickle.dumps(run(job)), is_outcome=True)
                give_up({})
    except MemoryError:
        return _NO_MEMORY
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


def limit_process(memory_mib: int) -> None:
    """Let this process take no more memory, and give it a deep stack: clang recurses over what is nested."""
    os.environ["LIBCLANG_NOTHREADS"] = "1"  # its own threads have a stack of 8 MiB
    if sys.platform == "win32":
        return
    import resource

    for what, most in ((resource.RLIMIT_AS, memory_mib * _MEBIBYTE), (resource.RLIMIT_STACK, _STACK_BYTES)):
        _, hard = resource.getrlimit(what)
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most if hard < 0 else min(most, hard), hard))
