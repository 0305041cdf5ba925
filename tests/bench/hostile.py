"""Hostile sources through the command: exit status, last message, CPU seconds and peak memory of each.

    python -m tests.bench.hostile [NAME...] [--small] [--limit 300] [--options "--machine v100 --budget 2s,2GiB"]

Every source of ``tests/hostile.py`` in its large size; a run that the limit (wall seconds) ends is a hang, one that
tells a defect or prints a traceback a crash.  The exit status is 1 where there was either.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.hostile import CASES, text_of


@dataclass(frozen=True)
class Outcome:
    """How a run of the command ended; ``peak_mib`` is the largest of its processes."""

    code: int
    stdout: str
    stderr: str
    cpu_s: float
    wall_s: float
    peak_mib: float

    @property
    def trouble(self) -> str:
        """What is wrong with it, empty where nothing is."""
        if any(word in self.stderr for word in ("Traceback", "Exception ignored", "a defect of")):
            return "TRACEBACK"
        if self.code == -signal.SIGKILL:
            return "HANG"
        return "CRASH" if self.code not in (0, 2) else ""


def command(*arguments: str, limit_s: float = 300, cwd: str | None = None) -> Outcome:
    """Run ``ai-estimate`` to its end, or kill it and its children."""
    usage: list[resource.struct_rusage] = []
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        child = subprocess.Popen(
            [sys.executable, "-m", "cli", *arguments],
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment, cwd=cwd, start_new_session=True,
        )  # fmt: skip
        killer = threading.Timer(limit_s, os.killpg, (child.pid, signal.SIGKILL))
        killer.start()
        _, status, used = os.wait4(child.pid, 0)
        killer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        usage.append(used)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(10_000_000).decode("utf-8", "replace"))
    return Outcome(child.returncode, *texts, used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--options", default="--machine v100,haswell --no-cache -D n=1000 --format json --budget 2")
    options = parser.parse_args()
    bad = 0
    print("| source | bytes | exit | CPU s | wall s | peak MiB | regions | told |\n|" + "---|" * 8, flush=True)
    for name in options.names or CASES:
        with tempfile.TemporaryDirectory() as folder:
            suffix, text = text_of(name, large=not options.small)
            Path(folder, name + suffix).write_bytes(text)
            done = command(name + suffix, *options.options.split(), limit_s=options.limit, cwd=folder)
        bad += bool(done.trouble)
        last = (done.stderr.strip().splitlines() or [""])[-1][:110]
        regions = done.stdout.count('"nests"')
        cells = [name, len(text), done.trouble or done.code, f"{done.cpu_s:.1f}", f"{done.wall_s:.1f}"]
        print("| " + " | ".join(map(str, [*cells, f"{done.peak_mib:.0f}", regions, last])) + " |", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
