"""Loops that repeat nests an unknown number of times: bytes as a line in that number.

A cache that replaces the least recently used line does the same in each repetition but the first (:mod:`.repetition`),
so the bytes of ``r`` repetitions are those of two and ``r - 2`` times what a third one adds.  That holds where the
number only counts the loop, and nothing in the loop depends on which repetition it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from ...ir.index import const, var
from ...ir.nodes import Loop, Region, Strided, Uncounted
from ...ir.nodes import Mapping as LoopMapping
from ...ir.passes.drivers import decisive_names, outermost_loops
from ...quantities.quantity import Quantity
from ...quantities.quasipolynomial import Count, polynomial
from ..results import CacheTraffic, LevelTraffic

FEW, MORE = 2, 3
"""Repetitions with which the line is found."""


def repetitions_of(region: Region, values: Mapping[str, int]) -> str | None:
    """Return the only symbol without a value on which nests depend, where it counts repetitions alone; else None."""
    free = frozenset(symbol.name for symbol in region.symbols) - values.keys()
    found: set[str] = set()
    for loop in outermost_loops(region.body):
        needed = free & frozenset(decisive_names(loop))
        if needed and not (len(needed) == 1 and _only_repeats(loop, *needed)):
            return None
        found |= needed
    return found.pop() if len(found) == 1 else None


def with_repetitions(region: Region, symbol: str, number: int) -> Region:
    """Return the region with a value of the symbol, which trip counts that are not expressed are looked up by."""
    symbols = (replace(each, value=number) if each.name == symbol else each for each in region.symbols)
    return replace(region, symbols=tuple(symbols))


def _only_repeats(loop: Loop, symbol: str) -> bool:
    match loop.range:
        case Uncounted(trip):
            counts = trip == symbol
        case Strided(start, stop, step):
            counts = step == 1 and (stop - start - var(symbol)).constant is not None
        case _:
            return False
    inside = {name for node in (*loop.header, *loop.body) for name in decisive_names(node)}
    return counts and loop.mapping is LoopMapping.SEQUENTIAL and not inside & {symbol, loop.iterator}


def in_line(few: CacheTraffic, more: CacheTraffic, symbol: str) -> CacheTraffic:
    """Return the traffic for any number of repetitions from that of two and of three."""
    levels = tuple(_level(one, other, symbol) for one, other in zip(few.levels, more.levels, strict=True))
    return replace(few, levels=levels)


def _level(few: LevelTraffic, more: LevelTraffic, symbol: str) -> LevelTraffic:
    return replace(
        few,
        read_bytes=_quantity(few.read_bytes, more.read_bytes, symbol),
        write_allocate_bytes=_quantity(few.write_allocate_bytes, more.write_allocate_bytes, symbol),
        write_bytes=_quantity(few.write_bytes, more.write_bytes, symbol),
    )


def _quantity(few: Quantity, more: Quantity, symbol: str) -> Quantity:
    if few == more or few.upper is None or more.upper is None:
        return few
    estimate = _line(few.estimate, more.estimate, symbol)
    if few.is_exact and more.is_exact:
        return Quantity(estimate, estimate, estimate)
    lower, upper = _line(few.lower, more.lower, symbol), _line(few.upper, more.upper, symbol)
    return Quantity(estimate, lower, upper, few.exactness if not few.is_exact else more.exactness)


def _line(few: Count, more: Count, symbol: str) -> Count:
    least, most = few.constant, more.constant
    if least is None or most is None:
        return few
    return polynomial(const(least) + (var(symbol) - FEW) * (most - least))
