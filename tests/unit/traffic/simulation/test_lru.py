"""Caches that gather what happens to their lines pass on the same as those that do not."""

import random

import pytest

from analyzer.traffic.hierarchy import CacheLevel
from analyzer.traffic.simulation.lru import Cache, WatchedCache


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
