"""Whole-process cost of the command: CPU seconds and peak memory, as medians over several runs.

    python -m tests.bench.process [--runs 5] [--polybench CHECKOUT] [--kerncraft 'kerncraft -p RooflineFLOP ...']

Measured by ``wait4`` of each finished child, so start-up and imports are in; the modules are compiled, as those of an
installed command are (the warm-up run writes them).  The bare parse of the same file by libclang stands beside as the
yardstick that holds on any machine.  With ``--kerncraft`` the given command is timed on the same kernel.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TOOL = [sys.executable, "-m", "cli"]
KERNEL = """
void triad(int n, double * restrict a, const double * restrict b, const double * restrict c, const double * restrict d)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] + c[i] * d[i];
}
"""
ALONE = ["--machine", "v100", "--no-cache", "-j", "1"]  # one process, whose cost is all of it
NO_COMPILED_MODULES = "PYTHONDONTWRITEBYTECODE"
BARE_PARSE = "import sys, clang.cindex as c; c.Index.create().parse(sys.argv[1], options=0x200)"


@dataclass(frozen=True)
class Cost:
    """Medians of one command: CPU seconds (user and system), wall seconds are left out, peak resident MiB."""

    cpu_s: float
    peak_mib: float


def measure(command: Sequence[str], runs: int) -> Cost:
    """Run a command several times after one warm-up; raises ``CalledProcessError`` where it fails."""
    samples = [_once(command) for _ in range(runs + 1)][1:]
    return Cost(statistics.median(s.cpu_s for s in samples), statistics.median(s.peak_mib for s in samples))


def _once(command: Sequence[str]) -> Cost:
    environment = {name: value for name, value in os.environ.items() if name != NO_COMPILED_MODULES}
    environment["AI_ESTIMATE_CACHE_DIR"] = os.path.join(tempfile.gettempdir(), "ai-estimate-bench")
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, list(command))
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def polybench_command(checkout: Path) -> list[str]:
    """All kernels of a PolyBench/C checkout in one call."""
    kernels = sorted(line for line in (checkout / "utilities" / "benchmark_list").read_text().split() if line)
    files = [str(checkout / kernel) for kernel in kernels]
    return [*TOOL, *files, "-I", str(checkout / "utilities"), "-D", "POLYBENCH_USE_SCALAR_LB", *ALONE]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--polybench", type=Path)
    parser.add_argument("--kerncraft")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kernel = Path(folder, "triad.c")
        kernel.write_text(KERNEL)
        rows: dict[str, list[str]] = {
            "python start": [sys.executable, "-c", "pass"],
            "--help": [*TOOL, "--help"],
            "--version": [*TOOL, "--version"],
            "bare libclang parse": [sys.executable, "-c", BARE_PARSE, str(kernel)],
            "one kernel": [*TOOL, str(kernel), "--machine", "haswell", "--no-cache"],
            "one kernel, n known": [*TOOL, str(kernel), "--machine", "haswell", "-D", "n=1000000", "--no-cache"],
            "one kernel, kept": [*TOOL, str(kernel), "--machine", "haswell"],
            "check, one kernel": [*TOOL, "check", str(kernel), "--machine", "haswell", "--no-cache", "--exit-zero"],
        }
        if arguments.polybench:
            rows["30 PolyBench files"] = polybench_command(arguments.polybench)
        if arguments.kerncraft:
            rows["kerncraft"] = shlex.split(arguments.kerncraft)
        print(f"{'command':24}{'CPU s':>9}{'peak MiB':>10}")
        for name, command in rows.items():
            cost = measure(command, arguments.runs)
            print(f"{name:24}{cost.cpu_s:9.3f}{cost.peak_mib:10.0f}")


if __name__ == "__main__":
    main()
