"""All advice for a region: what would help, with the gain that the roofline predicts."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.profile import RegionProfile
from analyzer.traffic.results import RegionTraffic, Reuse
from analyzer.transformations.kinds import Exchange, Turn

from ..level_bytes import ProjectionOptions
from ..levels import host_memory
from ..projection import Bound, MovedBytes, Projection
from .aliases import held
from .calls import once
from .chains import reordered, split
from .divisions import inverted
from .kernels import copied, mended
from .kinds import Advice, CoalesceAccesses
from .reuse import reusable
from .stores import streaming
from .transformed import is_narrower, transformed


def advice_for(
    profile: RegionProfile,
    traffic: RegionTraffic,
    moved: MovedBytes,
    projections: Sequence[Projection],
    options: ProjectionOptions,
    reuses: Sequence[Reuse] = (),
) -> tuple[Advice, ...]:
    """Return suggestions for a region, by the first machine where there is one; ``moved`` is the headline's.

    Without sizes they are for the regime of the headline: that of large sizes, where the ``reuses`` separate two.
    There are none for several nests whose data together were not counted, as only their own advice is shown.
    """
    if profile.distinct is None:
        return ()
    first = projections[0] if projections else None
    found = transformed(profile, first)
    changed = [each for each in found if not is_narrower(each)]
    advice: list[Advice] = [*changed, *streaming(profile, traffic, moved, first, reuses)]
    if first is not None and first.traffic is not None and first.traffic.requests:
        found_anew = any(isinstance(step, Exchange | Turn) for each in changed for step in each.steps)
        mends = mended(profile, traffic, first.traffic, first)
        advice += [each for each in mends if not (found_anew and isinstance(each, CoalesceAccesses))]
    if first is not None and first.bound is Bound.MEMORY:
        by_link = first.level is not None and first.level == host_memory(first.machine)
        advice += copied(profile, first) if by_link else () if changed else reusable(profile, first)
    if first is not None and not profile.work.not_counted:  # a call that is not counted may take all of the time
        advice += reordered(profile, traffic, first, reuses)
        advice += split(profile, first)
        advice += inverted(profile, traffic, first, reuses)
        simpler = [*held(profile, traffic, first, reuses), *once(profile, traffic, first, reuses)]  # than other loops
        before = any((each.gain or 0.0) <= (other.gain or 0.0) for each in simpler for other in advice)
        advice = [*advice, *simpler] if before else [*simpler, *advice]
    return (*advice, *(each for each in found if is_narrower(each)))
