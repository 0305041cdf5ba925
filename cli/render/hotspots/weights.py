"""The weight of a hotspot: the expected time, else the least, with common sizes where sizes are not known.

A size that is not known is :data:`ASSUMED_SIZE`.  Without a machine, a FLOP and a byte take a tenth of a nanosecond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.ir.index import TooManyTerms
from analyzer.profile import RegionProfile
from analyzer.quantities.quasipolynomial import Count

from .hotspots import Hotspot, OnMachine
from .roles import Location

ASSUMED_SIZE = 1000
_LEAST_OWN = 0.1  # of the work of a nest, in its own lines
_NO_MACHINE_FLOPS, _NO_MACHINE_BYTES = 1e-10, 1e-10  # seconds of one, where no machine is named


def own_share(spot: Hotspot, locations: Sequence[Location]) -> float:
    """Return the part of the work of a nest that is not in the lines of others, in functions that it calls.

    A small one is 0, the nest only drives the others: they are hotspots of their own, with sizes of their own.
    """
    path, first, last = spot.location
    others = [location for location in locations if location[0] != path or location[1] > last or location[2] < first]
    own, all_of_it = 0.0, 0.0
    for line in spot.profile.lines:
        parts = (line.flops, line.load_bytes, line.store_bytes)
        work = sum(at_common_sizes(part.estimate, spot.profile) for part in parts)
        all_of_it += work
        at = line.path or path
        own += 0.0 if any(at == other and start <= line.line <= end for other, start, end in others) else work
    return own / all_of_it if own >= _LEAST_OWN * all_of_it and all_of_it else 0.0


def weight_of(profile: RegionProfile, found: OnMachine) -> float:
    """Return the seconds of a nest, with a common size for each that is not known."""
    if found.time is not None:
        return found.time
    flops, moved = (at_common_sizes(count.estimate, profile) for count in (profile.work.flops, found.moved))
    projection = found.projection
    if projection is None:
        return flops * _NO_MACHINE_FLOPS + moved * _NO_MACHINE_BYTES
    level = next((each for each in projection.levels if each.level == projection.level), None)
    level = level or next(reversed(projection.levels), None)
    of_bytes = 0.0 if level is None else moved / level.bandwidth.rate.value
    core = projection.core
    if core is not None and profile.work.flops.is_zero and profile.per_iteration is not None:
        moved = at_common_sizes(profile.register_traffic.read_bytes.estimate, profile)
        each = float(profile.per_iteration.load_bytes + profile.per_iteration.store_bytes)
        of_bytes = max(of_bytes, core.seconds * moved / each if each else 0.0)
    rate = projection.attainable or (None if projection.ceiling is None else projection.ceiling.rate)
    return max(of_bytes, 0.0 if rate is None or not rate.value else flops / rate.value)


def at_common_sizes(count: Count, profile: RegionProfile) -> float:
    """Return a count with :data:`ASSUMED_SIZE` for each size that is not known, but 1 for a border."""
    open_ones, sizes = _common_sizes(count, profile)
    return _at(count, sizes) or max((_at(count, {**sizes, name: 1}) for name in open_ones), default=0.0)


def borders_of(count: Count, profile: RegionProfile) -> frozenset[str]:
    """Return the sizes that must be small beside the others for there to be work: ``r`` of ``i = r; i < n - r``."""
    open_ones, sizes = _common_sizes(count, profile)
    if _at(count, sizes):
        return frozenset()
    return frozenset(name for name in open_ones if _at(count, {**sizes, name: 1}))


def _common_sizes(count: Count, profile: RegionProfile) -> tuple[frozenset[str], Mapping[str, int]]:
    """Return the sizes that are not known, and a value for each size of a count."""
    known: Mapping[str, int] = {**profile.assumed, **profile.values}
    open_ones = count.symbols - known.keys()
    return open_ones, dict.fromkeys(open_ones, ASSUMED_SIZE) | {name: known[name] for name in count.symbols - open_ones}


def _at(count: Count, sizes: Mapping[str, int]) -> float:
    try:
        return float(count.evaluate(sizes))
    except (ArithmeticError, OverflowError, TooManyTerms):
        return 0.0
