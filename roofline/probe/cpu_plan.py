"""The measurements on a CPU: streams over working sets that fit each level, arithmetic, latencies.

A working set is per core: half of the core's part of a level, and where that is not clear of the level inside, that
level and half of the part (an outer cache that holds only what the inner one evicted has both). Main memory takes four
times the last cache (STREAM's rule, McCalpin, *Memory bandwidth and machine balance in current high performance
computers*, 1995), and no more than a third of what memory is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from .topology import Cache

ROUNDS = 3
REPEATS = 20
_MEMORY_REPEATS = 6
_CLEAR = 2  # times the level inside, from which on little of a set stays in that level
_MEMORY_FACTOR = 4  # STREAM's rule
_LEAST_MEMORY_SET = 64 << 20  # where no cache is known
_CALIBRATION = 4  # runs before the first repeat, by which the program finds its number of iterations
_MEASURING = 0.7  # the rest is for filling arrays and starting threads
_LEAST_S, _MOST_S = 2e-4, 0.5  # of one repeat: far above the resolution of the clock, and short between interrupts
DRAM = "DRAM"

STREAMS = ("load", "update", "copy", "triad", "store")
PAST_CACHES = ("copy-nt", "triad-nt", "store-nt")
PEAKS = tuple(f"{mix}{bits}" for bits in (64, 32) for mix in ("fma", "mix", "add", "mul"))
ONE_CORE = (
    "latency-fma", "latency-add", "latency-mul", "latency-div", "latency-sqrt-add",
    "div64", "sqrt64", "div32", "sqrt32", "div64-scalar", "sqrt64-scalar",
)  # fmt: skip


class WorkingSet(Struct, frozen=True):
    """A level with the bytes that each core works on; ``is_memory`` where it is not a cache."""

    level: str
    bytes: int
    is_memory: bool = False


class Task(Struct, frozen=True):
    """One measurement: a kind of :file:`kernels/cpu.c`, threads, bytes of each thread, seconds of a repeat."""

    kind: str
    threads: int
    bytes: int = 0
    seconds: float = 0.0
    repeats: int = REPEATS

    @property
    def line(self) -> str:
        """Return the line of the plan."""
        return f"{self.kind} {self.threads} {self.bytes} {self.seconds:.6f} {self.repeats}"


def working_sets(caches: Sequence[Cache], cores: int, free_bytes: int | None) -> tuple[WorkingSet, ...]:
    """Return the working set of one core for each cache and for memory, when ``cores`` work at once."""
    found = []
    inner = 0
    for cache in caches:
        part = cache.capacity_bytes // cache.shared_by
        size = part // 2 if part // 2 >= _CLEAR * inner else inner + part // 2
        found.append(WorkingSet(f"L{cache.level}", size))
        inner = max(inner, part)
    held = max((cache.capacity_bytes * cache.instances for cache in caches), default=0)
    wanted = max(_MEMORY_FACTOR * held, _LEAST_MEMORY_SET)
    if free_bytes is not None:
        wanted = min(wanted, free_bytes // 3)
    found.append(WorkingSet(DRAM, -(-wanted // cores), is_memory=True))
    return tuple(found)


def memory_factor(caches: Sequence[Cache], cores: int, sets: Sequence[WorkingSet]) -> float:
    """Return how many times the last cache the working set of memory is; infinite where there is no cache."""
    held = max((cache.capacity_bytes * cache.instances for cache in caches), default=0)
    return sets[-1].bytes * cores / held if held else float("inf")


def make_plan(sets: Sequence[WorkingSet], cores: int, *, nontemporal: bool, seconds: float) -> tuple[Task, ...]:
    """Return every measurement in several rounds, lest a disturbance hit all repeats of one; about ``seconds``."""
    tasks = [*_tasks(sets, cores, nontemporal=nontemporal)]
    chains = [Task("chase", 1, found.bytes) for found in sets]
    each = _MEASURING * seconds / (len(tasks) * ROUNDS + len(chains))
    rounds = tuple(_timed(task, each) for task in tasks) * ROUNDS
    return (*rounds, *(_timed(task, each) for task in chains))


def _timed(task: Task, seconds: float) -> Task:
    repeat = min(_MOST_S, max(_LEAST_S, seconds / (task.repeats + _CALIBRATION)))
    return Task(task.kind, task.threads, task.bytes, repeat, task.repeats)


def _tasks(sets: Sequence[WorkingSet], cores: int, *, nontemporal: bool) -> Iterator[Task]:
    counts = (1, cores) if cores > 1 else (1,)
    for threads in counts:
        yield Task("clock", threads)
        for kind in PEAKS:
            yield Task(kind, threads)
    for kind in ONE_CORE:
        yield Task(kind, 1)
    for threads in counts:
        for found in sets:
            repeats = _MEMORY_REPEATS if found.is_memory else REPEATS
            past = PAST_CACHES if found.is_memory and nontemporal else ()
            for kind in (*STREAMS, *past):
                yield Task(kind, threads, found.bytes, repeats=repeats)
