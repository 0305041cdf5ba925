from __future__ import annotations

import pytest

from roofline.probe.cpu.measurement import plateau_caches
from roofline.probe.plateaux import Reach, capacities, reach_of, sweep_sizes
from roofline.probe.statistics import parse_samples

KIB, MIB = 1024, 1024**2


def seconds(size: int, caches: tuple[tuple[int, float], ...], memory: float) -> float:
    """A cyclic walk: what fits a cache has its latency; above it the share that misses pays for the next level."""
    for position, (capacity, latency) in enumerate(caches):
        outer = caches[position + 1][1] if position + 1 < len(caches) else memory
        if size <= capacity:
            return latency
        if size < 2 * capacity:
            return latency + (outer - latency) * (size - capacity) / capacity
    return memory


@pytest.mark.parametrize(
    "caches",
    [
        ((32 * KIB, 1.2e-9), (1 * MIB, 4e-9), (32 * MIB, 15e-9)),
        ((48 * KIB, 1.5e-9), (2 * MIB, 5e-9), (30 * MIB, 25e-9)),
        ((128 * KIB, 1e-9), (12 * MIB, 6e-9)),
        ((16 * KIB, 2e-9),),
        (),
    ],
)
def test_plateaux_end_at_the_capacities(caches: tuple[tuple[int, float], ...]) -> None:
    sizes = sweep_sizes(4 * KIB, 128 * MIB)
    found = capacities(sizes, [seconds(size, caches, 90e-9) for size in sizes])
    assert len(found) == len(caches)
    for capacity, (true, _) in zip(found, caches, strict=True):
        assert 0.8 * true <= capacity <= 1.25 * true


def test_disturbed_points_do_not_end_a_plateau() -> None:
    sizes = sweep_sizes(4 * KIB, 128 * MIB)
    curve = [seconds(size, ((32 * KIB, 1.2e-9), (1 * MIB, 4e-9)), 90e-9) for size in sizes]
    curve[5] *= 3
    curve[20] *= 2
    assert capacities(sizes, curve) == (32 * KIB, 1 * MIB)


def test_a_sweep_has_the_powers_of_two() -> None:
    sizes = sweep_sizes(8 * KIB, 32 * KIB)
    assert sizes == (8192, 10240, 12288, 14336, 16384, 20480, 24576, 28672, 32768)


def test_caches_of_a_sweep_are_private_but_the_third() -> None:
    sizes = sweep_sizes(8 * KIB, 128 * MIB)
    hidden = ((32 * KIB, 1.2e-9), (1 * MIB, 4e-9), (32 * MIB, 15e-9))
    lines = [f"chase 1 {size} {1 / seconds(size, hidden, 90e-9)}" for size in sizes]
    caches = plateau_caches(sizes, parse_samples(lines), 8)
    assert [(c.level, c.shared_by, c.instances, c.ways) for c in caches] == [
        (1, 1, 8, None),
        (2, 1, 8, None),
        (3, 8, 1, None),
    ]


@pytest.mark.parametrize("true", [4 * MIB, 12 * MIB, 32 * MIB])
@pytest.mark.parametrize("at_random", [False, True])
def test_the_reach_of_a_cache_is_what_it_holds(true: int, at_random: bool) -> None:
    """A cache that replaces at random holds its capacity of a larger set, one that replaces the oldest line nothing."""
    sizes = [32 * MIB * eighth // 8 for eighth in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16)]

    def taken(size: int) -> float:
        hits = 1.0 if size <= true else true / size if at_random else 0.0
        return hits * 14e-9 + (1 - hits) * 110e-9

    found = reach_of(32 * MIB, 14e-9, 110e-9, {size: taken(size) for size in sizes})
    assert found is not None
    assert found.bytes == pytest.approx(true, rel=0.01)
    assert found.largest_bytes == 64 * MIB


def test_memory_that_is_as_fast_as_the_cache_tells_nothing() -> None:
    assert reach_of(32 * MIB, 14e-9, 18e-9, {8 * MIB: 14e-9}) is None
    assert reach_of(32 * MIB, 14e-9, 110e-9, {}) is None
    assert reach_of(32 * MIB, 14e-9, 110e-9, {32 * MIB: 108e-9}) is None
    assert reach_of(32 * MIB, 14e-9, 110e-9, {8 * MIB: 14e-9}) is None  # there was no time for larger ones
    assert reach_of(32 * MIB, 14e-9, 110e-9, {64 * MIB: 14e-9}) == Reach(32 * MIB, 64 * MIB)
