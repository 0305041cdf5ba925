"""Advice for values that wait for one another: sums in another order, and several chains side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzer.counts.results import InnerLoop
from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic, Reuse

from ..core.ceilings import CeilingName, ChainCeiling
from ..core.incore import Unit
from ..intensity import value_of
from ..projection import Bound, Projection
from .anew import likely_gain, projected_anew
from .kinds import NOTICEABLE, WORTH, Advice, ReorderSums, SplitChain

_MOST = 0.5  # of a time
_WORTH_OF_WAITING = 1.1  # of what waits for sums: it may be an option of the compiler, and no change of the source


def reordered(
    profile: RegionProfile, traffic: RegionTraffic, projection: Projection, reuses: Sequence[Reuse]
) -> Iterator[Advice]:
    """Yield the gain of sums in another order, where a compiler's code is likely to wait for the latency of one.

    It is that of expected times where sizes are known, else that of rates.
    """
    if not any(_may_be_split(inner) for inner in profile.inner_loops):
        return
    options = replace(projection.options, reassociate=True)
    gain = likely_gain(projection, projected_anew(profile, traffic, projection, options, reuses))
    least = _WORTH_OF_WAITING if projection.bound is Bound.LATENCY else WORTH
    is_most = gain is None
    if gain is None:
        gain, least = _gain_of_rates(projection), NOTICEABLE
    if gain is not None and gain > least:
        yield ReorderSums(gain, is_most, _called(projection))


def _called(projection: Projection) -> tuple[str, ...]:
    """Return the functions of the library that take most of the expected time."""
    expected = projection.expected
    return () if expected is None or expected.share_of_calls < _MOST else expected.called


def _may_be_split(inner: InnerLoop) -> bool:
    """Return whether a loop has a floating-point sum, product or extreme that several variables may hold parts of."""
    return any(chain.is_reduction and chain.is_floating for chain in inner.iteration.vectorization.chains)


def _gain_of_rates(projection: Projection) -> float | None:
    """Return how much faster the core is with sums in another order, as far as no roof is in the way."""
    core, least = projection.likely, projection.core
    if core is None or core.reassociated_cycles is None or not core.chip.value:
        return None
    if least is not None and least.bottleneck.unit is Unit.LOAD_LATENCY:  # waits as long, whatever the order
        return None
    roofs = [level.rate.value for level in projection.levels if level.rate is not None]
    roofs += [ceiling.rate.value for ceiling in projection.ceilings if ceiling.name is CeilingName.FMA]
    if projection.bound is Bound.MEMORY and projection.attainable is not None:
        roofs.append(projection.attainable.value)
    faster = 1 - core.share + core.share * core.reassociated_cycles / core.cycles
    before, after = (min(rate, *roofs) for rate in (core.chip.value, core.chip.value / faster))
    return after / before


def split(profile: RegionProfile, projection: Projection) -> Iterator[Advice]:
    """Yield the gain of several chains where one of loads, or of one thread of a GPU, is the bound."""
    if projection.bound is not Bound.LATENCY:
        return
    core, held = projection.core, projection.held
    if core is not None and core.bottleneck.unit is Unit.LOAD_LATENCY:
        others = [cycles for resource, cycles in core.cycles_by_resource if resource != core.bottleneck]
        if others and core.cycles > NOTICEABLE * max(others):
            yield SplitChain(core.bottleneck.value, True, core.cycles / max(others))
    elif isinstance(held, ChainCeiling):
        sizes = [
            (value_of(level.bytes.estimate, profile.values), level.bandwidth.rate.value) for level in projection.levels
        ]
        rest = [size / rate for size, rate in sizes if size is not None]
        roof = projection.instructions
        rest += [ceiling.seconds for ceiling in (() if roof is None else roof.ceilings)]
        if any(rest) and held.seconds > NOTICEABLE * max(rest):
            yield SplitChain(held.value, held.of_loads, held.seconds / max(rest))
