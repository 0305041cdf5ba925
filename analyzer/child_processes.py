"""Every process that this program starts, and nothing else starts one (a test looks through all modules).

===============================  ============================  ==================================================
who                              what                          how
===============================  ============================  ==================================================
every analysis                   a copy of itself              :func:`fork`: what it costs or breaks ends with it
a count that could take hours    a copy of itself              :func:`fork`
a part that could end it         a copy of itself              :func:`fork_in_two`: a checkpoint, which waits
a parse that could crash         a copy of itself              :func:`fork`
``-j``                           this program                  :func:`pool`
``lsp``                          this program                  :func:`start_python`
``check --diff-base``            git                           :func:`run_to_end`
``machines measure``             the compiler, ``sysctl``      :func:`run_to_end`
``machines measure``             what the compiler built       :func:`start`
===============================  ============================  ==================================================

No shell is between, and standard input is never that of this program.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from concurrent.futures import Executor
    from subprocess import Popen

    Talking = Process
    Running = Popen[str]


class Finished(Struct, frozen=True):
    """The result of a program: its exit code (negative: the signal that ended it) and its output."""

    code: int
    output: bytes
    complaint: bytes


class TooLate(Exception):
    """A program had not ended in time, and was ended with all that it had started."""


def run_to_end(
    command: Sequence[str],
    *,
    within_s: float,
    given: bytes = b"",
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program that is ``given`` its input; raises ``OSError`` where it cannot start, and ``TooLate``."""
    from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired

    process = Popen(
        command,
        stdin=PIPE if given else DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    with process:
        try:
            output, complaint = process.communicate(given or None, timeout=within_s)
        except TimeoutExpired:
            raise TooLate from None
        finally:
            if process.poll() is None:
                _end_group(process)
    return Finished(process.returncode, output, complaint)


def start(command: Sequence[str]) -> Running:
    """Start a program to exchange lines with; raises ``OSError``."""
    from subprocess import PIPE, Popen

    return Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, errors="replace")


async def start_python(code: str, *arguments: str, folder: str | None, most_bytes: int) -> Talking:
    """Start this interpreter to exchange lines of at most so many bytes with; modules of the folder are not found."""
    from asyncio.subprocess import PIPE, create_subprocess_exec

    return await create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        cwd=folder,
        limit=most_bytes,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )


def fork(work: Callable[[int], int]) -> tuple[int, int]:
    """Start a copy of this process, which calls ``work`` with the write end of a pipe, and exits with its code.

    Returns the id of the copy and the read end of the pipe.
    """
    receiver, sender = os.pipe()
    child = fork_in_two()
    if child == 0:
        os.close(receiver)
        _work(work, sender)
    os.close(sender)
    return child, receiver


def fork_in_two() -> int:
    """Start a copy of this process; return 0 in it, and its id in this process."""
    sys.stdout and sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads only draw the progress bar
        return os.fork()


@contextmanager
def pool(count: int, begin: Callable[..., None], arguments: tuple[Any, ...]) -> Iterator[Executor]:
    """Yield an executor of so many interpreters that first call ``begin``; none outlives an interruption.

    Not with ``max_tasks_per_child``: where all reach it together, none is started anew and the run waits for ever
    (https://github.com/python/cpython/issues/115634); a new pool after some jobs does the same.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")  # a fork server was seen to wait for ever for a worker that crashed
    executor = ProcessPoolExecutor(count, context, initializer=begin, initargs=arguments)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    executor.shutdown(cancel_futures=True)


def _work(work: Callable[[int], int], sender: int) -> NoReturn:
    code = 1
    try:
        code = work(sender)
    finally:
        os._exit(code)  # never back into the work of the parent


def _end_group(process: Popen[bytes]) -> None:
    """Kill a program with all that it started, which may hold its pipes open."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
