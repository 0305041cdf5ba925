"""The measurements on a CPU: streams over working sets that fit each level, arithmetic, latencies.

A working set is per core: half of the core's part of a level, and where that is not clear of the level inside, that
level and half of the part (an outer cache that holds only what the inner one evicted has both). Main memory takes four
times the last cache (STREAM's rule, McCalpin, *Memory bandwidth and machine balance in current high performance
computers*, 1995), and no more than a third of what memory is free; above 1 GiB four times as much of that cache as
there is to be had. One core alone has the whole of a shared cache, so that its set is four times that, at most 1 GiB.

A chain of loads, for latencies, is on one core: four times the level inside where that leaves half of the level free,
so that few of its loads hit the level inside and few miss translations. In memory it goes through windows of pages
whose translations are known, in turn: the walks of a virtual machine, whose host has small pages, take longer than the
line (a Granite Rapids core: loads from memory 110 to 130 ns in windows, 220 to 1,100 ns all over a set of GB).

Walks through the table of pages are measured with one line of each page, and these lines fit the second cache: loads
that wait for one another, and columns of a matrix, with as many lines side by side as what they are compared with.

First come chains (:func:`sweep_plan`): they show how much of the last cache there is, which the sets of the streams
(:func:`make_plan`) depend on.  Both are ordered by what a machine file can least do without, for short times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ..plateaux import Reach
from .topology import Cache

# How often: the spread of repeats is in each figure, and ``roofline/probe/statistics.py`` says which are unsteady.
ROUNDS = 3  # of all measurements, so that a disturbance meets one of them
REPEATS = 20  # of one, of which the best counts
_MEMORY_REPEATS = 6  # of sets of memory, each of which takes long
_CHAIN_REPEATS, _LONG_CHAIN_REPEATS = 40, 12  # within the last cache, and beyond
_CHAIN_S = 5e-4  # of one repeat: between two interrupts of a clock of 1 kHz
_CLEAR = 2  # times the level inside, from which on little of a set stays in that level
_LATENCY_CLEAR = 4  # times the level inside, of which a chain then hits a quarter at most
_MEMORY_FACTOR = 4  # STREAM's rule
_CHAIN_FACTOR = 2  # times the last cache, of which a chain through windows in turn finds nothing again
_LINE_BYTES = 64  # where the system does not say
_LEAST_MEMORY_SET = 64 << 20  # where no cache is known
_LONG_SET = 1 << 30  # bytes, which a core takes a tenth of a second to go through
_LINKED_PER_S = 200e6  # bytes of a chain that can be linked and walked in a second
_CALIBRATION = 4  # runs before the first repeat, by which the program finds its number of iterations
_MEASURING = 0.7  # the rest is for filling arrays and starting threads
_ROUND_S, _SHORT_S = 0.03, 0.02  # of one measurement: below these fewer rounds, fewer repeats
_FEW_REPEATS = 8  # of a measurement for which there is little time
# Of one repeat of divisions and roots: a unit that starts at its best rhythm may leave it (Zen 3, roots of full width:
# 8.5 cycles each in repeats of 0.1 ms, 8.8 to 9 in those of 1 to 3 ms).
_DIVIDED_S = 1e-4
_LEAST_S, _MOST_S = 2e-4, 0.5  # of one repeat: far above the resolution of the clock, and short between interrupts
_PARTS = (0.25, 0.5, 0.75, 1.0, 0.375, 0.625, 0.875, 1.25, 1.5, 2.0)  # of the last cache
DRAM = "DRAM"
CHAIN_GIVEN = "chase-given"
CHAIN_IN_PAGES, CHAIN_PACKED = "chase-pages", "chase"
COLUMN, COLUMN_PACKED = "column", "column-packed"
# Pages whose walks are measured: more than the second-level TLB of any core knows (4,096 of a Zen 5), where the second
# cache has room for their lines; and sizes that show how many it knows.
_MOST_PAGES, _FEWEST_PAGES = 8192, 2048
# Between the 1,024 pages of small cores and the 4,096 of a Zen 5, with some between.
_TLB_PAGES = (512, 768, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096, 5120, 6144)

STREAMS = ("load", "update", "copy", "triad", "store")
PAST_CACHES = ("copy-nt", "triad-nt", "store-nt")
PEAKS = tuple(f"{mix}{bits}" for bits in (64, 32) for mix in ("fma", "mix", "add", "mul"))  # fp64, fp32
PORTS = ("fma", "mix", "add", "mul", "loads", "stores")
ONE_CORE = (
    "latency-fma", "latency-add", "latency-mul", "latency-div", "latency-sqrt-add", "issue",
    "integers", "integers-single",
)  # fmt: skip
DIVIDED = ("div64", "sqrt64", "div32", "sqrt32", "div64-scalar", "sqrt64-scalar")
CHAINS = (4, 7, 13, 26)  # FMAs that wait for one another in a loop of vectors, by which :mod:`.core` finds the clock
SIMD_CLOCKS = tuple(f"clock-simd-{length}" for length in CHAINS)


class WorkingSet(Struct, frozen=True):
    """A level with the bytes that each core works on, those of a chain of loads on one core, and of one core alone."""

    level: str
    bytes: int
    chain_bytes: int
    alone_bytes: int

    def bytes_of(self, threads: int) -> int:
        """Return the bytes of each of so many cores that work at once."""
        return self.alone_bytes if threads == 1 else self.bytes


class WalkSizes(Struct, frozen=True):
    """The pages of which one line each is loaded: ``most`` are for walks, ``fewer`` show how many are known."""

    line_bytes: int
    fewer: tuple[int, ...]
    most: int

    def bytes_of(self, pages: int) -> int:
        """Return the bytes of one line in each of so many pages."""
        return pages * self.line_bytes


class Task(Struct, frozen=True):
    """One measurement: a kind of :file:`kernels/cpu.c`, threads, bytes of each, seconds of a repeat (0: open)."""

    kind: str
    threads: int
    bytes: int = 0
    seconds: float = 0.0
    repeats: int = REPEATS

    @property
    def key(self) -> tuple[str, int, int]:
        """Return what a sample of it is found by."""
        return self.kind, self.threads, self.bytes

    @property
    def line(self) -> str:
        """Return the line of the plan."""
        return f"{self.kind} {self.threads} {self.bytes} {self.seconds:.6f} {self.repeats}"


def working_sets(
    caches: Sequence[Cache], cores: int, free_bytes: int | None, reach: Reach | None = None, chain_bytes: int = 0
) -> tuple[WorkingSet, ...]:
    """Return the working set of one core for each cache and for memory, when ``cores`` work at once.

    Of the last cache as much is used as ``reach`` says, where it is known; ``chain_bytes`` are of the chain in memory.
    """
    found = []
    inner = 0
    for cache in caches:
        capacity = cache.capacity_bytes
        if reach is not None and cache is caches[-1] and len(caches) > 1:
            capacity = max(reach.bytes, _CLEAR * inner * cache.shared_by)
        part = capacity // cache.shared_by
        size = part // 2 if part // 2 >= _CLEAR * inner else inner + part // 2
        found.append(WorkingSet(f"L{cache.level}", size, _chain(caches, cache), size))
        inner = max(inner, part)
    stated = min(_MEMORY_FACTOR * _held(caches, None), _LONG_SET)
    wanted = max(_MEMORY_FACTOR * _held(caches, reach), stated, _LEAST_MEMORY_SET)
    alone = min(_MEMORY_FACTOR * _one_instance(caches, None), _LONG_SET)
    if free_bytes is not None:
        wanted, alone = min(wanted, free_bytes // 3), min(alone, free_bytes // 3)
    each = -(-wanted // cores)
    found.append(WorkingSet(DRAM, each, chain_bytes or each, max(each, alone)))
    return tuple(found)


def _chain(caches: Sequence[Cache], cache: Cache) -> int:
    inside = max((each.capacity_bytes for each in caches if each.level < cache.level), default=0)
    if _LATENCY_CLEAR * inside <= cache.capacity_bytes // 2:
        return _LATENCY_CLEAR * inside or cache.capacity_bytes // 2
    return max(cache.capacity_bytes // 2, (inside + cache.capacity_bytes) // 2)


def _one_instance(caches: Sequence[Cache], reach: Reach | None) -> int:
    """Return the bytes of the last cache, or of one of its instances, that hold data."""
    if reach is not None and len(caches) > 1:
        return reach.bytes
    return caches[-1].capacity_bytes if caches else 0


def _held(caches: Sequence[Cache], reach: Reach | None) -> int:
    sizes = [cache.capacity_bytes * cache.instances for cache in caches[:-1]]
    return max((*sizes, *(_one_instance(caches, reach) * cache.instances for cache in caches[-1:])), default=0)


def memory_factor(caches: Sequence[Cache], cores: int, sets: Sequence[WorkingSet], reach: Reach | None = None) -> float:
    """Return how many times the last cache the working set of memory is; infinite where there is no cache."""
    held = _held(caches, reach)
    return sets[-1].bytes * cores / held if held else float("inf")


def memory_chain_bytes(caches: Sequence[Cache], free_bytes: int | None, seconds: float) -> int:
    """Return the bytes of a chain that main memory serves, as far as time and memory allow."""
    wanted = max(_CHAIN_FACTOR * caches[-1].capacity_bytes if caches else 0, _LEAST_MEMORY_SET)
    free = wanted if free_bytes is None else free_bytes // 4
    return max(1 << 20, min(wanted, free, int(seconds * _LINKED_PER_S)))


def sweep_plan(caches: Sequence[Cache], memory_bytes: int) -> tuple[Task, ...]:
    """Return chains in every level, in memory, and over sizes around the last cache, the telling ones first.

    Walks, which take little time, come first; last, as its linking takes long, the chain of memory in the pages that a
    program is given.  Loads in order go through the sizes around the last cache too: small pages of a host slow down
    chains as if that cache were full.
    """
    levels = [_chase(size, caches) for size in dict.fromkeys(_chain(caches, cache) for cache in caches)]
    around = [size for size in _sizes_around(caches) if size < memory_bytes]
    streamed = (levels[-1].bytes, memory_bytes, *around) if around else ()
    loads = [Task("load", 1, size, _LEAST_S, _MEMORY_REPEATS) for size in streamed]
    chains = [_chase(size, caches) for size in around]
    given = Task(CHAIN_GIVEN, 1, memory_bytes, _CHAIN_S, _LONG_CHAIN_REPEATS)
    return (*_walk_tasks(caches), *levels, _chase(memory_bytes, caches), *loads, *chains, given)


def _sizes_around(caches: Sequence[Cache]) -> Iterator[int]:
    """Yield sizes around the last cache; before them, from the chain of its level on, each twice the one before."""
    if len(caches) > 1:
        last = caches[-1].capacity_bytes
        size = 2 * _chain(caches, caches[-1])
        while size < min(_PARTS) * last:
            yield size
            size *= 2
        yield from (int(part * last) for part in _PARTS)


def walk_sizes(caches: Sequence[Cache]) -> WalkSizes | None:
    """Return the numbers of pages that walks are measured with; None where no second cache is known."""
    if len(caches) < 2:
        return None
    line = max(cache.line_bytes or _LINE_BYTES for cache in caches)
    most = max(_FEWEST_PAGES, min(_MOST_PAGES, caches[1].capacity_bytes // 2 // line))
    return WalkSizes(line, tuple(pages for pages in _TLB_PAGES if pages < most), most)


def _walk_tasks(caches: Sequence[Cache]) -> Iterator[Task]:
    sizes = walk_sizes(caches)
    if sizes is not None:
        kinds = (CHAIN_IN_PAGES, CHAIN_PACKED, COLUMN, COLUMN_PACKED)
        yield from (Task(kind, 1, sizes.bytes_of(sizes.most), _CHAIN_S, _CHAIN_REPEATS) for kind in kinds)
        yield from (Task(COLUMN, 1, sizes.bytes_of(pages), _CHAIN_S, _CHAIN_REPEATS) for pages in sizes.fewer)


def _chase(size: int, caches: Sequence[Cache]) -> Task:
    is_long = not caches or size > caches[-1].capacity_bytes
    return Task("chase", 1, size, _CHAIN_S, _LONG_CHAIN_REPEATS if is_long else _CHAIN_REPEATS)


def make_plan(
    sets: Sequence[WorkingSet], cores: int, *, nontemporal: bool, seconds: float, widths: Sequence[int] = ()
) -> tuple[Task, ...]:
    """Return every measurement in several rounds, lest a disturbance hit all repeats of one; about ``seconds``.

    In a short time there are fewer rounds and repeats.
    """
    tasks = [*_tasks(sets, cores, nontemporal=nontemporal, widths=widths)]
    budget = _MEASURING * seconds
    rounds = max(1, min(ROUNDS, int(budget / (len(tasks) * _ROUND_S))))
    each = budget / (len(tasks) * rounds)
    return tuple(_timed(task, each) for task in tasks) * rounds


def _timed(task: Task, seconds: float) -> Task:
    repeats = min(task.repeats, _FEW_REPEATS) if seconds < _SHORT_S else task.repeats
    repeat = task.seconds or min(_MOST_S, max(_LEAST_S, seconds / (repeats + _CALIBRATION)))
    return Task(task.kind, task.threads, task.bytes, repeat, repeats)


def _tasks(sets: Sequence[WorkingSet], cores: int, *, nontemporal: bool, widths: Sequence[int]) -> Iterator[Task]:
    counts = (1, cores) if cores > 1 else (1,)
    yield from (Task("clock", threads) for threads in counts)
    needed = [kind for kind in PEAKS if kind.startswith(("fma", "mix"))]  # of both precisions
    yield from (Task(kind, threads) for kind in needed[:2] for threads in counts)
    memory = sets[-1]
    yield from (Task("load", threads, memory.bytes_of(threads), repeats=_MEMORY_REPEATS) for threads in counts)
    yield from (Task(kind, threads) for kind in needed[2:] for threads in counts)
    for found in sets[:-1]:
        yield from (Task(kind, threads, found.bytes) for kind in STREAMS for threads in counts)
    others = (*STREAMS[1:], *(PAST_CACHES if nontemporal else ()))
    for threads in counts:  # one after the other, as sets of other sizes are other memory, whose pages are new
        yield from (Task(kind, threads, memory.bytes_of(threads), repeats=_MEMORY_REPEATS) for kind in others)
    yield from (Task("load-single", 1, found.bytes) for found in sets[:2])
    yield from (Task(f"{kind}-{bits}", 1) for bits in reversed(widths) for kind in PORTS)
    yield from (Task(kind, 1) for kind in ONE_CORE)
    yield from (Task(kind, 1, seconds=_DIVIDED_S) for kind in DIVIDED)
    yield from (Task(kind, threads) for threads in counts for kind in SIMD_CLOCKS)
    yield from (Task(kind, threads) for kind in PEAKS if kind not in needed for threads in counts)
