"""The memory roofs over a region: each level with its bytes, its intensity and the rate that it allows.

Input: a profile, a machine, and the bytes of :mod:`.level_bytes`.  Output: one :class:`LevelBound` for each level of
which bytes and bandwidth are known, shared memory where a kernel uses it, and the link to the host where its arrays
lie there.

A bandwidth of the innermost cache that was measured with loads alone leaves the core's store ports idle.  Stores
move at the same time as loads there, as many as the core can start: such a figure counts times ``store_factor``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from analyzer.ir.launches import Launch
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import ZERO, Exactness, Quantity, add
from analyzer.traffic.results import ArrayFootprint, Request

from ..machine.figures import ChosenBandwidth
from ..machine.hardware import Core
from ..machine.machine import Machine
from ..machine.units import Bandwidth, FlopRate, Intensity
from .gpu.requests import path_bandwidth, path_bytes, shared_bandwidth, shared_bytes
from .intensity import Ratio, intensity_of, limit_of, value_of
from .level_bytes import LevelBytes, MovedBytes, Target

_LOADS_ALONE = ("load", "read")


class LevelBound(Struct, frozen=True, kw_only=True):
    """One memory level: its bytes, intensity, bandwidth, and the rate it allows (None where not a number).

    ``store_factor`` is the bandwidth over the measured figure, for stores that move at the same time as loads.
    """

    level: str
    bytes: Quantity
    intensity: Ratio
    bandwidth: ChosenBandwidth
    rate: FlopRate | None
    store_factor: float = 1.0


def level_bounds(
    profile: RegionProfile, target: Target, requests: Sequence[Request], moved: MovedBytes, modelled: LevelBytes
) -> tuple[LevelBound, ...]:
    """Return a bound for every level whose bytes are known: all where caches are modelled.

    Otherwise the innermost cache has the register-level references and the outermost level the bytes in force.
    """
    machine, options, register = target.machine, target.options, profile.register_traffic
    references = MovedBytes(moved.convention, register.read_bytes, register.write_allocate_bytes, register.write_bytes)
    inner = [(level.name, references) for level in machine.levels[:1]]
    bounds: list[LevelBound] = []
    if machine.gpu is not None:
        bounds = [*_shared(profile, requests, target), *_path(profile, requests, target, modelled)]
    names = machine.level_names
    for name, moves in modelled or (*inner, (machine.memory.name, moved)):
        bandwidth = machine.bandwidth(name, options.basis, options.cores) if name in names else None
        if bandwidth is None:
            continue
        store_factor = _store_factor(profile, machine, name, moves, bandwidth)
        follows = options.convention is not None
        bounds.append(_bound(profile, name, moves.total, bandwidth, store_factor, follows_convention=follows))
    return (*bounds, *_over_the_link(profile, target))


def _shared(profile: RegionProfile, requests: Sequence[Request], target: Target) -> Iterator[LevelBound]:
    machine, options = target.machine, target.options
    size, bandwidth = shared_bytes(requests, machine), shared_bandwidth(machine, options.basis, options.cores)
    if bandwidth is not None and not size.is_zero:
        yield _bound(profile, bandwidth.level, size, bandwidth, 1.0, follows_convention=False)


def _path(
    profile: RegionProfile, requests: Sequence[Request], target: Target, modelled: LevelBytes
) -> Iterator[LevelBound]:
    """Yield the path of L1 and shared memory, where it is busier than either of them."""
    machine, options = target.machine, target.options
    size, bandwidth = path_bytes(requests, machine), path_bandwidth(machine, options.basis, options.cores)
    inner = [moves.total for _, moves in modelled[:1]]
    alone = [value_of(each.estimate, profile.values) or 0 for each in (*inner, shared_bytes(requests, machine))]
    if bandwidth is not None and (value_of(size.estimate, profile.values) or 0) > max(alone):
        yield _bound(profile, bandwidth.level, size, bandwidth, 1.0, follows_convention=False)


def _over_the_link(profile: RegionProfile, target: Target) -> Iterator[LevelBound]:
    """Yield the memory of the host, which a GPU reads and writes over a link: each byte once, in the busier direction.

    Managed memory moves to the GPU when it is first touched and stays there: once is expected of a series of launches,
    at most once a launch (the host may use it in between), and nothing where it is there already.  What is only written
    is taken to be there: the host has no use for values that the kernel replaces.
    """
    machine, options, memory = target.machine, target.options, host_memory(target.machine)
    launch = profile.launch
    if memory is None or launch is None:
        return
    arrays = profile.footprint.arrays
    moved = [_if_moved(_read(array), launch) for array in arrays if array.array in launch.managed]
    pinned = [array for array in arrays if array.array in launch.pinned]
    reads, writes = add([*map(_read, pinned), *moved]), add(map(_written, pinned))
    sizes = [value_of(each.estimate, profile.values) or 0 for each in (reads, writes)]
    size = reads if sizes[0] >= sizes[1] else writes
    bandwidth = machine.bandwidth(memory, options.basis, options.cores)
    if bandwidth is not None and not size.is_zero:
        yield _bound(profile, memory, size, bandwidth, 1.0, follows_convention=options.convention is not None)


def _read(array: ArrayFootprint) -> Quantity:
    return array.read.bytes


def _written(array: ArrayFootprint) -> Quantity:
    return array.written.bytes


def _if_moved(size: Quantity, launch: Launch) -> Quantity:
    if size.is_zero:
        return size
    once = size * Fraction(1, launch.in_series)
    return Quantity(once.estimate, ZERO.estimate, size.upper, Exactness.INTERVAL)


def host_memory(machine: Machine) -> str | None:
    """Return the memory that a GPU reaches over a link to the host; None where it is not stated."""
    others = machine.other_memories
    return others[0].name if machine.gpu is not None and others else None


def _bound(
    profile: RegionProfile,
    name: str,
    size: Quantity,
    bandwidth: ChosenBandwidth,
    store_factor: float,
    *,
    follows_convention: bool,
) -> LevelBound:
    if store_factor > 1:
        bandwidth = replace(bandwidth, rate=Bandwidth(bandwidth.rate.value * store_factor))
    intensity = intensity_of(profile, size, follows_convention=follows_convention)
    number = intensity.number
    rate = bandwidth.rate * Intensity(float(number)) if number is not None else None
    return LevelBound(
        level=name, bytes=size, intensity=intensity, bandwidth=bandwidth, rate=rate, store_factor=store_factor
    )


def _store_factor(
    profile: RegionProfile, machine: Machine, name: str, moves: MovedBytes, bandwidth: ChosenBandwidth
) -> float:
    """Return the bytes moved for each byte loaded from the innermost cache; 1 where the figure has stores already."""
    innermost = bool(machine.levels) and name == machine.levels[0].name
    if not innermost or machine.core is None or bandwidth.figure.pattern not in _LOADS_ALONE:
        return 1.0
    share = limit_of(profile, moves.total, moves.read)
    most = _most_store_factor(machine.core)
    return most if share is None else min(float(share), most)


def _most_store_factor(core: Core) -> float:
    """Return the loads and stores that can start in one cycle, for each load."""
    if not core.loads_per_cycle or not core.stores_per_cycle:
        return 1.0
    both = core.loads_per_cycle + core.stores_per_cycle
    return min(both, core.memory_operations_per_cycle or both) / core.loads_per_cycle
