"""Running a built benchmark: a plan on its standard input, results from its standard output, line by line."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from analyzer.child_processes import start
from analyzer.errors import OptionError

if TYPE_CHECKING:
    from analyzer.child_processes import Running

Progress = Callable[[int, int, str], None]
"""Called with how many measurements are done, how many there are, and the line of the one that is done."""


class Output(Struct, frozen=True):
    """The output of a run: the words behind ``target``, a line for each measurement, and the failures."""

    target: str
    lines: tuple[str, ...]
    failures: tuple[str, ...]


def silent(done: int, total: int, line: str) -> None:
    """Report nothing."""


def run_program(
    path: Path,
    arguments: Sequence[str],
    plan: Sequence[str],
    *,
    limit_s: float,
    progress: Progress = silent,
    partial: bool = False,
) -> Output:
    """Run the plan; raises ``OptionError`` where the program cannot run, fails, or takes longer than ``limit_s``.

    With ``partial`` what there is after ``limit_s`` counts, even where there is nothing.
    """
    try:
        process = start([str(path), *arguments])
    except OSError as error:
        raise OptionError(f"the benchmark cannot be run: {error.strerror}") from error
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(limit_s, stop)
    timer.start()
    try:
        target, lines = _converse(process, plan, progress)
        complaint = process.stderr.read().strip() if process.stderr else ""
        code = process.wait()
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    if late.is_set() and not partial:
        raise OptionError(
            f"the benchmark did not end within {limit_s:.0f} s", hint="take fewer cores or --seconds less"
        )
    if not late.is_set() and (code != 0 or not target):
        reason = complaint or (f"exit code {code}" if code >= 0 else f"signal {-code}")
        raise OptionError(f"the benchmark failed, nothing was written: {reason}")
    failures = tuple(line for line in lines if " error: " in line)
    return Output(target, tuple(line for line in lines if " error: " not in line), failures)


def _converse(process: Running, plan: Sequence[str], progress: Progress) -> tuple[str, list[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write("".join(f"{line}\n" for line in plan))
        process.stdin.close()
    except BrokenPipeError:
        pass  # it has ended already, and its exit code says why
    target, lines = "", []
    for line in process.stdout:
        if line.startswith("target "):
            target = line.removeprefix("target ").strip()
        elif line.strip():
            lines.append(line.strip())
            progress(len(lines), len(plan), line.strip())
    return target, lines
