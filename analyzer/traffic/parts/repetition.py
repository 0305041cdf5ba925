"""Loops that only repeat nests, as their first repetition and one that stands for all others.

A cache that replaces the least recently used line is in the same state after each repetition but the first: a line
that a nest touches was touched at most one repetition ago, and what lies in between is the same every time.  So the
second repetition has the misses of each later one, and nests in the loop have bytes of their own.  Where repetitions
differ by phases (two buffers), there is one for each pair of phases that follow one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ...ir.nodes import Loop, Node, Region
from ...ir.passes.drivers import driver_of, driver_of_one, outermost_loops
from ...ir.passes.given import uses_given


class Repetition(Struct, frozen=True):
    """A region without its drivers: how many ``times`` each node runs, and by position the iterators of drivers."""

    region: Region
    times: tuple[int, ...]
    drivers: Mapping[int, str]

    def nest_at(self, position: int) -> tuple[str | None, tuple[str, ...]]:
        """Return the driver of the node at a position and the loops in it: the same for each repetition of a node."""
        loops = outermost_loops((self.region.body[position],))
        return self.drivers.get(position), tuple(loop.source_iterator for loop in loops)


def without_drivers(region: Region, values: Mapping[str, int]) -> Repetition:
    """Return a region, with numbers for its sizes, in which few repetitions stand for each loop that only repeats."""
    body: list[Node] = []
    times: list[int] = []
    drivers: dict[int, str] = {}
    for node in region.body:
        for each, runs in _repetitions(node, 1, values):
            if each is not node and isinstance(node, Loop):
                drivers[len(body)] = node.source_iterator
            body.append(each)
            times.append(runs)
    return Repetition(replace(region, body=tuple(body)), tuple(times), drivers)


def _repetitions(node: Node, runs: int, values: Mapping[str, int]) -> Iterator[tuple[Node, int]]:
    """Yield a node, or the parts of one that only repeats, drivers in them too, with how often each runs."""
    driver = driver_of(node, values) if isinstance(node, Loop) else None
    if driver is None and isinstance(node, Loop) and uses_given((node,)):  # each repetition would be simulated
        driver = driver_of_one(node, values)
    if driver is None:
        yield node, runs
        return
    for phase in driver.phases:
        for part in driver.repetition(phase.number):
            yield from _repetitions(part, runs * phase.runs, values)
