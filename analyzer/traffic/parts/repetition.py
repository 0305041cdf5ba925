"""Loops that only repeat nests, as their first repetition and one that stands for all others.

A cache that replaces the least recently used line is in the same state after each repetition but the first: a line
that a nest touches was touched at most one repetition ago, and what lies in between is the same every time.  So the
second repetition has the misses of each later one, and nests in the loop have bytes of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from ...ir.nodes import Loop, Node, Region
from ...ir.passes.drivers import driver_of


class Repetition(Struct, frozen=True):
    """A region without its drivers: how many ``times`` each node runs, and by position the iterators of drivers."""

    region: Region
    times: tuple[int, ...]
    drivers: Mapping[int, str]


def without_drivers(region: Region, values: Mapping[str, int]) -> Repetition:
    """Return a region, with numbers for its sizes, in which two repetitions stand for each loop that only repeats."""
    body: list[Node] = []
    times: list[int] = []
    drivers: dict[int, str] = {}
    for node in region.body:
        driver = driver_of(node, values) if isinstance(node, Loop) else None
        if driver is None:
            body.append(node)
            times.append(1)
            continue
        for number, runs in enumerate((1, driver.times - 1)):
            nodes = driver.repetition(number)
            drivers |= {len(body) + position: driver.iterator for position in range(len(nodes))}
            body.extend(nodes)
            times += [runs] * len(nodes)
    return Repetition(replace(region, body=tuple(body)), tuple(times), drivers)
