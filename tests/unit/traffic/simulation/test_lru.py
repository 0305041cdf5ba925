"""Caches that gather what happens to their lines, and those of arrays, pass on the same as those that do neither."""

import random

import numpy as np
import pytest

from analyzer.traffic.hierarchy import CacheLevel
from analyzer.traffic.simulation import lru_arrays
from analyzer.traffic.simulation.lru import Cache, Caches, WatchedCache
from analyzer.traffic.simulation.stream import Chunk


def uses(seed: int, *, write_backs: bool) -> tuple[list[int], list[int]]:
    chance = random.Random(seed)
    marks = (0, 1, 2, 3, 4) if write_backs else (0, 2, 3)
    return [chance.randrange(40) for _ in range(400)], [chance.choice(marks) for _ in range(400)]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("ways", [1, 4, None])
def test_what_the_next_level_sees_is_the_same(whole: bool, watched: bool, ways: int | None) -> None:
    level = CacheLevel("L1", 1024, ways)
    plain, gathering = Cache(level, whole=whole), WatchedCache(level, whole=whole)
    gathering.watched = watched
    for seed in range(4):
        lines, marks = uses(seed, write_backs=whole)
        assert plain.use(lines, marks) == gathering.use(lines, marks)
        assert plain.dirty() == gathering.dirty()
    assert len(gathering.turned) == len(gathering.turned_lines) > 0


def test_a_line_that_became_dirty_is_written_back_once_and_by_who_made_it_so() -> None:
    """One set of two ways: the first child (mark 2) stores to 1, the second (4) to 2; 3 and 5 take their places."""
    cache = Cache(CacheLevel("L1", 128, 2), whole=False)
    assert cache.use([1, 2, 1, 3, 5], [2, 4, 0, 0, 0]) == ([1, 2, 3, 2, 5, 1], [0, 0, 0, 4, 0, 2])


def chunks(seed: int, kind: str) -> list[Chunk]:
    """Return chunks of two children: lines drawn, swept, a few hot ones, or three rows of a stencil between these."""
    chance = random.Random(seed)
    found = []
    for number in range(6):
        size = chance.choice((1, 20, 300))
        lines = {
            "drawn": [chance.randrange(300) for _ in range(size)],
            "swept": [(200 * number + k) % 700 for k in range(size)],
            "hot": [chance.randrange(4) if k % 40 else 48 + 48 * (k // 40 % 3) for k in range(size)],
            "rows": [chance.choice((chance.randrange(5), 100 + k, 150 + k, 200 + k)) for k in range(size)],
        }[kind]
        first = np.array([chance.random() < 0.3 for _ in lines])
        dirty = first | np.array([chance.random() < 0.2 for _ in lines])
        found.append(Chunk(number % 2, np.array(lines), first, dirty, size))
    return found


LEVELS = ((4, 1), (8, 4), (16, 2), (24, 8), (30, 10), (96, 3))
"""Lines and ways of one level; a hierarchy has three that follow one another."""


@pytest.mark.parametrize("at_once", [1, 100, 1 << 16])
@pytest.mark.parametrize("kind", ["drawn", "swept", "hot", "rows"])
def test_many_uses_at_once_count_what_one_by_one_does(kind: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one by one are held against independent caches in ``test_simulate``; the windows here are long and short."""
    monkeypatch.setattr(lru_arrays, "_AT_ONCE", at_once)
    for seed in range(12):
        some = [LEVELS[(seed + k) % len(LEVELS)] for k in range(3)]
        levels = [CacheLevel(f"L{number}", 64 * lines, ways) for number, (lines, ways) in enumerate(some)]
        one, many = Caches(levels, 2), lru_arrays.ArrayCaches(levels, 2)
        for caches in (one, many):
            for chunk in chunks(seed, kind):
                caches.use(chunk)
            caches.settle()
            if seed % 2:
                caches.flush()
        for name in ("read", "allocate", "written"):
            assert getattr(many.counts, name).tolist() == getattr(one.counts, name).tolist()
        assert one.counts.read.any()
