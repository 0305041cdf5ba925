"""PolyBench/C compiled, timed, and held against its bounds and expected times.

Each kernel runs on data that are not in the caches (``polybench.c`` flushes them), as often as fits into some seconds;
the least of the CPU times counts.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any

from roofline.estimation import estimate
from roofline.machine.machine import Machine
from roofline.model.verdicts.projected import Projection

from .measured_runs import Build
from .polybench import Kernel, kernels

_CLOCK = """#define gettimeofday original
#include <sys/time.h>
#include <time.h>
#undef gettimeofday
int cpu_time(struct timeval *restrict t, void *restrict zone) {
  struct timespec now; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  t->tv_sec = now.tv_sec; t->tv_usec = now.tv_nsec / 1000; return 0;
}
"""


def timed_kernels(build: Build, checkout: Path, dataset: str, folder: Path, *, limit_s: float = 3.0) -> dict:
    """Return the least seconds of each kernel of a checkout."""
    return {kernel.name: _timed(build, kernel, dataset, folder, limit_s) for kernel in kernels(checkout)}


def _timed(build: Build, kernel: Kernel, dataset: str, folder: Path, limit_s: float) -> float:
    clock, program = folder / "clock.c", folder / kernel.name
    clock.write_text(_CLOCK)
    flags = [f"-D{dataset}_DATASET", "-DPOLYBENCH_TIME", "-Dgettimeofday=cpu_time", "-I", str(kernel.utilities)]
    sources = [str(kernel.source), str(kernel.utilities / "polybench.c")]
    objects = [str(folder / "clock.o")]
    subprocess.run([build.command[0], "-O1", "-w", "-c", str(clock), "-o", objects[0]], check=True)
    subprocess.run([*build.command, "-w", *flags, *sources, *objects, "-o", str(program), "-lm"], check=True)
    least, end = float("inf"), time.monotonic() + limit_s
    for repeat in range(60):
        if repeat > 2 and time.monotonic() > end:
            break
        done = subprocess.run([program], check=True, capture_output=True, text=True)
        least = min(least, float(done.stdout))
    return least


def predicted_kernel(kernel: Kernel, dataset: str, machine: Machine, likely: dict[str, Any]) -> Projection:
    """Return the projection of a kernel on one core, from cold caches."""
    defines = {f"{dataset}_DATASET": "1"}  # rows of constant length, as they are compiled
    sizes = {name.lower(): size for name, size in kernel.macros(dataset).items()}
    scop = re.search(r"void kernel_.*?#pragma endscop", kernel.source.read_text(), re.DOTALL)
    used = [] if scop is None else re.findall(r"\w+", scop[0])
    report = estimate(
        str(kernel.source),
        machine,
        defines=defines,
        sizes={name: size for name, size in sizes.items() if used.count(name) > 1 or f"_PB_{name.upper()}" in used},
        include_dirs=(str(kernel.utilities),),
        functions=(kernel.function,),
        cores=1,
        **likely,
    )
    (region,) = report.regions
    return region.projections[0]
