"""Hostile sources through the command: exit status, last message, CPU seconds and peak memory of each.

    python -m tests.bench.hostile [NAME...] [--small] [--limit 300] [--budget 10] [--memory 4096]

Every source of ``tests/hostile.py`` in its large size.  A run that the limit (wall seconds) ends is a hang; one that
reports a defect or prints a traceback or what libclang says of itself is in trouble, and so is one that takes more than
twice the CPU time of the budget, or more memory than allowed, of all its processes together.  Beside each source is an
innocent function, ``innocent``: the table shows whether it is in the report.  The exit status is 1 where there was any.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from msgspec import Struct

from tests.hostile import CASES, WITHOUT_NEIGHBOUR, beside_innocent, text_of

OF_LIBCLANG = ("PLEASE submit a bug report", "Stack dump", "libclang: crash", "clang-")
_BETWEEN_LOOKS_S = 0.1  # a look goes through all pages, which the processes that hold them pay as well


class Outcome(Struct, frozen=True):
    """How a run of the command ended; ``peak_mib`` is the most that all its processes held together.

    Pages that they share count once (the proportional set size of Linux), as seen 10 times a second.
    """

    code: int
    stdout: str
    stderr: str
    cpu_s: float
    wall_s: float
    peak_mib: float

    @property
    def trouble(self) -> str:
        """Return what is wrong with it, empty where nothing is."""
        if any(word in self.stderr for word in ("Traceback", "Exception ignored", "a defect of")):
            return "TRACEBACK"
        if any(word in self.stderr for word in OF_LIBCLANG):
            return "LIBCLANG"
        if self.code == -signal.SIGKILL:
            return "HANG"
        return "CRASH" if self.code not in (0, 2) else ""

    def beyond(self, budget_s: float, memory_mib: float) -> str:
        """Return what it took more of than allowed: twice the budget of time, that of memory."""
        if self.cpu_s > 2 * budget_s:
            return "TIME"
        return "MEMORY" if self.peak_mib > memory_mib else ""


def command(*arguments: str, limit_s: float = 300, cwd: str | None = None) -> Outcome:
    """Run ``ai-estimate`` to its end, or kill it and its children."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        child = subprocess.Popen(
            [sys.executable, "-m", "cli", *arguments],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment, cwd=cwd, start_new_session=True,
        )  # fmt: skip
        killer = threading.Timer(limit_s, os.killpg, (child.pid, signal.SIGKILL))
        killer.start()
        peak_kib = 0
        ended, status, used = os.wait4(child.pid, os.WNOHANG)
        while not ended:
            peak_kib = max(peak_kib, sum(map(_held_kib, _with_children(child.pid))))
            time.sleep(_BETWEEN_LOOKS_S)
            ended, status, used = os.wait4(child.pid, os.WNOHANG)
        killer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(10_000_000).decode("utf-8", "replace"))
    return Outcome(child.returncode, *texts, used.ru_utime + used.ru_stime, wall, peak_kib / 1024)


def _with_children(process: int) -> list[int]:
    """Return a process and all that descend from it."""
    found = [process]
    for each in found:
        with contextlib.suppress(OSError):
            found += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
    return found


def _held_kib(process: int) -> int:
    """Return the memory of a process, what it shares with others divided among them."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--budget", type=float, default=10)
    parser.add_argument("--memory", type=int, default=4096)
    parser.add_argument("--options", default="--machine v100,haswell --no-cache -D n=1000 --format json")
    options = parser.parse_args()
    budget = ["--budget", f"{options.budget:g}s,{options.memory}MiB"]
    bad = 0
    print("| source | bytes | exit | CPU s | peak MiB | neighbour | last message |\n|" + "---|" * 7, flush=True)
    for name in options.names or CASES:
        with tempfile.TemporaryDirectory() as folder:
            suffix, text = text_of(name, large=not options.small)
            text = beside_innocent(name, text)
            Path(folder, name + suffix).write_bytes(text)
            done = command(name + suffix, *options.options.split(), *budget, limit_s=options.limit, cwd=folder)
        trouble = done.trouble or done.beyond(options.budget, options.memory)
        lost = name not in WITHOUT_NEIGHBOUR and '"function": "innocent"' not in done.stdout
        bad += bool(trouble) or lost
        last = (done.stderr.strip().splitlines() or [""])[-1][:110].replace("|", "\\|")
        neighbour = "" if name in WITHOUT_NEIGHBOUR else "lost" if lost else "there"
        cells = [name, len(text), trouble or done.code, f"{done.cpu_s:.1f}", f"{done.peak_mib:.0f}", neighbour, last]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
