"""The traffic stage: a region and its profile to the bytes between the levels of each hierarchy that was asked for.

The bytes of each nest are computed once for each hierarchy; later stages only read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from ..domains.limits import OverBudget, deadline
from ..ir.nodes import Assumption, Loop, Region, RegionKind
from ..ir.passes.drivers import outermost_loops
from ..ir.passes.flags import with_flags
from ..ir.passes.substitute import bind
from ..ir.passes.summaries import without_summaries
from ..profile import RegionProfile
from ..profiling.lower_bounds import traffic_with_lower_bounds
from ..quantities.choices import among
from ..quantities.quantity import Quantity, add
from ..traffic.options import CacheOptions
from ..traffic.parts.known_part import known_part
from ..traffic.results import CacheTraffic, LevelTraffic, RegionTraffic
from ..traffic.stage import CacheAnswers, reuses_of


def traffic_of(region: Region, profile: RegionProfile, options: CacheOptions, seconds: float) -> RegionTraffic:
    """Return the traffic of a region, its nests and the statements outside of them, without reuses.

    Modelling takes at most so many ``seconds`` of CPU time (0: no limit); beyond, bytes are those of ideal caches.
    """
    region = without_summaries(region)
    flagged, _ = with_flags(region)
    by_assumption: dict[frozenset[tuple[str, int]], list[RegionProfile]] = {}
    for nest in profile.nests:
        by_assumption.setdefault(frozenset(nest.assumed.items()), []).append(nest)
    in_any_case = {None, *(nest.loops[0].iterator for nest in by_assumption.pop(frozenset(), ()))}
    by_flags = bool(by_assumption) and region.kind is not RegionKind.KERNEL
    with deadline(seconds):
        base = CacheAnswers(region, profile.values, options, in_any_case if by_flags else None)
        answers = {key: _under_assumption(flagged, dict(key), nests, options) for key, nests in by_assumption.items()}
        answers[frozenset()] = base
    loops = {loop.iterator: loop for loop in outermost_loops(region.body)}
    nests = tuple(
        _of_nest(answers[frozenset(nest.assumed.items())], nest, loops[nest.loops[0].iterator])
        for nest in profile.nests
    )
    outside = _outside(base, profile, None)
    found = RegionTraffic((), notes=tuple(base.notes), nests=nests, outside=outside)
    if by_flags:
        models = tuple(_alternatives(found, profile))
    else:
        models = base.of_region(profile.register_traffic, [*_not_modelled(profile.nests, nests)])
    return traffic_with_lower_bounds(replace(found, models=models), profile)


def _under_assumption(
    flagged: Region, assumed: Mapping[str, int], nests: Sequence[RegionProfile], options: CacheOptions
) -> CacheAnswers:
    """Return the traffic of the nests that flags of certain values let run.

    The others of the region fill the caches before them; where none of these nests has known sizes, they are of no
    concern, and a region of hundreds of nests is not bound once for each combination of flags.
    """
    values, wanted = nests[0].values, {nest.loops[0].iterator for nest in nests}
    loops = tuple(loop for loop in outermost_loops(flagged.body) if loop.iterator in wanted)
    alone = bind(replace(flagged, body=loops), assumed)
    part = known_part(alone, values)
    if all(map(part.lacks, outermost_loops(part.region.body))):
        return CacheAnswers(alone, values, options, wanted)
    return CacheAnswers(bind(flagged, assumed), values, options, wanted)


def _alternatives(traffic: RegionTraffic, profile: RegionProfile) -> Iterator[CacheTraffic]:
    """Yield the traffic of a region with parts of which flags decide which run: that of those which do."""
    ways = profile.ways
    if not ways or any(not part.models for part in traffic.parts):
        return
    for models in zip(*(part.models for part in traffic.parts), strict=True):
        levels = []
        for parts in zip(*(model.levels for model in models), strict=True):

            def one(direction: str, parts: Sequence[LevelTraffic] = parts) -> Quantity:
                cases = (
                    (add(getattr(part, direction) for part, runs in zip(parts, running, strict=True) if runs), share)
                    for running, share in ways
                )
                return among([*cases])

            moved = {name: one(name) for name in ("read_bytes", "write_allocate_bytes", "write_bytes")}
            levels.append(replace(parts[0], **moved))
        notes = tuple(dict.fromkeys(note for model in models for note in model.notes))
        yield replace(models[0], levels=tuple(levels), notes=notes)


def with_reuses(traffic: RegionTraffic, region: Region, profile: RegionProfile, options: CacheOptions) -> RegionTraffic:
    """Return the traffic with the reuses of the region and their capacity conditions, if asked for and in time."""
    try:
        return replace(traffic, reuses=reuses_of(without_summaries(region), profile.values, options))
    except OverBudget:
        return replace(traffic, notes=(*traffic.notes, Assumption.of("AI208", region.span, "reuses")))


def _of_nest(answers: CacheAnswers, nest: RegionProfile, loop: Loop) -> RegionTraffic:
    """Return the traffic of a nest, and of the nests that it only repeats."""
    notes = tuple(answers.notes)
    repeated = tuple(
        traffic_with_lower_bounds(
            RegionTraffic(
                _with_own_notes(answers.of_nest(inner.register_traffic, loop.iterator, inner.loops[0].iterator), inner),
                notes=notes,
            ),
            inner,
        )
        for inner in nest.nests
    )
    others = [*_not_modelled(nest.nests, repeated)]
    found = RegionTraffic(
        _with_own_notes(answers.of_nest(nest.register_traffic, loop.iterator, others=others), nest),
        notes=notes,
        nests=repeated,
        outside=_outside(answers, nest, loop.iterator),
    )
    return traffic_with_lower_bounds(found, nest)


def _not_modelled(nests: Sequence[RegionProfile], traffic: Sequence[RegionTraffic]) -> Iterator[LevelTraffic]:
    """Yield the bytes, as of ideal caches, of the nests that are not modelled, and of such nests that others repeat."""
    for nest, found in zip(nests, traffic, strict=True):
        if not found.models:
            yield nest.compulsory_traffic
        elif found.nests:
            yield from _not_modelled(nest.nests, found.nests)


def _with_own_notes(models: Sequence[CacheTraffic], profile: RegionProfile) -> tuple[CacheTraffic, ...]:
    """Return the bytes of a nest with notes on arrays for those only that it touches."""
    own = {array.array for array in profile.footprint.arrays}
    return tuple(replace(model, notes=tuple(_notes_on(model.notes, own))) for model in models)


def _notes_on(notes: Sequence[Assumption], own: Set[str]) -> Iterator[Assumption]:
    for note in notes:
        fields = dict(note.fields)
        arrays = fields.get("arrays")
        if note.code != "AI211" or not isinstance(arrays, tuple):
            yield note
        elif kept := tuple(array for array in arrays if array in own):
            yield replace(note, fields=tuple({**fields, "arrays": kept}.items()))


def _outside(answers: CacheAnswers, profile: RegionProfile, iterator: str | None) -> RegionTraffic | None:
    """Return the traffic of the statements outside of the nests; ``iterator`` is that of a loop that repeats nests."""
    if profile.outside is None:
        return None
    models = answers.outside(profile.outside.register_traffic, iterator)
    return traffic_with_lower_bounds(RegionTraffic(models, notes=tuple(answers.notes)), profile.outside)
