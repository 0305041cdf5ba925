"""The CPU of this machine, measured: topology, plan, run, and a machine of the results."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from analyzer.child_processes import run_to_end
from analyzer.errors import OptionError

from ..compiler import Built, build, find_c_compiler
from ..doubts import Checked, explain_violations
from ..plateaux import Reach, capacities, reach_of, sweep_sizes
from ..program import Output, Progress, run_program, silent
from ..statistics import Samples, parse_samples
from .core import narrower
from .machine import cpu_machine
from .plan import (
    Task,
    make_plan,
    memory_chain_bytes,
    memory_factor,
    sweep_plan,
    walk_sizes,
    working_sets,
)
from .run import Run, Target
from .topology import Cache, Topology, processor_ticks, read_linux
from .topology_macos import parse_sysctl

_OPTIONS = ("-O3", "-fno-math-errno", "-ffp-contract=fast", "-pthread", "-lm")
_SWEEP_FIRST, _SWEEP_LAST = 8 << 10, 128 << 20  # bytes, where no cache is known: below every L1, above most last caches
_SWEEP_REPEATS, _SWEEP_S = 12, 5e-4  # of each size, as in the plan
_MOST_CACHES = 3  # no machine of the catalog has more
_SYSCTL_S = 60  # after which it is assumed to hang
_SWEEP_SHARE, _LONGEST_SWEEP_S = 0.25, 8.0  # of the time that there is, and at most: the rest is for what follows
_LEAST_S, _END_S = 1.0, 0.5  # what is measured at least, and what starting and writing take
_STOPS = 0.9  # of the time, after which nothing new is begun
_NO_TIME = "error: no time"
_NO_KIND = "error: not a measurement"  # of a width that the target has no instructions of


class _Budget(Struct, frozen=True):
    seconds: float
    since: float

    @property
    def left_s(self) -> float:
        """Return what is left, building taken off; a second at least, or nothing would be measured."""
        return max(_LEAST_S, self.seconds - _END_S - (monotonic() - self.since))

    def too_short(self) -> OptionError:
        """Return the error of a time in which not even the clock and the memory could be measured."""
        return OptionError(f"--seconds {self.seconds:g} is too short to measure anything", hint="take 10 or more")


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
    budget = _Budget(seconds, monotonic())
    found = find_c_compiler(compiler)
    topology = this_topology(cores)
    with tempfile.TemporaryDirectory(prefix="ai-estimate-") as folder:
        built = build(found, "cpu.c", Path(folder), (*_OPTIONS, *_line_size(topology)), _targets())
        flags = " ".join(option for option in built.options if not option.startswith("-l"))
        return _measure(machine_id, topology, f"{found.version}; {flags}", built, budget, progress)


def _measure(
    machine_id: str, topology: Topology, tool: str, built: Built, budget: _Budget, progress: Progress
) -> Checked:
    cores, load = len(topology.processors), _load()
    before = processor_ticks(Path("/"))
    pinned = ",".join(map(str, topology.processors)) or "-"
    sweeping_s = min(_LONGEST_SWEEP_S, _SWEEP_SHARE * budget.left_s)
    chain_bytes = memory_chain_bytes(topology.caches, topology.free_bytes, sweeping_s)
    swept = _run(built, pinned, _sweep(topology, chain_bytes), sweeping_s, silent, limit_s=budget.left_s)
    if not swept.target:
        raise budget.too_short()
    chains, target = parse_samples(swept.lines), Target.parse(swept.target)
    if not topology.caches:
        topology = _with_plateaux(topology, chains)
    reach = _reach(topology.caches, chains, chain_bytes)
    sets = working_sets(topology.caches, cores, topology.free_bytes, reach, chain_bytes)
    left_s = budget.left_s
    widths = (*narrower(target.simd_bits), target.simd_bits)
    plan = make_plan(sets, cores, nontemporal=target.has_nontemporal, seconds=_STOPS * left_s, widths=widths)
    output = _run(built, pinned, plan, left_s, progress, limit_s=left_s)
    samples = parse_samples((*swept.lines, *output.lines))
    if samples.find("clock") is None or samples.find("load", 1, sets[-1].alone_bytes) is None:
        raise budget.too_short()
    run = Run(
        target=target,
        samples=samples,
        sets=sets,
        memory_factor=memory_factor(topology.caches, cores, sets, reach),
        tool=tool,
        date=date.today().isoformat(),
        seconds=budget.seconds,
        reach=reach,
        walks=walk_sizes(topology.caches),
        load=load,
        stolen=_stolen(before),
        failures=tuple(line for line in output.failures if _NO_TIME not in line and _NO_KIND not in line),
        left_out=_left_out(plan, samples, output.failures),
    )
    return explain_violations(cpu_machine(machine_id, topology, run))


def _run(
    built: Built, pinned: str, plan: Sequence[Task], seconds: float, progress: Progress, *, limit_s: float
) -> Output:
    """Run a plan for so long; what is not begun by then is left out, and so is what has not ended by ``limit_s``."""
    lines = [task.line for task in plan]
    arguments = [pinned, f"{_STOPS * seconds:.3f}"]
    return run_program(built.path, arguments, lines, limit_s=limit_s, progress=progress, partial=True)


def _left_out(plan: Sequence[Task], samples: Samples, failures: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds that there was no time for, with their threads."""
    failed = {tuple(line.split(maxsplit=3)[:3]) for line in failures if _NO_TIME not in line}
    missing = (task for task in plan if samples.find(*task.key) is None)
    found = (task for task in missing if tuple(map(str, task.key)) not in failed)
    return tuple(dict.fromkeys(f"{task.kind} on {task.threads}" for task in found))


def _stolen(before: tuple[int, int] | None) -> float | None:
    """Return the part of the time since then that the host took; None where the system does not say."""
    after = processor_ticks(Path("/"))
    if before is None or after is None or after[0] <= before[0]:
        return None
    return max(0, after[1] - before[1]) / (after[0] - before[0])


def _sweep(topology: Topology, chain_bytes: int) -> tuple[Task, ...]:
    if topology.caches:
        return sweep_plan(topology.caches, chain_bytes)
    sizes = sweep_sizes(_SWEEP_FIRST, min(_SWEEP_LAST, max(chain_bytes, _SWEEP_FIRST)))
    tasks = (Task("chase", 1, size, _SWEEP_S, _SWEEP_REPEATS) for size in (chain_bytes, *sizes))
    return tuple({task.bytes: task for task in tasks}.values())


def _with_plateaux(topology: Topology, chains: Samples) -> Topology:
    """Return the caches that a chain of loads sees; they are assumed to be private, since one core sees no others."""
    sizes = sorted(sample.bytes for sample in chains.samples if sample.kind == "chase")
    caches = plateau_caches(sizes, chains, len(topology.processors))
    text = "caches were found by a sweep over working sets: capacities are estimates, ways and sharing are not known"
    return replace(topology, caches=caches, notes=(*topology.notes, text))


def _reach(caches: Sequence[Cache], chains: Samples, chain_bytes: int) -> Reach | None:
    """Return how much of the last cache there is to be had; None where that cannot be measured.

    The more of what chains and streams of loads find, as disturbances only take away.
    """
    if len(caches) < 2 or chain_bytes < 2 * caches[-1].capacity_bytes:
        return None
    inside, last = working_sets(caches, 1, None)[len(caches) - 1].chain_bytes, caches[-1].capacity_bytes
    found = []
    for kind in ("chase", "load"):
        seconds = {sample.bytes: 1 / sample.best for sample in chains.samples if sample.kind == kind}
        if inside in seconds and chain_bytes in seconds:
            around = {size: taken for size, taken in seconds.items() if caches[-2].capacity_bytes < size <= 2 * last}
            found.append(reach_of(last, seconds[inside], seconds[chain_bytes], around))
    return max((each for each in found if each is not None), key=lambda each: each.bytes, default=None)


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
