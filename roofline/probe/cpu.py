"""The CPU of this machine, measured: topology, plan, run, and a machine of the results."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from msgspec.structs import replace

from analyzer.child_processes import run_to_end
from analyzer.errors import OptionError

from .compiler import Built, Compiler, build, find_c_compiler
from .cpu_machine import Run, Target, cpu_machine
from .cpu_plan import make_plan, memory_factor, working_sets
from .doubts import Checked, explain_violations
from .plateaux import capacities, sweep_sizes
from .program import Progress, run_program, silent
from .statistics import Samples, parse_samples
from .topology import Cache, Topology, read_linux
from .topology_macos import parse_sysctl

_OPTIONS = ("-O3", "-fno-math-errno", "-ffp-contract=fast", "-pthread", "-lm")
_SLACK = 8.0  # times the planned duration, after which a run hangs
_SWEEP_FIRST, _SWEEP_LAST = 8 << 10, 128 << 20
_SWEEP_REPEATS, _SWEEP_S = 12, 0.002
_MOST_CACHES = 3  # no machine of the catalog has more
_SYSCTL_S = 60


def this_topology(cores: int | None) -> Topology:
    """Return the cores and caches of this machine; raises ``OptionError`` for more cores than there are."""
    if sys.platform == "darwin":
        listed = run_to_end(["sysctl", "hw", "machdep.cpu", "kern.hv_vmm_present"], within_s=_SYSCTL_S)
        found = parse_sysctl(listed.output.decode("utf-8", "replace"), cores)
    elif sys.platform.startswith("linux"):
        found = read_linux(Path("/"), frozenset(os.sched_getaffinity(0)), cores)
    else:
        raise OptionError(
            f"machines measure runs on Linux and macOS, not on {sys.platform}", hint="write a machine file"
        )
    if cores is not None and cores > len(found.processors):
        raise OptionError(
            f"--cores {cores}: only {len(found.processors)} cores can be used here", hint="name fewer, or none for all"
        )
    return found


def measure_cpu(
    machine_id: str,
    *,
    cores: int | None = None,
    compiler: str | None = None,
    seconds: float = 20.0,
    progress: Progress = silent,
) -> Checked:
    """Measure this machine in about ``seconds``; raises ``OptionError`` where that is impossible."""
    found = find_c_compiler(compiler)
    topology = this_topology(cores)
    with tempfile.TemporaryDirectory(prefix="ai-estimate-") as folder:
        built = build(found, "cpu.c", Path(folder), (*_OPTIONS, *_line_size(topology)), _targets())
        return _measure(machine_id, topology, found, built, seconds, progress)


def _measure(
    machine_id: str, topology: Topology, compiler: Compiler, built: Built, seconds: float, progress: Progress
) -> Checked:
    pinned = [",".join(map(str, topology.processors)) or "-"]
    cores = len(topology.processors)
    if not topology.caches:
        topology = _with_plateaux(topology, built, pinned, seconds)
    load = _load()
    sets = working_sets(topology.caches, cores, topology.free_bytes)
    target = _target(built, pinned)
    plan = make_plan(sets, cores, nontemporal=target.has_nontemporal, seconds=seconds)
    output = run_program(
        built.path, pinned, [task.line for task in plan], limit_s=60 + _SLACK * seconds, progress=progress
    )
    samples = parse_samples(output.lines)
    flags = " ".join(option for option in built.options if not option.startswith("-l"))
    run = Run(
        target=target,
        samples=samples,
        sets=sets,
        memory_factor=memory_factor(topology.caches, cores, sets),
        tool=f"{compiler.version}; {flags}",
        date=date.today().isoformat(),
        load=load,
        failures=output.failures,
    )
    return explain_violations(cpu_machine(machine_id, topology, run))


def _target(built: Built, pinned: Sequence[str]) -> Target:
    return Target.parse(run_program(built.path, pinned, [], limit_s=60).target)


def _with_plateaux(topology: Topology, built: Built, pinned: Sequence[str], seconds: float) -> Topology:
    """Return the caches that a chain of loads sees; they are taken to be private, since one core sees no others."""
    sizes = sweep_sizes(_SWEEP_FIRST, min(_SWEEP_LAST, (topology.free_bytes or 4 * _SWEEP_LAST) // 4))
    plan = [f"chase 1 {size} {_SWEEP_S} {_SWEEP_REPEATS}" for size in sizes]
    samples = parse_samples(run_program(built.path, pinned, plan, limit_s=60 + _SLACK * seconds).lines)
    caches = plateau_caches(sizes, samples, len(topology.processors))
    text = "caches were found by a sweep over working sets: capacities are estimates, ways and sharing are not known"
    return replace(topology, caches=caches, notes=(*topology.notes, text))


def plateau_caches(sizes: Sequence[int], samples: Samples, cores: int) -> tuple[Cache, ...]:
    """Return the caches of a sweep: each core's own, but the last of three or more, which all cores share."""
    curve = [(size, sample) for size in sizes if (sample := samples.find("chase", 1, size)) is not None]
    found = capacities([size for size, _ in curve], [1 / sample.best for _, sample in curve])[:_MOST_CACHES]
    return tuple(
        Cache(level=level, capacity_bytes=size, shared_by=cores, instances=1)
        if level >= _MOST_CACHES
        else Cache(level=level, capacity_bytes=size, shared_by=1, instances=cores)
        for level, size in enumerate(found, 1)
    )


def _line_size(topology: Topology) -> tuple[str, ...]:
    """Return the widest line, so that a chain of loads takes a new one each time."""
    widest = max((cache.line_bytes or 0 for cache in topology.caches), default=0)
    return (f"-DLINE_BYTES={widest}",) if widest else ()


def _targets() -> list[list[str]]:
    """Return options for this very processor, best first; where none is known the compiler's default must do."""
    choices = [["-march=native"], ["-mcpu=native"], []]
    try:
        length = int(Path("/proc/sys/abi/sve_default_vector_length").read_text("ascii"))
    except (OSError, ValueError):
        return choices
    return [["-mcpu=native", f"-msve-vector-bits={8 * length}"], *choices]


def _load() -> float | None:
    try:
        return os.getloadavg()[0]
    except OSError:
        return None
