"""How good it could be: the intensity at each level now, after the best transformation found, and in any order at most.

The most is FLOPs over the least traffic of any order (:mod:`analyzer.bounds`) into all that is inside the level: the
caches of all cores that are used, whatever they share, and the vector registers of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from analyzer.bounds.results import Argument, LowerBound
from analyzer.profile import RegionProfile, Variant
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.transformations.kinds import Narrow, Transformation

from ..machine.machine import Machine
from .intensity import value_of
from .level_bytes import LevelBytes, MovedBytes, ProjectionOptions, in_force, level_bytes

_NEAR = 0.9  # of the least bytes: a model of the caches that finds less for a transformation is wrong about it
_REGISTER_BYTES = 32 * 64  # of a core: 32 vectors of 64 bytes, the most of any instruction set but SVE with longer ones


class BestIntensity(Struct, frozen=True, kw_only=True):
    """The intensities of one level in FLOP/byte; ``least_bytes`` pass it in any order into ``capacity_bytes``.

    At least ``least_loaded_bytes`` of them are loaded.
    ``reached`` is that of the transformation found (``steps``), None where none was looked at or none is better.
    ``terms`` are those that the bound is the sum of, besides first uses; () where every element is counted once.
    """

    level: str
    capacity_bytes: int
    flops: float
    least_bytes: int
    least_loaded_bytes: int
    now_bytes: float
    reached_bytes: float | None = None
    steps: tuple[Transformation, ...] = ()
    terms: tuple[Argument, ...] = ()

    @property
    def most(self) -> float | None:
        """Return the intensity that no order is above; None where it is not known that anything has to move."""
        return self.flops / self.least_bytes if self.least_bytes else None

    @property
    def now(self) -> float:
        """Return the intensity as it is."""
        return self.flops / self.now_bytes

    @property
    def reached(self) -> float | None:
        """Return the intensity after the transformation."""
        return self.flops / self.reached_bytes if self.reached_bytes else None

    @property
    def distance(self) -> float | None:
        """Return how many times more bytes move now than have to."""
        return self.now_bytes / self.least_bytes if self.least_bytes else None


def best_intensities(
    profile: RegionProfile,
    served: LevelBytes,
    hierarchy: Hierarchy | None,
    options: ProjectionOptions,
    machine: Machine | None = None,
) -> tuple[BestIntensity, ...]:
    """Return what could be at each level, the innermost first; () where sizes or caches are not known.

    ``served`` are the bytes of the levels as they are, on the machine if there is one.
    """
    bound = profile.least
    if bound is None or hierarchy is None or hierarchy.gpu is not None or not bound.symbols <= profile.values.keys():
        return ()
    if profile.same_work_times > 1:  # an order that spares repetitions of a measurement is of no use
        return ()
    flops = value_of(profile.work.flops.estimate, profile.values)
    if not flops:
        return ()
    variants = [
        (variant, dict(level_bytes(in_force(variant.traffic, options, hierarchy), options, machine, profile.values)))
        for variant in profile.variants[1:]
        if not any(isinstance(step, Narrow) for step in variant.steps)  # other numbers, and no order of the same
    ]
    return tuple(_levels(profile, bound, dict(served), hierarchy, variants, float(flops)))


def _levels(
    profile: RegionProfile,
    bound: LowerBound,
    now: Mapping[str, MovedBytes],
    hierarchy: Hierarchy,
    variants: Sequence[tuple[Variant, Mapping[str, MovedBytes]]],
    flops: float,
) -> Iterator[BestIntensity]:
    capacity = _REGISTER_BYTES * hierarchy.units
    for cache, level in zip(hierarchy.levels, hierarchy.serving, strict=True):
        capacity += cache.capacity_bytes * max(1, -(-hierarchy.units // cache.shared_by))
        moved = _bytes(now, level, profile)
        if not moved:
            continue
        least = bound.bytes(profile.values, capacity)
        reached = moved
        steps: tuple[Transformation, ...] = ()
        for variant, levels in variants:
            changed = _bytes(levels, level, profile)
            if changed is not None and _NEAR * least < changed < reached:
                reached, steps = changed, variant.steps
        yield BestIntensity(
            level=level,
            capacity_bytes=capacity,
            flops=flops,
            least_bytes=int(min(least, reached)),  # the model of the caches may be a little below
            least_loaded_bytes=int(min(bound.load_bytes(profile.values, capacity), least, reached)),
            now_bytes=moved,
            reached_bytes=reached if steps else None,
            steps=steps,
            terms=bound.best(profile.values, capacity),
        )


def _bytes(levels: Mapping[str, MovedBytes], level: str, profile: RegionProfile) -> float | None:
    moved = value_of(levels[level].total.estimate, profile.values) if level in levels else None
    return None if moved is None else float(moved)
