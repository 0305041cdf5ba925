"""The roofline: a region's work and bytes on a machine.

``P = min(P_ceiling, I_k * b_k)`` over the memory levels k for which bytes are known (Williams, Waterman, Patterson,
*Roofline*, CACM 52(4), 2009; hierarchical form: Yang et al., *Hierarchical roofline analysis*, arXiv 2009.02449).

* The compute ceiling is that for the mix of precisions and the FMA share (:mod:`.core.ceilings`), on a CPU at most the
  core's throughput (:mod:`.core.incore`).
* Every level has the bytes that the model of the caches finds (:mod:`.level_bytes`).  Without one they follow a
  convention (:class:`~analyzer.traffic.results.Convention`) and move over the outermost level; the register-level
  references move over the innermost one.
* The least of these is the bound (:mod:`.verdicts.verdict`); the times of parts add up (:mod:`.verdicts.sequence`).

Everything is worked out for known sizes, and as limits for large symbols where sizes are not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.profile import RegionProfile
from analyzer.traffic.results import CacheTraffic, RegionTraffic

from .core.ceilings import (
    Ceiling,
    compute_ceilings,
    core_of,
    fma_share,
    likely_core_of,
    with_instructions,
)
from .cores import on_cores
from .gpu.chains import chain_ceiling
from .instructions import held_by, instruction_roof, with_transactions
from .intensity import Ratio, ratio
from .level_bytes import MovedBytes, ProjectionOptions, Target, in_force, less_what_is_held, level_bytes, moved_bytes
from .levels import LevelBound, level_bounds
from .verdicts.projected import Bound, Projection
from .verdicts.sequence import NO_TRAFFIC, in_sequence, paired
from .verdicts.verdict import Verdict

__all__ = [
    "NO_TRAFFIC",
    "Bound",
    "Ceiling",
    "LevelBound",
    "MovedBytes",
    "Projection",
    "ProjectionOptions",
    "Ratio",
    "fma_share",
    "moved_bytes",
    "paired",
    "project",
    "ratio",
]


def project(
    profile: RegionProfile,
    target: Target,
    traffic: RegionTraffic = NO_TRAFFIC,
    parts: Sequence[Projection] = (),
    like: Projection | None = None,
) -> Projection:
    """Project a region onto a machine; ``parts`` are the projections of its parts, where they were made already.

    Parts run one after the other: their times add up.  ``like`` is a projection of the same region onto the same
    machine with other bytes or options, whose core bound and instruction roof are reused where they are the same.
    """
    own = parts or _parts(profile, target, traffic, like)
    if len(own) == 1:
        return own[0]
    if not own:
        target = on_cores(profile, target)
    whole = _project(profile, target, in_force(traffic, target.options, target.hierarchy), own, like)
    return in_sequence(whole, profile, own) if own else whole


def _parts(profile: RegionProfile, target: Target, traffic: RegionTraffic, like: Projection | None) -> list[Projection]:
    pairs = list(paired(profile, traffic))
    likes = (like,) * len(pairs) if like is None or len(pairs) == 1 else like.parts
    return [project(part, target, moved, like=own) for (part, moved), own in zip(pairs, likes, strict=True)]


def _project(
    profile: RegionProfile,
    target: Target,
    traffic: CacheTraffic | None,
    parts: Sequence[Projection],
    like: Projection | None,
) -> Projection:
    machine, options = target.machine, target.options
    requests = () if traffic is None else traffic.requests
    served = level_bytes(traffic, options, machine, profile.values)
    moved = moved_bytes(profile, options, machine, levels=served, parts=[part.moved for part in parts])
    if not served and not parts:
        moved = less_what_is_held(moved, profile, options, machine)
    if like is not None and like.options.reassociate == options.reassociate:
        core, likely, instructions = like.core, like.likely, like.instructions
    else:
        core = core_of(profile, machine, options.cores, reassociate=options.reassociate)
        likely = likely_core_of(profile, machine, options.cores, reassociate=options.reassociate)
        instructions = instruction_roof(profile, requests, machine, options.cores)
    levels = level_bounds(profile, target, requests, moved, served)
    ceilings = compute_ceilings(profile, machine, options.basis, options.cores, core)
    held = held_by(instructions, chain_ceiling(profile, requests, machine))
    ceilings = with_instructions(profile, ceilings, held)
    return Verdict(
        profile=profile,
        target=target,
        traffic=traffic,
        moved=moved,
        served=served,
        core=core,
        likely=likely,
        ceilings=ceilings,
        levels=levels,
        instructions=with_transactions(instructions, levels, machine, profile.values),
        held=held,
    ).projection()
