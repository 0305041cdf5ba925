"""The bytes that a region moves: under one convention, or between the levels of a cache hierarchy.

Input: a profile, its traffic, the projection's options and perhaps a machine.  Output: :class:`MovedBytes` for the
outermost level (:func:`moved_bytes`) and for every level (:func:`level_bytes`).

Where the traffic of the caches is known and no convention is asked for, bytes are the misses of the caches, in whole
lines.  Stores read their line first unless the user or the machine says otherwise; a machine that avoids this does so
at its memory.  Non-temporal stores go to memory past the caches: they are assumed to write as many bytes as would have
been read for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor

from msgspec import Struct
from msgspec.structs import replace

from analyzer.profile import RegionProfile
from analyzer.python.cached_property import cached_property
from analyzer.quantities.choices import one_of
from analyzer.quantities.quantity import ZERO, Exactness, Quantity, add, exact, unbounded
from analyzer.quantities.quasipolynomial import NOTHING, Count, fixed
from analyzer.traffic.hierarchy import Hierarchy
from analyzer.traffic.results import CacheTraffic, Convention, LevelTraffic, RegionTraffic

from ..machine.figures import Basis
from ..machine.hardware import WritePolicy
from ..machine.machine import Machine
from .compilers import Code
from .hierarchies import held_inside, hierarchy_of


class ProjectionOptions(Struct, frozen=True, kw_only=True):
    """How to project; ``None`` means as the machine states.

    ``convention`` None is the misses of the caches where they are known, else the compulsory bytes, plus
    write-allocate where the machine allocates on a store miss.  ``hierarchy`` replaces the machine's caches.
    ``warm`` caches hold what an earlier run left there.
    ``reassociate`` allows sums to be taken in another order (several accumulators, ``-ffast-math``).
    ``code`` is the code to expect.
    """

    basis: Basis = Basis.SUSTAINED
    cores: int | None = None
    convention: Convention | None = None
    write_allocate: bool | None = None
    nontemporal: bool = False
    hierarchy: Hierarchy | None = None
    warm: bool = False
    reassociate: bool = False
    code: Code = Code()


class MovedBytes(Struct, frozen=True, dict=True):
    """Bytes of a region by direction under one convention."""

    convention: Convention
    read: Quantity
    write_allocate: Quantity
    write: Quantity

    @cached_property
    def total(self) -> Quantity:
        """Return all bytes."""
        return add((self.read, self.write_allocate, self.write))


LevelBytes = tuple[tuple[str, MovedBytes], ...]
"""The bytes that each level serves, by its name, from the innermost cache to memory."""


class Target(Struct, frozen=True):
    """The target of projections: a machine, the options, and the caches in force (None: none are modelled)."""

    machine: Machine
    options: ProjectionOptions
    hierarchy: Hierarchy | None


def target_of(machine: Machine, options: ProjectionOptions | None = None) -> Target:
    """Return a machine as a target; raises ``MachineError`` for more cores than there are."""
    chosen = options or ProjectionOptions()
    return Target(machine, chosen, chosen.hierarchy or hierarchy_of(machine, chosen.cores))


def in_force(traffic: RegionTraffic, options: ProjectionOptions, hierarchy: Hierarchy | None) -> CacheTraffic | None:
    """Return the traffic of a hierarchy; None where a convention is asked for instead, or where it is not known."""
    if hierarchy is None or options.convention not in (None, Convention.CACHED):
        return None
    return traffic.on(hierarchy)


def moved_bytes(
    profile: RegionProfile,
    options: ProjectionOptions,
    machine: Machine | None = None,
    *,
    levels: LevelBytes = (),
    parts: Sequence[MovedBytes] = (),
) -> MovedBytes:
    """Return the bytes to and from memory under the convention in force.

    ``levels`` are those of :func:`level_bytes`, ``parts`` the bytes of the region's parts.
    Without a machine there is no write-allocate unless asked for.  A region of several parts moves their sum; under a
    convention that was asked for it is taken as a whole, so that data shared by its parts move once.
    """
    if levels:
        return levels[-1][1]
    if parts and options.convention is None:
        return _sum(parts, profile)
    compulsory, register = profile.compulsory_traffic, profile.register_traffic
    nothing = compulsory.read_bytes * 0
    convention = options.convention or _default_convention(options, machine)
    match convention:
        case Convention.REGISTER:
            return MovedBytes(convention, register.read_bytes, nothing, register.write_bytes)
        case Convention.COMPULSORY | Convention.CACHED:
            return MovedBytes(Convention.COMPULSORY, compulsory.read_bytes, nothing, compulsory.write_bytes)
        case Convention.WRITE_ALLOCATE:
            return MovedBytes(
                convention, compulsory.read_bytes, compulsory.write_allocate_bytes, compulsory.write_bytes
            )
        case Convention.TOUCHED_ONCE:
            return MovedBytes(convention, profile.footprint.touched.bytes, nothing, nothing)


def less_what_is_held(
    moved: MovedBytes, profile: RegionProfile, options: ProjectionOptions, machine: Machine
) -> MovedBytes:
    """Return the bytes of a nest that is repeated, between caches that hold what they can in between and none at all.

    So it is where caches are not modelled: each repetition but the first may find what caches hold.
    """
    if profile.repetitions == 1 or options.convention is not None:
        return moved
    held = held_inside(machine, machine.memory.name, options.cores) * profile.repetitions
    read, allocated, written = (
        _without(part, held, profile.values) for part in (moved.read, moved.write_allocate, moved.write)
    )
    return MovedBytes(moved.convention, read, allocated, written)


def _without(size: Quantity, held: int, values: Mapping[str, int]) -> Quantity:
    """Return a size of which so much may be missing; itself where it depends on sizes that are not known."""
    if size.is_zero or not size.lower.symbols <= values.keys():
        return size
    least = fixed(max(0, floor(size.lower.evaluate(values)) - held))
    if size.upper is None:
        return unbounded(size.estimate, least)
    return Quantity(size.estimate, least, size.upper, Exactness.INTERVAL)


def _sum(parts: Sequence[MovedBytes], profile: RegionProfile) -> MovedBytes:
    """Return the bytes of parts that run one after the other, nothing being reused between them.

    Of those under conditions on data one alternative runs.
    """
    choices = profile.choices
    return MovedBytes(
        parts[0].convention,
        one_of(add(part.read for part in parts), choices),
        one_of(add(part.write_allocate for part in parts), choices),
        one_of(add(part.write for part in parts), choices),
    )


def level_bytes(
    traffic: CacheTraffic | None,
    options: ProjectionOptions,
    machine: Machine | None,
    values: Mapping[str, int],
) -> LevelBytes:
    """Return the bytes that each level serves, from the innermost cache to memory; () where caches are not modelled."""
    if traffic is None:
        return ()
    return tuple((level.level, _stored(level, traffic, options, machine, values)) for level in traffic.levels)


def upper_ends(levels: LevelBytes) -> LevelBytes:
    """Return the bytes of every level as many as there may be; those with no upper end as they are."""
    return tuple(
        (
            name,
            replace(
                moved, read=_most(moved.read), write_allocate=_most(moved.write_allocate), write=_most(moved.write)
            ),
        )
        for name, moved in levels
    )


def _most(size: Quantity) -> Quantity:
    return size if size.upper is None or size.upper == size.estimate else exact(size.upper)


def _stored(
    level: LevelTraffic,
    traffic: CacheTraffic,
    options: ProjectionOptions,
    machine: Machine | None,
    values: Mapping[str, int],
) -> MovedBytes:
    """Return the bytes of a level as its stores behave."""
    moved = MovedBytes(Convention.CACHED, level.read_bytes, level.write_allocate_bytes, level.write_bytes)
    first, last = level is traffic.levels[0], level is traffic.levels[-1]
    if options.nontemporal and not first:
        past = ZERO if last else moved.write_allocate
        return MovedBytes(moved.convention, moved.read, ZERO, _less(moved.write, past, values))
    avoids = last and machine is not None and machine.write_allocate.policy is WritePolicy.NONE
    allocates = not avoids if options.write_allocate is None else options.write_allocate
    return moved if allocates else MovedBytes(moved.convention, moved.read, ZERO, moved.write)


def _less(whole: Quantity, part: Quantity, values: Mapping[str, int]) -> Quantity:
    """Return the whole without the part, at least nothing."""
    if part.is_zero:
        return whole

    def left(most: Count, least: Count | None) -> Count:
        rest = NOTHING if least is None else most - least
        return NOTHING if rest.symbols <= values.keys() and rest.evaluate(values) < 0 else rest

    estimate = left(whole.estimate, part.estimate)
    if whole.is_exact and part.is_exact:
        return exact(estimate)
    lower = left(whole.lower, part.upper)
    if whole.upper is None:
        return unbounded(estimate, lower)
    return Quantity(estimate, lower, left(whole.upper, part.lower), whole.exactness)


def _default_convention(options: ProjectionOptions, machine: Machine | None) -> Convention:
    allocates = machine is not None and machine.write_allocate.policy is not WritePolicy.NONE
    wanted = allocates if options.write_allocate is None else options.write_allocate
    return Convention.WRITE_ALLOCATE if wanted and not options.nontemporal else Convention.COMPULSORY
