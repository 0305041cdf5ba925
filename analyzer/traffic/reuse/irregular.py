"""Lines that data chooses (``x[col[k]]``): between a single one and a line per access, with an estimate.

An access to the line of the one before it, in a row that data chooses (``a[row[i]][j]``), is none; nor is one to a
line that another reference of the same iteration comes to (``p[k].x``, ``p[k].y``).  Where the size of
the array is not known, the estimate takes as many elements as there are accesses.  Lines of references that counters
alone decide are counted one by one.  All elements are assumed to be equally likely.

In a least-recently-used cache a line then stays as long as fewer lines than fit are touched after it (the
characteristic time of Che, Tung, Wang, *Hierarchical Web caching
systems*, IEEE JSAC 20(7), 2002): with ``a`` lines in the array and ``s`` other lines filled per access, the time ``T``
in accesses solves ``s*T + a*(1 - exp(-T/a)) = capacity``, and an access misses with probability ``exp(-T/a)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp, expm1, gcd, lcm, log1p

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from ..hierarchy import CacheLevel
from ..options import BRANCHES, Branches
from ..program.handed_out import Streams
from ..program.lines.enumerated import distinct_lines
from ..program.lines.lines import LineCounts, Lines, executions
from ..program.program import Child, CountedLoop, Irregular, Leaf, Program, hull, leaves_of
from .strata import Misses
from .sweeps import Sweeps, sweeps_of

Floats = NDArray[np.float64]


class Scattered(Struct, frozen=True):
    """Lines by outermost nest and cache, as estimates; ``least`` and ``most`` bound each kind together.

    ``least`` is negative where affine references find lines in the caches that irregular ones have brought.
    """

    read: Floats
    allocate: Floats
    written: Floats
    least: Floats
    most: Floats


def scattered_lines(
    program: Program, caches: Sequence[CacheLevel], affine: Misses, second: int = 0, branches: Branches = BRANCHES
) -> Scattered:
    """Return lines that irregular references fill; ``affine`` are the misses of all other references.

    The nests from the ``second`` on run again, on what their first run left in the caches (0: there are none).
    Counters that data move do so as often as their ``branches`` are taken.
    """
    others = affine.read + affine.allocate
    shape = (len(program.children), len(caches))
    found = Scattered(*(np.zeros(shape) for _ in range(5)))
    line = caches[0].line_bytes
    for nest, child in enumerate(program.children):
        is_warm = nest >= second > 0  # nothing is cold: accesses go on as in the first run
        groups = list(_groups(program, child, line, branches))
        held = sum(group.lines for group in groups)
        for group in groups:
            covered = _covered(program, nest, group, line)
            least = max(0.0, group.least - covered)
            shared = affine.shared.get(group.array)
            share = 1.0 if is_warm else min(1.0, covered / group.whole)
            stored = _is_stored(child, group.array)  # lines that others fill are dirty through these stores alone
            competing = [(each.used(line), each.visits / group.visits) for each in groups if each is not group]
            passing = sum(each.begun(line) for each in groups if each is not group)
            for position, cache in enumerate(caches):
                other = float(others[nest, position]) + passing
                fills = _fills(group, cache, other, share, competing)
                (found.read if group.reads else found.allocate)[nest, position] += fills
                if group.writes:
                    found.written[nest, position] += (
                        fills if stored else _fills(group, cache, other, float(is_warm), competing)
                    )
                again = 0.0 if shared is None else max(0.0, float(shared[nest, position]) - covered)
                found.least[nest, position] += min(least, fills) - again
                fits = _fits(cache, held + other, len(groups))
                found.most[nest, position] += max(
                    fills, min(group.most, group.lines) if fits and not group.is_guess else group.most
                )
    return found


def _fills(
    group: _Group, cache: CacheLevel, others: float, covered: float, competing: Sequence[tuple[float, float]]
) -> float:
    if group.streams is not None:
        return _stream_fills(group, cache, others, covered, competing)
    if not group.sweeps:
        return expected_fills(
            group.visits, group.lines, cache.lines, others, covered, competing, in_order=group.in_order
        )
    share = others / len(group.sweeps)  # of one loop: they run one after the other
    each = [sweeps.fills(cache.lines, share, competing) for sweeps in group.sweeps]
    distinct = max(sweeps.distinct for sweeps in group.sweeps)
    fits = distinct + share + sum(lines for lines, _ in competing) <= cache.lines
    fills = max(each) if fits else sum(each)
    stays = distinct + others + sum(lines for lines, _ in competing) <= cache.lines
    return max(0.0, fills - covered * distinct) if stays else fills


def _stream_fills(
    group: _Group, cache: CacheLevel, others: float, covered: float, competing: Sequence[tuple[float, float]]
) -> float:
    """Return expected misses of a group that goes on in one of many streams each time.

    A line comes in where a stream begins it, and again where it has left the cache before the stream has filled it.
    """
    begun, used = group.begun(cache.line_bytes), group.used(cache.line_bytes)
    distinct = min(group.lines, begun)
    if distinct + sum(each for each, _ in competing) + others <= cache.lines:
        return (1 - covered) * distinct
    time = _characteristic_time([(used, 1.0), *competing], (others + begun) / group.visits, cache.lines)
    return begun + max(0.0, group.visits - begun) * exp(-time / used)


def _is_stored(child: Child, array: str) -> bool:
    """Return whether references that counters alone decide store to an array."""
    references = (reference for leaf in leaves_of(child) for reference in leaf.references)
    return any(reference.array == array and reference.write for reference in references)


class _Group(Struct, frozen=True):
    """Accesses to a part of an array in one nest: how often they come to a line, over how many lines.

    ``least`` lines are touched, ``most`` is how often they come to one at most; the array has a ``whole`` of lines.
    ``lines`` may be less than there are where the size of the array is not known (``is_guess``).  Those that are
    ``in_order`` go through the array from one element to the next, in the ``sweeps`` of each loop where their starts
    are known.
    """

    array: str
    visits: float
    most: float
    lines: float
    is_guess: bool
    least: float
    whole: float
    reads: bool
    writes: bool
    in_order: bool
    sweeps: tuple[Sweeps, ...]
    streams: Streams | None

    def begun(self, line_bytes: int) -> float:
        """Return the lines that streams begin and, once they are full, do not come back to."""
        return 0.0 if self.streams is None else self.visits * min(1.0, self.streams.step_bytes / line_bytes)

    def used(self, line_bytes: int) -> float:
        """Return the lines that accesses come back to."""
        begun = self.begun(line_bytes)
        return self.lines if self.streams is None else max(1.0, min(self.streams.entries, begun, self.lines))


class _Cluster(Struct, frozen=True):
    """References of one iteration at fixed distances from one another: ``runs`` times, in this ``leaf``."""

    leaf: Leaf
    items: tuple[Irregular, ...]
    runs: float

    def covered(self) -> int:
        """Return the bytes that an iteration touches."""
        return len({at for item in self.items for at in range(item.offset, item.offset + item.size_bytes)})

    def lines(self, line_bytes: int) -> tuple[float, int]:
        """Return the lines that an iteration touches, on average over where it can be in a line and at most."""
        base = self.items[0].base
        numbers = [1] if base is None else base.terms.values()
        grain = gcd(*map(int, numbers)) if all(number == int(number) for number in numbers) else 1
        starts = range(0, lcm(grain, line_bytes), grain) if grain else (0,)
        places = [{line for item in self.items for line in _lines_of(item, start, line_bytes)} for start in starts]
        touched = [len(lines) for lines in places]
        return sum(touched) / len(touched), max(touched)


def _lines_of(item: Irregular, start: int, line_bytes: int) -> range:
    first = start + item.offset
    return range(first // line_bytes, (first + item.size_bytes - 1) // line_bytes + 1)


class _Total(Struct):
    """What the accesses of a nest to a part of an array add up to; ``reach`` is None where it is not known."""

    reach: tuple[int, int] | None
    size_bytes: int = 0
    packed_bytes: float = 0.0
    visits: float = 0.0
    most: float = 0.0
    least: float = 0.0
    reads: bool = False
    writes: bool = False
    in_order: bool = True
    streams: set[Streams | None] = field(default_factory=set)
    computed: list[tuple[Leaf, Irregular]] = field(default_factory=list)
    is_computed: bool = True
    visits_in: dict[tuple[CountedLoop, ...], float] = field(default_factory=dict)

    def sweeps(self, line_bytes: int) -> tuple[Sweeps, ...]:
        """Return the sweeps of references that go through the array in order, of each loop."""
        found: list[Sweeps | None] = []
        for loops, visits in self.visits_in.items() if self.in_order else ():
            here = [(leaf, item) for leaf, item in self.computed if leaf.loops == loops]
            found.append(sweeps_of(here[0][0], [item for _, item in here], visits, line_bytes))
        return tuple(each for each in found if each is not None) if None not in found else ()

    def add(self, cluster: _Cluster, line_bytes: int, branches: Branches) -> None:
        """Add the accesses of a cluster."""
        visits, most = _visits(cluster, line_bytes, branches)
        self.packed_bytes += cluster.runs * cluster.covered()
        self.visits, self.most = self.visits + visits, self.most + most
        self.visits_in[cluster.leaf.loops] = self.visits_in.get(cluster.leaf.loops, 0.0) + visits
        for item in cluster.items:
            self.least = max(self.least, 0.0 if cluster.leaf.uncertain else _least(cluster.leaf, item, line_bytes))
            self.in_order = self.in_order and item.climb is not None
            self.streams.add(item.streams)
            self.size_bytes = max(self.size_bytes, item.size_bytes)
            self.reads, self.writes = self.reads or not item.write, self.writes or item.write
            self.is_computed = self.is_computed and item.address is not None and not cluster.leaf.uncertain
            self.computed.append((cluster.leaf, item))


def _groups(program: Program, child: Child, line_bytes: int, branches: Branches) -> Iterator[_Group]:
    """Yield what the clusters of references to each part of an array add up to."""
    totals: dict[str, list[_Total]] = {}
    clusters = [cluster for cluster in _clusters(child) if cluster.runs]
    reaches: dict[str, list[tuple[int, int] | None]] = {}
    for cluster in clusters:
        reaches.setdefault(cluster.items[0].array, []).extend(item.reach for item in cluster.items)
    totals = {array: [_Total(reach) for reach in _united(found)] for array, found in reaches.items()}
    for cluster in clusters:
        for total in totals[cluster.items[0].array]:
            items = tuple(item for item in cluster.items if _holds(total.reach, item.reach))
            if items:
                total.add(replace(cluster, items=items), line_bytes, branches)
    for array, parts in totals.items():
        for total in parts:
            if total.visits:
                yield _group(program, array, total, line_bytes)


def _clusters(child: Child) -> Iterator[_Cluster]:
    """Yield the references of an iteration that data move together.

    Those of several statements do if no loop runs between them, under the same tests; data may skip some.
    """
    found: dict[object, list[tuple[Leaf, Irregular]]] = {}
    for leaf in leaves_of(child):
        together = bool(leaf.loops) and not any(isinstance(other, CountedLoop) for other in leaf.loops[-1].children)
        where = (leaf.loops, tuple(test.condition for test in leaf.tests)) if together else id(leaf)
        for item in leaf.irregular:
            here = leaf.loops if item.climb is not None else where  # a test of data moves it, and all stay near it
            found.setdefault((here, item.array, item.base or item.element), []).append((leaf, item))
    runs: dict[int, float] = {}
    for members in found.values():
        leaf = next((leaf for leaf, _ in members if not leaf.uncertain), members[0][0])
        if id(leaf) not in runs:
            runs[id(leaf)] = executions(leaf)
        yield _Cluster(leaf, tuple(item for _, item in members), runs[id(leaf)])


def _united(reaches: Iterable[tuple[int, int] | None]) -> list[tuple[int, int] | None]:
    """Return parts of an array that do not overlap: one of unknown range where any range is not known."""
    parts: list[tuple[int, int] | None] = []
    for reach in sorted(set(reaches), key=lambda reach: reach or (-1, -1)):
        last = parts[-1] if parts else None
        if reach is None or (parts and last is None):
            return [None]
        if last is not None and reach[0] <= last[1]:
            parts[-1] = (last[0], max(last[1], reach[1]))
        else:
            parts.append(reach)
    return parts


def _holds(part: tuple[int, int] | None, reach: tuple[int, int] | None) -> bool:
    return part is None or (reach is not None and part[0] <= reach[0] and reach[1] <= part[1])


def _visits(cluster: _Cluster, line_bytes: int, branches: Branches) -> tuple[float, float]:
    """Return how often a cluster comes to a line that it did not touch just before, about and at most."""
    number, ranges = cluster.runs, hull(cluster.leaf.loops)
    step, climb = cluster.items[0].step, cluster.items[0].climb
    mean, most = cluster.lines(line_bytes)
    if step is None or not ranges or abs(step) >= line_bytes:
        return number * mean, number * most
    low, high = ranges[-1]
    width = high - low + 1
    longest = abs(step) * (width - 1)
    rest = cluster.covered() - cluster.items[0].size_bytes
    share = 1.0 if climb is None else branches.share(climb)
    apart, farthest = ((part * longest + rest) / line_bytes for part in (share, 1.0))
    return number / width * (1 + apart), min(number * most, number / width * (2 + farthest))


def _least(leaf: Leaf, item: Irregular, line_bytes: int) -> float:
    """Return the lines of one run of the innermost loop: data may choose the same elements in all others."""
    ranges = hull(leaf.loops)
    if not ranges or not item.step or item.climb is not None or leaf.tests:
        return 1.0
    low, high = ranges[-1]
    return float((high - low + 1) if abs(item.step) >= line_bytes else abs(item.step) * (high - low) // line_bytes + 1)


def _group(program: Program, array: str, total: _Total, line_bytes: int) -> _Group:
    """Return over how many lines some accesses spread, and the fewest and the most that they touch."""
    placed, packed = program.arrays[array], total.packed_bytes
    declared = placed.declared_bytes
    extent = max(placed.size_bytes, packed) if declared is None else declared
    lines = whole = max(1.0, extent / line_bytes)
    least = total.least
    if total.reach is not None:
        low, high = total.reach
        if declared is not None:
            end = placed.start + max(declared - total.size_bytes, 0)
            low, high = min(max(low, placed.start), end), max(min(high, end), placed.start)
        lines = float((high + total.size_bytes - 1) // line_bytes - low // line_bytes + 1)
        whole = max(lines, (declared or placed.size_bytes) / line_bytes)
        distinct = distinct_lines(total.computed, (low, high), line_bytes) if total.is_computed else None
        lines, least = (lines, min(least, lines)) if distinct is None else (distinct, distinct)
    is_guess = declared is None and total.reach is None
    return _Group(
        array=array,
        visits=total.visits,
        most=total.most,
        lines=lines,
        is_guess=is_guess,
        least=least,
        whole=whole,
        reads=total.reads,
        writes=total.writes,
        in_order=total.in_order,
        sweeps=total.sweeps(line_bytes),
        streams=next(iter(total.streams)) if len(total.streams) == 1 else None,
    )


def _covered(program: Program, nest: int, group: _Group, line_bytes: int) -> float:
    """Return the lines of the array of a group that affine references touch until the end of its nest."""
    children = program.children[: nest + 1]
    leaves = [leaf for child in children for leaf in leaves_of(child)]
    if not any(reference.array == group.array for leaf in leaves for reference in leaf.references):
        return 0.0
    return LineCounts(program, group.array, line_bytes, writes=False)(Lines(tuple(children), 0))


def _fits(cache: CacheLevel, lines: float, groups: int) -> bool:
    """Return whether no set of a cache gets more lines than it has ways, each array being one block of memory."""
    if not cache.ways:
        return lines <= cache.lines
    return 2 * lines <= cache.lines and lines / cache.sets + groups <= cache.ways


def expected_fills(
    accesses: float,
    lines: float,
    capacity: float,
    others: float,
    covered: float = 0.0,
    competing: Sequence[tuple[float, float]] = (),
    *,
    in_order: bool = False,
) -> float:
    """Return expected misses of accesses to some lines, cold ones too, while ``others`` pass through the cache.

    The share ``covered`` of the lines is not cold: other references touch them too.  Accesses ``in_order`` come to one
    line after the other.  ``competing`` are the lines of other arrays that data choose from, with their
    accesses for each of these.
    """
    drawn = lines * -expm1(accesses * log1p(-1 / lines)) if lines > 1 else 1.0
    cold = (1 - covered) * (min(accesses, lines) if in_order else drawn)
    stream = others / accesses
    if lines + sum(each for each, _ in competing) + stream * accesses <= capacity:
        return cold
    groups = [(lines, 1.0), *competing]
    return cold + max(0.0, accesses - cold) * exp(-_characteristic_time(groups, stream, capacity) / lines)


def _characteristic_time(groups: Sequence[tuple[float, float]], stream: float, capacity: float) -> float:
    """Return accesses of the first group after which a line that is not used again leaves the cache."""
    low, high = 0.0, 64 * groups[0][0]
    if stream:
        high = min(high, capacity / stream)
    for _ in range(60):
        middle = (low + high) / 2
        held = sum(lines * -expm1(-middle * rate / lines) for lines, rate in groups)
        if stream * middle + held < capacity:
            low = middle
        else:
            high = middle
    return low
