"""Cost of the command over the number of files: wall time, CPU time per file, peak memory of parent and workers.

    python -m tests.bench.scale [--files 100 1000 10000] [-j 2] [--format csv] [--flat] [--json FILE]

Each size is a generated code base (:mod:`.sources`), analyzed twice: without earlier results, and with those of the
first run.  Peaks are read from ``/proc`` while the processes run (Linux only).  ``--flat`` puts all files into one
folder, which makes them one program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from .process import KEPT_IN, TOOL
from .sources import PER_FOLDER, write_sources

_EVERY_S = 0.1
_PEAK = "VmHWM:"


class Run(Struct, frozen=True):
    """One run of the command over ``files`` files; ``kept`` tells that results of an earlier run were there."""

    files: int
    kept: bool
    wall_s: float
    cpu_s: float
    cpu_ms_per_file: float
    parent_peak_mib: float
    worker_peak_mib: float
    output_mib: float


def run_over(folder: Path, files: int, store: Path, options: argparse.Namespace, *, kept: bool) -> Run:
    """Run the command over a folder; raises ``CalledProcessError`` where it fails."""
    output = store.with_name("report")
    command = [*TOOL, str(folder), "--machine", "v100", "-j", str(options.jobs), "--format", options.format]
    began = time.monotonic()
    child = subprocess.Popen(
        [*command, "-o", str(output), "--quiet"], stderr=subprocess.PIPE, env={**os.environ, KEPT_IN: str(store)}
    )
    peaks: dict[int, float] = {}
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        peaks.update({number: peak for number in _tree(child.pid) if (peak := _peak_mib(number)) is not None})
        time.sleep(_EVERY_S)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    cpu_s = usage.ru_utime + usage.ru_stime
    workers = [peak for number, peak in peaks.items() if number != child.pid]
    return Run(
        files,
        kept,
        round(time.monotonic() - began, 2),
        round(cpu_s, 2),
        round(1000 * cpu_s / files, 1),
        round(peaks.get(child.pid, 0), 1),
        round(max(workers, default=0), 1),
        round(output.stat().st_size / 2**20, 2),
    )


def _tree(pid: int) -> Iterator[int]:
    """A process and its children, theirs too."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for number in (task / "children").read_text().split():
                yield from _tree(int(number))


def _peak_mib(pid: int) -> float | None:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(_PEAK):
                return int(line.split()[1]) / 1024
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, a line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[100, 1000, 10000])
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("--format", default="csv")
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    runs: list[Run] = []
    print("| files | results kept | wall s | CPU s | CPU ms/file | parent MiB | largest worker MiB | report MiB |")
    print("|" + "---|" * 8, flush=True)
    for files in options.files:
        with tempfile.TemporaryDirectory() as place:
            folder, store = Path(place, "code"), Path(place, "kept")
            write_sources(folder, files, per_folder=files if options.flat else PER_FOLDER)
            for kept in (False, True):
                runs.append(run_over(folder, files, store, options, kept=kept))
                cells = asdict(runs[-1]) | {"kept": "yes" if kept else "no"}
                print("| " + " | ".join(map(str, cells.values())) + " |", flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
