"""Advice to transform a nest: its variants, projected like the nest as it is, as far as the gain exceeds the doubt.

Input: the :class:`~analyzer.profile.Variant` values of a nest.  Output: the best of each kind, the largest gain first;
one of several steps only where it gains more than its first steps alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from analyzer.profile import RegionProfile, Variant
from analyzer.transformations.kinds import Interchange, Narrow, Split, Transformation, Turn

from ..intensity import value_of
from ..level_bytes import Target
from ..projection import Projection, project
from .kinds import WORTH, Advice, TransformLoops

_NO_VALUES: Mapping[str, int] = MappingProxyType({})


def transformed(profile: RegionProfile, projection: Projection | None) -> tuple[TransformLoops, ...]:
    """Return the transformations that help a nest, by the expected time where there is one, else by its bound."""
    if not profile.variants:
        return ()
    if projection is None:
        return tuple(_by_bytes(profile.variants)) or tuple(_without_sizes(profile.variants))
    plain, *others = (_projected(variant, projection) for variant in profile.variants)
    # compilers see the numbers that variants have, and names in the source: what they make of it is that of the nest
    is_once = profile.repetitions == 1 and profile.launch is None  # variants of a kernel are those of one launch
    before = projection.seconds if is_once else plain.seconds
    if before is None:
        return tuple(_without_sizes(profile.variants))
    gains: dict[tuple[Transformation, ...], TransformLoops] = {}
    for variant, found in zip(profile.variants[1:], others, strict=True):
        after = found.seconds
        if after and before > WORTH * after:
            level = _spared(plain, found)
            sizes = [_bytes(each, level) for each in (plain, found)]
            of_all = [None if size is None else size * profile.repetitions for size in sizes]
            gains[variant.steps] = TransformLoops(variant.steps, before / after, level, *of_all)
    return tuple(_best(gains))


def is_narrower(advice: Advice) -> bool:
    """Return whether other numbers are computed, with which only the user knows whether the result is good enough."""
    return isinstance(advice, TransformLoops) and any(isinstance(step, Narrow) for step in advice.steps)


def fused(nests: Sequence[RegionProfile], projections: Sequence[Projection], made: Variant) -> TransformLoops | None:
    """Return the gain of some nests as one, in a run of them all; None where it is small, or a time is not known."""
    times = [
        None if projection.seconds is None else projection.seconds / nest.repetitions
        for nest, projection in zip(nests, projections, strict=True)
    ]
    known = [time for time in times if time is not None]
    # Where one nest runs in order, all of them do then.
    one = _projected(made, min(projections, key=lambda each: each.machine.unit_count(each.options.cores)))
    if len(known) < len(times) or not one.seconds:
        return None
    calls_s = sum(map(_calls_s, projections)) - _calls_s(one)  # outside of inner loops
    after_s = one.seconds + max(0.0, calls_s)
    if sum(known) <= WORTH * after_s:
        return None
    level = _outermost(projections[0], nests[0].values)
    before = [_bytes(projection, level, nest.values) for nest, projection in zip(nests, projections, strict=True)]
    after = _bytes(one, level)
    if after is None or None in before:
        return TransformLoops(made.steps, sum(known) / after_s)
    moved = sum(size for size in before if size is not None)
    return TransformLoops(made.steps, sum(known) / after_s, level, moved, after * nests[0].repetitions)


def _calls_s(projection: Projection) -> float:
    return 0.0 if projection.expected is None else projection.expected.calls


def _outermost(projection: Projection, values: Mapping[str, int]) -> str | None:
    """Return the outermost level that moves bytes."""
    moving = [each.level for each in projection.levels if value_of(each.bytes.estimate, values) != 0]
    return moving[-1] if moving else None


def _best(gains: dict[tuple[Transformation, ...], TransformLoops]) -> Iterator[TransformLoops]:
    """Yield the best of each kind, the largest gain first; the usual change before others that gain about as much.

    That is another order of the loops, and tiles for columns: what else spares these leaves it to a cache to hold rows.

    Several kinds together follow where they gain more than one of them alone.
    """
    found: dict[tuple[type, ...], TransformLoops] = {}
    for advice in sorted(gains.values(), key=_gain, reverse=True):
        found.setdefault(_kinds(advice.steps), advice)
    simple = [advice for kinds, advice in found.items() if len(kinds) == 1]
    most = max((_gain(each) for each in simple if not is_narrower(each)), default=0.0)
    yield from sorted(simple, key=lambda each: not (_is_usual(each.steps) and WORTH * _gain(each) >= most))
    for kinds, advice in found.items():
        if len(kinds) > 1 and _gain(advice) > WORTH * most:
            yield advice


def _gain(advice: TransformLoops) -> float:
    return advice.gain or 0.0


def _kinds(steps: Sequence[Transformation]) -> tuple[type, ...]:
    """Return the kinds of steps, each once; a split alone changes nothing."""
    return tuple(dict.fromkeys(type(step) for step in steps if not isinstance(step, Split)))


def _is_usual(steps: Sequence[Transformation]) -> bool:
    return _is_order(steps) or _kinds(steps) == (Turn,)


def _is_order(steps: Sequence[Transformation]) -> bool:
    """Return whether nothing but the order of loops changes."""
    return _kinds(steps) == (Interchange,)


def _by_bytes(variants: Sequence[Variant]) -> Iterator[TransformLoops]:
    """Yield of each kind what moves the fewest bytes of memory, where caches are given without a machine."""
    plain, *others = variants
    sizes = [(moved[1], variant.steps) for variant in others if (moved := _of_memory(variant)) is not None]
    level, before = _of_memory(plain) or ("", 0.0)
    found: dict[tuple[type, ...], TransformLoops] = {}
    for size, steps in sorted(sizes, key=lambda pair: pair[0]):
        if size and before > WORTH * size:
            found.setdefault(_kinds(steps), TransformLoops(steps, None, level, before, size))
    yield from found.values()


def _of_memory(variant: Variant) -> tuple[str, float] | None:
    """Return the outermost level with its bytes; None where caches are not modelled."""
    if not variant.traffic.models:
        return None
    memory = variant.traffic.models[0].levels[-1]
    moved = (memory.read_bytes, memory.write_allocate_bytes, memory.write_bytes)
    sizes = [value_of(each.estimate, variant.profile.values) for each in moved]
    return memory.level, sum(size for size in sizes if size is not None)


def _without_sizes(variants: Sequence[Variant]) -> Iterator[TransformLoops]:
    """Yield the first order of loops that strides prove to be better."""
    for variant in variants:
        if _is_order(variant.steps):
            yield TransformLoops(variant.steps, None)
            return


def _projected(variant: Variant, projection: Projection) -> Projection:
    target = Target(projection.machine, projection.options, projection.hierarchy)
    return project(variant.profile, target, variant.traffic)


def _spared(plain: Projection, changed: Projection) -> str | None:
    """Return the level that the change spares most seconds; None where it spares no bytes."""
    most: tuple[float, str | None] = (0.0, None)
    for level in plain.levels:
        before, after = (_bytes(each, level.level) for each in (plain, changed))
        if before is not None and after is not None:
            most = max(most, ((before - after) / level.bandwidth.rate.value, level.level), key=lambda pair: pair[0])
    return most[1]


def _bytes(projection: Projection, level: str | None, values: Mapping[str, int] = _NO_VALUES) -> float | None:
    """Return the bytes of a level where they are known."""
    found = [value_of(each.bytes.estimate, values) for each in projection.levels if each.level == level]
    return found[0] if len(found) == 1 else None
