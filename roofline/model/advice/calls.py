"""Advice for calls of mathematical functions with the same arguments in each iteration: once, before the loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzer.counts.results import InnerLoop
from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic, Reuse

from ..expectation.code.invariant_calls import stay_called, without_calls
from ..intensity import value_of
from ..projection import Projection
from .anew import likely_gain, projected_anew
from .kinds import WORTH, Advice, CallOnce


def once(
    profile: RegionProfile, traffic: RegionTraffic, projection: Projection, reuses: Sequence[Reuse]
) -> Iterator[Advice]:
    """Yield the gain of calls before the loop, by expected times."""

    def called(inner: InnerLoop) -> tuple[str, ...]:
        return stay_called(inner.iteration, projection.options)

    names = {name: inner.iteration.line for inner in profile.inner_loops for name in called(inner)}
    if not names:
        return
    after = replace(
        profile,
        inner_loops=tuple(without_calls(inner, called(inner)) for inner in profile.inner_loops),
        written_loops=tuple(without_calls(inner, called(inner)) for inner in profile.written_loops),
    )
    gain = likely_gain(projection, projected_anew(after, traffic, projection, None, reuses))
    if gain is None:
        return
    gain = 1 / (1 / gain + (1 - 1 / gain) * _starts(profile))
    if gain > WORTH:
        yield CallOnce(tuple(names), tuple(dict.fromkeys(names.values())), gain)


def _starts(profile: RegionProfile) -> float:
    """Return how often the loops are entered for each of their iterations, once where that is not known."""
    starts, runs = (
        [value_of(number.estimate, profile.values) for number in numbers]
        for numbers in zip(*((inner.starts, inner.runs) for inner in profile.inner_loops), strict=True)
    )
    if None in starts or None in runs:
        return 1.0
    return min(1.0, sum(filter(None, starts)) / (sum(filter(None, runs)) or 1.0))
