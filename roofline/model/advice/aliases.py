"""Advice for elements that stay in memory, as other pointers may name them: local variables, or ``restrict``.

An element that stays the same in an innermost loop (``y[i] += a[i*n + j]*x[j]``) is stored in each iteration where a
load of the loop may be of it, and loaded anew where a store may have changed it: no vectors, and the latency of a store
that is forwarded to the next load.  Very many pairs of pointers are not checked when the loop runs, either.  The counts
take arrays of different names to be apart (AI302); with that assumption the change is legal, unless another subscript
of the same array may be of the element (``y[i] += a[j]*y[j]``), or another thread behind a barrier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from analyzer.counts.results import Chain, InnerLoop
from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic, Reuse

from ..expectation.code.vectors import ALIAS_CHECKS
from ..projection import Projection
from .anew import likely_gain, projected_anew
from .kinds import WORTH, Advice, HoldElements


def held(
    profile: RegionProfile, traffic: RegionTraffic, projection: Projection, reuses: Sequence[Reuse]
) -> Iterator[Advice]:
    """Yield the gain of elements in local variables, or of pointers that are promised apart, by expected times."""
    most = ALIAS_CHECKS[projection.options.code.compiler]
    loops = [inner.iteration.vectorization for inner in (*profile.inner_loops, *profile.written_loops)]
    types = {chain.name: _type(chain) for loop in loops for chain in loop.chains if _stays_in_memory(chain)}
    if not types and all(loop.alias_checks <= most for loop in loops):
        return
    after = replace(
        profile,
        inner_loops=tuple(map(_apart, profile.inner_loops)),
        written_loops=tuple(map(_apart, profile.written_loops)),
    )
    gain = likely_gain(projection, projected_anew(after, traffic, projection, None, reuses))
    if gain is not None and gain > WORTH:
        yield HoldElements(tuple(types), gain, tuple(types.values()))


def _stays_in_memory(chain: Chain) -> bool:
    """Return whether names alone keep an element in memory, not other subscripts, threads or atomic updates."""
    return chain.is_alone and (chain.through_memory or chain.is_observed)


def _type(chain: Chain) -> str:
    return {4: "float", 8: "double"}.get(chain.size_bytes, "") if chain.is_floating else ""


def _apart(inner: InnerLoop) -> InnerLoop:
    """Return a loop whose stores change no element of another name."""
    loop = inner.iteration.vectorization
    chains = tuple(
        replace(chain, through_memory=False, is_observed=False) if chain.is_alone else chain for chain in loop.chains
    )
    loop = replace(loop, chains=chains, alias_checks=0)
    return replace(inner, iteration=replace(inner.iteration, vectorization=loop))
